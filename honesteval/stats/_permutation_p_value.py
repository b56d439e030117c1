"""The p-value of a permutation test from its count of exceedances."""

from __future__ import annotations

import math
import warnings

import numpy as np
from scipy.stats import binom

from honesteval._validation import check_number
from honesteval.exceptions import HonestevalWarning

MAX_SUMMED_RELABELLINGS = 10_000
"""Up to this many distinct relabellings the exact p-value is summed, above it integrated."""

DEFAULT_ALPHA = 0.05
"""The level that a test should be able to reach; smaller designs get a warning."""


def permutation_p_value(
    n_exceeding: int, n_permutations: int, *, n_distinct: float | None = None
) -> float:
    """Turn a count of permuted statistics that reach the observed one into a p-value.

    The naive proportion ``n_exceeding / n_permutations`` can be 0, which no valid p-value is,
    and rejects too often. Counting the observed labelling as one of the permutations,
    ``(n_exceeding + 1) / (n_permutations + 1)``, never rejects too often.
    When permutations are drawn with replacement from a small number of distinct relabellings,
    that is a little too cautious; the exact p-value averages over what the count would be if
    all of them had been tried.

    Parameters
    ----------
    n_exceeding : int
        How many permuted statistics are at least as extreme as the observed one,
        0 to ``n_permutations``.
    n_permutations : int
        How many permutations were drawn (the observed labelling not counted), at least 1.
    n_distinct : float, default=None
        Number of distinct relabellings, the observed one included, at least 2 (``math.inf``
        is allowed).
        With it the exact p-value for draws with replacement is returned.

    Returns
    -------
    p_value : float
        In (0, 1].

    Raises
    ------
    ValueError
        If a count is not an integer in its range.

    References
    ----------
    B. Phipson and G. K. Smyth, "Permutation P-values should never be zero", Statistical
    Applications in Genetics and Molecular Biology 9 (2010), article 39, sections 4 and 5.

    Examples
    --------
    >>> from honesteval.stats import permutation_p_value
    >>> round(permutation_p_value(5, 100), 7)
    0.0594059
    >>> round(permutation_p_value(5, 100, n_distinct=70), 7)
    0.0522635
    """
    check_number(n_permutations, "n_permutations", low=1, integer=True)
    check_number(n_exceeding, "n_exceeding", low=0, high=n_permutations, integer=True)
    simple = (n_exceeding + 1) / (n_permutations + 1)
    if n_distinct is None:
        return simple
    check_number(n_distinct, "n_distinct", low=2)
    if math.isinf(n_distinct):
        return simple
    if n_distinct <= MAX_SUMMED_RELABELLINGS:
        shares = np.arange(1, int(n_distinct) + 1) / int(n_distinct)
        mean = np.mean(binom.cdf(n_exceeding, n_permutations, shares))
        return float(max(mean, np.finfo(np.float64).tiny))
    # The sum is an integral from the middle of the first cell on; what is left out is
    # the integral of the binomial distribution function up to there, in closed form.
    counts = np.arange(1, n_exceeding + 2)
    left_out = binom.sf(counts - 1, n_permutations + 1, 0.5 / n_distinct).sum()
    return float(simple - left_out / (n_permutations + 1))


def sequential_p_value(n_exceeding: int, n_permutations: int, *, stop_after: int) -> float:
    """Return the Besag-Clifford p-value: ``h / l`` when stopped at the h-th exceedance.

    References
    ----------
    J. Besag and P. Clifford, "Sequential Monte Carlo p-values", Biometrika 78 (1991) 301-304.
    """
    if n_exceeding >= stop_after:
        return n_exceeding / n_permutations
    return permutation_p_value(n_exceeding, n_permutations)


def warn_if_unreachable(n_permutations: int, n_distinct: float, *, alpha: float) -> None:
    """Warn when even the most extreme outcome could not reach ``alpha``."""
    if 1 / (n_permutations + 1) > alpha:
        warnings.warn(
            f"{n_permutations} permutations cannot give a p-value below "
            f"{1 / (n_permutations + 1):.3g}, which exceeds alpha={alpha:g}. Use at least "
            f"n_permutations={math.ceil(1 / alpha - 1 - 1e-9)}.",
            HonestevalWarning,
            stacklevel=3,
        )
    elif 1 / n_distinct > alpha:
        warnings.warn(
            f"There are only {n_distinct:g} distinct relabellings, so that no p-value can be "
            f"below {1 / n_distinct:.3g}, which exceeds alpha={alpha:g}: the data cannot show "
            "an effect at that level, whatever it is.",
            HonestevalWarning,
            stacklevel=3,
        )
