"""An interval for the mean outer score that allows for overlapping training sets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import t as student_t

from honesteval._notebook import ShownInNotebook
from honesteval._validation import check_number

CORRECTED_T = "corrected resampled t (Nadeau and Bengio)"


@dataclass(frozen=True)
class ScoreInterval(ShownInNotebook):
    """A mean score with its interval.

    Parameters
    ----------
    estimate, low, high : float
        NaN where fewer than two folds have a score.
    confidence_level : float
        In (0, 1).
    method : str
        How the limits were computed, in words.
    n_folds : int
        Number of folds with a score.
    """

    estimate: float
    low: float
    high: float
    confidence_level: float
    method: str
    n_folds: int

    def summary(self) -> str:
        """Return one line."""
        level = f"{100 * self.confidence_level:g} %"
        return f"{self.estimate:.3f} [{self.low:.3f}, {self.high:.3f}] ({level}, {self.method})"


def corrected_t_interval(
    scores: ArrayLike,
    *,
    test_to_train_ratio: float,
    confidence_level: float = 0.95,
    limits: tuple[float, float] = (-np.inf, np.inf),
) -> ScoreInterval:
    """Return the interval of a mean over folds whose training sets overlap.

    The variance of the mean is ``s^2 (1/J + n_test/n_train)`` with ``J - 1`` degrees of freedom.

    Parameters
    ----------
    scores : array-like of shape (n_folds,)
        One score per fold and repeat; NaN where it is undefined.
    test_to_train_ratio : float
        Rows of a test part over rows of a training part, of one fold.
    confidence_level : float, default=0.95
    limits : tuple of float, default=(-inf, inf)
        Lowest and highest value that the score can take; the interval does not go beyond.

    Returns
    -------
    interval : ScoreInterval

    References
    ----------
    Nadeau and Bengio, "Inference for the Generalization Error", Machine Learning 52 (2003).

    Examples
    --------
    >>> corrected_t_interval([0.8, 0.7, 0.9, 0.75, 0.85], test_to_train_ratio=0.25).summary()
    '0.800 [0.653, 0.947] (95 %, corrected resampled t (Nadeau and Bengio))'
    """
    check_number(confidence_level, "confidence_level", low=0, high=1, closed="neither")
    known = np.asarray(scores, dtype=np.float64)
    known = known[np.isfinite(known)]
    n_folds = len(known)
    estimate = float(known.mean()) if n_folds else float("nan")
    half = float("nan")
    if n_folds >= 2:
        spread = known.var(ddof=1) * (1 / n_folds + test_to_train_ratio)
        half = float(student_t.ppf((1 + confidence_level) / 2, n_folds - 1) * np.sqrt(spread))
    low, high = np.clip([estimate - half, estimate + half], *limits)
    return ScoreInterval(estimate, float(low), float(high), confidence_level, CORRECTED_T, n_folds)
