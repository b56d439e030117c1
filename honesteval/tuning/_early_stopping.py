"""Gradient boosting whose number of iterations is chosen inside the training rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.metrics import log_loss, mean_absolute_error, mean_squared_error
from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit, StratifiedShuffleSplit
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from honesteval._validation import check_number, check_option
from honesteval.tuning._boosters import Booster, HeldOutRows, resolve_booster
from honesteval.tuning._routing import check_columns
from honesteval.tuning._seeding import base_seed
from honesteval.tuning._splits import Split, compute_splits, resolve_splitter

LOSSES: dict[str, Callable[..., float]] = {
    "squared_error": mean_squared_error,
    "absolute_error": mean_absolute_error,
}


def _model_has(name: str) -> Callable[[Any], bool]:
    def check(self: EarlyStoppingRefit) -> bool:
        getattr(getattr(self, "estimator_", self.estimator), name)
        return True

    return check


class EarlyStoppingRefit(MetaEstimatorMixin, BaseEstimator):
    """Choose the number of boosting iterations on held-out training rows, then fit on all.

    Early stopping on the test fold chooses a number of iterations with the rows that are to judge
    it. Here the choice is part of ``fit``: some of the rows given are held out, the number of
    iterations with the lowest loss on them is found, and the model is fitted anew with that number
    on every row given. Inside a nested cross-validation it therefore sees inner training rows
    only.

    Parameters
    ----------
    estimator : estimator
        ``HistGradientBoosting...`` or ``GradientBoosting...`` of scikit-learn, a model of XGBoost,
        LightGBM or CatBoost, or a ``Pipeline`` that ends in one (its other steps are fitted
        without the held-out rows as well).
    max_iterations : int, default=1000
        Most iterations tried.
    patience : int, default=20
        Iterations without a lower loss after which to stop.
    validation_fraction : float, default=0.15
        Share of the rows held out, stratified for a classifier, whole groups with ``groups``.
    cv : int or splitter, default=None
        Several held-out parts in place of one; the mean of their numbers is taken.
    loss : {"auto", "log_loss", "squared_error", "absolute_error"}, default="auto"
        What is compared. "auto" is "log_loss" for a classifier and "squared_error" for a
        regressor. XGBoost, LightGBM and CatBoost compare their own evaluation
        metric.
    random_state : int, RandomState or None, default=None
        For the held-out rows.

    Attributes
    ----------
    estimator_ : estimator
        Fitted on all rows with ``n_iterations_``.
    n_iterations_ : int
    best_iterations_ : ndarray of int
        The best number in each held-out part.
    reached_maximum_ : bool
        Whether a held-out loss was still falling at ``max_iterations``.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.ensemble import HistGradientBoostingClassifier
    >>> X, y = make_classification(300, random_state=0)
    >>> model = EarlyStoppingRefit(
    ...     HistGradientBoostingClassifier(learning_rate=0.3, random_state=0),
    ...     max_iterations=60, patience=5, random_state=0,
    ... ).fit(X, y)
    >>> model.estimator_.n_iter_ == model.n_iterations_
    True
    """

    def __init__(
        self,
        estimator: Any,
        *,
        max_iterations: int = 1000,
        patience: int = 20,
        validation_fraction: float = 0.15,
        cv: Any = None,
        loss: str = "auto",
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.max_iterations = max_iterations
        self.patience = patience
        self.validation_fraction = validation_fraction
        self.cv = cv
        self.loss = loss
        self.random_state = random_state

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None
    ) -> EarlyStoppingRefit:
        """Find the number of iterations, then fit on all rows.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,), default=None
        groups : array-like of shape (n_rows,), default=None
            Rows of one group are held out together. In :class:`OptunaSearchCV` they arrive by
            themselves; with metadata routing call ``set_fit_request(groups=True)``.

        Returns
        -------
        self : EarlyStoppingRefit
        """
        check_number(self.max_iterations, "max_iterations", low=1, integer=True)
        check_number(self.patience, "patience", low=1, integer=True)
        check_number(
            self.validation_fraction, "validation_fraction", low=0, high=1, closed="neither"
        )
        given = {"sample_weight": sample_weight, "groups": groups}
        check_columns({name: c for name, c in given.items() if c is not None}, X)
        model = self.estimator
        last = model.steps[-1][1] if isinstance(model, Pipeline) else model
        booster = resolve_booster(last)
        labels = np.asarray(y)
        loss = self._loss(last)
        found = [
            booster.best_iteration(
                self._held_out(X, labels, sample_weight, split),
                loss=loss,
                max_iterations=self.max_iterations,
                patience=self.patience,
            )
            for split in self._splits(X, labels, groups)
        ]
        self.best_iterations_ = np.array(found, dtype=np.intp)
        self.n_iterations_ = max(1, round(float(self.best_iterations_.mean())))
        self.reached_maximum_ = bool((self.best_iterations_ == self.max_iterations).any())
        self.estimator_ = self._whole(booster, self.n_iterations_)
        self.estimator_.fit(X, labels, **self._weights(sample_weight))
        if is_classifier(self):
            self.classes_ = self.estimator_.classes_
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return labels or values.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        """
        check_is_fitted(self, "estimator_")
        return np.asarray(self.estimator_.predict(X))

    @available_if(_model_has("predict_proba"))
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return class probabilities.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        """
        check_is_fitted(self, "estimator_")
        return np.asarray(self.estimator_.predict_proba(X))

    @available_if(_model_has("decision_function"))
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return decision values.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        """
        check_is_fitted(self, "estimator_")
        return np.asarray(self.estimator_.decision_function(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy or R2 of the fitted model.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,), default=None
        """
        check_is_fitted(self, "estimator_")
        return float(self.estimator_.score(X, y, sample_weight=sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags = inner.classifier_tags
        tags.regressor_tags = inner.regressor_tags
        tags.input_tags = inner.input_tags
        tags.target_tags.required = True
        return tags

    # ------------------------------------------------------------------ the choice

    def _splits(self, X: Any, y: NDArray[Any], groups: Any) -> list[Split]:
        seed = base_seed(self.random_state)
        classifier = is_classifier(self.estimator)
        if self.cv is not None:
            splitter = resolve_splitter(self.cv, y, classifier=classifier, groups=groups, seed=seed)
        elif groups is not None:
            splitter = GroupShuffleSplit(1, test_size=self.validation_fraction, random_state=seed)
        elif classifier:
            splitter = StratifiedShuffleSplit(
                1, test_size=self.validation_fraction, random_state=seed
            )
        else:
            splitter = ShuffleSplit(1, test_size=self.validation_fraction, random_state=seed)
        return compute_splits(splitter, X, y, groups, where="The held-out part for early stopping")

    def _loss(self, last: Any) -> Callable[..., float]:
        check_option(self.loss, "loss", ("auto", "log_loss", *LOSSES))
        classifier = is_classifier(last)
        name = ("log_loss" if classifier else "squared_error") if self.loss == "auto" else self.loss
        if classifier != (name == "log_loss"):
            kind = "classifier" if classifier else "regressor"
            raise ValueError(f"loss={name!r} does not fit a {kind}.")
        return log_loss if name == "log_loss" else LOSSES[name]

    def _held_out(self, X: Any, y: NDArray[Any], sample_weight: Any, split: Split) -> HeldOutRows:
        """Return the rows of one split, after the steps before the model."""
        train, held_out = split
        X_train, X_held_out = _safe_indexing(X, train), _safe_indexing(X, held_out)
        if isinstance(self.estimator, Pipeline) and len(self.estimator.steps) > 1:
            steps = clone(self.estimator[:-1])
            X_train, X_held_out = (
                steps.fit_transform(X_train, y[train]),
                steps.transform(X_held_out),
            )
        weights = None if sample_weight is None else np.asarray(sample_weight)
        return HeldOutRows(
            X_train,
            y[train],
            None if weights is None else weights[train],
            X_held_out,
            y[held_out],
            None if weights is None else weights[held_out],
        )

    def _whole(self, booster: Booster, n_iterations: int) -> Any:
        fitted = booster.with_iterations(n_iterations)
        if not isinstance(self.estimator, Pipeline):
            return fitted
        whole = clone(self.estimator)
        return whole.set_params(**{whole.steps[-1][0]: fitted})

    def _weights(self, sample_weight: Any) -> dict[str, Any]:
        if sample_weight is None:
            return {}
        name = "sample_weight"
        if isinstance(self.estimator, Pipeline):
            name = f"{self.estimator.steps[-1][0]}__sample_weight"
        return {name: sample_weight}
