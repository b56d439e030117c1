"""Fingerprints as packed bits, and how many bits differ between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["PackedBits", "differing_bits_numpy", "differing_bits_numkong", "fastest_kernel"]

Kernel = Callable[[NDArray[np.uint8], NDArray[np.uint8]], NDArray[Any]]

_UNPACKED_ROWS = 4096


def differing_bits_numpy(
    rows: NDArray[np.uint8], columns: NDArray[np.uint8]
) -> NDArray[np.float32]:
    """Count the differing bits by a matrix product; exact, since counts are small integers."""
    row_counts = np.bitwise_count(rows).sum(axis=1, dtype=np.float32)
    row_bits = np.unpackbits(rows, axis=1).astype(np.float32)
    differing = np.empty((len(rows), len(columns)), dtype=np.float32)
    for start in range(0, len(columns), _UNPACKED_ROWS):
        piece = columns[start : start + _UNPACKED_ROWS]
        shared = row_bits @ np.unpackbits(piece, axis=1).astype(np.float32).T
        counts = np.bitwise_count(piece).sum(axis=1, dtype=np.float32)
        differing[:, start : start + len(piece)] = row_counts[:, None] + counts - 2 * shared
    return differing


def differing_bits_numkong(
    rows: NDArray[np.uint8], columns: NDArray[np.uint8]
) -> NDArray[np.uint32]:
    """Count the differing bits with numkong's packed kernel."""
    import numkong

    packed = numkong.hammings_pack(np.ascontiguousarray(columns), dtype="uint1")
    return np.asarray(numkong.hammings_packed(np.ascontiguousarray(rows), packed))


def fastest_kernel() -> Kernel:
    """Return the numkong kernel where numkong can be imported, else the NumPy one."""
    try:
        import numkong  # noqa: F401
    except ImportError:
        return differing_bits_numpy
    return differing_bits_numkong


class PackedBits:
    """Fingerprints with their bit counts and a kernel for the number of differing bits.

    Parameters
    ----------
    packed : ndarray of uint8 of shape (n, n_bytes)
        Eight bits a byte, in any fixed order of the bits.
    kernel : callable, optional
        ``kernel(rows, columns)`` returns the numbers of differing bits. By default the fastest
        one available; all give the same integers.
    """

    def __init__(self, packed: NDArray[np.uint8], kernel: Kernel | None = None) -> None:
        self.packed = np.ascontiguousarray(packed, dtype=np.uint8)
        self.counts = np.bitwise_count(self.packed).sum(axis=1, dtype=np.int64)
        self.kernel = kernel or fastest_kernel()

    def __len__(self) -> int:
        return len(self.packed)

    def shared_and_union(
        self, rows: NDArray[np.intp], columns: NDArray[np.intp]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return intersection and union counts of paired fingerprints (not a block)."""
        shared = np.bitwise_count(self.packed[rows] & self.packed[columns]).sum(
            axis=1, dtype=np.int64
        )
        return shared, self.counts[rows] + self.counts[columns] - shared

    def tanimoto(
        self, rows: NDArray[np.intp], columns: NDArray[np.intp], dtype: Any
    ) -> NDArray[Any]:
        """Return a block of Tanimoto coefficients; two empty fingerprints have 0.

        Intersection and union are exact integers, so that every kernel gives the same quotient.
        """
        if len(rows) == 0 or len(columns) == 0:
            return np.zeros((len(rows), len(columns)), dtype=dtype)
        differing = self.kernel(self.packed[rows], self.packed[columns]).astype(dtype)
        both = self.counts[rows].astype(dtype)[:, None] + self.counts[columns].astype(dtype)
        shared_twice = both - differing
        both += differing  # now twice the union
        if (self.counts[rows] == 0).any() and (self.counts[columns] == 0).any():
            both[both == 0] = 1
        shared_twice /= both
        return shared_twice
