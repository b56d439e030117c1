"""What is compared: molecules and tables; parse them and report the rows that cannot be read."""

from __future__ import annotations

from honesteval.entities._excluded import ExcludedRows
from honesteval.entities._molecules import Molecules, looks_like_smiles, parse_molecules

__all__ = [
    "ExcludedRows",
    "Molecules",
    "looks_like_smiles",
    "parse_molecules",
]
