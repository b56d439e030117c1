"""Paired bootstrap of the difference of two models' scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from honesteval.stats._bootstrap import MetricLike
from honesteval.stats._bootstrap_engine import (
    BootstrapRun,
    BootstrapSettings,
    require_defined,
    strata_of,
)
from honesteval.stats._bootstrap_resampling import RandomState, make_generator, resampling_plan
from honesteval.stats._bootstrap_result import BootstrapDifference
from honesteval.stats._intervals import ResampledStatistic
from honesteval.stats._kernels_registry import check_weights, get_metric

__all__ = ["bootstrap_difference"]


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
    chosen = get_metric(metric)
    a = chosen.sample(y, score_a, score_name="score_a")
    b = chosen.sample(y, score_b, score_name="score_b")
    weights = None if sample_weight is None else check_weights(sample_weight, len(a), chosen)
    values = [require_defined(chosen, sample, weights) for sample in (a, b)]

    def evaluate(drawn: NDArray[Any]) -> NDArray[np.float64]:
        drawn = drawn if weights is None else drawn * weights
        of_a, of_b = (chosen.evaluate(sample.weighted(drawn)) for sample in (a, b))
        return (of_a - of_b)[None, :]

    run = BootstrapRun(
        resampling_plan(len(a), groups=groups, strata=strata_of(stratify, a.y)),
        BootstrapSettings(method, n_resamples, confidence_level),
    )
    (statistic,) = run.resample(evaluate, make_generator(random_state))
    identical = statistic.is_constant and statistic.estimate == 0
    low, high, _ = run.interval(statistic, chosen.label, may_be_constant=identical)
    return BootstrapDifference(
        estimate=statistic.estimate,
        low=low,
        high=high,
        p_value=_p_value(statistic, method),
        estimate_a=values[0],
        estimate_b=values[1],
        standard_error=statistic.standard_error,
        method=method,
        n_resamples=n_resamples,
        n_undefined=statistic.n_undefined,
        confidence_level=confidence_level,
        metric=chosen.name,
        label=chosen.label,
        n=len(a),
        n_groups=run.n_groups,
        greater_is_better=chosen.greater_is_better,
        distribution=statistic.values,
    )


def _p_value(statistic: ResampledStatistic, method: str) -> float:
    if not statistic.is_constant:
        return statistic.p_value(method)
    return 1.0 if statistic.estimate == 0 else 1 / (len(statistic.values) + 1)
