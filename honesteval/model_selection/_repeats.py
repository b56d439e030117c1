"""Several partitions of the same samples that differ, at a stated price in similarity."""

from __future__ import annotations

import copy
import html
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, DTypeLike, NDArray
from sklearn.metrics import adjusted_rand_score

from honesteval.model_selection._entities_of import entities_and_groups
from honesteval.model_selection._seeds import seed_of
from honesteval.model_selection._similarity_cache import cached_similarity
from honesteval.model_selection._similarity_group_kfold import SimilarityGroupKFold
from honesteval.partition import Partition, measure_leakage
from honesteval.similarity import CutoffSimilarity, Similarity

__all__ = ["DIVERSITY", "RepeatedPartition", "repeat_partition"]

#: By how much the similarity of a pair counts less once the pair has always shared a fold.
DIVERSITY = 0.25
#: Above this many samples the search starts from a random part of them, and seeds alone differ.
_DISCOUNTED_SAMPLES = 12_000


@dataclass(frozen=True)
class RepeatedPartition:
    """Partitions of the same samples, and how much similarity they give up to differ.

    Attributes
    ----------
    partitions : tuple of Partition
        One per repeat.
    """

    partitions: tuple[Partition, ...]

    @property
    def labels(self) -> NDArray[np.intp]:
        """Fold of each sample in each repeat, of shape (n_repeats, n_samples)."""
        return np.stack([partition.labels for partition in self.partitions])

    @property
    def scaled_leakage(self) -> NDArray[np.float64]:
        """Scaled L of each repeat, of shape (n_repeats,)."""
        return np.array([partition.scaled_leakage for partition in self.partitions])

    @property
    def leakage_given_up(self) -> NDArray[np.float64]:
        """Scaled L of each repeat above that of the best one, of shape (n_repeats,)."""
        return self.scaled_leakage - self.scaled_leakage.min()

    @property
    def agreement(self) -> NDArray[np.float64]:
        """Adjusted Rand index between repeats (1: same folds, 0: as chance has it), all pairs."""
        return np.array(
            [[adjusted_rand_score(one, other) for other in self.labels] for one in self.labels]
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per repeat: L, what of it is given up, and the closest other repeat."""
        others = self.agreement - 2 * np.eye(len(self.partitions))
        return pd.DataFrame(
            {
                "scaled_leakage": self.scaled_leakage,
                "relative_leakage": [p.relative_leakage for p in self.partitions],
                "leakage_given_up": self.leakage_given_up,
                "highest_agreement": others.max(axis=1) if len(others) > 1 else np.nan,
            },
            index=pd.RangeIndex(len(self.partitions), name="repeat"),
        )

    def summary(self) -> str:
        """Return what a reader needs to know, in a few lines."""
        table = self.to_frame()
        line = f"{len(table)} repeats; scaled L from {table['scaled_leakage'].min():.4f} to "
        line += f"{table['scaled_leakage'].max():.4f}, on average "
        line += f"{table['leakage_given_up'].mean():.4f} above the best"
        if len(table) == 1:
            return line
        pairs = self.agreement[np.triu_indices(len(table), 1)]
        return line + (
            f"\nagreement of two repeats (adjusted Rand index) {pairs.mean():.2f} on average, "
            f"{pairs.max():.2f} at the most"
        )

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.summary())}</pre>{self.to_frame().to_html()}"


def repeat_partition(
    cv: SimilarityGroupKFold,
    shares: NDArray[np.float64],
    n_repeats: int,
    *,
    diversity: float,
    X: Any,
    y: Any = None,
    groups: Any = None,
) -> RepeatedPartition:
    """Partition the same samples several times, each time by the rules of ``cv``.

    Other seeds alone find the same optimum again. In each repeat the similarity of a pair counts
    less by ``diversity`` times the share of the earlier repeats in which the pair was together,
    so that cutting elsewhere pays; L is then measured on the similarities as they are.
    """
    entities, _ = entities_and_groups(X, groups, cv.on, type(cv).__name__)
    similarity = cached_similarity(entities, cv.similarity)
    counted = similarity
    if cv.objective_cutoff > 0:
        counted = CutoffSimilarity(similarity, cv.objective_cutoff)
    first = seed_of(cv.random_state)
    others = np.random.default_rng(first).integers(2**31, size=n_repeats - 1)
    found: list[Partition] = []
    for seed in (first, *others):
        repeat = copy.copy(cv)
        repeat.random_state, repeat.similarity = int(seed), similarity
        earlier = [partition.labels for partition in found]
        discounts = bool(earlier and diversity) and similarity.n_items <= _DISCOUNTED_SAMPLES
        searched = partial(_DiscountedSimilarity, earlier=earlier, diversity=diversity)
        partition = repeat._partition_into(
            shares, X, y, groups, searched=searched if discounts else None
        )
        found.append(_measured(partition, counted) if discounts else partition)
    return RepeatedPartition(tuple(found))


def _measured(partition: Partition, similarity: Similarity) -> Partition:
    """Return a partition with L of the similarities as they are, which it was not proven for."""
    assert partition._problem is not None
    kept = np.flatnonzero(partition.labels >= 0)
    everything = len(kept) == similarity.n_items
    similarity = similarity if everything else similarity.take(kept)
    leakage = measure_leakage(
        similarity,
        partition.labels[kept],
        sample_weight=partition._problem.sample_weight[kept] if everything else None,
    )
    status = "heuristic" if partition.status == "optimal" else partition.status
    return replace(partition, leakage=leakage, status=status, _similarity=similarity)


class _DiscountedSimilarity(Similarity):
    """A similarity that counts less in sums for pairs that shared a fold in earlier partitions.

    Thresholds and nearest neighbours are those of the similarity itself.
    """

    def __init__(
        self, similarity: Similarity, earlier: list[NDArray[np.intp]], diversity: float
    ) -> None:
        self._similarity = similarity
        self._earlier = earlier
        self._diversity = diversity
        self.name = similarity.name
        self.n_items = similarity.n_items
        self.merges_identical = similarity.merges_identical

    def block(
        self, rows: ArrayLike, columns: ArrayLike, *, dtype: DTypeLike = np.float64
    ) -> NDArray[Any]:
        rows, columns = np.asarray(rows, dtype=np.intp), np.asarray(columns, dtype=np.intp)
        values = self._similarity.block(rows, columns, dtype=dtype)
        step = np.asarray(self._diversity / len(self._earlier), dtype=dtype)
        factor = np.ones_like(values)
        for labels in self._earlier:
            factor -= step * (labels[rows][:, None] == labels[columns])
        return np.asarray(values * factor)

    def nearest(
        self, queries: ArrayLike, references: ArrayLike
    ) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        return self._similarity.nearest(queries, references)

    def pairs_at_least(
        self, threshold: float, rows: ArrayLike | None = None, columns: ArrayLike | None = None
    ) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
        return self._similarity.pairs_at_least(threshold, rows, columns)

    def components_at_least(self, threshold: float) -> NDArray[np.intp]:
        return self._similarity.components_at_least(threshold)

    def content_keys(self) -> list[bytes]:
        return self._similarity.content_keys()

    def take(self, indices: ArrayLike) -> _DiscountedSimilarity:
        chosen = np.asarray(indices, dtype=np.intp)
        earlier = [labels[chosen] for labels in self._earlier]
        return _DiscountedSimilarity(self._similarity.take(chosen), earlier, self._diversity)
