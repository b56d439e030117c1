"""Fingerprints of molecules as packed bits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from honesteval._validation import check_number, check_option

FingerprintKind = Literal["ecfp", "fcfp", "rdkit", "atom_pair", "torsion"]
FINGERPRINT_KINDS: tuple[FingerprintKind, ...] = ("ecfp", "fcfp", "rdkit", "atom_pair", "torsion")

_CHUNK = 4096

# RDKit writes the first bit of a byte lowest, NumPy's packbits writes it highest.
_REVERSED_BYTE = np.packbits(
    np.unpackbits(np.arange(256, dtype=np.uint8)[:, np.newaxis], axis=1, bitorder="little"), axis=1
).ravel()


def packed_fingerprints(
    mols: Sequence[Any],
    *,
    radius: int = 2,
    n_bits: int = 2048,
    kind: FingerprintKind = "ecfp",
    n_jobs: int | None = None,
) -> NDArray[np.uint8]:
    """Compute binary fingerprints; see :meth:`honesteval.entities.Molecules.fingerprints`."""
    from joblib import effective_n_jobs

    check_number(radius, "radius", low=0, integer=True)
    check_number(n_bits, "n_bits", low=8, integer=True)
    if n_bits % 8:
        raise ValueError(f"n_bits must be a multiple of 8, since bits are packed. Got {n_bits}.")
    generator = _generator(kind, int(radius), int(n_bits))
    threads = int(effective_n_jobs(n_jobs))
    packed = np.empty((len(mols), n_bits // 8), dtype=np.uint8)
    for start in range(0, len(mols), _CHUNK):
        chunk = list(mols[start : start + _CHUNK])
        vectors = generator.GetFingerprints(chunk, numThreads=threads)
        packed[start : start + len(chunk)] = _pack(vectors, n_bits)
    return packed


def _pack(vectors: Sequence[Any], n_bits: int) -> NDArray[np.uint8]:
    """Return RDKit bit vectors as rows of bytes in the order of ``numpy.packbits``."""
    from rdkit.DataStructs import BitVectToBinaryText

    text = b"".join([BitVectToBinaryText(vector) for vector in vectors])
    return _REVERSED_BYTE[np.frombuffer(text, dtype=np.uint8).reshape(-1, n_bits // 8)]


def _generator(kind: FingerprintKind, radius: int, n_bits: int) -> Any:
    from rdkit.Chem import rdFingerprintGenerator

    check_option(kind, "kind", FINGERPRINT_KINDS)
    if kind == "rdkit":
        return rdFingerprintGenerator.GetRDKitFPGenerator(fpSize=n_bits)
    if kind == "atom_pair":
        return rdFingerprintGenerator.GetAtomPairGenerator(fpSize=n_bits)
    if kind == "torsion":
        return rdFingerprintGenerator.GetTopologicalTorsionGenerator(fpSize=n_bits)
    if kind == "ecfp":
        return rdFingerprintGenerator.GetMorganGenerator(radius=radius, fpSize=n_bits)
    features = rdFingerprintGenerator.GetMorganFeatureAtomInvGen()
    return rdFingerprintGenerator.GetMorganGenerator(
        radius=radius, fpSize=n_bits, atomInvariantsGenerator=features
    )
