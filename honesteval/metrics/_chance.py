"""What a random ranking or a constant prediction scores: the baselines beside every score."""

from __future__ import annotations

import numpy as np
from scipy import special

from honesteval._validation import check_number

__all__ = ["average_precision_gain", "bedroc_of_random", "random_average_precision"]


def random_average_precision(n_positive: int, n: int) -> float:
    """Return the expected average precision of a random ranking without ties.

    Prevalence is only its limit for many rows: with 1 positive of 10 a random ranking scores
    0.293 on average, not 0.1.

    Parameters
    ----------
    n_positive : int
        Number of positives, from 0 to n.
    n : int
        Number of rows, at least 1.

    Returns
    -------
    expectation : float
        ``(1/n) sum_k [(n1 - 1)(k - 1)/(n - 1) + 1]/k`` over the ranks k; NaN without positives.

    Raises
    ------
    ValueError
        If a count is out of range.

    Examples
    --------
    >>> from honesteval.metrics import random_average_precision
    >>> round(random_average_precision(1, 10), 6), round(random_average_precision(50, 5000), 6)
    (0.292897, 0.011603)
    """
    check_number(n, "n", low=1, integer=True)
    check_number(n_positive, "n_positive", low=0, high=n, integer=True)
    if n_positive == 0:
        return float("nan")
    if n == 1:
        return 1.0
    harmonic = float(special.digamma(n + 1) + np.euler_gamma)
    return float(((n_positive - 1) / (n - 1) * (n - harmonic) + harmonic) / n)


def average_precision_gain(average_precision: float, n_positive: int, n: int) -> float:
    """Return how far average precision is from a random (0) to a perfect ranking (1).

    Makes tasks of different prevalence comparable.

    Parameters
    ----------
    average_precision : float in [0, 1]
    n_positive, n : int
        Number of positives and of rows.

    Returns
    -------
    gain : float
        ``(AP - E[AP]) / (1 - E[AP])``, at most 1, negative below a random ranking; NaN if one
        class is empty.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> from honesteval.metrics import average_precision_gain
    >>> round(average_precision_gain(0.5, 10, 100), 3)
    0.42
    """
    expected = random_average_precision(n_positive, n)
    if np.isnan(average_precision) or not expected < 1:
        return float("nan")
    check_number(average_precision, "average_precision", low=0, high=1)
    return float((average_precision - expected) / (1 - expected))


def bedroc_of_random(n_positive: int, n: int, *, alpha: float = 20.0) -> float:
    """Return the BEDROC of a random ranking, where robust initial enhancement is 1.

    Parameters
    ----------
    n_positive, n : int
        Number of positives and of rows.
    alpha : float, default=20.0
        Weight of the early ranks, above 0.

    Returns
    -------
    bedroc : float in (0, 1)
        NaN if one class is empty.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> from honesteval.metrics import bedroc_of_random
    >>> round(bedroc_of_random(10, 1000), 4)
    0.0552
    """
    check_number(n, "n", low=1, integer=True)
    check_number(n_positive, "n_positive", low=0, high=n, integer=True)
    check_number(alpha, "alpha", low=0, closed="neither")
    if n_positive in (0, n):
        return float("nan")
    ratio = n_positive / n
    highest = np.expm1(-alpha * ratio) / (ratio * np.expm1(-alpha))
    lowest = (np.exp(-alpha * (1 - ratio)) - np.exp(-alpha)) / (ratio * -np.expm1(-alpha))
    return float((1 - lowest) / (highest - lowest))
