"""Times and durations of rows as numbers that can be compared and added."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from honesteval._validation import name_rows

__all__ = ["as_duration", "as_times", "column_of", "in_order"]


def column_of(X: Any, column: str | int, what: str) -> Any:
    """Return a column of a table, by name, or by position where there are no names.

    ``"index"`` is the index of a pandas table without a column of that name.
    """
    names = getattr(X, "columns", None)
    if names is not None and column in list(names):
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
    if isinstance(series.dtype, pd.DatetimeTZDtype) or series.dtype.kind == "M":
        dates = pd.to_datetime(series, utc=True).dt.tz_localize(None)
        return dates.to_numpy(dtype="datetime64[ns]").astype(np.int64), True
    if series.dtype.kind in "biu":
        return series.to_numpy(dtype=np.int64), False
    if series.dtype.kind == "f":
        return series.to_numpy(dtype=np.float64), False
    raise ValueError(
        f"{what} must be numbers or dates. Got {series.dtype} values such as {series.iloc[0]!r}. "
        f"Convert them first, for example with pandas.to_datetime."
    )


def as_duration(value: Any, what: str, *, are_dates: bool) -> float:
    """Return a duration of at least 0 in the unit of the times.

    Between dates: anything that :class:`pandas.Timedelta` reads (``"30D"``), or 0. Between
    numbers: a number.
    """
    try:
        if are_dates and not (isinstance(value, int | float) and value == 0):
            if isinstance(value, int | float):
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
