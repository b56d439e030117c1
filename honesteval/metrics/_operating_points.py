"""What a ranking is worth once a threshold is set: rates, precision and cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from honesteval._validation import check_number, check_option
from honesteval.metrics._precision_recall import precision_at_prevalence, threshold_counts
from honesteval.metrics._task_columns import TaskData, read_tasks
from honesteval.stats import get_metric

__all__ = ["operating_points"]

FloatArray = NDArray[np.float64]


def operating_points(
    y: Any,
    score: Any,
    *,
    tasks: Sequence[Any] | None = None,
    cost_ratios: Sequence[float] = (1.0, 5.0, 20.0),
    false_positive_rates: Sequence[float] = (),
    prevalence: float | Mapping[Any, float] | None = None,
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """Return a table of thresholds: the cheapest for each cost ratio, and at fixed rates.

    Parameters
    ----------
    y : array-like of shape (n,) or (n, n_tasks)
        Labels 0/1, -1/1 or bool, both present. Of several tasks NaN is not measured, as in
        :func:`task_report`.
    score : array-like of the same shape
        Predictions, high for positives.
    tasks : sequence of length n_tasks, default=None
        Names of several tasks, by default those of the columns.
    cost_ratios : sequence of float, default=(1.0, 5.0, 20.0)
        What a missed positive costs, in units of a false alarm. One row each: the threshold of
        the lowest mean cost at ``prevalence``.
    false_positive_rates : sequence of float in [0, 1], default=()
        One row each: the threshold of the highest TPR whose FPR does not exceed it.
    prevalence : float in (0, 1) or mapping of task to float, default=None
        Share of positives where the model will be used; by default that of ``y``, task by task.
    confidence_level : float in (0, 1), default=0.95

    Returns
    -------
    table : DataFrame
        ``chosen_by``, ``threshold`` (predict positive at or above; inf = never), ``tpr``,
        ``fpr`` with exact binomial limits ``tpr_low``, ``tpr_high``, ``fpr_low``, ``fpr_high``,
        ``precision`` at the prevalence, ``prevalence``, and for cost ratios ``cost`` (mean per
        row, a false alarm costing 1) beside ``cost_without_model`` (the cheaper of calling
        everything or nothing positive). Of several tasks first ``task``, and last ``reason``: why
        a task has no operating points (one row of NaN), else empty.

    Raises
    ------
    ValueError
        If one class is missing in the only task, or an argument is out of range.

    Notes
    -----
    A threshold chosen on the rows it is judged on looks a little better than it is, the more
    so the fewer rows. To be exact, choose it on other rows than these.

    Examples
    --------
    >>> from honesteval.metrics import operating_points
    >>> y = [0, 0, 0, 1, 0, 1, 1, 0, 1, 1]
    >>> score = [.1, .2, .3, .35, .5, .55, .6, .65, .8, .9]
    >>> table = operating_points(y, score, cost_ratios=[1, 10], prevalence=0.05)
    >>> table[["chosen_by", "threshold", "tpr", "fpr", "precision", "cost"]].round(3)
              chosen_by  threshold  tpr  fpr  precision  cost
    0   cost ratio of 1       0.80  0.4  0.0      1.000  0.03
    1  cost ratio of 10       0.55  0.8  0.2      0.174  0.29
    """
    check_number(confidence_level, "confidence_level", low=0, high=1, closed="neither")
    for ratio in cost_ratios:
        check_number(ratio, "cost_ratios", low=0, closed="neither")
    for limit in false_positive_rates:
        check_number(limit, "false_positive_rates", low=0, high=1)
    of_one_task = partial(
        _of_one_task,
        cost_ratios=cost_ratios,
        false_positive_rates=false_positive_rates,
        confidence_level=confidence_level,
    )
    if tasks is None and len(getattr(y, "shape", np.shape(y))) == 1:
        if isinstance(prevalence, Mapping):
            raise ValueError("prevalence by task needs several tasks: give y one column for each.")
        return of_one_task(y, score, prevalence=prevalence)
    columns = read_tasks(y, score, tasks=tasks)
    by_task = (
        prevalence if isinstance(prevalence, Mapping) else dict.fromkeys(columns.tasks, prevalence)
    )
    for task in by_task:
        check_option(task, "a task of prevalence", columns.tasks)
    parts = []
    for data in columns:
        why = _why_none(data)
        part = (
            pd.DataFrame([{"chosen_by": ""}])
            if why
            else of_one_task(data.y, data.score, prevalence=by_task.get(data.task))
        )
        part.insert(0, "task", [data.task] * len(part))
        parts.append(part.assign(reason=why))
    return pd.concat(parts, ignore_index=True).reindex(
        columns=max((part.columns for part in parts), key=len)
    )


def _why_none(data: TaskData) -> str:
    if not data.is_binary:
        return "measured values, not classes"
    n_positive, n = int(np.sum(data.y == 1)), len(data.y)
    return f"one class only ({n_positive} positives of {n} rows)" if n_positive in (0, n) else ""


def _of_one_task(
    y: ArrayLike,
    score: ArrayLike,
    *,
    cost_ratios: Sequence[float],
    false_positive_rates: Sequence[float],
    prevalence: float | None,
    confidence_level: float,
) -> pd.DataFrame:
    sample = get_metric("roc_auc").sample(y, score)
    n_positive = int(sample.y.sum())
    n_negative = len(sample) - n_positive
    if min(n_positive, n_negative) == 0:
        raise ValueError(
            f"Operating points need both classes. Got {n_positive} positives of {len(sample)} rows."
        )
    if prevalence is None:
        prevalence = n_positive / len(sample)
    check_number(prevalence, "prevalence", low=0, high=1, closed="neither")
    threshold, true_positive, false_positive = threshold_counts(sample.y, sample.score)
    threshold = np.r_[np.inf, threshold]
    counts = np.column_stack([np.r_[0, true_positive], np.r_[0, false_positive]])
    rates = counts / [n_positive, n_negative]
    chosen: list[tuple[int, dict[str, Any]]] = []
    for ratio in cost_ratios:
        missed, alarms = ratio * prevalence, 1 - prevalence
        cost = missed * (1 - rates[:, 0]) + alarms * rates[:, 1]
        best = _first_lowest(cost)
        why = {"chosen_by": f"cost ratio of {ratio:g}", "cost": float(cost[best])}
        chosen.append((best, {**why, "cost_without_model": min(missed, alarms)}))
    for limit in false_positive_rates:
        best = int(np.flatnonzero(rates[:, 1] <= limit + 1e-12)[-1])
        chosen.append((best, {"chosen_by": f"FPR at most {limit:g}"}))
    lines = []
    for row, why in chosen:
        line = {"chosen_by": why.pop("chosen_by"), "threshold": threshold[row]}
        line |= _rate("tpr", counts[row, 0], n_positive, confidence_level)
        line |= _rate("fpr", counts[row, 1], n_negative, confidence_level)
        line["precision"] = precision_at_prevalence(line["tpr"], line["fpr"], prevalence)
        lines.append({**line, "prevalence": prevalence, **why})
    return pd.DataFrame(lines)


def _first_lowest(cost: FloatArray) -> int:
    """Return the highest threshold among those of equal cost, up to rounding."""
    return int(np.flatnonzero(cost <= cost.min() + 1e-12)[0])


def _rate(name: str, count: float, size: int, confidence_level: float) -> dict[str, float]:
    interval = stats.binomtest(int(count), size).proportion_ci(confidence_level, method="exact")
    return {
        name: float(count / size),
        f"{name}_low": float(interval.low),
        f"{name}_high": float(interval.high),
    }
