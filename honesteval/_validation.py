"""Checks of user input shared by every folder."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from honesteval.exceptions import HonestevalWarning

Closed = Literal["both", "left", "right", "neither"]

_SHOWN_ROWS = 10
#: Numbers with more distinct values are no names of classes.
_MOST_CLASSES = 10


def check_number(
    value: Any,
    name: str,
    *,
    low: float = -np.inf,
    high: float = np.inf,
    closed: Closed = "both",
    integer: bool = False,
) -> Any:
    """Return ``value`` if it is a number in the stated range, else raise ``ValueError``."""
    is_number = isinstance(value, Integral if integer else Real) and not isinstance(value, bool)
    if is_number:
        above = value >= low if closed in ("both", "left") else value > low
        below = value <= high if closed in ("both", "right") else value < high
    if not is_number or not (above and below):
        left = "[" if closed in ("both", "left") else "("
        right = "]" if closed in ("both", "right") else ")"
        word = "an integer" if integer else "a number"
        raise ValueError(f"{name} must be {word} in {left}{low:g}, {high:g}{right}. Got {value!r}.")
    return value


def check_option(value: Any, name: str, options: Sequence[Any]) -> Any:
    """Return ``value`` if it is one of ``options``, else raise with the nearest one."""
    if not any(value is option or (type(value) is type(option) and value == option)
               for option in options):  # fmt: skip
        near = get_close_matches(str(value), [str(option) for option in options], n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        allowed = ", ".join(repr(option) for option in options)
        raise ValueError(f"{name} must be one of {allowed}. Got {value!r}.{hint}")
    return value


def check_same_length(**arrays: Any) -> int:
    """Return the common number of rows of the named arrays (``None`` is passed over)."""
    lengths = {name: n_rows(array, name) for name, array in arrays.items() if array is not None}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise ValueError(f"All inputs need the same number of rows: {shown}.")
    return next(iter(lengths.values()))


def n_rows(array: Any, name: str = "The data") -> int:
    """Return the number of rows of a list, array, sparse matrix or data frame."""
    shape = getattr(array, "shape", None)
    if shape is not None and len(shape) > 0:
        return int(shape[0])
    try:
        return len(array)
    except TypeError:
        raise ValueError(f"{name} must have one entry for each row. Got {array!r:.80}.") from None


def name_rows(rows: Iterable[int], *, shown: int = _SHOWN_ROWS) -> str:
    """Return row numbers in words: ``row 3``, ``rows 3, 7``, ``rows 0, 1, ... (12 in all)``."""
    numbers = [int(row) for row in rows]
    listed = ", ".join(str(row) for row in numbers[:shown])
    if len(numbers) == 1:
        return f"row {listed}"
    if len(numbers) > shown:
        return f"rows {listed}, ... ({len(numbers)} in all)"
    return f"rows {listed}"


def check_n_resamples(n_resamples: Any, confidence_level: Any) -> None:
    """Raise when no interval can be made of so few resamples; warn when it says little."""
    check_number(n_resamples, "n_resamples", low=2, integer=True)
    check_number(confidence_level, "confidence_level", low=0, high=1, closed="neither")
    needed = math.ceil(round(2 / (1 - confidence_level), 6)) - 1
    if n_resamples < needed:
        warnings.warn(
            f"n_resamples={n_resamples} is too few for limits at a confidence level of "
            f"{confidence_level:g}, which lie beyond the outermost resamples: at least {needed} "
            "are needed, and a thousand or more for steady limits.",
            HonestevalWarning,
            stacklevel=4,
        )


def check_1d(array: Any, name: str, *, numeric: bool = False) -> NDArray[Any]:
    """Return a one-dimensional array (a single column is flattened), never a view to write to."""
    values = np.asarray(array)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional. Got shape {values.shape}.")
    return as_numbers(values, name) if numeric else values


def as_numbers(values: Any, name: str) -> NDArray[np.float64]:
    """Return floats; text, dates and complex numbers are no numbers here."""
    array = np.asarray(values)
    if array.dtype.kind in "cmM":
        raise ValueError(f"{name} must be numeric. Got {array.dtype} values.")
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be numeric: {error}.") from error


def check_groups(groups: Any, n: int, *, name: str = "groups") -> NDArray[Any]:
    """Return the groups as an array, one label per row and none missing.

    Labels that are rows themselves (a two-dimensional array, for splitters that compare what
    they are given as groups) are only counted.
    """
    import pandas as pd  # here, so that a command's help does not wait for it

    if n_rows(groups) != n:
        raise ValueError(f"{name} needs one label per row: {n} rows, got {n_rows(groups)}.")
    labels = np.asarray(groups)
    if labels.ndim == 1:
        missing = np.flatnonzero(pd.isna(labels))
        if len(missing):
            raise ValueError(
                f"{name} holds missing labels in {name_rows(missing)}. Give every row a group, a "
                "row that stands alone one of its own."
            )
    return labels


def refuse_few_texts(known: Any, name: str, otherwise: str) -> None:
    """Raise if a column is one of numbers but for a few values, such as ``">100"``.

    Parameters
    ----------
    known : Series
        The values that are not missing, by row.
    name : str
        Name of the column.
    otherwise : str
        What to do if the values are meant as they are.
    """
    text = [row for row, value in known.items() if _is_no_number(value)]
    numbers = known.drop(text)
    if not text or len(text) > len(known) / 2 or numbers.astype(str).nunique() <= _MOST_CLASSES:
        return
    raise ValueError(
        f"{name} holds numbers but for {len(text):,} of {len(known):,} values: "
        f"{known[text[0]]!r} in {name_rows(text)}. Write numbers, leave values that are only "
        f"known to lie beyond one empty, or {otherwise}."
    )


def _is_no_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return True
    return False
