"""A learning curve, its extrapolation, and the adaptive score, on the same axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from honesteval.stats._adaptive_score import AdaptiveScore
from honesteval.stats._learning_curve import LearningCurveExtrapolation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

N_POINTS = 60
"""Points at which the fitted curve is drawn."""


class LearningCurveExtrapolationDisplay:
    """Measured errors, the fitted power law with its interval, and the target.

    Parameters
    ----------
    measured : DataFrame
        Columns ``train_size`` and ``error``.
    curve : DataFrame
        Columns ``train_size``, ``error``, ``low``, ``high``.
    target_size : float
    loss : str
        Name of the axis.
    adaptive : DataFrame, default=None
        Columns ``train_size``, ``error`` (1 - adaptive score) and ``control`` (the same on
        permuted labels).

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
        measured: pd.DataFrame,
        curve: pd.DataFrame,
        target_size: float,
        loss: str,
        adaptive: pd.DataFrame | None = None,
    ) -> None:
        self.measured = measured
        self.curve = curve
        self.target_size = target_size
        self.loss = loss
        self.adaptive = adaptive

    @classmethod
    def from_extrapolation(
        cls,
        extrapolation: LearningCurveExtrapolation,
        *,
        adaptive: AdaptiveScore | None = None,
    ) -> LearningCurveExtrapolationDisplay:
        """Return the plot of an extrapolation, with an adaptive score beside it.

        Parameters
        ----------
        extrapolation : LearningCurveExtrapolation
        adaptive : AdaptiveScore, default=None
            Of the same data and model, with a metric that is 1 minus the loss; drawn as
            1 - score.
        """
        low, high = extrapolation.train_sizes[0], extrapolation.train_sizes[-1]
        sizes = np.geomspace(low, max(high, extrapolation.target_size), N_POINTS)
        beside = None
        if adaptive is not None:
            beside = pd.DataFrame(
                {
                    "train_size": [adaptive.n_samples],
                    "error": [1 - adaptive.score],
                    "control": [1 - adaptive.control],
                }
            )
        return cls(
            measured=pd.DataFrame(
                {"train_size": extrapolation.train_sizes, "error": extrapolation.errors}
            ),
            curve=extrapolation.predict(sizes),
            target_size=extrapolation.target_size,
            loss=extrapolation.loss,
            adaptive=beside,
        )

    def plot(self, ax: Axes | None = None) -> LearningCurveExtrapolationDisplay:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Drawn into a new figure by default.

        Returns
        -------
        display : LearningCurveExtrapolationDisplay
        """
        if ax is None:
            import matplotlib.pyplot as plt

            ax = plt.subplots(figsize=(6, 4), layout="constrained")[1]
        sizes = self.curve["train_size"]
        ax.fill_between(sizes, self.curve["low"], self.curve["high"], color="C0", alpha=0.2)
        ax.plot(sizes, self.curve["error"], color="C0", label="fitted power law")
        ax.plot(
            self.measured["train_size"], self.measured["error"], "o", color="k", label="measured"
        )
        ax.axvline(self.target_size, color="0.6", ls=":", label=f"target {self.target_size:g}")
        if self.adaptive is not None:
            at = self.adaptive["train_size"]
            ax.plot(at, self.adaptive["error"], "D", color="C3", label="1 - adaptive score")
            ax.plot(
                at, self.adaptive["control"], "x", color="C3",
                label="1 - adaptive score, permuted labels",
            )  # fmt: skip
        ax.set_xscale("log")
        ticks = [*self.measured["train_size"], self.target_size]
        ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        ax.minorticks_off()
        ax.set_xlabel("training rows")
        ax.set_ylabel(f"{self.loss} error")
        ax.legend()
        self.ax_, self.figure_ = ax, ax.figure  # type: ignore[assignment]
        return self
