"""Prices of the folds' resources: the Lagrangian dual of the bounds, smoothed by a temperature."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from honesteval.partition._problem import PartitionProblem

__all__ = ["FoldPrices"]

_CLOSE_ENOUGH = 1e-3
_COOLING_STEPS = 12
_ROUNDS_PER_STEP = 8
_DECAY = 0.9


class FoldPrices:
    """Prices at which items, choosing freely, use each fold within its bounds.

    With prices P an item takes fold f with probability proportional to
    ``exp((gain_f - sum_j usage_j P_fj) / T)``; each round moves the price of a bound by T times
    the logarithm of how far the expected use is beyond it (projected ascent on the entropic dual,
    a Sinkhorn step for the sizes), never below zero.

    Parameters
    ----------
    problem : PartitionProblem
    of_upper, of_lower : ndarray of shape (n_folds, n_resources), optional
        Where to keep the prices of the bounds; zeros to start with.
    """

    def __init__(
        self,
        problem: PartitionProblem,
        of_upper: NDArray[np.float64] | None = None,
        of_lower: NDArray[np.float64] | None = None,
    ) -> None:
        self._usage = problem.usage
        self._free = problem.pinned < 0
        self._pinned_totals = np.zeros_like(problem.lower)
        held = ~self._free
        np.add.at(self._pinned_totals, problem.pinned[held], problem.usage[held])
        self._lower, self._upper = problem.lower, problem.upper
        # use of those that use a resource at all: a rare class has few, but each feels its price
        users = np.maximum((problem.usage > 0).sum(axis=0), 1)
        self.unit = np.maximum(problem.usage.sum(axis=0) / users, 1e-12)
        # an item that uses several resources feels all their prices move
        per_item = (problem.usage > 0).sum(axis=1).mean() if len(problem.usage) else 1.0
        self._damping = max(float(per_item), 1.0)
        self._of_upper = np.zeros_like(problem.lower) if of_upper is None else of_upper
        self._of_lower = np.zeros_like(problem.lower) if of_lower is None else of_lower

    @property
    def net(self) -> NDArray[np.float64]:
        """Price per unit of use, of shape (n_folds, n_resources)."""
        return self._of_upper - self._of_lower

    def start_from(self, gains: NDArray[np.float64]) -> None:
        """Start where the average item is indifferent between the folds."""
        level = gains.mean(axis=0) / self.unit[0]
        level = level - level.min()
        self._of_upper[:, 0] = level

    def values(self, gains: NDArray[np.float64], usage: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return gains less the prices of what an item uses."""
        return gains - usage @ self.net.T

    def update(self, gains: NDArray[np.float64], temperature: float, n_rounds: int) -> None:
        """Adjust the prices to the gains of all items."""
        if self._free.all():
            usage = self._usage
        else:
            gains, usage = gains[self._free], self._usage[self._free]
        with np.errstate(divide="ignore"):
            for _ in range(n_rounds):
                value = self.values(gains, usage)
                value -= value.max(axis=1, keepdims=True)
                value /= temperature
                np.exp(value, out=value)
                value /= value.sum(axis=1, keepdims=True)
                totals = np.maximum(value.T @ usage + self._pinned_totals, 1e-9)
                step = temperature / self.unit / self._damping
                of_upper = np.maximum(self._of_upper + step * np.log(totals / self._upper), 0)
                of_lower = np.maximum(self._of_lower + step * np.log(self._lower / totals), 0)
                change = np.abs(of_upper - of_lower - self.net).max(axis=0) / step
                self._of_upper[...], self._of_lower[...] = of_upper, of_lower
                if change.max() < _CLOSE_ENOUGH:
                    break

    def cool_down(
        self, gains: NDArray[np.float64], hot: float, cold: float, n_steps: int = _COOLING_STEPS
    ) -> None:
        """Find the prices for a low temperature by way of higher ones."""
        if cold <= 0:  # no item prefers any fold
            hot = cold = 1.0
        for temperature in np.geomspace(max(hot, cold), cold, n_steps):
            self.update(gains, temperature, _ROUNDS_PER_STEP)


class ReplicaPrices:
    """Prices of several assignments of one problem, which learn them from what moves do.

    Parameters
    ----------
    problem : PartitionProblem
    gains : ndarray of shape (n_items, n_replicas, n_folds)
    hot : ndarray of shape (n_replicas,)
        Temperatures that the prices are to start for.

    Attributes
    ----------
    of : list of FoldPrices
        Those of each replica, which share their numbers with these.
    """

    def __init__(
        self,
        problem: PartitionProblem,
        gains: NDArray[np.float64],
        hot: NDArray[np.float64],
    ) -> None:
        self.of = []
        shape = (gains.shape[1], *problem.lower.shape)
        self._of_upper, self._of_lower = np.zeros(shape), np.zeros(shape)
        for r, (some, temperature) in enumerate(zip(gains.swapaxes(0, 1), hot, strict=True)):
            prices = FoldPrices(problem, self._of_upper[r], self._of_lower[r])
            prices.start_from(some)
            prices.cool_down(some, float(some.std()), float(temperature))
            self.of.append(prices)
        self._lower, self._upper = problem.lower, problem.upper
        self._unit = self.of[0].unit

    def values(self, gains: NDArray[np.float64], usage: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return gains, of shape (n_items, n_replicas, n_folds), less the prices of the items."""
        net = self._of_upper - self._of_lower
        paid = usage @ net.reshape(-1, net.shape[2]).T
        return gains - paid.reshape(gains.shape)

    def push(
        self,
        over: NDArray[np.float64],
        under: NDArray[np.float64],
        step: NDArray[np.float64],
        which: NDArray[np.bool_],
    ) -> None:
        """Raise the prices of bounds that proposed moves would break, in some replicas."""
        step = np.where(which, step, 0.0)[:, None, None] / self._unit
        self._of_upper += step * np.maximum(over, 0)
        self._of_lower += step * np.maximum(under, 0)

    def relax(self, totals: NDArray[np.float64], which: NDArray[np.bool_]) -> None:
        """Lower the prices of bounds that are not reached, in some replicas."""
        some = which[:, None, None]
        self._of_upper[some & (totals < self._upper)] *= _DECAY
        self._of_lower[some & (totals > self._lower)] *= _DECAY
