"""What is compared: molecules and tables; parse them and report the rows that cannot be read."""

from __future__ import annotations

from honesteval.entities._columns import ColumnGuess, guess_smiles_column, require_columns
from honesteval.entities._excluded import ExcludedRows
from honesteval.entities._molecules import Molecules, parse_molecules
from honesteval.entities._sequences import Sequences, parse_sequences, read_fasta
from honesteval.entities._smiles_column import looks_like_smiles
from honesteval.entities._tables import read_table

__all__ = [
    "ColumnGuess",
    "ExcludedRows",
    "Molecules",
    "Sequences",
    "guess_smiles_column",
    "looks_like_smiles",
    "parse_molecules",
    "parse_sequences",
    "read_fasta",
    "read_table",
    "require_columns",
]
