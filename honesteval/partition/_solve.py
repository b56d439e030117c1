"""From a similarity and constraints to a partition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from honesteval._validation import as_numbers, check_number, check_option
from honesteval.exceptions import InfeasibleSplitError
from honesteval.partition._feasibility import feasible_labels, relax_soft_bounds
from honesteval.partition._large import search_large
from honesteval.partition._leakage import (
    Leakage,
    leakage_from_sums,
    measure_leakage,
    similarity_inside,
)
from honesteval.partition._must_link import content_order, join_groups, order_items
from honesteval.partition._objective import (
    DENSE_ITEMS,
    dense_objective,
    exact_gains,
    within_similarity,
)
from honesteval.partition._oversize import (
    LINK_BONUS,
    OVERSIZE_OPTIONS,
    OpenedProblem,
    drop_fewest,
    open_oversize,
)
from honesteval.partition._problem import PartitionProblem, build_problem
from honesteval.partition._result import Partition, Status, spread_kept
from honesteval.partition._search import Draw, Effort, search
from honesteval.similarity import Similarity

__all__ = ["ClassTable", "solve_partition"]

#: Cuts from which the fewest drops are searched, where one takes seconds.
DROP_STARTS = 4


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
    minimum : int >= 0 or ndarray of shape (n_classes,), default=0
        Samples of every class (or of each) in every fold, without exception.
    """

    counts: NDArray[np.float64]
    names: tuple[str, ...]
    are_soft: bool = True
    minimum: int | NDArray[np.float64] = 0

    def take(self, rows: NDArray[np.intp]) -> ClassTable:
        """Return the table of some of the samples."""
        return replace(self, counts=self.counts[rows])


