"""Ranking metrics of weighted samples: ROC-AUC, average precision, early recognition.

All of them depend on the order of distinct scores only: rows with equal scores count as one
block, so that neither the order of the rows nor a monotone transform of the scores matters.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from honesteval.stats._kernels import WeightedSample

__all__ = [
    "average_precision",
    "bedroc",
    "enrichment_factor",
    "robust_initial_enhancement",
    "roc_auc",
    "trapezoid_pr_area",
]

FloatArray = NDArray[np.float64]

# A product such as 100 x 0.07 is a hair above 7 in floating point; it still means 7 rows.
_CEILING_TOLERANCE = 1e-9


def _defined(values: FloatArray, sample: WeightedSample) -> FloatArray:
    return np.where(sample.ranking.one_class, np.nan, values)


def _divide(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Divide, with 0/0 as 0: a level without weight contributes nothing."""
    return np.divide(
        numerator,
        denominator,
        out=np.zeros(np.broadcast_shapes(numerator.shape, denominator.shape)),
        where=denominator > 0,
    )


def roc_auc(sample: WeightedSample) -> FloatArray:
    """Return the probability that a positive outranks a negative, ties counting one half."""
    counts = sample.ranking
    outranking = np.einsum(
        "ij,ij->i",
        counts.positives,
        counts.n_negative[:, None] - 0.5 * (counts.false_before + counts.false_through),
    )
    return _defined(_divide(outranking, counts.n_positive * counts.n_negative), sample)


def average_precision(sample: WeightedSample) -> FloatArray:
    """Return the sum of precision times the gain in recall over the distinct thresholds."""
    counts = sample.ranking
    precision = _divide(counts.true_through, counts.true_through + counts.false_through)
    area = np.einsum("ij,ij->i", counts.positives, precision)
    return _defined(_divide(area, counts.n_positive), sample)


def trapezoid_pr_area(sample: WeightedSample) -> FloatArray:
    """Return the trapezoid area under the precision-recall points (optimistic; not the AP)."""
    counts = sample.ranking
    precision = _divide(counts.true_through, counts.true_through + counts.false_through)
    true_before = counts.true_through - counts.positives
    # Precision where the recall of the level before was last reached; 1 at the very start.
    shown = true_before + counts.false_before
    left = np.where(shown > 0, _divide(true_before, shown), 1.0)
    area = np.einsum("ij,ij->i", counts.positives, 0.5 * (left + precision))
    return _defined(_divide(area, counts.n_positive), sample)


def enrichment_factor(sample: WeightedSample, fraction: float) -> FloatArray:
    """Return the share of positives in the first ``ceil(fraction n)`` rows over prevalence.

    A block of tied rows across the cut contributes its expected number of positives.
    """
    counts = sample.ranking
    total = counts.n_positive + counts.n_negative
    cut = np.ceil(fraction * total - _CEILING_TOLERANCE)
    before = counts.true_through - counts.positives + counts.false_before
    size = counts.positives + counts.false_through - counts.false_before
    share = np.clip(_divide(cut[:, None] - before, size), 0.0, 1.0)
    found = np.einsum("ij,ij->i", counts.positives, share)
    return _defined(_divide(found * total, cut * counts.n_positive), sample)


def robust_initial_enhancement(sample: WeightedSample, alpha: float) -> FloatArray:
    """Return the mean of exp(-alpha rank/n) over positives, relative to a random ranking."""
    counts = sample.ranking
    total = (counts.n_positive + counts.n_negative)[:, None]
    before = counts.true_through - counts.positives + counts.false_before
    through = counts.true_through + counts.false_through
    with np.errstate(invalid="ignore", divide="ignore"):
        # Sum of exp(-alpha r/n) over the ranks of a block, a geometric series, over its length.
        block = np.exp(-alpha * before / total) - np.exp(-alpha * through / total)
        weight = _divide(block, through - before)
        mean = _divide(np.einsum("ij,ij->i", counts.positives, weight), counts.n_positive)
        values = mean * total[:, 0] / -np.expm1(-alpha)
    return _defined(values, sample)


def bedroc(sample: WeightedSample, alpha: float) -> FloatArray:
    """Return robust initial enhancement scaled from its lowest (0) to its highest value (1)."""
    counts = sample.ranking
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        ratio = counts.n_positive / (counts.n_positive + counts.n_negative)
        highest = np.expm1(-alpha * ratio) / (ratio * np.expm1(-alpha))
        lowest = (np.exp(-alpha * (1 - ratio)) - np.exp(-alpha)) / (ratio * -np.expm1(-alpha))
        values = (robust_initial_enhancement(sample, alpha) - lowest) / (highest - lowest)
    return _defined(np.clip(values, 0.0, 1.0), sample)
