"""Tell SMILES from other text."""

from __future__ import annotations

from typing import Any

import numpy as np

from honesteval.entities._molecule_reader import read_strings
from honesteval.entities._packed_mols import PackedMols
from honesteval.entities._rows import as_rows, is_missing

# How many distinct strings are tried, what share of them has to be readable, and the size one
# of them has to reach ("CO", "NO" and "I" are SMILES, but also abbreviations).
TRIED_VALUES = 200
READABLE_SHARE = 0.5
TELLING_ATOMS = 3


def looks_like_smiles(values: Any) -> bool:
    """Whether a column of strings holds SMILES rather than names, identifiers or labels.

    Up to 200 distinct strings, spread evenly over the column, are read. It is taken for SMILES
    if at least half of them are molecules and one of these has three heavy atoms or more: short
    labels such as "CO", "NO" or "I" happen to be SMILES, too. Mol blocks count as well.

    Parameters
    ----------
    values : array-like, shape (n_rows,)

    Returns
    -------
    is_smiles : bool
        False as well if there is no string, or if a value is neither a string nor missing.

    Examples
    --------
    >>> from honesteval.entities import looks_like_smiles
    >>> looks_like_smiles(["CCO", "c1ccccc1", "not measured"])
    True
    >>> looks_like_smiles(["CHEMBL25", "CHEMBL112"])
    False
    """
    present = [value for value in as_rows(values, "strings") if not is_missing(value)]
    if not all(isinstance(value, str) for value in present):
        return False
    distinct = list(dict.fromkeys(value for value in present if value.strip()))
    if not distinct:
        return False
    spread = np.linspace(0, len(distinct) - 1, min(TRIED_VALUES, len(distinct)))
    tried = [distinct[position] for position in spread.round().astype(int)]
    packed = [reading for reading, _ in read_strings(tried) if reading is not None]
    if len(packed) < READABLE_SHARE * len(tried):
        return False
    return any(mol.GetNumHeavyAtoms() >= TELLING_ATOMS for mol in PackedMols(packed))
