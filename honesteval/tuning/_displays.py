"""Drawings of a nested cross-validation. A display holds plain data and fits nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from honesteval.tuning._result import NestedCVResult

INNER_COLOUR = "tab:orange"
OUTER_COLOUR = "tab:blue"


class OptimismDisplay:
    """Best inner score beside the outer score of each fold.

    Parameters
    ----------
    inner_best_scores, outer_scores : array-like of shape (n_folds,)
    metric : str, default="score"

    Attributes
    ----------
    ax_, figure_ : matplotlib objects
        After :meth:`plot`.
    """

    def __init__(
        self, inner_best_scores: ArrayLike, outer_scores: ArrayLike, *, metric: str = "score"
    ) -> None:
        self.inner_best_scores: NDArray[np.float64] = np.asarray(
            inner_best_scores, dtype=np.float64
        )
        self.outer_scores: NDArray[np.float64] = np.asarray(outer_scores, dtype=np.float64)
        self.metric = metric

    @classmethod
    def from_result(cls, result: NestedCVResult) -> OptimismDisplay:
        """Return the display of the folds of a result (of one task)."""
        return cls(result.inner_best_scores, result.outer_scores, metric=result.metric)

    def plot(self, ax: Any = None) -> OptimismDisplay:
        """Draw one line per fold from the inner to the outer score.

        Parameters
        ----------
        ax : matplotlib axes, default=None
        """
        self.ax_, self.figure_ = _axes(ax)
        folds = np.arange(1, len(self.outer_scores) + 1)
        self.ax_.vlines(folds, self.outer_scores, self.inner_best_scores, color="0.8", zorder=1)
        self.ax_.scatter(
            folds, self.inner_best_scores, color=INNER_COLOUR, label="best inner score", zorder=2
        )
        self.ax_.scatter(
            folds, self.outer_scores, color=OUTER_COLOUR, label="outer score", zorder=2
        )
        for values, colour in (
            (self.inner_best_scores, INNER_COLOUR),
            (self.outer_scores, OUTER_COLOUR),
        ):
            if np.isfinite(values).any():
                self.ax_.axhline(float(np.nanmean(values)), color=colour, linestyle=":", zorder=0)
        self.ax_.set(xlabel="outer fold", ylabel=self.metric, xticks=folds)
        self.ax_.legend()
        return self


class ParameterStabilityDisplay:
    """The value that each outer fold chose, one panel row per parameter.

    Parameters
    ----------
    chosen : sequence of dict
        Chosen parameters of each fold.

    Attributes
    ----------
    ax_ : ndarray of matplotlib axes, one per parameter
    figure_ : matplotlib figure
    """

    def __init__(self, chosen: Any) -> None:
        self.chosen = tuple(dict(params) for params in chosen)
        self.parameters = tuple(dict.fromkeys(name for params in self.chosen for name in params))

    @classmethod
    def from_result(cls, result: NestedCVResult) -> ParameterStabilityDisplay:
        """Return the display of what the folds of a result (of one task) chose."""
        return cls(result.best_params)

    def plot(self, ax: Any = None) -> ParameterStabilityDisplay:
        """Draw one panel per parameter; numbers that span decades on a logarithmic axis.

        Parameters
        ----------
        ax : sequence of matplotlib axes, one per parameter, default=None
        """
        if not self.parameters:
            raise ValueError("No fold chose a parameter: there was nothing to tune.")
        if ax is None:
            import matplotlib.pyplot as plt

            n_panels = len(self.parameters)
            _, ax = plt.subplots(
                n_panels, 1, figsize=(5, 1 + 1.4 * n_panels), sharex=True, squeeze=False
            )
        self.ax_ = np.ravel(ax)
        if len(self.ax_) != len(self.parameters):
            raise ValueError(
                f"ax must hold one axes per parameter, {len(self.parameters)}. Got {len(self.ax_)}."
            )
        self.figure_ = self.ax_[0].figure
        for name, panel in zip(self.parameters, self.ax_, strict=True):
            self._draw(panel, name)
        self.ax_[-1].set_xlabel("outer fold")
        return self

    def _draw(self, panel: Any, name: str) -> None:
        folds = [n for n, params in enumerate(self.chosen, start=1) if name in params]
        values = [params[name] for params in self.chosen if name in params]
        numeric = all(type(value) in (int, float) for value in values)
        shown = values if numeric else [" ".join(str(value).split())[:30] for value in values]
        panel.scatter(folds, shown, color=OUTER_COLOUR)
        if numeric and min(values) > 0 and max(values) / min(values) > 20:
            panel.set_yscale("log")
        panel.set(ylabel=name, xticks=range(1, len(self.chosen) + 1))


class NestedLearningCurveDisplay:
    """Outer score against the number of training rows, with the chosen settings.

    Parameters
    ----------
    sizes : array-like of shape (n_folds, n_sizes)
        Training rows.
    scores : array-like of shape (n_folds, n_sizes)
    metric : str, default="score"

    Attributes
    ----------
    ax_, figure_ : matplotlib objects
        After :meth:`plot`.
    """

    def __init__(self, sizes: ArrayLike, scores: ArrayLike, *, metric: str = "score") -> None:
        self.sizes: NDArray[np.float64] = np.asarray(sizes, dtype=np.float64)
        self.scores: NDArray[np.float64] = np.asarray(scores, dtype=np.float64)
        self.metric = metric

    @classmethod
    def from_result(cls, result: NestedCVResult) -> NestedLearningCurveDisplay:
        """Return the display of the learning curve of a result (of one task).

        Parameters
        ----------
        result : NestedCVResult
            From a call with ``train_sizes``.
        """
        if not any(fold.learning_curve for fold in result.folds):
            raise ValueError(
                "The result has no learning curve. Call nested_cross_validate with train_sizes, "
                "for example (0.25, 0.5, 0.75)."
            )
        frame = result.learning_curve()
        shape = (len(result.folds), -1)
        return cls(
            frame["train_size"].to_numpy().reshape(shape),
            frame["score"].to_numpy().reshape(shape),
            metric=result.metric,
        )

    def plot(self, ax: Any = None) -> NestedLearningCurveDisplay:
        """Draw one thin line per fold and the mean.

        Parameters
        ----------
        ax : matplotlib axes, default=None
        """
        self.ax_, self.figure_ = _axes(ax)
        self.ax_.plot(self.sizes.T, self.scores.T, color=OUTER_COLOUR, alpha=0.25, linewidth=1)
        self.ax_.plot(
            self.sizes.mean(axis=0), np.nanmean(self.scores, axis=0), color=OUTER_COLOUR,
            marker="o", label="mean over outer folds",
        )  # fmt: skip
        self.ax_.set(xlabel="training rows", ylabel=self.metric)
        self.ax_.legend()
        return self


def _axes(ax: Any) -> tuple[Any, Any]:
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots()
    return ax, ax.figure
