"""Metrics that are functions of weighted means over rows: errors, agreement, calibration."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from honesteval.stats._kernels import WeightedSample

__all__ = [
    "accuracy",
    "balanced_accuracy",
    "brier_score",
    "expected_calibration_error",
    "f1",
    "kendall",
    "log_loss",
    "matthews_corrcoef",
    "mean_absolute_error",
    "pearson",
    "precision",
    "r2",
    "recall",
    "root_mean_squared_error",
    "spearman",
    "specificity",
    "within_tolerance",
]

FloatArray = NDArray[np.float64]


def _ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(denominator > 0, numerator / denominator, np.nan)


def _above_rounding(values: FloatArray, scale: FloatArray) -> FloatArray:
    """Return differences of sums of size ``scale``, with what is rounding error set to zero."""
    return np.where(values > 1e-14 * scale, values, 0.0)


# -- continuous ------------------------------------------------------------------------------


def mean_absolute_error(sample: WeightedSample) -> FloatArray:
    """Return the mean absolute difference, in units of y."""
    return sample.mean(np.abs(sample.y - sample.score))


def root_mean_squared_error(sample: WeightedSample) -> FloatArray:
    """Return the root of the mean squared difference, in units of y."""
    return np.sqrt(sample.mean((sample.y - sample.score) ** 2))


def within_tolerance(sample: WeightedSample, tolerance: float) -> FloatArray:
    """Return the share of rows whose absolute difference is at most ``tolerance``."""
    return sample.mean((np.abs(sample.y - sample.score) <= tolerance).astype(np.float64))


def r2(sample: WeightedSample) -> FloatArray:
    """Return one minus residual over total sum of squares; NaN when y is constant."""
    centred = sample.y - sample.y.mean()
    residual = (sample.y - sample.score) ** 2
    means = sample.mean(np.column_stack([residual, centred, centred**2]))
    variance = _variance(means[:, 1], means[:, 2])
    return 1.0 - _ratio(means[:, 0], variance)


def pearson(sample: WeightedSample) -> FloatArray:
    """Return the linear correlation; NaN when either side is constant."""
    y, score = sample.y - sample.y.mean(), sample.score - sample.score.mean()
    means = sample.mean(np.column_stack([y, score, y * y, score * score, y * score]))
    covariance = means[:, 4] - means[:, 0] * means[:, 1]
    spread = _variance(means[:, 0], means[:, 2]) * _variance(means[:, 1], means[:, 3])
    return np.clip(_ratio(covariance, np.sqrt(spread)), -1.0, 1.0)


def _variance(mean: FloatArray, mean_square: FloatArray) -> FloatArray:
    """Return the variance, with what is rounding error of a constant set to zero."""
    return _above_rounding(mean_square - mean**2, mean_square)


def spearman(sample: WeightedSample) -> FloatArray:
    """Return the linear correlation of mid-ranks; NaN when either side is constant."""
    rank_y, rank_score = sample.centred_midranks()
    weights, total = sample.weights.as_float, sample.total
    covariance = np.einsum("ij,ij,ij->i", weights, rank_y, rank_score)
    spread_y = _above_rounding(np.einsum("ij,ij,ij->i", weights, rank_y, rank_y), total**3)
    spread_score = np.einsum("ij,ij,ij->i", weights, rank_score, rank_score)
    spread_score = _above_rounding(spread_score, total**3)
    return np.clip(_ratio(covariance, np.sqrt(spread_y * spread_score)), -1.0, 1.0)


def kendall(sample: WeightedSample) -> FloatArray:
    """Return Kendall's tau-b; NaN when either side is constant."""
    return sample.sample.pair_order.tau_b(sample.weights.values)


# -- probabilities -----------------------------------------------------------------------------


def brier_score(sample: WeightedSample) -> FloatArray:
    """Return the mean squared difference of label and probability."""
    return sample.mean((sample.y - sample.score) ** 2)


