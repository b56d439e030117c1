"""ROC and precision-recall curves, split beside split, with what a random ranking gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from honesteval._validation import check_option
from honesteval.report._evaluation import Evaluation
from honesteval.report._palette import COLORS, drawing_style, new_axes
from honesteval.report._saved_rows import labels_of, predictions_of, split_column
from honesteval.report._summarise import summarise

CurveKind = Literal["roc", "precision_recall"]

#: Curves are drawn with at most this many points; the corners that matter stay.
MAX_POINTS = 400

#: Points of a mean curve.
MEAN_POINTS = 201


class CurvesDisplay:
    """Curves of one kind for two classes.

    scikit-learn's own displays draw one curve each; this one sets the splits side by side and
    adds the baseline.

    Parameters
    ----------
    curves : dict of str to tuple of two ndarray
        x and y of each curve, by name of the split ("random", "similarity").
    kind : {"roc", "precision_recall"}
    prevalence : float
        Share of positives: the precision of a random ranking.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from honesteval.report import CurvesDisplay
    >>> display = CurvesDisplay.from_predictions([0, 1, 1], {"random": [0.1, 0.4, 0.9]})
    >>> display.plot().ax_.get_xlabel()
    'false positive rate'
    """

    def __init__(
        self, curves: Mapping[str, tuple[NDArray[np.float64], NDArray[np.float64]]], *,
        kind: CurveKind, prevalence: float,
    ) -> None:  # fmt: skip
        check_option(kind, "kind", ("roc", "precision_recall"))
        self.curves = dict(curves)
        self.kind = kind
        self.prevalence = prevalence

    @classmethod
    def from_predictions(
        cls,
        y: ArrayLike,
        ranking: Mapping[str, ArrayLike],
        *,
        kind: CurveKind = "roc",
        fold: Mapping[str, ArrayLike] | None = None,
    ) -> CurvesDisplay:
        """Return the display of labels and rankings.

        Parameters
        ----------
        y : array-like of shape (n_rows,)
            0 and 1.
        ranking : dict of str to array-like of shape (n_rows,)
            By name of the split.
        kind : {"roc", "precision_recall"}, default="roc"
        fold : dict of str to array-like of int, shape (n_rows,), default=None
            Folds whose curves are averaged at equal x, since each has a model of its own; the
            area below is then the mean of theirs. None draws one curve of all rows.
        """
        labels = np.asarray(y)
        draw = _roc if kind == "roc" else _precision_recall
        curves = {}
        for split, score in ranking.items():
            if fold is None:
                curves[split] = _thinned(*draw(labels, np.asarray(score)))
            else:
                curves[split] = _mean_curve(
                    labels, np.asarray(score), np.asarray(fold[split]), kind
                )
        return cls(curves, kind=kind, prevalence=float(labels.mean()))

    @classmethod
    def from_evaluation(
        cls, evaluation: Evaluation, *, task: int = 0, kind: CurveKind = "roc"
    ) -> CurvesDisplay:
        """Return the display of one task of an evaluation, which must have two classes."""
        return cls.from_summary(summarise(evaluation), task=task, kind=kind)

    @classmethod
    def from_summary(
        cls, summary: dict[str, Any], *, task: int = 0, kind: CurveKind = "roc"
    ) -> CurvesDisplay:
        """Return the display of one task of a summary (see :func:`summarise`)."""
        one = summary["tasks"][task]
        if one["kind"] != "binary":
            raise ValueError(f"{one['name']} does not have two classes.")
        labels = labels_of(summary, task)
        known = ~np.isnan(labels)
        ranking = {
            split["name"]: predictions_of(summary, task, split["name"])[known]
            for split in summary["splits"]
        }
        fold = {
            split["name"]: split_column(summary, split["name"], "fold")[known]
            for split in summary["splits"]
        }
        return cls.from_predictions(labels[known], ranking, kind=kind, fold=fold)

    def plot(self, ax: Any = None) -> CurvesDisplay:
        """Draw on ``ax``, or on a new figure, and return the display."""
        with drawing_style():
            self.ax_ = new_axes(ax, width=4.2, height=4.0)
            self.figure_ = self.ax_.figure
            roc = self.kind == "roc"
            base = ([0, 1], [0, 1]) if roc else ([0, 1], [self.prevalence] * 2)
            self.ax_.plot(
                *base, color=COLORS["chance"], lw=1.0, ls=(0, (4, 3)), label="random ranking"
            )
            for split, (x, y) in self.curves.items():
                self.ax_.plot(
                    x, y, color=COLORS.get(split, COLORS["muted"]), lw=1.8,
                    drawstyle="default" if roc else "steps-post", label=f"{split} split",
                )  # fmt: skip
            self.ax_.set_xlabel("false positive rate" if roc else "recall")
            self.ax_.set_ylabel("true positive rate" if roc else "precision")
            self.ax_.set_xlim(-0.01, 1.01)
            self.ax_.set_ylim(-0.01, 1.03)
            self.ax_.grid(color=COLORS["line"], lw=0.6)
            self.ax_.set_axisbelow(True)
            self.ax_.legend(loc="lower right" if roc else "lower left")
        return self


def _roc(y: Any, score: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    from sklearn.metrics import roc_curve

    x, height, _ = roc_curve(y, score)
    return x, height


def _precision_recall(y: Any, score: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    from sklearn.metrics import precision_recall_curve

    height, x, _ = precision_recall_curve(y, score)
    return x, height


def _mean_curve(
    y: Any, score: Any, fold: Any, kind: CurveKind
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the mean height of the curves of the folds that hold both classes."""
    grid = np.linspace(0.0, 1.0, MEAN_POINTS)
    heights = []
    for number in np.unique(fold):
        rows = fold == number
        if len(np.unique(y[rows])) < 2:
            continue
        if kind == "roc":
            heights.append(np.interp(grid, *_roc(y[rows], score[rows])))
        else:  # the precision at a recall is that of the first point that reaches it
            x, height = (values[::-1] for values in _precision_recall(y[rows], score[rows]))
            heights.append(height[np.searchsorted(x, grid, side="left")])
    mean = np.mean(heights, axis=0)
    if kind == "roc":
        return np.concatenate([[0.0], grid]), np.concatenate([[0.0], mean])
    return grid, mean


def _thinned(
    x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Leave out points so close to the one before that nobody sees them."""
    if len(x) <= MAX_POINTS:
        return x, y
    way = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(x)) + np.abs(np.diff(y)))])
    step = np.floor(way / way[-1] * (MAX_POINTS - 1))
    keep = np.concatenate([[True], np.diff(step) > 0])
    keep[-1] = True
    return x[keep], y[keep]
