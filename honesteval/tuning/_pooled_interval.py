"""A bootstrap interval of a score on all out-of-fold predictions together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from honesteval.stats import bootstrap_ci
from honesteval.tuning._score_interval import ScoreInterval
from honesteval.tuning._scorer_metric import scorer_metric


def pooled_interval(
    metric: str,
    y: NDArray[Any],
    predictions: NDArray[Any],
    scores: NDArray[np.float64] | None,
    *,
    classes: NDArray[Any] | None,
    groups: NDArray[np.intp] | None,
    confidence_level: float,
    n_folds: int,
    random_state: int,
) -> ScoreInterval:
    """Return the score of the pooled predictions with its BCa bootstrap interval.

    Parameters
    ----------
    metric : str
        Name of a scikit-learn scorer.
    y, predictions : ndarray of shape (n_rows,)
        Labels, and out-of-fold labels or values.
    scores : ndarray of shape (n_rows,), or None
        Out-of-fold scores of the second class.
    classes : ndarray or None
        Sorted classes; None for regression.
    groups : ndarray of shape (n_rows,), or None
        Whole groups are drawn.
    confidence_level : float
    n_folds : int
    random_state : int

    Returns
    -------
    interval : ScoreInterval

    Raises
    ------
    ValueError
        If the scorer is none of the metrics that can be resampled.
    """
    found = scorer_metric(metric)
    if found is None:
        raise ValueError(
            f"The scorer {metric!r} cannot be resampled. Use method='corrected_t', or bootstrap_ci "
            "with a function of your own on y and the out-of-fold predictions."
        )
    measure = found.metric
    predicted: Any = predictions
    labels: Any = y
    if measure.prediction in ("ranking", "probability"):
        if scores is None or scores.ndim != 1:
            raise ValueError(f"{metric} needs one score per row: a binary classifier with scores.")
        predicted = scores
    if classes is not None and measure.target == "binary":
        labels = (y == classes[-1]).astype(np.float64)
        if measure.prediction == "classes":
            predicted = (predictions == classes[-1]).astype(np.float64)
    result = bootstrap_ci(
        labels,
        predicted,
        metric=measure,
        groups=groups,
        confidence_level=confidence_level,
        random_state=random_state,
    )
    low, high = sorted([found.sign * result.low, found.sign * result.high])
    unit = "rows" if groups is None else "groups"
    return ScoreInterval(
        estimate=found.sign * result.estimate,
        low=low,
        high=high,
        confidence_level=confidence_level,
        method=f"{result.method} bootstrap over {unit} of the pooled out-of-fold predictions",
        n_folds=n_folds,
    )
