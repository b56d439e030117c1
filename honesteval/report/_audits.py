"""The audit of the folds of an evaluation, with the model's predictions beside the lookup's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from honesteval.checks import audit_split
from honesteval.report._evaluation import FoldedSplit, TaskEvaluation
from honesteval.report._metrics import prediction_for
from honesteval.report._rows import EvaluatedRows
from honesteval.report._target import Target

#: An audit takes whole numbers with at most this many distinct values for classes.
_MOST_CLASSES_OF_AUDIT = 20


def audited(
    split: FoldedSplit, data: EvaluatedRows, tasks: Sequence[TaskEvaluation], *, random_state: int
) -> FoldedSplit:
    """Return the split with the findings of its audit."""
    everything = np.arange(len(data))
    labels = pd.DataFrame({target.name: _labels(target) for target in data.targets})
    audit = audit_split(
        everything if data.entities is None else data.entities,
        labels,
        split.fold,
        similarity=data.similarity,
        features=data.features,
        y_pred=_predictions(split, data, tasks),
        random_state=random_state,
    )
    return replace(split, audit=audit)


def _labels(target: Target) -> Any:
    """Return labels that an audit reads the same way: names of more than two classes."""
    if target.kind != "multiclass":
        return target.values
    names = np.array(target.classes, dtype=object)
    column = np.full(len(target.values), None, dtype=object)
    column[target.labelled] = names[target.values[target.labelled].astype(np.intp)]
    return column


def _predictions(
    split: FoldedSplit, data: EvaluatedRows, tasks: Sequence[TaskEvaluation]
) -> dict[str, Any] | None:
    """Return out-of-fold predictions where there is one column of labels to hold them against."""
    if len(tasks) != 1 or not _read_alike(data.targets[0]):
        return None
    (task,) = tasks
    scores = task.of("model", split.name)
    predicted = np.full(len(data), np.nan)
    usual = "mae" if task.target.is_regression else "roc_auc"
    predicted[task.rows] = prediction_for(usual, scores.predictions, scores.ranking)
    return {task.model_label: predicted}


def _read_alike(target: Target) -> bool:
    if target.kind == "binary":
        return True
    known = target.values[target.labelled]
    whole = bool((known == np.floor(known)).all())
    few = len(np.unique(known)) <= _MOST_CLASSES_OF_AUDIT
    return target.is_regression and not (whole and few)
