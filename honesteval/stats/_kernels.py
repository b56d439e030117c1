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
from scipy import sparse

from honesteval.stats._kernels_kendall import PairOrder

__all__ = ["RankingCounts", "RowWeights", "Sample", "WeightedSample"]

FloatArray = NDArray[np.float64]


# Whole numbers up to here are exact in single precision, which halves the memory traffic.
_EXACT_IN_FLOAT32 = 2**24


@dataclass(frozen=True)
class RowWeights:
    """Row weights of many resamples, in the forms that different metrics want them.

    Attributes
    ----------
    values : ndarray of shape (n_resamples, n)
        Non-negative; an integer weight w is the same as the row repeated w times.
    """

    values: NDArray[Any]

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def as_float(self) -> FloatArray:
        """The weights in double precision, for products with values of the rows."""
        return self.values.astype(np.float64, copy=False)

    @cached_property
    def total(self) -> FloatArray:
        """Total weight of each resample."""
        return self.values.sum(axis=1).astype(np.float64, copy=False)

    @cached_property
    def by_row(self) -> NDArray[Any]:
        """The weights of shape (n, n_resamples), for sums over sets of rows."""
        exact = self.values.dtype.kind in "iu" and self.total.max() < _EXACT_IN_FLOAT32
        return np.ascontiguousarray(self.values.T, dtype=np.float32 if exact else np.float64)


@dataclass(frozen=True)
class _RankingLayout:
    """Where the rows of a binary sample fall between the distinct scores of its positives.

    Levels are the L distinct scores of positives, best first. Negatives are collected in the
    K non-empty intervals "above level 1", "tied with level 1", "between levels 1 and 2", ...

    Attributes
    ----------
    members : sparse matrix of shape (L + K, n)
        One where a row is a positive of a level, or a negative of an interval.
    n_levels : int
        L.
    intervals_before, intervals_through : ndarray of shape (L,)
        Number of intervals above each level, and down to its ties.
    has_ties : bool
        Whether a positive and a negative have equal scores.
    """

    members: sparse.csr_matrix
    n_levels: int
    intervals_before: NDArray[np.intp]
    intervals_through: NDArray[np.intp]
    has_ties: bool

    @classmethod
    def from_rows(cls, y: NDArray[Any], score: FloatArray) -> _RankingLayout:
        """Sort once."""
        positive_rows, negative_rows = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
        levels, level_of_row = np.unique(-score[positive_rows], return_inverse=True)
        negatives = -score[negative_rows]
        above = np.searchsorted(levels, negatives, side="left")
        tied = np.searchsorted(levels, negatives, side="right") > above
        intervals, interval_of_row = np.unique(2 * above + tied, return_inverse=True)
        n_levels = len(levels)
        bins = np.empty(len(y), dtype=np.intp)
        bins[positive_rows] = level_of_row
        bins[negative_rows] = n_levels + interval_of_row
        level = np.arange(n_levels)
        return cls(
            sparse.csr_matrix(
                (np.ones(len(y), dtype=np.float32), (bins, np.arange(len(y)))),
                shape=(n_levels + len(intervals), len(y)),
            ),
            n_levels,
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

    def weighted(self, weights: RowWeights | None = None) -> WeightedSample:
        """Return the sample under row weights, by default one each."""
        if weights is None:
            weights = RowWeights(np.ones((1, len(self.y)), dtype=np.int64))
        return WeightedSample(self, weights)

    @cached_property
    def ranking_layout(self) -> _RankingLayout:
        """The order of the rows by score, for binary labels."""
        return _RankingLayout.from_rows(self.y, self.score)

    @cached_property
    def confusion_layout(self) -> tuple[NDArray[np.intp], int, NDArray[np.intp]]:
        """Cell of each row in the confusion matrix, its side k, and which classes y holds."""
        n = len(self.y)
        classes, codes = np.unique(np.concatenate([self.y, self.score]), return_inverse=True)
        return codes[:n] * len(classes) + codes[n:], len(classes), np.unique(codes[:n])

    @cached_property
    def pair_order(self) -> PairOrder:
        """The order of the rows in labels and in scores, for counting pairs."""
        return PairOrder.from_values(self.y, self.score)

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

    def centred_midranks(self, weights: NDArray[Any]) -> FloatArray:
        """Return the mid-rank of every row minus the mean one, a row of weight w being w rows."""
        group_weight = np.add.reduceat(
            weights.take(self.order, axis=1), self.starts, axis=1, dtype=np.float64
        )
        through = np.cumsum(group_weight, axis=1)
        centred = through - 0.5 * group_weight - 0.5 * through[:, -1:]
        return centred.take(self.group_of_row, axis=1)


@dataclass(frozen=True)
class WeightedSample:
    """A sample under row weights, one line per resample."""

    sample: Sample
    weights: RowWeights

    @property
    def y(self) -> NDArray[Any]:
        """Labels of the rows."""
        return self.sample.y

    @property
    def score(self) -> NDArray[Any]:
        """Predictions for the rows."""
        return self.sample.score

    @property
    def total(self) -> FloatArray:
        """Total weight of each resample."""
        return self.weights.total

    def sums(self, values: FloatArray) -> FloatArray:
        """Return the weighted sum of values of shape (n,) or (n, k), per resample."""
        return self.weights.as_float @ values

    def sums_by_cell(
        self, cell_of_row: NDArray[np.intp], n_cells: int, values: FloatArray | None = None
    ) -> FloatArray:
        """Return the weighted sum of ``values`` (by default 1) per cell, (n_resamples, n_cells)."""
        n = len(cell_of_row)
        ones = np.ones(n, dtype=np.float32) if values is None else values
        members = sparse.csr_matrix((ones, (cell_of_row, np.arange(n))), shape=(n_cells, n))
        return np.ascontiguousarray((members @ self.weights.by_row).T, dtype=np.float64)

    def mean(self, values: FloatArray) -> FloatArray:
        """Return the weighted mean of values of shape (n,) or (n, k), NaN without weight."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.sums(values) / (self.total if values.ndim == 1 else self.total[:, None])

    def centred_midranks(self) -> tuple[FloatArray, FloatArray]:
        """Return the mid-ranks of labels and scores within each resample, minus their mean."""
        of_y, of_score = self.sample.tie_layouts
        weights = self.weights.values
        return of_y.centred_midranks(weights), of_score.centred_midranks(weights)

    @cached_property
    def ranking(self) -> RankingCounts:
        """Counts of positives and negatives down the ranking, ties kept together."""
        layout = self.sample.ranking_layout
        sums = np.ascontiguousarray((layout.members @ self.weights.by_row).T, dtype=np.float64)
        positives, intervals = sums[:, : layout.n_levels], sums[:, layout.n_levels :]
        above = np.zeros((len(sums), intervals.shape[1] + 1))
        np.cumsum(intervals, axis=1, out=above[:, 1:])
        before = above.take(layout.intervals_before, axis=1)
        through = above.take(layout.intervals_through, axis=1) if layout.has_ties else before
        return RankingCounts(positives, before, through, positives.sum(axis=1), above[:, -1])
