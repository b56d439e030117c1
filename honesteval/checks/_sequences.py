"""Tell biological sequences from other text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["SEQUENCE_MEASURES", "looks_like_sequences"]

#: Names of measures that compare sequences.
SEQUENCE_MEASURES = ("sequence", "kmer", "genome")
#: Text is taken for sequences where most values are at least this long.
FEWEST_RESIDUES = 20
#: Share of the values that have to look like sequences.
MOST_VALUES = 0.8
N_TRIED = 200


def looks_like_sequences(values: Sequence[Any]) -> bool:
    """Whether values are protein, DNA or RNA sequences rather than names or SMILES."""
    text = [value for value in values if isinstance(value, str) and value.strip()]
    if not text:
        return False
    spread = np.linspace(0, len(text) - 1, min(N_TRIED, len(text))).round().astype(int)
    tried = [text[position].strip() for position in spread]
    return sum(_is_sequence(value) for value in tried) >= MOST_VALUES * len(tried)


def _is_sequence(text: str) -> bool:
    letters = text.rstrip("*")
    return len(letters) >= FEWEST_RESIDUES and letters.isascii() and letters.isalpha()
