"""p-values of several tests, adjusted for their number."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import false_discovery_control

from honesteval._validation import check_1d, check_option

ADJUSTMENTS = ("holm", "bh")


def adjust_p_values(p_values: Any, *, method: str = "holm") -> NDArray[np.float64]:
    """Adjust p-values for having made several tests.

    Parameters
    ----------
    p_values : array-like of shape (m,)
        In [0, 1]. NaN stands for a test that could not be made: it stays NaN and does not count.
    method : {"holm", "bh"}, default="holm"
        ``"holm"`` bounds the probability of any false rejection; ``"bh"`` (Benjamini-Hochberg)
        the expected share of false rejections among all.

    Returns
    -------
    adjusted : ndarray of shape (m,)
        In the order given; compare with the level itself.

    Raises
    ------
    ValueError
        If a p-value lies outside [0, 1] or the method is unknown.

    References
    ----------
    S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
    Statistics 6 (1979) 65-70.

    Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate", Journal of the Royal
    Statistical Society B 57 (1995) 289-300.

    Examples
    --------
    >>> from honesteval.stats import adjust_p_values
    >>> adjust_p_values([0.01, 0.04, 0.03, 0.005]).round(6).tolist()
    [0.03, 0.06, 0.06, 0.02]
    >>> adjust_p_values([0.01, 0.04, 0.03, 0.005], method="bh").round(6).tolist()
    [0.02, 0.04, 0.04, 0.02]
    """
    check_option(method, "method", ADJUSTMENTS)
    values = check_1d(p_values, "p_values", numeric=True)
    known = ~np.isnan(values)
    outside = np.flatnonzero(known & ~((values >= 0) & (values <= 1)))
    if outside.size:
        raise ValueError(
            f"p_values must lie in [0, 1]. Got {values[outside[0]]} at position {outside[0]}."
        )
    adjusted = np.full(len(values), np.nan)
    if known.any():
        adjust = _holm if method == "holm" else false_discovery_control
        adjusted[known] = adjust(values[known])
    return adjusted


def _holm(p_values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Multiply the smallest by m, the next by m - 1 and so on, never falling, at most 1."""
    order = np.argsort(p_values, kind="stable")
    steps = p_values[order] * np.arange(len(p_values), 0, -1)
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted
