"""All pictures of an evaluation report, as SVG by place in the page."""

from __future__ import annotations

from typing import Any

from honesteval.report._curves_display import CurveKind, CurvesDisplay
from honesteval.report._evaluation import SPLITS
from honesteval.report._molecule_drawing import pair_svgs
from honesteval.report._prediction_display import PredictedMeasuredDisplay
from honesteval.report._scores_display import ScoresDisplay
from honesteval.report._similarity_display import SimilarityHistogramDisplay
from honesteval.report._splits_by_similarity_display import SplitsBySimilarityDisplay
from honesteval.report._splits_optimism_display import SplitsOptimismDisplay
from honesteval.report._svg import figure_svg

WIDTH = 7.2

Summary = dict[str, Any]


def draw_figures(summary: Summary) -> dict[str, Any]:
    """Return the pictures by place.

    Parameters
    ----------
    summary : dict
        As :func:`summarise` returns it.

    Returns
    -------
    figures : dict
        ``scores``, ``detail``, ``by_similarity`` and ``optimism``, lists with one entry per
        task; ``similarity``; ``pairs``, by name of the split.
    """
    tasks = range(len(summary["tasks"]))
    return {
        "scores": [_scores(summary, task) for task in tasks],
        "detail": [_detail(summary, task) for task in tasks],
        "by_similarity": [_by_similarity(summary, task) for task in tasks],
        "optimism": [_optimism(summary, task) for task in tasks],
        "similarity": figure_svg(
            SimilarityHistogramDisplay.from_summary(summary),
            name="similarity-histogram", width=WIDTH, height=2.6,
            title="Histograms of the highest similarity of test rows to training rows",
        ),
        "pairs": {split["name"]: draw_pairs(split["closest_pairs"], name=f"pair-{split['name']}")
                  for split in summary["splits"]},
    }  # fmt: skip


def _scores(summary: Summary, task: int) -> str:
    display = ScoresDisplay.from_summary(summary, task=task)
    return figure_svg(
        display, name=f"scores-{task}", width=WIDTH, height=0.7 + 0.36 * len(display.rows),
        title=f"Scores for {summary['tasks'][task]['name']} with intervals, as in the table",
    )  # fmt: skip


def _detail(summary: Summary, task: int) -> list[str]:
    one = summary["tasks"][task]
    if one["kind"] == "regression":
        return [
            figure_svg(
                PredictedMeasuredDisplay.from_summary(summary, task=task, split=split),
                name=f"predicted-{split}-{task}", width=4.0, height=3.8,
                title=f"Predicted against measured {one['name']}, {split} split",
            )
            for split in SPLITS
        ]  # fmt: skip
    if one["kind"] != "binary":
        return []
    kinds: tuple[tuple[CurveKind, str], ...] = (
        ("roc", "ROC curves"), ("precision_recall", "Precision-recall curves")
    )  # fmt: skip
    return [
        figure_svg(
            CurvesDisplay.from_summary(summary, task=task, kind=kind),
            name=f"{kind}-{task}", width=4.0, height=3.8, title=f"{words} for {one['name']}",
        )
        for kind, words in kinds
    ]  # fmt: skip


def _by_similarity(summary: Summary, task: int) -> str:
    one = summary["tasks"][task]
    if not one["by_similarity"]:
        return ""
    return figure_svg(
        SplitsBySimilarityDisplay.from_summary(summary, task=task),
        name=f"by-similarity-{task}", width=WIDTH, height=2.9,
        title=f"Score for {one['name']} against similarity to training",
    )  # fmt: skip


def _optimism(summary: Summary, task: int) -> str:
    display = SplitsOptimismDisplay.from_summary(summary, task=task)
    n_lines = sum(len(list(values)) for values in display.inner.values())
    if not n_lines or not display.is_known:
        return ""
    name = summary["tasks"][task]["name"]
    return figure_svg(
        display, name=f"optimism-{task}", width=WIDTH, height=0.8 + 0.22 * n_lines,
        title=f"Best inner score and outer score for {name}, as in the table",
    )  # fmt: skip


def draw_pairs(pairs: list[dict[str, Any]], *, name: str) -> list[tuple[str, str]]:
    """Return two drawings for every pair of rows, or nothing when the rows are no molecules."""
    drawn = []
    for number, pair in enumerate(pairs):
        first, second = pair["test"], pair["train"]
        if first["smiles"] is None or second["smiles"] is None:
            return []
        titles = (f"Molecule of row {first['row']}", f"Molecule of row {second['row']}")
        drawn.append(
            pair_svgs(first["smiles"], second["smiles"], name=f"{name}-{number}", titles=titles)
        )
    return drawn
