"""Which columns of text are numbers: a conversion that loses nothing, or none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

# Read as "not measured" in a column of numbers, and as themselves in a column of text.
MISSING_MARKS = frozenset({"", "NA", "N/A", "#N/A", "NaN", "nan", "NAN", "NULL", "null", "None"})

_NUMBER = re.compile(
    r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?(?:inf|Inf|infinity|Infinity)", re.ASCII
)
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_LEADING_ZERO = re.compile(r"[+-]?0\d")
_PLATE_WELL = re.compile(r"\d+[eE]\d+")
_LARGEST_EXACT = 2**53


def typed_column(cells: Sequence[str]) -> pd.Series:
    """Return a column as numbers if that loses nothing, else as text.

    A column becomes numeric if every cell that is neither blank nor a missing mark is a number,
    unless this would change identifiers: a leading zero ("007"), an integer beyond 2**53, or
    nothing but values like "1E5", which are as likely wells of a plate. Integers without gaps
    become int64, everything else float64. A column without any value is float64, too.

    Parameters
    ----------
    cells : sequence of str
        As written in the file.

    Returns
    -------
    column : pandas.Series
        int64, float64, or text with NaN for blank cells.
    """
    import pandas as pd

    meaning = {cell: cell.strip() for cell in set(cells)}
    distinct = set(meaning.values())
    numbers = distinct - MISSING_MARKS
    if not _are_numbers(numbers):
        return text_column(cells)
    if distinct == numbers and all(map(_INTEGER.fullmatch, numbers)):
        integer_of = {cell: int(number) for cell, number in meaning.items()}
        return pd.Series(np.array([integer_of[cell] for cell in cells], dtype=np.int64))
    value_of = {
        cell: float(number) if number in numbers else np.nan for cell, number in meaning.items()
    }
    return pd.Series(np.array([value_of[cell] for cell in cells], dtype=np.float64))


def text_column(cells: Sequence[str]) -> pd.Series:
    """Return a column as it is written, with NaN for blank cells."""
    import pandas as pd

    # pandas' own type for text: object before version 3
    dtype = pd.Series([""]).dtype
    return pd.Series([cell if cell.strip() else np.nan for cell in cells], dtype=dtype)


def looks_like_decimal_commas(cells: Sequence[str]) -> bool:
    """Whether the cells are numbers once decimal commas are points ("3,14")."""
    distinct = {cell.strip() for cell in cells} - MISSING_MARKS
    if not any("," in cell for cell in distinct):
        return False
    return _are_numbers({cell.replace(",", ".", 1) for cell in distinct})


def _are_numbers(cells: set[str]) -> bool:
    """Whether each cell is a number and all of them stay what they are as numbers."""
    if not all(map(_NUMBER.fullmatch, cells)) or any(map(_LEADING_ZERO.match, cells)):
        return False
    if cells and all(map(_PLATE_WELL.fullmatch, cells)):
        return False
    return all(abs(int(cell)) <= _LARGEST_EXACT for cell in cells if _INTEGER.fullmatch(cell))