def solve_partition(
    similarity: Similarity,
    *,
    shares: ArrayLike,
    must_link: Sequence[NDArray[np.intp]] = (),
    threshold: float | None = None,
    on_oversize: str = "raise",
    size_tolerance: float = 0.1,
    classes: ClassTable | None = None,
    class_tolerance: float = 0.1,
    pinned: NDArray[np.intp] | None = None,
    weights: ArrayLike | None = None,
    effort: Effort | None = None,
    solver: str = "highs",
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
    on_oversize : {"raise", "cut", "drop"}, default="raise"
        What to do when chains of similar samples fit into no fold: ``"cut"`` them where few
        pairs reach the threshold, all listed in ``violations``; or ``"drop"`` as few samples as
        the search finds, listed in ``dropped``, so that no pair reaches it.
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
    solver : {"highs", "gurobi", "auto"}, default="highs"
        Of the integer programmes. ``"gurobi"`` needs gurobipy, whose own licence takes 2,000
        variables; ``"auto"`` falls back on HiGHS where that is too small or not installed.
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
    check_option(on_oversize, "on_oversize", OVERSIZE_OPTIONS)
    order, same = content_order(similarity.content_keys())
    if not similarity.merges_identical:
        same = np.arange(len(order))
    hard = join_groups(same, *must_link)
    if threshold is not None:
        check_number(threshold, "threshold", low=0, high=1, closed="right")
    if time_limit is not None:
        check_number(time_limit, "time_limit", low=0, closed="neither")
    effort = effort or Effort()
    check_number(effort.n_init, "n_init", low=1, integer=True)
    check_number(random_state, "random_state", low=0, integer=True)
    minimum = None
    if classes is not None:
        minimum = np.asarray(classes.minimum, dtype=np.float64)
        if minimum.shape not in ((), (len(classes.names),)) or not (minimum >= 0).all():
            raise ValueError(
                f"The minimum of classes must be a number of at least 0, or one for each of the "
                f"{len(classes.names)} classes. Got {minimum.tolist()}."
            )
        minimum = np.full(len(classes.names), minimum)
    weight = None if weights is None else as_numbers(weights, "weights")
    pinned = None if pinned is None else np.asarray(pinned)

    def build(groups: NDArray[np.intp]) -> PartitionProblem:
        return build_problem(
            order_items(groups, order),
            shares=shares,
            size_tolerance=size_tolerance,
            class_counts=None if classes is None else classes.counts,
            class_names=() if classes is None else classes.names,
            class_tolerance=class_tolerance,
            class_minimum=minimum,
            classes_are_soft=classes is not None and classes.are_soft,
            pinned=pinned,
            sample_weight=weight,
            solver=solver,
        )

    groups, opened = hard, None
    if threshold is not None:
        groups = join_groups(hard, similarity.components_at_least(threshold))
        if on_oversize != "raise" and not _sizes_fit(groups, build):
            components = order_items(groups, order)
            opened = open_oversize(
                similarity,
                threshold,
                hard,
                components,
                build,
                size_tolerance=size_tolerance,
                spare_closest=on_oversize == "cut",
            )
    problem = build(groups) if opened is None else opened.problem
    problem, shortfalls = relax_soft_bounds(problem, time_limit=time_limit)
    draw = feasible_labels(problem, time_limit=time_limit)  # before any similarity is summed

    def solve(seed: int) -> tuple[NDArray[np.intp], Leakage, float | None, bool]:
        links = None if opened is None else opened.links
        return _search(
            similarity, problem, order, same, effort, draw, seed, time_limit, n_jobs, links
        )

    labels, leakage, error, is_optimal = solve(random_state)
    labels = _number_folds(labels, problem)
    if opened is not None and on_oversize == "drop":
        n_starts = DROP_STARTS if problem.n_items <= DENSE_ITEMS else 1
        cuts = [labels, *(solve(random_state + start)[0] for start in range(1, n_starts))]
        kept = _most_kept(opened, cuts, random_state, minimum)
        return spread_kept(
            solve_partition(
                similarity.take(kept),
                shares=shares,
                must_link=[hard[kept]],
                threshold=threshold,
                size_tolerance=size_tolerance,
                classes=None if classes is None else classes.take(kept),
                class_tolerance=class_tolerance,
                pinned=None if pinned is None else pinned[kept],
                weights=None if weight is None else weight[kept],
                effort=effort,
                solver=solver,
                time_limit=time_limit,
                random_state=random_state,
                n_jobs=n_jobs,
            ),
            kept,
            len(order),
        )
    status: Status = "optimal" if is_optimal else "heuristic"
    return Partition(
        labels=labels,
        shares=problem.shares,
        fold_sizes=np.bincount(labels, minlength=problem.n_folds),
        groups=problem.item_of,
        leakage=leakage,
        leakage_error=error,
        status=status if time_limit is None or is_optimal else "time_limit",
        similarity_name=similarity.name,
        shortfalls=shortfalls,
        threshold=threshold,
        violations=_violations(opened, labels),
        _similarity=similarity,
        _problem=problem,
    )


def _most_kept(
    opened: OpenedProblem,
    cuts: list[NDArray[np.intp]],
    random_state: int,
    minimum: NDArray[np.float64] | None,
) -> NDArray[np.intp]:
    """Return the rows kept by the best of several searches for the fewest drops."""
    problem, best = opened.problem, None
    for start, labels in enumerate(cuts):
        of_items = np.empty(problem.n_items, dtype=np.intp)
        of_items[problem.item_of] = labels
        try:
            rng = np.random.default_rng(random_state + start)
            dropped = drop_fewest(opened, of_items, rng, minimum)
        except InfeasibleSplitError:
            if best is None and start == len(cuts) - 1:
                raise
            continue
        lost = float(problem.weights[dropped].sum())
        if best is None or lost < best[0]:
            best = (lost, np.flatnonzero(~dropped[problem.item_of]))
    assert best is not None
    return best[1]


def _sizes_fit(
    groups: NDArray[np.intp], build: Callable[[NDArray[np.intp]], PartitionProblem]
) -> bool:
    """Whether any partition keeps these groups whole, soft class bounds aside."""
    try:
        feasible_labels(relax_soft_bounds(build(groups))[0])
    except ValueError:  # bounds or pins
        return False
    return True


def _violations(opened: OpenedProblem | None, labels: NDArray[np.intp]) -> pd.DataFrame:
    """Return the pairs of rows at the threshold whose folds differ."""
    columns: dict[str, NDArray[Any]] = {
        "first": np.empty(0, np.intp),
        "second": np.empty(0, np.intp),
        "similarity": np.empty(0),
    }
    if opened is not None:
        cut = labels[opened.first] != labels[opened.second]
        found = (opened.first[cut], opened.second[cut], opened.similarity[cut])
        columns = dict(zip(columns, found, strict=True))
    return pd.DataFrame(columns)


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
    same: NDArray[np.intp],
    effort: Effort,
    draw: Draw,
    random_state: int,
    time_limit: float | None,
    n_jobs: int | None,
    links: sparse.csr_array | None,
) -> tuple[NDArray[np.intp], Leakage, float | None, bool]:
    """Return fold of each sample, what crosses, its standard error, and whether it is proven."""
    rng = np.random.default_rng(random_state)
    by_item = order[np.argsort(problem.item_of[order], kind="stable")]
    if problem.n_items > DENSE_ITEMS:
        large = search_large(
            similarity, problem, by_item, rng, effort, draw, n_jobs=n_jobs, links=links
        )
        return large.labels[problem.item_of], large.leakage, large.leakage_error, False
    weight = problem.sample_weight
    # identical samples of an item stand next to each other: one is looked at, and counts for all
    item, content = problem.item_of[by_item], same[by_item]
    first = np.flatnonzero(np.diff(item, prepend=-1) | np.diff(content, prepend=-1))
    objective = dense_objective(
        similarity,
        by_item[first],
        item[first],
        problem.n_items,
        weight=np.add.reduceat(weight[by_item], first) / problem.unit,
    )
    wanted = objective.values
    if links is not None:
        wanted = wanted + (LINK_BONUS * links).toarray().astype(np.float32)
    result = search(
        wanted, problem, rng, effort, draw=draw, time_limit=time_limit, prove=links is None
    )
    labels = result.labels[problem.item_of]
    if not objective.is_exact:
        leakage = measure_leakage(similarity, labels, sample_weight=weight)
        return labels, leakage, None, False
    within = result.within
    if links is not None:
        gains = exact_gains(objective.values, result.labels, problem.n_folds)
        within = within_similarity(gains, result.labels) / 2
    between, within = objective.rounded_total, within * objective.unit
    scale = problem.unit**2
    inside = similarity_inside(similarity, problem.item_of, weight)
    leakage = leakage_from_sums(
        labels, (between - within) * scale, between * scale + inside, weight
    )
    return labels, leakage, None, result.is_optimal and links is None
