"""Simulated annealing by heat-bath moves of many items at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from honesteval.partition._objective import exact_gains
from honesteval.partition._prices import FoldPrices
from honesteval.partition._problem import PartitionProblem

__all__ = ["AnnealingSchedule", "anneal", "hottest_temperature"]

#: Temperature at which the order is settled, in units of similarity.
COLDEST = 0.1
#: The hottest temperature as a fraction of the second eigenvalue of the similarities.
HOT_FRACTION = 0.5

#: Items of a batch at the least; fewer batches make a sweep over a small problem.
ITEMS_PER_BATCH = 6

_ROUNDS_PER_SWEEP = 3
_PUSH = 0.5
_MOST_WITHDRAWALS = 40


@dataclass(frozen=True)
class AnnealingSchedule:
    """How long to anneal: a geometric descent of the temperature over whole sweeps.

    Parameters
    ----------
    hot, cold : float
        First and last temperature, in units of the objective.
    n_sweeps : int
        How often each item is offered a move.
    n_batches : int
        Batches per sweep; the items of one batch move at the same time.
    reactive : bool
        True: a bound's price rises when moves would break it and fades when it is not reached;
        best where folds of equal shares trade sizes. False: prices are those of the entropic dual,
        found anew before each sweep; best for unequal shares.
    """

    hot: float
    cold: float
    n_sweeps: int
    n_batches: int
    reactive: bool = True


def hottest_temperature(objective: NDArray[np.float32]) -> float:
    """Return a temperature at which the largest structure of the similarities is fluid.

    Half the largest eigenvalue of the doubly centred matrix: in the mean-field picture, groups
    form when the temperature falls below that eigenvalue times the variance of a fold's share.
    """
    n = len(objective)
    if n < 3 or not objective.any():
        return 1.0

    def centred(v: NDArray[np.float64]) -> NDArray[np.float64]:
        v = v.reshape(-1) - v.mean()
        image = objective @ v.astype(np.float32)
        return np.asarray(image - image.mean(), dtype=np.float64)

    operator = LinearOperator((n, n), matvec=centred, dtype=np.float64)
    start = np.linspace(-1.0, 1.0, n) ** 3 + 0.1
    try:
        largest = eigsh(operator, k=1, which="LA", tol=0.05, v0=start, return_eigenvectors=False)
        value = float(largest[0])
    except ArpackNoConvergence as error:
        value = float(np.max(error.eigenvalues, initial=1.0))
    # three figures, so that the last bits of a threaded product cannot reach the folds
    return float(f"{max(HOT_FRACTION * value, 2 * COLDEST):.1e}")


def anneal(
    objective: NDArray[np.float32],
    problem: PartitionProblem,
    labels: NDArray[np.intp],
    schedule: AnnealingSchedule,
    rng: np.random.Generator,
) -> NDArray[np.intp]:
    """Anneal an assignment, keeping it inside the bounds.

    Each step takes a random batch of items and draws each one's fold from its Boltzmann
    distribution given all the others (heat bath), less the prices of the folds' resources, at
    which moves in and out balance on average. Moves that would break a bound all the same are
    withdrawn. A batch of moves costs one matrix product.

    Parameters
    ----------
    objective : ndarray of float32 of shape (n_items, n_items)
    problem : PartitionProblem
    labels : ndarray of int of shape (n_items,)
        Where to start; within the bounds.
    schedule : AnnealingSchedule
    rng : numpy.random.Generator

    Returns
    -------
    labels : ndarray of int of shape (n_items,)
        Within the bounds if the start was.
    """
    state = _State(objective, problem, labels.copy(), schedule)
    free = np.flatnonzero(problem.pinned < 0)
    n_batches = max(1, min(schedule.n_batches, len(free) // ITEMS_PER_BATCH))
    n_steps = schedule.n_sweeps * n_batches
    decay = (schedule.cold / schedule.hot) ** (1 / max(n_steps - 1, 1))
    temperature = schedule.hot
    for _ in range(schedule.n_sweeps):
        if not schedule.reactive:
            state.prices.update(state.gains, temperature, _ROUNDS_PER_SWEEP)
        for batch in np.array_split(rng.permutation(free), n_batches):
            state.step(batch, temperature, rng)
            temperature *= decay
    return state.labels


class _State:
    """An assignment with its gains, its use of resources and their prices."""

    def __init__(
        self,
        objective: NDArray[np.float32],
        problem: PartitionProblem,
        labels: NDArray[np.intp],
        schedule: AnnealingSchedule,
    ) -> None:
        self.objective = objective
        self.labels = labels
        self.k = problem.n_folds
        self.usage = problem.usage
        self.lower, self.upper = problem.lower, problem.upper
        self.totals = problem.totals(labels)
        self.is_single = problem.is_single
        self.gains = exact_gains(objective, labels, self.k, single=self.is_single)
        self.one_hot = np.eye(self.k, dtype=np.float32)
        self.prices = FoldPrices(problem)
        self.prices.start_from(self.gains)
        self.prices.cool_down(self.gains, float(self.gains.std()), schedule.hot)
        self.reactive = schedule.reactive

    def step(self, batch: NDArray[np.intp], temperature: float, rng: np.random.Generator) -> None:
        noise = rng.standard_exponential((len(batch), self.k))
        value = self.prices.values(self.gains[batch], self.usage[batch])
        value -= temperature * np.log(noise)
        new, old = value.argmax(axis=1), self.labels[batch]
        moved = np.flatnonzero(new != old)
        if len(moved) == 0:
            return
        push = _PUSH * temperature * self.k / len(batch)
        kept = self._withdraw(batch[moved], old[moved], new[moved], push)
        if len(kept):
            moved = moved[kept]
            self._move(batch[moved], old[moved], new[moved])

    def _after(
        self, items: NDArray[np.intp], old: NDArray[np.intp], new: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        usage = self.usage[items]
        if usage.shape[1] == 1:
            weight = usage[:, 0]
            change = np.bincount(new, weight, self.k) - np.bincount(old, weight, self.k)
            return self.totals + change[:, None]
        return self.totals + (self.one_hot[new] - self.one_hot[old]).T @ usage

    def _withdraw(
        self, items: NDArray[np.intp], old: NDArray[np.intp], new: NDArray[np.intp], step: float
    ) -> NDArray[np.intp]:
        """Return the moves that may be made together."""
        after = self._after(items, old, new)
        over, under = after - self.upper, self.lower - after
        if (over <= 0).all() and (under <= 0).all():
            if self.reactive:
                self.prices.relax(self.totals)
            return np.arange(len(items))
        if self.reactive:
            self.prices.push(over, under, step)
        kept = np.arange(len(items))
        for _ in range(min(4 * after.size, _MOST_WITHDRAWALS)):
            worst = int(np.argmax(np.maximum(over, under)))
            f, j = divmod(worst, after.shape[1])
            amount = max(over[f, j], under[f, j])
            if amount <= 0:
                return kept
            side = new if over[f, j] > 0 else old
            using = np.flatnonzero((side[kept] == f) & (self.usage[items[kept], j] > 0))
            if len(using) == 0:
                break
            heaped = np.cumsum(self.usage[items[kept[using]], j][::-1])
            n_dropped = int(np.searchsorted(heaped, amount)) + 1
            kept = np.delete(kept, using[::-1][:n_dropped])
            after = self._after(items[kept], old[kept], new[kept])
            over, under = after - self.upper, self.lower - after
        return np.empty(0, dtype=np.intp)

    def _move(self, items: NDArray[np.intp], old: NDArray[np.intp], new: NDArray[np.intp]) -> None:
        self.totals = self._after(items, old, new)
        change = self.one_hot[new] - self.one_hot[old]
        rows = self.objective[items]
        if self.is_single:
            for start in range(0, len(items), 256):  # sums of 256 grid values are exact in float32
                self.gains += rows[start : start + 256].T @ change[start : start + 256]
        else:
            self.gains += rows.T.astype(np.float64) @ change.astype(np.float64)
        self.labels[items] = new
