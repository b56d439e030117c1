"""Scores of two or more models on the same cross-validation folds."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from honesteval._validation import check_1d, check_number

Alternative = Literal["two-sided", "greater", "less"]
ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")

DEFAULT_CONFIDENCE_LEVEL = 0.95
"""Confidence level of every interval in a comparison."""

NEGLIGIBLE_SPREAD = 1e-10
"""Fold differences that vary by less than this, relative to the scores, count as constant."""


def paired_differences(scores_a: Any, scores_b: Any) -> NDArray[np.float64]:
    """Return the fold-wise differences a - b, shape (n_folds,), or say which folds do not fit."""
    table = fold_table({"scores_a": scores_a, "scores_b": scores_b})
    return column_differences(table, 0, 1)


def column_differences(table: NDArray[np.float64], a: int, b: int) -> NDArray[np.float64]:
    """Return column a minus column b; what is constant but for rounding becomes so exactly."""
    differences = table[:, a] - table[:, b]
    tolerance = NEGLIGIBLE_SPREAD * float(np.abs(table[:, [a, b]]).max())
    if np.ptp(differences) > tolerance:
        return differences
    mean = differences.mean()
    return np.full(len(differences), 0.0 if abs(mean) <= tolerance else mean)


def fold_table(columns: dict[str, Any]) -> NDArray[np.float64]:
    """Return scores of shape (n_folds, n_models): finite, and of equal length."""
    scores = {name: check_1d(values, name, numeric=True) for name, values in columns.items()}
    lengths = {name: len(values) for name, values in scores.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise ValueError(f"A paired test needs one score per fold from every model: {shown}.")
    if min(lengths.values()) < 2:
        raise ValueError(
            "A paired test over folds needs at least 2 folds, for their spread is its yardstick. "
            f"Got {min(lengths.values())}. For one hold-out set compare predictions with "
            "bootstrap_difference."
        )
    for name, values in scores.items():
        bad = np.flatnonzero(~np.isfinite(values))
        if bad.size:
            raise ValueError(
                f"{name} is not finite in fold {', '.join(map(str, bad))}. Leave a fold in which "
                "a score is undefined out for every model."
            )
    return np.column_stack(list(scores.values()))


def fold_ratio(n_train: Any, n_test: Any) -> float:
    """Return the test to training size ratio of one fold (means, when sizes differ)."""
    for name, sizes in {"n_train": n_train, "n_test": n_test}.items():
        for size in np.ravel(sizes):
            check_number(size, name, low=0, closed="neither")
    return float(np.mean(n_test) / np.mean(n_train))


def spread_of(differences: NDArray[np.float64]) -> float:
    """Return the standard deviation over folds, exactly 0 for constant differences."""
    return 0.0 if np.ptp(differences) == 0 else float(differences.std(ddof=1))


def standardised(difference: float, spread: float) -> float:
    """Return the difference in units of the spread; 0 when both are 0, NaN when only the latter."""
    if spread > 0:
        return difference / spread
    return 0.0 if difference == 0 else float("nan")
