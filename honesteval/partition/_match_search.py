"""Search for folds whose test-to-train nearest similarities follow a given distribution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from honesteval.partition._problem import PartitionProblem

__all__ = ["ClusterTree", "NearestFolds", "anneal", "cluster_tree", "packed_levels"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

#: Heights at which the tree is cut for starting folds.
N_LEVELS = 25
#: Temperatures at the start and the end, in units of the distance between distributions. Above so
#: many samples they fall with the third power: more and smaller steps have to be downhill.
HOT, COLD, FULL_HEAT = 4e-3, 2e-5, 600
#: What a fold outside its bounds costs per share of the samples, at the start and the end.
LOOSE, STRICT = 0.5, 20.0
#: Weight of the folds' own distances beside that of all samples together.
FOLD_WEIGHT = 0.1


@dataclass(frozen=True)
class ClusterTree:
    """Average-linkage tree of the items.

    Parameters
    ----------
    merges : ndarray of shape (n_items - 1, 4)
        As from :func:`scipy.cluster.hierarchy.linkage`.
    members : list of ndarray of int
        Items below each node; the first n_items nodes are the items themselves.
    parent : ndarray of int
        Node above each node, -1 at the root.
    """

    merges: FloatArray
    members: list[IntArray]
    parent: IntArray


def cluster_tree(similarity: NDArray[np.float32], item_of: IntArray, n_items: int) -> ClusterTree:
    """Return the tree of items by mean similarity between their samples."""
    if n_items == len(item_of):
        order = np.argsort(item_of, kind="stable")
        between = np.asarray(similarity[order][:, order], dtype=np.float64)
    else:
        sums = np.zeros((n_items, similarity.shape[1]))
        np.add.at(sums, item_of, similarity)
        between = np.zeros((n_items, n_items))
        np.add.at(between, item_of, sums.T)
        count = np.bincount(item_of, minlength=n_items)
        between /= count[:, None] * count
    distance = 1.0 - (between + between.T) / 2
    np.fill_diagonal(distance, 0.0)
    merges = linkage(squareform(distance, checks=False), method="average")
    members = [np.array([item], dtype=np.intp) for item in range(n_items)]
    parent = np.full(2 * n_items - 1, -1, dtype=np.intp)
    for node, (left, right) in enumerate(merges[:, :2].astype(np.intp), start=n_items):
        members.append(np.concatenate([members[left], members[right]]))
        parent[[left, right]] = node
    return ClusterTree(merges, members, parent)


class NearestFolds:
    """Folds with the similarity of each sample to its nearest sample in another fold, kept up.

    Parameters
    ----------
    similarity : ndarray of float32 of shape (n_samples, n_samples)
        Its diagonal is not used.
    problem : PartitionProblem
    quantiles : ndarray of shape (n_samples,)
        The wanted similarities in ascending order.
    labels : ndarray of int of shape (n_items,)
    """

    def __init__(
        self,
        similarity: NDArray[np.float32],
        problem: PartitionProblem,
        quantiles: NDArray[np.float32],
        labels: IntArray,
    ) -> None:
        self.similarity, self.problem, self.quantiles = similarity, problem, quantiles
        by_item = np.argsort(problem.item_of, kind="stable")
        self.samples_of = np.split(by_item, np.cumsum(np.bincount(problem.item_of))[:-1])
        self.rows = np.arange(len(similarity))
        self.labels = labels.copy()
        self.sample_labels = labels[problem.item_of]
        self.totals = problem.totals(labels)
        self.best = np.stack(
            [self._best_in(self.rows, self.sample_labels == f) for f in range(problem.n_folds)]
        )
        self.nearest = self._nearest(self.best, self.sample_labels)

    def _best_in(self, rows: IntArray, chosen: NDArray[np.bool_]) -> NDArray[np.float32]:
        there = np.flatnonzero(chosen)
        if not len(there):
            return np.zeros(len(rows), dtype=np.float32)
        return self.similarity[rows[:, None], there].max(axis=1)

    def _nearest(self, best: NDArray[np.float32], sample_labels: IntArray) -> NDArray[np.float32]:
        outside = best.copy()
        outside[sample_labels, self.rows] = -1.0
        return outside.max(axis=0)

    def distance(
        self, nearest: NDArray[np.float32] | None = None, sample_labels: IntArray | None = None
    ) -> float:
        """Return the Wasserstein distance of all samples, and some of that of each fold."""
        nearest = self.nearest if nearest is None else nearest
        labels = self.sample_labels if sample_labels is None else sample_labels
        pooled = float(np.abs(np.sort(nearest) - self.quantiles).mean())
        n, total = len(nearest), 0.0
        for fold in range(self.problem.n_folds):
            inside = np.sort(nearest[labels == fold])
            at = (n * (2 * np.arange(len(inside)) + 1)) // (2 * max(len(inside), 1))
            total += float(np.abs(inside - self.quantiles[at]).sum())
        return pooled + FOLD_WEIGHT * total / n

    def violation(self, totals: FloatArray | None = None) -> float:
        """Return how far the folds are out of their bounds, as a share of the samples."""
        use = self.totals if totals is None else totals
        beyond = np.maximum(use - self.problem.upper, 0) + np.maximum(self.problem.lower - use, 0)
        return float(beyond.sum()) / len(self.rows)

    def try_move(
        self, items: IntArray, fold: int
    ) -> tuple[IntArray, IntArray, FloatArray, NDArray[np.float32], NDArray[np.float32]]:
        """Return the state after some items moved to a fold; see :meth:`accept`."""
        labels, sample_labels = self.labels.copy(), self.sample_labels.copy()
        totals, best = self.totals.copy(), self.best.copy()
        usage = self.problem.usage[items]
        np.subtract.at(totals, labels[items], usage)
        totals[fold] += usage.sum(axis=0)
        samples = np.concatenate([self.samples_of[item] for item in items])
        old = sample_labels[samples]
        labels[items] = fold
        sample_labels[samples] = fold
        best[fold] = np.maximum(best[fold], self.similarity[samples].max(axis=0))
        for left in np.unique(old):
            gone = self.similarity[samples[old == left]].max(axis=0)
            # only samples whose nearest in that fold has left need another look
            affected = np.flatnonzero(gone >= best[left])
            best[left, affected] = self._best_in(affected, sample_labels == left)
        return labels, sample_labels, totals, best, self._nearest(best, sample_labels)

    def accept(
        self,
        state: tuple[IntArray, IntArray, FloatArray, NDArray[np.float32], NDArray[np.float32]],
    ) -> None:
        """Take over a state from :meth:`try_move`."""
        self.labels, self.sample_labels, self.totals, self.best, self.nearest = state


def packed_levels(
    tree: ClusterTree, problem: PartitionProblem, rng: np.random.Generator
) -> list[IntArray]:
    """Return folds of whole clusters, from single items to a few clusters per fold."""
    heights = np.concatenate([[-1.0], tree.merges[:, 2]])
    n, starts = problem.n_items, []
    for cut in np.unique(np.quantile(heights, np.linspace(0, 1, N_LEVELS + 1))):
        is_top = np.zeros(2 * n - 1, dtype=bool)
        inside = np.concatenate([np.full(n, True), tree.merges[:, 2] <= cut])
        above = tree.parent
        is_top[inside] = (above[inside] < 0) | ~inside[above[inside]]
        starts.append(_pack([tree.members[node] for node in np.flatnonzero(is_top)], problem, rng))
    return starts


def _pack(
    clusters: list[IntArray], problem: PartitionProblem, rng: np.random.Generator
) -> IntArray:
    """Put clusters, the largest first, where most room is left; too large ones are cut."""
    room = problem.upper[:, 0].max()
    pieces: list[IntArray] = []
    for cluster in clusters:
        weight = np.cumsum(problem.weights[cluster])
        pieces += np.split(cluster, np.flatnonzero(np.diff(weight // (room + 1e-9))) + 1)
    size = np.array([problem.weights[piece].sum() for piece in pieces])
    labels = np.empty(problem.n_items, dtype=np.intp)
    left = problem.shares * problem.weights.sum()
    for i in np.lexsort((rng.random(len(pieces)), -size)):
        fold = int(left.argmax())
        labels[pieces[i]] = fold
        left[fold] -= size[i]
    pinned = problem.pinned >= 0
    labels[pinned] = problem.pinned[pinned]
    return labels


def anneal(
    folds: NearestFolds, tree: ClusterTree, rng: np.random.Generator, n_moves: int
) -> IntArray:
    """Move subtrees between folds, of all sizes, until the distributions agree.

    Returns
    -------
    labels : ndarray of int of shape (n_items,)
        The best within all bounds that was met, else the last.
    """
    problem = folds.problem
    distance, violation = folds.distance(), folds.violation()
    found, found_distance = folds.labels, distance if violation <= 0 else np.inf
    largest = problem.upper[:, 0].max()
    heat = min(1.0, FULL_HEAT / len(folds.rows)) ** 3
    for step in range(n_moves):
        done = step / n_moves
        temperature = heat * HOT * (COLD / HOT) ** done
        strictness = LOOSE * (STRICT / LOOSE) ** done
        items = _subtree(tree, problem, rng, largest)
        items = items[problem.pinned[items] < 0]
        fold = int(rng.integers(problem.n_folds))
        items = items[folds.labels[items] != fold]
        threshold = temperature * rng.standard_exponential()
        if not len(items):
            continue
        state = folds.try_move(items, fold)
        new_distance = folds.distance(state[4], state[1])
        new_violation = folds.violation(state[2])
        change = new_distance - distance + strictness * (new_violation - violation)
        if change <= threshold:
            folds.accept(state)
            distance, violation = new_distance, new_violation
            if violation <= 0 and distance < found_distance:
                found, found_distance = folds.labels, distance
    return found if np.isfinite(found_distance) else folds.labels


def _subtree(
    tree: ClusterTree, problem: PartitionProblem, rng: np.random.Generator, largest: float
) -> IntArray:
    """Return the items below a node: up from a random item, to a size drawn on a log scale."""
    node = int(rng.integers(problem.n_items))
    size = np.exp(rng.random() * np.log(max(largest / 2, 1.0)))
    while True:
        above = int(tree.parent[node])
        if above < 0 or problem.weights[tree.members[above]].sum() > size:
            return tree.members[node]
        node = above
