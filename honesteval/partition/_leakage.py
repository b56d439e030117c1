"""How much similarity a given assignment lets cross between folds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from honesteval._validation import check_1d, check_same_length
from honesteval.similarity import Similarity, row_blocks

__all__ = ["Leakage", "measure_leakage", "scaled_leakage"]


@dataclass(frozen=True)
class Leakage:
    """Similarity across folds, in the ways the field prints it.

    Attributes
    ----------
    crossing : float
        L: sum of the similarities of all pairs in different folds.
    total : float
        Sum of the similarities of all pairs (each once, no item with itself).
    scaled : float
        ``crossing / total``; 0 when no pair is similar at all.
    scaled_with_diagonal : float
        The same with the full matrix and its diagonal in the denominator, as published for
        DataSAIL: ``2 crossing / (2 total + n)``.
    cross_share : float
        Share of all pairs that lie in different folds: the expected ``scaled`` of a random split
        of the same sizes.
    relative : float
        ``scaled / cross_share``: 1 for a random split, 0 for none.
    """

    crossing: float
    total: float
    scaled: float
    scaled_with_diagonal: float
    cross_share: float
    relative: float


def measure_leakage(
    similarity: Similarity,
    labels: ArrayLike,
    *,
    sums: NDArray[np.float64] | None = None,
    sample_weight: ArrayLike | None = None,
) -> Leakage:
    """Measure the similarity that crosses between folds, exactly.

    Parameters
    ----------
    similarity : Similarity
        Of n entities.
    labels : array-like of shape (n,)
        Fold of each entity; any labels.
    sums : ndarray of shape (n, n_folds), optional
        ``similarity.fold_sums`` of the sorted distinct labels (weighted, if there are weights),
        if already known.
    sample_weight : array-like of shape (n,), optional
        What an entity counts; a pair counts the product. By default 1.

    Returns
    -------
    leakage : Leakage

    Examples
    --------
    >>> from honesteval.similarity import PrecomputedSimilarity
    >>> similarity = PrecomputedSimilarity([[1.0, 0.9, 0.1], [0.9, 1.0, 0.2], [0.1, 0.2, 1.0]])
    >>> leakage = measure_leakage(similarity, [0, 0, 1])
    >>> round(leakage.crossing, 6), round(leakage.scaled, 6)
    (0.3, 0.25)
    """
    labels = check_1d(labels, "labels")
    check_same_length(similarity=np.empty(similarity.n_items), labels=labels)
    folds, codes = np.unique(labels, return_inverse=True)
    weight = np.ones(len(codes)) if sample_weight is None else np.asarray(sample_weight, float)
    check_same_length(labels=labels, sample_weight=weight)
    if sums is None:
        sums = similarity.fold_sums(np.eye(len(folds))[codes] * weight[:, None])
    sums = sums * weight[:, None]
    itself = self_similarity(similarity, weight)
    everything = (float(sums.sum()) - itself) / 2
    within = (float(sums[np.arange(len(labels)), codes].sum()) - itself) / 2
    return leakage_from_sums(codes, everything - within, everything, weight)


def leakage_from_sums(
    labels: NDArray[np.intp],
    crossing: float,
    total: float,
    weight: NDArray[np.float64] | None = None,
) -> Leakage:
    """Return the ways of printing L from the sums over crossing and over all pairs."""
    weight = np.ones(len(labels)) if weight is None else weight
    squares = np.bincount(labels, weight**2)
    sizes = np.bincount(labels, weight)
    all_pairs = float(weight.sum() ** 2 - squares.sum()) / 2
    inside_pairs = float((sizes**2 - squares).sum()) / 2
    cross_share = 1 - inside_pairs / all_pairs if all_pairs > 0 else 0.0
    crossing = max(crossing, 0.0)
    scaled = crossing / total if total > 0 else 0.0
    itself = float(squares.sum())
    return Leakage(
        crossing=crossing,
        total=total,
        scaled=scaled,
        scaled_with_diagonal=2 * crossing / (2 * total + itself) if len(labels) else 0.0,
        cross_share=cross_share,
        relative=scaled / cross_share if cross_share > 0 else 0.0,
    )


def similarity_inside(
    similarity: Similarity, item_of: NDArray[np.intp], weight: NDArray[np.float64]
) -> float:
    """Return the sum of similarity over pairs of samples of the same item."""
    total = 0.0
    counts = np.bincount(item_of)
    order = np.argsort(item_of, kind="stable")
    ends = np.cumsum(counts)
    for item in np.flatnonzero(counts > 1):
        members = order[ends[item] - counts[item] : ends[item]]
        here = weight[members]
        for rows in row_blocks(len(members), len(members)):
            block = similarity.block(members[rows], members)
            total += float(here[rows] @ block @ here) / 2
        total -= float(sum(weight[i] ** 2 * similarity.block([i], [i])[0, 0] for i in members)) / 2
    return total


def scaled_leakage(similarity: Similarity, labels: ArrayLike) -> float:
    """Return L divided by the sum over all pairs: see :func:`measure_leakage`."""
    return measure_leakage(similarity, labels).scaled


def self_similarity(similarity: Similarity, weight: NDArray[np.float64]) -> float:
    """Return the weighted sum of the diagonal (an empty fingerprint has 0 with itself)."""
    total = 0.0
    for start in range(0, similarity.n_items, 512):
        some = np.arange(start, min(start + 512, similarity.n_items))
        total += float(weight[some] ** 2 @ np.diagonal(similarity.block(some, some)))
    return total
