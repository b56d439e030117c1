"""Biological sequences as entities: recognise them, clean them, compare them by their k-mers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honesteval._validation import name_rows
from honesteval.entities import ExcludedRows
from honesteval.exceptions import InvalidEntityError
from honesteval.similarity import TanimotoSimilarity

__all__ = ["kmer_similarity", "looks_like_sequences", "read_sequences"]

#: Text is taken for sequences where most values are at least this long.
FEWEST_RESIDUES = 20
#: Share of the values that have to look like sequences.
MOST_VALUES = 0.8
N_TRIED = 200

_NUCLEOTIDES = frozenset("ACGTUN")
#: Length of the words that are compared: 8,000 of proteins, 65,536 of nucleic acids.
_WORD = {"protein": 3, "nucleic acid": 8}
_N_BITS = 8192
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


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


def read_sequences(values: Sequence[Any], *, drop: bool) -> tuple[NDArray[np.object_], Any, Any]:
    """Return sequences in capitals, the rows that hold one, and the others with reasons.

    Raises
    ------
    InvalidEntityError
        If rows hold no sequence and they are not to be dropped.
    """
    cleaned = [_clean(value) for value in values]
    bad = [row for row, (text, _) in enumerate(cleaned) if not text]
    if bad and not drop:
        raise InvalidEntityError(
            f"No sequence in {name_rows(bad)}: {cleaned[bad[0]][1]}. Correct these rows, or pass "
            "errors='drop' to leave them out.",
            rows=bad,
        )
    rows = np.array([row for row, (text, _) in enumerate(cleaned) if text], dtype=np.intp)
    excluded = ExcludedRows(
        np.array(bad, dtype=np.intp),
        tuple(values[row] for row in bad),
        tuple(cleaned[row][1] for row in bad),
    )
    return np.array([cleaned[row][0] for row in rows], dtype=object), rows, excluded


def _clean(value: Any) -> tuple[str, str]:
    """Return a sequence, or nothing and the reason."""
    if not isinstance(value, str):
        return "", "missing value" if value is None or value != value else "no text"  # noqa: PLR0124
    text = "".join(value.split()).upper().rstrip("*")
    if not text:
        return "", "empty"
    if not (text.isascii() and text.isalpha()):
        return "", "a sequence holds letters only"
    return text, ""


def kmer_similarity(sequences: NDArray[np.object_]) -> TanimotoSimilarity:
    """Return the Tanimoto similarity of the sets of words in sequences.

    Words of 3 letters for proteins and of 8 for nucleic acids are hashed to 8,192 bits. Without
    alignment, in linear time; 1 for sequences with the same words.
    """
    text = "".join(sequences[:N_TRIED])
    kind = "nucleic acid" if set(text) <= _NUCLEOTIDES else "protein"
    length = _WORD[kind]
    bits = np.zeros((len(sequences), _N_BITS // 8), dtype=np.uint8)
    for row, sequence in enumerate(sequences):
        bits[row] = np.packbits(_words(sequence, length))
    return TanimotoSimilarity(
        bits,
        name=f"Tanimoto of the words of {length} letters in {kind} sequences",
        keys=[sequence.encode() for sequence in sequences],
    )


def _words(sequence: str, length: int) -> NDArray[np.bool_]:
    letters = np.frombuffer(sequence.encode(), dtype=np.uint8).astype(np.uint64)
    letters = np.pad(letters, (0, max(0, length - len(letters))))
    code = np.zeros(len(letters) - length + 1, dtype=np.uint64)
    for offset in range(length):
        code = code * np.uint64(27) + letters[offset : offset + len(code)] % np.uint64(64)
    found = np.zeros(_N_BITS, dtype=bool)
    found[((code * _MULTIPLIER) >> np.uint64(51)).astype(np.intp)] = True
    return found
