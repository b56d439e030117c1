"""The search for a good assignment of items with a dense matrix of similarities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from honesteval.partition._annealing import (
    COLDEST,
    AnnealingSchedule,
    anneal,
    hottest_temperature,
)
from honesteval.partition._assignment import FEW_RESOURCES, assign
from honesteval.partition._exact import EXACT_PAIRS, solve_exactly
from honesteval.partition._feasibility import feasible_labels
from honesteval.partition._local_search import local_search
from honesteval.partition._objective import exact_gains, within_similarity
from honesteval.partition._prices import FoldPrices
from honesteval.partition._problem import PartitionProblem

__all__ = ["SAMPLE_ITEMS", "Draw", "Effort", "SearchResult", "search"]

Draw = Callable[[np.random.Generator], NDArray[np.intp]]

#: Problems with more items are first solved on a sample of this many.
SAMPLE_ITEMS = 2_000
#: Problems with more items get fewer starts, in proportion.
_FULL_EFFORT_ITEMS = 1_600
#: Assignments of a sample that are extended to all items.
_EXTENDED = 3
#: A fold may drift by this many typical items while its neighbourhood is annealed.
_DRIFT_ITEMS = 8


@dataclass(frozen=True)
class Effort:
    """How hard to search, counted in iterations so that answers repeat.

    Parameters
    ----------
    n_init : int
        Annealing runs from different starts.
    n_sweeps : int
        Sweeps of each.
    n_batches : int
        Batches of each sweep.
    n_ascents : int
        Linearised steps at the most, on problems solved from a sample.
    n_polish : int
        Moves and swaps of the final local search at the most.
    """

    n_init: int = 8
    n_sweeps: int = 150
    n_batches: int = 15
    n_ascents: int = 3
    n_polish: int = 1_000


@dataclass(frozen=True)
class SearchResult:
    """An assignment and what is known of it.

    Attributes
    ----------
    labels : ndarray of int of shape (n_items,)
    within : float
        Similarity kept inside folds, pairs counted once.
    is_optimal : bool
        True when proven.
    """

    labels: NDArray[np.intp]
    within: float
    is_optimal: bool


def search(
    objective: NDArray[np.float32],
    problem: PartitionProblem,
    rng: np.random.Generator,
    effort: Effort,
    *,
    draw: Draw | None = None,
    time_limit: float | None = None,
    prove: bool = True,
) -> SearchResult:
    """Look for the assignment that keeps most similarity inside folds.

    Small problems are annealed from several starts, polished, and where they are very small
    proven. Larger ones are solved on a sample, extended to all items by the linearised programme,
    and then ascended, annealed and polished. Bounds on many classes come in only then, by the
    linearised programme.

    Parameters
    ----------
    objective : ndarray of float32 of shape (n_items, n_items)
    problem : PartitionProblem
    rng : numpy.random.Generator
    effort : Effort
    draw : callable, optional
        What :func:`feasible_labels` returned for the problem, if already known.
    time_limit : float, optional
        Seconds for each integer programme.
    prove : bool, default=True
        Try the exact programme on very small problems.

    Returns
    -------
    result : SearchResult

    Raises
    ------
    InfeasibleSplitError
        If no assignment is within the bounds.
    """
    draw = draw or feasible_labels(problem, time_limit=time_limit)
    with threadpool_limits(1, user_api="blas"):
        if problem.usage.shape[1] > FEW_RESOURCES:
            labels = _then_classes(objective, problem, draw, rng, effort)
        else:
            labels = _by_size(objective, problem, draw, rng, effort)
        kept = _within(objective, problem, labels)
        is_optimal = _everything_is_kept(objective, kept)
        m = problem.n_items
        if prove and not is_optimal and m * (m - 1) // 2 * problem.n_folds <= EXACT_PAIRS:
            answer = solve_exactly(objective, problem, labels, time_limit=time_limit)
            labels = labels if answer.labels is None else answer.labels
            is_optimal = answer.is_optimal
            kept = _within(objective, problem, labels)
    return SearchResult(labels, kept, is_optimal)


def _by_size(
    objective: NDArray[np.float32],
    problem: PartitionProblem,
    draw: Draw,
    rng: np.random.Generator,
    effort: Effort,
) -> NDArray[np.intp]:
    if problem.n_items <= SAMPLE_ITEMS:
        labels = _anneal_from_several_starts(objective, problem, draw, rng, effort)[0]
        return local_search(objective, problem, labels, max_steps=effort.n_polish)
    start = _from_sample(objective, problem, rng, effort)
    return _refine(objective, problem, draw(rng) if start is None else start, rng, effort)


def _then_classes(
    objective: NDArray[np.float32],
    problem: PartitionProblem,
    draw: Draw,
    rng: np.random.Generator,
    effort: Effort,
) -> NDArray[np.intp]:
    """Solve for the sizes alone, then ascend from there within the bounds on many classes."""
    sizes = problem.without_classes()
    labels = _by_size(objective, sizes, feasible_labels(sizes), rng, effort)
    found: tuple[float, NDArray[np.intp]] | None = None
    for _ in range(effort.n_ascents + 1):
        better = assign(exact_gains(objective, labels, problem.n_folds), problem)
        if better is None:
            break
        kept = _within(objective, problem, better)
        if found is not None and kept <= found[0]:
            break
        found, labels = (kept, better), better
    start = draw(rng) if found is None else found[1]
    return local_search(objective, problem, start, max_steps=effort.n_polish // 10)


def _within(
    objective: NDArray[np.float32], problem: PartitionProblem, labels: NDArray[np.intp]
) -> float:
    return within_similarity(exact_gains(objective, labels, problem.n_folds), labels) / 2


def _best_first(
    objective: NDArray[np.float32], problem: PartitionProblem, found: list[NDArray[np.intp]]
) -> list[NDArray[np.intp]]:
    """Order assignments by what they keep inside folds."""
    labels = np.stack(found, axis=1)
    gains = exact_gains(objective, labels, problem.n_folds)
    kept = [within_similarity(gains[:, r], some) for r, some in enumerate(found)]
    return [found[r] for r in np.argsort(-np.array(kept), kind="stable")]


def _everything_is_kept(objective: NDArray[np.float32], kept: float) -> bool:
    return kept >= float(objective.sum(dtype=np.float64)) / 2


def _anneal_from_several_starts(
    objective: NDArray[np.float32],
    problem: PartitionProblem,
    draw: Draw,
    rng: np.random.Generator,
    effort: Effort,
) -> list[NDArray[np.intp]]:
    """Return the assignments found, best first."""
    hot = hottest_temperature(objective)
    equal = bool(np.ptp(problem.shares) < 1e-9)
    fewer = min(1.0, _FULL_EFFORT_ITEMS / problem.n_items)
    if problem.usage.shape[1] > 1:  # class bounds make every step dearer
        fewer /= 2
    start = np.arange(max(int(np.ceil(effort.n_init * fewer)), 1))
    # every third start takes the other kind of prices
    reactive = (start % 3 != 2) == equal
    schedule = AnnealingSchedule(
        hot * np.where(reactive, 0.5, 1.0), COLDEST, effort.n_sweeps, effort.n_batches, reactive
    )
    starts = np.stack([draw(rng) for _ in start], axis=1)
    found = [
        local_search(objective, problem, labels, max_steps=effort.n_polish // 10)
        for labels in anneal(objective, problem, starts, schedule, rng).T
    ]
    return _best_first(objective, problem, found)


def _from_sample(
    objective: NDArray[np.float32],
    problem: PartitionProblem,
    rng: np.random.Generator,
    effort: Effort,
) -> NDArray[np.intp] | None:
    """Solve a random sample of the items and extend to all; None if that does not fit.

    The best few of the sample are extended: which is best for all items is only seen there.
    """
    chosen = np.sort(rng.permutation(problem.n_items)[:SAMPLE_ITEMS])
    part = sample_problem(problem, chosen)
    try:
        draw = feasible_labels(part)
    except ValueError:
        return None
    inside = np.ascontiguousarray(objective[np.ix_(chosen, chosen)])
    found = _anneal_from_several_starts(inside, part, draw, rng, effort)[:_EXTENDED]
    scale = problem.weights.sum() / problem.weights[chosen].sum()
    folds = [np.eye(problem.n_folds)[labels] for labels in found]
    one_hot = np.concatenate(folds, axis=1)
    gains = np.zeros((problem.n_items, one_hot.shape[1]))
    for start in range(0, len(chosen), 256):
        rows = objective[chosen[start : start + 256]]
        gains += rows.T.astype(np.float64) @ one_hot[start : start + 256]
    extended = [assign(some * scale, problem) for some in np.split(gains, len(found), axis=1)]
    fitting = [labels for labels in extended if labels is not None]
    return _best_first(objective, problem, fitting)[0] if fitting else None


def sample_problem(problem: PartitionProblem, chosen: NDArray[np.intp]) -> PartitionProblem:
    """Return the problem of some of the items, with bounds in proportion."""
    usage = problem.usage[chosen]
    ratio = usage.sum(axis=0) / np.maximum(problem.usage.sum(axis=0), 1e-12)
    lower = np.floor(problem.lower * ratio)
    upper = np.where(np.isfinite(problem.upper), np.ceil(problem.upper * ratio), np.inf)
    return PartitionProblem(
        item_of=np.arange(len(chosen)),
        usage=usage,
        lower=lower,
        upper=upper,
        shares=problem.shares,
        resource_names=problem.resource_names,
        pinned=problem.pinned[chosen],
        floor=np.minimum(np.floor(problem.floor * ratio), lower),
        sample_weight=usage[:, 0],
        solver=problem.solver,
    )


def _refine(
    objective: NDArray[np.float32],
    problem: PartitionProblem,
    labels: NDArray[np.intp],
    rng: np.random.Generator,
    effort: Effort,
) -> NDArray[np.intp]:
    """Ascend by linearised steps, anneal gently at the sizes found, and polish."""
    gains = exact_gains(objective, labels, problem.n_folds)
    kept = within_similarity(gains, labels)
    prices: FoldPrices | None = None
    for _ in range(effort.n_ascents):
        if prices is None:
            prices = FoldPrices(problem)
            prices.start_from(gains)
            prices.cool_down(gains, float(gains.std()), 0.01 * float(gains.std()))
        better = assign(gains, problem, prices)
        if better is None:
            break
        gains = exact_gains(objective, better, problem.n_folds)
        value = within_similarity(gains, better)
        if value <= kept:
            break
        labels, kept = better, value
    totals = problem.totals(labels)
    drift = _DRIFT_ITEMS * np.maximum(np.median(problem.usage, axis=0), 1.0)
    near = problem.with_bounds(
        np.maximum(problem.lower, totals - drift), np.minimum(problem.upper, totals + drift)
    )
    warm = max(0.1 * hottest_temperature(objective), 2 * COLDEST)
    schedule = AnnealingSchedule(
        np.array([warm]), COLDEST, effort.n_sweeps // 2, effort.n_batches, np.array([True])
    )
    annealed = anneal(objective, near, labels[:, None], schedule, rng)[:, 0]
    if _within(objective, problem, annealed) > kept / 2:
        labels = annealed
    return local_search(objective, problem, labels, max_steps=effort.n_polish)
