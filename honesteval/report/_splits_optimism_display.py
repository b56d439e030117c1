"""What the inner search promised, and what the outer folds delivered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from honesteval.report._evaluation import Evaluation
from honesteval.report._palette import COLORS, drawing_style, new_axes
from honesteval.report._summarise import summarise


class SplitsOptimismDisplay:
    """Best inner score and outer score of every outer fold.

    Parameters
    ----------
    inner, outer : dict of str to array-like of shape (n_folds,)
        By name of the split ("random", "similarity").
    metric_label : str
    greater_is_better : bool, default=True

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from honesteval.report import SplitsOptimismDisplay
    >>> display = SplitsOptimismDisplay({"random": [0.9, 0.8]}, {"random": [0.8, 0.8]},
    ...                           metric_label="ROC-AUC")
    >>> display.plot().ax_.get_xlabel()
    'ROC-AUC (more is better)'
    """

    def __init__(
        self, inner: Mapping[str, ArrayLike], outer: Mapping[str, ArrayLike], *,
        metric_label: str, greater_is_better: bool = True,
    ) -> None:  # fmt: skip
        self.inner = {name: np.asarray(v, dtype=np.float64) for name, v in inner.items()}
        self.outer = {name: np.asarray(v, dtype=np.float64) for name, v in outer.items()}
        self.metric_label = metric_label
        self.greater_is_better = greater_is_better

    @property
    def is_known(self) -> bool:
        """Whether any fold has an inner score: nothing was tuned otherwise."""
        return any(np.isfinite(values).any() for values in self.inner.values())

    @classmethod
    def from_evaluation(cls, evaluation: Evaluation, *, task: int = 0) -> SplitsOptimismDisplay:
        """Return the display of one task of an evaluation."""
        return cls.from_summary(summarise(evaluation), task=task)

    @classmethod
    def from_summary(cls, summary: dict[str, Any], *, task: int = 0) -> SplitsOptimismDisplay:
        """Return the display of one task of a summary (see :func:`summarise`)."""
        one = summary["tasks"][task]
        metric = one["metrics"][0]

        def by_split(name: str) -> dict[str, ArrayLike]:
            splits = dict.fromkeys(fold["split"] for fold in one["folds"])
            return {
                split: [fold[name] for fold in one["folds"] if fold["split"] == split]
                for split in splits
            }

        return cls(
            by_split("inner_best_score"),
            by_split("score"),
            metric_label=metric["label"],
            greater_is_better=metric["greater_is_better"],
        )

    def plot(self, ax: Any = None) -> SplitsOptimismDisplay:
        """Draw on ``ax``, or on a new figure, and return the display."""
        n_lines = sum(len(values) for values in self.inner.values())
        with drawing_style():
            self.ax_ = new_axes(ax, width=7.0, height=0.8 + 0.22 * n_lines)
            self.figure_ = self.ax_.figure
            ticks, y = [], 0.0
            for name, inner in self.inner.items():
                for fold, (promised, delivered) in enumerate(
                    zip(inner, self.outer[name], strict=True)
                ):
                    self._draw_fold(name, promised, delivered, y)
                    ticks.append((y, f"{name} split, fold {fold + 1}"))
                    y -= 1.0
                y -= 0.6
            self._dress(ticks)
        return self

    def _draw_fold(self, name: str, promised: float, delivered: float, y: float) -> None:
        colour = COLORS.get(name, COLORS["muted"])
        self.ax_.plot([promised, delivered], [y, y], color=colour, lw=1.6, alpha=0.6)
        self.ax_.plot([promised], [y], "o", ms=6, mfc=COLORS["marker"], mec=colour, mew=1.5)
        self.ax_.plot([delivered], [y], "o", ms=6, color=colour)

    def _dress(self, ticks: list[tuple[float, str]]) -> None:
        ax = self.ax_
        better = "more" if self.greater_is_better else "less"
        ax.set_xlabel(f"{self.metric_label} ({better} is better)")
        ax.set_yticks([y for y, _ in ticks], [label for _, label in ticks])
        ax.tick_params(axis="y", length=0)
        ax.spines["left"].set_visible(False)
        ax.grid(axis="x", color=COLORS["line"], lw=0.6)
        ax.set_axisbelow(True)
        ax.margins(x=0.06, y=0.08)
