"""The linear engine gives the same score for every permutation as refitting does."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.feature_selection import SelectKBest
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Lasso, LinearRegression, Ridge
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    ShuffleSplit,
    StratifiedKFold,
    permutation_test_score,
)
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from honesteval.stats import permutation_test

REGRESSORS = [
    LinearRegression(),
    Ridge(alpha=3.0),
    Ridge(fit_intercept=False),
    KernelRidge(kernel="rbf", alpha=0.5),
    KNeighborsRegressor(1),
    KNeighborsRegressor(4),
    KNeighborsRegressor(4, weights="distance"),
    make_pipeline(StandardScaler(), "passthrough", Ridge()),
]
REGRESSION_SCORES = [
    None,
    "r2",
    "neg_mean_squared_error",
    "neg_root_mean_squared_error",
    "neg_mean_absolute_error",
]


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(0)
    X = random.normal(size=(45, 6))
    return X, X[:, 0] + random.normal(size=45)


def both(*args, **kwargs):
    return [
        permutation_test(
            *args, n_permutations=6, alpha=0.2, random_state=5, engine=engine, **kwargs
        )
        for engine in ("linear", "loop")
    ]


def assert_same(fast, slow):
    np.testing.assert_allclose(fast.permuted_scores, slow.permuted_scores, rtol=1e-9, atol=1e-12)
    assert (fast.p_value, fast.n_exceeding, fast.score, fast.n_undefined_folds) == (
        slow.p_value, slow.n_exceeding, slow.score, slow.n_undefined_folds,
    )  # fmt: skip
    assert (fast.engine, slow.engine) == ("linear", "loop")


@pytest.mark.parametrize("model", REGRESSORS, ids=str)
def test_regressors(model, data):
    assert_same(*both(model, *data, cv=KFold(4), scoring="r2"))


@pytest.mark.parametrize("scoring", REGRESSION_SCORES)
def test_regression_scores(scoring, data):
    assert_same(*both(Ridge(), *data, cv=ShuffleSplit(3), scoring=scoring))


@pytest.mark.parametrize("scoring", [None, "accuracy", "balanced_accuracy"])
@pytest.mark.parametrize("k", [1, 4])
@pytest.mark.parametrize("labels", [[0, 1], ["b", "a", "c"]], ids=["binary", "three strings"])
def test_classifiers_with_tied_votes(scoring, k, labels, data):
    X, y = data
    classes = np.array(labels)[np.digitize(y, np.linspace(-0.5, 0.5, len(labels) - 1))]
    assert_same(*both(KNeighborsClassifier(k), X, classes, cv=KFold(4), scoring=scoring))


def test_whole_groups(data):
    X, _ = data
    groups = np.repeat(np.arange(15), 3)
    y = np.random.default_rng(1).normal(size=15)[groups]
    assert_same(*both(Ridge(), X, y, groups=groups, cv=GroupKFold(5)))


def test_precomputed_kernel_and_data_frame(data):
    X, y = data
    kernel = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2))
    assert_same(*both(KernelRidge(kernel="precomputed"), kernel, y, cv=KFold(4)))
    assert_same(*both(KNeighborsRegressor(1, metric="precomputed"), 1 - kernel, y, cv=KFold(4)))
    assert_same(*both(Ridge(), pd.DataFrame(X), pd.Series(y), cv=KFold(4)))


def test_leave_one_out_and_constant_test_folds(data):
    X, y = data
    options = {"cv": LeaveOneOut(), "scoring": "neg_mean_absolute_error"}
    assert_same(*both(Ridge(), X[:20], y[:20], **options))
    flat = np.repeat([0.0, 1.0, 0.0], 15)
    assert_same(*both(KNeighborsRegressor(1), X, flat, cv=KFold(9), scoring="r2"))


def test_many_rows_are_taken_in_portions(data, monkeypatch):
    X, y = data
    whole = permutation_test(Ridge(), X, y, cv=KFold(4), n_permutations=19, random_state=5)
    monkeypatch.setattr("honesteval.stats._fast_permutation.MAX_ENTRIES", 3 * len(y))
    parts = permutation_test(Ridge(), X, y, cv=KFold(4), n_permutations=19, random_state=5)
    np.testing.assert_allclose(whole.permuted_scores, parts.permuted_scores, rtol=1e-12)


def test_same_null_distribution_as_scikit_learn(data):
    X, y = data
    theirs = permutation_test_score(Ridge(), X, y, cv=KFold(4), n_permutations=150, random_state=0)[
        1
    ]
    ours = permutation_test(Ridge(), X, y, cv=KFold(4), n_permutations=2000, random_state=0)
    assert ours.permuted_scores.mean() == pytest.approx(
        theirs.mean(), abs=4 * theirs.std() / 60**0.5
    )
    assert ours.permuted_scores.std() == pytest.approx(theirs.std(), rel=0.4)


@pytest.mark.parametrize(
    ("model", "change", "reason"),
    [
        (Lasso(), {}, "Lasso are not known to be linear"),
        (Ridge(solver="sag"), {}, "solved iteratively"),
        (Ridge(positive=True), {}, "under a constraint"),
        (LinearRegression(positive=True), {}, "constrained to be positive"),
        (make_pipeline(SelectKBest(k=2), Ridge()), {}, "SelectKBest may use y"),
        (Ridge(), {"cv": StratifiedKFold(2)}, "folds of StratifiedKFold may depend on y"),
        (Ridge(), {"scoring": "explained_variance"}, "is not one of r2"),
        (Ridge(), {"scoring": lambda *_: 0.0}, "scoring is a callable"),
        (Ridge(), {"fit_params": {"sample_weight": np.ones(45)}}, "fit_params are given"),
        (KNeighborsClassifier(3, weights="distance"), {}, "unequal weights"),
    ],
)
def test_says_why_it_does_not_apply(model, change, reason, data):
    X, y = data
    arguments = {"cv": KFold(3)} | change
    with pytest.raises(ValueError, match=reason):
        permutation_test(
            model, X, (y > 0).astype(int), n_permutations=19, engine="linear", **arguments
        )
    result = permutation_test(
        model, X, (y > 0).astype(int), n_permutations=4, alpha=0.2, **arguments
    )
    assert result.engine == "loop"


def test_sparse_input_and_several_outputs_are_refitted(data):
    X, y = data
    for features, labels in [(csr_matrix(X), y), (X, np.column_stack([y, -y]))]:
        result = permutation_test(
            Ridge(), features, labels, cv=KFold(3), n_permutations=4, alpha=0.2
        )
        assert result.engine == "loop"


def test_falls_back_when_it_does_not_repeat_the_observed_score(data, monkeypatch):
    X, y = data
    monkeypatch.setattr("honesteval.stats._fast_permutation.LinearFolds.repeats", lambda *_: False)
    result = permutation_test(Ridge(), X, y, cv=KFold(3), n_permutations=4, alpha=0.2)
    assert result.engine == "loop"
    with pytest.raises(ValueError, match="does not repeat the score"):
        permutation_test(Ridge(), X, y, cv=KFold(3), n_permutations=19, engine="linear")
