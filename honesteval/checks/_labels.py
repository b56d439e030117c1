"""The labels of the rows, column by column, with what is not measured."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from honesteval._validation import name_rows, refuse_few_texts
from honesteval.checks._as_table import as_table

__all__ = [
    "LabelColumn",
    "LabelKind",
    "complete_label_column",
    "read_labels",
    "single_label_column",
]

LabelKind = Literal["binary", "classes", "continuous"]

#: Whole numbers with at most this many distinct values are read as classes.
MOST_CLASSES = 20


@dataclass(frozen=True, eq=False)
class LabelColumn:
    """One column of labels.

    Attributes
    ----------
    name : object
        Name of the column, or its position.
    kind : {"binary", "classes", "continuous"}
    values : ndarray of float of shape (n,)
        The labels; for classes their position in ``classes``. NaN where not measured.
    classes : tuple
        The distinct labels in ascending order; empty for continuous labels.
    """

    name: Any
    kind: LabelKind
    values: NDArray[np.float64] = field(repr=False)
    classes: tuple[Any, ...] = ()

    @property
    def measured(self) -> NDArray[np.bool_]:
        """Which rows have a label."""
        return ~np.isnan(self.values)

    def take(self, rows: NDArray[np.intp]) -> LabelColumn:
        """Return the labels of some rows."""
        return LabelColumn(self.name, self.kind, self.values[rows], self.classes)


def read_labels(y: Any, n: int, *, name: str = "y") -> tuple[LabelColumn, ...]:
    """Return one label column per task; none for ``y=None``.

    Parameters
    ----------
    y : array-like of shape (n,) or (n, n_tasks), or None
        Numbers, bools, or text. NaN and None mean not measured.
    n : int
        Number of rows it must have.

    Returns
    -------
    columns : tuple of LabelColumn

    Raises
    ------
    ValueError
        If the number of rows differs, or labels are infinite or neither numbers nor text.
    """
    if y is None:
        return ()
    table = as_table(y, name)
    if len(table) != n:
        raise ValueError(f"{name} needs one label per row: {n} rows, got {len(table)}.")
    single = table.shape[1] == 1
    columns = [
        _column(name if single else column, table.iloc[:, position])
        for position, column in enumerate(table.columns)
    ]
    numeric = [column for column in columns if not any(isinstance(c, str) for c in column.classes)]
    n_continuous = sum(column.kind == "continuous" for column in numeric)
    if 2 * n_continuous <= len(numeric):
        return tuple(columns)
    # among values, a column of few labels happens to hold few values
    return tuple(_as_numbers(column) if column in numeric else column for column in columns)


def _as_numbers(column: LabelColumn) -> LabelColumn:
    if column.kind == "continuous":
        return column
    values = np.full(len(column.values), np.nan)
    known = column.measured
    values[known] = np.array(column.classes, dtype=np.float64)[column.values[known].astype(int)]
    return LabelColumn(column.name, "continuous", values)


def single_label_column(y: Any, n: int, *, name: str = "y") -> LabelColumn:
    """Return the only label column, or explain that one is needed."""
    columns = read_labels(y, n, name=name)
    if len(columns) != 1:
        raise ValueError(
            f"{name} must be one column of labels. Got {len(columns)}: check one task at a time."
        )
    return columns[0]


def complete_label_column(y: Any, n: int) -> LabelColumn:
    """Return the only label column of y, or name the rows that have no label."""
    column = single_label_column(y, n)
    missing = np.flatnonzero(~column.measured)
    if len(missing):
        raise ValueError(
            f"y has no label in {name_rows(missing)}. Leave these rows out of X, y, entities "
            f"and groups."
        )
    return column


def _column(name: Any, series: pd.Series) -> LabelColumn:
    values = _numbers(series, name)
    if values is None:
        missing = np.asarray(series.isna())
        known = series.reset_index(drop=True)[~missing]
        refuse_few_texts(known, f"Labels {name!r}", "make every value a text that is no number")
        text = np.asarray(series.astype(str))
        classes, codes = np.unique(text[~missing], return_inverse=True)
        values = np.full(len(series), np.nan)
        values[~missing] = codes
        return LabelColumn(name, _kind_of_classes(len(classes)), values, tuple(classes.tolist()))
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        raise ValueError(f"Labels {name!r} are infinite in {name_rows(infinite)}.")
    distinct = np.unique(values[~np.isnan(values)])
    is_class = bool((distinct == np.round(distinct)).all()) and len(distinct) <= MOST_CLASSES
    if not is_class:
        return LabelColumn(name, "continuous", values)
    position = np.searchsorted(distinct, values).astype(np.float64)
    position[np.isnan(values)] = np.nan
    return LabelColumn(name, _kind_of_classes(len(distinct)), position, tuple(distinct.tolist()))


def _kind_of_classes(n_classes: int) -> LabelKind:
    return "binary" if n_classes <= 2 else "classes"


def _numbers(series: pd.Series, name: Any) -> NDArray[np.float64] | None:
    """Return the column as floats, or None when it holds text."""
    if series.dtype.kind in "mM":
        raise ValueError(
            f"Labels {name!r} are dates or durations. Convert them to numbers first, "
            "or pass dates as time=."
        )
    if series.dtype.kind == "c":
        raise ValueError(f"Labels {name!r} are complex numbers, which have no order.")
    try:
        return np.asarray(series.astype(object).where(series.notna(), np.nan), dtype=np.float64)
    except (TypeError, ValueError):
        return None
