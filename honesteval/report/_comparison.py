"""Models side by side on the same folds, with the test that is valid for that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from honesteval.report._evaluation import PredictorScores, TaskEvaluation
from honesteval.report._metrics import sign_of
from honesteval.report._verdict import ERRORS, guess_words
from honesteval.stats import ModelComparison, compare_models, get_metric

#: Differences of scores up to this size do not matter in practice.
SCORE_MARGIN = 0.01

#: The same for errors, as a share of the error of a predictor that has learned nothing.
ERROR_MARGIN = 0.02


def compare_with(
    model: PredictorScores, task: TaskEvaluation, others: Mapping[str, PredictorScores]
) -> ModelComparison:
    """Compare the model with others by their scores on the outer folds."""
    results = {task.model_label: model.nested}
    results.update({label: scores.nested for label, scores in others.items()})
    margin = SCORE_MARGIN
    if task.metric in ERRORS:
        margin = ERROR_MARGIN * task.chance[model.split][task.metric]
    return compare_models(results, margin=margin)


def margin_reason(task: TaskEvaluation) -> str:
    """Return in what unit the margin of no practical difference is, and where it comes from."""
    label = get_metric(task.metric).label
    if task.metric in ERRORS:
        return (
            f"of {label}, in the unit of {task.target.name}: {100 * ERROR_MARGIN:g} % of the "
            f"error of always guessing {guess_words(task.metric)}"
        )
    return f"of {label}: the default margin of scores"


def comparison_rows(task: TaskEvaluation) -> list[dict[str, Any]]:
    """Return one row per pair of models; differences of errors are differences of errors."""
    if task.comparison is None:
        return []
    return [_row(row, sign_of(task.metric)) for row in task.comparison.to_frame().itertuples()]


def _row(row: Any, sign: int) -> dict[str, Any]:
    limits = sorted((sign * row.low, sign * row.high))
    names = ("p_value", "p_adjusted", "p_equivalent", "conclusion")
    return {
        "a": row.a,
        "b": row.b,
        "score_a": sign * row.score_a,
        "score_b": sign * row.score_b,
        "difference": sign * row.difference,
        "low": limits[0],
        "high": limits[1],
        **{name: None if pd.isna(getattr(row, name)) else getattr(row, name) for name in names},
    }
