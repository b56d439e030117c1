"""Entities of several types in one partition problem: similarity, and pairs not to be lost."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from scipy import sparse

from honesteval.model_selection._pair_entities import EntityType
from honesteval.similarity import Similarity

__all__ = ["JointSimilarity", "total_similarity"]

#: Largest objective coefficient; the partition engine resolves 2**-16.
_LARGEST = 64.0


def total_similarity(similarity: Similarity, weight: NDArray[np.float64]) -> float:
    """Return the sum of similarity over pairs of different items, weighted by the product."""
    sums = similarity.fold_sums(weight[:, None])[:, 0]
    rows = np.arange(similarity.n_items)
    itself = sum(
        float(weight[some] ** 2 @ np.diagonal(similarity.block(some, some)))
        for some in np.array_split(rows, max(1, len(rows) // 512))
    )
    return (float(sums @ weight) - itself) / 2


class JointSimilarity(Similarity):
    """What putting two entities into different folds costs, whatever their types.

    Within a type: its scaled L. Across columns: ``pair_loss_weight`` times the share of the rows
    that are lost. Across types, where the caller gives a similarity: its scaled L.

    Parameters
    ----------
    types : list of EntityType
    pair_loss_weight : float
    cross : dict of (int, int) to ndarray
        Similarity between the entities of two types.
    """

    merges_identical = False

    def __init__(
        self,
        types: list[EntityType],
        pair_loss_weight: float,
        cross: dict[tuple[int, int], NDArray[np.float64]],
    ) -> None:
        self.name = "joint similarity of " + " and ".join(kind.name for kind in types)
        self._types, self._cross = types, cross
        sizes = [len(kind.values) for kind in types]
        self._starts = np.concatenate([[0], np.cumsum(sizes)])
        self.n_items = int(self._starts[-1])
        self.weight = np.concatenate([kind.n_pairs for kind in types])
        self._links = pair_loss_weight * self._pairs_between_entities()
        self._scales = {}
        for r, kind in enumerate(types):
            self._scales[r, r] = _inverse(total_similarity(kind.similarity, kind.n_pairs))
        for (r, s), matrix in cross.items():
            total = float(types[r].n_pairs @ matrix @ types[s].n_pairs)
            self._scales[r, s] = self._scales[s, r] = _inverse(total)
        self._factor = _LARGEST / self._largest_coefficient()

    def _pairs_between_entities(self) -> sparse.csr_array:
        """Return the share of the rows in which two entities stand in two columns."""
        codes = np.hstack(
            [kind.codes + start for kind, start in zip(self._types, self._starts, strict=False)]
        )
        n, n_columns = codes.shape
        links = sparse.csr_array((self.n_items, self.n_items))
        for i in range(n_columns):
            for j in range(i):
                one, other = codes[:, i], codes[:, j]
                apart = one != other
                share = np.full(int(apart.sum()), 1 / (n * n_columns * (n_columns - 1) / 2))
                part = sparse.csr_array(
                    (share, (one[apart], other[apart])), shape=(self.n_items, self.n_items)
                )
                links = links + part + part.T
        links.sum_duplicates()
        return sparse.csr_array(links)

    def _largest_coefficient(self) -> float:
        largest = float(self._links.max()) if self._links.nnz else 0.0
        for r, kind in enumerate(self._types):
            heaviest = np.sort(kind.n_pairs)[-2:]
            largest = max(largest, self._scales[r, r] * float(heaviest.prod()))
        return largest or 1.0

    def block(
        self, rows: ArrayLike, columns: ArrayLike, *, dtype: DTypeLike = np.float64
    ) -> NDArray[Any]:
        rows, columns = np.asarray(rows, dtype=np.intp), np.asarray(columns, dtype=np.intp)
        weights = self.weight[rows][:, None] * self.weight[columns]
        result = self._links[rows][:, columns].toarray() / weights
        here, there = self._type_of(rows), self._type_of(columns)
        for (r, s), scale in self._scales.items():
            i, j = np.flatnonzero(here == r), np.flatnonzero(there == s)
            if scale and len(i) and len(j):
                a, b = rows[i] - self._starts[r], columns[j] - self._starts[s]
                result[np.ix_(i, j)] += scale * self._between(r, s, a, b)
        unit = float(self.weight.mean())
        return np.asarray(result * (self._factor * unit**2), dtype=dtype)

    def _between(
        self, r: int, s: int, a: NDArray[np.intp], b: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        if r == s:
            return self._types[r].similarity.block(a, b)
        if (r, s) in self._cross:
            return self._cross[r, s][np.ix_(a, b)]
        return self._cross[s, r][np.ix_(b, a)].T

    def _type_of(self, items: NDArray[np.intp]) -> NDArray[np.intp]:
        return np.searchsorted(self._starts, items, side="right") - 1

    def of_type(self, r: int) -> slice:
        """Return the place of the entities of a type among all."""
        return slice(int(self._starts[r]), int(self._starts[r + 1]))

    def content_keys(self) -> list[bytes]:
        return [
            kind.name.encode() + b"\0" + key
            for kind in self._types
            for key in kind.similarity.content_keys()
        ]

    def take(self, indices: ArrayLike) -> Similarity:
        raise NotImplementedError("The entities of several types are divided only as a whole.")


def _inverse(total: float) -> float:
    return 1 / total if total > 0 else 0.0
