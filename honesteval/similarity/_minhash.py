"""MinHash signatures: Tanimoto estimated in memory and time linear in the number of entities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

__all__ = ["MinHashSketch"]

_ROWS_AT_ONCE = 65_536


@dataclass(frozen=True)
class MinHashSketch:
    """The first set bit of each fingerprint under several random orders of the bits.

    Two fingerprints agree in one such bit with a probability equal to their Tanimoto coefficient
    (Broder 1997), so that the share of agreements is an unbiased estimate of it, and the matrix
    of shares is positive semidefinite. Sums of similarity to folds follow by counting.

    Parameters
    ----------
    signatures : ndarray of int32 of shape (n_hashes, n)
        Position of the first set bit; ``n_bits`` for an empty fingerprint, which agrees with none.
    n_bits : int
        Length of the fingerprints.

    References
    ----------
    A. Z. Broder, "On the resemblance and containment of documents", SEQUENCES (1997) 21-29.
    """

    signatures: NDArray[np.int32]
    n_bits: int

    @classmethod
    def from_packed(
        cls,
        packed: NDArray[np.uint8],
        n_hashes: int,
        random_state: int,
        *,
        n_jobs: int | None = None,
    ) -> MinHashSketch:
        """Compute the signatures in chunks of rows, which joblib may send anywhere.

        Parameters
        ----------
        packed : ndarray of uint8 of shape (n, n_bytes)
        n_hashes : int
        random_state : int
            Seed of the random orders.
        n_jobs : int, optional
            As in joblib; the result does not depend on it.

        Returns
        -------
        sketch : MinHashSketch
        """
        n_bits = packed.shape[1] * 8
        rng = np.random.default_rng(random_state)
        ranks = np.stack([rng.permutation(n_bits) for _ in range(n_hashes)]).astype(np.int32)
        chunks = [packed[i : i + _ROWS_AT_ONCE] for i in range(0, len(packed), _ROWS_AT_ONCE)]
        parts = Parallel(n_jobs=n_jobs)(delayed(_signatures)(chunk, ranks) for chunk in chunks)
        return cls(np.concatenate(parts, axis=1), n_bits)

    @property
    def n_hashes(self) -> int:
        """Number of signatures per entity."""
        return len(self.signatures)

    def fold_sums(
        self, indicator: NDArray[np.float64], *, n_jobs: int | None = None
    ) -> NDArray[np.float64]:
        """Return estimated sums of similarity of each entity to each fold, itself included.

        Parameters
        ----------
        indicator : ndarray of shape (n, n_folds)
            Weight with which an entity counts in a fold.
        n_jobs : int, optional
            As in joblib; the result does not depend on it.

        Returns
        -------
        sums : ndarray of shape (n, n_folds)
        """
        chunks = self._chunks()
        table = self._table(indicator, n_jobs)
        sums = Parallel(n_jobs=n_jobs)(delayed(_look_up)(chunk, table) for chunk in chunks)
        return np.concatenate(sums).reshape(indicator.shape) / self.n_hashes

    def pair_sums(
        self, indicator: NDArray[np.float64], *, n_jobs: int | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return each hash's estimate of the similarity over all pairs, and inside folds.

        Parameters
        ----------
        indicator : ndarray of shape (n, n_folds)
            Weight of an entity (usually 1) in its fold, else 0.
        n_jobs : int, optional
            As in joblib; the result does not depend on it.

        Returns
        -------
        total, within : ndarray of shape (n_hashes,)
            Sums over pairs of different entities, each pair once.
        """
        table = self._table(indicator, n_jobs)
        weight = indicator.sum(axis=1)[self.signatures[0] < self.n_bits]
        itself = float(weight @ weight)
        total = ((table.sum(axis=2) ** 2).sum(axis=1) - itself) / 2
        within = ((table**2).sum(axis=(1, 2)) - itself) / 2
        return total, within

    def _chunks(self) -> list[NDArray[np.int32]]:
        starts = range(0, self.signatures.shape[1], _ROWS_AT_ONCE)
        return [self.signatures[:, start : start + _ROWS_AT_ONCE] for start in starts]

    def _table(self, indicator: NDArray[np.float64], n_jobs: int | None) -> NDArray[np.float64]:
        """Return how much weight of each fold has each value of each hash: a map and a sum."""
        tables = Parallel(n_jobs=n_jobs)(
            delayed(_count)(
                chunk, indicator[i * _ROWS_AT_ONCE : (i + 1) * _ROWS_AT_ONCE], self.n_bits
            )
            for i, chunk in enumerate(self._chunks())
        )
        table = np.sum(tables, axis=0)
        table[:, self.n_bits] = 0  # empty fingerprints have nothing in common
        return np.asarray(table)


def _signatures(packed: NDArray[np.uint8], ranks: NDArray[np.int32]) -> NDArray[np.int32]:
    n_bits = ranks.shape[1]
    rows, columns = np.nonzero(np.unpackbits(packed, axis=1))
    filled, starts = np.unique(rows, return_index=True)
    signatures = np.full((len(ranks), len(packed)), n_bits, dtype=np.int32)
    for signature, rank in zip(signatures, ranks, strict=True):
        if len(filled):
            signature[filled] = np.argsort(rank)[np.minimum.reduceat(rank[columns], starts)]
    return signatures


def _count(
    signatures: NDArray[np.int32], indicator: NDArray[np.float64], n_bits: int
) -> NDArray[np.float64]:
    """Return how much weight of each fold has each value of each hash."""
    table = np.zeros((len(signatures), n_bits + 1, indicator.shape[1]))
    for fold in range(indicator.shape[1]):
        chosen = np.flatnonzero(indicator[:, fold])
        weight = indicator[chosen, fold]
        for hash_table, signature in zip(table, signatures, strict=True):
            hash_table[:, fold] = np.bincount(signature[chosen], weight, minlength=n_bits + 1)
    return table


def _look_up(signatures: NDArray[np.int32], table: NDArray[np.float64]) -> NDArray[np.float64]:
    sums = np.zeros((signatures.shape[1], table.shape[2]))
    for hash_table, signature in zip(table, signatures, strict=True):
        sums += hash_table[signature]
    return sums
