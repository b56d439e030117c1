"""McNemar's test of two classifiers on the same rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binom, norm

from honesteval._validation import check_1d, check_number, check_same_length, name_rows
from honesteval.stats._paired_folds import DEFAULT_CONFIDENCE_LEVEL


@dataclass(frozen=True)
class McNemarTest:
    """Result of :func:`mcnemar_test`.

    Attributes
    ----------
    difference : float
        Accuracy of a minus accuracy of b.
    low, high : float
        Confidence limits of the difference (Bonett and Price).
    p_value : float
        Mid-p; in (0, 1].
    p_value_exact : float
        Exact binomial; never rejects too often, but too seldom.
    n_only_a, n_only_b : int
        Rows that only a, or only b, has right: all the test looks at.
    n_both, n_neither : int
        Rows that both have right, or both wrong.
    confidence_level : float
    """

    difference: float
    low: float
    high: float
    p_value: float
    p_value_exact: float
    n_only_a: int
    n_only_b: int
    n_both: int
    n_neither: int
    confidence_level: float

    def to_frame(self) -> pd.DataFrame:
        """Return one row with every field."""
        return pd.DataFrame([vars(self)])

    def summary(self) -> str:
        """Return the test in one line."""
        return (
            f"McNemar: accuracy differs by {self.difference:+.4g} "
            f"[{self.low:+.4g}, {self.high:+.4g}] ({self.confidence_level:.0%}); only a right in "
            f"{self.n_only_a}, only b in {self.n_only_b} rows: mid-p = {self.p_value:.4g}, "
            f"exact p = {self.p_value_exact:.4g}"
        )

    def _repr_html_(self) -> str:
        return str(self.to_frame().to_html(index=False, float_format="{:.4g}".format))


def mcnemar_test(
    y: Any,
    predictions_a: Any,
    predictions_b: Any,
    *,
    confidence_level: float = DEFAULT_CONFIDENCE_LEVEL,
) -> McNemarTest:
    """Compare two classifiers by the rows that only one of them has right.

    Rows must be independent and not seen in training: one hold-out set. On pooled out-of-fold
    predictions it answers for the models at hand, not for the learning procedures, and
    rejected equal ones in 8 % of cases at a nominal 5 % (mid-p).

    Parameters
    ----------
    y : array-like of shape (n,)
        True classes.
    predictions_a, predictions_b : array-like of shape (n,)
        Predicted classes.
    confidence_level : float in (0, 1), default=0.95

    Returns
    -------
    result : McNemarTest

    Raises
    ------
    ValueError
        If lengths differ, there are no rows, or a value is missing.

    References
    ----------
    M. W. Fagerland, S. Lydersen and P. Laake, "The McNemar test for binary matched-pairs data:
    mid-p and asymptotic are better than exact conditional", BMC Medical Research Methodology 13
    (2013) 91.

    D. G. Bonett and R. M. Price, "Adjusted Wald confidence interval for a difference of binomial
    proportions based on paired data", Journal of Educational and Behavioral Statistics 37 (2012)
    479-488.

    Examples
    --------
    >>> from honesteval.stats import mcnemar_test
    >>> y = [1] * 20
    >>> a = [1] * 12 + [0] * 8
    >>> b = [1] * 11 + [0] + [1] * 7 + [0]
    >>> result = mcnemar_test(y, a, b)
    >>> result.n_only_a, result.n_only_b, result.p_value_exact, round(result.p_value, 7)
    (1, 7, 0.0703125, 0.0390625)
    """
    check_number(confidence_level, "confidence_level", low=0, high=1, closed="neither")
    columns = {"y": y, "predictions_a": predictions_a, "predictions_b": predictions_b}
    values = {name: check_1d(column, name) for name, column in columns.items()}
    n = check_same_length(**values)
    if n == 0:
        raise ValueError("y is empty: there is nothing to compare.")
    for name, column in values.items():
        missing = np.flatnonzero(pd.isna(column))
        if missing.size:
            raise ValueError(f"{name} is missing at {name_rows(missing)}. Leave those rows out.")
    for name in ("predictions_a", "predictions_b"):
        if not set(values[name].tolist()) & set(values["y"].tolist()):
            raise ValueError(
                f"No entry of {name} is one of the classes of y ({values['y'][0]!r}, ...): "
                f"{values[name][0]!r}. Predict classes under the same names as in y."
            )
    a_right = values["predictions_a"] == values["y"]
    b_right = values["predictions_b"] == values["y"]
    only_a, only_b = int((a_right & ~b_right).sum()), int((b_right & ~a_right).sum())
    exact, mid = discordant_p_values(only_a, only_b)
    low, high = _bonett_price(only_a, only_b, n, confidence_level)
    return McNemarTest(
        difference=(only_a - only_b) / n,
        low=low,
        high=high,
        p_value=mid,
        p_value_exact=exact,
        n_only_a=only_a,
        n_only_b=only_b,
        n_both=int((a_right & b_right).sum()),
        n_neither=int((~a_right & ~b_right).sum()),
        confidence_level=confidence_level,
    )


def discordant_p_values(only_a: int, only_b: int) -> tuple[float, float]:
    """Return the exact and the mid-p value from the two counts of discordant rows."""
    smaller, n = min(only_a, only_b), only_a + only_b
    if only_a == only_b:
        return 1.0, 1.0
    exact = min(1.0, 2 * float(binom.cdf(smaller, n, 0.5)))
    mid = exact - float(binom.pmf(smaller, n, 0.5))
    tiny = float(np.finfo(np.float64).tiny)
    return max(exact, tiny), max(mid, tiny)


def _bonett_price(only_a: int, only_b: int, n: int, level: float) -> tuple[float, float]:
    share_a, share_b = (only_a + 1) / (n + 2), (only_b + 1) / (n + 2)
    variance = (share_a + share_b - (share_a - share_b) ** 2) / (n + 2)
    half = float(norm.isf((1 - level) / 2)) * np.sqrt(variance)
    middle = share_a - share_b
    return float(max(-1.0, middle - half)), float(min(1.0, middle + half))
