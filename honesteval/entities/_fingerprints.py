"""Fingerprints of molecules as packed bits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from honesteval._validation import check_number, check_option

FingerprintKind = Literal["ecfp", "fcfp", "rdkit", "atom_pair", "torsion"]
FINGERPRINT_KINDS: tuple[FingerprintKind, ...] = ("ecfp", "fcfp", "rdkit", "atom_pair", "torsion")

# RDKit writes the first bit of a byte lowest, NumPy's packbits writes it highest.
_REVERSED_BYTE = np.packbits(
    np.unpackbits(np.arange(256, dtype=np.uint8)[:, np.newaxis], axis=1, bitorder="little"), axis=1
).ravel()


def check_fingerprint(radius: int, n_bits: int, kind: str) -> None:
    """Raise ``ValueError`` unless the parameters describe a fingerprint."""
    check_number(radius, "radius", low=0, integer=True)
    check_number(n_bits, "n_bits", low=8, integer=True)
    if n_bits % 8:
        raise ValueError(f"n_bits must be a multiple of 8, since bits are packed. Got {n_bits}.")
    check_option(kind, "kind", FINGERPRINT_KINDS)


def packed_fingerprints(
    mols: Sequence[Any], *, radius: int, n_bits: int, kind: FingerprintKind
) -> NDArray[np.uint8]:
    """Return fingerprints as rows of bytes in the bit order of ``numpy.packbits``.

    Parameters
    ----------
    mols : sequence of rdkit.Chem.Mol, length n_molecules
    radius, n_bits, kind
        As in :meth:`honesteval.entities.Molecules.fingerprints`.

    Returns
    -------
    packed : ndarray of uint8, shape (n_molecules, n_bits / 8)
    """
    from rdkit.DataStructs import BitVectToBinaryText

    vectors = _generator(kind, int(radius), int(n_bits)).GetFingerprints(list(mols))
    text = b"".join([BitVectToBinaryText(vector) for vector in vectors])
    return _REVERSED_BYTE[np.frombuffer(text, dtype=np.uint8).reshape(-1, n_bits // 8)]


def _generator(kind: FingerprintKind, radius: int, n_bits: int) -> Any:
    from rdkit.Chem import rdFingerprintGenerator

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
