"""What the page needs to draw the map and to show the row somebody points at."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from honesteval.report._evaluation import Evaluation, TaskEvaluation
from honesteval.report._molecule_sketch import sketch
from honesteval.report._summarise import as_plain
from honesteval.report._words import label

#: The map is drawn on a square of this many units.
MAP_SIZE = 1000
MARGIN = 24


def map_data(evaluation: Evaluation) -> dict[str, Any] | None:
    """Return places, folds and facts of the rows on the map, as plain data.

    Parameters
    ----------
    evaluation : Evaluation

    Returns
    -------
    data : dict or None
        ``x``, ``y`` in [0, 1000]; ``row``; ``splits`` with ``name``, ``fold`` and ``nearest``;
        ``tasks`` with ``measured`` and ``predicted``; ``sketches`` (see :func:`sketch`), or
        an empty list.
    """
    if evaluation.map is None:
        return None
    shown = evaluation.map.rows
    inner = MAP_SIZE - 2 * MARGIN
    data = {
        "x": np.round(MARGIN + inner * evaluation.map.x).astype(int),
        "y": np.round(MARGIN + inner * (1 - evaluation.map.y)).astype(int),
        "row": evaluation.rows[shown],
        "splits": [
            {
                "name": split.name,
                "fold": split.fold[shown],
                "nearest": np.round(split.nearest_similarity[shown], 3),
            }
            for split in evaluation.splits
        ],
        "tasks": [_task_facts(evaluation, task) for task in evaluation.tasks],
        "sketches": []
        if evaluation.smiles is None
        else [sketch(str(evaluation.smiles[row])) for row in shown],
    }
    plain: dict[str, Any] = as_plain(data)
    return plain


def script_json(data: Any) -> str:
    """Return JSON that can stand inside a ``<script>`` element whatever the strings hold."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _task_facts(evaluation: Evaluation, task: TaskEvaluation) -> dict[str, Any]:
    """Return labels and predictions of one task, by row on the map; None without a label."""
    shown = evaluation.map.rows if evaluation.map is not None else np.empty(0, np.intp)
    at = np.searchsorted(task.rows, shown)
    has_label = np.isin(shown, task.rows)
    at = np.where(has_label, at, 0)

    def listed(values: Any, shown_as: Callable[[float], str] = label) -> list[Any]:
        texts = [shown_as(value) for value in np.asarray(values, dtype=np.float64)[at].tolist()]
        return [text if known else None for text, known in zip(texts, has_label, strict=True)]

    target = task.target
    ranked = target.kind == "binary"
    predicted = {}
    for split in evaluation.splits:
        scores = task.of("model", split.name)
        predicted[split.name] = (
            listed(scores.ranking, "{:.2f}".format) if ranked else listed(scores.predictions)
        )
    return {
        "name": target.name,
        "classes": list(target.classes),
        "ranked": ranked,
        "measured": listed(target.values),
        "predicted": predicted,
    }
