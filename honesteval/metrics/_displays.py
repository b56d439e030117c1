"""Plots of scores: by similarity to training, and task by task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from honesteval._validation import check_option
from honesteval.metrics._score_by_similarity import ScoreBySimilarity

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["ScoreBySimilarityDisplay", "TaskReportDisplay"]

# What a score is worth without a model, where the report says so.
_BASELINES = {
    "roc_auc": 0.5,
    "average_precision": "average_precision_random",
    "enrichment_factor": 1.0,
    "bedroc": "bedroc_random",
    "brier": "brier_baseline",
    "ece": "ece_chance",
    "mae": "mae_baseline",
    "rmse": "rmse_baseline",
    "r2": 0.0,
    "spearman": 0.0,
    "kendall": 0.0,
}


class ScoreBySimilarityDisplay:
    """A score against the similarity of test items to training, in bins and smoothed.

    Parameters
    ----------
    bins : DataFrame
        Columns similarity_from, similarity_to, mean_similarity, estimate, low, high.
    curve : DataFrame
        Columns similarity, estimate, low, high.
    label : str
        Name of the score.
    overall : float
        Score of all rows.
    deployment : float or None, default=None
        Score reweighted to the deployment set.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
        Set by :meth:`plot`.
    """

    ax_: Axes
    figure_: Figure

    def __init__(
        self,
        *,
        bins: pd.DataFrame,
        curve: pd.DataFrame,
        label: str,
        overall: float,
        deployment: float | None = None,
    ) -> None:
        self.bins = bins
        self.curve = curve
        self.label = label
        self.overall = overall
        self.deployment = deployment

    @classmethod
    def from_result(cls, result: ScoreBySimilarity) -> ScoreBySimilarityDisplay:
        """Return the plot of what :func:`score_by_similarity` found."""
        return cls(
            bins=result.bins,
            curve=result.curve,
            label=result.overall.label,
            overall=result.overall.estimate,
            deployment=None if result.deployment is None else result.deployment.estimate,
        )

    def plot(self, ax: Axes | None = None) -> ScoreBySimilarityDisplay:
        """Draw bins with their intervals, the smoothed curve, and the overall score.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Drawn into a new figure by default.

        Returns
        -------
        display : ScoreBySimilarityDisplay
        """
        ax = _axes(ax, width=6, height=4)
        curve = self.curve.dropna(subset=["estimate"])
        ax.fill_between(curve["similarity"], curve["low"], curve["high"], alpha=0.2, linewidth=0)
        ax.plot(curve["similarity"], curve["estimate"], label="smoothed")
        kept = self.bins.dropna(subset=["estimate"])
        bins = {name: kept[name].to_numpy() for name in kept.columns}
        mean = bins["mean_similarity"]
        ax.errorbar(
            mean, bins["estimate"], fmt="o", color="black", capsize=3, label="in bins",
            xerr=_error_bars(mean, bins["similarity_from"], bins["similarity_to"]),
            yerr=_error_bars(bins["estimate"], bins["low"], bins["high"]),
        )  # fmt: skip
        ax.axhline(self.overall, color="black", linestyle=":", label="all test rows")
        if self.deployment is not None:
            ax.axhline(self.deployment, color="C3", linestyle="--", label="deployment set")
        ax.set_xlabel("Highest similarity to training")
        ax.set_ylabel(self.label)
        ax.legend(frameon=False)
        self.ax_, self.figure_ = ax, ax.figure  # type: ignore[assignment]
        return self


class TaskReportDisplay:
    """One score of a task report with its intervals, task by task, beside the baseline.

    Parameters
    ----------
    table : DataFrame indexed by task
        Columns estimate, low, high, baseline (NaN without one).
    score : str
        Name of the column shown.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
        Set by :meth:`plot`.
    """

    ax_: Axes
    figure_: Figure

    def __init__(self, *, table: pd.DataFrame, score: str) -> None:
        self.table = table
        self.score = score

    @classmethod
    def from_report(cls, report: pd.DataFrame, *, score: str = "roc_auc") -> TaskReportDisplay:
        """Return the plot of one score of :func:`task_report`.

        Parameters
        ----------
        report : DataFrame
            What :func:`task_report` returned.
        score : str, default="roc_auc"
            A score of the report, such as ``"average_precision"`` or ``"mae"``.

        Returns
        -------
        display : TaskReportDisplay
            Tasks on which the score is NaN are left out of the drawing, not of ``table``.

        Raises
        ------
        ValueError
            If the report has no such score.
        """
        scores = [name.removesuffix("_low") for name in report.columns if name.endswith("_low")]
        check_option(score, "score", scores)
        baseline: Any = _BASELINES.get(score, np.nan)
        table = pd.DataFrame(
            {
                "estimate": report[score],
                "low": report[f"{score}_low"],
                "high": report[f"{score}_high"],
                "baseline": report[baseline] if isinstance(baseline, str) else baseline,
            }
        )
        return cls(table=table, score=score)

    def plot(self, ax: Axes | None = None) -> TaskReportDisplay:
        """Draw one line per task, the first on top.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Drawn into a new figure by default.

        Returns
        -------
        display : TaskReportDisplay
        """
        shown = self.table.dropna(subset=["estimate"])
        ax = _axes(ax, width=6, height=1 + 0.3 * len(shown))
        place = np.arange(len(shown))
        estimate = shown["estimate"].to_numpy()
        low, high = (shown[end].fillna(shown["estimate"]).to_numpy() for end in ("low", "high"))
        ax.errorbar(
            estimate, place, fmt="o", color="black", capsize=3,
            xerr=_error_bars(estimate, low, high),
        )  # fmt: skip
        ax.plot(shown["baseline"], place, "|", color="C3", markersize=12, label="without a model")
        ax.set_yticks(place, [str(task) for task in shown.index])
        ax.invert_yaxis()
        ax.set_xlabel(self.score)
        if shown["baseline"].notna().any():
            ax.legend(frameon=False)
        self.ax_, self.figure_ = ax, ax.figure  # type: ignore[assignment]
        return self


def _axes(ax: Axes | None, *, width: float, height: float) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def _error_bars(middle: Any, low: Any, high: Any) -> list[list[float]]:
    # lists: matplotlib 3.9 takes an array of one element for a number, with a warning
    return [(middle - low).tolist(), (high - middle).tolist()]
