"""The score against the similarity of test rows to training rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from honesteval.report._by_similarity import SimilarityBin
from honesteval.report._evaluation import SPLITS, Evaluation
from honesteval.report._palette import COLORS, drawing_style, new_axes
from honesteval.stats import get_metric


class ScoreBySimilarityDisplay:
    """Score of the model in bins of similarity to training, with intervals.

    Parameters
    ----------
    bins : sequence of SimilarityBin
    metric_label : str
    chance : float or None, default=None
        Score of a predictor that has learned nothing, drawn as a line.
    greater_is_better : bool, default=True

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from honesteval.report import ScoreBySimilarityDisplay, SimilarityBin
    >>> one = SimilarityBin("random", 0.4, 0.6, 0.5, 100, 0.8, 0.7, 0.9)
    >>> ScoreBySimilarityDisplay([one], metric_label="ROC-AUC").plot().ax_.get_ylabel()
    'ROC-AUC (more is better)'
    """

    def __init__(
        self, bins: Sequence[SimilarityBin], *, metric_label: str, chance: float | None = None,
        greater_is_better: bool = True,
    ) -> None:  # fmt: skip
        self.bins = tuple(bins)
        self.metric_label = metric_label
        self.chance = chance
        self.greater_is_better = greater_is_better

    @classmethod
    def from_evaluation(cls, evaluation: Evaluation, *, task: int = 0) -> ScoreBySimilarityDisplay:
        """Return the display of one task of an evaluation."""
        one = evaluation.tasks[task]
        metric = get_metric(one.metric)
        return cls(
            one.by_similarity,
            metric_label=metric.label,
            chance=one.chance.get(one.metric),
            greater_is_better=metric.greater_is_better,
        )

    def plot(self, ax: Any = None) -> ScoreBySimilarityDisplay:
        """Draw on ``ax``, or on a new figure, and return the display."""
        with drawing_style():
            self.ax_ = new_axes(ax, width=7.0, height=2.9)
            self.figure_ = self.ax_.figure
            for split, marker in zip(SPLITS, "os", strict=True):
                self._draw(split, marker)
            self._dress()
        return self

    def _draw(self, split: str, marker: str) -> None:
        bins = [one for one in self.bins if one.split == split]
        if not bins:
            return
        x, y, low, high = np.array([(b.center, b.estimate, b.low, b.high) for b in bins]).T
        self.ax_.fill_between(x, low, high, color=COLORS[split], alpha=0.14, lw=0)
        self.ax_.vlines(x, low, high, color=COLORS[split], lw=1.6)
        self.ax_.plot(
            x, y, marker=marker, ms=6, lw=1.6, color=COLORS[split], label=f"{split} split"
        )

    def _dress(self) -> None:
        ax = self.ax_
        if self.chance is not None:
            ax.axhline(self.chance, color=COLORS["chance"], lw=1.0, ls=(0, (4, 3)), zorder=0)
            ax.annotate(
                "learned nothing", (1.0, self.chance), xycoords=("axes fraction", "data"),
                xytext=(0, 3), textcoords="offset points", ha="right", va="bottom",
                color=COLORS["muted"], size="small",
            )  # fmt: skip
        better = "more" if self.greater_is_better else "less"
        ax.set_xlabel("highest similarity to a training row")
        ax.set_ylabel(f"{self.metric_label} ({better} is better)")
        ax.grid(axis="y", color=COLORS["line"], lw=0.6)
        ax.set_axisbelow(True)
        if self.bins:
            ax.legend(loc="best")
