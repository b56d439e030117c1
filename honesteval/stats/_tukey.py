"""Repeated-measures Tukey comparison of several models over cross-validation folds."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import studentized_range
from scipy.stats import t as student_t

from honesteval._validation import check_number, check_option
from honesteval.exceptions import HonestevalWarning
from honesteval.stats._corrected_t import CORRECTIONS, warn_constant
from honesteval.stats._paired_folds import (
    DEFAULT_CONFIDENCE_LEVEL,
    column_differences,
    fold_ratio,
    fold_table,
)


@dataclass(frozen=True)
class RepeatedMeasuresTukey:
    """Result of :func:`repeated_measures_tukey`.

    Attributes
    ----------
    models : tuple of str
    means : ndarray of shape (n_models,)
        Mean score over folds.
    mean_square_error : float
        Residual mean square after removing model and fold means.
    standard_error : float
        Of one mean, as the studentised range takes it: ``sqrt(MSE (1/J + n_test/n_train))``.
    df : int
        ``(n_models - 1)(J - 1)``.
    half_width : float
        Two means that differ by more than this differ at the confidence level, for all pairs at
        once (honestly significant difference).
    sphericity : float
        Greenhouse-Geisser epsilon, from 1/(n_models - 1) to 1. Low values mean that some pairs
        vary much more from fold to fold than others, so that one error for all does not fit.
    n_folds : int
        Number of fold scores J.
    ratio : float
        Test rows per training row of one fold.
    confidence_level : float
    correction : {"nadeau-bengio", None}
    """

    models: tuple[str, ...]
    means: NDArray[np.float64]
    mean_square_error: float
    standard_error: float
    df: int
    half_width: float
    sphericity: float
    n_folds: int
    ratio: float
    confidence_level: float
    correction: str | None
    differences: NDArray[np.float64] = field(repr=False)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair: difference, simultaneous interval, p and adjusted p."""
        pairs = list(combinations(range(len(self.models)), 2))
        q = np.array([self._q(difference) for difference in self.differences])
        tiny = np.finfo(np.float64).tiny
        adjusted = np.clip(studentized_range.sf(q, len(self.models), self.df), tiny, 1.0)
        single = np.clip(2 * student_t.sf(q / math.sqrt(2), self.df), tiny, 1.0)
        return pd.DataFrame(
            {
                "a": [self.models[a] for a, _ in pairs],
                "b": [self.models[b] for _, b in pairs],
                "difference": self.differences,
                "low": self.differences - self.half_width,
                "high": self.differences + self.half_width,
                "statistic": q,
                "p_value": np.where(q == 0, 1.0, single),
                "p_adjusted": np.where(q == 0, 1.0, adjusted),
            }
        )

    def summary(self) -> str:
        """Return the pairs in a few lines."""
        lines = [
            f"Repeated-measures Tukey over {self.n_folds} folds "
            f"({'Nadeau-Bengio variance' if self.correction else 'naive variance'}, "
            f"df = {self.df}, sphericity {self.sphericity:.2f})"
        ]
        lines += [
            f"  {row.a} - {row.b}: {row.difference:+.4g} [{row.low:+.4g}, {row.high:+.4g}], "
            f"adjusted p = {row.p_adjusted:.4g}"
            for row in self.to_frame().itertuples()
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return str(self.to_frame().to_html(index=False, float_format="{:.4g}".format))

    def _q(self, difference: float) -> float:
        return 0.0 if difference == 0 else abs(difference) / self.standard_error


def repeated_measures_tukey(
    scores: Any,
    *,
    n_train: Any,
    n_test: Any,
    models: Any = None,
    confidence_level: float = DEFAULT_CONFIDENCE_LEVEL,
    correction: str | None = "nadeau-bengio",
) -> RepeatedMeasuresTukey:
    """Compare all pairs of models over the same folds, with simultaneous intervals.

    Folds are the blocks of a two-way layout without interaction; the honestly significant
    difference covers all pairs at once. The error of a mean is scaled for the training rows
    that folds share, as in :func:`corrected_t_test`; with two models the uncorrected test is
    the naive paired t-test, with its 50 % false rejections.

    Parameters
    ----------
    scores : array-like or data frame of shape (J, n_models), or dict of str to array-like
        Scores of each model, fold by fold; folds times repeats in all.
    n_train, n_test : float or array-like
        Rows in the training and test part of one fold.
    models : sequence of str, default=None
        Names of the columns of an array.
    confidence_level : float in (0, 1), default=0.95
        Of all intervals at once.
    correction : {"nadeau-bengio", None}, default="nadeau-bengio"
        None gives the naive variance, with a warning.

    Returns
    -------
    result : RepeatedMeasuresTukey

    Raises
    ------
    ValueError
        If there are fewer than 2 models or folds, or a score is not finite.

    Warns
    -----
    HonestevalWarning
        For ``correction=None``, and when the models differ by a constant in every fold: p and
        intervals are NaN then.

    References
    ----------
    J. R. Ash et al., "Practically significant method comparison protocols for machine learning
    in small molecule drug discovery", Journal of Chemical Information and Modeling 65 (2025).

    C. Nadeau and Y. Bengio, "Inference for the generalization error", Machine Learning 52
    (2003) 239-281, section 4.

    Examples
    --------
    >>> from honesteval.stats import repeated_measures_tukey
    >>> scores = {
    ...     "svm": [.80, .82, .78, .84, .81],
    ...     "forest": [.83, .84, .80, .88, .83],
    ...     "tree": [.71, .75, .70, .74, .72],
    ... }
    >>> result = repeated_measures_tukey(scores, n_train=80, n_test=20)
    >>> result.to_frame()[["a", "b", "p_adjusted"]].round(3)
            a       b  p_adjusted
    0     svm  forest       0.055
    1     svm    tree       0.000
    2  forest    tree       0.000
    """
    check_option(correction, "correction", CORRECTIONS)
    check_number(confidence_level, "confidence_level", low=0, high=1, closed="neither")
    table, names = _fold_scores(scores, models)
    ratio = fold_ratio(n_train, n_test)
    if correction is None:
        warnings.warn(
            "Tukey's test with the naive variance takes folds for independent and rejects equal "
            "models far too often (about 50 % at a nominal 5 % for two). Keep "
            "correction='nadeau-bengio'.",
            HonestevalWarning,
            stacklevel=2,
        )
    return tukey_of_table(
        table, names, ratio, confidence_level=confidence_level, correction=correction
    )


def tukey_of_table(
    table: NDArray[np.float64],
    models: tuple[str, ...],
    ratio: float,
    *,
    confidence_level: float = DEFAULT_CONFIDENCE_LEVEL,
    correction: str | None = "nadeau-bengio",
) -> RepeatedMeasuresTukey:
    """Return the comparison for scores of shape (J, n_models) and a given size ratio."""
    n_folds, k = table.shape
    residuals = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
    df = (k - 1) * (n_folds - 1)
    error = float((residuals**2).sum() / df)
    pairs = [column_differences(table, a, b) for a, b in combinations(range(k), 2)]
    if all(np.ptp(pair) == 0 for pair in pairs):
        error = 0.0
        if any(pair[0] != 0 for pair in pairs):
            warn_constant(max((float(pair[0]) for pair in pairs), key=abs))
            error = math.nan
    standard_error = math.sqrt(error * (1 / n_folds + (ratio if correction else 0.0)))
    return RepeatedMeasuresTukey(
        models=models,
        means=table.mean(axis=0),
        mean_square_error=error,
        standard_error=standard_error,
        df=df,
        half_width=_critical_range(1 - confidence_level, k, df) * standard_error,
        sphericity=greenhouse_geisser(table),
        n_folds=n_folds,
        ratio=ratio,
        confidence_level=confidence_level,
        correction=correction,
        differences=np.array([pair.mean() for pair in pairs]),
    )


@lru_cache(maxsize=128)
def _critical_range(alpha: float, n_models: int, df: int) -> float:
    """Return the studentised range exceeded with probability alpha (slow to compute)."""
    return float(studentized_range.isf(alpha, n_models, df))


def greenhouse_geisser(table: NDArray[np.float64]) -> float:
    """Return the Greenhouse-Geisser epsilon of scores of shape (n_folds, n_models).

    References
    ----------
    S. W. Greenhouse and S. Geisser, "On methods in the analysis of profile data",
    Psychometrika 24 (1959) 95-112.
    """
    centred = table - table.mean(axis=1, keepdims=True)
    covariance = np.cov(centred, rowvar=False)
    total = float((covariance**2).sum())
    if total == 0:
        return 1.0
    return float(np.trace(covariance) ** 2 / ((table.shape[1] - 1) * total))


def _fold_scores(scores: Any, models: Any) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    if not isinstance(scores, dict):
        columns = getattr(scores, "columns", None)
        values = np.asarray(scores)
        if values.ndim != 2:
            raise ValueError(f"scores must have shape (J, n_models). Got shape {values.shape}.")
        names = models if models is not None else columns
        if names is None:
            names = [f"model {number}" for number in range(values.shape[1])]
        names = [str(name) for name in names]
        if len(names) != values.shape[1] or len(set(names)) != len(names):
            raise ValueError(f"models must be {values.shape[1]} different names. Got {names}.")
        scores = dict(zip(names, values.T, strict=True))
    if len(scores) < 2:
        raise ValueError(f"A comparison needs at least 2 models. Got {len(scores)}.")
    return fold_table(scores), tuple(str(name) for name in scores)
