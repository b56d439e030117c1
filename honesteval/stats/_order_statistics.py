"""How good the best of several equally good models looks by chance."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import quad
from scipy.stats import norm

from honesteval._validation import check_number


def expected_maximum(n_models: int, distribution: Any = None) -> float:
    """Return the expected best of several equally good models whose scores vary independently.

    Reporting the best of m scores overstates it by this much: the best of 36 configurations
    lies 2.1 standard errors above the truth though none is better than the others.

    Parameters
    ----------
    n_models : int
        Number of models, configurations or guesses tried, at least 1.
    distribution : frozen scipy.stats distribution, default=None
        Of one score; the standard normal by default, so that the result counts standard errors.
        Continuous, or discrete over integers.

    Returns
    -------
    maximum : float

    Raises
    ------
    ValueError
        If ``n_models`` is not a positive integer, or the distribution has no quantiles.

    Examples
    --------
    >>> from scipy.stats import binom
    >>> from honesteval.stats import expected_maximum
    >>> round(expected_maximum(36), 6)
    2.118123

    Ten students guess 100 questions with two answers; the best of them gets on average

    >>> round(expected_maximum(10, binom(100, 0.5)), 3)
    57.678
    """
    check_number(n_models, "n_models", low=1, integer=True)
    distribution = norm() if distribution is None else distribution
    if not hasattr(distribution, "ppf") or not hasattr(distribution, "support"):
        raise ValueError(
            "distribution must be a frozen scipy.stats distribution such as norm(0, 1) or "
            f"binom(100, 0.5). Got {distribution!r}."
        )
    if hasattr(distribution, "pmf"):
        low, high = distribution.ppf(1e-15), distribution.isf(1e-15 / n_models)
        values = np.arange(low, high)
        return float(low + np.sum(1 - distribution.cdf(values) ** n_models))
    # The maximum of m uniform numbers is distributed as U^(1/m).
    return float(quad(lambda u: distribution.ppf(u ** (1 / n_models)), 0, 1, limit=200)[0])
