"""Times and durations of rows as numbers that can be compared and added."""

from __future__ import annotations

from datetime import date
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from honesteval._validation import name_rows

__all__ = ["as_duration", "as_times", "column_of", "has_zone", "in_order"]


def column_of(X: Any, column: str | int, what: str) -> Any:
    """Return a column of a table, by name, or by position where there are no names.

    ``"index"`` is the index of a pandas table without a column of that name.
    """
    names = getattr(X, "columns", None)
    if names is not None and column in list(names):
        if list(names).count(column) > 1:
            raise ValueError(f"{what}={column!r}, but X has several columns of that name.")
        return X[column]
    if column == "index" and hasattr(X, "index") and not callable(X.index):
        return X.index
    if isinstance(column, int | np.integer) and getattr(X, "ndim", 0) == 2:
        if not -X.shape[1] <= column < X.shape[1]:
            raise ValueError(f"{what}={column}, but X has {X.shape[1]} columns.")
        if names is not None:
            return X[X.columns[column]]
        part = X[:, [column]]
        return np.asarray(part.toarray() if hasattr(part, "toarray") else part).ravel()
    if isinstance(X, list | tuple) and isinstance(column, int):
        short = [i for i, row in enumerate(X) if not -len(row) <= column < len(row)]
        if short:
            raise ValueError(f"{what}={column}, but X has no such column in {name_rows(short)}.")
        return [row[column] for row in X]
    has = f"has the columns {list(names)}" if names is not None else "has no named columns"
    raise ValueError(f"{what}={column!r}, but X is a {type(X).__name__} that {has}.")


def as_times(values: Any, what: str) -> tuple[NDArray[Any], bool]:
    """Return times as whole nanoseconds or as numbers, and whether they are dates.

    Parameters
    ----------
    values : array-like of shape (n,)
        Numbers or dates (any time zone).
    what : str
        For messages.

    Returns
    -------
    times : ndarray of int64 or float64 of shape (n,)
    are_dates : bool
    """
    if getattr(values, "ndim", 1) != 1:
        raise ValueError(
            f"{what} must be one column. Got shape {tuple(values.shape)}: name a column that is "
            f"there once."
        )
    series = pd.Series(values.to_numpy() if hasattr(values, "to_numpy") else np.asarray(values))
    if isinstance(getattr(values, "dtype", None), pd.DatetimeTZDtype):
        series = pd.Series(values).reset_index(drop=True)
    if series.dtype == object:
        series = series.infer_objects()
    if pd.api.types.is_timedelta64_dtype(series):
        series = series / pd.Timedelta(1, "s")
    missing = np.flatnonzero(series.isna())
    if len(missing):
        raise ValueError(
            f"{what} is missing in {name_rows(missing)}. Give every row a time, or drop these rows."
        )
    if series.dtype == object and all(isinstance(value, date) for value in series):
        zoned = np.array([_zone(value) for value in series])
        if zoned.any() and not zoned.all():
            without = name_rows(np.flatnonzero(~zoned))
            raise ValueError(
                f"{what} has a time zone in some rows and none in {without}. Give all of them one."
            )
        _refuse_far(np.array([not 1678 <= value.year <= 2261 for value in series]), what)
        series = pd.to_datetime(series, utc=True)
    if isinstance(series.dtype, pd.DatetimeTZDtype) or series.dtype.kind == "M":
        dates = pd.to_datetime(series, utc=True).dt.tz_localize(None)
        _refuse_far(((dates < pd.Timestamp.min) | (dates > pd.Timestamp.max)).to_numpy(), what)
        return dates.to_numpy(dtype="datetime64[ns]").astype(np.int64), True
    if series.dtype.kind == "u" and (series > np.iinfo(np.int64).max).any():
        raise ValueError(f"{what} holds whole numbers above 2**63. Pass smaller ones, or floats.")
    if series.dtype.kind in "biu":
        return series.to_numpy(dtype=np.int64), False
    if series.dtype.kind == "f":
        return series.to_numpy(dtype=np.float64), False
    raise ValueError(
        f"{what} must be numbers or dates. Got {series.dtype} values such as {series.iloc[0]!r}. "
        f"Convert them first, for example with pandas.to_datetime."
    )


def _refuse_far(far: NDArray[np.bool_], what: str) -> None:
    if far.any():
        raise ValueError(
            f"{what} lies outside of the years 1678 to 2261 in {name_rows(np.flatnonzero(far))}, "
            f"which nanoseconds cannot count. Pass years or days as numbers."
        )


def has_zone(values: Any) -> bool:
    """Whether dates have a time zone."""
    if isinstance(getattr(values, "dtype", None), pd.DatetimeTZDtype):
        return True
    return any(_zone(value) for value in list(values)[:1])


def _zone(value: Any) -> bool:
    return getattr(value, "tzinfo", None) is not None


def as_duration(value: Any, what: str, *, are_dates: bool) -> float:
    """Return a duration of at least 0 in the unit of the times.

    Between dates: anything that :class:`pandas.Timedelta` reads (``"30D"``), or 0. Between
    numbers: a number.
    """
    is_number = isinstance(value, Real) and not isinstance(value, np.timedelta64)
    try:
        if isinstance(value, bool):
            raise TypeError("true or false is no duration")
        if are_dates and not (is_number and value == 0):
            if is_number:
                raise TypeError("a number has no unit")
            duration = float(pd.Timedelta(value).value)
        else:
            duration = float(value)
    except (TypeError, ValueError) as error:
        kind = "a duration such as '30D'" if are_dates else "a number in the unit of the times"
        raise ValueError(f"{what} must be {kind}. Got {value!r} ({error}).") from error
    if not duration >= 0:
        raise ValueError(f"{what} must be at least 0. Got {value!r}.")
    return duration


def in_order(times: NDArray[Any]) -> NDArray[np.intp]:
    """Return rows in the order of their times; rows of one time keep their order."""
    return np.argsort(times, kind="stable")
