"""DeLong's variance of the ROC-AUC: intervals, paired and unpaired tests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import special, stats

from honesteval._validation import check_1d, check_number, check_option
from honesteval.stats._delong_newcombe import newcombe_interval
from honesteval.stats._intervals import fractional_binomial_interval
from honesteval.stats._kernels_registry import check_binary, get_metric

__all__ = [
    "DeLongInterval",
    "DeLongTest",
    "delong_ci",
    "delong_covariance",
    "delong_test",
    "delong_test_unpaired",
]

FloatArray = NDArray[np.float64]

INTERVALS = ("logit", "wald", "newcombe", "exact")

# A variance below this is the rounding error of zero: steps of a ROC-AUC are far larger.
_ZERO_VARIANCE = 1e-15


@dataclass(frozen=True)
class DeLongInterval:
    """A ROC-AUC with its interval.

    Attributes
    ----------
    estimate : float
        ROC-AUC, ties counting one half.
    low, high : float
        Limits, in [0, 1] and never of zero width.
    standard_error : float
        DeLong's; NaN where it cannot be estimated (one row of a class).
    method : str
        Interval used: ``"exact"`` also where the one asked for does not exist.
    confidence_level : float
    n_positive, n_negative : int
    """

    estimate: float
    low: float
    high: float
    standard_error: float
    method: str
    confidence_level: float
    n_positive: int
    n_negative: int

    def summary(self) -> str:
        """Return the ROC-AUC and its interval in one line."""
        return (
            f"ROC-AUC {self.estimate:.3f}, {self.confidence_level:.0%} interval "
            f"[{self.low:.3f}, {self.high:.3f}] (DeLong, {self.method}; {self.n_positive} "
            f"positives, {self.n_negative} negatives)"
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row with every field."""
        return pd.DataFrame([vars(self)])

    def _repr_html_(self) -> str:
        return self.to_frame().to_html(index=False, float_format="{:.4g}".format)


