"""The folds on a map of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from honesteval.report._evaluation import Evaluation, SplitName
from honesteval.report._palette import FOLD_COLORS, drawing_style, new_axes
from honesteval.report._saved_rows import split_column
from honesteval.report._summarise import summarise


class FoldMapDisplay:
    """Rows on a map, coloured by the fold that tests them.

    Parameters
    ----------
    x, y : array-like of shape (n_rows,)
        Places in [0, 1].
    fold : array-like of int, shape (n_rows,)
    title : str, default=""

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from honesteval.report import FoldMapDisplay
    >>> FoldMapDisplay([0.1, 0.9], [0.2, 0.8], [0, 1], title="two").plot().ax_.get_title()
    'two'
    """

    def __init__(self, x: ArrayLike, y: ArrayLike, fold: ArrayLike, *, title: str = "") -> None:
        self.x = np.asarray(x, dtype=np.float64)
        self.y = np.asarray(y, dtype=np.float64)
        self.fold = np.asarray(fold, dtype=np.intp)
        self.title = title

    @classmethod
    def from_evaluation(
        cls, evaluation: Evaluation, *, split: SplitName = "similarity"
    ) -> FoldMapDisplay:
        """Return the display of one split of an evaluation."""
        return cls.from_summary(summarise(evaluation), split=split)

    @classmethod
    def from_summary(
        cls, summary: dict[str, Any], *, split: SplitName = "similarity"
    ) -> FoldMapDisplay:
        """Return the display of one split of a summary (see :func:`summarise`)."""
        places = summary["map"]
        if places is None:
            raise ValueError("The evaluation has no map: it has too few rows, or was made without.")
        fold = split_column(summary, split, "fold")[places["at"]]
        return cls(places["x"], places["y"], fold, title=f"{split} split")

    def plot(self, ax: Any = None) -> FoldMapDisplay:
        """Draw on ``ax``, or on a new figure, and return the display."""
        with drawing_style():
            self.ax_ = new_axes(ax, width=4.4, height=4.4)
            self.figure_ = self.ax_.figure
            for number in np.unique(self.fold):
                rows = self.fold == number
                self.ax_.plot(
                    self.x[rows], self.y[rows], "o", ms=3.2, mew=0, alpha=0.85,
                    color=FOLD_COLORS[number % len(FOLD_COLORS)], label=f"fold {number + 1}",
                )  # fmt: skip
            self.ax_.set_title(self.title)
            self.ax_.set_xticks([])
            self.ax_.set_yticks([])
            for spine in self.ax_.spines.values():
                spine.set_visible(False)
            self.ax_.set_aspect("equal")
        return self
