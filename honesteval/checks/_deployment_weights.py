"""Weights that give tested rows the composition of the entities to be met."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honesteval.checks._labels import LabelColumn
from honesteval.similarity import Similarity, row_blocks

__all__ = ["Surroundings", "rake", "surroundings"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

#: Training neighbours whose labels are compared, and the power of similarity that weighs them.
N_NEIGHBOURS, SIMILARITY_POWER = 10, 4
#: Bins of equal counts whose shares are matched: of similarity, and of disagreement.
SIMILARITY_BINS, DISAGREEMENT_BINS = 10, 3
#: Rounds of raking; the shares then agree to many digits.
N_ROUNDS = 50
#: Share of the tested rows' own distribution that is kept, so that no row loses all weight and
#: two distributions that no rows have together leave the nearest compromise.
KEPT_SHARE = 1e-3


@dataclass(frozen=True, eq=False)
class Surroundings:
    """What is known about rows from the labelled rows around them, without their own labels.

    Parameters
    ----------
    similarity : ndarray of shape (n,)
        To the nearest training row.
    disagreement : ndarray of shape (n,)
        Standard deviation of the labels of the ten nearest training rows, weighted by the fourth
        power of similarity (of classes: the root of the summed variances of their indicators).
    """

    similarity: FloatArray
    disagreement: FloatArray

    @staticmethod
    def joined(parts: list[Surroundings]) -> Surroundings:
        """Return several, one after the other."""
        return Surroundings(
            np.concatenate([part.similarity for part in parts]),
            np.concatenate([part.disagreement for part in parts]),
        )


def surroundings(
    similarity: Similarity, queries: IntArray, training: IntArray, labels: LabelColumn
) -> Surroundings:
    """Measure the surroundings of some entities among labelled training rows.

    Parameters
    ----------
    similarity : Similarity
        Its first items are the rows of ``labels``.
    queries, training : ndarray of int
        Positions of entities; of labelled rows.
    labels : LabelColumn
    """
    values = labels.values[training]
    table = values[:, None] if not labels.classes else np.eye(len(labels.classes))[
        values.astype(np.intp)
    ]  # fmt: skip
    n_near = min(N_NEIGHBOURS, len(training))
    nearest, disagreement = np.empty(len(queries)), np.empty(len(queries))
    for piece in row_blocks(len(queries), len(training)):
        block = similarity.block(queries[piece], training)
        near = np.argpartition(-block, n_near - 1, axis=1)[:, :n_near]
        value = np.take_along_axis(block, near, axis=1)
        weight = value**SIMILARITY_POWER + 1e-12  # all strangers count the same
        weight /= weight.sum(axis=1, keepdims=True)
        seen = table[near]
        mean = np.einsum("qn,qnc->qc", weight, seen)
        variance = np.einsum("qn,qnc->q", weight, (seen - mean[:, None, :]) ** 2)
        nearest[piece] = value.max(axis=1)
        disagreement[piece] = np.sqrt(variance)
    return Surroundings(nearest, disagreement)


def rake(tested: Surroundings, met: Surroundings) -> FloatArray:
    """Return row weights under which both distributions are those of the entities to be met.

    Iterative proportional fitting of the shares in ten bins of similarity and three of
    disagreement. What lies beyond the tested rows goes to the bin next to it; a bin without
    tested rows cannot be filled and its share goes to the others.

    Parameters
    ----------
    tested, met : Surroundings

    Returns
    -------
    weights : ndarray of shape (n_tested,)
        Their sum is n_tested.

    References
    ----------
    W. E. Deming, F. F. Stephan, Ann. Math. Stat. 11 (1940) 427-444,
    doi:10.1214/aoms/1177731829.
    """
    margins = [
        _margin(tested.similarity, met.similarity, SIMILARITY_BINS),
        _margin(tested.disagreement, met.disagreement, DISAGREEMENT_BINS),
    ]
    n = len(tested.similarity)
    weights = np.ones(n)
    for _ in range(N_ROUNDS):
        for bins, wanted in reversed(margins):  # similarity last: it agrees exactly
            held = np.bincount(bins, weights, minlength=len(wanted))
            ratio = np.divide(wanted, held, out=np.zeros_like(held), where=held > 0)
            weights = weights * ratio[bins]
        weights *= n / weights.sum()
    return weights


def _margin(tested: FloatArray, met: FloatArray, n_bins: int) -> tuple[IntArray, FloatArray]:
    """Return the bin of each tested row, and the share of the entities to be met in each bin."""
    edges = np.unique(np.quantile(tested, np.linspace(0, 1, n_bins + 1)))[1:-1]
    count = np.bincount(np.searchsorted(edges, met, side="right"), minlength=len(edges) + 1)
    bins = np.searchsorted(edges, tested, side="right")
    own = np.bincount(bins, minlength=len(edges) + 1) / len(tested)
    return bins, (1 - KEPT_SHARE) * count / len(met) + KEPT_SHARE * own
