"""Tanimoto similarity of binary fingerprints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from threadpoolctl import threadpool_limits

from honesteval.similarity._base import Similarity, row_blocks
from honesteval.similarity._minhash import MinHashSketch
from honesteval.similarity._packed_bits import Kernel, PackedBits

__all__ = ["TanimotoSimilarity"]

#: Rows of a block whose similarities stay in the processor's cache.
_CACHE_ELEMENTS = 2**20
#: Similarities added up in float32 before they go on in float64.
_COLUMNS_AT_ONCE = 4096
#: float32 quotients this close below a threshold are looked at again in integers.
_FLOAT32_SLACK = 1e-6
#: Fractions with denominators below this stay apart in float32.
_FLOAT32_LIMIT = 2**12
#: Denominators up to this keep the integer comparison inside 64 bits.
_LARGEST_DENOMINATOR = 10**12


class TanimotoSimilarity(Similarity):
    """Tanimoto (Jaccard) coefficient: shared bits divided by bits set in either.

    ``T(a, b) = |a & b| / |a | b|``, in [0, 1]. Two fingerprints without any bit have 0: nothing
    is known that they have in common. The matrix is positive semidefinite (Gower 1971).

    Parameters
    ----------
    packed : ndarray of uint8 of shape (n, n_bytes)
        Fingerprints, eight bits a byte.
    name : str, default="Tanimoto"
        The measure in words.
    keys : sequence of bytes, optional
        Content of each entity (for molecules the canonical SMILES); by default its bits.
    kernel : callable, optional
        See :class:`honesteval.similarity._packed_bits.PackedBits`.

    References
    ----------
    J. C. Gower, "A general coefficient of similarity and some of its properties",
    Biometrics 27 (1971) 857-871.

    Examples
    --------
    >>> import numpy as np
    >>> from honesteval.similarity import TanimotoSimilarity
    >>> bits = np.array([[1, 1, 0, 0], [1, 1, 1, 0], [0, 0, 0, 0]], dtype=bool)
    >>> similarity = TanimotoSimilarity(np.packbits(bits, axis=1))
    >>> similarity.block([0, 2], [0, 1, 2]).round(4)
    array([[1.    , 0.6667, 0.    ],
           [0.    , 0.    , 0.    ]])
    """

    is_positive_semidefinite = True

    def __init__(
        self,
        packed: NDArray[np.uint8],
        *,
        name: str = "Tanimoto",
        keys: Sequence[bytes] | None = None,
        kernel: Kernel | None = None,
    ) -> None:
        self.bits = PackedBits(packed, kernel)
        self.name = name
        self.n_items = len(self.bits)
        self._keys = None if keys is None else list(keys)

    def content_keys(self) -> list[bytes]:
        if self._keys is not None:
            return self._keys
        return [row.tobytes() for row in self.bits.packed]

    def take(self, indices: ArrayLike) -> TanimotoSimilarity:
        indices = np.asarray(indices, dtype=np.intp)
        keys = None if self._keys is None else [self._keys[i] for i in indices]
        return TanimotoSimilarity(
            self.bits.packed[indices], name=self.name, keys=keys, kernel=self.bits.kernel
        )

    def block(
        self, rows: ArrayLike, columns: ArrayLike, *, dtype: DTypeLike = np.float64
    ) -> NDArray[Any]:
        rows, columns = np.asarray(rows, dtype=np.intp), np.asarray(columns, dtype=np.intp)
        result = np.empty((len(rows), len(columns)), dtype=dtype)
        for piece in row_blocks(len(rows), len(columns), limit=_CACHE_ELEMENTS):
            result[piece] = self.bits.tanimoto(rows[piece], columns, result.dtype.type)
        return result

    def fold_sums(
        self, indicator: NDArray[Any], columns: ArrayLike | None = None
    ) -> NDArray[np.float64]:
        everything = np.arange(self.n_items)
        indicator = np.ascontiguousarray(indicator, dtype=np.float32)
        if columns is None:
            return self._all_fold_sums(indicator)
        chosen = np.asarray(columns, dtype=np.intp)
        pieces = list(row_blocks(self.n_items, _COLUMNS_AT_ONCE, limit=_CACHE_ELEMENTS))
        sums = np.zeros((self.n_items, indicator.shape[1]))

        def add(piece: slice) -> None:
            for start in range(0, len(chosen), _COLUMNS_AT_ONCE):
                some = chosen[start : start + _COLUMNS_AT_ONCE]
                block = self.bits.tanimoto(everything[piece], some, np.float32)
                sums[piece] += block @ indicator[start : start + _COLUMNS_AT_ONCE]

        with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor() as pool:
            list(pool.map(add, pieces))
        return sums

    def _all_fold_sums(self, indicator: NDArray[np.float32]) -> NDArray[np.float64]:
        """Meet each pair of blocks once, for the sums of both."""
        everything = np.arange(self.n_items)
        starts = range(0, self.n_items, _COLUMNS_AT_ONCE)
        pieces = [everything[start : start + _COLUMNS_AT_ONCE] for start in starts]
        pairs = [(i, j) for i in range(len(pieces)) for j in range(i, len(pieces))]

        def add(pair: tuple[int, int]) -> list[tuple[int, NDArray[np.float64]]]:
            i, j = pair
            found = []
            part_i = np.zeros((len(pieces[i]), indicator.shape[1]), dtype=np.float64)
            part_j = np.zeros((len(pieces[j]), indicator.shape[1]), dtype=np.float64)
            for rows in row_blocks(len(pieces[i]), len(pieces[j]), limit=_CACHE_ELEMENTS):
                block = self.bits.tanimoto(pieces[i][rows], pieces[j], np.float32)
                part_i[rows] = block @ indicator[pieces[j]]
                if i != j:
                    part_j += block.T @ indicator[pieces[i][rows]]
            found.append((i, part_i))
            if i != j:
                found.append((j, part_j))
            return found

        sums = np.zeros((self.n_items, indicator.shape[1]))
        with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor() as pool:
            for found in pool.map(add, pairs):  # added in order: the same sums on any machine
                for i, part in found:
                    sums[pieces[i]] += part
        return sums

    def nearest(
        self, queries: ArrayLike, references: ArrayLike
    ) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        queries = np.asarray(queries, dtype=np.intp)
        references = np.asarray(references, dtype=np.intp)
        if len(references) == 0 or not self._float32_tells_apart():
            return super().nearest(queries, references)
        best = np.empty(len(queries), dtype=np.intp)

        def look(piece: slice) -> None:
            block = self.bits.tanimoto(queries[piece], references, np.float32)
            best[piece] = block.argmax(axis=1)

        self._in_threads(look, len(queries), len(references))
        index = references[best]
        shared, union = self.bits.shared_and_union(queries, index)
        return shared / np.maximum(union, 1), index

    def nearest_mean(
        self,
        queries: ArrayLike,
        references: ArrayLike,
        values: ArrayLike,
        *,
        tie_tolerance: float = 1e-9,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.intp]]:
        queries = np.asarray(queries, dtype=np.intp)
        references = np.asarray(references, dtype=np.intp)
        values = np.asarray(values, dtype=np.float64)
        telling = self._float32_tells_apart() and 0 <= tie_tolerance < _FLOAT32_LIMIT**-2
        if len(references) == 0 or not telling:
            return super().nearest_mean(queries, references, values, tie_tolerance=tie_tolerance)
        similarity = np.empty(len(queries))
        mean = np.empty((len(queries), *values.shape[1:]))
        n_tied = np.empty(len(queries), dtype=np.intp)

        def look(piece: slice) -> None:
            block = self.bits.tanimoto(queries[piece], references, np.float32)
            query, tied = np.nonzero(block == block.max(axis=1)[:, None])
            starts = np.searchsorted(query, np.arange(len(block)))
            n_tied[piece] = np.bincount(query, minlength=len(block))
            sums = np.add.reduceat(values[tied], starts, axis=0)
            mean[piece] = (sums.T / n_tied[piece]).T
            one = references[tied[starts]]
            shared, union = self.bits.shared_and_union(queries[piece], one)
            similarity[piece] = shared / np.maximum(union, 1)

        self._in_threads(look, len(queries), len(references))
        return similarity, mean, n_tied

    def _float32_tells_apart(self) -> bool:
        """Whether different coefficients are different in float32, and equal ones equal.

        Two fractions with denominators below 2**12 differ by more than 2**-24, the spacing of
        float32 below 1, and both are quotients of exact integers.
        """
        return 2 * int(self.bits.counts.max(initial=0)) < _FLOAT32_LIMIT

    @staticmethod
    def _in_threads(look: Callable[[slice], None], n_rows: int, n_columns: int) -> None:
        pieces = list(row_blocks(n_rows, n_columns, limit=4 * _CACHE_ELEMENTS))
        with ThreadPoolExecutor() as pool:
            list(pool.map(look, pieces))

    def _pairs_in_blocks(
        self, threshold: float, rows: ArrayLike | None, columns: ArrayLike | None
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]]:
        among_all = rows is None and columns is None
        row_ids = np.arange(self.n_items) if rows is None else np.asarray(rows, dtype=np.intp)
        column_ids = np.arange(self.n_items) if columns is None else np.asarray(columns, np.intp)
        # T >= t needs counts within a factor t of each other: sorted by count, that is a window.
        row_ids = row_ids[np.argsort(self.bits.counts[row_ids], kind="stable")]
        column_ids = column_ids[np.argsort(self.bits.counts[column_ids], kind="stable")]
        column_counts = self.bits.counts[column_ids]
        for piece in row_blocks(len(row_ids), len(column_ids), limit=_CACHE_ELEMENTS):
            some = row_ids[piece]
            counts = self.bits.counts[some]
            low = np.searchsorted(column_counts, np.floor(counts[0] * threshold), "left")
            # a pair among all is met once from its smaller fingerprint's side
            low = max(low, piece.start) if among_all else low
            high = len(column_ids)
            if threshold > 0:
                high = np.searchsorted(column_counts, np.ceil(counts[-1] / threshold), "right")
            window = column_ids[low:high]
            block = self.bits.tanimoto(some, window, np.float32)
            i, j = np.nonzero(block >= threshold - _FLOAT32_SLACK)
            if among_all:
                later = np.arange(piece.start, piece.stop)[i] < low + j
                i, j = i[later], j[later]
            first, second = some[i], window[j]
            reached, value = self._reaches(first, second, threshold)
            first, second = first[reached], second[reached]
            if among_all:
                first, second = np.minimum(first, second), np.maximum(first, second)
            yield first, second, value[reached]

    def _reaches(
        self, first: NDArray[np.intp], second: NDArray[np.intp], threshold: float
    ) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Compare intersection and union counts with the threshold as an exact fraction."""
        shared, union = self.bits.shared_and_union(first, second)
        value = shared / np.maximum(union, 1)
        exact = Fraction(repr(float(threshold)))
        if exact.denominator > _LARGEST_DENOMINATOR:
            return value >= threshold, value
        return shared * exact.denominator >= union * exact.numerator, value

    def sketch(
        self, n_hashes: int, random_state: int, *, n_jobs: int | None = None
    ) -> MinHashSketch:
        """Return MinHash signatures of the fingerprints."""
        return MinHashSketch.from_packed(self.bits.packed, n_hashes, random_state, n_jobs=n_jobs)
