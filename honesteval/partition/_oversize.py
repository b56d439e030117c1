"""Components of similar samples that fit into no fold: where to cut them, or what to drop."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from honesteval.exceptions import InfeasibleSplitError
from honesteval.partition._feasibility import feasible_labels
from honesteval.partition._must_link import join_groups
from honesteval.partition._problem import PartitionProblem, size_range, size_steps
from honesteval.similarity import Similarity

__all__ = ["LINK_BONUS", "OVERSIZE_OPTIONS", "OpenedProblem", "drop_fewest", "open_oversize"]

OVERSIZE_OPTIONS = ("raise", "cut", "drop")
#: A pair at the threshold counts this much on top of its similarity, so that few are cut.
LINK_BONUS = 5.0
#: A pair of similarity 1 counts that many pairs at the threshold.
CLOSEST_BONUS = 4.0
#: Moves per item of the search for the fewest drops, at the least and at the most.
MOVES_PER_ITEM = 150
FEWEST_MOVES = 10_000
MOST_MOVES = 1_500_000
_HOT, _COLD = 1.0, 0.05
_DROPPED = -1
_ROUNDING = 1e-9


@dataclass(frozen=True)
class OpenedProblem:
    """A problem in which some components of the threshold graph may be cut.

    Attributes
    ----------
    problem : PartitionProblem
    links : sparse array of shape (n_items, n_items)
        Weight of the pairs of samples at the threshold between two items; symmetric.
    first, second : ndarray of int
        These pairs, as rows.
    similarity : ndarray
        Of these pairs.
    size_tolerance : float
        Of the problem.
    """

    problem: PartitionProblem
    links: sparse.csr_array
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    similarity: NDArray[np.float64]
    size_tolerance: float


def open_oversize(
    similarity: Similarity,
    threshold: float,
    hard: NDArray[np.intp],
    components: NDArray[np.intp],
    build: Callable[[NDArray[np.intp]], PartitionProblem],
    *,
    size_tolerance: float,
    spare_closest: bool,
) -> OpenedProblem:
    """Take apart the components of the threshold graph that no partition can hold whole.

    Parameters
    ----------
    similarity : Similarity
    threshold : float
    hard : ndarray of int of shape (n,)
        Groups that stay together whatever happens.
    components : ndarray of int of shape (n,)
        Hard groups joined with the components of the threshold graph.
    build : callable
        ``build(groups)`` returns the problem with these groups as items.
    size_tolerance : float
        Of the problem.
    spare_closest : bool
        Let closer pairs weigh more, so that those that are cut are far apart.

    Returns
    -------
    opened : OpenedProblem
        With the largest components opened, as few as allow any partition.

    Raises
    ------
    InfeasibleSplitError
        If the hard groups alone allow none.
    """
    alone = build(hard)
    needed = np.bincount(components, alone.sample_weight)
    must_open = needed > alone.upper[:, 0].max()
    pin = alone.pinned[alone.item_of]
    pinned = pin >= 0
    lowest, highest = np.full(len(needed), alone.n_folds), np.full(len(needed), -1)
    np.minimum.at(lowest, components[pinned], pin[pinned])
    np.maximum.at(highest, components[pinned], pin[pinned])
    must_open |= highest > lowest  # pinned to different folds
    by_need = np.lexsort((-needed, ~must_open))
    n_open = int(must_open.sum())
    while True:
        is_open = np.isin(components, by_need[:n_open])
        # an opened component keeps its hard groups
        problem = build(join_groups(np.where(is_open, components.max() + 1 + hard, components)))
        try:
            feasible_labels(problem)
            break
        except InfeasibleSplitError:
            if n_open >= len(by_need):
                raise
            n_open = max(n_open + 1, 2 * n_open)
    rows = np.flatnonzero(is_open)
    first, second, value = similarity.take(rows).pairs_at_least(threshold)
    first, second = rows[first], rows[second]
    between = problem.item_of[first] != problem.item_of[second]
    first, second, value = first[between], second[between], value[between]
    weight = problem.sample_weight / problem.unit
    urgency = np.ones(len(value))
    if spare_closest:
        urgency += (CLOSEST_BONUS - 1) * (value - threshold) / max(1 - threshold, 1e-9)
    half = sparse.coo_array(
        (
            weight[first] * weight[second] * urgency,
            (problem.item_of[first], problem.item_of[second]),
        ),
        shape=(problem.n_items, problem.n_items),
    ).tocsr()
    links = sparse.csr_array(half + half.T)
    return OpenedProblem(problem, links, first, second, value, size_tolerance)


def drop_fewest(
    opened: OpenedProblem,
    labels: NDArray[np.intp],
    rng: np.random.Generator,
    minimum: NDArray[np.float64] | None = None,
) -> NDArray[np.bool_]:
    """Choose items to leave out so that no two in different folds are linked.

    From a cover of the cut links, chosen greedily, the search anneals: an item that is out goes
    into the fold where it pushes out least, and what is linked to it elsewhere goes out. The
    sizes of what is kept stay within their bounds.

    Parameters
    ----------
    opened : OpenedProblem
    labels : ndarray of int of shape (n_items,)
        Folds with few links between them.
    rng : numpy.random.Generator
    minimum : ndarray of shape (n_classes,), optional
        Samples of each class that every fold keeps.

    Returns
    -------
    dropped : ndarray of bool of shape (n_items,)

    Raises
    ------
    InfeasibleSplitError
        If two items pinned to different folds are linked, or the sizes cannot be kept.
    """
    problem = opened.problem
    _refuse_linked_pins(opened)
    if minimum is None:
        minimum = np.zeros(problem.usage.shape[1] - 1)
    n_moves = min(max(MOVES_PER_ITEM * problem.n_items, FEWEST_MOVES), MOST_MOVES)
    start = _cover(opened.links, labels, problem)
    best = _Drops(opened, start, minimum).search(n_moves, rng)
    if best is None:  # cutting leaves folds too uneven: start from few items, evenly spread
        best = _Drops(opened, _unlinked(opened.links, problem), minimum).search(n_moves, rng)
    if best is None:
        raise InfeasibleSplitError(
            "No choice of rows to drop was found that keeps the sizes of the folds within "
            "their bounds, and as many of every class as are asked for. Raise threshold or "
            "size_tolerance, or ask for fewer folds."
        )
    return best == _DROPPED


def _refuse_linked_pins(opened: OpenedProblem) -> None:
    pin = opened.problem.pinned[opened.problem.item_of]
    a, b = pin[opened.first], pin[opened.second]
    clash = np.flatnonzero((a >= 0) & (b >= 0) & (a != b))
    if len(clash):
        i = clash[0]
        raise InfeasibleSplitError(
            f"Rows {opened.first[i]} and {opened.second[i]} are pinned to different folds, but "
            f"their similarity {opened.similarity[i]:.4g} reaches the threshold ({len(clash)} "
            f"such pairs). Pin them to the same fold, or raise threshold."
        )


def _cover(
    links: sparse.csr_array, labels: NDArray[np.intp], problem: PartitionProblem
) -> NDArray[np.intp]:
    """Drop, one by one, the item with most cut links per weight."""
    labels = labels.copy()
    pairs = links.tocoo()
    cut = labels[pairs.row] != labels[pairs.col]
    row, column = pairs.row[cut], pairs.col[cut]
    crossing = sparse.csr_array(
        (np.ones(len(row)), (row, column)), shape=(len(labels), len(labels))
    )
    degree = np.asarray(crossing.sum(axis=1)).ravel()
    cost = np.where(problem.pinned >= 0, np.inf, problem.weights)
    while degree.max(initial=0) > 0:
        item = int((degree / cost).argmax())
        labels[item] = _DROPPED
        others = crossing.indices[crossing.indptr[item] : crossing.indptr[item + 1]]
        degree[others[labels[others] != _DROPPED]] -= 1
        degree[item] = 0
    return labels


def _unlinked(links: sparse.csr_array, problem: PartitionProblem) -> NDArray[np.intp]:
    """Keep items without a link among them, the least linked first, in proportion to the shares."""
    labels = np.full(problem.n_items, _DROPPED)
    pinned = np.flatnonzero(problem.pinned >= 0)
    degree = np.diff(links.indptr)
    order = np.argsort(degree / problem.weights, kind="stable")
    blocked = np.zeros(problem.n_items, dtype=bool)
    sizes = np.zeros(problem.n_folds)
    for item in [*pinned, *order[problem.pinned[order] < 0]]:
        is_pinned = problem.pinned[item] >= 0
        if blocked[item] and not is_pinned:
            continue
        kept = sizes.sum() + problem.weights[item]
        fold = problem.pinned[item] if is_pinned else (problem.shares * kept - sizes).argmax()
        labels[item] = fold
        sizes[fold] += problem.weights[item]
        blocked[links.indices[links.indptr[item] : links.indptr[item + 1]]] = True
    return labels


class _Drops:
    """Folds of items, some out, with no link between folds; plain lists, for single moves."""

    def __init__(
        self,
        opened: OpenedProblem,
        labels: NDArray[np.intp],
        minimum: NDArray[np.float64],
    ) -> None:
        problem, links = opened.problem, opened.links
        self.neighbours = [
            links.indices[links.indptr[i] : links.indptr[i + 1]].tolist()
            for i in range(problem.n_items)
        ]
        self.weight = problem.weights.tolist()
        self.total = float(problem.weights.sum())
        self.shares, self.tolerance = problem.shares.tolist(), opened.size_tolerance
        self.are_whole, self.smallest = size_steps(problem.sample_weight)
        # on the way a fold may be this far beyond its bounds
        self.slack = 2 * self.total / problem.n_items
        self.movable = (problem.pinned < 0).tolist()
        self.labels = labels.tolist()
        self.out = [i for i, fold in enumerate(self.labels) if fold == _DROPPED]
        self.place = {item: i for i, item in enumerate(self.out)}
        self.sizes = [0.0] * problem.n_folds
        for item, fold in enumerate(self.labels):
            if fold != _DROPPED:
                self.sizes[fold] += self.weight[item]
        self._count_classes(problem, labels, minimum)

    def _count_classes(
        self,
        problem: PartitionProblem,
        labels: NDArray[np.intp],
        minimum: NDArray[np.float64],
    ) -> None:
        """Keep count of the classes of which every fold needs some."""
        needed = np.flatnonzero(minimum)
        usage = problem.usage[:, 1 + needed]
        totals = np.zeros((problem.n_folds, len(needed)))
        inside = labels != _DROPPED
        np.add.at(totals, labels[inside], usage[inside])
        self.counts = totals.tolist()
        self.needs = minimum[needed].tolist()
        self.of_classes = [[(int(c), float(row[c])) for c in np.flatnonzero(row)] for row in usage]

    def _lacks_classes(self, leaving: list[int]) -> bool:
        """Whether a fold that has enough of a class would not without these items."""
        lost: dict[tuple[int, int], float] = {}
        for item in leaving:
            for c, amount in self.of_classes[item]:
                key = self.labels[item], c
                lost[key] = lost.get(key, 0.0) + amount
        return any(
            self.counts[fold][c] - amount < self.needs[c] - _ROUNDING
            for (fold, c), amount in lost.items()
        )

    def _count(self, item: int, fold: int, sign: int) -> None:
        for c, amount in self.of_classes[item]:
            self.counts[fold][c] += sign * amount

    @property
    def kept(self) -> float:
        return sum(self.sizes)

    def search(self, n_moves: int, rng: np.random.Generator) -> NDArray[np.intp] | None:
        """Anneal; return the labels with the least weight out, None if no sizes were in bounds."""
        best: list[int] | None = None
        most_kept = -1.0
        unit = self.total / len(self.labels)
        draws = rng.random((n_moves, 4)).tolist()
        for step, (which, where, tie, accept) in enumerate(draws):
            if self.kept > most_kept + _ROUNDING and self._fits():
                best, most_kept = self.labels.copy(), self.kept
                if not self.out:
                    break
            temperature = unit * _HOT * (_COLD / _HOT) ** (step / n_moves)
            if self.out and which < 0.8:
                item = self.out[int(where * len(self.out))]
            else:
                item = int(where * len(self.labels))
            if self.movable[item]:
                self._try(item, tie, accept, temperature)
        return None if best is None else np.array(best, dtype=np.intp)

    def _bounds(self, fold: int, kept: float) -> tuple[float, float]:
        """Return the bounds on a size when so much is kept."""
        return size_range(
            self.shares[fold] * kept,
            self.tolerance,
            is_whole=self.are_whole,
            smallest=self.smallest,
        )

    def _fits(self) -> bool:
        """Tell whether sizes and counts of classes are within their bounds."""
        kept = self.kept
        for fold, size in enumerate(self.sizes):
            least, most = self._bounds(fold, kept)
            if not least - _ROUNDING <= size <= most + _ROUNDING:
                return False
        return all(
            count >= need - _ROUNDING
            for counts in self.counts
            for count, need in zip(counts, self.needs, strict=True)
        )

    def _try(self, item: int, tie: float, accept: float, temperature: float) -> None:
        """Move an item into the fold where it pushes out least, by the rule of Metropolis."""
        labels, weight, here = self.labels, self.weight, self.labels[item]
        linked = [0.0] * len(self.sizes)
        for other in self.neighbours[item]:
            if labels[other] != _DROPPED:
                linked[labels[other]] += weight[other]
        everything, kept = sum(linked), self.kept
        fold, fewest = -1, math.inf
        first = int(tie * len(self.sizes))
        for step in range(len(self.sizes)):
            candidate = (first + step) % len(self.sizes)
            size = self.sizes[candidate] + weight[item]
            if candidate == here or everything - linked[candidate] >= fewest:
                continue
            if size <= self._bounds(candidate, kept)[1] + self.slack:
                fold, fewest = candidate, everything - linked[candidate]
        if fold < 0:
            return
        cost = fewest - (weight[item] if here == _DROPPED else 0.0)
        if cost > 0 and accept > math.exp(-cost / temperature):
            return
        pushed = [o for o in self.neighbours[item] if labels[o] not in (_DROPPED, fold)]
        if not all(self.movable[other] for other in pushed):
            return
        linked[fold] = 0.0
        if here != _DROPPED:
            linked[here] += weight[item]
        left = kept - max(cost, 0.0)
        for loser, loss in enumerate(linked):
            if loss > 0 and self.sizes[loser] - loss < self._bounds(loser, left)[0] - self.slack:
                return
        if self.needs and self._lacks_classes([*pushed, *([] if here == _DROPPED else [item])]):
            return
        for other in pushed:
            self.sizes[labels[other]] -= weight[other]
            self._count(other, labels[other], -1)
            labels[other] = _DROPPED
            self.place[other] = len(self.out)
            self.out.append(other)
        if here == _DROPPED:
            self._take_back(item)
        else:
            self.sizes[here] -= weight[item]
            self._count(item, here, -1)
        labels[item] = fold
        self.sizes[fold] += weight[item]
        self._count(item, fold, 1)

    def _take_back(self, item: int) -> None:
        position, last = self.place.pop(item), self.out.pop()
        if last != item:
            self.out[position] = last
            self.place[last] = position
