"""Plots of comparisons: critical differences, intervals of all pairs, scores per fold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from honesteval.stats._model_comparison import ModelComparison
from honesteval.stats._ranks import FriedmanTest

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class CriticalDifferenceDisplay:
    """Critical-difference diagram: mean ranks on a line, bars over models that do not differ.

    Parameters
    ----------
    mean_ranks : array-like of shape (n_models,)
        1 is best.
    models : sequence of str
        Names of the models.
    critical_difference : float
        Length of the bar drawn for comparison.
    groups : sequence of tuple of str
        Models that do not differ from each other; one bar each.
    alpha : float
        Level of the critical difference.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
        Set by :meth:`plot`.

    References
    ----------
    J. Demsar, "Statistical comparisons of classifiers over multiple data sets", Journal of
    Machine Learning Research 7 (2006) 1-30, figure 1.
    """

    ax_: Axes
    figure_: Figure

    def __init__(
        self,
        *,
        mean_ranks: ArrayLike,
        models: Sequence[str],
        critical_difference: float,
        groups: Sequence[tuple[str, ...]],
        alpha: float,
    ) -> None:
        self.mean_ranks = np.asarray(mean_ranks, dtype=np.float64)
        self.models = tuple(models)
        self.critical_difference = critical_difference
        self.groups = [tuple(group) for group in groups]
        self.alpha = alpha

    @classmethod
    def from_friedman(cls, test: FriedmanTest) -> CriticalDifferenceDisplay:
        """Return the diagram of a :func:`friedman_test`."""
        return cls(
            mean_ranks=test.mean_ranks,
            models=test.models,
            critical_difference=test.critical_difference,
            groups=test.groups,
            alpha=test.alpha,
        )

    @classmethod
    def from_comparison(cls, comparison: ModelComparison) -> CriticalDifferenceDisplay:
        """Return the diagram of a comparison over tasks.

        Raises
        ------
        ValueError
            If the comparison was not by ranks over tasks.
        """
        if not isinstance(comparison.omnibus, FriedmanTest):
            raise ValueError(
                "A critical-difference diagram shows mean ranks over tasks; this comparison is a "
                f"{comparison.test} over {comparison.unit}. Use SimultaneousIntervalsDisplay."
            )
        return cls.from_friedman(comparison.omnibus)

    def plot(self, ax: Axes | None = None) -> CriticalDifferenceDisplay:
        """Draw the diagram.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Drawn into a new figure by default.

        Returns
        -------
        display : CriticalDifferenceDisplay
        """
        ax = _axes(ax, width=7, height=1.6 + 0.18 * len(self.models))
        order = np.argsort(self.mean_ranks, kind="stable")
        n = len(order)
        top = -0.5 - 0.2 * len(self.groups)
        for place, index in enumerate(order):
            _draw_model(ax, self.models[index], self.mean_ranks[index], top, (place, n))
        position = dict(zip(self.models, self.mean_ranks, strict=True))
        for level, group in enumerate(self.groups):
            ends = [position[name] for name in group]
            height = -0.25 - 0.2 * level
            ax.plot([min(ends) - 0.03, max(ends) + 0.03], [height] * 2, color="C3", lw=4)
        ax.plot([1, 1 + self.critical_difference], [0.5, 0.5], color="k", lw=1.5)
        ax.text(
            1 + self.critical_difference / 2, 0.6,
            f"critical difference {self.critical_difference:.2f} ({self.alpha:g})", ha="center",
        )  # fmt: skip
        ax.set_xlim(0.6, n + 0.4)
        ax.set_ylim(top - 0.35 * ((n + 1) // 2), 1.0)
        ax.set_xticks(range(1, n + 1))
        ax.spines[["left", "right", "bottom"]].set_visible(False)
        ax.spines["top"].set_position(("data", 0))
        ax.xaxis.tick_top()
        ax.set_yticks([])
        ax.set_title("Mean rank (1 is best)")
        self.ax_, self.figure_ = ax, ax.figure  # type: ignore[assignment]
        return self


def _draw_model(ax: Axes, name: str, rank: float, top: float, place_of: tuple[int, int]) -> None:
    """Draw one model's stem; the better half is labelled on the left."""
    place, n = place_of
    left = place < (n + 1) // 2
    depth = top - 0.35 * (place if left else n - 1 - place)
    end = 0.9 if left else n + 0.1
    ax.plot([rank, rank, end], [0, depth, depth], color="0.3", lw=1)
    ax.text(
        end + (-0.05 if left else 0.05), depth, f"{name} ({rank:.2f})", va="center",
        ha="right" if left else "left",
    )  # fmt: skip


