"""A tighter certificate: the bound of a doubly non-negative relaxation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from honesteval.partition._size_range import SizeRange

__all__ = ["SEMIDEFINITE_ITEMS", "semidefinite_within"]

#: Each iteration decomposes a matrix of all items, and some ten of them are held.
SEMIDEFINITE_ITEMS = 4_000

_PENALTY = 3.0
_INNER_STEPS = 4
_EVERY = 10
_MARGIN = 1e-7


def semidefinite_within(
    objective: NDArray[np.float32],
    weights: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    *,
    n_iterations: int = 60,
) -> float:
    r"""Bound the similarity inside folds by a semidefinite programme, for all sizes allowed.

    The matrix X with 1 for two items of the same fold, else 0, of a partition into k folds has
    :math:`X_{ii} = 1`, :math:`X \ge 0`, :math:`X - J/k \succeq 0`, row sums :math:`Xw` between
    the smallest and the largest size, and :math:`w'Xw = \sum n_f^2` in its range. Maximising
    :math:`\langle C, X\rangle` over all such X bounds what any partition keeps. The alternating
    direction method of multipliers approaches the optimum; every so often its multipliers
    (:math:`N \ge 0`, d, y) give the bound

    .. math:: \langle C, X\rangle \le e'Ae/k + m (1 - 1/k) \lambda_{\max}(A) + \sum d
              + \max_r y'r,\quad A = C + N - \mathrm{diag}(d) - (yw' + wy')/2,

    which is valid whatever they are, r being the row sums; so the result is valid however early
    the iterations end.

    Parameters
    ----------
    objective : ndarray of shape (n_items, n_items)
        Sums of similarity between items; zero diagonal.
    weights : ndarray of shape (n_items,)
        Samples per item.
    lower, upper : ndarray of shape (n_folds,)
        Bounds on the sizes.
    n_iterations : int, default=60

    Returns
    -------
    within : float
        No partition keeps more similarity inside folds, pairs counted once.

    References
    ----------
    S. E. Karisch, F. Rendl, "Semidefinite programming and graph equipartition", in Topics in
    Semidefinite and Interior-Point Methods (1998) 77-95. Z. Wen, D. Goldfarb, W. Yin,
    "Alternating direction augmented Lagrangian methods for semidefinite programming", Math.
    Program. Comput. 2 (2010) 203-230.
    """
    relaxation = _Relaxation(objective.astype(np.float64), weights, lower, upper)
    best = float(np.triu(objective, 1).sum(dtype=np.float64))
    for iteration in range(1, n_iterations + 1):
        relaxation.step()
        if iteration % _EVERY == 0 or iteration == n_iterations:
            best = min(best, relaxation.bound() / 2)
    return best


@dataclass(frozen=True)
class _RowSums:
    """What the sizes allow of the row sums r = Xw: each in a range, and their weighted sum."""

    weights: NDArray[np.float64]
    low: float
    high: float
    least: float
    most: float

    def largest(self, y: NDArray[np.float64]) -> float:
        """Return the largest y'r: a fractional knapsack."""
        r = np.where(y > 0, self.high, self.low)
        ratio, total = y / self.weights, float(self.weights @ r)
        if total > self.most:  # lower those that lose least
            order, excess = np.argsort(ratio, kind="stable"), total - self.most
            order = order[ratio[order] > 0]
            sign = -1.0
        elif total < self.least:
            order, excess = np.argsort(-ratio, kind="stable"), self.least - total
            order = order[ratio[order] <= 0]
            sign = 1.0
        else:
            return float(y @ r)
        room = self.weights[order] * (self.high - self.low)
        before = np.cumsum(room) - room
        r[order] += sign * np.clip(excess - before, 0, room) / self.weights[order]
        return float(y @ r)


