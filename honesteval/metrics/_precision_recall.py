"""Precision and recall beyond one number: other prevalences, other areas, gain curves."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from honesteval._notebook import ShownInNotebook
from honesteval._validation import check_number
from honesteval.stats import get_metric

__all__ = [
    "PrecisionRecallGain",
    "precision_at_prevalence",
    "precision_recall_gain",
    "threshold_counts",
    "trapezoid_pr_area",
]

FloatArray = NDArray[np.float64]


def precision_at_prevalence(
    true_positive_rate: float, false_positive_rate: float, prevalence: float
) -> float:
    """Return the precision a classifier has where another share of rows is positive.

    Precision on a balanced test set says little about a screening deck with 1 % actives.

    Parameters
    ----------
    true_positive_rate, false_positive_rate : float in [0, 1]
        Share of positives and of negatives that are predicted positive.
    prevalence : float in [0, 1]
        Share of positives where the classifier will be used.

    Returns
    -------
    precision : float
        ``TPR p / (TPR p + FPR (1 - p))``; NaN where nothing is predicted positive.

    Raises
    ------
    ValueError
        If an argument leaves [0, 1].

    Examples
    --------
    >>> from honesteval.metrics import precision_at_prevalence
    >>> round(precision_at_prevalence(0.9, 0.05, 0.01), 6)
    0.153846
    """
    check_number(true_positive_rate, "true_positive_rate", low=0, high=1)
    check_number(false_positive_rate, "false_positive_rate", low=0, high=1)
    check_number(prevalence, "prevalence", low=0, high=1)
    right = true_positive_rate * prevalence
    called = right + false_positive_rate * (1 - prevalence)
    return float(right / called) if called > 0 else float("nan")


def trapezoid_pr_area(
    y: ArrayLike, score: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Return the area under straight lines between precision-recall points.

    Not average precision, though both are called PR-AUC: straight lines between points of a
    precision-recall curve cannot be reached, and with ties the area is far too high (0.55 for
    ten tied rows with one positive, where average precision is 0.1). Offered to compare with
    published figures.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels 0/1, -1/1 or bool.
    score : array-like of shape (n,)
        Predictions, high for positives.
    sample_weight : array-like of shape (n,), default=None

    Returns
    -------
    area : float in [0, 1]
        NaN with one class.

    Raises
    ------
    ValueError
        If labels are not binary.

    References
    ----------
    .. [1] Davis, J. and Goadrich, M. (2006). The relationship between precision-recall and ROC
       curves. ICML.

    Examples
    --------
    >>> from honesteval.metrics import trapezoid_pr_area
    >>> round(trapezoid_pr_area([0, 0, 1, 1], [.1, .4, .35, .8]), 6)
    0.791667
    """
    return get_metric("trapezoid_pr_area")(y, score, sample_weight=sample_weight)


@dataclass(frozen=True)
class PrecisionRecallGain(ShownInNotebook):
    """The precision-recall-gain curve of one ranking.

    Attributes
    ----------
    recall_gain, precision_gain : ndarray of shape (n_points,)
        Points with a recall gain in [0, 1], from few to many predicted positives.
    threshold : ndarray of shape (n_points,)
        Lowest score predicted positive; NaN at the interpolated start of the curve.
    area : float
        Area under the curve, at most 1; 0 for always predicting positive.
    prevalence : float
    """

    recall_gain: FloatArray = field(repr=False)
    precision_gain: FloatArray = field(repr=False)
    threshold: FloatArray = field(repr=False)
    area: float
    prevalence: float

    def summary(self) -> str:
        """Return the area in one line."""
        return (
            f"Area under the precision-recall-gain curve {self.area:.3f} "
            f"(prevalence {self.prevalence:.3g}, {len(self.threshold)} points)"
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per point of the curve."""
        return pd.DataFrame(
            {
                "threshold": self.threshold,
                "recall_gain": self.recall_gain,
                "precision_gain": self.precision_gain,
            }
        )


def precision_recall_gain(y: ArrayLike, score: ArrayLike) -> PrecisionRecallGain:
    """Return the precision-recall-gain curve, whose area may be averaged over tasks.

    Precision and recall are harmonic quantities with a baseline that depends on prevalence.
    On the gain scale the baseline (always predicting positive) is 0 whatever the prevalence,
    and straight lines between points can be reached.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels 0/1, -1/1 or bool, both present.
    score : array-like of shape (n,)
        Predictions, high for positives.

    Returns
    -------
    curve : PrecisionRecallGain
        With ``precision_gain = 1 - p/(1-p) FP/TP``, ``recall_gain = 1 - p/(1-p) FN/TP``.

    Raises
    ------
    ValueError
        If one class is missing.

    References
    ----------
    .. [1] Flach, P. and Kull, M. (2015). Precision-recall-gain curves: PR analysis done right.
       NeurIPS.

    Examples
    --------
    >>> from honesteval.metrics import precision_recall_gain
    >>> precision_recall_gain([0, 0, 1, 1], [.1, .2, .3, .4]).area
    1.0
    >>> precision_recall_gain([0, 0, 1, 1], [.5, .5, .5, .5]).area
    0.0
    """
    sample = get_metric("roc_auc").sample(y, score)
    n_positive = float(sample.y.sum())
    n_negative = len(sample) - n_positive
    if min(n_positive, n_negative) == 0:
        raise ValueError(
            f"Precision-recall gain needs both classes. Got {n_positive:.0f} positives of "
            f"{len(sample)} rows."
        )
    threshold, true_positive, false_positive = threshold_counts(sample.y, sample.score)
    odds = n_positive / n_negative
    with np.errstate(divide="ignore", invalid="ignore"):
        precision_gain = 1 - odds * false_positive / true_positive
        recall_gain = 1 - odds * (n_positive - true_positive) / true_positive
    start = _start_of_curve(true_positive, false_positive, n_positive, n_negative)
    shown = (true_positive > 0) & (recall_gain >= 0)
    recall_gain = np.r_[0.0, recall_gain[shown]]
    precision_gain = np.r_[start, precision_gain[shown]]
    area = float(np.trapezoid(precision_gain, recall_gain))
    return PrecisionRecallGain(
        recall_gain,
        precision_gain,
        np.r_[np.nan, threshold[shown]],
        area,
        n_positive / len(sample),
    )


def threshold_counts(y: FloatArray, score: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return distinct scores, best first, with the positives and negatives at or above each."""
    order = np.argsort(-score, kind="stable")
    last = np.r_[np.flatnonzero(np.diff(score[order])), len(score) - 1]
    true_positive = np.cumsum(y[order])[last]
    return score[order][last], true_positive, last + 1 - true_positive


def _start_of_curve(
    true_positive: FloatArray, false_positive: FloatArray, n_positive: float, n_negative: float
) -> float:
    """Return the precision gain where the recall gain is 0, that is recall = prevalence."""
    wanted = n_positive**2 / (n_positive + n_negative)
    at_least = int(np.argmax(true_positive >= wanted - 1e-12))
    before = (0.0, 0.0) if at_least == 0 else (
        true_positive[at_least - 1], false_positive[at_least - 1]
    )  # fmt: skip
    step = true_positive[at_least] - before[0]
    share = min(1.0, (wanted - before[0]) / step)
    false_at_wanted = before[1] + share * (false_positive[at_least] - before[1])
    return float(1 - n_positive / n_negative * false_at_wanted / wanted)
