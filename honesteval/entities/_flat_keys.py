"""One key for a molecule, its salts and its stereoisomers."""

from __future__ import annotations

import re
from typing import Any

# Stereo, fragments, atom maps (or explicit aromatic bonds) and isotopes. A canonical SMILES
# with none of these is its own flat key.
_NOT_FLAT = re.compile(r"[@/\\.:]|\[\d")


def is_flat(smiles: str) -> bool:
    """Whether a canonical SMILES has one fragment and no stereo, isotopes or atom maps."""
    return _NOT_FLAT.search(smiles) is None


def flat_key(mol: Any) -> str:
    """Return the canonical SMILES of the largest fragment without stereo, isotopes and maps.

    Parameters
    ----------
    mol : rdkit.Chem.Mol
        Sanitised; not modified.
    """
    from rdkit import Chem

    mol = Chem.Mol(mol)
    for atom in mol.GetAtoms():
        atom.SetAtomMapNum(0)
    fragments = Chem.GetMolFrags(mol, asMols=True, sanitizeFrags=False)
    return min(_fragment_order(fragment) for fragment in fragments)[-1]


def _fragment_order(fragment: Any) -> tuple[int, float, str]:
    """Sort key of a fragment, the largest first; its last part is the flat SMILES."""
    from rdkit.Chem import GetPeriodicTable, MolToSmiles

    table = GetPeriodicTable()
    weight = sum(table.GetAtomicWeight(atom.GetAtomicNum()) for atom in fragment.GetAtoms())
    flat = MolToSmiles(fragment, isomericSmiles=False)
    return -fragment.GetNumHeavyAtoms(), -round(weight, 3), str(flat)