@dataclass(frozen=True)
class DeLongTest:
    """The difference of two ROC-AUCs with its interval and p-value.

    Attributes
    ----------
    estimate : float
        ROC-AUC of a minus that of b.
    low, high : float
        Limits of the difference, in [-1, 1].
    p_value : float
        Two-sided.
    z : float
        Difference over its standard error; 0 for identical models, NaN with ``"exact"``.
    standard_error : float
        Of the difference.
    correlation : float
        Of the two estimates; 0 when unpaired, NaN where a variance is zero.
    estimate_a, estimate_b : float
        The two ROC-AUCs.
    method : str
        ``"delong"``; ``"identical"`` where the models rank alike; ``"exact"`` where the
        variance is zero or one class has a single row.
    confidence_level : float
    paired : bool
    """

    estimate: float
    low: float
    high: float
    p_value: float
    z: float
    standard_error: float
    correlation: float
    estimate_a: float
    estimate_b: float
    method: str
    confidence_level: float
    paired: bool

    def summary(self) -> str:
        """Return the difference, its interval and p-value in one line."""
        design = "paired" if self.paired else "unpaired"
        return (
            f"ROC-AUC: {self.estimate_a:.3f} (a) minus {self.estimate_b:.3f} (b) = "
            f"{self.estimate:+.3f}, {self.confidence_level:.0%} interval [{self.low:+.3f}, "
            f"{self.high:+.3f}], p = {self.p_value:.2g} ({design} DeLong, {self.method})"
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row with every field."""
        return pd.DataFrame([vars(self)])

    def _repr_html_(self) -> str:
        return self.to_frame().to_html(index=False, float_format="{:.4g}".format)


def delong_covariance(y: ArrayLike, scores: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return the ROC-AUCs of k models on the same rows and their covariance.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels 0/1, -1/1 or bool.
    scores : array-like of shape (n, k) or (n,)
        Predictions, one column per model.

    Returns
    -------
    estimates : ndarray of shape (k,)
    covariance : ndarray of shape (k, k)
        NaN where a class has a single row.

    Raises
    ------
    ValueError
        If one class is missing.

    Notes
    -----
    The placements of a positive among the negatives, V10, and of a negative among the
    positives, V01, come from mid-ranks in O(n log n) [2]_; the covariance is
    cov(V10)/n1 + cov(V01)/n0 [1]_.

    References
    ----------
    .. [1] DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988). Comparing the areas
       under two or more correlated receiver operating characteristic curves. Biometrics 44.
    .. [2] Sun, X. and Xu, W. (2014). Fast implementation of DeLong's algorithm. IEEE Signal
       Processing Letters 21.

    Examples
    --------
    >>> from honesteval.stats import delong_covariance
    >>> estimates, covariance = delong_covariance([0, 0, 1, 0, 1], [.3, .6, .7, .8, .9])
    >>> estimates.round(5), covariance.shape
    (array([0.83333]), (1, 1))
    """
    placements_10, placements_01 = _placements(y, scores)
    n_positive, n_negative = len(placements_10), len(placements_01)
    covariance = np.full((placements_10.shape[1],) * 2, np.nan)
    if min(n_positive, n_negative) > 1:
        covariance = np.atleast_2d(np.cov(placements_10, rowvar=False)) / n_positive
        covariance = covariance + np.atleast_2d(np.cov(placements_01, rowvar=False)) / n_negative
    return placements_10.mean(axis=0), covariance


def delong_ci(
    y: ArrayLike, score: ArrayLike, *, method: str = "logit", confidence_level: float = 0.95
) -> DeLongInterval:
    """Interval of a ROC-AUC from DeLong's variance.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels 0/1, -1/1 or bool.
    score : array-like of shape (n,)
        Predictions: anything that ranks.
    method : {"logit", "wald", "newcombe", "exact"}, default="logit"
        ``"logit"``: symmetric on the logit scale, so that limits stay in [0, 1]. ``"wald"``:
        estimate and standard error, cut to [0, 1]; known to cover too rarely. ``"newcombe"``:
        score interval with the Hanley-McNeil variance at each candidate value.
        ``"exact"``: Clopper-Pearson limits for as many independent placements as the smaller
        class has rows; free of assumptions, and wide.
    confidence_level : float in (0, 1), default=0.95

    Returns
    -------
    result : DeLongInterval
        ``"exact"`` takes over where DeLong's variance is zero (perfect separation) or does not
        exist (one row of a class); ``method`` of the result says so.

    Raises
    ------
    ValueError
        If one class is missing, or an argument does not fit.

    Notes
    -----
    Coverage at nominal 95 % with 10 positives and 30 negatives: logit 94.8 %, Wald 88.7 % at a
    ROC-AUC of 0.80; logit 91.2 %, Wald 76.0 % at 0.96. Rows must be independent; with groups of
    related rows use :func:`bootstrap_ci` with ``groups``.

    Why ``"exact"`` holds: a ROC-AUC is the mean of the placements of the smaller class's m
    rows, which lie in [0, 1]. Complete separation then has at most probability A^m where A is
    the true value, so that its lower limit is the m-th root of half the error rate.

    References
    ----------
    .. [1] DeLong, E. R. et al. (1988). Biometrics 44, 837-845.
    .. [2] Newcombe, R. G. (2006). Confidence intervals for an effect size measure based on the
       Mann-Whitney statistic. Part 2. Statistics in Medicine 25, method 5.

    Examples
    --------
    >>> from honesteval.stats import delong_ci
    >>> y = [0] * 6 + [1] * 4
    >>> delong_ci(y, [.1, .2, .3, .4, .6, .7, .5, .65, .8, .9]).summary()
    'ROC-AUC 0.875, 95% interval [0.463, 0.983] (DeLong, logit; 4 positives, 6 negatives)'

    Perfect separation of ten rows is no proof of perfection:

    >>> print(delong_ci(y, range(10)).summary())
    ROC-AUC 1.000, 95% interval [0.398, 1.000] (DeLong, exact; 4 positives, 6 negatives)
    """
    check_option(method, "method", INTERVALS)
    check_number(confidence_level, "confidence_level", low=0, high=1, closed="neither")
    n_positive, n_negative = _class_sizes(check_binary(y))
    estimates, covariance = delong_covariance(y, check_1d(score, "score"))
    estimate, variance = float(estimates[0]), float(covariance[0, 0])
    if method in ("logit", "wald") and not variance > _ZERO_VARIANCE:
        method = "exact"
    standard_error = float(np.sqrt(max(variance, 0.0))) if np.isfinite(variance) else np.nan
    if method == "exact":
        low, high = fractional_binomial_interval(
            estimate, min(n_positive, n_negative), confidence_level
        )
    elif method == "newcombe":
        low, high = newcombe_interval(estimate, n_positive, n_negative, confidence_level)
    else:
        low, high = _normal_interval(estimate, standard_error, method, confidence_level)
    return DeLongInterval(
        estimate, low, high, standard_error, method, confidence_level, n_positive, n_negative
    )


def delong_test(
    y: ArrayLike, score_a: ArrayLike, score_b: ArrayLike, *, confidence_level: float = 0.95
) -> DeLongTest:
    """Test whether two models have the same ROC-AUC, on the same rows.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels 0/1, -1/1 or bool.
    score_a, score_b : array-like of shape (n,)
        Predictions of the two models.
    confidence_level : float in (0, 1), default=0.95

    Returns
    -------
    result : DeLongTest
        Models that rank alike give difference 0, z = 0 and p = 1.

    Raises
    ------
    ValueError
        If one class is missing, or an argument does not fit.

    Notes
    -----
    For a hold-out set of independent rows: its type-I error at 0.05 is 0.055 then, and 0.108
    on predictions pooled over the folds of a cross-validation, which are not independent.

    Where the estimated variance of the difference is zero though the models differ, or a class
    has one row, the test and the limits are those of a sign test on the placements of the
    smaller class (``method`` is ``"exact"``).

    References
    ----------
    .. [1] DeLong, E. R. et al. (1988). Biometrics 44, 837-845, equation 7.

    Examples
    --------
    >>> from honesteval.stats import delong_test
    >>> y = [0, 0, 0, 0, 0, 1, 1, 1, 1]
    >>> a = [.1, .2, .3, .4, .7, .5, .6, .8, .9]
    >>> b = [.4, .2, .8, .1, .6, .3, .5, .9, .7]
    >>> result = delong_test(y, a, b)
    >>> round(result.estimate, 3), round(result.p_value, 3)
    (0.2, 0.231)
    >>> delong_test(y, a, a).p_value
    1.0
    """
    check_number(confidence_level, "confidence_level", low=0, high=1, closed="neither")
    roc_auc = get_metric("roc_auc")
    a = roc_auc.sample(y, score_a, score_name="score_a")
    b = roc_auc.sample(y, score_b, score_name="score_b")
    estimates, covariance = delong_covariance(a.y, np.column_stack([a.score, b.score]))
    smaller = min(_class_sizes(a.y))
    return _difference(estimates, covariance, smaller, confidence_level, paired=True)


def delong_test_unpaired(
    y_a: ArrayLike,
    score_a: ArrayLike,
    y_b: ArrayLike,
    score_b: ArrayLike,
    *,
    confidence_level: float = 0.95,
) -> DeLongTest:
    """Test whether two ROC-AUCs from independent sets of rows are the same.

    Parameters
    ----------
    y_a, score_a : array-like of shape (n_a,)
        Labels and predictions of the first set.
    y_b, score_b : array-like of shape (n_b,)
        Labels and predictions of the second set.
    confidence_level : float in (0, 1), default=0.95

    Returns
    -------
    result : DeLongTest
        With ``paired=False`` and correlation 0.

    Raises
    ------
    ValueError
        If one class is missing in a set, or an argument does not fit.

    Examples
    --------
    >>> from honesteval.stats import delong_test_unpaired
    >>> y, a = [0, 0, 0, 1, 1, 1], [.1, .2, .6, .5, .8, .9]
    >>> delong_test_unpaired(y, a, y, [.1, .8, .3, .2, .6, .9]).correlation
    0.0
    """
    check_number(confidence_level, "confidence_level", low=0, high=1, closed="neither")
    roc_auc = get_metric("roc_auc")
    samples = roc_auc.sample(y_a, score_a), roc_auc.sample(y_b, score_b)
    parts = [delong_covariance(sample.y, sample.score) for sample in samples]
    estimates = np.array([part[0][0] for part in parts])
    covariance = np.diag([part[1][0, 0] for part in parts])
    smaller = min(min(_class_sizes(sample.y)) for sample in samples)
    return _difference(estimates, covariance, smaller, confidence_level, paired=False)


def _difference(
    estimates: FloatArray,
    covariance: FloatArray,
    smaller_class: int,
    confidence_level: float,
    *,
    paired: bool,
) -> DeLongTest:
    difference = float(estimates[0] - estimates[1])
    variance = float(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    defined = bool(np.isfinite(variance))
    standard_error = float(np.sqrt(max(variance, 0.0))) if defined else np.nan
    z = np.nan
    if paired and difference == 0 and not variance > _ZERO_VARIANCE:
        method, z, p_value, low, high = "identical", 0.0, 1.0, 0.0, 0.0
    elif not variance > _ZERO_VARIANCE:
        method = "exact"
        share = (1 + difference) / 2
        low, high = fractional_binomial_interval(share, smaller_class, confidence_level)
        low, high = 2 * low - 1, 2 * high - 1
        p_value = _sign_test(share, smaller_class)
    else:
        method = "delong"
        z = difference / standard_error
        p_value = float(2 * stats.norm.sf(abs(z)))
        margin = special.ndtri((1 + confidence_level) / 2) * standard_error
        low, high = max(-1.0, difference - margin), min(1.0, difference + margin)
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation = covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])
    return DeLongTest(
        difference, float(low), float(high), p_value, float(z), standard_error,
        float(correlation) if paired else 0.0,
        float(estimates[0]), float(estimates[1]), method, confidence_level, paired,
    )  # fmt: skip


