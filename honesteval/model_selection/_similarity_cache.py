"""Similarity computed once for a set of entities and any part of it, as nested loops need it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from honesteval.similarity import SequenceIdentity, Similarity, resolve_similarity, row_blocks

__all__ = ["SIMILARITY_CACHE", "SimilarityCache", "cached_similarity"]

#: Bytes that remembered similarities may take together.
MOST_BYTES = 2**28
#: Sets of entities that are remembered.
MOST_SETS = 16
#: Values of a caller's function are remembered for so many entities at the most.
MOST_REMEMBERED = 4_000
#: Bytes of an entity: a packed fingerprint, its key, and its place in a dictionary.
_BYTES_PER_ENTITY = 600

#: Measures that are costly to set up and say the same of two entities whatever the others are.
_COSTLY = ("auto", "molecule", "scaffold", "sequence", "kmer", "genome")


class SimilarityCache:
    """Similarities of the last sets of entities, found again by content.

    A part of a remembered set, in any order, is taken from it, as the inner loop of a nested
    cross-validation needs it. The answer is always that of a fresh computation.

    Parameters
    ----------
    most_bytes : int
        The sets used longest ago are forgotten beyond that.
    most_sets : int
    """

    def __init__(self, most_bytes: int = MOST_BYTES, most_sets: int = MOST_SETS) -> None:
        self.most_bytes, self.most_sets = most_bytes, most_sets
        self.n_computed = self.n_found = 0
        self._sets: OrderedDict[int, tuple[Any, dict[Hashable, int], Similarity, int]]
        self._sets = OrderedDict()
        self._number = 0
        self._lock = threading.RLock()

    def resolve(self, entities: Any, similarity: Any) -> Similarity:
        """Return :func:`honesteval.similarity.resolve_similarity`, computed or remembered."""
        keys = _keys(entities, similarity)
        if keys is None:
            return resolve_similarity(entities, similarity)
        with self._lock:
            for number, (measure, places, whole, _) in reversed(self._sets.items()):
                if measure == similarity and all(key in places for key in keys):
                    self._sets.move_to_end(number)
                    self.n_found += 1
                    return whole.take([places[key] for key in keys])
        found = resolve_similarity(entities, similarity)
        self.n_computed += 1
        if callable(similarity):
            found = _RememberedSimilarity(found)
        if not (isinstance(found, SequenceIdentity) and found.n_items > MOST_REMEMBERED):
            self._remember(similarity, keys, found)
        return found

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._sets.clear()
            self.n_computed = self.n_found = 0

    @property
    def n_bytes(self) -> int:
        """Estimate of the memory that is held."""
        return sum(size for *_, size in self._sets.values())

    def _remember(self, measure: Any, keys: list[Hashable], found: Similarity) -> None:
        places: dict[Hashable, int] = {}
        for place, key in enumerate(keys):
            places.setdefault(key, place)
        size = _BYTES_PER_ENTITY * len(keys)
        if callable(measure) or isinstance(found, SequenceIdentity):
            size += 8 * found.n_items**2
        with self._lock:
            self._number += 1
            self._sets[self._number] = measure, places, found, size
            while self._sets and (
                len(self._sets) > self.most_sets or self.n_bytes > self.most_bytes
            ):
                self._sets.popitem(last=False)


def _keys(entities: Any, similarity: Any) -> list[Hashable] | None:
    """Return something hashable for each entity that stands for its content, or None."""
    is_function = callable(similarity) and not isinstance(similarity, Similarity)
    if not is_function and similarity not in _COSTLY:
        return None
    if isinstance(entities, np.ndarray) and entities.ndim == 2 and entities.dtype != object:
        if is_function and len(entities) <= MOST_REMEMBERED:
            return [row.tobytes() for row in np.ascontiguousarray(entities)]
        return None
    if getattr(entities, "ndim", 1) != 1 or hasattr(entities, "toarray"):
        return None
    values = list(entities)
    if is_function and len(values) > MOST_REMEMBERED:
        return None
    return values if all(isinstance(value, str) for value in values) else None


class _RememberedSimilarity(Similarity):
    """A function of the caller's whose values are computed once, when they are first asked for."""

    def __init__(self, similarity: Similarity) -> None:
        self._values = _Values(similarity)
        self._places = np.arange(similarity.n_items)
        self._take_attributes(similarity)

    def _take_attributes(self, similarity: Similarity) -> None:
        self.name, self.n_items = similarity.name, len(self._places)
        self.merges_identical = similarity.merges_identical
        self.is_positive_semidefinite = similarity.is_positive_semidefinite

    def block(
        self, rows: ArrayLike, columns: ArrayLike, *, dtype: DTypeLike = np.float64
    ) -> NDArray[Any]:
        rows, columns = np.asarray(rows, dtype=np.intp), np.asarray(columns, dtype=np.intp)
        chosen = np.ix_(self._places[rows], self._places[columns])
        return self._values.matrix[chosen].astype(dtype)

    def content_keys(self) -> list[bytes]:
        return self._values.similarity.take(self._places).content_keys()

    def take(self, indices: ArrayLike) -> _RememberedSimilarity:
        part = object.__new__(_RememberedSimilarity)
        part._values = self._values
        part._places = self._places[np.asarray(indices, dtype=np.intp)]
        part._take_attributes(self)
        return part


class _Values:
    """The whole matrix of a similarity, computed in blocks on first use."""

    def __init__(self, similarity: Similarity) -> None:
        self.similarity = similarity
        self._matrix: NDArray[np.float64] | None = None
        self._lock = threading.Lock()

    @property
    def matrix(self) -> NDArray[np.float64]:
        with self._lock:
            if self._matrix is None:
                n = self.similarity.n_items
                everything = np.arange(n)
                matrix = np.empty((n, n))
                for rows in row_blocks(n, n):
                    matrix[rows] = self.similarity.block(everything[rows], everything)
                self._matrix = matrix
        return self._matrix


SIMILARITY_CACHE = SimilarityCache()


def cached_similarity(entities: Any, similarity: Any) -> Similarity:
    """Return the similarity of some entities from the cache of this process."""
    return SIMILARITY_CACHE.resolve(entities, similarity)
