"""Which scores an evaluation computes, and how scikit-learn and people call them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honesteval._validation import check_option
from honesteval.metrics import random_average_precision
from honesteval.report._target import Target, TaskKind
from honesteval.stats import get_metric

#: The scores of each kind of task; the first one is quoted unless another is asked for.
METRICS: dict[TaskKind, tuple[str, ...]] = {
    "binary": ("roc_auc", "average_precision", "balanced_accuracy", "mcc"),
    "multiclass": ("balanced_accuracy", "accuracy", "mcc"),
    "regression": ("mae", "rmse", "r2", "spearman"),
}

#: What the inner search maximises for each.
SCORING = {
    "roc_auc": "roc_auc",
    "average_precision": "average_precision",
    "balanced_accuracy": "balanced_accuracy",
    "accuracy": "accuracy",
    "mcc": "matthews_corrcoef",
    "mae": "neg_mean_absolute_error",
    "rmse": "neg_root_mean_squared_error",
    "r2": "r2",
}


#: What else these scores are called: scikit-learn's scorers and functions, and short names.
_OTHER_NAMES = {
    **{name: name for name in SCORING},
    **{scorer: name for name, scorer in SCORING.items()},
    **{
        scorer.removeprefix("neg_"): name
        for name, scorer in SCORING.items()
        if scorer.startswith("neg_")
    },
    "auc": "roc_auc",
    "roc_auc_score": "roc_auc",
    "r2_score": "r2",
}


def choose_metrics(kind: TaskKind, metric: str) -> tuple[str, ...]:
    """Return the metrics of a kind of task, the chosen one first ("auto": the usual one).

    scikit-learn's names of scorers and of metrics are understood, too.
    """
    usual = METRICS[kind]
    if metric == "auto":
        return usual
    metric = _OTHER_NAMES.get(str(metric).lower(), metric)
    check_option(metric, "metric", ("auto", *(name for name in usual if name in SCORING)))
    return (metric, *(name for name in usual if name != metric))


def ranks(metric: str) -> bool:
    """Whether a metric looks at a ranking rather than at labels or values."""
    return get_metric(metric).prediction in ("ranking", "probability")


def sign_of(metric: str) -> int:
    """Return 1 for scores, -1 for errors: what scikit-learn's scorer multiplies by."""
    return 1 if get_metric(metric).greater_is_better else -1


def score_of_nothing(
    target: Target, guessed: Callable[[str], NDArray[np.float64]]
) -> dict[str, float]:
    """Return the expected score of a predictor that has learned nothing.

    Parameters
    ----------
    target : Target
    guessed : callable
        For regression: the best constant guess for a metric, shape (n_labelled,).

    Returns
    -------
    expected : dict of str to float
        By metric; left out where it is undefined.
    """
    known = target.values[target.labelled]
    if target.is_regression:
        expected = {
            name: float(get_metric(name)(known, guessed(name))) for name in ("mae", "rmse", "r2")
        }
        return {**expected, "spearman": 0.0}
    n_classes = len(target.classes)
    shares = np.bincount(known.astype(np.intp), minlength=n_classes) / len(known)
    by_name: dict[str, Callable[[], float]] = {
        "roc_auc": lambda: 0.5,
        "average_precision": lambda: random_average_precision(int(known.sum()), len(known)),
        "balanced_accuracy": lambda: 1.0 / n_classes,
        "accuracy": lambda: float(shares.max()),
        "mcc": lambda: 0.0,
    }
    return {name: by_name[name]() for name in METRICS[target.kind]}


def prediction_for(metric: str, predictions: Any, ranking: Any) -> Any:
    """Return what a metric has to be given."""
    return ranking if ranks(metric) else predictions
