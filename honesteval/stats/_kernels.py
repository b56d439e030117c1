"""A sample prepared once, then scored under many weight vectors at a time.

Every metric of this package is a function of one weighted sample: labels, scores and a matrix
of row weights with one line per resample. A bootstrap resample is the vector of how often each
row was drawn, a cluster bootstrap repeats the count of a group over its rows, a leave-one-out
sample has one zero. Sorting happens once per sample, never once per resample.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["RankingCounts", "Sample", "WeightedSample"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class _RankingLayout:
    """Where the rows of a binary sample fall between the distinct scores of its positives.

    Levels are the L distinct scores of positives, best first. Negatives are collected in the
    K non-empty intervals "above level 1", "tied with level 1", "between levels 1 and 2", ...
    """

    positive_rows: NDArray[np.intp]
    level_starts: NDArray[np.intp]
    negative_rows: NDArray[np.intp]
    interval_starts: NDArray[np.intp]
    intervals_before: NDArray[np.intp]
    intervals_through: NDArray[np.intp]
    has_ties: bool

    @classmethod
    def from_rows(cls, y: NDArray[Any], score: FloatArray) -> _RankingLayout:
        positive_rows, negative_rows = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
        positive_rows = positive_rows[np.argsort(-score[positive_rows], kind="stable")]
        negative_rows = negative_rows[np.argsort(-score[negative_rows], kind="stable")]
        descending = -score[positive_rows]
        levels, level_starts = np.unique(descending, return_index=True)
        negatives = -score[negative_rows]
        above = np.searchsorted(levels, negatives, side="left")
        tied = np.searchsorted(levels, negatives, side="right") > above
        interval_of_row = 2 * above + tied
        intervals, interval_starts = np.unique(interval_of_row, return_index=True)
        level = np.arange(len(levels))
        return cls(
            positive_rows,
            level_starts,
            negative_rows,
            interval_starts,
            np.searchsorted(intervals, 2 * level, side="right"),
            np.searchsorted(intervals, 2 * level + 1, side="right"),
            bool(tied.any()),
        )


@dataclass(frozen=True)
class RankingCounts:
    """Weighted counts of a ranking at the L distinct scores of positives, best first.

    Attributes
    ----------
    positives : ndarray of shape (n_resamples, n_levels)
        Weight of the positives at each level.
    false_before, false_through : ndarray of shape (n_resamples, n_levels)
        Weight of the negatives scored strictly above, and at or above, each level.
    n_positive, n_negative : ndarray of shape (n_resamples,)
        Total weight of each class.
    """

    positives: FloatArray
    false_before: FloatArray
    false_through: FloatArray
    n_positive: FloatArray
    n_negative: FloatArray

    @cached_property
    def true_through(self) -> FloatArray:
        """Weight of the positives at or above each level."""
        return np.cumsum(self.positives, axis=1)

    @cached_property
    def one_class(self) -> NDArray[np.bool_]:
        """Whether a resample holds one class only, so that no ranking can be judged."""
        return (self.n_positive <= 0) | (self.n_negative <= 0)


@dataclass(frozen=True)
class Sample:
    """Labels and scores of n rows, with what sorting yields kept for reuse.

    Attributes
    ----------
    y : ndarray of shape (n,)
        Labels: 0 and 1 for binary metrics, numbers or classes for others.
    score : ndarray of shape (n,) or (n, k)
        Predictions: rankings, probabilities, classes or values.
    """

    y: NDArray[Any]
    score: NDArray[Any]

    def __len__(self) -> int:
        return len(self.y)

    def weighted(self, weights: NDArray[Any] | None = None) -> WeightedSample:
        """Return the sample under weights of shape (n_resamples, n), by default one each."""
        if weights is None:
            weights = np.ones((1, len(self.y)))
        return WeightedSample(self, weights)

    @cached_property
    def ranking_layout(self) -> _RankingLayout:
        """The order of the rows by score, for binary labels."""
        return _RankingLayout.from_rows(self.y, self.score)

    @cached_property
    def tie_layouts(self) -> tuple[_TieLayout, _TieLayout]:
        """The order and tie groups of the labels and of the scores."""
        return _TieLayout.from_values(self.y), _TieLayout.from_values(self.score)


@dataclass(frozen=True)
class _TieLayout:
    order: NDArray[np.intp]
    starts: NDArray[np.intp]
    group_of_row: NDArray[np.intp]

    @classmethod
    def from_values(cls, values: NDArray[Any]) -> _TieLayout:
        order = np.argsort(values, kind="stable")
        _, group_of_row, sizes = np.unique(values, return_inverse=True, return_counts=True)
        return cls(order, np.cumsum(sizes) - sizes, group_of_row)

    def midranks(self, weights: NDArray[Any]) -> FloatArray:
        """Return the mid-rank of every row where a row of weight w stands for w tied rows."""
        group_weight = np.add.reduceat(weights.take(self.order, axis=1), self.starts, axis=1)
        through = np.cumsum(group_weight, axis=1, dtype=np.float64)
        midrank = through - (group_weight - 1.0) / 2.0
        return midrank.take(self.group_of_row, axis=1)


@dataclass(frozen=True)
class WeightedSample:
    """A sample under a matrix of row weights, one line per resample.

    Attributes
    ----------
    sample : Sample
    weights : ndarray of shape (n_resamples, n)
        Non-negative; an integer weight w is the same as the row repeated w times.
    """

    sample: Sample
    weights: NDArray[Any]

    @property
    def y(self) -> NDArray[Any]:
        """Labels of the rows."""
        return self.sample.y

    @property
    def score(self) -> NDArray[Any]:
        """Predictions for the rows."""
        return self.sample.score

    @cached_property
    def float_weights(self) -> FloatArray:
        """The weights as floating-point numbers, for matrix products."""
        return self.weights.astype(np.float64, copy=False)

    @cached_property
    def total(self) -> FloatArray:
        """Total weight per resample."""
        return self.float_weights.sum(axis=1)

    def mean(self, values: FloatArray) -> FloatArray:
        """Return the weighted mean of values of shape (n,) or (n, k), per resample."""
        sums = self.float_weights @ values
        with np.errstate(invalid="ignore", divide="ignore"):
            return sums / (self.total if values.ndim == 1 else self.total[:, None])

    def midranks(self) -> tuple[FloatArray, FloatArray]:
        """Return the mid-ranks of labels and scores within each resample."""
        of_y, of_score = self.sample.tie_layouts
        return of_y.midranks(self.weights), of_score.midranks(self.weights)

    @cached_property
    def ranking(self) -> RankingCounts:
        """Counts of positives and negatives down the ranking, ties kept together."""
        layout = self.sample.ranking_layout
        n_resamples = len(self.weights)
        positives = _sums(self.weights, layout.positive_rows, layout.level_starts)
        intervals = _sums(self.weights, layout.negative_rows, layout.interval_starts)
        below = np.zeros((n_resamples, intervals.shape[1] + 1))
        np.cumsum(intervals, axis=1, out=below[:, 1:])
        before = below.take(layout.intervals_before, axis=1)
        through = below.take(layout.intervals_through, axis=1) if layout.has_ties else before
        return RankingCounts(positives, before, through, positives.sum(axis=1), below[:, -1])


def _sums(weights: NDArray[Any], rows: NDArray[np.intp], starts: NDArray[np.intp]) -> FloatArray:
    if len(rows) == 0:
        return np.zeros((len(weights), 0))
    taken = weights.take(rows, axis=1)
    if len(starts) < len(rows):
        taken = np.add.reduceat(taken, starts, axis=1)
    return taken.astype(np.float64, copy=False)
