"""What a report draws row by row: folds, similarities, labels, predictions, places on the map."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from honesteval.report._evaluation import Evaluation, PredictorScores, TaskEvaluation

Summary = dict[str, Any]
FloatArray = NDArray[np.float64]


def row_columns(evaluation: Evaluation) -> dict[str, Any]:
    """Return the evaluated rows as columns, from which every picture can be drawn again.

    Returns
    -------
    columns : dict
        ``row`` (position in the input), ``smiles`` (or None); ``splits`` with ``fold`` and
        ``nearest_similarity``; ``tasks`` with ``labels`` and ``predictions`` (for two classes
        the score of the positive one), NaN without a label, classes by position; ``deployment``,
        the highest similarity of each entity to come.
    """
    met = evaluation.deployment
    return {
        "row": evaluation.rows,
        "smiles": evaluation.smiles,
        "splits": [
            {
                "name": split.name,
                "fold": split.fold,
                "nearest_similarity": split.nearest_similarity,
            }
            for split in evaluation.splits
        ],
        "tasks": [_task_columns(task, evaluation) for task in evaluation.tasks],
        "deployment": None if met is None else met.nearest_similarity,
    }


def map_places(evaluation: Evaluation) -> dict[str, Any] | None:
    """Return the places of rows on the map: ``at`` counts within the columns of the rows."""
    if evaluation.map is None:
        return None
    return {"at": evaluation.map.rows, "x": evaluation.map.x, "y": evaluation.map.y}


def _task_columns(task: TaskEvaluation, evaluation: Evaluation) -> dict[str, Any]:
    def spread(values: Any) -> FloatArray:
        column = np.full(evaluation.n_rows, np.nan)
        column[task.rows] = values
        return column

    def column(scores: PredictorScores, model: str) -> dict[str, Any]:
        ranked = scores.ranking is not None
        values = scores.ranking if ranked else scores.predictions
        return {"model": model, "split": scores.split, "values": spread(values)}

    judged = [scores for scores in task.predictors if scores.predictor == "model"]
    return {
        "labels": spread(task.target.values),
        "predictions": [
            *(column(scores, task.model_label) for scores in judged),
            *(column(scores, label) for label, scores in task.others.items()),
        ],
    }


def numbers(values: Any) -> FloatArray:
    """Return a column of a summary as floats, NaN where it holds None."""
    return np.array(values, dtype=np.float64)


def labels_of(summary: Summary, task: int) -> FloatArray:
    """Return the labels of all rows, NaN where there is none."""
    return numbers(summary["rows"]["tasks"][task]["labels"])


def predictions_of(summary: Summary, task: int, split: str) -> FloatArray:
    """Return the out-of-fold predictions of the judged model for all rows, NaN without label."""
    model = summary["tasks"][task]["model"]
    return next(
        numbers(column["values"])
        for column in summary["rows"]["tasks"][task]["predictions"]
        if (column["model"], column["split"]) == (model, split)
    )


def split_column(summary: Summary, split: str, column: str) -> FloatArray:
    """Return the ``fold`` or ``nearest_similarity`` of all rows under one split."""
    found = next(entry for entry in summary["rows"]["splits"] if entry["name"] == split)
    return numbers(found[column])
