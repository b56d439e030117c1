"""What a column of labels is: classes or values, which class is positive, what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from honesteval._notebook import ShownInNotebook
from honesteval._validation import check_option, name_rows, refuse_few_texts

TaskKind = Literal["binary", "multiclass", "regression"]
TASKS = ("auto", "classification", "regression")

#: Whole numbers with at most this many distinct values are taken for classes.
MAX_NUMERIC_CLASSES = 10

#: Text labels that name the positive class when exactly one of two labels is among them.
POSITIVE_WORDS = frozenset(
    {"active", "positive", "pos", "yes", "y", "true", "t", "toxic", "hit", "binder", "inhibitor"}
)

_MISSING_TEXT = frozenset({"", "na", "n/a", "nan", "none", "null"})


@dataclass(frozen=True, eq=False)
class Target(ShownInNotebook):
    """A column of labels, ready to learn from.

    Made by :func:`resolve_target`.

    Parameters
    ----------
    name : str
        Name of the column.
    kind : {"binary", "multiclass", "regression"}
    values : ndarray of shape (n_rows,)
        Numbers; for classes the position in ``classes``. NaN where missing.
    classes : tuple of str
        Names of the classes, the positive one last for two; empty for regression.
    guessed : str, default=""
        Why it was taken for that, in brackets after a space; empty where the caller said it.
    """

    name: str
    kind: TaskKind
    values: NDArray[np.float64]
    classes: tuple[str, ...]
    guessed: str = ""

    @property
    def reason(self) -> str:
        """One sentence that says what the column was taken for, and why; it counts these rows."""
        if self.is_regression:
            known = self.values[self.labelled]
            why = f" ({len(np.unique(known)):,} distinct values)" if self.guessed else ""
            return (
                f"{self.name} was taken for a continuous value{why}, "
                f"from {known.min():.4g} to {known.max():.4g}."
            )
        n_classes = len(self.classes)
        return f"{self.name} was taken for {n_classes} classes{self.guessed}: {_shown(self)}."

    @property
    def is_regression(self) -> bool:
        """Whether the labels are values rather than classes."""
        return self.kind == "regression"

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """Which rows have a label, shape (n_rows,)."""
        return ~np.isnan(self.values)

    @property
    def n_labelled(self) -> int:
        """Number of rows with a label."""
        return int(self.labelled.sum())

    def summary(self) -> str:
        """Return what the column was taken for, and how many rows have a value."""
        return f"{self.reason} {self.n_labelled:,} of {len(self.values):,} rows have a value."

    def counts(self) -> dict[str, int]:
        """Return the number of rows per class, empty for regression."""
        known = self.values[self.labelled]
        return {name: int((known == code).sum()) for code, name in enumerate(self.classes)}

    def take(self, rows: Any) -> Target:
        """Return the same target for some rows."""
        return replace(self, values=self.values[rows])


def resolve_target(y: Any, *, name: str = "y", task: str = "auto", positive: Any = None) -> Target:
    """Read a column of labels and say what it was taken for.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Numbers, booleans or text; None, NaN, and text such as "" or "NA" are missing.
    name : str, default="y"
        Name of the column, for sentences.
    task : {"auto", "classification", "regression"}, default="auto"
        ``"auto"`` takes text, booleans, two distinct values, and whole numbers with at most ten
        distinct values for classes, everything else for values.
    positive : scalar, default=None
        The positive one of two classes. None takes the label that says so ("active", "yes",
        ...), else the last in sorting order, as scikit-learn does.

    Returns
    -------
    target : Target

    Raises
    ------
    ValueError
        If no row has a label, all labels are the same, text cannot be read as numbers for a
        regression, a value is infinite, or ``positive`` is not one of two classes.

    Examples
    --------
    >>> from honesteval.report import resolve_target
    >>> target = resolve_target(["active", "inactive", None, "inactive"], name="hERG")
    >>> print(target.reason)
    hERG was taken for 2 classes (text labels): 'inactive' (2 rows) and 'active' (1 row, the
    positive class).
    >>> target.values
    array([ 1.,  0., nan,  0.])
    """
    check_option(task, "task", TASKS)
    column = pd.Series(_cleaned(y, name), dtype=object)
    known = column.dropna()
    if known.empty:
        raise ValueError(f"No row has a value of {name}: there is nothing to learn.")
    numbers = _as_numbers(known)
    if task == "auto" and numbers is None:
        refuse_few_texts(known, name, "take its values for classes (task 'classification')")
    if task == "regression" or (task == "auto" and not _looks_like_classes(known, numbers)):
        if numbers is None:
            text = next(value for value in known if _number(value) is None)
            raise ValueError(
                f"{name} cannot be read as numbers (for example {str(text)!r}). Correct it, or "
                "take its values for classes (task 'classification')."
            )
        return _regression(column, numbers, name, guessed=task == "auto")
    if positive is not None and numbers is not None:
        positive = _number(positive)
    return _classes(column, numbers, name, positive, guessed=task == "auto")


def _cleaned(y: Any, name: str) -> list[Any]:
    values = np.asarray(y, dtype=object)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError(f"{name} must be one column. Got shape {values.shape}.")
    return [None if _is_missing(value) else value for value in values]


def _is_missing(value: Any) -> bool:
    if isinstance(value, str):
        return value.strip().lower() in _MISSING_TEXT
    return bool(pd.isna(value))


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _as_numbers(known: pd.Series) -> pd.Series | None:
    numbers = known.map(_number)
    return None if numbers.isna().any() else numbers.astype(np.float64)


def _looks_like_classes(known: pd.Series, numbers: pd.Series | None) -> bool:
    if numbers is None or all(isinstance(value, bool | np.bool_) for value in known):
        return True
    n_distinct = numbers.nunique()
    whole = bool((numbers == np.floor(numbers)).all())
    return n_distinct <= 2 or (whole and n_distinct <= MAX_NUMERIC_CLASSES)


def _regression(column: pd.Series, numbers: pd.Series, name: str, *, guessed: bool) -> Target:
    infinite = numbers.index[~np.isfinite(numbers)]
    if len(infinite):
        raise ValueError(f"{name} holds infinite values in {name_rows(infinite)}.")
    if numbers.nunique() == 1:
        raise ValueError(
            f"All {len(numbers):,} values of {name} are {numbers.iloc[0]:g}: "
            "there is nothing to learn."
        )
    values = np.full(len(column), np.nan)
    values[numbers.index] = numbers
    return Target(name, "regression", values, (), " (a guess)" if guessed else "")


def _classes(
    column: pd.Series, numbers: pd.Series | None, name: str, positive: Any, *, guessed: bool
) -> Target:
    keys = column.dropna().map(str) if numbers is None else numbers
    distinct = _in_order(sorted(keys.unique()), positive, name)
    if len(distinct) == 1:
        raise ValueError(
            f"{name} holds one class only ({_label(distinct[0])!r} in all {len(keys):,} rows): "
            "there is nothing to tell apart."
        )
    values = np.full(len(column), np.nan)
    values[keys.index] = keys.map({value: code for code, value in enumerate(distinct)})
    labels = tuple(_label(value) for value in distinct)
    why = " (text labels)" if numbers is None and guessed else ""
    if guessed and len(labels) > 2 and numbers is not None:
        why = f" (whole numbers, at most {MAX_NUMERIC_CLASSES} distinct)"
    return Target(name, "binary" if len(labels) == 2 else "multiclass", values, labels, why)


def _in_order(distinct: list[Any], positive: Any, name: str) -> list[Any]:
    """Put the positive one of two classes last."""
    if positive is None:
        named = [value for value in distinct if str(value).strip().lower() in POSITIVE_WORDS]
        if len(distinct) != 2 or len(named) != 1:
            return distinct
        positive = named[0]
    if len(distinct) != 2 or positive not in distinct:
        shown = ", ".join(repr(_label(value)) for value in distinct[:10])
        raise ValueError(f"positive must be one of two classes of {name}: {shown}.")
    return [value for value in distinct if value != positive] + [positive]


def _label(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _shown(target: Target, *, limit: int = 6) -> str:
    counted = [
        f"{label!r} ({count:,} {'row' if count == 1 else 'rows'}"
        + (
            ", the positive class)"
            if target.kind == "binary" and label == target.classes[1]
            else ")"
        )
        for label, count in target.counts().items()
    ]
    if len(counted) > limit:
        return ", ".join(counted[:limit]) + f" and {len(counted) - limit} more"
    return ", ".join(counted[:-1]) + " and " + counted[-1]


def resolve_targets(
    Y: Any, *, names: Sequence[str] | None = None, task: str = "auto", positive: Any = None
) -> tuple[Target, ...]:
    """Read one or several columns of labels.

    Parameters
    ----------
    Y : array-like or DataFrame of shape (n_rows,) or (n_rows, n_tasks)
    names : sequence of str, default=None
        None takes the names of the columns, or ``"y"`` for one and ``"task 0"`` and so on for
        several.
    task, positive
        As in :func:`resolve_target`, for every column.

    Returns
    -------
    targets : tuple of Target, length n_tasks

    Raises
    ------
    ValueError
        As in :func:`resolve_target`, or if there are not as many names as columns.
    """
    table = Y.to_frame() if isinstance(Y, pd.Series) else Y
    if names is None and isinstance(table, pd.DataFrame):
        names = [
            ("y" if column is None or column == 0 else str(column)) for column in table.columns
        ]
    values = np.asarray(table, dtype=object)
    if values.ndim == 1:
        values = values[:, np.newaxis]
    if values.ndim != 2 or values.shape[1] == 0:
        raise ValueError(f"y must have one or more columns. Got shape {values.shape}.")
    if names is None:
        many = values.shape[1] > 1
        names = [f"task {number}" if many else "y" for number in range(values.shape[1])]
    if len(names) != values.shape[1]:
        raise ValueError(f"{len(names)} names were given for {values.shape[1]} columns of y.")
    return tuple(
        resolve_target(values[:, column], name=str(name), task=task, positive=positive)
        for column, name in enumerate(names)
    )
