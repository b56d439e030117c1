"""Two sequences below each other, with what differs marked."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["align", "alignment_blocks"]

MATCH, MISMATCH, GAP = 2, -1, -2
#: Longer sequences are not aligned: the table of scores grows with the product of the lengths.
LONGEST = 4000
#: Letters in a line, and lines that are shown.
WIDTH, N_BLOCKS = 60, 8


def align(first: str, second: str) -> tuple[str, str]:
    """Align two sequences over their whole length (Needleman and Wunsch, linear gaps).

    Parameters
    ----------
    first, second : str

    Returns
    -------
    aligned : tuple of two str
        Of equal length, with ``-`` for gaps.

    References
    ----------
    S. B. Needleman and C. D. Wunsch, J. Mol. Biol. 48 (1970) 443-453.
    """
    a, b = (np.frombuffer(text.encode(), dtype=np.uint8) for text in (first, second))
    scores = _scores(a, b)
    top, bottom = [], []
    i, j = len(a), len(b)
    while i or j:
        here = scores[i, j]
        if i and j and here == scores[i - 1, j - 1] + (MATCH if a[i - 1] == b[j - 1] else MISMATCH):
            i, j = i - 1, j - 1
            top.append(first[i])
            bottom.append(second[j])
        elif i and here == scores[i - 1, j] + GAP:
            i -= 1
            top.append(first[i])
            bottom.append("-")
        else:
            j -= 1
            top.append("-")
            bottom.append(second[j])
    return "".join(reversed(top)), "".join(reversed(bottom))


def _scores(a: NDArray[np.uint8], b: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Return the best score of every pair of beginnings, a row at a time."""
    steps = GAP * np.arange(len(b) + 1, dtype=np.int32)
    scores = np.empty((len(a) + 1, len(b) + 1), dtype=np.int32)
    scores[0] = steps
    for i, letter in enumerate(a):
        row = scores[i] + GAP
        diagonal = scores[i, :-1] + np.where(b == letter, MATCH, MISMATCH)
        row[1:] = np.maximum(row[1:], diagonal)
        # a gap in a: the best of all cells to the left, less a gap for each step
        scores[i + 1] = np.maximum.accumulate(row - steps) + steps
    return scores


def alignment_blocks(first: str, second: str) -> dict[str, Any] | None:
    """Return an alignment in lines for a page; None for sequences too long to align.

    Returns
    -------
    alignment : dict
        ``n_columns``, ``n_identical``, ``n_hidden`` (lines left out, those without a
        difference first) and ``blocks``: for each line the two starts (from 1) and the two
        texts as lists of ``(text, is_same)``.
    """
    if max(len(first), len(second)) > LONGEST:
        return None
    top, bottom = align(first, second)
    same = [x == y for x, y in zip(top, bottom, strict=True)]
    starts = range(0, len(top), WIDTH)
    changed = [start for start in starts if not all(same[start : start + WIDTH])]
    others = [start for start in starts if start not in changed]
    shown = sorted((changed + others)[:N_BLOCKS])
    return {
        "n_columns": len(top),
        "n_identical": sum(same),
        "n_hidden": len(starts) - len(shown),
        "blocks": [
            {
                "test_start": len(top[:start].replace("-", "")) + 1,
                "train_start": len(bottom[:start].replace("-", "")) + 1,
                "test": _runs(top[start : start + WIDTH], same[start : start + WIDTH]),
                "train": _runs(bottom[start : start + WIDTH], same[start : start + WIDTH]),
            }
            for start in shown
        ],
    }


def _runs(text: str, same: list[bool]) -> list[tuple[str, bool]]:
    columns = groupby(zip(text, same, strict=True), key=lambda column: column[1])
    return [("".join(letter for letter, _ in run), is_same) for is_same, run in columns]
