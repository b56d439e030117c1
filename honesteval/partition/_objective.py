"""Similarity between items, summed over their samples, in a form that optimisers can use."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honesteval.similarity import Similarity, row_blocks

__all__ = [
    "DENSE_ITEMS",
    "GRID",
    "DenseObjective",
    "dense_objective",
    "exact_gains",
    "exact_runs",
    "row_reach",
    "within_similarity",
]

#: Up to this many items their similarities are held as one float32 matrix (576 MB at the limit).
DENSE_ITEMS = 12_000
#: Similarities are rounded to multiples of 1/GRID (of a power of two near the largest, where all
#: are small), so that sums are exact whatever their order: the same folds on any number of threads
#: and any processor.
GRID = 2.0**16

#: Up to this sum, values on the grid add up exactly in float32.
_EXACT_SUM = 256
#: Rows worked on at once: what they need stays small enough to be used again.
_BLOCK_ROWS = 128
#: From so many items on, two threads share the sums.
_THREADED_ITEMS = 4_000
#: Similarities between samples held at once (items may be large).
_BLOCK_ELEMENTS = 2**24


#: Below this largest value the grid is made finer.
_FULL_SCALE = 0.25
#: Rounding may change the sum by this share, as it can where all values are near the largest.
_NEGLIGIBLE = 2.0**-15


@dataclass(frozen=True)
class DenseObjective:
    """Similarities between items.

    Attributes
    ----------
    values : ndarray of float32 of shape (n_items, n_items)
        Symmetric, zero diagonal, on a grid of 2**-16.
    unit : float
        So much similarity is a value of 1: 1, or a power of two where all similarities are small.
    total : float
        Sum over pairs of items, in units of similarity, before it was rounded.
    """

    values: NDArray[np.float32]
    unit: float
    total: float

    @cached_property
    def rounded_total(self) -> float:
        """Sum over pairs of items, in units of similarity, after rounding."""
        return float(self.values.sum(dtype=np.float64)) / 2 * self.unit

    @property
    def is_exact(self) -> bool:
        """False where so many values are tiny beside the largest that rounding loses a share."""
        return abs(self.rounded_total - self.total) <= _NEGLIGIBLE * abs(self.total)


def dense_objective(
    similarity: Similarity,
    samples: NDArray[np.intp],
    item_of: NDArray[np.intp],
    n_items: int,
    *,
    weight: NDArray[np.float64] | None = None,
) -> DenseObjective:
    """Return the sums of similarity between items, without those inside an item.

    Parameters
    ----------
    similarity : Similarity
    samples : ndarray of int of shape (n,)
        Positions of the samples in ``similarity``, in the order of ``item_of``.
    item_of : ndarray of int of shape (n,)
        Item of each sample; ascending.
    n_items : int
    weight : ndarray of shape (n,), optional
        What each of the samples counts; by default 1. A pair counts the product.

    Returns
    -------
    objective : DenseObjective
    """
    found, largest = _filled(similarity, samples, item_of, n_items, weight, 1.0)
    if 0 < largest < _FULL_SCALE:
        unit = float(2.0 ** np.floor(np.log2(largest)))
        found, _ = _filled(similarity, samples, item_of, n_items, weight, unit)
    return found


def _filled(
    similarity: Similarity,
    samples: NDArray[np.intp],
    item_of: NDArray[np.intp],
    n_items: int,
    weight: NDArray[np.float64] | None,
    unit: float,
) -> tuple[DenseObjective, float]:
    """Return the objective on a grid of ``unit / GRID``, and its largest value before rounding."""
    objective = np.zeros((n_items, n_items), dtype=np.float32)
    starts = np.searchsorted(item_of, np.arange(n_items))
    single = len(samples) == n_items
    if weight is not None and (weight == 1).all():
        weight = None
    pieces = [
        (first, min(first + _BLOCK_ROWS, n_items)) for first in range(0, n_items, _BLOCK_ROWS)
    ]

    def fill(piece: tuple[int, int]) -> tuple[float, float]:
        first, last = piece
        begin, end = starts[first], starts[last] if last < n_items else len(samples)
        block: NDArray[Any] = np.zeros((last - first, n_items - first))
        for rows in row_blocks(end - begin, len(samples) - begin, limit=_BLOCK_ELEMENTS):
            some = np.arange(begin, end)[rows]
            part = similarity.block(samples[some], samples[begin:], dtype=np.float32)
            if weight is not None:
                part = part * weight[some, None] * weight[begin:]
            if single:
                block[rows] = part
            else:
                part = np.add.reduceat(part.astype(np.float64), starts[first:] - begin, axis=1)
                here, ends = np.unique(item_of[some], return_index=True)
                block[here - first] += np.add.reduceat(part, ends, axis=0)
        inside = block[:, : last - first]
        np.fill_diagonal(inside, 0.0)
        above = float(block.sum()) - float(inside.sum()) / 2
        largest = float(max(block.max(), -block.min()))
        block *= GRID / unit
        np.rint(block, out=block)
        block /= GRID
        objective[first:last, first:] = block
        objective[last:, first:last] = block[:, last - first :].T
        return above, largest

    with ThreadPoolExecutor() as pool:
        sums, tops = zip(*pool.map(fill, pieces), strict=True)
    return DenseObjective(objective, unit, sum(sums)), max(tops)


def exact_gains(
    objective: NDArray[np.float32], labels: NDArray[np.intp], n_folds: int
) -> NDArray[np.float64]:
    """Return the similarity of each item to each fold.

    Parameters
    ----------
    objective : ndarray of float32 of shape (n_items, n_items)
        Symmetric, on a grid of 2**-16.
    labels : ndarray of int of shape (n_items,) or (n_items, n_replicas)
        Of one assignment, or of several, which cost hardly more.
    n_folds : int

    Returns
    -------
    gains : ndarray of shape (n_items, n_folds) or (n_items, n_replicas, n_folds)
    """
    n = len(objective)
    one_hot = np.eye(n_folds, dtype=np.float32)[labels].reshape(n, -1)

    def heap(first: int, last: int) -> NDArray[np.float64]:
        gains = np.zeros((n, one_hot.shape[1]))
        for begin in range(first, last, _BLOCK_ROWS):
            rows = objective[begin : min(begin + _BLOCK_ROWS, last)]
            for start, stop in exact_runs(row_reach(rows)):
                gains += rows[start:stop].T @ one_hot[begin + start : begin + stop]
        return gains

    if n < _THREADED_ITEMS:
        gains = heap(0, n)
    else:
        with ThreadPoolExecutor(2) as pool:  # exact sums: the order does not matter
            gains = sum(pool.map(heap, [0, n // 2], [n // 2, n]), np.zeros(one_hot.shape))
    return gains.reshape(*labels.shape, n_folds)


def row_reach(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the largest entry of each row, without its sign: how much it can change a gain."""
    return np.asarray(np.maximum(rows.max(axis=1), -rows.min(axis=1)))


def exact_runs(reach: NDArray[np.floating[Any]]) -> Iterator[tuple[int, int]]:
    """Yield (start, stop) of runs of rows whose sums, entries times 0 or 1, are exact in float32.

    Parameters
    ----------
    reach : ndarray of shape (n_rows,)
        See :func:`row_reach`.
    """
    heaped = np.cumsum(reach, dtype=np.float64)
    start = 0
    while start < len(reach):
        before = heaped[start - 1] if start else 0.0
        stop = int(np.searchsorted(heaped, before + _EXACT_SUM, side="right"))
        stop = max(stop, start + 1)  # one row is no sum
        yield start, stop
        start = stop


def within_similarity(gains: NDArray[np.float64], labels: NDArray[np.intp]) -> float:
    """Return twice the similarity kept inside folds, given the gains."""
    return float(gains[np.arange(len(labels)), labels].sum())
