"""Tibshirani's correction and the interval of Bates, Hastie and Tibshirani, by hand."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.datasets import make_classification, make_regression
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.naive_bayes import GaussianNB

from honesteval.tuning import OptunaSearchCV, nested_cv_interval, tibshirani_correction

X, Y = make_regression(40, 3, noise=30, random_state=0)


# ---------------------------------------------------------------- Tibshirani


def test_the_correction_is_the_formula():
    errors = np.array([[0.30, 0.20, 0.25], [0.20, 0.26, 0.20], [0.10, 0.40, 0.40]])
    result = tibshirani_correction(errors, greater_is_better=False)
    assert result.best_index == 1
    assert result.best_score == pytest.approx(0.22)
    bias = np.mean([0.20 - 0.10, 0.26 - 0.20, 0.20 - 0.20])
    assert result.bias == pytest.approx(bias)
    assert result.estimate == pytest.approx(0.22 + bias)
    mirrored = tibshirani_correction(1 - errors)
    assert mirrored.estimate == pytest.approx(1 - result.estimate)


def test_one_configuration_needs_no_correction():
    assert tibshirani_correction([[0.5, 0.7]]).bias == 0


def test_any_search_is_taken():
    folds = KFold(4, shuffle=True, random_state=0)
    grid = GridSearchCV(Ridge(), {"alpha": [0.1, 10.0, 100.0]}, cv=folds).fit(X, Y)
    result = tibshirani_correction(grid)
    assert result.best_index == grid.best_index_
    assert result.best_score == pytest.approx(grid.best_score_)
    assert result.estimate <= result.best_score
    optuna = OptunaSearchCV(
        Ridge(), {"alpha": [0.1, 100.0]}, n_trials=12, cv=folds, pruner="median",
        scoring=["r2", "neg_mean_absolute_error"], refit="neg_mean_absolute_error", random_state=0,
    ).fit(X, Y)  # fmt: skip
    result = tibshirani_correction(optuna)
    assert result.best_score == pytest.approx(optuna.best_score_)
    assert result.n_left_out == optuna.n_pruned_trials_
    assert "in place of the best" in result.summary()
    assert tibshirani_correction(optuna, metric="r2").best_score <= 1
    with pytest.raises(ValueError, match="metric must be one of"):
        tibshirani_correction(optuna, metric="r3")


def test_what_cannot_be_corrected_is_refused():
    with pytest.raises(ValueError, match="Got shape"):
        tibshirani_correction([0.1, 0.2])
    with pytest.raises(ValueError, match="in every fold"):
        tibshirani_correction([[np.nan, 1.0]])


# ---------------------------------------------------------------- Bates, Hastie, Tibshirani


class RowMean(RegressorMixin, BaseEstimator):
    """Predicts the mean of its training labels, and remembers how many there were."""

    def fit(self, X, y):
        self.mean_ = y.mean()
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


def _by_hand(y, n_splits, seed, confidence_level):
    """The formulas of the paper for one repeat of the mean of the other folds, with two loops."""
    from scipy.stats import norm

    from honesteval.tuning._seeding import derive_seed

    order = np.random.default_rng(derive_seed(seed, 0)).permutation(len(y))
    fold = np.empty(len(y), dtype=int)
    fold[order] = np.arange(len(y)) % n_splits
    a, b, nested, outer = [], [], [], []
    for i in range(n_splits):
        e_out = (y[fold == i] - y[fold != i].mean()) ** 2
        e_in = np.concatenate(
            [
                (y[fold == j] - y[(fold != i) & (fold != j)].mean()) ** 2
                for j in range(n_splits)
                if j != i
            ]
        )
        a.append((e_in.mean() - e_out.mean()) ** 2)
        b.append(e_out.var(ddof=1) / len(e_out))
        nested.append(e_in)
        outer.append(e_out)
    nested, outer = np.concatenate(nested), np.concatenate(outer)
    n = len(y)
    mse = max(0.0, np.mean(a) - np.mean(b))
    inflation = np.sqrt(mse) / (nested.std(ddof=1) / np.sqrt(n * (n_splits - 1) // n_splits))
    inflation = np.clip(inflation, 1, np.sqrt(n_splits))
    bias = (nested.mean() - outer.mean()) * (1 + ((n_splits - 2) / n_splits) ** 1.5)
    centre = nested.mean() - bias
    half = norm.ppf(0.5 + confidence_level / 2) * nested.std(ddof=1) / np.sqrt(n) * inflation
    return centre, centre - half, centre + half


def test_the_interval_is_the_formulas():
    found = nested_cv_interval(
        RowMean(), X, Y, n_splits=5, n_repeats=1, confidence_level=0.9, random_state=7
    )
    expected = _by_hand(Y, 5, 7, 0.9)
    assert (found.estimate, found.low, found.high) == pytest.approx(expected)
    assert found.n_fits == 15
    assert found.loss == "squared"


def test_the_number_of_workers_changes_nothing():
    arguments = {"n_splits": 4, "n_repeats": 3, "random_state": 0}
    one = nested_cv_interval(LinearRegression(), X, Y, **arguments)
    assert one == nested_cv_interval(LinearRegression(), X, Y, n_jobs=2, **arguments)
    assert 1 <= one.inflation <= 2
    assert "plain cross-validation" in one.summary()


def test_losses_by_name_and_of_ones_own():
    rows, labels = make_classification(60, 4, random_state=0)
    wrong = nested_cv_interval(GaussianNB(), rows, labels, n_splits=4, n_repeats=2, random_state=0)
    assert wrong.loss == "zero_one"
    assert 0 < wrong.estimate < 0.5

    def squared(y, predicted):
        return (y - predicted) ** 2

    named = nested_cv_interval(Ridge(), X, Y, n_splits=4, n_repeats=2, random_state=0)
    own = nested_cv_interval(Ridge(), X, Y, loss=squared, n_splits=4, n_repeats=2, random_state=0)
    assert (named.low, named.high) == (own.low, own.high)
    with pytest.raises(ValueError, match="Did you mean 'squared'"):
        nested_cv_interval(Ridge(), X, Y, loss="squarred")


def test_groups_are_the_units():
    groups = np.repeat(np.arange(10), 4)
    values = np.repeat(np.random.default_rng(0).normal(size=10), 4)
    found = nested_cv_interval(
        DummyRegressor(), np.zeros((40, 1)), values, groups=groups, n_splits=5, n_repeats=3,
        random_state=0,
    )  # fmt: skip
    alone = nested_cv_interval(
        DummyRegressor(), np.zeros((10, 1)), values[::4], n_splits=5, n_repeats=3, random_state=0
    )
    assert (found.low, found.high) == pytest.approx((alone.low, alone.high))


def test_a_constant_loss_has_an_interval_of_no_width():
    found = nested_cv_interval(
        LinearRegression(), X, np.zeros(40), n_splits=4, n_repeats=2, random_state=0
    )
    assert (found.estimate, found.low, found.high) == (0, 0, 0)


def test_a_search_may_be_judged():
    rows, labels = make_classification(60, 4, random_state=0)
    search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1.0]}, cv=3)
    found = nested_cv_interval(search, rows, labels, n_splits=3, n_repeats=1, random_state=0)
    assert 0 <= found.estimate < 0.5


def test_bad_arguments_are_named():
    for arguments, message in (
        ({"n_splits": 2}, "n_splits must be an integer in"),
        ({"n_splits": 50}, "more than the 40 rows"),
        ({"n_splits": 5, "groups": np.arange(40) % 4}, "more than the 4 groups"),
        ({"n_repeats": 0}, "n_repeats"),
        ({"confidence_level": 1.0}, "confidence_level"),
    ):
        with pytest.raises(ValueError, match=message):
            nested_cv_interval(Ridge(), X, Y, **arguments)
