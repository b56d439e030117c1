"""How close test rows are to what the model was trained on, split beside split."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from honesteval.report._evaluation import Evaluation
from honesteval.report._palette import COLORS, drawing_style, new_axes
from honesteval.report._summarise import N_BINS, summarise

_NAMES = {
    "random": "random split",
    "similarity": "similarity split",
    "this": "this split",
    "deployment": "deployment set",
}


class SimilarityHistogramDisplay:
    """Histograms of the highest similarity of each test row to its training rows.

    Parameters
    ----------
    similarities : dict of str to array-like of shape (n_rows,)
        Highest similarity to training, in [0, 1], by name of the split ("random", "similarity",
        "this" for a split that is audited, "deployment" for rows to come).
    n_bins : int, default=40
        Bins of equal width over [0, 1].
    as_share : bool, default=False
        Draw shares of the rows, for splits of different numbers of rows.

    Attributes
    ----------
    edges : ndarray of shape (n_bins + 1,)
    counts : dict of str to ndarray of int, shape (n_bins,)
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from honesteval.report import SimilarityHistogramDisplay
    >>> display = SimilarityHistogramDisplay({"random": [0.9, 1.0], "similarity": [0.4, 0.5]},
    ...                                      n_bins=2)
    >>> display.counts["similarity"].tolist()
    [1, 1]
    """

    def __init__(
        self, similarities: Mapping[str, ArrayLike], *, n_bins: int = N_BINS, as_share: bool = False
    ) -> None:
        self.as_share = as_share
        self.similarities = {
            name: np.asarray(values, dtype=np.float64) for name, values in similarities.items()
        }
        self.edges: NDArray[np.float64] = np.linspace(0.0, 1.0, n_bins + 1)
        self.counts = {
            name: np.histogram(values, bins=self.edges)[0]
            for name, values in self.similarities.items()
        }

    @classmethod
    def from_evaluation(cls, evaluation: Evaluation) -> SimilarityHistogramDisplay:
        """Return the display of the two splits of an evaluation, and of a deployment set."""
        return cls.from_summary(summarise(evaluation))

    @classmethod
    def from_summary(cls, summary: dict[str, Any]) -> SimilarityHistogramDisplay:
        """Return the display of the two splits of a summary, and of a deployment set."""
        rows = summary["rows"]
        similarities = {entry["name"]: entry["nearest_similarity"] for entry in rows["splits"]}
        if rows["deployment"] is None:
            return cls(similarities)
        return cls({**similarities, "deployment": rows["deployment"]}, as_share=True)

    def plot(self, ax: Any = None) -> SimilarityHistogramDisplay:
        """Draw on ``ax``, or on a new figure, and return the display."""
        with drawing_style():
            self.ax_ = new_axes(ax, width=7.0, height=2.5)
            self.figure_ = self.ax_.figure
            heights = self._heights()
            top = max(float(values.max()) for values in heights.values())
            for name, values in heights.items():
                self._draw(name, values, top)
            self._dress()
        return self

    def _heights(self) -> dict[str, NDArray[np.float64]]:
        if not self.as_share:
            return {name: counts.astype(np.float64) for name, counts in self.counts.items()}
        return {name: counts / counts.sum() for name, counts in self.counts.items()}

    def _draw(self, name: str, heights: NDArray[np.float64], top: float) -> None:
        colour = COLORS.get(name, COLORS["similarity"])
        self.ax_.stairs(heights, self.edges, fill=True, color=colour, alpha=0.22, lw=0)
        self.ax_.stairs(heights, self.edges, color=colour, lw=1.6)
        mean = float(self.similarities[name].mean())
        level = top * (1.06 + 0.11 * list(self.similarities)[::-1].index(name))
        self.ax_.plot([mean], [level], "v", color=colour, ms=6)
        side, offset = ("left", 6) if mean < 0.5 else ("right", -6)
        self.ax_.annotate(
            f"{_NAMES.get(name, name)}, mean {mean:.2f}", (mean, level), xytext=(offset, 0),
            textcoords="offset points", ha=side, va="center", color=colour,
        )  # fmt: skip

    def _dress(self) -> None:
        ax = self.ax_
        ax.set_xlim(0.0, 1.0)
        ax.set_ylim(bottom=0.0)
        ax.set_xlabel("highest similarity to a training row")
        ax.set_ylabel("share of test rows" if self.as_share else "test rows")
        ax.grid(axis="y", color=COLORS["line"], lw=0.6)
        ax.set_axisbelow(True)
