"""Is there any assignment within the bounds? Decided by an integer programme, and explained."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import LinearConstraint

from honesteval.exceptions import InfeasibleSplitError
from honesteval.partition._assignment import assign
from honesteval.partition._problem import PartitionProblem
from honesteval.partition._programme import solve_programme

__all__ = ["Shortfall", "feasible_labels", "relax_soft_bounds"]

#: Up to so many kinds of items the programme over counts per kind decides at once.
FEW_TYPES = 40
#: Items that the programme over single items decides at the most, for random preferences.
MOST_FREE_ITEMS = 1_600

_INTEGRALITY = 1e-6
_GAP = 1e-4


@dataclass(frozen=True)
class Shortfall:
    """A class bound that no partition can meet, and what was reached instead."""

    fold: int
    resource: str
    wanted: float
    reached: float

    def __str__(self) -> str:
        return (
            f"fold {self.fold} holds {self.reached:g} of {self.resource} instead of {self.wanted:g}"
        )


@dataclass(frozen=True)
class _ItemTypes:
    """Items with equal use and equal pin are interchangeable: only how many go where matters."""

    type_of: NDArray[np.intp]
    usage: NDArray[np.float64]
    count: NDArray[np.float64]
    allowed: NDArray[np.bool_]


def _types(problem: PartitionProblem) -> _ItemTypes:
    signature = np.column_stack([problem.usage, problem.pinned])
    kinds, type_of, count = np.unique(signature, axis=0, return_inverse=True, return_counts=True)
    folds = np.arange(problem.n_folds)
    pin = kinds[:, -1:]
    return _ItemTypes(
        type_of=type_of.reshape(-1),
        usage=kinds[:, :-1],
        count=count.astype(np.float64),
        allowed=(pin < 0) | (pin == folds),
    )


def _solve_counts(
    problem: PartitionProblem,
    types: _ItemTypes,
    elastic: NDArray[np.bool_] | NDArray[np.float64],
    time_limit: float | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Find how many items of each type go to each fold.

    Bounds of the elastic resources may be violated at a cost relative to their size; ``elastic``
    of shape (n_folds, n_resources) says by how much at the most. Returns the counts
    (n_types, n_folds) and the violations (n_folds, n_resources), or None if infeasible.
    """
    if elastic.ndim == 1:
        elastic = np.where(elastic, np.inf, 0.0)[None, :].repeat(problem.n_folds, axis=0)
    n_types, k = len(types.count), problem.n_folds
    r = problem.usage.shape[1]
    n_x, n_slack = n_types * k, k * r
    under, over = slice(n_x, n_x + n_slack), slice(n_x + n_slack, n_x + 2 * n_slack)
    # use[f, j] = sum_t usage[t, j] x[t, f] + under[f, j] - over[f, j]
    use = sparse.kron(sparse.csr_array(types.usage.T), sparse.eye_array(k), format="csr")
    slack = sparse.eye_array(n_slack, format="csr")
    rows = sparse.hstack([use, slack, -slack], format="csr")
    each = sparse.kron(sparse.eye_array(n_types), np.ones((1, k)), format="csr")
    each = sparse.hstack([each, sparse.csr_array((n_types, 2 * n_slack))], format="csr")
    cost = np.zeros(n_x + 2 * n_slack)
    lower, upper = problem.lower.T.ravel(), problem.upper.T.ravel()
    scale = np.maximum(problem.shares * problem.usage.sum(axis=0)[:, None], 1.0).ravel()
    cost[under] = cost[over] = 1.0 / scale
    top = np.concatenate(
        [
            np.where(types.allowed, types.count[:, None], 0.0).ravel(),
            np.tile(elastic.T.ravel(), 2),
        ]
    )
    solution = solve_programme(
        cost,
        integrality=np.concatenate([np.ones(n_x), np.zeros(2 * n_slack)]),
        upper=top,
        constraints=[
            LinearConstraint(rows, lower, upper),
            LinearConstraint(each, types.count, types.count),
        ],
        solver=problem.solver,
        relative_gap=_GAP,
        time_limit=time_limit,
    )
    if solution.x is None:
        return None
    counts = np.rint(solution.x[:n_x]).reshape(n_types, k)
    violation = (solution.x[under] + solution.x[over]).reshape(r, k).T
    return counts, np.where(violation > _INTEGRALITY, violation, 0.0)


