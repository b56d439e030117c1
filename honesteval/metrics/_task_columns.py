"""Labels and scores of many tasks, column by column, with missing labels masked per task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from honesteval._validation import as_numbers, check_same_length, name_rows

__all__ = ["TaskColumns", "TaskData", "read_tasks", "task_generators"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class TaskData:
    """The labelled rows of one task.

    Attributes
    ----------
    task : object
        Name of the task.
    rows : ndarray of shape (n,)
        Positions of its labelled rows in the input.
    y, score : ndarray of shape (n,)
    n_missing : int
        Rows without a label.
    is_binary : bool
        Whether the labels are two classes (0/1 or -1/1).
    """

    task: Any
    rows: NDArray[np.intp]
    y: FloatArray
    score: FloatArray
    n_missing: int
    is_binary: bool


@dataclass(frozen=True)
class TaskColumns:
    """Labels and scores of all tasks, both of shape (n_rows, n_tasks), NaN = not measured."""

    tasks: list[Any]
    y: FloatArray
    score: FloatArray
    is_binary: NDArray[np.bool_]

    def __iter__(self) -> Iterator[TaskData]:
        for column, task in enumerate(self.tasks):
            rows = np.flatnonzero(~np.isnan(self.y[:, column]))
            yield TaskData(
                task,
                rows,
                self.y[rows, column],
                self.score[rows, column],
                len(self.y) - len(rows),
                bool(self.is_binary[column]),
            )

    def __len__(self) -> int:
        return len(self.tasks)


def read_tasks(
    Y: Any, scores: Any, *, tasks: Sequence[Any] | None = None, task_type: str = "auto"
) -> TaskColumns:
    """Check and align labels and scores; every labelled cell needs a score."""
    named = _names(Y) or _names(scores)
    scores = _positive_class(scores)
    if _names(Y) and _names(scores):
        scores = _same_columns(Y, scores)
    y, score = _matrix(Y, "Y"), _matrix(scores, "scores")
    check_same_length(Y=y, scores=score)
    if y.shape[1] != score.shape[1]:
        raise ValueError(
            f"Y has {y.shape[1]} tasks and scores has {score.shape[1]}: one column per task each."
        )
    if tasks is None:
        tasks = named or list(range(y.shape[1]))
    if len(tasks) != y.shape[1]:
        raise ValueError(f"tasks names {len(tasks)} tasks, and Y has {y.shape[1]} columns.")
    if 0 in y.shape:
        raise ValueError(f"Y needs at least one row and one task. Got shape {y.shape}.")
    repeated = sorted({str(task) for task, n in Counter(tasks).items() if n > 1})
    if repeated:
        raise ValueError(
            f"Every task needs a name of its own. Named more than once: {', '.join(repeated)}."
        )
    for column, task in enumerate(tasks):
        _require_scores(y[:, column], score[:, column], task)
    binary = np.array([_is_binary(y[:, column]) for column in range(y.shape[1])], dtype=bool)
    if task_type == "classification" and not binary.all():
        bad = [str(task) for task, fine in zip(tasks, binary, strict=True) if not fine]
        raise ValueError(
            f"task_type='classification' takes labels 0/1 or -1/1; not so for {', '.join(bad)}."
        )
    if task_type == "regression":
        binary[:] = False
    return TaskColumns(list(tasks), y, score, binary)


def task_generators(random_state: Any, n_tasks: int) -> list[np.random.Generator]:
    """Return one independent generator per task, from a seed or a generator."""
    seed = random_state
    if isinstance(seed, np.random.Generator):
        seed = int(seed.integers(2**32))
    elif isinstance(seed, np.random.RandomState):
        seed = int(seed.randint(2**31 - 1))
    children = np.random.SeedSequence(seed).spawn(n_tasks)
    return [np.random.default_rng(child) for child in children]


def _names(table: Any) -> list[Any]:
    if isinstance(table, pd.Series):
        return [table.name] if table.name is not None else []
    return list(table.columns) if hasattr(table, "columns") else []


def _positive_class(scores: Any) -> Any:
    """Take the positive class of what a multi-output ``predict_proba`` returns."""
    if isinstance(scores, list | tuple) and len(scores) and all(
        isinstance(block, np.ndarray) and block.ndim == 2 for block in scores
    ):  # fmt: skip
        widths = {block.shape[1] for block in scores}
        if widths != {2}:
            raise ValueError(
                "A list of predicted probabilities needs two columns per task (negative and "
                f"positive class). Got {sorted(widths)} columns: a task with one class in its "
                "training labels has no column for the other."
            )
        return np.column_stack([block[:, 1] for block in scores])
    return scores


def _same_columns(Y: Any, scores: Any) -> Any:
    wanted, found = _names(Y), _names(scores)
    if set(wanted) == set(found) and len(set(wanted)) == len(wanted) and len(wanted) > 1:
        return scores[wanted]
    return scores


def _matrix(table: Any, name: str) -> FloatArray:
    try:
        if isinstance(table, pd.DataFrame | pd.Series):
            values = table.to_numpy(dtype=np.float64, na_value=np.nan)
        else:
            values = np.asarray(table)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be numeric, with NaN for not measured: {error}.") from error
    values = as_numbers(values, name)
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2:
        raise ValueError(f"{name} must have one column per task. Got shape {values.shape}.")
    infinite = np.flatnonzero(np.isinf(values).any(axis=1))
    if name == "Y" and len(infinite):
        raise ValueError(f"{name} holds infinite values in {name_rows(infinite)}.")
    return values


def _require_scores(y: FloatArray, score: FloatArray, task: Any) -> None:
    unscored = np.flatnonzero(~np.isnan(y) & np.isnan(score))
    if len(unscored):
        raise ValueError(
            f"Task {task!r} has labels without a score in {name_rows(unscored)}. Score every "
            "labelled row, or set those labels to NaN."
        )


def _is_binary(y: FloatArray) -> bool:
    values = set(np.unique(y[~np.isnan(y)]))
    return values <= {0.0, 1.0} or values <= {-1.0, 1.0}
