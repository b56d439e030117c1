"""The linearised problem: the best assignment for given gains, within all bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import LinearConstraint

from honesteval.partition._prices import FoldPrices
from honesteval.partition._problem import PartitionProblem
from honesteval.partition._programme import solve_programme

__all__ = ["assign", "solve_assignment"]

#: Items given to the integer programme at first, and by what factor the number grows.
FREE_ITEMS = 400
_GROWTH = 4
#: The integer programme is given no more items of a resource; above, single moves mend the rest.
MOST_FREE_ITEMS = 7_000
#: The programme over the unclear items may end this near its optimum, or after so many nodes.
RELATIVE_GAP = 1e-4
#: With more bounds per fold than this, items are moved into the bounds one by one instead.
FEW_RESOURCES = 4
REPAIR_ITEMS = 3_000
#: Share of the distance between the size bounds that is kept free on either side for that.
SIZE_ROOM = 0.1
_MOST_REPAIRS = 2_000
_MOST_ROUNDS = 100
NODE_LIMIT = 500
#: Temperature of the smoothed dual, as a fraction of the typical difference between gains.
COLD_FRACTION = 0.01


def assign(
    gains: NDArray[np.float64],
    problem: PartitionProblem,
    prices: FoldPrices | None = None,
    *,
    most_free: int | None = None,
) -> NDArray[np.intp] | None:
    """Maximise the sum of gains over assignments within the bounds.

    The Lagrangian dual has one price per fold and resource; a smoothed dual (as in entropic
    optimal transport) finds them, items whose best fold is clear at these prices are fixed, and
    the integer programme decides the others.

    Parameters
    ----------
    gains : ndarray of shape (n_items, n_folds)
    problem : PartitionProblem
    prices : FoldPrices, optional
        Prices of a similar assignment to start from; changed in place.
    most_free : int, optional
        Give up when so many items given to the integer programme do not suffice; by default all.

    Returns
    -------
    labels : ndarray of int of shape (n_items,) or None
        None if no assignment is within the bounds (or ``most_free`` is reached).
    """
    scale = float(np.abs(gains - gains.mean(axis=1, keepdims=True)).mean()) or 1.0
    many_classes = problem.usage.shape[1] > FEW_RESOURCES
    if prices is None:
        # the sizes keep some room in which single items can then mend the classes
        prices = FoldPrices(_with_room(problem) if many_classes else problem)
        prices.start_from(gains)
        prices.cool_down(gains, scale, COLD_FRACTION * scale)
    else:
        prices.cool_down(gains, 4 * COLD_FRACTION * scale, COLD_FRACTION * scale, n_steps=3)
    value = prices.values(gains, problem.usage)
    pinned = np.flatnonzero(problem.pinned >= 0)
    value[pinned] = -np.inf
    value[pinned, problem.pinned[pinned]] = 0.0
    labels = value.argmax(axis=1)
    if problem.is_feasible(labels):
        return labels
    gap = np.full(len(gains), np.inf)
    others = problem.pinned < 0
    top_two = np.partition(value[others], -2, axis=1)[:, -2:]
    gap[others] = (top_two[:, 1] - top_two[:, 0]) / problem.weights[others]
    by_gap = np.argsort(gap, kind="stable")
    if many_classes:
        return repair(gains, problem, labels, by_gap[:REPAIR_ITEMS])
    most = len(gains) if most_free is None else min(most_free, len(gains))
    n_free = min(FREE_ITEMS, most)
    while True:
        free = _nearest_ties(by_gap, problem.usage, n_free)
        solved = solve_assignment(gains, problem, labels, free)
        if solved is not None or n_free >= most:
            return solved
        if n_free == FREE_ITEMS:  # sizes too far off for the programme over so few items
            labels = rebalance(value, problem, labels)
            if problem.is_feasible(labels):
                return labels
        n_free = min(n_free * _GROWTH, most)
        if n_free > MOST_FREE_ITEMS:  # a programme so large may never end
            return repair(
                gains, problem, labels, _nearest_ties(by_gap, problem.usage, REPAIR_ITEMS)
            )


def _nearest_ties(by_gap: NDArray[np.intp], usage: NDArray[np.float64], n: int) -> NDArray[np.intp]:
    """Return the n items of each resource that come first, in ascending order.

    Of a rare class hardly any item is among the first of all, but they must move to share it out.
    """
    return np.unique(np.concatenate([by_gap[used[by_gap]][:n] for used in (usage > 0).T]))


def _with_room(problem: PartitionProblem) -> PartitionProblem:
    lower, upper = problem.lower.copy(), problem.upper.copy()
    room = SIZE_ROOM * (upper[:, 0] - lower[:, 0])
    lower[:, 0] += room
    upper[:, 0] -= room
    return problem.with_bounds(lower, upper)


def rebalance(
    value: NDArray[np.float64], problem: PartitionProblem, labels: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Move the items that lose least, many at once, until the sizes are within their bounds.

    Parameters
    ----------
    value : ndarray of shape (n_items, n_folds)
        Gains less prices.
    problem : PartitionProblem
    labels : ndarray of int of shape (n_items,)

    Returns
    -------
    labels : ndarray of int of shape (n_items,)
        With better sizes; large items and classes may still be out of bounds.
    """
    labels, weight = labels.copy(), problem.weights
    lower, upper = problem.lower[:, 0], problem.upper[:, 0]
    for _ in range(_MOST_ROUNDS):
        sizes = np.bincount(labels, weight, problem.n_folds)
        over, under = np.maximum(sizes - upper, 0), np.maximum(lower - sizes, 0)
        if over.sum() + under.sum() <= 0:
            break
        # out of a fold that is too large into any with room, else into one that is too small
        leaves = over if over.sum() > 0 else np.maximum(sizes - lower, 0)
        takes = np.maximum(upper - sizes, 0) if over.sum() > 0 else under
        movable = np.flatnonzero((leaves[labels] > 0) & (problem.pinned < 0))
        here = labels[movable]
        open_value = np.where(takes > 0, value[movable], -np.inf)
        open_value[np.arange(len(movable)), here] = -np.inf
        target = open_value.argmax(axis=1)
        loss = (value[movable, here] - open_value.max(axis=1)) / weight[movable]
        order = np.argsort(loss, kind="stable")
        chosen = movable[order]
        keep = np.ones(len(chosen), dtype=bool)
        for ends, room in ((here[order], leaves), (target[order], takes)):
            for fold in range(problem.n_folds):
                mine = ends == fold
                moved = np.cumsum(weight[chosen] * (mine & keep))
                keep &= ~mine | (moved <= np.ceil(room[fold]))
        if not keep.any():
            break
        labels[chosen[keep]] = target[order][keep]
    return labels


