"""A similarity below which pairs do not count."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from honesteval._validation import check_number
from honesteval.similarity._base import Similarity

__all__ = ["CutoffSimilarity"]


class CutoffSimilarity(Similarity):
    """Another similarity in which all values below a cutoff count as 0.

    Between unrelated molecules a Tanimoto coefficient of .1 is noise, and there are very many
    such pairs: with a cutoff the sums are made of relatives only. Thresholds and nearest
    neighbours are those of the similarity itself.

    Parameters
    ----------
    base : Similarity
    cutoff : float in [0, 1]
        Smaller similarities count as 0 in sums.

    Examples
    --------
    >>> from honesteval.similarity import CutoffSimilarity, PrecomputedSimilarity
    >>> S = PrecomputedSimilarity([[1.0, 0.8, 0.1], [0.8, 1.0, 0.2], [0.1, 0.2, 1.0]])
    >>> CutoffSimilarity(S, 0.15).block([0], [0, 1, 2])
    array([[1. , 0.8, 0. ]])
    """

    def __init__(self, base: Similarity, cutoff: float) -> None:
        self.base = base
        self.cutoff = check_number(cutoff, "objective_cutoff", low=0, high=1)
        self.n_items = base.n_items
        self.name = f"{base.name} where at least {self.cutoff:g}"
        self.merges_identical = base.merges_identical

    def content_keys(self) -> list[bytes]:
        return self.base.content_keys()

    def take(self, indices: ArrayLike) -> CutoffSimilarity:
        return CutoffSimilarity(self.base.take(indices), self.cutoff)

    def block(
        self, rows: ArrayLike, columns: ArrayLike, *, dtype: DTypeLike = np.float64
    ) -> NDArray[Any]:
        values = self.base.block(rows, columns, dtype=dtype)
        values[values < self.cutoff] = 0
        return values

    def nearest(
        self, queries: ArrayLike, references: ArrayLike
    ) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        return self.base.nearest(queries, references)

    def pairs_at_least(
        self, threshold: float, rows: ArrayLike | None = None, columns: ArrayLike | None = None
    ) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
        return self.base.pairs_at_least(threshold, rows, columns)

    def components_at_least(self, threshold: float) -> NDArray[np.intp]:
        return self.base.components_at_least(threshold)
