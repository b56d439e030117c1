"""How far probabilities are from observed shares, and how far they would be by chance."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from honesteval.stats import get_metric

__all__ = ["chance_calibration_error", "expected_calibration_error"]


def expected_calibration_error(y: ArrayLike, probability: ArrayLike, *, n_bins: int = 10) -> float:
    """Return the expected calibration error over bins of equal width.

    Biased upward: a perfectly calibrated model does not score 0 on finitely many rows. Compare
    it with :func:`chance_calibration_error`.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels 0/1, -1/1 or bool.
    probability : array-like of shape (n,)
        Probabilities of the positive class, in [0, 1].
    n_bins : int, default=10

    Returns
    -------
    error : float in [0, 1]
        Sum over bins of ``abs(sum of (y - probability)) / n``.

    Raises
    ------
    ValueError
        If labels are not binary or probabilities leave [0, 1].

    Examples
    --------
    >>> from honesteval.metrics import expected_calibration_error
    >>> round(expected_calibration_error([0, 1, 1, 1], [0.2, 0.7, 0.9, 0.9]), 6)
    0.175
    """
    return get_metric("ece", n_bins=n_bins)(y, probability)


def chance_calibration_error(probability: ArrayLike, *, n_bins: int = 10) -> float:
    """Return the expected calibration error that perfectly calibrated labels would show.

    Parameters
    ----------
    probability : array-like of shape (n,)
        Probabilities in [0, 1].
    n_bins : int, default=10

    Returns
    -------
    error : float in [0, 1]
        Mean absolute deviation of the number of positives per bin (de Moivre's formula for a
        binomial with the bin's mean probability), summed and divided by n.

    Raises
    ------
    ValueError
        If probabilities leave [0, 1].

    Examples
    --------
    One hundred rows at probability one half deviate by 4 % on average:

    >>> from honesteval.metrics import chance_calibration_error
    >>> round(chance_calibration_error([0.5] * 100), 4)
    0.0398
    """
    n_rows = np.size(probability)
    sample = get_metric("ece", n_bins=n_bins).sample(np.zeros(n_rows), probability)
    bin_of_row = np.minimum((sample.score * n_bins).astype(np.intp), n_bins - 1)
    size = np.bincount(bin_of_row, minlength=n_bins)
    mean = np.bincount(bin_of_row, sample.score, minlength=n_bins) / np.maximum(size, 1)
    return float(_binomial_deviation(size, mean).sum() / n_rows)


def _binomial_deviation(n: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return E|X - np| of binomials: 2 k C(n, k) p^k (1-p)^(n-k+1) with k = floor(np) + 1."""
    inside = (n > 0) & (p > 0) & (p < 1)
    n, p = n[inside].astype(np.float64), p[inside]
    k = np.floor(n * p) + 1
    log_binomial = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    return 2 * k * np.exp(log_binomial + k * np.log(p) + (n - k + 1) * np.log1p(-p))
