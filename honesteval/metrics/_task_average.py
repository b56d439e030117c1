"""One number for many tasks: the mean over tasks, resampled by the rows they share."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from honesteval.exceptions import HonestevalWarning
from honesteval.metrics._task_columns import TaskColumns, TaskData, read_tasks
from honesteval.stats import BootstrapResult, Metric, bootstrap_statistics, get_metric

__all__ = ["TaskAverage", "average_over_tasks"]


@dataclass(frozen=True)
class TaskAverage:
    """A score averaged over tasks, with its interval.

    Attributes
    ----------
    estimate : float
        Mean over the defined tasks, or the score of all cells in one ranking.
    low, high : float
        Limits of the interval.
    standard_error : float
        Standard deviation over the resamples.
    average : str
        ``"macro"`` (mean of the tasks' scores) or ``"pooled"`` (one score of all cells).
    n_tasks, n_defined : int
        Tasks given, and those on which the score is defined and which are averaged.
    n_rows : int
        Rows of ``Y``; whole rows (or groups of them) are drawn.
    n_undefined : int
        Resamples left out because a task was undefined on them.
    metric, label : str
        Name of the metric, and the name shown.
    method : str
    n_resamples : int
    confidence_level : float
    per_task : DataFrame indexed by task
        ``n``, ``score``, and ``reason`` where the score is undefined.
    """

    estimate: float
    low: float
    high: float
    standard_error: float
    average: str
    n_tasks: int
    n_defined: int
    n_rows: int
    n_undefined: int
    metric: str
    label: str
    method: str
    n_resamples: int
    confidence_level: float
    per_task: pd.DataFrame = field(repr=False, compare=False)

    def summary(self) -> str:
        """Return the average, its interval and what it averages, in one or two lines."""
        what = "Mean" if self.average == "macro" else "Pooled"
        text = (
            f"{what} {self.label} of {self.n_defined} of {self.n_tasks} tasks {self.estimate:.3f}, "
            f"{self.confidence_level:.0%} interval [{self.low:.3f}, {self.high:.3f}] "
            f"({self.method}, {self.n_resamples} resamples of {self.n_rows} rows)"
        )
        undefined = self.per_task.index[self.per_task["reason"] != ""]
        if len(undefined):
            text += f"\nUndefined: {', '.join(map(str, undefined))}."
        return text

    def to_frame(self) -> pd.DataFrame:
        """Return one row with every field but the table of tasks."""
        return pd.DataFrame(
            [{name: value for name, value in vars(self).items() if name != "per_task"}]
        )

    def _repr_html_(self) -> str:
        return self.to_frame().to_html(index=False, float_format="{:.4g}".format)


def average_over_tasks(
    Y: Any,
    scores: Any,
    *,
    metric: str | Metric | Callable[[Any, Any], float] = "roc_auc",
    tasks: Sequence[Any] | None = None,
    pool: bool = False,
    groups: ArrayLike | None = None,
    method: str = "bca",
    n_resamples: int = 1999,
    confidence_level: float = 0.95,
    random_state: int | np.random.Generator | np.random.RandomState | None = None,
) -> TaskAverage:
    """Average a score over tasks, with an interval that respects the rows they share.

    A molecule that is hard in one assay is hard in its sister assay too, so that intervals of
    single tasks cannot be combined as if they were independent. Whole rows are drawn, and every
    task is scored on what was drawn of it.

    Parameters
    ----------
    Y : array-like or DataFrame of shape (n, n_tasks)
        Labels; NaN = not measured.
    scores : array-like or DataFrame of shape (n, n_tasks)
        Predictions of the labelled cells.
    metric : str, Metric or callable, default="roc_auc"
        As in :func:`honesteval.stats.bootstrap_ci`.
    tasks : sequence of length n_tasks, default=None
        Names of the tasks, by default those of the columns.
    pool : bool, default=False
        Score the cells of all tasks in one ranking instead. Refers rows of different tasks to
        each other and rewards a model for knowing which assay has more actives; warned of.
    groups : array-like of shape (n,), default=None
        Rows that belong together; whole groups are drawn.
    method, n_resamples, confidence_level, random_state
        As in :func:`honesteval.stats.bootstrap_ci`, 1999 resamples by default.

    Returns
    -------
    result : TaskAverage

    Raises
    ------
    ValueError
        If no task is defined, or arguments do not fit.

    Warns
    -----
    HonestevalWarning
        If tasks are pooled, or some are undefined and left out.

    Examples
    --------
    >>> import numpy as np
    >>> from honesteval.metrics import average_over_tasks
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.integers(0, 2, size=(60, 3)).astype(float)
    >>> scores = Y + rng.normal(size=(60, 3))
    >>> Y[:20, 0] = np.nan
    >>> print(average_over_tasks(Y, scores, random_state=0).summary())
    Mean ROC-AUC of 3 of 3 tasks 0.771, 95% interval [0.672, 0.845] (bca, 1999 resamples of 60 rows)
    """
    columns = read_tasks(Y, scores, tasks=tasks)
    chosen = get_metric(metric)
    data = list(columns)
    per_task = _per_task(chosen, data)
    defined = [task for task, why in zip(data, per_task["reason"], strict=True) if not why]
    if not defined:
        raise ValueError(
            f"{chosen.label} is undefined on every task: "
            + "; ".join(f"{task}: {why}" for task, why in per_task["reason"].items())
        )
    if pool:
        _warn_pooled(chosen)
        defined = [_pooled(columns)]
    elif len(defined) < len(data):
        _warn_undefined(chosen, per_task)
    samples = [(task.rows, chosen.sample(task.y, task.score)) for task in defined]

    def evaluate(weights: NDArray[Any]) -> NDArray[np.float64]:
        values = [chosen.on_resamples(sample, weights[:, rows]) for rows, sample in samples]
        return np.mean(values, axis=0)[None, :]

    (result,) = bootstrap_statistics(
        evaluate, len(columns.y), names=[chosen.label], groups=groups, method=method,
        n_resamples=n_resamples, confidence_level=confidence_level, random_state=random_state,
    )  # fmt: skip
    return _average(result, chosen, per_task, pool)


def _average(
    result: BootstrapResult, metric: Metric, per_task: pd.DataFrame, pool: bool
) -> TaskAverage:
    return TaskAverage(
        estimate=result.estimate,
        low=result.low,
        high=result.high,
        standard_error=result.standard_error,
        average="pooled" if pool else "macro",
        n_tasks=len(per_task),
        n_defined=len(per_task) if pool else int((per_task["reason"] == "").sum()),
        n_rows=result.n,
        n_undefined=result.n_undefined,
        metric=metric.name,
        label=metric.label,
        method=result.method,
        n_resamples=result.n_resamples,
        confidence_level=result.confidence_level,
        per_task=per_task,
    )


def _per_task(metric: Metric, data: list[TaskData]) -> pd.DataFrame:
    lines = []
    for task in data:
        value, why = np.nan, "no labels"
        if len(task.y):
            value = metric(task.y, task.score)
            sample = metric.sample(task.y, task.score)
            why = "" if np.isfinite(value) else metric.why_undefined(sample)
        lines.append({"task": task.task, "n": len(task.y), "score": value, "reason": why})
    return pd.DataFrame(lines).set_index("task")


def _pooled(columns: TaskColumns) -> TaskData:
    rows, tasks = np.nonzero(~np.isnan(columns.y))
    return TaskData(
        "all", rows, columns.y[rows, tasks], columns.score[rows, tasks], 0,
        bool(columns.is_binary.all()),
    )  # fmt: skip


def _warn_pooled(metric: Metric) -> None:
    warnings.warn(
        f"{metric.label} of all tasks in one pool compares rows of different tasks with each "
        "other: differences between the tasks (prevalence, units) enter the score. The mean of "
        "the tasks' scores (pool=False) does not.",
        HonestevalWarning,
        stacklevel=3,
    )


def _warn_undefined(metric: Metric, per_task: pd.DataFrame) -> None:
    undefined = per_task[per_task["reason"] != ""]
    listed = "; ".join(f"{task}: {why}" for task, why in undefined["reason"].head(5).items())
    warnings.warn(
        f"{metric.label} is undefined on {len(undefined)} of {len(per_task)} tasks, which are "
        f"left out of the mean: {listed}.",
        HonestevalWarning,
        stacklevel=3,
    )