class SimultaneousIntervalsDisplay:
    """Differences of all pairs of models with their intervals, and the margin that matters.

    Parameters
    ----------
    pairs : DataFrame
        With columns ``a``, ``b``, ``difference``, ``low``, ``high``.
    margin : float
        Half-width of the band of practical equivalence.
    simultaneous : bool
        Whether the intervals hold for all pairs at once, or each by itself.
    confidence_level : float

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
        Set by :meth:`plot`.
    """

    ax_: Axes
    figure_: Figure

    def __init__(
        self, *, pairs: pd.DataFrame, margin: float, simultaneous: bool, confidence_level: float
    ) -> None:
        self.pairs = pairs
        self.margin = margin
        self.simultaneous = simultaneous
        self.confidence_level = confidence_level

    @classmethod
    def from_comparison(cls, comparison: ModelComparison) -> SimultaneousIntervalsDisplay:
        """Return the intervals of a comparison; Tukey's hold for all pairs at once."""
        return cls(
            pairs=comparison.to_frame()[["a", "b", "difference", "low", "high"]],
            margin=comparison.margin,
            simultaneous=len(comparison.table) == 1 or comparison.adjustment.startswith("Tukey"),
            confidence_level=comparison.confidence_level,
        )

    def plot(self, ax: Axes | None = None) -> SimultaneousIntervalsDisplay:
        """Draw one interval per pair.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Drawn into a new figure by default.

        Returns
        -------
        display : SimultaneousIntervalsDisplay
        """
        ax = _axes(ax, width=6, height=1.2 + 0.35 * len(self.pairs))
        places = np.arange(len(self.pairs))[::-1]
        low, high = self.pairs["low"], self.pairs["high"]
        differs = ((low > 0) | (high < 0)).to_numpy()
        ax.axvspan(-self.margin, self.margin, color="0.9", zorder=0)
        ax.axvline(0, color="0.5", lw=1, zorder=1)
        colors = np.where(differs, "C3", "C0").tolist()
        ax.hlines(places, low, high, colors=colors, lw=2)
        ax.scatter(self.pairs["difference"], places, c=colors, zorder=3)
        ax.set_yticks(places, [f"{a} - {b}" for a, b in self.pairs[["a", "b"]].to_numpy()])
        ax.set_ylim(-0.6, len(self.pairs) - 0.4)
        kind = "simultaneous" if self.simultaneous else "single"
        ax.set_xlabel(f"difference of scores, {kind} {self.confidence_level:.0%} intervals")
        self.ax_, self.figure_ = ax, ax.figure  # type: ignore[assignment]
        return self


class PairedFoldsDisplay:
    """Scores of all models per fold (or task), joined by a line to show consistent differences.

    Parameters
    ----------
    scores : DataFrame of shape (n_units, n_models)
        One row per fold or task, one column per model.
    unit : str, default="folds"
        What a row is.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
        Set by :meth:`plot`.
    """

    ax_: Axes
    figure_: Figure

    def __init__(self, *, scores: pd.DataFrame, unit: str = "folds") -> None:
        self.scores = scores
        self.unit = unit

    @classmethod
    def from_comparison(cls, comparison: ModelComparison) -> PairedFoldsDisplay:
        """Return the scores behind a comparison."""
        return cls(scores=comparison.scores, unit=comparison.unit)

    def plot(self, ax: Axes | None = None) -> PairedFoldsDisplay:
        """Draw one line per fold and the means.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Drawn into a new figure by default.

        Returns
        -------
        display : PairedFoldsDisplay
        """
        ax = _axes(ax, width=1.5 + 1.5 * self.scores.shape[1], height=4)
        places = np.arange(self.scores.shape[1])
        ax.plot(places, self.scores.to_numpy().T, color="C0", alpha=0.35, lw=1, marker=".")
        ax.plot(places, self.scores.mean(), color="k", lw=2, marker="D", label="mean")
        ax.set_xticks(places, [str(name) for name in self.scores.columns])
        ax.set_xlim(-0.3, len(places) - 0.7)
        ax.set_ylabel("score")
        ax.set_title(f"{len(self.scores)} {self.unit}")
        ax.legend()
        self.ax_, self.figure_ = ax, ax.figure  # type: ignore[assignment]
        return self


def _axes(ax: Any, *, width: float, height: float) -> Axes:
    """Return the axes given, or new ones of this size in inches."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(width, height), layout="constrained")[1]
