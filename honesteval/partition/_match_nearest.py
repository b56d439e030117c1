"""Folds whose nearest similarities between test and training follow a given distribution."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.stats import wasserstein_distance

from honesteval._validation import check_1d, check_number, name_rows
from honesteval.partition._assignment import assign
from honesteval.partition._feasibility import Shortfall, feasible_labels, relax_soft_bounds
from honesteval.partition._match_search import (
    NearestFolds,
    anneal,
    cluster_tree,
    packed_levels,
)
from honesteval.partition._must_link import content_order, join_groups, order_items
from honesteval.partition._problem import PartitionProblem, build_problem
from honesteval.partition._solve import ClassTable
from honesteval.similarity import Similarity

__all__ = ["MATCH_TOLERANCE", "MatchedFolds", "match_nearest"]

FloatArray = NDArray[np.float64]

#: Folds this near to the wanted distribution count as matched (Wasserstein distance).
MATCH_TOLERANCE = 0.03
#: The search holds the similarities of all pairs; above this many samples it refuses.
MOST_SAMPLES = 12_000
#: Random folds for comparison.
N_RANDOM = 5


@dataclass(frozen=True)
class MatchedFolds:
    """Folds matched to a distribution of nearest similarities, and how well.

    All distances are Wasserstein distances (of order 1) between the similarity of each sample to
    its nearest sample in another fold and the wanted similarities, in units of similarity.

    Attributes
    ----------
    labels : ndarray of int of shape (n_samples,)
        Fold of each sample.
    fold_sizes : ndarray of int of shape (n_folds,)
    groups : ndarray of int of shape (n_samples,)
        Must-link group of each sample.
    nearest_similarity : ndarray of shape (n_samples,)
        Similarity of each sample to its nearest one in another fold.
    target : ndarray of shape (n_target,)
        The wanted similarities, ascending.
    distance : float
        Of these folds.
    distance_before : float
        Of the best folds made of whole clusters, where the search began.
    distance_random : float
        Of random folds within the same bounds (mean of 5).
    lower_bound : float
        No folds within the size bounds are nearer.
    shortfalls : tuple of Shortfall
        Class bounds that no folds could meet.
    similarity_name : str
    """

    labels: NDArray[np.intp]
    fold_sizes: NDArray[np.intp]
    groups: NDArray[np.intp]
    nearest_similarity: FloatArray = field(repr=False)
    target: FloatArray = field(repr=False)
    distance: float
    distance_before: float
    distance_random: float
    lower_bound: float
    shortfalls: tuple[Shortfall, ...]
    similarity_name: str

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return len(self.fold_sizes)

    @property
    def is_matched(self) -> bool:
        """Whether the distance is at most 0.03."""
        return self.distance <= MATCH_TOLERANCE

    @property
    def verdict(self) -> str:
        """What the distance means, in a sentence."""
        if self.is_matched:
            return f"The folds match (distance {self.distance:.3f})."
        mean, wanted = self.nearest_similarity.mean(), self.target.mean()
        where = "farther from" if wanted < mean else "closer to"
        proof = (
            f"and no folds of these sizes can: none are nearer than {self.lower_bound:.3f}"
            if self.lower_bound > MATCH_TOLERANCE
            else f"and the search found none that do (proven bound {self.lower_bound:.3f})"
        )
        return (
            f"The folds do not match (distance {self.distance:.3f}), {proof}. What is wanted is "
            f"{where} its data (mean nearest similarity {wanted:.2f}) than the test folds are to "
            f"theirs ({mean:.2f}); a score from these folds is too "
            f"{'good' if wanted < mean else 'bad'} if it depends on similarity."
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per fold: size, mean nearest similarity, distance to the wanted ones."""
        parts = [self.nearest_similarity[self.labels == fold] for fold in range(self.n_folds)]
        return pd.DataFrame(
            {
                "size": self.fold_sizes,
                "mean_nearest_similarity": [float(part.mean()) for part in parts],
                "distance": [wasserstein_distance(part, self.target) for part in parts],
            },
            index=pd.RangeIndex(self.n_folds, name="fold"),
        )

    def summary(self) -> str:
        """Return what a reader needs to know, in a few lines."""
        sizes = ", ".join(str(size) for size in self.fold_sizes)
        lines = [
            f"{len(self.labels)} samples in {self.n_folds} folds of {sizes}; "
            f"{self.similarity_name}",
            f"mean nearest similarity {self.nearest_similarity.mean():.3f}, wanted "
            f"{self.target.mean():.3f} ({len(self.target)} values)",
            f"Wasserstein distance {self.distance:.4f} (whole clusters {self.distance_before:.4f},"
            f" random folds {self.distance_random:.4f}, none below {self.lower_bound:.4f})",
            self.verdict,
            *(str(shortfall) for shortfall in self.shortfalls),
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.summary())}</pre>"


