"""Variances of the ROC-AUC that need its value and the class sizes only."""

from __future__ import annotations

import numpy as np
from scipy import optimize, special

from honesteval._validation import check_number

__all__ = ["hanley_mcneil_standard_error", "newcombe_interval"]


def hanley_mcneil_standard_error(auc: float, n_positive: int, n_negative: int) -> float:
    """Return the standard error of a ROC-AUC of which only the value and sizes are known.

    For published values without their data; it assumes exponential scores. With the scores at
    hand :func:`delong_ci` assumes nothing.

    Parameters
    ----------
    auc : float in [0, 1]
    n_positive, n_negative : int
        Rows of each class, at least 1.

    Returns
    -------
    standard_error : float
        0.0 at 0 and 1, where the formula says nothing.

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    .. [1] Hanley, J. A. and McNeil, B. J. (1982). The meaning and use of the area under a
       receiver operating characteristic curve. Radiology 143, equation 1.

    Examples
    --------
    >>> from honesteval.stats import hanley_mcneil_standard_error
    >>> round(hanley_mcneil_standard_error(0.8931710615, 51, 58), 7)
    0.0324866
    """
    check_number(auc, "auc", low=0, high=1)
    check_number(n_positive, "n_positive", low=1, integer=True)
    check_number(n_negative, "n_negative", low=1, integer=True)
    q1, q2 = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    variance = (
        auc * (1 - auc) + (n_positive - 1) * (q1 - auc**2) + (n_negative - 1) * (q2 - auc**2)
    ) / (n_positive * n_negative)
    return float(np.sqrt(max(variance, 0.0)))


def newcombe_interval(
    auc: float, n_positive: int, n_negative: int, confidence_level: float
) -> tuple[float, float]:
    """Return the values from which ``auc`` is z standard errors away (Newcombe's method 5).

    The standard error is Hanley and McNeil's at each candidate value, with both class sizes
    replaced by their mean in its second terms; the interval never has zero width.
    """
    z = float(special.ndtri((1 + confidence_level) / 2))
    spread = (n_positive + n_negative) / 2 - 1

    def excess(value: float) -> float:
        shape = 1 + spread * ((1 - value) / (2 - value) + value / (1 + value))
        variance = value * (1 - value) * shape / (n_positive * n_negative)
        return (value - auc) ** 2 - z**2 * variance

    # At 0 and 1 the variance is zero too; the limit sought is the other root.
    inside = min(max(auc, 1e-9), 1 - 1e-9)
    low = 0.0 if auc <= 0 else float(optimize.brentq(excess, 0.0, inside))
    high = 1.0 if auc >= 1 else float(optimize.brentq(excess, inside, 1.0))
    return low, high
