"""A small problem on which tuning fools itself: 80 rows, 200 features, 36 configurations."""

import numpy as np
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import ParameterGrid
from sklearn.svm import SVC

N_ROWS, N_FEATURES, N_INFORMATIVE = 80, 200, 5
GRID = {"k": [2, 5, 10, 20, 50, 200], "C": [0.1, 1.0, 10.0], "gamma": ["scale", 0.001]}


class SelectedSVC(ClassifierMixin, BaseEstimator):
    """SelectKBest (by the t statistic) and SVC in one step, to keep a simulation quick."""

    def __init__(self, k=10, C=1.0, gamma="scale"):
        self.k = k
        self.C = C
        self.gamma = gamma

    def fit(self, X, y):
        first, second = X[y == 0], X[y == 1]
        spread = first.var(axis=0) / len(first) + second.var(axis=0) / len(second)
        gap = np.abs(second.mean(axis=0) - first.mean(axis=0)) / np.sqrt(spread)
        self.columns_ = np.argsort(-gap)[: self.k]
        self.svc_ = SVC(C=self.C, gamma=self.gamma).fit(X[:, self.columns_], y)
        self.classes_ = self.svc_.classes_
        return self

    def decision_function(self, X):
        return self.svc_.decision_function(X[:, self.columns_])

    def predict(self, X):
        return self.svc_.predict(X[:, self.columns_])


def quick_auc(y, scores):
    """Return the ROC-AUC by mid-ranks."""
    n_positive = int(np.sum(y == 1))
    ranks = rankdata(scores)[y == 1].sum()
    return (ranks - n_positive * (n_positive + 1) / 2) / (n_positive * (len(y) - n_positive))


def auc_scorer(model, X, y):
    return quick_auc(y, model.decision_function(X))


def draw(rng, effect, n_rows=N_ROWS):
    """Return features and balanced labels; the first few features differ by ``effect``."""
    y = np.arange(n_rows) % 2
    X = rng.normal(size=(n_rows, N_FEATURES))
    X[:, :N_INFORMATIVE] += effect * (y[:, None] - 0.5)
    return X, y


def out_of_fold(X, y, splits):
    """Return the out-of-fold scores (n_rows, 36) and the fold scores (36, n_folds)."""
    table = np.empty((len(y), len(ParameterGrid(GRID))))
    folds = np.empty((table.shape[1], len(splits)))
    for column, params in enumerate(ParameterGrid(GRID)):
        for fold, (train, test) in enumerate(splits):
            model = SelectedSVC(**params).fit(X[train], y[train])
            table[test, column] = model.decision_function(X[test])
            folds[column, fold] = quick_auc(y[test], table[test, column])
    return table, folds