def match_nearest(
    similarity: Similarity,
    target: ArrayLike,
    *,
    n_folds: int = 5,
    must_link: Sequence[NDArray[np.intp]] = (),
    size_tolerance: float = 0.1,
    classes: ClassTable | None = None,
    class_tolerance: float = 0.1,
    n_moves: int = 4000,
    random_state: int = 0,
) -> MatchedFolds:
    """Put samples into folds so that nearest similarities across folds are as wanted.

    Simulated annealing over moves of clusters of all sizes, with the distance itself as the
    objective (and, with a tenth of the weight, the distances of the single folds), from the best
    folds that are made of whole clusters.

    Parameters
    ----------
    similarity : Similarity
        Between the n samples, at most 12,000.
    target : array-like of shape (n_target,)
        Wanted similarities between a test sample and its nearest training sample, in [0, 1].
    n_folds : int >= 2, default=5
    must_link : sequence of ndarray of int of shape (n,), default=()
        Groupings whose members must stay together, besides identical entities.
    size_tolerance : float >= 0, default=0.1
        Relative deviation of a fold's size from n / n_folds, both ways.
    classes : ClassTable, optional
        Classes to spread over the folds.
    class_tolerance : float, default=0.1
        A fold may hold this much less than its share of a class, relatively.
    n_moves : int >= 0, default=4000
        Moves tried.
    random_state : int, default=0

    Returns
    -------
    folds : MatchedFolds

    Raises
    ------
    InfeasibleSplitError
        If no folds are within the bounds; the message names the binding ones.

    Notes
    -----
    The bound: with at most m samples in a fold, a sample's nearest one outside is at least its
    m-th nearest of all and at most its nearest of all (outside its group). This confines the
    distribution between two others, and the distance to the nearest such one is the bound.

    References
    ----------
    J. Linnenbrink, C. Mila, M. Ludwig, H. Meyer, "kNNDM CV: k-fold nearest-neighbour distance
    matching cross-validation for map accuracy estimation", Geosci. Model Dev. 17 (2024)
    5897-5912, doi:10.5194/gmd-17-5897-2024: the same aim for maps, reached by choosing the number
    of clusters.

    Examples
    --------
    Twelve pairs of near copies. Where near copies are met, copies are torn apart; where
    strangers are met, they stay together.

    >>> import numpy as np
    >>> from honesteval.partition import match_nearest
    >>> from honesteval.similarity import PrecomputedSimilarity
    >>> S = np.full((24, 24), 0.2) + np.kron(np.eye(12), np.full((2, 2), 0.7))
    >>> similarity = PrecomputedSimilarity(np.clip(S, 0, 1))
    >>> close = match_nearest(similarity, [0.9] * 10, n_folds=3)
    >>> far = match_nearest(similarity, [0.2] * 10, n_folds=3)
    >>> round(close.distance, 3), round(far.distance, 3), round(far.distance_random, 1)
    (0.0, 0.0, 0.5)
    """
    wanted = _check_target(target)
    n = similarity.n_items
    check_number(n_moves, "n_moves", low=0, integer=True)
    if n > MOST_SAMPLES:
        raise ValueError(
            f"Matching holds the similarities of all pairs and takes at most {MOST_SAMPLES:,} "
            f"samples. Got {n:,}. Match a random part of them, or use other folds and reweight "
            f"their score (honesteval.metrics.reweighted_score)."
        )
    order, same = content_order(similarity.content_keys())
    links = [np.arange(n), *must_link]
    if similarity.merges_identical:
        links.append(same)
    groups = order_items(join_groups(*links), order)
    problem = build_problem(
        groups[order],  # samples by content, so that their order in the table does not matter
        shares=np.ones(n_folds),
        size_tolerance=size_tolerance,
        class_counts=None if classes is None else classes.counts[order],
        class_names=() if classes is None else classes.names,
        class_tolerance=class_tolerance,
        classes_are_soft=classes is not None and classes.are_soft,
    )
    problem, shortfalls = relax_soft_bounds(problem)
    draw = feasible_labels(problem)
    dense = similarity.block(order, order, dtype=np.float32)
    at = (2 * np.arange(n) + 1) * len(wanted) // (2 * n)
    quantiles = wanted[at].astype(np.float32)
    rng = np.random.default_rng(random_state)
    tree = cluster_tree(dense, problem.item_of, problem.n_items)
    random = [NearestFolds(dense, problem, quantiles, draw(rng)).nearest for _ in range(N_RANDOM)]
    starts = [
        NearestFolds(dense, problem, quantiles, labels)
        for labels in packed_levels(tree, problem, rng)
    ]
    start = min(starts, key=lambda folds: folds.distance() + folds.violation())
    before = start.nearest
    labels = _within_bounds(anneal(start, tree, rng, n_moves), problem)
    result = NearestFolds(dense, problem, quantiles, _numbered(labels))
    of_sample = np.empty(n, dtype=np.intp)
    of_sample[order] = result.sample_labels
    nearest = np.empty(n)
    nearest[order] = result.nearest
    return MatchedFolds(
        labels=of_sample,
        fold_sizes=np.bincount(of_sample, minlength=n_folds),
        groups=groups,
        nearest_similarity=nearest,
        target=wanted,
        distance=float(wasserstein_distance(nearest, wanted)),
        distance_before=float(wasserstein_distance(before, wanted)),
        distance_random=float(np.mean([wasserstein_distance(near, wanted) for near in random])),
        lower_bound=distance_bound(dense, problem, wanted),
        shortfalls=shortfalls,
        similarity_name=similarity.name,
    )