def _spread(
    counts: NDArray[np.float64], types: _ItemTypes, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Turn counts per type into labels of the items, at random within each type."""
    labels = np.empty(len(types.type_of), dtype=np.intp)
    folds = np.arange(counts.shape[1])
    for kind, per_fold in enumerate(counts.astype(np.intp)):
        members = np.flatnonzero(types.type_of == kind)
        labels[members] = rng.permutation(np.repeat(folds, per_fold))
    return labels


def _fit_random(problem: PartitionProblem, rng: np.random.Generator) -> NDArray[np.intp] | None:
    """Assign items by random preferences within the bounds; None if that does not succeed."""
    gains = rng.random((problem.n_items, problem.n_folds)) * problem.weights[:, None]
    return assign(gains, problem, most_free=MOST_FREE_ITEMS)


def _fit_or_fail(problem: PartitionProblem, rng: np.random.Generator) -> NDArray[np.intp]:
    for _ in range(5):
        labels = _fit_random(problem, rng)
        if labels is not None:
            return labels
    labels = _fit_random(problem, np.random.default_rng(0))
    assert labels is not None  # this one was found before
    return labels


def feasible_labels(
    problem: PartitionProblem, *, time_limit: float | None = None
) -> Callable[[np.random.Generator], NDArray[np.intp]]:
    """Return a function that draws random assignments within all bounds.

    Parameters
    ----------
    problem : PartitionProblem
    time_limit : float, optional
        Seconds for the integer programme.

    Returns
    -------
    draw : callable
        ``draw(rng)`` returns labels of shape (n_items,).

    Raises
    ------
    InfeasibleSplitError
        If there is none; the message names the bounds that cannot be met and the nearest values
        that can.
    """
    types = _types(problem)
    if len(types.count) > FEW_TYPES and _fit_random(problem, np.random.default_rng(0)) is not None:
        # many classes: random preferences, made to fit, are as good as an exact count
        return lambda rng: _fit_or_fail(problem, rng)
    solved = _solve_counts(problem, types, np.zeros(problem.usage.shape[1], bool), time_limit)
    if solved is None:
        raise InfeasibleSplitError(_explain(problem, types, time_limit))
    counts = solved[0]
    return lambda rng: _spread(counts, types, rng)


def relax_soft_bounds(
    problem: PartitionProblem, *, time_limit: float | None = None
) -> tuple[PartitionProblem, tuple[Shortfall, ...]]:
    """Lower the soft class bounds as little as possible where they cannot be met.

    Returns
    -------
    problem : PartitionProblem
        The same, or with class bounds that some partition meets.
    shortfalls : tuple of Shortfall
        What was lowered; empty when nothing had to be.
    """
    if not problem.soft.any():
        return problem, ()
    types = _types(problem)
    hard = np.zeros_like(problem.soft)
    if len(types.count) > FEW_TYPES and _fit_random(problem, np.random.default_rng(0)) is not None:
        return problem, ()
    if _solve_counts(problem, types, hard, time_limit) is not None:
        return problem, ()
    solved = _solve_counts(problem, types, problem.lower - problem.floor, time_limit)
    if solved is None:
        return problem, ()  # not even the sizes can be met: explained where that is checked
    violation = solved[1]
    lower = problem.lower - violation
    shortfalls = tuple(
        Shortfall(int(f), problem.resource_names[j], float(problem.lower[f, j]), float(lower[f, j]))
        for f, j in np.argwhere(violation > 0)
    )
    return problem.with_bounds(lower, problem.upper), shortfalls


def _explain(problem: PartitionProblem, types: _ItemTypes, time_limit: float | None) -> str:
    largest = int(problem.weights.argmax())
    room = problem.upper[:, 0].max()
    if problem.weights[largest] > room:
        rows = np.flatnonzero(problem.item_of == largest)
        return (
            f"{problem.weights[largest]:g} of {problem.weights.sum():g} "
            f"{problem.resource_names[0]} must stay together (among them rows "
            f"{', '.join(str(row) for row in rows[:5])}), but the largest fold may hold {room:g}. "
            f"Raise threshold if one is set, ask for fewer folds, allow a larger size_tolerance, "
            f"or, with a threshold, set on_oversize to 'cut' or 'drop'."
        )
    everything = np.ones(problem.usage.shape[1], dtype=bool)
    if problem.n_items < problem.n_folds:
        return (
            f"{problem.n_folds} folds are more than the {problem.n_items} groups of samples that "
            f"have to stay together. Lower n_splits, or raise threshold if one is set."
        )
    for elastic, advice in _diagnoses(problem):
        solved = _solve_counts(problem, types, elastic, time_limit)
        if solved is not None:
            return _name_violations(problem, solved, types) + advice
    solved = _solve_counts(problem, types, everything, time_limit)
    if solved is None:
        return "No assignment was found within the time limit. Raise time_limit."
    return _name_violations(problem, solved, types) + "Loosen one of these bounds."


def _diagnoses(problem: PartitionProblem) -> list[tuple[NDArray[np.bool_], str]]:
    classes = np.ones(problem.usage.shape[1], dtype=bool)
    classes[0] = False
    found = []
    if classes.any():
        found.append(
            (
                classes,
                "Raise class_tolerance, lower the minimum, ask for fewer folds, or set "
                "stratify=None.",
            )
        )
    found.append(
        (
            ~classes,
            "Raise size_tolerance to allow that, ask for fewer folds, or make the groups smaller.",
        )
    )
    return found


def _name_violations(
    problem: PartitionProblem,
    solved: tuple[NDArray[np.float64], NDArray[np.float64]],
    types: _ItemTypes,
) -> str:
    counts, violation = solved
    totals = counts.T @ types.usage
    parts = []
    for f, j in np.argwhere(violation > 0)[:4]:
        low, high = problem.lower[f, j], problem.upper[f, j]
        bound = f"at least {low:g}" if totals[f, j] < low else f"at most {high:g}"
        parts.append(
            f"fold {f} should hold {bound} of {problem.resource_names[j]}, and the nearest "
            f"possible is {totals[f, j]:g}"
        )
    more = int((violation > 0).sum()) - len(parts)
    rest = f" (and {more} more bounds)" if more > 0 else ""
    return f"No partition meets all bounds: {'; '.join(parts)}{rest}. "
