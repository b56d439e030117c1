"""The Bayesian correlated t-test: the probability of a difference that matters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import t as student_t

from honesteval._validation import check_number
from honesteval.stats._corrected_t import warn_constant
from honesteval.stats._paired_folds import (
    DEFAULT_CONFIDENCE_LEVEL,
    fold_ratio,
    paired_differences,
    spread_of,
)


@dataclass(frozen=True)
class CorrelatedTPosterior:
    """Result of :func:`bayesian_correlated_t_test`: a Student t posterior of the difference.

    Attributes
    ----------
    mean, scale : float
        Location and scale of the posterior of score a minus score b.
    df : int
        Degrees of freedom, folds minus 1.
    p_a_better, p_equivalent, p_b_better : float
        Posterior probabilities that the difference lies above, inside and below the region of
        practical equivalence; they add up to 1.
    p_positive : float
        Posterior probability that the difference is above 0.
    rope : float
        Half-width of the region of practical equivalence, in units of the score.
    low, high : float
        Credible limits (equal tails, which is also the highest-density interval).
    credible_level : float
    n_folds : int
    correlation : float
        Correlation assumed between fold scores, ``n_test / (n_train + n_test)``.
    """

    mean: float
    scale: float
    df: int
    p_a_better: float
    p_equivalent: float
    p_b_better: float
    p_positive: float
    rope: float
    low: float
    high: float
    credible_level: float
    n_folds: int
    correlation: float

    def to_frame(self) -> pd.DataFrame:
        """Return one row with every field."""
        return pd.DataFrame([vars(self)])

    def summary(self) -> str:
        """Return the probabilities in one line."""
        return (
            f"Bayesian correlated t-test: difference {self.mean:+.4g} "
            f"[{self.low:+.4g}, {self.high:+.4g}] ({self.credible_level:.0%} credible); "
            f"P(a better) {self.p_a_better:.3f}, P(equivalent within {self.rope:g}) "
            f"{self.p_equivalent:.3f}, P(b better) {self.p_b_better:.3f}"
        )

    def _repr_html_(self) -> str:
        return str(self.to_frame().to_html(index=False, float_format="{:.4g}".format))


def bayesian_correlated_t_test(
    scores_a: Any,
    scores_b: Any,
    *,
    n_train: Any,
    n_test: Any,
    rope: float,
    credible_level: float = DEFAULT_CONFIDENCE_LEVEL,
) -> CorrelatedTPosterior:
    """Probability that two models differ by more than a margin that matters.

    A p-value cannot say that two models are as good as equal; this posterior can. It is a
    Student t with J - 1 degrees of freedom, the mean difference as location and
    ``sqrt(s^2 (1/J + rho/(1 - rho)))`` as scale, where rho is the correlation that the shared
    training rows cause, ``n_test / (n_train + n_test)``.

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (J,)
        Scores of both models on the same folds; folds times repeats in all.
    n_train, n_test : float or array-like
        Rows in the training and test part of one fold.
    rope : float
        Differences up to this size, in units of the score, do not matter in practice
        (region of practical equivalence); at least 0. 0.01 is usual for an accuracy.
    credible_level : float in (0, 1), default=0.95

    Returns
    -------
    result : CorrelatedTPosterior

    Raises
    ------
    ValueError
        If the scores are not finite, not paired or fewer than two, or an argument is out of
        range.

    Warns
    -----
    HonestevalWarning
        When the fold differences are a constant other than 0; probabilities are NaN then.

    References
    ----------
    A. Benavoli, G. Corani, J. Demsar and M. Zaffalon, "Time for a change: a tutorial for
    comparing multiple classifiers through Bayesian analysis", Journal of Machine Learning
    Research 18 (2017) 77, section 3.

    Examples
    --------
    >>> from honesteval.stats import bayesian_correlated_t_test
    >>> a = [.82, .85, .79, .88, .84, .83, .86, .80, .87, .81]
    >>> b = [.80, .84, .80, .85, .82, .83, .83, .79, .84, .81]
    >>> posterior = bayesian_correlated_t_test(a, b, n_train=90, n_test=10, rope=0.01)
    >>> round(posterior.p_a_better, 2), round(posterior.p_equivalent, 2)
    (0.72, 0.28)
    """
    check_number(rope, "rope", low=0)
    check_number(credible_level, "credible_level", low=0, high=1, closed="neither")
    differences = paired_differences(scores_a, scores_b)
    return correlated_posterior(
        differences, fold_ratio(n_train, n_test), rope=rope, credible_level=credible_level
    )


def correlated_posterior(
    differences: NDArray[np.float64], ratio: float, *, rope: float, credible_level: float
) -> CorrelatedTPosterior:
    """Return the posterior for differences whose test to training ratio is given."""
    n_folds = len(differences)
    mean = float(differences.mean())
    scale = spread_of(differences) * float(np.sqrt(1 / n_folds + ratio))
    below, inside, above = _masses(mean, scale, n_folds - 1, rope)
    half = float(student_t.isf((1 - credible_level) / 2, n_folds - 1)) * scale
    return CorrelatedTPosterior(
        mean=mean,
        scale=scale,
        df=n_folds - 1,
        p_a_better=above,
        p_equivalent=inside,
        p_b_better=below,
        p_positive=_positive(mean, scale, n_folds - 1),
        rope=float(rope),
        low=mean - half,
        high=mean + half,
        credible_level=credible_level,
        n_folds=n_folds,
        correlation=ratio / (1 + ratio),
    )


def _masses(mean: float, scale: float, df: int, rope: float) -> tuple[float, float, float]:
    """Return the posterior mass below, inside and above the region of equivalence."""
    if scale == 0 and mean == 0:
        return 0.0, 1.0, 0.0
    if scale == 0:
        warn_constant(mean)
        return float("nan"), float("nan"), float("nan")
    below = float(student_t.cdf(-rope, df, mean, scale))
    above = float(student_t.sf(rope, df, mean, scale))
    return below, max(0.0, 1 - below - above), above


def _positive(mean: float, scale: float, df: int) -> float:
    if scale == 0:
        return 0.5 if mean == 0 else float("nan")
    return float(student_t.sf(0, df, mean, scale))
