"""Turn whatever holds one entity per row into a plain list, and describe single values."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

_SHOWN_CHARACTERS = 60


def as_rows(values: Any, what: str) -> list[Any]:
    """Return one value per row as a new list.

    Parameters
    ----------
    values : list, tuple, array, pandas or polars column, or iterable
        A two-dimensional array or a data frame is accepted when it has one column.
    what : str
        Plural name of the values, for the error message.
    """
    if isinstance(values, str | bytes):
        raise ValueError(
            f"Expected a list of {what}, one per row, and got the single value "
            f"{show_value(values)}. Put it in a list."
        )
    if isinstance(values, AbstractSet | Mapping):
        raise ValueError(
            f"Expected a list of {what}, one per row, and got a {type(values).__name__}, "
            "whose entries have no row number. Pass a list or an array."
        )
    shape = getattr(values, "shape", None)
    if shape is None or isinstance(values, list | tuple):
        return list(values)
    if len(shape) == 2 and shape[1] == 1:
        values = np.asarray(values, dtype=object)[:, 0]
    elif len(shape) != 1:
        raise ValueError(
            f"Expected one column of {what} and got an array of shape {tuple(shape)}. "
            "Pass the column that holds them."
        )
    for to_list in ("tolist", "to_list"):
        if hasattr(values, to_list):
            return list(getattr(values, to_list)())
    return list(np.asarray(values, dtype=object))


def is_missing(value: Any) -> bool:
    """Whether ``value`` is None, NaN, NaT or pandas.NA."""
    if value is None:
        return True
    if type(value).__name__ in {"NAType", "NaTType"}:
        return True
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


def show_value(value: Any) -> str:
    """Return ``repr(value)``, shortened in the middle."""
    shown = repr(value)
    if len(shown) <= _SHOWN_CHARACTERS:
        return shown
    half = (_SHOWN_CHARACTERS - 3) // 2
    return f"{shown[:half]}...{shown[-half:]}"
