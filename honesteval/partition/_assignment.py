"""The linearised problem: the best assignment for given gains, within all bounds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from honesteval.partition._prices import FoldPrices
from honesteval.partition._problem import PartitionProblem

__all__ = ["assign", "solve_assignment"]

#: Items given to the integer programme at first, and by what factor the number grows.
FREE_ITEMS = 400
_GROWTH = 4
#: Temperature of the smoothed dual, as a fraction of the typical difference between gains.
COLD_FRACTION = 0.01


def assign(
    gains: NDArray[np.float64], problem: PartitionProblem, prices: FoldPrices | None = None
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

    Returns
    -------
    labels : ndarray of int of shape (n_items,) or None
        None if no assignment is within the bounds.
    """
    scale = float(np.abs(gains - gains.mean(axis=1, keepdims=True)).mean()) or 1.0
    if prices is None:
        prices = FoldPrices(problem)
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
    n_free = min(FREE_ITEMS, len(gains))
    while True:
        solved = solve_assignment(gains, problem, labels, np.sort(by_gap[:n_free]))
        if solved is not None or n_free == len(gains):
            return solved
        n_free = min(n_free * _GROWTH, len(gains))


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
    options = {} if time_limit is None else {"time_limit": time_limit}
    solution = milp(
        -gains[free].ravel(),
        integrality=np.ones(n_free * k),
        bounds=Bounds(np.zeros_like(top), top),
        constraints=[
            LinearConstraint(
                use, (problem.lower - fixed).T.ravel(), (problem.upper - fixed).T.ravel()
            ),
            LinearConstraint(each, 1, 1),
        ],
        options=options,
    )
    if solution.x is None:
        return None
    result = labels.copy()
    result[free] = solution.x.reshape(n_free, k).argmax(axis=1)
    return result
