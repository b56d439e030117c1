"""The score as a function of how similar test rows are to the training rows."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honesteval.exceptions import HonestevalWarning
from honesteval.report._evaluation import FoldedSplit, PredictorScores, SplitName
from honesteval.report._metrics import prediction_for
from honesteval.report._predictors import Effort, TaskRows
from honesteval.stats import bootstrap_ci, get_metric

#: Bins hold about the same number of rows of both splits together.
N_SIMILARITY_BINS = 6

#: A bin with fewer rows of a split gives no score for it.
FEWEST_ROWS = 20


@dataclass(frozen=True)
class SimilarityBin:
    """Score of the model on test rows of about the same similarity to training.

    Parameters
    ----------
    split : {"random", "similarity"}
    left, right : float
        The bin: highest similarity to a training row in [left, right), the last one closed.
    center : float
        Mean similarity of its rows.
    n_rows : int
    estimate, low, high : float
        The score with its interval.
    """

    split: SplitName
    left: float
    right: float
    center: float
    n_rows: int
    estimate: float
    low: float
    high: float


def score_by_similarity(
    task: TaskRows, splits: Sequence[FoldedSplit], models: Sequence[PredictorScores], effort: Effort
) -> tuple[SimilarityBin, ...]:
    """Score the model in bins of similarity, under each split.

    Bins with fewer than 20 rows of a split, or where the score is undefined, are left out.
    """
    nearest = [split.nearest_similarity[task.rows] for split in splits]
    edges = np.unique(
        np.quantile(np.concatenate(nearest), np.linspace(0, 1, N_SIMILARITY_BINS + 1))
    )
    found = []
    for split, model, similarity in zip(splits, models, nearest, strict=True):
        place = np.clip(np.searchsorted(edges, similarity, side="right") - 1, 0, len(edges) - 2)
        for number in range(len(edges) - 1):
            rows = np.flatnonzero(place == number)
            interval = _interval(task, model, rows, effort)
            if interval is not None:
                left, right = float(edges[number]), float(edges[number + 1])
                center = float(similarity[rows].mean())
                found.append(SimilarityBin(split.name, left, right, center, len(rows), *interval))
    return tuple(found)


def _interval(
    task: TaskRows, model: PredictorScores, rows: NDArray[np.intp], effort: Effort
) -> tuple[float, float, float] | None:
    if len(rows) < FEWEST_ROWS:
        return None
    metric = task.metrics[0]
    y = task.target.values[rows]
    predicted = prediction_for(metric, model.predictions, model.ranking)[rows]
    if not np.isfinite(get_metric(metric)(y, predicted)):
        return None
    with warnings.catch_warnings():
        # Few positives in a bin: undefined resamples show as a wide interval.
        warnings.simplefilter("ignore", HonestevalWarning)
        found = bootstrap_ci(
            y, predicted, metric=metric, n_resamples=effort.n_resamples,
            confidence_level=effort.confidence_level, random_state=effort.random_state,
        )  # fmt: skip
    return found.estimate, found.low, found.high
