"""Test molecules that are tautomers of a training molecule."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from honesteval.checks._code_matches import compare_codes
from honesteval.checks._data import AuditData
from honesteval.checks._finding import CheckInfo, Finding

__all__ = ["check_tautomers"]

#: Hashing every molecule of a larger set takes minutes.
MOST_MOLECULES = 50_000

INFO = CheckInfo(
    code="HE103",
    name="tautomers",
    title="Tautomers of one molecule on both sides",
    why=(
        "Tautomers are one substance that two people drew differently. Fingerprints see two "
        "molecules, the measurement one."
    ),
    advice="Standardise tautomers before splitting, or group rows by a tautomer-independent key.",
)


def check_tautomers(data: AuditData) -> Finding:
    """Look for test molecules that differ from a training molecule by mobile hydrogens only."""
    if data.molecules is None:
        return INFO.not_applicable("The entities are not molecules.")
    if data.n_rows > MOST_MOLECULES:
        return INFO.skipped(f"More than {MOST_MOLECULES:,} molecules take minutes.")
    molecules = data.molecules
    flat = pd.factorize(molecules.keys("flat")[data.position])[0]
    keys = [_key(molecules.mols[place]) for place in data.position]
    codes = np.asarray(pd.factorize(np.array(keys, dtype=object))[0], dtype=np.intp)
    return compare_codes(
        data, INFO, codes, severity="warning", what="the same tautomer-independent structure",
        without=np.asarray(flat, dtype=np.intp),
    )  # fmt: skip


def _key(mol: Any) -> str:
    """Return a hash of the skeleton in which hydrogens on hetero atoms may move."""
    from rdkit.Chem import RemoveStereochemistry, rdMolHash

    RemoveStereochemistry(mol)
    return str(rdMolHash.MolHash(mol, rdMolHash.HashFunction.HetAtomTautomer))
