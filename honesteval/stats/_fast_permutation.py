"""All permutations at once, where a learner's prediction is linear in the labels.

Within a fold such a learner predicts ``H @ y[train]`` with a matrix H that does not depend on
the labels. One fit per fold gives H; every permuted label vector then costs a product.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.feature_selection import VarianceThreshold
from sklearn.impute import SimpleImputer
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    LeavePGroupsOut,
    LeavePOut,
    PredefinedSplit,
    RepeatedKFold,
    ShuffleSplit,
    TimeSeriesSplit,
    check_cv,
)
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)
from sklearn.utils import get_tags

from honesteval._validation import n_rows
from honesteval.stats._exchangeability import LabelPermutation
from honesteval.stats._permutation_procedure import (
    CrossValidatedEstimator,
    Scored,
    mean_over_folds,
)

AGREEMENT = 1e-8
"""The linear engine is used only if it repeats the observed score this closely (relatively)."""

MAX_ENTRIES = 2**22
"""Labels of so many entries (rows x permutations) are held at a time."""

_LEARNERS = (LinearRegression, Ridge, KernelRidge, KNeighborsRegressor, KNeighborsClassifier)
_DIRECT_RIDGE_SOLVERS = ("auto", "svd", "cholesky")
_BLIND_TO_LABELS = (
    MaxAbsScaler, MinMaxScaler, Normalizer, PCA, PolynomialFeatures, RobustScaler, SimpleImputer,
    StandardScaler, VarianceThreshold,
)  # fmt: skip
_BLIND_SPLITTERS = (
    GroupKFold, GroupShuffleSplit, KFold, LeaveOneGroupOut, LeaveOneOut, LeavePGroupsOut,
    LeavePOut, PredefinedSplit, RepeatedKFold, ShuffleSplit, TimeSeriesSplit,
    type(check_cv([([0], [1])])),
)  # fmt: skip

_Matrix = NDArray[Any]
_Scores = NDArray[np.float64]


def _r2(true: _Matrix, predicted: _Matrix) -> _Scores:
    if len(true) < 2:
        return np.full(true.shape[1], np.nan)
    residual = ((true - predicted) ** 2).sum(axis=0)
    total = ((true - true.mean(axis=0)) ** 2).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(total > 0, 1 - residual / total, np.where(residual > 0, 0.0, 1.0))


def _negative_mse(true: _Matrix, predicted: _Matrix) -> _Scores:
    return -((true - predicted) ** 2).mean(axis=0)


def _negative_rmse(true: _Matrix, predicted: _Matrix) -> _Scores:
    return -np.sqrt(-_negative_mse(true, predicted))


def _negative_mae(true: _Matrix, predicted: _Matrix) -> _Scores:
    return -np.abs(true - predicted).mean(axis=0)


def _accuracy(true: _Matrix, predicted: _Matrix) -> _Scores:
    return (true == predicted).mean(axis=0)


def _balanced_accuracy(true: _Matrix, predicted: _Matrix) -> _Scores:
    recalls = np.full((true.max() + 1, true.shape[1]), np.nan)
    for label, recall in enumerate(recalls):
        members = true == label
        size = members.sum(axis=0)
        np.divide((members & (predicted == label)).sum(axis=0), size, out=recall, where=size > 0)
    return np.nanmean(recalls, axis=0)


_REGRESSION_SCORES: dict[str | None, Callable[[_Matrix, _Matrix], _Scores]] = {
    None: _r2,
    "r2": _r2,
    "neg_mean_squared_error": _negative_mse,
    "neg_root_mean_squared_error": _negative_rmse,
    "neg_mean_absolute_error": _negative_mae,
}
_CLASSIFICATION_SCORES: dict[str | None, Callable[[_Matrix, _Matrix], _Scores]] = {
    None: _accuracy,
    "accuracy": _accuracy,
    "balanced_accuracy": _balanced_accuracy,
}


class _Fold(NamedTuple):
    train: NDArray[np.intp]
    test: NDArray[np.intp]
    hat: Any


@dataclass(frozen=True)
class LinearFolds:
    """The matrix H of every fold, and how its predictions are scored."""

    procedure: CrossValidatedEstimator
    values: NDArray[Any]
    folds: list[_Fold]

    @classmethod
    def from_procedure(cls, procedure: CrossValidatedEstimator, y: Any) -> LinearFolds:
        """Fit each fold once."""
        folds = [
            _Fold(train, test, _hat_matrix(procedure.estimator, procedure.X, train, test))
            for train, test in procedure.splits(y)
        ]
        return cls(procedure, _label_values(procedure, y), folds)

    def repeats(self, observed: Scored) -> bool:
        """Whether the observed labels get the score that fitting gave."""
        repeated = mean_over_folds(self._fold_scores(self.values[:, np.newaxis])[:, 0])
        return bool(
            abs(repeated.score - observed.score) <= AGREEMENT * max(1.0, abs(observed.score))
        )

    def scores(
        self, plan: LabelPermutation, seeds: list[np.random.SeedSequence]
    ) -> Iterator[Scored]:
        """Score every permutation, in the order of ``seeds``, as refitting on each would."""
        step = max(1, MAX_ENTRIES // len(self.values))
        for start in range(0, len(seeds), step):
            drawn = [plan.draw(np.random.default_rng(seed)) for seed in seeds[start : start + step]]
            columns = self.values[np.array(drawn)].T
            scores = self._fold_scores(columns)
            if np.isnan(scores).any():
                yield from map(mean_over_folds, scores.T)
            else:
                yield from map(Scored, scores.mean(axis=0).tolist())

    def _fold_scores(self, columns: NDArray[Any]) -> _Scores:
        """Return scores of shape (n_folds, n_permutations) for labels in columns."""
        known = _scores_for(self.procedure)
        score = known[self.procedure.scoring]
        predict = _vote if known is _CLASSIFICATION_SCORES else _multiply
        return np.array(
            [score(columns[f.test], predict(f.hat, columns[f.train])) for f in self.folds]
        )


def why_not_linear(procedure: Any, y: Any) -> str | None:
    """Return the reason why the linear engine does not apply, or None when it does."""
    if not isinstance(procedure, CrossValidatedEstimator):
        return "a callable procedure has to be repeated as it is"
    reason = _why_learner_is_not_linear(procedure.estimator, procedure.X)
    if reason is not None:
        return reason
    if np.asarray(y).ndim != 1:
        return "y has several columns"
    if procedure.fit_params:
        return "fit_params are given"
    if type(procedure.cv) not in _BLIND_SPLITTERS:
        return f"the folds of {type(procedure.cv).__name__} may depend on y"
    if not (procedure.scoring is None or isinstance(procedure.scoring, str)):
        return "scoring is a callable"
    scores = _scores_for(procedure)
    if procedure.scoring not in scores:
        known = ", ".join(name for name in scores if name is not None)
        return f"scoring={procedure.scoring!r} is not one of {known}"
    return None


def _why_learner_is_not_linear(estimator: Any, X: Any) -> str | None:
    steps, learner = _steps_and_learner(estimator)
    strangers = [type(step).__name__ for step in steps if type(step) not in _BLIND_TO_LABELS]
    if strangers:
        return f"{strangers[0]} may use y"
    if type(learner) not in _LEARNERS:
        return f"predictions of {type(learner).__name__} are not known to be linear in y"
    if issparse(X) or not hasattr(X, "shape"):
        return "X is not a dense array or data frame"
    if isinstance(learner, Ridge) and (
        np.ndim(learner.alpha) > 0
        or learner.positive
        or learner.solver not in _DIRECT_RIDGE_SOLVERS
    ):
        return "Ridge is solved iteratively, under a constraint, or with several alphas"
    if isinstance(learner, LinearRegression) and learner.positive:
        return "LinearRegression is constrained to be positive"
    if isinstance(learner, KernelRidge) and np.ndim(learner.alpha) > 0:
        return "KernelRidge has several alphas"
    if isinstance(learner, KNeighborsClassifier) and learner.weights != "uniform":
        return "neighbours vote with unequal weights"
    if get_tags(estimator).input_tags.pairwise and steps:
        return "a pairwise X goes through transformers"
    return None


def _steps_and_learner(estimator: Any) -> tuple[list[Any], Any]:
    if type(estimator) is not Pipeline:
        return [], estimator
    steps = [step for _, step in estimator.steps if step is not None and step != "passthrough"]
    return steps[:-1], steps[-1]


def _scores_for(procedure: CrossValidatedEstimator) -> dict[Any, Any]:
    learner = _steps_and_learner(procedure.estimator)[1]
    classifies = isinstance(learner, KNeighborsClassifier)
    return _CLASSIFICATION_SCORES if classifies else _REGRESSION_SCORES


def _label_values(procedure: CrossValidatedEstimator, y: Any) -> NDArray[Any]:
    if _scores_for(procedure) is _CLASSIFICATION_SCORES:
        return np.unique(np.asarray(y), return_inverse=True)[1].reshape(-1)
    return np.asarray(y, dtype=np.float64)


def _hat_matrix(estimator: Any, X: Any, train: Any, test: Any) -> Any:
    """Return H of shape (n_test, n_train): predictions are ``H @ y[train]``."""
    steps, learner = _steps_and_learner(estimator)
    X_train, X_test = _rows(estimator, X, train, train), _rows(estimator, X, test, train)
    for step in steps:
        fitted = clone(step).fit(X_train)
        X_train, X_test = fitted.transform(X_train), fitted.transform(X_test)
    n_train = n_rows(X_train)
    if getattr(learner, "weights", None) == "uniform":
        fitted = clone(learner).fit(X_train, np.arange(n_train) % 2)
        neighbours = fitted.kneighbors(X_test, return_distance=False)
        n_test, k = neighbours.shape
        starts = np.arange(0, n_test * k + 1, k)
        return csr_array((np.ones(n_test * k), neighbours.ravel(), starts), (n_test, n_train)) / k
    return clone(learner).fit(X_train, np.eye(n_train)).predict(X_test)


def _rows(estimator: Any, X: Any, rows: Any, columns: Any) -> Any:
    if get_tags(estimator).input_tags.pairwise:
        return np.asarray(X)[np.ix_(rows, columns)]
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def _multiply(hat: Any, labels: NDArray[Any]) -> NDArray[Any]:
    return hat @ labels


def _vote(hat: Any, labels: NDArray[Any]) -> NDArray[Any]:
    """Return the commonest class among neighbours; of tied classes the first."""
    counts = hat.copy()
    counts.data = np.ones_like(counts.data)
    winner = np.zeros((hat.shape[0], labels.shape[1]), dtype=labels.dtype)
    most = np.full(winner.shape, -1.0)
    for label in range(int(labels.max()) + 1):
        votes = counts @ (labels == label).astype(np.float64)
        better = votes > most
        winner[better] = label
        most[better] = votes[better]
    return winner
