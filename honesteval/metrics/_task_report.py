"""One table that says how good a model is, task by task, with intervals and baselines."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from honesteval._validation import check_1d, check_groups, check_number, check_option
from honesteval.exceptions import HonestevalWarning
from honesteval.metrics._calibration import chance_calibration_error
from honesteval.metrics._chance import (
    average_precision_gain,
    bedroc_of_random,
    random_average_precision,
)
from honesteval.metrics._task_columns import TaskColumns, TaskData, read_tasks, task_generators
from honesteval.stats import Metric, auc_resolution, bootstrap_metrics, get_metric

__all__ = ["task_report"]

TASK_TYPES = ("auto", "classification", "regression")


def task_report(
    Y: Any,
    scores: Any,
    *,
    tasks: Sequence[Any] | None = None,
    task_type: str = "auto",
    groups: ArrayLike | None = None,
    enrichment_fraction: float = 0.01,
    bedroc_alpha: float = 20.0,
    assay_error: float | Mapping[Any, float] | None = None,
    method: str = "bca",
    n_resamples: int = 1999,
    confidence_level: float = 0.95,
    random_state: int | np.random.Generator | np.random.RandomState | None = None,
) -> pd.DataFrame:
    """Score every task of a multi-task prediction, with intervals, baselines and counts.

    Parameters
    ----------
    Y : array-like or DataFrame of shape (n, n_tasks), or (n,)
        Labels, one column per task; NaN = not measured, left out of that task and counted.
        Binary tasks are 0/1 or -1/1, all others are regression.
    scores : array-like or DataFrame of the same shape
        Predictions of the labelled cells: probabilities or rankings for binary tasks, values
        for regression. A list of (n, 2) arrays, as a multi-output ``predict_proba`` returns,
        is understood too. Columns of two DataFrames are matched by name.
    tasks : sequence of length n_tasks, default=None
        Names of the tasks, by default those of the columns.
    task_type : {"auto", "classification", "regression"}, default="auto"
        "regression" treats 0/1 labels as values.
    groups : array-like of shape (n,), default=None
        Rows that belong together; intervals then draw whole groups.
    enrichment_fraction : float in (0, 1], default=0.01
        Top share of the ranking for the enrichment factor.
    bedroc_alpha : float, default=20.0
        Weight of the early ranks: 80 % of BEDROC comes from the top ``1.6/alpha`` share (8 %).
    assay_error : float or mapping of task to float, default=None
        Error of the measurement in units of Y, for regression tasks; adds the share of
        predictions within it.
    method : {"bca", "percentile", "basic", "studentized"}, default="bca"
        Bootstrap interval, see :func:`honesteval.stats.bootstrap_ci`.
    n_resamples : int, default=1999
        0 leaves the intervals out.
    confidence_level : float in (0, 1), default=0.95
    random_state : int, Generator, RandomState or None, default=None
        Each task has its own stream, so that tasks can be added without changing others.

    Returns
    -------
    report : DataFrame indexed by task
        For every task ``type``, ``n``, ``n_missing``; for each score below its estimate and
        the limits ``<score>_low`` and ``<score>_high``. Binary tasks: ``n_positive``,
        ``prevalence``, ``roc_auc``, ``roc_auc_resolution`` (smallest step it can make),
        ``average_precision``, ``average_precision_random`` (mean of a random ranking),
        ``average_precision_gain`` (0 random, 1 perfect), ``enrichment_factor``, ``bedroc``,
        ``bedroc_random``, and where scores lie in [0, 1] ``brier``, ``brier_baseline``
        (constant prevalence), ``ece``, ``ece_chance`` (what perfect calibration would show).
        Regression: ``mae``, ``mae_baseline`` (the median of y), ``rmse``, ``rmse_baseline``
        (the mean of y), ``r2``, ``spearman``, ``kendall``, ``within_assay_error``.
        ``n_undefined`` is the number of resamples left out (highest of the scores), ``reason``
        says why a score is NaN, empty when none is.

    Raises
    ------
    ValueError
        If a labelled cell has no score (with its rows), shapes differ, two tasks have one name,
        a group is missing, or ``assay_error`` names no regression task.

    See Also
    --------
    operating_points : Thresholds of every task at chosen costs, with precision at a prevalence.
    average_over_tasks : The mean over tasks, with an interval that respects shared rows.

    Notes
    -----
    A score that is undefined, such as a ROC-AUC with one class, is NaN, never 0. Average
    precision of a sample is biased upward, by about 0.05 with 10 positives of 200.

    Examples
    --------
    >>> import numpy as np
    >>> from honesteval.metrics import task_report
    >>> Y = np.array([[0, 1], [1, np.nan], [1, 1], [0, 1], [1, np.nan], [0, 1]])
    >>> scores = np.array([[.2, .9], [.7, .5], [.4, .8], [.3, .7], [.9, .1], [.6, .6]])
    >>> report = task_report(Y, scores, tasks=["hERG", "AMES"], random_state=0)
    >>> report[["n", "n_missing", "n_positive", "roc_auc"]].round(3)
          n  n_missing  n_positive  roc_auc
    task
    hERG  6          0           3    0.889
    AMES  4          2           4      NaN
    >>> report.loc["AMES", "reason"]
    'roc_auc, average_precision, enrichment_factor, bedroc: one class only (4 positives of 4 rows)'
    """
    check_option(task_type, "task_type", TASK_TYPES)
    check_number(n_resamples, "n_resamples", low=0, integer=True)
    columns = read_tasks(Y, scores, tasks=tasks, task_type=task_type)
    if groups is not None:
        groups = check_groups(check_1d(groups, "groups"), len(columns.y))
    errors = _assay_errors(assay_error, columns)
    streams = task_generators(random_state, len(columns))
    settings = {
        "method": method, "n_resamples": n_resamples, "confidence_level": confidence_level
    }  # fmt: skip
    lines = []
    for data, stream in zip(columns, streams, strict=True):
        of_task = None if groups is None else groups[data.rows]
        if data.is_binary:
            metrics, facts = _binary(data, enrichment_fraction, bedroc_alpha)
        else:
            metrics, facts = _regression(data, errors.get(data.task))
        scored = _score(data, metrics, of_task, {**settings, "random_state": stream})
        lines.append({"task": data.task, **facts, **scored})
    table = pd.DataFrame(lines).set_index("task")
    return table[_ordered(table.columns)]


def _binary(
    data: TaskData, fraction: float, alpha: float
) -> tuple[dict[str, Metric], dict[str, Any]]:
    n, n_positive = len(data.y), int(np.sum(data.y == 1))
    are_probabilities = bool(np.all((data.score >= 0) & (data.score <= 1)))
    metrics = {
        "roc_auc": get_metric("roc_auc"),
        "average_precision": get_metric("average_precision"),
        "enrichment_factor": get_metric("enrichment_factor", fraction=fraction),
        "bedroc": get_metric("bedroc", alpha=alpha),
        "brier": get_metric("brier"),
        "ece": get_metric("ece"),
    }
    prevalence = n_positive / n if n else np.nan
    shared = np.intersect1d(data.score[data.y == 1], data.score[data.y != 1])
    facts: dict[str, Any] = {
        "type": "classification",
        "n": n,
        "n_missing": data.n_missing,
        "n_positive": n_positive,
        "prevalence": prevalence,
        "roc_auc_resolution": auc_resolution(n_positive, n - n_positive, ties=len(shared) > 0),
        "average_precision_random": random_average_precision(n_positive, n) if n else np.nan,
        "bedroc_random": bedroc_of_random(n_positive, n, alpha=alpha) if n else np.nan,
        "brier_baseline": prevalence * (1 - prevalence),
        "ece_chance": chance_calibration_error(data.score) if n and are_probabilities else np.nan,
    }
    return metrics, facts


def _assay_errors(
    assay_error: float | Mapping[Any, float] | None, columns: TaskColumns
) -> dict[Any, float]:
    """Return the error of each task that has one; only regression tasks can."""
    if assay_error is None:
        return {}
    values = [
        task for task, binary in zip(columns.tasks, columns.is_binary, strict=True) if not binary
    ]
    if not values:
        raise ValueError(
            "assay_error is for tasks of measured values, and every task here has classes. Leave "
            "it out, or pass task_type='regression'."
        )
    errors = (
        dict(assay_error)
        if isinstance(assay_error, Mapping)
        else dict.fromkeys(values, assay_error)
    )
    for task, error in errors.items():
        check_option(task, "a task of assay_error", values)
        check_number(error, f"assay_error of {task}", low=0)
    return errors


def _regression(
    data: TaskData, assay_error: float | None
) -> tuple[dict[str, Metric], dict[str, Any]]:
    metrics = {name: get_metric(name) for name in ("mae", "rmse", "r2", "spearman", "kendall")}
    if assay_error is not None:
        metrics["within_assay_error"] = get_metric("within_tolerance", tolerance=assay_error)
    n = len(data.y)
    facts: dict[str, Any] = {
        "type": "regression",
        "n": n,
        "n_missing": data.n_missing,
        "mae_baseline": float(np.mean(np.abs(data.y - np.median(data.y)))) if n else np.nan,
        "rmse_baseline": float(np.std(data.y)) if n else np.nan,
    }
    return metrics, facts


def _score(
    data: TaskData, metrics: dict[str, Metric], groups: Any, settings: dict[str, Any]
) -> dict[str, Any]:
    """Return estimates, limits and the reasons of what is undefined, for one task."""
    estimates: dict[str, float] = {}
    reasons: dict[str, list[str]] = {}
    for name, metric in metrics.items():
        estimates[name], reason = _estimate(metric, data)
        if reason:
            reasons.setdefault(reason, []).append(name)
    line: dict[str, Any] = dict(estimates)
    if "average_precision" in estimates:
        line["average_precision_gain"] = average_precision_gain(
            estimates["average_precision"], int(np.sum(data.y == 1)), max(1, len(data.y))
        )
    line.update(_limits(data, metrics, estimates, groups, settings))
    line["reason"] = "; ".join(f"{', '.join(names)}: {why}" for why, names in reasons.items())
    return line


def _estimate(metric: Metric, data: TaskData) -> tuple[float, str]:
    if len(data.y) == 0:
        return np.nan, "no labels"
    if metric.prediction == "probability" and np.any((data.score < 0) | (data.score > 1)):
        return np.nan, "the scores are not probabilities in [0, 1]"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        value = metric(data.y, data.score)
    why = "" if np.isfinite(value) else metric.why_undefined(metric.sample(data.y, data.score))
    return value, why


def _limits(
    data: TaskData,
    metrics: dict[str, Metric],
    estimates: dict[str, float],
    groups: Any,
    settings: dict[str, Any],
) -> dict[str, Any]:
    limits: dict[str, Any] = {
        f"{name}_{end}": np.nan for name in metrics for end in ("low", "high")
    }
    limits["n_undefined"] = 0
    defined = [name for name in metrics if np.isfinite(estimates[name])]
    too_few_groups = groups is not None and len(pd.unique(groups)) < 2
    if not defined or settings["n_resamples"] == 0 or len(data.y) < 2 or too_few_groups:
        return limits
    with warnings.catch_warnings():
        # What the warnings say is in the table: n_undefined, and limits equal to the estimate.
        warnings.simplefilter("ignore", HonestevalWarning)
        results = bootstrap_metrics(
            data.y, data.score, metrics=[metrics[name] for name in defined], groups=groups,
            **settings,
        )  # fmt: skip
    for name, result in zip(defined, results, strict=True):
        limits[f"{name}_low"], limits[f"{name}_high"] = result.low, result.high
        limits["n_undefined"] = max(limits["n_undefined"], result.n_undefined)
    return limits


_ORDER = (
    "type", "n", "n_missing", "n_positive", "prevalence",
    "roc_auc", "roc_auc_low", "roc_auc_high", "roc_auc_resolution",
    "average_precision", "average_precision_low", "average_precision_high",
    "average_precision_random", "average_precision_gain",
    "enrichment_factor", "enrichment_factor_low", "enrichment_factor_high",
    "bedroc", "bedroc_low", "bedroc_high", "bedroc_random",
    "brier", "brier_low", "brier_high", "brier_baseline",
    "ece", "ece_low", "ece_high", "ece_chance",
    "mae", "mae_low", "mae_high", "mae_baseline",
    "rmse", "rmse_low", "rmse_high", "rmse_baseline",
    "r2", "r2_low", "r2_high",
    "spearman", "spearman_low", "spearman_high",
    "kendall", "kendall_low", "kendall_high",
    "within_assay_error", "within_assay_error_low", "within_assay_error_high",
    "n_undefined", "reason",
)  # fmt: skip


def _ordered(found: pd.Index) -> list[str]:
    return [column for column in _ORDER if column in found]
