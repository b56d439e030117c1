"""What the page needs to draw the map and to show the row somebody points at."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honesteval.report._molecule_sketch import sketch
from honesteval.report._saved_rows import labels_of, numbers, predictions_of
from honesteval.report._summarise import as_plain
from honesteval.report._words import label

#: The map is drawn on a square of this many units.
MAP_SIZE = 1000
MARGIN = 24


def map_data(summary: dict[str, Any]) -> dict[str, Any] | None:
    """Return places, folds and facts of the rows on the map, as plain data.

    Parameters
    ----------
    summary : dict
        As :func:`summarise` returns it.

    Returns
    -------
    data : dict or None
        ``x``, ``y`` in [0, 1000]; ``row``; ``splits`` with ``name``, ``fold`` and ``nearest``;
        ``tasks`` with ``measured`` and ``predicted``; ``sketches`` (see :func:`sketch`), or
        an empty list.
    """
    places, rows = summary["map"], summary["rows"]
    if places is None:
        return None
    shown = np.array(places["at"])
    inner = MAP_SIZE - 2 * MARGIN
    data = {
        "x": np.round(MARGIN + inner * numbers(places["x"])).astype(int),
        "y": np.round(MARGIN + inner * (1 - numbers(places["y"]))).astype(int),
        "row": np.array(rows["row"])[shown],
        "splits": [
            {
                "name": split["name"],
                "fold": np.array(split["fold"])[shown],
                "nearest": np.round(numbers(split["nearest_similarity"])[shown], 3),
            }
            for split in rows["splits"]
        ],
        "tasks": [_task_facts(summary, task, shown) for task in range(len(summary["tasks"]))],
        "sketches": []
        if rows["smiles"] is None
        else [sketch(rows["smiles"][row]) for row in shown],
    }
    plain: dict[str, Any] = as_plain(data)
    return plain


def script_json(data: Any) -> str:
    """Return JSON that can stand inside a ``<script>`` element whatever the strings hold."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _task_facts(summary: dict[str, Any], task: int, shown: NDArray[np.intp]) -> dict[str, Any]:
    """Return labels and predictions of one task, by row on the map; None without a label."""

    def listed(values: NDArray[np.float64], shown_as: Callable[[float], str]) -> list[Any]:
        return [None if np.isnan(value) else shown_as(value) for value in values[shown].tolist()]

    one = summary["tasks"][task]
    ranked = one["kind"] == "binary"
    return {
        "name": one["name"],
        "classes": [row["name"] for row in one["classes"]],
        "ranked": ranked,
        "measured": listed(labels_of(summary, task), label),
        "predicted": {
            split["name"]: listed(
                predictions_of(summary, task, split["name"]), "{:.2f}".format if ranked else label
            )
            for split in summary["splits"]
        },
    }
