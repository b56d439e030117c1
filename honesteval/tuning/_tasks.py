"""The columns of ``y``: one task each, with its own labelled rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from honesteval._validation import name_rows


@dataclass(frozen=True)
class TaskColumn:
    """One task.

    Parameters
    ----------
    name : str
    y : ndarray of shape (n_rows,)
        Labels; where ``labelled`` is False the value means nothing.
    labelled : ndarray of bool of shape (n_rows,)
    classes : ndarray or None
        Sorted classes of a classification task.
    """

    name: str
    y: NDArray[Any]
    labelled: NDArray[np.bool_]
    classes: NDArray[Any] | None


def label_table(y: Any) -> NDArray[Any]:
    """Return the labels as an array; numbers held as objects (nullable columns) as numbers.

    Missing ones become NaN there.
    """
    table = np.asarray(y)
    if table.dtype != object:
        return table
    known = ~np.asarray(pd.isna(table), dtype=bool)
    values = table[known]
    if len(values) == 0 or not all(isinstance(v, Real | np.bool_) for v in values):
        return table
    numbers = np.asarray(values.tolist())
    if known.all():
        return numbers.reshape(table.shape)
    filled = np.full(table.shape, np.nan)
    filled[known] = numbers
    return filled


def task_columns(y: Any, names: Sequence[str] | None, *, classifier: bool) -> list[TaskColumn]:
    """Return the tasks that ``y`` holds.

    Raises
    ------
    ValueError
        If a single column has missing labels, a task has no labels, or only one class.
    """
    table = label_table(y)
    if table.ndim == 2 and table.shape[1] == 1:
        table = table[:, 0]
    if table.ndim not in (1, 2):
        raise ValueError(f"y must have one or two dimensions. Got shape {table.shape}.")
    columns = [table] if table.ndim == 1 else list(table.T)
    shown = _names(y, names, len(columns))
    if table.ndim == 1 and pd.isna(table).any():
        raise ValueError(
            f"y is missing in {name_rows(np.flatnonzero(pd.isna(table)))}. Leave those rows out "
            "before tuning."
        )
    return [_task(name, column, classifier) for name, column in zip(shown, columns, strict=True)]


def _task(name: str, column: NDArray[Any], classifier: bool) -> TaskColumn:
    labelled = ~np.asarray(pd.isna(column), dtype=bool)
    if not labelled.any():
        raise ValueError(f"{name} has no labels.")
    if not classifier:
        return TaskColumn(name, column, labelled, None)
    known = column[labelled]
    values = column
    if known.dtype.kind == "f" and not labelled.all() and (known == np.round(known)).all():
        values = np.where(labelled, column, 0).astype(np.intp)
        known = values[labelled]
    classes = np.unique(known)
    if len(classes) < 2:
        raise ValueError(f"{name} has only one class, {classes[0]!r}: there is nothing to learn.")
    return TaskColumn(name, values, labelled, classes)


def _names(y: Any, names: Sequence[str] | None, n_tasks: int) -> list[str]:
    if names is None:
        columns = getattr(y, "columns", None)
        if columns is not None:
            return [str(name) for name in columns]
        name = getattr(y, "name", None)
        if n_tasks == 1:
            return [str(name) if name is not None else "y"]
        return [f"task {number}" for number in range(n_tasks)]
    if isinstance(names, str) or len(names) != n_tasks or len(set(names)) != n_tasks:
        raise ValueError(f"task_names must be {n_tasks} different names. Got {names!r}.")
    return [str(name) for name in names]
