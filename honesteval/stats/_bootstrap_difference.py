"""Paired bootstrap of the difference of two models' scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from honesteval.stats._bootstrap_engine import (
    BootstrapRun,
    BootstrapSettings,
    MetricLike,
    evaluate_all,
    require_defined,
    samples_of,
    strata_of,
)
from honesteval.stats._bootstrap_resampling import RandomState, make_generator, resampling_plan
from honesteval.stats._bootstrap_result import BootstrapDifference
from honesteval.stats._intervals import ResampledStatistic
from honesteval.stats._kernels import RowWeights
from honesteval.stats._kernels_registry import Metric, check_weights, get_metric

__all__ = ["bootstrap_difference", "bootstrap_differences"]


def bootstrap_difference(
    y: ArrayLike,
    score_a: ArrayLike,
    score_b: ArrayLike,
    *,
    metric: MetricLike = "roc_auc",
    groups: ArrayLike | None = None,
    stratify: bool | ArrayLike = False,
    sample_weight: ArrayLike | None = None,
    method: str = "bca",
    n_resamples: int = 9999,
    confidence_level: float = 0.95,
    random_state: RandomState = None,
) -> BootstrapDifference:
    """Paired bootstrap of the difference of two models' scores on the same rows.

    Every resample draws rows once and scores both models on them, so that what makes a
    resample easy or hard for both cancels.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels.
    score_a, score_b : array-like of shape (n,)
        Predictions of the two models for the same rows.
    metric : str, Metric or callable, default="roc_auc"
        As in :func:`bootstrap_ci`.
    groups, stratify, sample_weight
        As in :func:`bootstrap_ci`.
    method : {"bca", "percentile", "basic", "studentized"}, default="bca"
    n_resamples : int, default=9999
    confidence_level : float in (0, 1), default=0.95
    random_state : int, Generator, RandomState or None, default=None

    Returns
    -------
    result : BootstrapDifference
        ``estimate`` (score of a minus score of b), ``low``, ``high``, ``p_value``,
        ``estimate_a``, ``estimate_b`` and the settings. Identical models give difference 0,
        interval [0, 0] and p = 1.

    Raises
    ------
    ValueError
        If the metric is undefined on the data or an argument does not fit.

    Warns
    -----
    HonestevalWarning
        If more than 5 % of the resamples are undefined, or two different models differ by the
        same amount on every resample.

    Notes
    -----
    The p-value inverts the interval: p < 0.05 exactly when the 95 % interval excludes zero
    (up to the resolution 1/(n_resamples + 1), which is its smallest value).

    Predictions pooled over the folds of a cross-validation are not independent of each other;
    the test is then somewhat liberal.

    Examples
    --------
    The mean absolute error of a mean prediction against a linear one:

    >>> import numpy as np
    >>> from honesteval.stats import bootstrap_difference
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=200)
    >>> y = x + 0.5 * rng.normal(size=200)
    >>> result = bootstrap_difference(y, np.zeros(200), x, metric="mae", random_state=0)
    >>> result.low > 0, result.p_value < 0.001
    (True, True)
    >>> bootstrap_difference(y, x, x, metric="mae", random_state=0).p_value
    1.0
    """
    (result,) = bootstrap_differences(
        y,
        score_a,
        score_b,
        metrics=[metric],
        groups=groups,
        stratify=stratify,
        sample_weight=sample_weight,
        method=method,
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        random_state=random_state,
    )
    return result


def bootstrap_differences(
    y: ArrayLike,
    score_a: ArrayLike,
    score_b: ArrayLike,
    *,
    metrics: Sequence[MetricLike] = ("roc_auc", "average_precision"),
    groups: ArrayLike | None = None,
    stratify: bool | ArrayLike = False,
    sample_weight: ArrayLike | None = None,
    method: str = "bca",
    n_resamples: int = 9999,
    confidence_level: float = 0.95,
    random_state: RandomState = None,
) -> list[BootstrapDifference]:
    """Paired bootstrap of the difference of two models in several metrics, drawing once.

    Each result equals that of :func:`bootstrap_difference` with the same seed.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels.
    score_a, score_b : array-like of shape (n,)
        Predictions of the two models for the same rows.
    metrics : sequence of str, Metric or callable, default=("roc_auc", "average_precision")
    groups, stratify, sample_weight, method, n_resamples, confidence_level, random_state
        As in :func:`bootstrap_ci`.

    Returns
    -------
    results : list of BootstrapDifference
        In the order of ``metrics``.

    Raises
    ------
    ValueError
        If a metric is undefined on the data or an argument does not fit.

    Examples
    --------
    >>> from honesteval.stats import bootstrap_differences
    >>> y = [0, 0, 1, 0, 1, 1, 0, 1, 0, 0]
    >>> a = [.1, .3, .4, .5, .7, .6, .2, .9, .35, .65]
    >>> b = [.2, .6, .3, .5, .4, .7, .1, .8, .45, .15]
    >>> results = bootstrap_differences(y, a, b, random_state=0)
    >>> [round(result.estimate, 3) for result in results]
    [0.125, 0.086]
    """
    chosen = [get_metric(metric) for metric in metrics]
    if not chosen:
        raise ValueError("metrics is empty: name at least one.")
    of_a = samples_of(chosen, y, score_a, score_name="score_a")
    of_b = samples_of(chosen, y, score_b, score_name="score_b")
    n = len(of_a[0])
    weights = None
    estimates = []
    for metric, a, b in zip(chosen, of_a, of_b, strict=True):
        weights = None if sample_weight is None else check_weights(sample_weight, n, metric)
        estimates.append([require_defined(metric, sample, weights) for sample in (a, b)])

    def evaluate(drawn: NDArray[Any]) -> NDArray[np.float64]:
        row_weights = RowWeights(drawn if weights is None else drawn * weights)
        values_of_a = evaluate_all(chosen, of_a, row_weights)
        return values_of_a - evaluate_all(chosen, of_b, row_weights)

    run = BootstrapRun(
        resampling_plan(n, groups=groups, strata=strata_of(stratify, of_a[0].y)),
        BootstrapSettings(method, n_resamples, confidence_level),
    )
    statistics = run.resample(evaluate, make_generator(random_state))
    return [
        _difference(run, statistic, metric, values)
        for statistic, metric, values in zip(statistics, chosen, estimates, strict=True)
    ]


def _difference(
    run: BootstrapRun, statistic: ResampledStatistic, metric: Metric, estimates: list[float]
) -> BootstrapDifference:
    identical = statistic.is_constant and statistic.estimate == 0
    low, high = run.interval(statistic, metric.label, may_be_constant=identical)
    method = run.settings.method
    return BootstrapDifference(
        estimate=statistic.estimate,
        low=low,
        high=high,
        p_value=_p_value(statistic, method),
        estimate_a=estimates[0],
        estimate_b=estimates[1],
        standard_error=statistic.standard_error,
        method=method,
        n_resamples=run.settings.n_resamples,
        n_undefined=statistic.n_undefined,
        confidence_level=run.settings.confidence_level,
        metric=metric.name,
        label=metric.label,
        n=run.plan.n_rows,
        n_groups=run.n_groups,
        greater_is_better=metric.greater_is_better,
        distribution=statistic.values,
    )


def _p_value(statistic: ResampledStatistic, method: str) -> float:
    if not statistic.is_constant:
        return statistic.p_value(method)
    return 1.0 if statistic.estimate == 0 else 1 / (len(statistic.values) + 1)
