"""From a similarity and constraints to a partition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from honesteval.partition._feasibility import relax_soft_bounds
from honesteval.partition._large import search_large
from honesteval.partition._leakage import Leakage, leakage_from_sums, similarity_inside
from honesteval.partition._must_link import content_order, join_groups, order_items
from honesteval.partition._objective import DENSE_ITEMS, dense_objective
from honesteval.partition._problem import PartitionProblem, build_problem
from honesteval.partition._result import Partition, Status
from honesteval.partition._search import Effort, search
from honesteval.similarity import Similarity

__all__ = ["ClassTable", "solve_partition"]


@dataclass(frozen=True)
class ClassTable:
    """Which samples count for which class, to be spread over the folds.

    Attributes
    ----------
    counts : ndarray of shape (n_samples, n_classes)
        1 where the sample is of the class, else 0 (a missing label is of no class).
    names : tuple of str
        For messages.
    are_soft : bool
        Balance as far as possible and report shortfalls, instead of raising.
    minimum : int >= 0, default=0
        Samples of every class in every fold, without exception.
    """

    counts: NDArray[np.float64]
    names: tuple[str, ...]
    are_soft: bool = True
    minimum: int = 0


def solve_partition(
    similarity: Similarity,
    *,
    shares: ArrayLike,
    must_link: Sequence[NDArray[np.intp]] = (),
    threshold: float | None = None,
    size_tolerance: float = 0.1,
    classes: ClassTable | None = None,
    class_tolerance: float = 0.1,
    pinned: NDArray[np.intp] | None = None,
    weights: ArrayLike | None = None,
    effort: Effort | None = None,
    time_limit: float | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Partition:
    """Put samples into folds so that as little similarity as possible crosses between them.

    Parameters
    ----------
    similarity : Similarity
        Between the n samples.
    shares : array-like of shape (n_folds,)
        Target shares of the folds; divided by their sum.
    must_link : sequence of ndarray of int of shape (n,), default=()
        Groupings whose members must stay together, besides identical entities.
    threshold : float in (0, 1], optional
        Pairs at least this similar must stay together, so that no cross-fold pair reaches it.
    size_tolerance : float, default=0.1
        Relative deviation of a fold's size from its share, both ways.
    classes : ClassTable, optional
        Classes to spread over the folds.
    class_tolerance : float, default=0.1
        A fold may hold this much less than its share of a class, relatively.
    pinned : ndarray of int of shape (n,), optional
        Fold a sample must be in, or -1.
    weights : array-like of shape (n,), optional
        What a sample counts in the sizes (positive; by default 1); a pair counts the product of
        its two in L.
    effort : Effort, optional
        How hard to search.
    time_limit : float, optional
        Seconds for each integer programme; by default none.
    random_state : int, default=0
        Seed of the search.
    n_jobs : int, optional
        As in joblib, for large problems; the folds do not depend on it.

    Returns
    -------
    partition : Partition

    Raises
    ------
    InfeasibleSplitError
        If no partition is within the bounds; the message names the binding ones.

    Examples
    --------
    >>> import numpy as np
    >>> from honesteval.similarity import PrecomputedSimilarity
    >>> S = np.kron(np.eye(3), np.full((2, 2), 0.8)) + 0.1
    >>> partition = solve_partition(PrecomputedSimilarity(S), shares=[1, 1, 1])
    >>> sorted(np.bincount(partition.labels).tolist()), partition.status
    ([2, 2, 2], 'optimal')
    >>> bool((partition.labels[::2] == partition.labels[1::2]).all())
    True
    """
    keys = similarity.content_keys()
    order, same = content_order(keys)
    links = [np.arange(len(keys)), *must_link]
    if similarity.merges_identical:
        links.append(same)
    if threshold is not None:
        links.append(similarity.components_at_least(threshold))
    groups = order_items(join_groups(*links), order)
    problem = build_problem(
        groups,
        shares=shares,
        size_tolerance=size_tolerance,
        class_counts=None if classes is None else classes.counts,
        class_names=() if classes is None else classes.names,
        class_tolerance=class_tolerance,
        classes_are_soft=classes is not None and classes.are_soft,
        pinned=pinned,
        class_minimum=None if classes is None else np.full(len(classes.names), classes.minimum),
        sample_weight=None if weights is None else np.asarray(weights, dtype=np.float64),
    )
    problem, shortfalls = relax_soft_bounds(problem, time_limit=time_limit)
    labels, leakage, error, is_optimal = _search(
        similarity, problem, order, effort or Effort(), random_state, time_limit, n_jobs
    )
    labels = _number_folds(labels, problem)
    status: Status = "optimal" if is_optimal else "heuristic"
    return Partition(
        labels=labels,
        shares=problem.shares,
        fold_sizes=np.bincount(labels, minlength=problem.n_folds),
        groups=groups,
        leakage=leakage,
        leakage_error=error,
        status=status if time_limit is None or is_optimal else "time_limit",
        similarity_name=similarity.name,
        shortfalls=shortfalls,
        threshold=threshold,
        _similarity=similarity,
        _problem=problem,
    )


def _number_folds(labels: NDArray[np.intp], problem: PartitionProblem) -> NDArray[np.intp]:
    """Give interchangeable folds the order of their first items."""
    if (problem.pinned >= 0).any():
        return labels
    bounds = np.column_stack([problem.lower, problem.upper])
    kind = np.unique(bounds, axis=0, return_inverse=True)[1].reshape(-1)
    first = np.full(problem.n_folds, problem.n_items)
    np.minimum.at(first, labels, problem.item_of)
    number = np.empty(problem.n_folds, dtype=np.intp)
    for alike in range(kind.max() + 1):
        folds = np.flatnonzero(kind == alike)
        number[folds[np.argsort(first[folds], kind="stable")]] = folds
    return number[labels]


def _search(
    similarity: Similarity,
    problem: PartitionProblem,
    order: NDArray[np.intp],
    effort: Effort,
    random_state: int,
    time_limit: float | None,
    n_jobs: int | None,
) -> tuple[NDArray[np.intp], Leakage, float | None, bool]:
    """Return fold of each sample, what crosses, its standard error, and whether it is proven."""
    rng = np.random.default_rng(random_state)
    by_item = order[np.argsort(problem.item_of[order], kind="stable")]
    if problem.n_items > DENSE_ITEMS:
        large = search_large(similarity, problem, by_item, rng, effort, n_jobs=n_jobs)
        return large.labels[problem.item_of], large.leakage, large.leakage_error, False
    weight = problem.sample_weight
    objective = dense_objective(
        similarity,
        by_item,
        problem.item_of[by_item],
        problem.n_items,
        weight=weight[by_item] / problem.unit,
    )
    result = search(objective, problem, rng, effort, time_limit=time_limit)
    labels = result.labels[problem.item_of]
    between = float(objective.sum(dtype=np.float64)) / 2
    scale = problem.unit**2
    inside = similarity_inside(similarity, problem.item_of, weight)
    leakage = leakage_from_sums(
        labels, (between - result.within) * scale, between * scale + inside, weight
    )
    return labels, leakage, None, result.is_optimal