def repair(
    gains: NDArray[np.float64],
    problem: PartitionProblem,
    labels: NDArray[np.intp],
    candidates: NDArray[np.intp],
) -> NDArray[np.intp] | None:
    """Move items one by one into the bounds, each time at the lowest cost per violation mended.

    Parameters
    ----------
    gains : ndarray of shape (n_items, n_folds)
    problem : PartitionProblem
    labels : ndarray of int of shape (n_items,)
    candidates : ndarray of int
        Items that may change fold.

    Returns
    -------
    labels : ndarray of int of shape (n_items,) or None
        None if no single move mends anything before all bounds are met.
    """
    labels, totals = labels.copy(), problem.totals(labels)
    unit = np.maximum(problem.usage.mean(axis=0), 1e-12)
    usage = problem.usage[candidates]
    free = problem.pinned[candidates] < 0
    rows = np.arange(len(candidates))

    def violation(use: NDArray[np.float64], fold: Any) -> NDArray[np.float64]:
        beyond = np.maximum(use - problem.upper[fold], 0) + np.maximum(problem.lower[fold] - use, 0)
        return np.asarray((beyond / unit).sum(axis=-1))

    for _ in range(_MOST_REPAIRS):
        now = violation(totals, slice(None))
        if now.sum() <= 0:
            return labels
        here = labels[candidates]
        leaving = violation(totals[here] - usage, here) - now[here]
        change = np.empty((len(candidates), problem.n_folds))
        for fold in range(problem.n_folds):
            change[:, fold] = leaving + violation(totals[fold] + usage, fold) - now[fold]
        change[rows, here] = 0.0
        change[~free] = 0.0
        loss = gains[candidates, here][:, None] - gains[candidates]
        price = np.where(change < -1e-9, (loss - loss.min()) / np.minimum(change, -1e-9), -np.inf)
        best = int(price.argmax())
        if not np.isfinite(price.flat[best]):
            return None
        row, fold = divmod(best, problem.n_folds)
        totals[here[row]] -= usage[row]
        totals[fold] += usage[row]
        labels[candidates[row]] = fold
    return None


def solve_assignment(
    gains: NDArray[np.float64],
    problem: PartitionProblem,
    labels: NDArray[np.intp],
    free: NDArray[np.intp],
    *,
    time_limit: float | None = None,
) -> NDArray[np.intp] | None:
    """Reassign some items by an integer programme, the others staying where they are.

    Parameters
    ----------
    gains : ndarray of shape (n_items, n_folds)
    problem : PartitionProblem
    labels : ndarray of int of shape (n_items,)
    free : ndarray of int
        Items that may change fold.
    time_limit : float, optional
        Seconds.

    Returns
    -------
    labels : ndarray of int of shape (n_items,) or None
        None if the bounds cannot be met with the others fixed.
    """
    k, n_free = problem.n_folds, len(free)
    usage = problem.usage[free]
    fixed = problem.totals(labels)
    np.subtract.at(fixed, labels[free], usage)
    use = sparse.kron(sparse.csr_array(usage.T), sparse.eye_array(k), format="csr")
    each = sparse.kron(sparse.eye_array(n_free), np.ones((1, k)), format="csr")
    pin = problem.pinned[free][:, None]
    top = ((pin < 0) | (pin == np.arange(k))).astype(np.float64).ravel()
    solution = solve_programme(
        -gains[free].ravel(),
        integrality=np.ones(n_free * k),
        upper=top,
        constraints=[
            LinearConstraint(
                use, (problem.lower - fixed).T.ravel(), (problem.upper - fixed).T.ravel()
            ),
            LinearConstraint(each, 1, 1),
        ],
        solver=problem.solver,
        relative_gap=RELATIVE_GAP,
        node_limit=NODE_LIMIT,
        time_limit=time_limit,
    )
    if solution.x is None:
        return None
    result = labels.copy()
    result[free] = solution.x.reshape(n_free, k).argmax(axis=1)
    return result
