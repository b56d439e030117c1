"""Which classes of y are to be spread over the folds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from honesteval._validation import check_option, n_rows, name_rows
from honesteval.model_selection._entities_of import as_pandas
from honesteval.partition import ClassTable

__all__ = ["STRATIFY_OPTIONS", "class_table"]

STRATIFY_OPTIONS = ("auto", "classes", "quantiles", None)

#: A numeric y with more distinct values than this is taken for continuous, not for classes.
MOST_CLASSES = 20
#: Quantile bins of a continuous y.
N_QUANTILES = 5


def class_table(
    y: Any, n_samples: int, stratify: str | None, *, min_per_class: int = 0
) -> ClassTable | None:
    """Return the classes to balance, or None.

    Parameters
    ----------
    y : array-like of shape (n_samples,) or (n_samples, n_tasks) or None
        Labels; NaN or None where not measured.
    n_samples : int
    stratify : {"auto", "classes", "quantiles", None}
        ``"auto"``: binary, multiclass and multilabel y as far as possible, nothing for a
        continuous y. ``"classes"``: y holds classes and the bounds are hard. ``"quantiles"``:
        five bins of equal frequency of a continuous y, as far as possible.
    min_per_class : int >= 0, default=0
        Hard minimum of every class in every fold.

    Returns
    -------
    table : ClassTable or None
    """
    check_option(stratify, "stratify", STRATIFY_OPTIONS)
    table = None if stratify is None else _table(y, n_samples, stratify)
    if table is None and min_per_class:
        raise ValueError(
            f"min_per_class={min_per_class} needs classes: pass a y of classes to split, with "
            f"stratify='auto' or 'classes' (or 'quantiles' for a continuous y)."
        )
    return None if table is None else replace(table, minimum=min_per_class)


def _table(y: Any, n_samples: int, stratify: str) -> ClassTable | None:
    if y is None:
        if stratify == "auto":
            return None
        raise ValueError(f"stratify={stratify!r} needs y. Pass y to split, or set stratify=None.")
    tasks = _tasks(y, n_samples)
    columns: list[NDArray[np.float64]] = []
    names: list[str] = []
    for task_name, values in tasks:
        labels = _labels(values, stratify, task_name)
        if labels is None:
            continue
        known = ~pd.isna(labels)
        for value in pd.unique(labels[known]):
            columns.append((known & (labels == value)).to_numpy(dtype=np.float64))
            names.append(f"class {_show(value)}" + (f" of {task_name}" if task_name else ""))
    if not columns:
        return None
    order = np.argsort(names, kind="stable")  # the same whatever the order of the rows
    counts = np.column_stack([columns[i] for i in order])
    return ClassTable(counts, tuple(names[i] for i in order), are_soft=stratify != "classes")


def _tasks(y: Any, n_samples: int) -> list[tuple[str, pd.Series]]:
    if sparse.issparse(y):
        y = y.toarray()
    if n_rows(y) != n_samples:
        raise ValueError(f"X has {n_samples} rows but y has {n_rows(y)}.")
    y = as_pandas(y)
    if not hasattr(y, "columns"):
        shape = _shape(y)
        if len(shape) > 2:
            raise ValueError(f"y must have one or two dimensions. Got shape {shape}.")
    frame = pd.DataFrame(np.asarray(y) if not hasattr(y, "columns") else y)
    if frame.shape[1] == 1:
        return [("", frame.iloc[:, 0].reset_index(drop=True))]
    names = [str(name) if hasattr(y, "columns") else f"task {name}" for name in frame.columns]
    return [(name, frame.iloc[:, i].reset_index(drop=True)) for i, name in enumerate(names)]


def _shape(y: Any) -> tuple[int, ...]:
    try:
        return np.shape(y)
    except ValueError as error:
        lengths = [len(row) if isinstance(row, list | tuple) else 1 for row in y]
        odd = [row for row, length in enumerate(lengths) if length != lengths[0]]
        raise ValueError(
            f"y must have the same number of tasks in every row: not so in {name_rows(odd)}. Write "
            f"NaN where a task was not measured."
        ) from error


def _floats(values: pd.Series) -> pd.Series:
    """Return numbers of any type as floats, NaN where missing."""
    known = values.notna().to_numpy()
    floats = np.full(len(values), np.nan)
    floats[known] = values[known].astype(np.float64)
    return pd.Series(floats)


def _labels(values: pd.Series, stratify: str, task: str) -> pd.Series | None:
    """Return class labels of a task, or None if it is continuous and that is not asked for."""
    known = values.dropna()
    if known.dtype.kind == "c":
        raise ValueError("y must hold real numbers or classes. Got complex numbers.")
    if known.dtype.kind in "mM" and stratify == "auto":
        return None
    is_text = known.dtype == object or pd.api.types.is_string_dtype(known)
    numbers = pd.to_numeric(known, errors="coerce") if is_text else known
    is_numeric = pd.api.types.is_numeric_dtype(numbers) and not numbers.isna().any()
    if stratify == "quantiles" and not is_numeric:
        raise ValueError(f"stratify='quantiles' needs numbers{' in ' + task if task else ''}.")
    if is_numeric:
        floats = _floats(values)
        infinite = np.flatnonzero(np.isinf(floats))
        if len(infinite):
            raise ValueError(
                f"y is infinite in {name_rows(infinite)}. Write NaN where it was not measured."
            )
        if stratify == "quantiles":
            return np.ceil(floats.rank(method="average", pct=True) * N_QUANTILES)
        finite = floats.dropna()
        whole = bool((finite == np.floor(finite)).all())
        if stratify == "auto" and (not whole or finite.nunique() > MOST_CLASSES):
            return None
        return floats
    return values


def _show(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return repr(value) if isinstance(value, str) else str(value)
