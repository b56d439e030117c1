"""Scores of rankings: the mean over folds, each ranked by its own model, with its interval.

A ranking of all out-of-fold predictions together compares scores of different models, whose
scales differ, and is too low for it [1]_. What a model will do is rank by itself.

References
----------
.. [1] Airola A. et al., "An experimental comparison of cross-validation techniques for estimating
       the area under the ROC curve", Comput. Stat. Data Anal. 2011, 55, 1828-1844.
       :doi:`10.1016/j.csda.2010.11.018`
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from honesteval.stats import BootstrapDifference, BootstrapResult, Metric
from honesteval.stats._bootstrap import _smaller_class
from honesteval.stats._bootstrap_difference import _difference
from honesteval.stats._bootstrap_engine import BootstrapRun, BootstrapSettings, evaluate_all
from honesteval.stats._bootstrap_resampling import make_generator, resampling_plan
from honesteval.stats._kernels import RowWeights

FloatArray = NDArray[np.float64]
Folds = NDArray[np.intp]
Evaluate = Callable[[NDArray[Any]], FloatArray]


def fold_mean(metric: Metric, y: FloatArray, ranking: FloatArray, fold: Folds) -> float:
    """Return the mean of a metric over the folds where it is defined; NaN if there is none."""
    return float(_evaluator([metric], y, ranking, fold)(np.ones((1, len(y)), dtype=np.int64))[0, 0])


def bootstrap_fold_means(
    metrics: Sequence[Metric], y: FloatArray, ranking: FloatArray, fold: Folds, *, groups: Any,
    n_resamples: int, confidence_level: float, random_state: int,
) -> list[BootstrapResult]:  # fmt: skip
    """Return the mean over folds of each metric with its BCa interval over rows.

    Parameters
    ----------
    metrics : sequence of Metric
        Of rankings; each defined on one fold at least.
    y, ranking : ndarray of shape (n,)
    fold : ndarray of int, shape (n,)
    groups, n_resamples, confidence_level, random_state
        As in :func:`honesteval.stats.bootstrap_metrics`.
    """
    run = _run(len(y), groups, n_resamples, confidence_level)
    evaluate = _evaluator(metrics, y, ranking, fold)
    statistics = run.resample(evaluate, make_generator(random_state))
    return [
        run.result(
            statistic, metric.name, metric.label,
            smaller_class=_smaller_class(metric, metric.sample(y, ranking), run),
        )
        for statistic, metric in zip(statistics, metrics, strict=True)
    ]  # fmt: skip


def bootstrap_fold_difference(
    metric: Metric, y: FloatArray, first: tuple[FloatArray, Folds],
    second: tuple[FloatArray, Folds], *, groups: Any, n_resamples: int, confidence_level: float,
    random_state: int,
) -> BootstrapDifference:  # fmt: skip
    """Return the paired difference of two means over folds, each with its own folds.

    Parameters
    ----------
    metric : Metric
    y : ndarray of shape (n,)
    first, second : tuple of (ranking, fold), each ndarray of shape (n,)
    groups, n_resamples, confidence_level, random_state
        As in :func:`honesteval.stats.bootstrap_difference`.
    """
    run = _run(len(y), groups, n_resamples, confidence_level)
    of_first, of_second = (_evaluator([metric], y, *given) for given in (first, second))
    (statistic,) = run.resample(
        lambda weights: of_first(weights) - of_second(weights), make_generator(random_state)
    )
    estimates = [fold_mean(metric, y, *given) for given in (first, second)]
    return _difference(run, statistic, metric, estimates)


def ranks_within_folds(ranking: FloatArray, fold: Folds) -> FloatArray:
    """Return each row's rank within its fold as a share of the fold, in (0, 1); 1/2 if all tie.

    What makes the rankings of different models comparable where rows of several folds are
    taken together, as in bins of similarity.
    """
    ranked = np.empty(len(ranking))
    for number in np.unique(fold):
        rows = fold == number
        ranked[rows] = (rankdata(ranking[rows]) - 0.5) / rows.sum()
    return ranked


def _run(n: int, groups: Any, n_resamples: int, confidence_level: float) -> BootstrapRun:
    plan = resampling_plan(n, groups=groups, strata=None)
    return BootstrapRun(plan, BootstrapSettings("bca", n_resamples, confidence_level))


def _evaluator(
    metrics: Sequence[Metric], y: FloatArray, ranking: FloatArray, fold: Folds
) -> Evaluate:
    """Return the function of row weights (b, n) that gives means over folds (k, b)."""
    parts = []
    for number in np.unique(fold):
        rows = np.flatnonzero(fold == number)
        if len(np.unique(y[rows])) > 1:
            parts.append((rows, metrics[0].sample(y[rows], ranking[rows])))

    def evaluate(weights: NDArray[Any]) -> FloatArray:
        values = np.array(
            [
                evaluate_all(metrics, [sample] * len(metrics), RowWeights(weights[:, rows]))
                for rows, sample in parts
            ]
        ).reshape(len(parts), len(metrics), len(weights))
        known = np.isfinite(values)
        count = known.sum(axis=0)
        total = np.where(known, values, 0.0).sum(axis=0)
        return np.where(count > 0, total / np.maximum(count, 1), np.nan)

    return evaluate
