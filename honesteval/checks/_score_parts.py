"""A score on all test rows beside the same score on the clean ones."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honesteval.exceptions import HonestevalWarning
from honesteval.stats import Metric, bootstrap_statistics
from honesteval.stats._kernels import RowWeights

__all__ = ["ScoreOnParts", "score_parts"]


@dataclass(frozen=True)
class ScoreOnParts:
    """One predictor's score on all test rows and on those without a near duplicate.

    Attributes
    ----------
    all : float
        Score on all test rows; NaN where it is undefined.
    clean : float
        Score on the test rows without a near duplicate in training.
    inflation : float
        How many times larger the error is on the clean rows: ``error(clean) / error(all)``.
        The error is the metric itself, or its best value minus the metric for scores such as
        ROC-AUC. NaN where it is undefined (also for metrics without a best value).
    inflation_low, inflation_high : float
        Bootstrap percentile interval of the inflation.
    """

    all: float
    clean: float
    inflation: float
    inflation_low: float
    inflation_high: float


def score_parts(
    metric: Metric,
    y: NDArray[np.float64],
    predictions: Sequence[NDArray[Any]],
    near: NDArray[np.bool_],
    *,
    rows: NDArray[np.intp],
    bootstrap: dict[str, Any],
) -> list[ScoreOnParts]:
    """Score predictions on all rows and on the clean ones, with an interval of the inflation.

    Parameters
    ----------
    metric : Metric
    y : ndarray of shape (n,)
    predictions : sequence of ndarray of shape (n,)
    near : ndarray of bool of shape (n,)
        Rows that are not clean.
    rows : ndarray of int of shape (n,)
        Rows of the data; repeated ones are drawn together.
    bootstrap : dict
        Arguments of :func:`honesteval.stats.bootstrap_statistics`.

    Returns
    -------
    scores : list of ScoreOnParts
        In the order of the predictions.
    """
    clean = ~near
    samples = [metric.sample(y, score) for score in predictions]
    clean_samples = [metric.sample(y[clean], score[clean]) for score in predictions if clean.any()]

    def evaluate(weights: NDArray[Any]) -> NDArray[np.float64]:
        pairs = zip(samples, clean_samples, strict=True)
        return np.array(
            [
                _inflation(
                    metric,
                    metric.evaluate(everything.weighted(RowWeights(weights))),
                    metric.evaluate(part.weighted(RowWeights(weights[:, clean]))),
                )
                for everything, part in pairs
            ]
        )

    of_all = [metric(y, score) for score in predictions]
    of_clean = [metric(y[clean], score[clean]) if clean.any() else np.nan for score in predictions]
    inflation = [
        float(_inflation(metric, np.array(a), np.array(c)))
        for a, c in zip(of_all, of_clean, strict=True)
    ]
    limits = _limits(evaluate, inflation, near, rows, bootstrap)
    return [
        ScoreOnParts(a, c, factor, low, high)
        for a, c, factor, (low, high) in zip(of_all, of_clean, inflation, limits, strict=True)
    ]


def _limits(
    evaluate: Any,
    inflation: list[float],
    near: NDArray[np.bool_],
    rows: NDArray[np.intp],
    bootstrap: dict[str, Any],
) -> list[tuple[float, float]]:
    """Return bootstrap limits of every inflation; NaN where the inflation is undefined."""
    if not near.any():
        return [(1.0, 1.0) if not np.isnan(factor) else (np.nan, np.nan) for factor in inflation]
    if not np.isfinite(inflation).all():
        return [(np.nan, np.nan)] * len(inflation)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HonestevalWarning)
        results = bootstrap_statistics(
            evaluate,
            len(near),
            names=[f"inflation {number}" for number in range(len(inflation))],
            groups=rows if len(np.unique(rows)) < len(rows) else None,
            **bootstrap,
        )
    return [(result.low, result.high) for result in results]


def _inflation(
    metric: Metric, everything: NDArray[np.float64], clean: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return error(clean) / error(all); 1 where both are 0."""
    best = metric.limits[1] if metric.greater_is_better else metric.limits[0]
    if not np.isfinite(best):
        return np.full(everything.shape, np.nan)
    of_all, of_clean = abs(best - everything), abs(best - clean)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = of_clean / of_all
    return np.where((of_all == 0) & (of_clean == 0), 1.0, ratio)