def log_loss(sample: WeightedSample) -> FloatArray:
    """Return the mean negative log-likelihood in nats, probabilities clipped at machine eps."""
    epsilon = np.finfo(np.float64).eps
    probability = np.clip(sample.score, epsilon, 1 - epsilon)
    return sample.mean(-np.log(np.where(sample.y == 1, probability, 1 - probability)))


def expected_calibration_error(sample: WeightedSample, n_bins: int) -> FloatArray:
    """Return the mean over equal-width bins of abs(observed share - mean probability)."""
    bin_of_row = np.minimum((sample.score * n_bins).astype(np.intp), n_bins - 1)
    excess = sample.sums_by_cell(bin_of_row, n_bins, sample.y - sample.score)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.abs(excess).sum(axis=1) / sample.total


# -- classes -----------------------------------------------------------------------------------


def _confusion(sample: WeightedSample) -> FloatArray:
    """Return weights per (true class, predicted class), shape (n_resamples, k, k)."""
    cell_of_row, k, _ = sample.sample.confusion_layout
    return sample.sums_by_cell(cell_of_row, k * k).reshape(-1, k, k)


def accuracy(sample: WeightedSample) -> FloatArray:
    """Return the share of rows whose class is predicted."""
    return sample.mean((sample.y == sample.score).astype(np.float64))


def balanced_accuracy(sample: WeightedSample) -> FloatArray:
    """Return the mean recall over the classes of y; NaN when a class is not drawn."""
    confusion = _confusion(sample)
    _, _, present = sample.sample.confusion_layout
    of_class = confusion.sum(axis=2)[:, present]
    right = np.einsum("ijj->ij", confusion)[:, present]
    return _ratio(right, of_class).mean(axis=1)


def matthews_corrcoef(sample: WeightedSample) -> FloatArray:
    """Return Matthews' correlation (its k-class form); NaN when either side is constant."""
    confusion = _confusion(sample)
    true, predicted = confusion.sum(axis=2), confusion.sum(axis=1)
    total = true.sum(axis=1)
    right = np.einsum("ijj->i", confusion)
    covariance = right * total - np.einsum("ij,ij->i", true, predicted)
    spread = _above_rounding(total**2 - (true**2).sum(axis=1), total**2)
    spread = spread * _above_rounding(total**2 - (predicted**2).sum(axis=1), total**2)
    return np.clip(_ratio(covariance, np.sqrt(spread)), -1.0, 1.0)


def _binary_counts(sample: WeightedSample) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    y, predicted = sample.y == 1, sample.score == 1
    cells = np.column_stack([y & predicted, ~y & predicted, y & ~predicted, ~y & ~predicted])
    sums = sample.sums(cells.astype(np.float64))
    return sums[:, 0], sums[:, 1], sums[:, 2], sums[:, 3]


def precision(sample: WeightedSample) -> FloatArray:
    """Return the share of predicted positives that are positive; NaN when none is predicted."""
    true_positive, false_positive, _, _ = _binary_counts(sample)
    return _ratio(true_positive, true_positive + false_positive)


def recall(sample: WeightedSample) -> FloatArray:
    """Return the share of positives that are predicted; NaN without positives."""
    true_positive, _, false_negative, _ = _binary_counts(sample)
    return _ratio(true_positive, true_positive + false_negative)


def specificity(sample: WeightedSample) -> FloatArray:
    """Return the share of negatives that are predicted; NaN without negatives."""
    _, false_positive, _, true_negative = _binary_counts(sample)
    return _ratio(true_negative, true_negative + false_positive)


def f1(sample: WeightedSample) -> FloatArray:
    """Return the harmonic mean of precision and recall; NaN without positives on either side."""
    true_positive, false_positive, false_negative, _ = _binary_counts(sample)
    return _ratio(2 * true_positive, 2 * true_positive + false_positive + false_negative)
