"""Predicted against measured values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from honesteval.report._evaluation import Evaluation, SplitName
from honesteval.report._palette import COLORS, drawing_style, new_axes
from honesteval.report._saved_rows import labels_of, predictions_of
from honesteval.report._summarise import summarise

#: More points than this are thinned out evenly over the measured values.
MAX_POINTS = 1000


class PredictedMeasuredDisplay:
    """Out-of-fold predictions against measured values.

    Parameters
    ----------
    measured, predicted : array-like of shape (n_rows,)
    name : str, default="value"
        What was measured.
    split : str, default=""
        Name of the split ("random", "similarity"), which gives the colour and the title.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from honesteval.report import PredictedMeasuredDisplay
    >>> display = PredictedMeasuredDisplay([1.0, 2.0], [1.1, 1.9], name="pIC50")
    >>> display.plot().ax_.get_xlabel()
    'measured pIC50'
    """

    def __init__(
        self, measured: ArrayLike, predicted: ArrayLike, *, name: str = "value", split: str = ""
    ) -> None:
        self.measured = np.asarray(measured, dtype=np.float64)
        self.predicted = np.asarray(predicted, dtype=np.float64)
        self.name = name
        self.split = split

    @classmethod
    def from_evaluation(
        cls, evaluation: Evaluation, *, task: int = 0, split: SplitName = "similarity"
    ) -> PredictedMeasuredDisplay:
        """Return the display of one task of an evaluation, which must be a regression."""
        return cls.from_summary(summarise(evaluation), task=task, split=split)

    @classmethod
    def from_summary(
        cls, summary: dict[str, Any], *, task: int = 0, split: SplitName = "similarity"
    ) -> PredictedMeasuredDisplay:
        """Return the display of one task of a summary (see :func:`summarise`)."""
        one = summary["tasks"][task]
        if one["kind"] != "regression":
            raise ValueError(f"{one['name']} has classes; use CurvesDisplay for two classes.")
        measured = labels_of(summary, task)
        known = ~np.isnan(measured)
        predicted = predictions_of(summary, task, split)
        return cls(measured[known], predicted[known], name=one["name"], split=split)

    def plot(self, ax: Any = None) -> PredictedMeasuredDisplay:
        """Draw on ``ax``, or on a new figure, and return the display."""
        with drawing_style():
            self.ax_ = new_axes(ax, width=4.2, height=4.0)
            self.figure_ = self.ax_.figure
            shown = self._shown_rows()
            ends = [float(self.measured.min()), float(self.measured.max())]
            self.ax_.plot(ends, ends, color=COLORS["chance"], lw=1.0, ls=(0, (4, 3)))
            self.ax_.plot(
                self.measured[shown], self.predicted[shown], "o", ms=2.8, mew=0, alpha=0.5,
                color=COLORS.get(self.split, COLORS["ink"]),
            )  # fmt: skip
            self.ax_.set_xlabel(f"measured {self.name}")
            self.ax_.set_ylabel(f"predicted {self.name}")
            if self.split:
                self.ax_.set_title(f"{self.split} split", loc="left", size="medium")
            self.ax_.grid(color=COLORS["line"], lw=0.6)
            self.ax_.set_axisbelow(True)
        return self

    def _shown_rows(self) -> Any:
        n = len(self.measured)
        if n <= MAX_POINTS:
            return np.arange(n)
        order = np.argsort(self.measured, kind="stable")
        return np.sort(order[np.linspace(0, n - 1, MAX_POINTS).astype(np.intp)])