def _check_target(target: ArrayLike) -> FloatArray:
    wanted = check_1d(target, "target", numeric=True)
    if not len(wanted):
        raise ValueError("target is empty: there is no distribution to match.")
    bad = np.flatnonzero(~((wanted >= 0) & (wanted <= 1)))
    if len(bad):
        raise ValueError(
            f"target must hold similarities in [0, 1]. Got {wanted[bad[0]]:g} in {name_rows(bad)}."
        )
    return np.sort(wanted)


def _within_bounds(labels: NDArray[np.intp], problem: PartitionProblem) -> NDArray[np.intp]:
    """Return the labels, with as few samples as possible moved where they break a bound."""
    if problem.is_feasible(labels):
        return labels
    stays = np.eye(problem.n_folds)[labels] * problem.weights[:, None]
    mended = assign(stays, problem)
    assert mended is not None  # feasibility was decided before
    return mended


def _numbered(labels: NDArray[np.intp]) -> NDArray[np.intp]:
    """Give the folds the order of their first items."""
    found, first = np.unique(labels, return_index=True)
    number = np.empty(int(found.max()) + 1, dtype=np.intp)
    number[found[np.argsort(first)]] = np.arange(len(found))
    return number[labels]


def distance_bound(
    similarity: NDArray[np.float32], problem: PartitionProblem, target: FloatArray
) -> float:
    """Return a distance below which no folds within the size bounds come.

    Parameters
    ----------
    similarity : ndarray of shape (n, n)
    problem : PartitionProblem
    target : ndarray of shape (n_target,)
        Wanted similarities.

    Returns
    -------
    bound : float
    """
    n = len(similarity)
    most = min(int(problem.upper[:, 0].max()), n - 1)
    lowest, highest = np.empty(n), np.empty(n)
    for i, row in enumerate(similarity):
        others = np.delete(row, i)
        lowest[i] = np.partition(others, n - 1 - most)[n - 1 - most]
        outside = row[problem.item_of != problem.item_of[i]]
        highest[i] = outside.max(initial=0.0)
    lowest = np.minimum(lowest, highest)
    points = np.unique(np.concatenate([lowest, highest, target]))
    share_of = [
        np.searchsorted(np.sort(values), points[:-1], side="right") / len(values)
        for values in (lowest, target, highest)
    ]
    apart = np.maximum(0.0, np.maximum(share_of[1] - share_of[0], share_of[2] - share_of[1]))
    return float(apart @ np.diff(points))
