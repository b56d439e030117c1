"""Small problems solved to proven optimality by an integer linear programme."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import LinearConstraint

from honesteval.partition._objective import GRID, exact_gains, within_similarity
from honesteval.partition._problem import PartitionProblem
from honesteval.partition._programme import solve_programme

__all__ = ["EXACT_PAIRS", "ExactAnswer", "solve_exactly"]

#: Item pairs times folds up to which the exact programme is tried.
EXACT_PAIRS = 500
#: Branch-and-bound nodes at the most; effort is counted, not timed, so that answers repeat.
NODE_LIMIT = 1_000


class ExactAnswer:
    """Outcome of the exact programme.

    Attributes
    ----------
    labels : ndarray of int of shape (n_items,) or None
        A better assignment than the incumbent, if one was found.
    is_optimal : bool
        True when the better of the two is proven optimal.
    within_bound : float
        No assignment keeps more similarity inside its folds (pairs counted once).
    """

    def __init__(
        self, labels: NDArray[np.intp] | None, is_optimal: bool, within_bound: float
    ) -> None:
        self.labels, self.is_optimal, self.within_bound = labels, is_optimal, within_bound


def solve_exactly(
    objective: NDArray[np.float32],
    problem: PartitionProblem,
    incumbent: NDArray[np.intp],
    *,
    node_limit: int = NODE_LIMIT,
    time_limit: float | None = None,
) -> ExactAnswer:
    """Prove an assignment optimal, or find a better one.

    Binary ``x_af``, and ``y_abf <= x_af, x_bf`` for pairs that share fold f, with the size bounds
    lifted to the pairs (``sum_b w_b y_abf`` lies between ``(lo_f - w_a) x_af`` and
    ``(hi_f - w_a) x_af``), the symmetry between interchangeable folds broken by the order of
    their first items, and the objective asked to beat the incumbent: if nothing does, that is the
    proof.

    Parameters
    ----------
    objective : ndarray of float32 of shape (n_items, n_items)
    problem : PartitionProblem
    incumbent : ndarray of int of shape (n_items,)
        The best assignment known.
    node_limit : int, default=1,000
    time_limit : float, optional
        Seconds.

    Returns
    -------
    answer : ExactAnswer
    """
    m, k = len(objective), problem.n_folds
    first, second = np.triu_indices(m, 1)
    n_x, n_pairs = m * k, len(first)
    n = n_x + n_pairs * k
    kept = within_similarity(exact_gains(objective, incumbent, k), incumbent) / 2
    value = np.concatenate([np.zeros(n_x), np.repeat(objective[first, second], k)])
    pin = problem.pinned[:, None]
    top = np.ones(n)
    top[:n_x] = ((pin < 0) | (pin == np.arange(k))).ravel()
    rows = [
        _assigned_once(m, k, n),
        _within_bounds(problem, n),
        *_pairs_follow_items(first, second, m, k, n),
        *_lifted_sizes(problem, first, second, n),
        LinearConstraint(sparse.csr_array(value[None, :]), kept + 0.5 / GRID, np.inf),
    ]
    if not (problem.pinned >= 0).any():
        rows += _ordered_folds(problem, n)
    solution = solve_programme(
        -value,
        integrality=np.concatenate([np.ones(n_x), np.zeros(n_pairs * k)]),
        upper=top,
        constraints=rows,
        solver=problem.solver,
        node_limit=node_limit,
        time_limit=time_limit,
    )
    if solution.status == "infeasible":  # nothing beats the incumbent
        return ExactAnswer(None, True, kept)
    bound = kept + float(np.triu(objective, 1).sum())
    if solution.bound is not None:
        bound = max(kept, -solution.bound)
    if solution.x is None:
        return ExactAnswer(None, False, bound)
    labels = solution.x[:n_x].reshape(m, k).argmax(axis=1)
    return ExactAnswer(labels, solution.status == "optimal", bound)


def _assigned_once(m: int, k: int, n: int) -> LinearConstraint:
    each = sparse.kron(sparse.eye_array(m), np.ones((1, k)))
    return LinearConstraint(_widen(each, n), 1, 1)


def _within_bounds(problem: PartitionProblem, n: int) -> LinearConstraint:
    use = sparse.kron(sparse.csr_array(problem.usage.T), sparse.eye_array(problem.n_folds))
    return LinearConstraint(_widen(use, n), problem.lower.T.ravel(), problem.upper.T.ravel())


def _pairs_follow_items(
    first: NDArray[np.intp], second: NDArray[np.intp], m: int, k: int, n: int
) -> list[LinearConstraint]:
    found = []
    for end in (first, second):
        picks = sparse.csr_array(
            (np.ones(len(end)), (np.arange(len(end)), end)), shape=(len(end), m)
        )
        x_part = -sparse.kron(picks, sparse.eye_array(k))
        y_part = sparse.eye_array(len(end) * k)
        found.append(LinearConstraint(sparse.hstack([x_part, y_part], format="csr"), -np.inf, 0))
    return found


def _lifted_sizes(
    problem: PartitionProblem, first: NDArray[np.intp], second: NDArray[np.intp], n: int
) -> list[LinearConstraint]:
    m, k = problem.n_items, problem.n_folds
    weights = problem.weights
    pairs = np.arange(len(first))
    partner_weight = sparse.csr_array(
        (
            np.concatenate([weights[second], weights[first]]),
            (np.concatenate([first, second]), np.concatenate([pairs, pairs])),
        ),
        shape=(m, len(first)),
    )
    y_part = sparse.kron(partner_weight, sparse.eye_array(k))
    most = (problem.upper[:, 0] - weights[:, None]).ravel()
    least = (problem.lower[:, 0] - weights[:, None]).ravel()
    return [
        LinearConstraint(
            sparse.hstack([-sparse.diags_array(most), y_part], format="csr"), -np.inf, 0
        ),
        LinearConstraint(
            sparse.hstack([-sparse.diags_array(least), y_part], format="csr"), 0, np.inf
        ),
    ]


def _ordered_folds(problem: PartitionProblem, n: int) -> list[LinearConstraint]:
    """Fold f may hold item a only if the fold before it, when alike, holds an earlier item."""
    m, k = problem.n_items, problem.n_folds
    bounds = np.column_stack([problem.lower, problem.upper])
    found = []
    for f in range(1, k):
        if not np.array_equal(bounds[f], bounds[f - 1]):
            continue
        here = sparse.csr_array((np.ones(m), (np.arange(m), np.arange(m) * k + f)), shape=(m, n))
        before = sparse.csr_array(np.tril(np.ones((m, m)), -1)) @ sparse.csr_array(
            (np.ones(m), (np.arange(m), np.arange(m) * k + f - 1)), shape=(m, n)
        )
        found.append(LinearConstraint(here - before, -np.inf, 0))
    return found


def _widen(matrix: sparse.sparray, n: int) -> sparse.csr_array:
    rest = sparse.csr_array((matrix.shape[0], n - matrix.shape[1]))
    return sparse.hstack([matrix, rest], format="csr")
