"""A bootstrap interval of a score on out-of-fold predictions.

Labels and values are taken together; rankings are scored fold by fold, as two models need not share
a scale, and averaged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honesteval.stats import BootstrapResult, bootstrap_ci
from honesteval.stats._fold_means import bootstrap_fold_means
from honesteval.tuning._score_interval import ScoreInterval
from honesteval.tuning._scorer_metric import scorer_metric

N_RESAMPLES = 9_999


@dataclass(frozen=True)
class FoldRankings:
    """What the models of the outer folds say of their test rows.

    Attributes
    ----------
    rows : ndarray of int of shape (n,)
        Rows of the data; in repeats they occur again.
    fold : ndarray of int of shape (n,)
        Number of the model.
    scores : ndarray of shape (n,)
        Of the second class.
    """

    rows: NDArray[np.intp]
    fold: NDArray[np.intp]
    scores: NDArray[np.float64]


def pooled_interval(
    metric: str,
    y: NDArray[Any],
    predictions: NDArray[Any],
    rankings: FoldRankings | None,
    *,
    classes: NDArray[Any] | None,
    groups: NDArray[np.intp] | None,
    confidence_level: float,
    n_folds: int,
    random_state: int,
) -> ScoreInterval:
    """Return the score of all predictions with its BCa bootstrap interval.

    Parameters
    ----------
    metric : str
        Name of a scikit-learn scorer.
    y, predictions : ndarray of shape (n_rows,)
        Labels, and out-of-fold labels or values.
    rankings : FoldRankings or None
        For metrics of scores; None where there is not one score per row.
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
    labels: Any = y
    if classes is not None and measure.target == "binary":
        labels = (y == classes[-1]).astype(np.float64)
    what = "all out-of-fold predictions together"
    if measure.prediction not in ("ranking", "probability"):
        rows, predicted = np.arange(len(y)), predictions
        if classes is not None and measure.target == "binary":
            predicted = (predictions == classes[-1]).astype(np.float64)
    elif rankings is None:
        raise ValueError(f"{metric} needs one score per row: a binary classifier with scores.")
    else:
        rows, predicted = rankings.rows, rankings.scores
    drawn = groups
    if len(rows) > len(y) and groups is None:  # the repeats of a row are drawn together
        drawn = np.arange(len(y))
    options: dict[str, Any] = {
        "groups": None if drawn is None else drawn[rows],
        "n_resamples": N_RESAMPLES,
        "confidence_level": confidence_level,
        "random_state": random_state,
    }
    result: BootstrapResult
    if measure.prediction == "ranking":
        assert rankings is not None
        what = "the mean over folds"
        (result,) = bootstrap_fold_means(
            [measure], labels[rows], predicted, rankings.fold, **options
        )
    else:
        result = bootstrap_ci(labels[rows], predicted, metric=measure, **options)
    low, high = sorted([found.sign * result.low, found.sign * result.high])
    unit = "rows" if groups is None else "groups"
    return ScoreInterval(
        estimate=found.sign * result.estimate,
        low=low,
        high=high,
        confidence_level=confidence_level,
        method=f"{result.method} bootstrap over {unit} of {what}",
        n_folds=n_folds,
    )
