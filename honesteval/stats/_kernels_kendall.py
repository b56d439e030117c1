"""Kendall's tau-b of many weighted resamples at a time, by merging sorted blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["PairOrder"]

FloatArray = NDArray[np.float64]

# Relative error of sums of fractional weights; whole weights are summed exactly.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class _Level:
    """One merge: rows sorted within blocks by y, and which half of their block they come from."""

    order: NDArray[np.intp]
    is_left: NDArray[np.bool_]
    block_start: NDArray[np.intp]


@dataclass(frozen=True)
class PairOrder:
    """The order of n points in x and in y, from which pairs are counted for any weights.

    Rows sorted by x (ties by y) are cut into blocks of 2, 4, 8, ... rows. At each merge, the
    discordant pairs between the halves of a block are, for every row of the right half, the
    rows of the left half with a larger y: cumulative sums along an order known beforehand.
    """

    n: int
    levels: tuple[_Level, ...]
    x_order: NDArray[np.intp]
    tied_x: tuple[NDArray[np.intp], NDArray[np.intp]]
    tied_y: tuple[NDArray[np.intp], NDArray[np.intp]]
    tied_both: tuple[NDArray[np.intp], NDArray[np.intp]]

    @classmethod
    def from_values(cls, x: FloatArray, y: FloatArray) -> PairOrder:
        """Sort once."""
        n = len(x)
        x_order = np.lexsort((y, x))
        y_sorted = y[x_order]
        position = np.arange(n)
        levels = []
        width = 1
        while width < n:
            block = position // (2 * width)
            is_left = (position // width) % 2 == 0
            # Larger y first; where equal, the right half first, so that ties do not count.
            order = np.lexsort((is_left, -y_sorted, block))
            starts = block[order] * 2 * width
            levels.append(_Level(order, is_left[order], starts))
            width *= 2
        codes = [np.unique(values, return_inverse=True)[1] for values in (x, y)]
        both = codes[0] * (codes[1].max() + 1) + codes[1]
        return cls(n, tuple(levels), x_order, _runs(codes[0]), _runs(codes[1]), _runs(both))

    def tau_b(self, weights: NDArray[Any]) -> FloatArray:
        """Return tau-b for weights of shape (b, n); NaN where x or y is constant."""
        weights = weights.astype(np.float64, copy=False)
        total = _pairs(weights.sum(axis=1))
        tied_x, tied_y, tied_both = (
            _pairs(_run_sums(weights, runs)).sum(axis=1)
            for runs in (self.tied_x, self.tied_y, self.tied_both)
        )
        comparable = total - tied_x - tied_y + tied_both
        spread = np.sqrt(_not_tied(total, tied_x) * _not_tied(total, tied_y))
        with np.errstate(invalid="ignore", divide="ignore"):
            tau = (comparable - 2 * self._discordant(weights)) / spread
        return np.where(spread > 0, np.clip(tau, -1.0, 1.0), np.nan)

    def _discordant(self, weights: FloatArray) -> FloatArray:
        by_x = weights.take(self.x_order, axis=1)
        discordant = np.zeros(len(weights))
        larger = np.zeros((len(weights), self.n + 1))
        for level in self.levels:
            sorted_weights = by_x.take(level.order, axis=1)
            np.cumsum(sorted_weights * level.is_left, axis=1, out=larger[:, 1:])
            right = np.flatnonzero(~level.is_left)
            above = larger.take(right, axis=1) - larger.take(level.block_start[right], axis=1)
            discordant += np.einsum("ij,ij->i", sorted_weights.take(right, axis=1), above)
        return discordant


def _runs(codes: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    order = np.argsort(codes, kind="stable")
    _, starts = np.unique(codes[order], return_index=True)
    return order, starts


def _run_sums(weights: FloatArray, runs: tuple[NDArray[np.intp], NDArray[np.intp]]) -> FloatArray:
    order, starts = runs
    return np.add.reduceat(weights.take(order, axis=1), starts, axis=1)


def _pairs(weight: FloatArray) -> FloatArray:
    """Return the weight of pairs, each row paired with itself too: it is tied and cancels."""
    return 0.5 * weight**2


def _not_tied(total: FloatArray, tied: FloatArray) -> FloatArray:
    """Return the weight of pairs that are not tied, without the rounding error of zero."""
    return np.where(total - tied > _ROUNDING * total, total - tied, 0.0)