class _Relaxation:
    """The iterates: Y (semidefinite), its multiplier U, and z, t of the row sums."""

    def __init__(
        self,
        objective: NDArray[np.float64],
        weights: NDArray[np.float64],
        lower: NDArray[np.float64],
        upper: NDArray[np.float64],
    ) -> None:
        m, self.k = len(weights), len(lower)
        sizes = SizeRange(lower, upper, float(weights.sum()))
        self.rows = _RowSums(
            weights,
            float(lower.min()),
            float(min(upper.max(), weights.sum())),
            sizes.least_squares,
            sizes.most_squares,
        )
        self.objective, self.weights = objective, weights
        self.penalty = _PENALTY * float(np.linalg.norm(objective)) / (m / np.sqrt(self.k))
        self.penalty = self.penalty or 1.0
        self.semidefinite = np.eye(m) * (1 - 1 / self.k)
        self.multiplier = np.zeros((m, m))
        self.z, self.t = np.zeros(m), 0.0
        self.free = np.zeros((m, m))

    def _row_multiplier(self) -> NDArray[np.float64]:
        return np.asarray(self.z + self.t * self.weights)

    def step(self) -> None:
        """Alternate: entries and row sums, then the semidefinite part, then the multiplier."""
        target = self.semidefinite + self.multiplier + 1 / self.k
        target += self.objective / self.penalty
        for _ in range(_INNER_STEPS):
            self._improve_row_multipliers(target)
        w, y = self.weights, self._row_multiplier()
        self.free = target - (np.outer(y, w) + np.outer(w, y)) / 2
        entries = np.maximum(self.free, 0)
        np.fill_diagonal(entries, 1)
        difference = entries - 1 / self.k - self.multiplier
        values, vectors = eigh((difference + difference.T) / 2, check_finite=False)
        kept = vectors[:, values > 0]
        self.semidefinite = (kept * values[values > 0]) @ kept.T
        self.multiplier += self.semidefinite + 1 / self.k - entries

    def _improve_row_multipliers(self, target: NDArray[np.float64]) -> None:
        """Take a damped Newton-like step on z (ranges of the row sums) and t (their sum)."""
        w, y, rows = self.weights, self._row_multiplier(), self.rows
        free = target - (np.outer(y, w) + np.outer(w, y)) / 2
        positive = free > 0
        free[~positive] = 0
        sums = free @ w + (1 - np.diagonal(free)) * w
        slope = (positive @ w**2 + 1e-9) / 2
        self.z += 0.5 * (_towards(self.z, sums, rows.low, rows.high, slope) - self.z)
        total, slope_of_total = float(w @ sums), 2 * float(w**2 @ slope)
        better = _towards(
            np.array([self.t]), np.array([total]), rows.least, rows.most, np.array([slope_of_total])
        )
        self.t += 0.5 * (float(better[0]) - self.t)

    def bound(self) -> float:
        """Return the bound that the present multipliers prove, on twice the pairs."""
        m, w, y = len(self.weights), self.weights, self.penalty * self._row_multiplier()
        below_zero = self.penalty * np.maximum(-self.free, 0)
        np.fill_diagonal(below_zero, 0)
        diagonal = self.penalty * np.diagonal(self.multiplier) - y * w
        matrix = self.objective + below_zero - np.diag(diagonal)
        matrix -= (np.outer(y, w) + np.outer(w, y)) / 2
        matrix = (matrix + matrix.T) / 2
        largest = float(
            eigh(matrix, subset_by_index=[m - 1, m - 1], eigvals_only=True, check_finite=False)[0]
        )
        largest += _MARGIN * float(np.abs(matrix).sum(axis=1).max())
        spectral = m * (1 - 1 / self.k) * largest
        return (
            float(matrix.sum()) / self.k + spectral + float(diagonal.sum()) + self.rows.largest(y)
        )


def _towards(
    multiplier: NDArray[np.float64],
    value: NDArray[np.float64],
    low: float,
    high: float,
    slope: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return multipliers that bring values into a range: positive at its top, negative below."""
    at_top, at_bottom = multiplier + (value - high) / slope, multiplier + (value - low) / slope
    return np.where(at_top > 0, at_top, np.minimum(at_bottom, 0.0))
