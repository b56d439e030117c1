"""The protocol behind which every measure of similarity stands."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

__all__ = ["BLOCK_ELEMENTS", "Similarity", "row_blocks"]

#: Largest number of similarities held at once by a computation in blocks (128 MB in float64).
BLOCK_ELEMENTS = 2**24


def row_blocks(n_rows: int, n_columns: int, *, limit: int = BLOCK_ELEMENTS) -> Iterator[slice]:
    """Yield slices of rows so that a block of them against all columns stays below ``limit``."""
    size = int(np.clip(limit // max(n_columns, 1), 1, 4096))
    for start in range(0, n_rows, size):
        yield slice(start, min(start + size, n_rows))


class Similarity(ABC):
    """Similarity in [0, 1] between the entities it was made from.

    A subclass gives :meth:`block`, :meth:`content_keys` and :meth:`take`; everything else is
    computed from them in blocks of bounded memory and may be overridden where a faster exact way
    exists. Similarity must be symmetric.

    Attributes
    ----------
    name : str
        The measure in words, as printed in reports.
    n_items : int
        Number of entities.
    is_positive_semidefinite : bool
        True when every such matrix is positive semidefinite; the linearised ascent of
        :mod:`honesteval.partition` then never gets worse, and the eigenvalue bound is tighter.
    merges_identical : bool
        True when equal content means the same entity, which then must stay in one fold.
    """

    name: str
    n_items: int
    is_positive_semidefinite: bool = False
    merges_identical: bool = True

    @abstractmethod
    def block(
        self, rows: ArrayLike, columns: ArrayLike, *, dtype: DTypeLike = np.float64
    ) -> NDArray[Any]:
        """Return the similarities of some entities to others.

        Parameters
        ----------
        rows, columns : array-like of int, shapes (r,) and (c,)
            Positions of entities.
        dtype : {numpy.float64, numpy.float32}, default=numpy.float64
            Type of the result.

        Returns
        -------
        similarities : ndarray of shape (r, c)
            Values in [0, 1].
        """

    @abstractmethod
    def content_keys(self) -> list[bytes]:
        """Return one key per entity, equal for equal content, whatever the order of the rows."""

    @abstractmethod
    def take(self, indices: ArrayLike) -> Similarity:
        """Return the similarity among a selection of the entities, in that order."""

    def fold_sums(
        self, indicator: NDArray[Any], columns: ArrayLike | None = None
    ) -> NDArray[np.float64]:
        """Return the sum of the similarities of each entity to each fold, itself included.

        Parameters
        ----------
        indicator : ndarray of shape (n_columns, n_folds)
            Weight with which an entity counts in a fold; usually 0 or 1.
        columns : array-like of int of shape (n_columns,), optional
            The entities that count; by default all.

        Returns
        -------
        sums : ndarray of shape (n_items, n_folds)
            The product of the similarity matrix with ``indicator``, without forming the matrix.
        """
        everything = np.arange(self.n_items)
        chosen = everything if columns is None else np.asarray(columns, dtype=np.intp)
        sums = np.empty((self.n_items, indicator.shape[1]))
        for rows in row_blocks(self.n_items, len(chosen)):
            sums[rows] = self.block(everything[rows], chosen) @ indicator
        return sums

    def nearest(
        self, queries: ArrayLike, references: ArrayLike
    ) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        """Return the highest similarity of each query to the references, and which it is.

        Parameters
        ----------
        queries, references : array-like of int, shapes (q,) and (r,)
            Positions of entities; there must be at least one reference.

        Returns
        -------
        similarity : ndarray of shape (q,)
        index : ndarray of int of shape (q,)
            Position of the nearest reference among all entities; the first of several equal ones.
        """
        queries, references = np.asarray(queries, dtype=np.intp), _some(references)
        similarity = np.empty(len(queries))
        index = np.empty(len(queries), dtype=np.intp)
        for rows in row_blocks(len(queries), len(references)):
            block = self.block(queries[rows], references)
            best = block.argmax(axis=1)
            similarity[rows] = block[np.arange(len(best)), best]
            index[rows] = references[best]
        return similarity, index

    def nearest_mean(
        self,
        queries: ArrayLike,
        references: ArrayLike,
        values: ArrayLike,
        *,
        tie_tolerance: float = 1e-9,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.intp]]:
        """Return the mean of a value over all references tied for nearest.

        Parameters
        ----------
        queries, references : array-like of int, shapes (q,) and (r,)
            Positions of entities.
        values : array-like of shape (r,) or (r, n_values)
            Value of each reference.
        tie_tolerance : float, default=1e-9
            References this close to the highest similarity count as tied with it.

        Returns
        -------
        similarity : ndarray of shape (q,)
            The highest similarity.
        mean : ndarray of shape (q,) or (q, n_values)
            Mean value over the tied references.
        n_tied : ndarray of int of shape (q,)
        """
        queries, references = np.asarray(queries, dtype=np.intp), _some(references)
        values = np.asarray(values, dtype=np.float64)
        similarity = np.empty(len(queries))
        mean = np.empty((len(queries), *values.shape[1:]))
        n_tied = np.empty(len(queries), dtype=np.intp)
        for rows in row_blocks(len(queries), len(references)):
            block = self.block(queries[rows], references)
            similarity[rows] = block.max(axis=1)
            tied = block >= similarity[rows, None] - tie_tolerance
            n_tied[rows] = tied.sum(axis=1)
            mean[rows] = ((tied @ values).T / n_tied[rows]).T
        return similarity, mean, n_tied

    def pairs_at_least(
        self, threshold: float, rows: ArrayLike | None = None, columns: ArrayLike | None = None
    ) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
        """Return all pairs that are at least this similar.

        Parameters
        ----------
        threshold : float in [0, 1]
        rows, columns : array-like of int, optional
            Look at pairs between these two sets. By default all pairs of entities, each once
            (first position smaller than second).

        Returns
        -------
        first, second : ndarray of int of shape (n_pairs,)
            Positions of the entities, in order of ``first`` then ``second``.
        similarity : ndarray of shape (n_pairs,)
        """
        found = list(self._pairs_in_blocks(threshold, rows, columns))
        first = np.concatenate([pairs[0] for pairs in found] or [np.empty(0, np.intp)])
        second = np.concatenate([pairs[1] for pairs in found] or [np.empty(0, np.intp)])
        value = np.concatenate([pairs[2] for pairs in found] or [np.empty(0)])
        order = np.lexsort((second, first))
        return first[order], second[order], value[order]

    def components_at_least(self, threshold: float) -> NDArray[np.intp]:
        """Return connected components of the graph of pairs at least this similar.

        Entities in different components are always less similar than ``threshold``. The matrix
        is never held: edges are merged block by block.

        Parameters
        ----------
        threshold : float in [0, 1]

        Returns
        -------
        labels : ndarray of int of shape (n_items,)
            Component of each entity, from 0.
        """
        labels = np.arange(self.n_items)
        for first, second, _ in self._pairs_in_blocks(threshold, None, None):
            if len(first):
                labels = _merge(labels, first, second)
        return labels

    def _pairs_in_blocks(
        self, threshold: float, rows: ArrayLike | None, columns: ArrayLike | None
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]]:
        among_all = rows is None and columns is None
        everything = np.arange(self.n_items)
        row_ids = everything if rows is None else np.asarray(rows, dtype=np.intp)
        column_ids = everything if columns is None else np.asarray(columns, dtype=np.intp)
        for piece in row_blocks(len(row_ids), len(column_ids)):
            later = column_ids[piece.start :] if among_all else column_ids
            block = self.block(row_ids[piece], later)
            i, j = np.nonzero(block >= threshold)
            first, second = row_ids[piece][i], later[j]
            keep = first < second if among_all else slice(None)
            yield first[keep], second[keep], block[i, j][keep]

    def sketch(self, n_hashes: int, random_state: int, *, n_jobs: int | None = None) -> Any:
        """Return an object with ``fold_sums`` in time linear in n, or None when there is none."""
        return None


def _some(references: ArrayLike) -> NDArray[np.intp]:
    references = np.asarray(references, dtype=np.intp)
    if len(references) == 0:
        raise ValueError("There is no reference to be near to: the set of references is empty.")
    return references


def _merge(
    labels: NDArray[np.intp], first: NDArray[np.intp], second: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Merge the components that new edges join; labels stay consecutive from 0."""
    n = int(labels.max()) + 1
    ends = np.unique(np.stack([labels[first], labels[second]]), axis=1)
    edges = coo_array((np.ones(ends.shape[1], dtype=np.int8), (ends[0], ends[1])), shape=(n, n))
    merged = connected_components(edges, directed=False)[1]
    return merged[labels].astype(np.intp)
