"""Coefficients of bit vectors other than Tanimoto's, as RDKit's bulk functions name them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from honesteval._validation import check_option
from honesteval.similarity._base import Similarity
from honesteval.similarity._packed_bits import PackedBits

__all__ = ["COEFFICIENTS", "BitSimilarity"]

FloatArray = NDArray[np.float64]


def _ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)


#: Coefficients of c shared bits, a and b bits set, n bits in all.
_FORMULAS: dict[str, Callable[[FloatArray, FloatArray, FloatArray, int], FloatArray]] = {
    "dice": lambda c, a, b, n: _ratio(2 * c, a + b),
    "sokal": lambda c, a, b, n: _ratio(c, 2 * a + 2 * b - 3 * c),
    "kulczynski": lambda c, a, b, n: _ratio(c * (a + b), 2 * a * b),
    "braun_blanquet": lambda c, a, b, n: _ratio(c, np.maximum(a, b)),
    "asymmetric": lambda c, a, b, n: _ratio(c, np.minimum(a, b)),
    "bit_cosine": lambda c, a, b, n: _ratio(c, np.sqrt(a * b)),
    "russel": lambda c, a, b, n: c / n,
    "all_bit": lambda c, a, b, n: (n - (a + b - 2 * c)) / n,
    "rogot_goldberg": lambda c, a, b, n: _rogot_goldberg(c, a + b, n),
}

COEFFICIENTS = tuple(_FORMULAS)

#: Those whose matrices are always positive semidefinite.
_SEMIDEFINITE = ("dice", "sokal", "bit_cosine", "russel", "all_bit")


def _rogot_goldberg(c: FloatArray, both: FloatArray, n: int) -> FloatArray:
    """Return the mean of the agreement on set and on empty bits; 1 where one of them is empty."""
    empty = n - both + c
    value = _ratio(c, both) + _ratio(empty, 2 * n - both)
    return np.where((c == n) | (empty == n), 1.0, value)


class BitSimilarity(Similarity):
    """A coefficient of shared bits.

    With a and b bits set in two fingerprints of n bits, and c shared:

    ==================  =========================================
    ``dice``            ``2c / (a + b)``
    ``sokal``           ``c / (2a + 2b - 3c)``
    ``kulczynski``      ``c (a + b) / (2ab)``
    ``braun_blanquet``  ``c / max(a, b)``
    ``asymmetric``      ``c / min(a, b)``: 1 for a part of another
    ``bit_cosine``      ``c / sqrt(ab)``
    ``russel``          ``c / n``
    ``all_bit``         ``(n - a - b + 2c) / n``
    ``rogot_goldberg``  ``c / (a + b) + d / (2n - a - b)``, d bits empty in both
    ==================  =========================================

    All lie in [0, 1]; where nothing is set that could be shared, 0 (``all_bit`` and
    ``rogot_goldberg`` count empty bits as agreement). ``russel`` of a fingerprint with itself is
    not 1. RDKit's McConnaughey is 2 ``kulczynski`` - 1 and orders pairs alike.

    Parameters
    ----------
    packed : ndarray of uint8 of shape (n, n_bytes)
        Fingerprints, eight bits a byte.
    coefficient : str
    name : str, optional
        The measure in words.
    keys : sequence of bytes, optional
        Content of each entity; by default its bits.

    Examples
    --------
    >>> import numpy as np
    >>> from honesteval.similarity import BitSimilarity
    >>> bits = np.packbits([[1, 1, 0, 0], [1, 1, 1, 0]], axis=1)
    >>> BitSimilarity(bits, "dice").block([0], [1])
    array([[0.8]])
    """

    def __init__(
        self,
        packed: NDArray[np.uint8],
        coefficient: str,
        *,
        name: str | None = None,
        keys: Sequence[bytes] | None = None,
    ) -> None:
        check_option(coefficient, "coefficient", COEFFICIENTS)
        self.bits, self.coefficient = PackedBits(packed), coefficient
        self.n_items = len(self.bits)
        self.name = name or f"{coefficient} coefficient of {8 * packed.shape[1]:,} bits"
        self.is_positive_semidefinite = coefficient in _SEMIDEFINITE
        self._keys = [row.tobytes() for row in self.bits.packed] if keys is None else list(keys)

    def block(
        self, rows: ArrayLike, columns: ArrayLike, *, dtype: DTypeLike = np.float64
    ) -> NDArray[Any]:
        row, column = np.asarray(rows, dtype=np.intp), np.asarray(columns, dtype=np.intp)
        if len(row) == 0 or len(column) == 0:
            return np.zeros((len(row), len(column)), dtype=dtype)
        a = self.bits.counts[row].astype(np.float64)[:, None]
        b = self.bits.counts[column].astype(np.float64)[None, :]
        differing = self.bits.kernel(self.bits.packed[row], self.bits.packed[column])
        shared = (a + b - differing) / 2
        a, b = np.broadcast_arrays(a, b)
        value = _FORMULAS[self.coefficient](shared, a, b, 8 * self.bits.packed.shape[1])
        return value.astype(dtype)

    def content_keys(self) -> list[bytes]:
        return self._keys

    def take(self, indices: ArrayLike) -> BitSimilarity:
        chosen = np.asarray(indices, dtype=np.intp)
        return BitSimilarity(
            self.bits.packed[chosen],
            self.coefficient,
            name=self.name,
            keys=[self._keys[i] for i in chosen],
        )
