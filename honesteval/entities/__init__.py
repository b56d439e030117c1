"""What is compared: molecules and tables; parse them and report the rows that cannot be read."""

from __future__ import annotations

from honesteval.entities._excluded import ExcludedRows
from honesteval.entities._molecules import Molecules, parse_molecules
from honesteval.entities._smiles_column import looks_like_smiles

__all__ = [
    "ExcludedRows",
    "Molecules",
    "looks_like_smiles",
    "parse_molecules",
]
