"""Similarities that the caller computed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from scipy import sparse

from honesteval._validation import name_rows
from honesteval.similarity._base import Similarity, row_blocks

__all__ = ["PrecomputedSimilarity"]

#: Values this far outside [0, 1], or this far from symmetry, are taken for rounding.
ROUNDING_TOLERANCE = 1e-6


class PrecomputedSimilarity(Similarity):
    """A square matrix of similarities in [0, 1], dense or sparse (absent entries are 0).

    Parameters
    ----------
    matrix : array-like or sparse matrix of shape (n, n)
        Symmetric, without NaN, values in [0, 1] up to a rounding of 1e-6.
    is_distance : bool, default=False
        The matrix holds distances in [0, 1] (dense only); similarity is 1 - distance.

    Raises
    ------
    ValueError
        If the matrix is not square or symmetric, or holds NaN or values outside [0, 1]; the
        message names the first entries.

    Examples
    --------
    >>> from honesteval.similarity import PrecomputedSimilarity
    >>> similarity = PrecomputedSimilarity([[1.0, 0.8, 0.1], [0.8, 1.0, 0.0], [0.1, 0.0, 1.0]])
    >>> similarity.nearest([0], [1, 2])
    (array([0.8]), array([1]))
    """

    merges_identical = False

    def __init__(self, matrix: Any, *, is_distance: bool = False) -> None:
        self.name = "precomputed distance" if is_distance else "precomputed similarity"
        if sparse.issparse(matrix):
            if is_distance:
                raise ValueError(
                    "A sparse distance matrix is ambiguous: absent entries would be distance 0. "
                    "Give a dense matrix, or similarities with similarity='precomputed'."
                )
            values = sparse.csr_array(_real(matrix), dtype=np.float64)
        else:
            values = np.asarray(_real(np.asarray(matrix)))
            values = values.astype(np.float64 if values.dtype != np.float32 else np.float32)
        _check_square(values)
        if is_distance:
            _check_range(values, "distance")
            values = 1.0 - values
        else:
            _check_range(values, "similarity")
        self._matrix = _symmetric(values)
        self.n_items = values.shape[0]

    def block(
        self, rows: ArrayLike, columns: ArrayLike, *, dtype: DTypeLike = np.float64
    ) -> NDArray[Any]:
        rows, columns = np.asarray(rows, dtype=np.intp), np.asarray(columns, dtype=np.intp)
        part = self._matrix[rows][:, columns]
        dense = part.toarray() if sparse.issparse(part) else part
        return np.clip(dense, 0, 1).astype(dtype)

    def fold_sums(
        self, indicator: NDArray[Any], columns: ArrayLike | None = None
    ) -> NDArray[np.float64]:
        part = self._matrix if columns is None else self._matrix[:, np.asarray(columns, np.intp)]
        return np.asarray(part @ np.asarray(indicator, dtype=np.float64))

    def _pairs_in_blocks(
        self, threshold: float, rows: ArrayLike | None, columns: ArrayLike | None
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]]:
        """Compare in the precision of the matrix: 0.7 as float32 is a little less than 0.7."""
        own = float(self._matrix.dtype.type(threshold))
        return super()._pairs_in_blocks(own, rows, columns)

    def content_keys(self) -> list[bytes]:
        """Return a digest of each row's sorted similarities: the same in any order of the rows.

        Entities with the same sorted similarities share a key; they are then told apart by their
        place in the matrix.
        """
        keys = []
        for rows in row_blocks(self.n_items, self.n_items):
            block = self.block(np.arange(self.n_items)[rows], np.arange(self.n_items))
            keys += [hashlib.sha256(np.sort(row).tobytes()).digest() for row in block]
        return keys

    def take(self, indices: ArrayLike) -> PrecomputedSimilarity:
        indices = np.asarray(indices, dtype=np.intp)
        part = object.__new__(PrecomputedSimilarity)
        part.name = self.name
        part._matrix = self._matrix[indices][:, indices]
        part.n_items = len(indices)
        return part


def _real(matrix: Any) -> Any:
    if np.iscomplexobj(matrix):
        raise ValueError("A precomputed matrix must hold real numbers. Got complex ones.")
    return matrix


def _check_square(matrix: Any) -> None:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            f"A precomputed matrix must be square, one row and one column per entity. "
            f"Got shape {matrix.shape}."
        )
    if matrix.shape[0] == 0:
        raise ValueError("A precomputed matrix must hold one entity at least. Got shape (0, 0).")


def _check_range(matrix: Any, what: str) -> None:
    data = matrix.data if sparse.issparse(matrix) else matrix
    bad = ~((data >= -ROUNDING_TOLERANCE) & (data <= 1 + ROUNDING_TOLERANCE))
    if not bad.any():
        return
    if sparse.issparse(matrix):
        entries = matrix.tocoo()
        rows, columns, values = entries.row[bad], entries.col[bad], data[bad]
    else:
        rows, columns = np.nonzero(bad)
        values = matrix[rows, columns]
    raise ValueError(
        f"Every {what} must be a number in [0, 1]: {len(values)} entries are not, the first at "
        f"row {rows[0]}, column {columns[0]}: {values[0]} ({name_rows(np.unique(rows))}). "
        f"Rescale the matrix, or replace NaN by a known {what}."
    )


def _symmetric(matrix: Any) -> Any:
    """Return the matrix, of two entries that differ by rounding the larger; refuse others."""
    difference = abs(matrix - matrix.T)
    worst = difference.max()
    if worst == 0:
        return matrix
    if worst <= ROUNDING_TOLERANCE:
        mirrored = matrix.T
        if sparse.issparse(matrix):
            return sparse.csr_array(matrix.maximum(mirrored))
        return np.maximum(matrix, mirrored)
    if sparse.issparse(difference):
        entries = difference.tocoo()
        at = int(entries.data.argmax())
        row, column = int(entries.row[at]), int(entries.col[at])
    else:
        row, column = (int(i) for i in np.unravel_index(difference.argmax(), difference.shape))
    raise ValueError(
        f"A precomputed matrix must be symmetric: entry ({row}, {column}) is "
        f"{matrix[row, column]:g} but ({column}, {row}) is {matrix[column, row]:g}. "
        f"Use (S + S.T) / 2 if the order of the two does not matter."
    )
