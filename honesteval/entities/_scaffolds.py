"""Bemis-Murcko scaffolds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def murcko_smiles(mols: Sequence[Any]) -> list[str]:
    """Return the scaffold of each molecule as canonical SMILES; empty without a ring."""
    from rdkit.Chem.Scaffolds import MurckoScaffold

    scaffold_of: Any = MurckoScaffold.MurckoScaffoldSmiles
    return [str(scaffold_of(mol=mol)) for mol in mols]
