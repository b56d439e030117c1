"""Fit a model on some rows and predict others, in the form a metric takes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils import _safe_indexing

from honesteval.checks._labels import LabelColumn
from honesteval.stats import Metric

__all__ = ["predict_for"]


def predict_for(
    estimator: Any,
    X: Any,
    labels: LabelColumn,
    *,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    metric: Metric,
) -> NDArray[np.float64]:
    """Fit a clone on the labelled training rows and predict the test rows.

    Parameters
    ----------
    estimator : estimator
        It is not modified. It learns classes as their positions 0, 1, ...
    X : array-like, sparse matrix or data frame
    labels : LabelColumn
    train, test : ndarray of int
    metric : Metric
        Decides between classes and scores of the positive class.

    Returns
    -------
    predictions : ndarray of shape (n_test,)
    """
    fitted = clone(estimator).fit(_safe_indexing(X, train), labels.values[train])
    X_test = _safe_indexing(X, test)
    ranks = metric.prediction in ("ranking", "probability")
    if ranks and is_classifier(fitted):
        return _positive_score(fitted, X_test, metric)
    return np.asarray(fitted.predict(X_test), dtype=np.float64).ravel()


def _positive_score(fitted: Any, X_test: Any, metric: Metric) -> NDArray[np.float64]:
    if hasattr(fitted, "predict_proba"):
        shares = np.asarray(fitted.predict_proba(X_test), dtype=np.float64)
        position = np.flatnonzero(np.asarray(fitted.classes_) == 1)
        return shares[:, position[0]] if len(position) else np.zeros(len(shares))
    if metric.prediction == "probability":
        raise ValueError(f"{metric.label} needs an estimator with predict_proba.")
    return np.asarray(fitted.decision_function(X_test), dtype=np.float64).ravel()
