"""Fit a model on some rows and predict others, in the form a metric takes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils import _safe_indexing

from honesteval.checks._data import AuditData
from honesteval.checks._labels import LabelColumn
from honesteval.stats import Metric, get_metric

__all__ = ["DEFAULT_METRICS", "predict_for", "predict_splits"]

#: The metric for each kind of label, where none is named.
DEFAULT_METRICS = {"binary": "roc_auc", "classes": "accuracy", "continuous": "mae"}


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


def predict_splits(data: AuditData) -> dict[str, NDArray[np.float64]]:
    """Fit every estimator on each final training side and predict the test rows.

    Returns
    -------
    predictions : dict of str to ndarray of shape (n,)
        By name; NaN in rows that are not tested. Empty without estimators. Rows tested several
        times keep the last prediction.
    """
    if not data.estimators:
        return {}
    if len(data.labels) != 1:
        raise ValueError(f"An estimator needs one column of labels in y. Got {len(data.labels)}.")
    return {name: _predict_all(data, model) for name, model in data.estimators.items()}


def _predict_all(data: AuditData, estimator: Any) -> NDArray[np.float64]:
    labels = data.labels[0]
    metric = get_metric(DEFAULT_METRICS[labels.kind])
    predictions = np.full(data.n_rows, np.nan)
    for comparison in data.final:
        train = comparison.train[labels.measured[comparison.train]]
        if len(train) == 0:
            raise ValueError(f"{comparison.name}: no training row has a label to fit to.")
        try:
            predictions[comparison.test] = predict_for(
                estimator, data.features, labels, train=train, test=comparison.test, metric=metric
            )
        except Exception as error:  # whatever an estimator raises
            first = str(error).strip().splitlines()[:1] or [type(error).__name__]
            raise ValueError(
                f"{type(estimator).__name__} does not work on the features ({comparison.name}): "
                f"{first[0]} Give features= that it can learn from, or a Pipeline that prepares "
                "them."
            ) from error
    return predictions
