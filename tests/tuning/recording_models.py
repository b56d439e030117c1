"""Models and splitters that fail when they are handed the wrong rows.

Column 0 of X is the row's number, column 1 its group.
"""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.model_selection import BaseCrossValidator


class WeightCheckingRegressor(RegressorMixin, BaseEstimator):
    """Takes ``sample_weight`` only if it is the row's number plus one."""

    def __init__(self, shrink=0.0):
        self.shrink = shrink

    def fit(self, X, y, sample_weight=None):
        X = np.asarray(X)
        if sample_weight is None:
            raise ValueError("the weights got lost")
        if not np.array_equal(sample_weight, X[:, 0] + 1):
            raise ValueError("the weights belong to other rows")
        self.mean_ = np.average(y, weights=sample_weight) * (1 - self.shrink)
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


class GroupCheckingClassifier(ClassifierMixin, BaseEstimator):
    """Takes ``groups`` in its fit only if they are column 1 of X."""

    def __init__(self, flip=0.0):
        self.flip = flip

    def fit(self, X, y, groups=None):
        if groups is None or not np.array_equal(np.asarray(groups), np.asarray(X)[:, 1]):
            raise ValueError("the groups belong to other rows")
        self.classes_ = np.unique(y)
        self.share_ = np.mean(y == self.classes_[1])
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[int(self.share_ > 0.5)])


class GroupCheckingKFold(BaseCrossValidator):
    """Keeps groups whole, if the groups are column 1 of X."""

    __metadata_request__split = {"groups": True}  # noqa: RUF012

    def __init__(self, n_splits=3):
        self.n_splits = n_splits

    def get_n_splits(self, X=None, y=None, groups=None):
        return self.n_splits

    def split(self, X, y=None, groups=None):
        if groups is None:
            raise ValueError("the groups got lost")
        if not np.array_equal(np.asarray(groups), np.asarray(X)[:, 1]):
            raise ValueError("the groups belong to other rows")
        names = np.unique(groups)
        for fold in range(self.n_splits):
            test = np.isin(groups, names[fold :: self.n_splits])
            yield np.flatnonzero(~test), np.flatnonzero(test)


class Failing(ClassifierMixin, BaseEstimator):
    """Fails whenever ``at`` is above the limit."""

    def __init__(self, at=0.0, limit=0.5):
        self.at = at
        self.limit = limit

    def fit(self, X, y):
        if self.at > self.limit:
            raise RuntimeError(f"at={self.at:.2f} is too much")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.resize(self.classes_, len(X))


def numbered_rows(n_rows=48, n_groups=12, seed=0):
    """Return X (row number, group, noise), binary y, groups and weights."""
    rng = np.random.default_rng(seed)
    groups = rng.permutation(np.arange(n_rows) % n_groups)
    X = np.column_stack([np.arange(n_rows), groups, rng.normal(size=n_rows)])
    y = (X[:, 2] + 0.5 * rng.normal(size=n_rows) > 0).astype(int)
    return X, y, groups, X[:, 0] + 1
