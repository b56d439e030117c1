"""Scores with intervals, split beside split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from honesteval.report._evaluation import SPLITS, Evaluation
from honesteval.report._palette import COLORS, drawing_style, new_axes
from honesteval.report._summarise import summarise
from honesteval.report._words import PREDICTOR_WORDS, score_of

_LABELS = {"random": "random split", "similarity": "similarity split"}
_MARKERS = {"model": "o", "nearest": "D", "permuted": "s"}


@dataclass(frozen=True)
class ScoreRow:
    """One line of the picture: a score with its interval.

    Parameters
    ----------
    predictor : str
        "model", "nearest", "permuted", or the name of another model.
    label : str
        What predicts.
    split : {"random", "similarity"}
    estimate, low, high : float
    fold_scores : tuple of float
        Small marks beside it; may be empty.
    """

    predictor: str
    label: str
    split: str
    estimate: float
    low: float
    high: float
    fold_scores: tuple[float, ...] = ()


class ScoresDisplay:
    """Scores with intervals of the model, the nearest neighbour and permuted labels.

    Parameters
    ----------
    rows : sequence of ScoreRow
        From top to bottom.
    metric_label : str
        Name of the score.
    chance : float or None, default=None
        Score of a predictor that has learned nothing, drawn as a line.
    greater_is_better : bool, default=True

    Attributes
    ----------
    ax_ : matplotlib Axes
        What it was drawn on.
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from honesteval.report import ScoreRow, ScoresDisplay
    >>> row = ScoreRow("model", "random forest", "random", 0.81, 0.78, 0.84)
    >>> ScoresDisplay([row], metric_label="ROC-AUC", chance=0.5).plot().ax_.get_xlabel()
    'ROC-AUC (more is better)'
    """

    def __init__(
        self, rows: Sequence[ScoreRow], *, metric_label: str, chance: float | None = None,
        greater_is_better: bool = True,
    ) -> None:  # fmt: skip
        self.rows = tuple(rows)
        self.metric_label = metric_label
        self.chance = chance
        self.greater_is_better = greater_is_better

    @classmethod
    def from_evaluation(cls, evaluation: Evaluation, *, task: int = 0) -> ScoresDisplay:
        """Return the display of one task of an evaluation."""
        return cls.from_summary(summarise(evaluation), task=task)

    @classmethod
    def from_summary(cls, summary: dict[str, Any], *, task: int = 0) -> ScoresDisplay:
        """Return the display of one task of a summary (see :func:`summarise`)."""
        one = summary["tasks"][task]
        metric = one["metrics"][0]
        named = (("model", one["model"]), ("nearest", PREDICTOR_WORDS["nearest"]))
        rows = [
            _row(predictor, label, score_of(one["scores"], predictor, split, metric["name"]))
            for predictor, label in named
            for split in SPLITS
        ]
        rows += [
            _row(other["model"], other["model"], other["scores"][0]) for other in one["others"]
        ]
        if one["permutation"] is not None:
            permuted = np.array(one["permutation"]["permuted_scores"], dtype=np.float64)
            rows.append(
                ScoreRow(
                    "permuted", "permuted labels", "similarity", float(np.nanmean(permuted)),
                    float(np.nanmin(permuted)), float(np.nanmax(permuted)),
                )
            )  # fmt: skip
        return cls(
            rows,
            metric_label=metric["label"],
            chance=metric["chance"]["similarity"],
            greater_is_better=metric["greater_is_better"],
        )

    def plot(self, ax: Any = None) -> ScoresDisplay:
        """Draw on ``ax``, or on a new figure, and return the display."""
        with drawing_style():
            self.ax_ = new_axes(ax, width=7.0, height=0.6 + 0.36 * len(self.rows))
            self.figure_ = self.ax_.figure
            positions = self._positions()
            for row, y in zip(self.rows, positions, strict=True):
                self._draw_row(row, y)
            self._draw_chance(min(positions))
            self._dress(positions)
        return self

    def _positions(self) -> list[float]:
        """Return heights: rows of one predictor close together, a gap between predictors."""
        y, positions, before = 0.0, [], None
        for row in self.rows:
            if before is not None:
                y -= 1.0 if row.predictor == before else 1.5
            positions.append(y)
            before = row.predictor
        return positions

    def _draw_row(self, row: ScoreRow, y: float) -> None:
        colour = COLORS["chance"] if row.predictor == "permuted" else COLORS[row.split]
        ax = self.ax_
        ax.plot([row.low, row.high], [y, y], color=colour, lw=2.4, solid_capstyle="round")
        folds = [score for score in row.fold_scores if np.isfinite(score)]
        ax.plot(folds, [y - 0.3] * len(folds), "|", color=colour, ms=5, mew=1.0, alpha=0.75)
        filled = row.predictor != "nearest"
        ax.plot(
            [row.estimate], [y], _MARKERS.get(row.predictor, "o"), ms=7 if filled else 6.2,
            mfc=colour if filled else COLORS["marker"], mec=colour, mew=1.6,
        )  # fmt: skip

    def _draw_chance(self, bottom: float) -> None:
        if self.chance is None:
            return
        self.ax_.axvline(self.chance, color=COLORS["chance"], lw=1.0, ls=(0, (4, 3)), zorder=0)
        self.ax_.annotate(
            "learned nothing", (self.chance, bottom - 0.75), xytext=(4, 0),
            textcoords="offset points", va="center", color=COLORS["muted"], size="small",
            ha="left",
        )  # fmt: skip

    def _dress(self, positions: list[float]) -> None:
        ax = self.ax_
        better = "more" if self.greater_is_better else "less"
        ax.set_xlabel(f"{self.metric_label} ({better} is better)")
        names = [
            f"{row.label}, {_LABELS[row.split]}" if row.predictor != "permuted" else row.label
            for row in self.rows
        ]
        ax.set_yticks(positions, names)
        ax.set_ylim(min(positions) - 1.1, max(positions) + 0.7)
        ax.tick_params(axis="y", length=0)
        ax.spines["left"].set_visible(False)
        ax.grid(axis="x", color=COLORS["line"], lw=0.6)
        ax.set_axisbelow(True)
        ax.margins(x=0.06)


def _row(predictor: str, label: str, found: dict[str, Any]) -> ScoreRow:
    folds = tuple(score for score in found["fold_scores"] if score is not None)
    return ScoreRow(
        predictor, label, found["split"], found["estimate"], found["low"], found["high"], folds
    )
