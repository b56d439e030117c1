"""The score against the similarity of test rows to training rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from honesteval.report._evaluation import Evaluation, SplitName
from honesteval.report._palette import COLORS, drawing_style, new_axes
from honesteval.report._summarise import summarise

if TYPE_CHECKING:
    import pandas as pd

    from honesteval.metrics import ScoreBySimilarity

_MARKERS = {"random": "o", "similarity": "s"}


class SplitsBySimilarityDisplay:
    """Score of the model against similarity to training: bins and a smooth curve, with intervals.

    Parameters
    ----------
    scores : dict of str to ScoreBySimilarity
        By name of the split ("random", "similarity").
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
    >>> import numpy as np
    >>> from honesteval.metrics import score_by_similarity
    >>> from honesteval.report import SplitsBySimilarityDisplay
    >>> similarity = np.linspace(0.3, 0.9, 60)
    >>> found = score_by_similarity(similarity, similarity ** 2, similarity, metric="mae",
    ...                             n_resamples=99, random_state=0)
    >>> display = SplitsBySimilarityDisplay({"random": found}, metric_label="MAE",
    ...                                    greater_is_better=False)
    >>> display.plot().ax_.get_ylabel()
    'MAE (less is better)'
    """

    def __init__(
        self, scores: Mapping[SplitName, ScoreBySimilarity | _Binned], *, metric_label: str,
        chance: float | None = None, greater_is_better: bool = True,
    ) -> None:  # fmt: skip
        self.scores = dict(scores)
        self.metric_label = metric_label
        self.chance = chance
        self.greater_is_better = greater_is_better

    @classmethod
    def from_evaluation(cls, evaluation: Evaluation, *, task: int = 0) -> SplitsBySimilarityDisplay:
        """Return the display of one task of an evaluation."""
        return cls.from_summary(summarise(evaluation), task=task)

    @classmethod
    def from_summary(cls, summary: dict[str, Any], *, task: int = 0) -> SplitsBySimilarityDisplay:
        """Return the display of one task of a summary (see :func:`summarise`)."""
        one = summary["tasks"][task]
        metric = one["metrics"][0]
        return cls(
            {
                split: _Binned(bins=_table(one["by_similarity"], split), curve=_table(
                    one["similarity_curves"], split))
                for split in dict.fromkeys(row["split"] for row in one["by_similarity"])
            },
            metric_label=metric["label"],
            chance=metric["chance"]["similarity"],
            greater_is_better=metric["greater_is_better"],
        )  # fmt: skip

    def plot(self, ax: Any = None) -> SplitsBySimilarityDisplay:
        """Draw on ``ax``, or on a new figure, and return the display."""
        with drawing_style():
            self.ax_ = new_axes(ax, width=7.0, height=2.9)
            self.figure_ = self.ax_.figure
            for split, found in self.scores.items():
                self._draw(split, found)
            self._dress()
        return self

    def _draw(self, split: SplitName, found: ScoreBySimilarity | _Binned) -> None:
        colour, curve = COLORS[split], found.curve
        self.ax_.fill_between(
            curve["similarity"], curve["low"], curve["high"], color=colour, alpha=0.14, lw=0
        )
        self.ax_.plot(curve["similarity"], curve["estimate"], color=colour, lw=1.4)
        bins = found.bins[found.bins["reason"] == ""]
        self.ax_.vlines(bins["mean_similarity"], bins["low"], bins["high"], color=colour, lw=1.4)
        self.ax_.plot(
            bins["mean_similarity"], bins["estimate"], marker=_MARKERS[split], ms=6, ls="none",
            color=colour, label=f"{split} split",
        )  # fmt: skip

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
        if self.scores:
            ax.legend(loc="best")


@dataclass(frozen=True, eq=False)
class _Binned:
    """What is drawn of a score by similarity, where the rest of it is not at hand."""

    bins: pd.DataFrame
    curve: pd.DataFrame


def _table(rows: list[dict[str, Any]], split: str) -> pd.DataFrame:
    import pandas as pd

    table = pd.DataFrame([row for row in rows if row["split"] == split])
    known = [name for name in table if name not in ("split", "reason")]
    return table.astype(dict.fromkeys(known, "float64"))
