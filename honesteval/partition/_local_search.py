"""Steepest moves and swaps until none helps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from honesteval.partition._objective import exact_gains
from honesteval.partition._problem import PartitionProblem

__all__ = ["local_search"]

#: Candidates per side of a fold pair whose swaps are compared exactly.
SWAP_CANDIDATES = 24
#: An improvement below this is not one (the grid of the similarities is 2**-16).
SMALLEST_GAIN = 2.0**-14


def local_search(
    objective: NDArray[np.float32],
    problem: PartitionProblem,
    labels: NDArray[np.intp],
    *,
    max_steps: int,
) -> NDArray[np.intp]:
    """Make the best single move or swap, again and again.

    Parameters
    ----------
    objective : ndarray of float32 of shape (n_items, n_items)
    problem : PartitionProblem
    labels : ndarray of int of shape (n_items,)
        Within the bounds.
    max_steps : int
        Moves and swaps at the most.

    Returns
    -------
    labels : ndarray of int of shape (n_items,)
        Within the bounds, and never worse.
    """
    search = _Search(objective, problem, labels.copy())
    for _ in range(max_steps):
        if not search.improve():
            break
    return search.labels


class _Search:
    def __init__(
        self, objective: NDArray[np.float32], problem: PartitionProblem, labels: NDArray[np.intp]
    ) -> None:
        self.objective, self.problem, self.labels = objective, problem, labels
        self.k = problem.n_folds
        self.rows = np.arange(len(labels))
        self.free = problem.pinned < 0
        self.gains = exact_gains(objective, labels, self.k)
        self.totals = problem.totals(labels)

    def improve(self) -> bool:
        gain = self.gains - self.gains[self.rows, self.labels][:, None]
        gain[~self.free] = -np.inf
        best, change = self._best_move(gain)
        for f in range(self.k):
            for g in range(f + 1, self.k):
                value, swap = self._best_swap(gain, f, g)
                if value > best + SMALLEST_GAIN:
                    best, change = value, swap
        if best < SMALLEST_GAIN:
            return False
        for item, fold in change:
            self._assign(item, fold)
        return True

    def _best_move(self, gain: NDArray[np.float64]) -> tuple[float, list[tuple[int, int]]]:
        usage, lower, upper = self.problem.usage, self.problem.lower, self.problem.upper
        candidate = gain > SMALLEST_GAIN
        items, folds = np.nonzero(candidate)
        if len(items) == 0:
            return 0.0, []
        leaving = self.totals[self.labels[items]] - usage[items]
        fits = (leaving >= lower[self.labels[items]]).all(axis=1)
        fits &= (self.totals[folds] + usage[items] <= upper[folds]).all(axis=1)
        if not fits.any():
            return 0.0, []
        items, folds = items[fits], folds[fits]
        at = int(gain[items, folds].argmax())
        return float(gain[items[at], folds[at]]), [(int(items[at]), int(folds[at]))]

    def _best_swap(
        self, gain: NDArray[np.float64], f: int, g: int
    ) -> tuple[float, list[tuple[int, int]]]:
        first, second = self._candidates(gain, f, g), self._candidates(gain, g, f)
        if len(first) == 0 or len(second) == 0:
            return 0.0, []
        value = gain[first, g][:, None] + gain[second, f]
        value = value - 2.0 * self.objective[np.ix_(first, second)]
        difference = self.problem.usage[second] - self.problem.usage[first][:, None]
        lower, upper = self.problem.lower, self.problem.upper
        at_f, at_g = self.totals[f] + difference, self.totals[g] - difference
        fits = ((at_f >= lower[f]) & (at_f <= upper[f])).all(axis=2)
        fits &= ((at_g >= lower[g]) & (at_g <= upper[g])).all(axis=2)
        value[~fits] = -np.inf
        i, j = np.unravel_index(value.argmax(), value.shape)
        return float(value[i, j]), [(int(first[i]), g), (int(second[j]), f)]

    def _candidates(self, gain: NDArray[np.float64], here: int, there: int) -> NDArray[np.intp]:
        items = np.flatnonzero((self.labels == here) & self.free)
        if len(items) > SWAP_CANDIDATES:
            best = np.argpartition(-gain[items, there], SWAP_CANDIDATES)[:SWAP_CANDIDATES]
            items = items[best]
        return items

    def _assign(self, item: int, fold: int) -> None:
        old, row = self.labels[item], self.objective[item]
        self.gains[:, old] -= row
        self.gains[:, fold] += row
        self.totals[old] -= self.problem.usage[item]
        self.totals[fold] += self.problem.usage[item]
        self.labels[item] = fold