def _sign_test(share: float, n: int) -> float:
    """Return the two-sided p-value of a mean of n values in [0, 1] against one half."""
    successes = n * max(share, 1 - share)
    return float(min(1.0, 2 * special.betainc(successes, n - successes + 1, 0.5)))


def _placements(y: ArrayLike, scores: ArrayLike) -> tuple[FloatArray, FloatArray]:
    labels = check_binary(y)
    columns = np.asarray(scores)
    columns = columns[:, None] if columns.ndim == 1 else columns
    roc_auc = get_metric("roc_auc")
    columns = np.column_stack(
        [roc_auc.sample(labels, column, score_name="scores").score for column in columns.T]
    )
    n_positive, n_negative = _class_sizes(labels)
    if min(n_positive, n_negative) == 0:
        raise ValueError(
            f"ROC-AUC needs both classes. Got {n_positive} positives and {n_negative} negatives."
        )
    positives, negatives = columns[labels == 1], columns[labels == 0]
    ranks = stats.rankdata(columns, axis=0)
    within_positive = stats.rankdata(positives, axis=0)
    within_negative = stats.rankdata(negatives, axis=0)
    placements_10 = (ranks[labels == 1] - within_positive) / n_negative
    placements_01 = 1 - (ranks[labels == 0] - within_negative) / n_positive
    return placements_10, placements_01


def _class_sizes(labels: FloatArray) -> tuple[int, int]:
    n_positive = int(np.sum(labels == 1))
    return n_positive, len(labels) - n_positive


def _normal_interval(
    estimate: float, standard_error: float, method: str, confidence_level: float
) -> tuple[float, float]:
    z = special.ndtri((1 + confidence_level) / 2)
    if method == "wald":
        margin = z * standard_error
        return max(0.0, float(estimate - margin)), min(1.0, float(estimate + margin))
    centre = special.logit(estimate)
    margin = z * standard_error / (estimate * (1 - estimate))
    return float(special.expit(centre - margin)), float(special.expit(centre + margin))
