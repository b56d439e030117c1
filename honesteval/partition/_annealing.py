"""Simulated annealing by heat-bath moves of many items at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from honesteval.partition._objective import exact_gains, exact_runs, row_reach
from honesteval.partition._prices import ReplicaPrices
from honesteval.partition._problem import PartitionProblem

__all__ = ["AnnealingSchedule", "anneal", "hottest_temperature"]

#: Temperature at which the order is settled, in units of similarity.
COLDEST = 0.1
#: The hottest temperature as a fraction of the second eigenvalue of the similarities.
HOT_FRACTION = 0.5

#: Items from which the largest eigenvalue is estimated at the most.
_SPECTRUM_ITEMS = 2_000
#: Items of a batch at the least; fewer batches make a sweep over a small problem.
ITEMS_PER_BATCH = 6

_ROUNDS_PER_SWEEP = 3
_PUSH = 0.5
_MOST_WITHDRAWALS = 40

#: Of shape (n_replicas, n_folds, n_resources).
_Totals = NDArray[np.float64]


@dataclass(frozen=True)
class AnnealingSchedule:
    """How long to anneal: a geometric descent of the temperature over whole sweeps.

    Parameters
    ----------
    hot : ndarray of shape (n_replicas,)
        First temperature of each replica, in units of the objective.
    cold : float
        Last temperature.
    n_sweeps : int
        How often each item is offered a move.
    n_batches : int
        Batches per sweep; the items of one batch move at the same time.
    reactive : ndarray of bool of shape (n_replicas,)
        True: a bound's price rises when moves would break it and fades when it is not reached;
        best where folds of equal shares trade sizes. False: prices are those of the entropic dual,
        found anew before each sweep; best for unequal shares.
    """

    hot: NDArray[np.float64]
    cold: float
    n_sweeps: int
    n_batches: int
    reactive: NDArray[np.bool_]


def hottest_temperature(objective: NDArray[np.float32]) -> float:
    """Return a temperature at which the largest structure of the similarities is fluid.

    Half the largest eigenvalue of the doubly centred matrix: in the mean-field picture, groups
    form when the temperature falls below that eigenvalue times the variance of a fold's share.
    Of many items every few are looked at, as the eigenvalue grows with their number.
    """
    step = -(-len(objective) // _SPECTRUM_ITEMS)
    scale = len(objective) / max(len(objective[::step]), 1)
    objective = np.ascontiguousarray(objective[::step, ::step])
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
    return float(f"{max(HOT_FRACTION * scale * value, 2 * COLDEST):.1e}")


def anneal(
    objective: NDArray[np.float32],
    problem: PartitionProblem,
    labels: NDArray[np.intp],
    schedule: AnnealingSchedule,
    rng: np.random.Generator,
) -> NDArray[np.intp]:
    """Anneal assignments side by side, keeping each inside the bounds.

    Each step takes a random batch of items, the same for all replicas, and draws each one's fold
    from its Boltzmann distribution given all the others (heat bath), less the prices of the folds'
    resources, at which moves in and out balance on average. Moves that would break a bound all the
    same are withdrawn. A batch of moves costs one matrix product for all replicas.

    Parameters
    ----------
    objective : ndarray of float32 of shape (n_items, n_items)
    problem : PartitionProblem
    labels : ndarray of int of shape (n_items, n_replicas)
        Where to start; within the bounds.
    schedule : AnnealingSchedule
    rng : numpy.random.Generator

    Returns
    -------
    labels : ndarray of int of shape (n_items, n_replicas)
        Within the bounds if the starts were.
    """
    state = _State(objective, problem, labels.copy(), schedule)
    free = np.flatnonzero(problem.pinned < 0)
    n_batches = max(1, min(schedule.n_batches, len(free) // ITEMS_PER_BATCH))
    n_steps = schedule.n_sweeps * n_batches
    decay = (schedule.cold / schedule.hot) ** (1 / max(n_steps - 1, 1))
    temperature = schedule.hot.copy()
    for _ in range(schedule.n_sweeps):
        state.find_prices(temperature)
        for batch in np.array_split(rng.permutation(free), n_batches):
            state.step(batch, temperature, rng)
            temperature *= decay
    return state.labels


class _State:
    """Assignments (replicas) with their gains, their use of resources and their prices."""

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
        self.n_replicas = labels.shape[1]
        self.usage = problem.usage
        self.lower, self.upper = problem.lower, problem.upper
        self.totals = np.stack([problem.totals(some) for some in labels.T])
        self.gains = exact_gains(objective, labels, self.k)
        self.reach = row_reach(objective)
        self.one_hot = np.eye(self.k, dtype=np.float32)
        self.prices = ReplicaPrices(problem, self.gains, schedule.hot)
        self.reactive = schedule.reactive

    def find_prices(self, temperature: NDArray[np.float64]) -> None:
        """Set the prices of the replicas that do not learn them on the way."""
        for r in np.flatnonzero(~self.reactive):
            self.prices.of[r].update(self.gains[:, r], float(temperature[r]), _ROUNDS_PER_SWEEP)

    def step(
        self, batch: NDArray[np.intp], temperature: NDArray[np.float64], rng: np.random.Generator
    ) -> None:
        """Offer the items of a batch a move, in all replicas."""
        noise = rng.standard_exponential((len(batch), self.n_replicas, self.k))
        np.log(noise, out=noise)
        noise *= temperature[:, None]
        usage = self.usage[batch]
        value = self.prices.values(self.gains[batch], usage)
        value -= noise
        new, old = value.argmax(axis=2), self.labels[batch]
        moved = np.flatnonzero((new != old).any(axis=1))
        if len(moved) == 0:
            return
        push = _PUSH * temperature * self.k / len(batch)
        new, self.totals = self._withdraw(usage[moved], old[moved], new[moved], push)
        self._move(batch[moved], old[moved], new)

    def _change(self, usage: NDArray[np.float64], moves: NDArray[np.float32]) -> _Totals:
        change = usage.T @ moves.reshape(len(usage), -1)
        return change.reshape(-1, moves.shape[1], self.k).transpose(1, 2, 0)

    def _withdraw(
        self,
        usage: NDArray[np.float64],
        old: NDArray[np.intp],
        new: NDArray[np.intp],
        step: NDArray[np.float64],
    ) -> tuple[NDArray[np.intp], _Totals]:
        """Take moves back until those left may be made together; return folds and totals."""
        after = self.totals + self._change(usage, self.one_hot[new] - self.one_hot[old])
        over, under = after - self.upper, self.lower - after
        worst = np.maximum(over, under).max(axis=(1, 2))
        bad = worst > 0
        relaxing = ~bad & self.reactive
        if relaxing.any():
            self.prices.relax(self.totals, relaxing)
        if not bad.any():
            return new, after
        pushing = bad & self.reactive
        if pushing.any():
            self.prices.push(over, under, step, pushing)
        new = new.copy()
        at = np.flatnonzero(bad)
        over, under = over[at], under[at]
        for _ in range(min(4 * over[0].size, _MOST_WITHDRAWALS)):
            f, j, amount, is_over = _worst(over, under)
            here, there = old[:, at], new[:, at]
            used = usage[:, j]
            using = np.where(is_over, there, here) == f
            using &= (here != there) & (used > 0)
            heaped = np.where(using, used, 0.0)[::-1].cumsum(axis=0)[::-1]
            # from the last move of the batch back, until the bound is kept
            back = using & (heaped - used < amount)
            stuck = ~using.any(axis=0)
            back |= stuck
            new[:, at] = there = np.where(back, here, there)
            then = self.totals[at] + self._change(usage, self.one_hot[there] - self.one_hot[here])
            after[at] = then
            over, under = then - self.upper, self.lower - then
            still = (np.maximum(over, under).max(axis=(1, 2)) > 0) & ~stuck
            if not still.any():
                return new, after
            at, over, under = at[still], over[still], under[still]
        new[:, at], after[at] = old[:, at], self.totals[at]
        return new, after

    def _move(self, items: NDArray[np.intp], old: NDArray[np.intp], new: NDArray[np.intp]) -> None:
        kept = np.flatnonzero((new != old).any(axis=1))
        if len(kept) == 0:
            return
        items, old, new = items[kept], old[kept], new[kept]
        change = (self.one_hot[new] - self.one_hot[old]).reshape(len(items), -1)
        rows = self.objective[items]
        gains = self.gains.reshape(len(self.gains), -1)
        for start, stop in exact_runs(self.reach[items]):
            gains += rows[start:stop].T @ change[start:stop]
        self.labels[items] = new


def _worst(over: _Totals, under: _Totals) -> tuple[NDArray[Any], ...]:
    """Return the fold, resource and size of each replica's worst violation, and its side."""
    n_resources = over.shape[2]
    over, under = over.reshape(len(over), -1), under.reshape(len(under), -1)
    each = np.arange(len(over))
    at = np.maximum(over, under).argmax(axis=1)
    f, j = np.divmod(at, n_resources)
    return f, j, np.maximum(over, under)[each, at], over[each, at] > 0
