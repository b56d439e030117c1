"""Signs of something fitted on all rows: raised where it was, silent where it was not."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest, f_classif, f_regression
from sklearn.preprocessing import QuantileTransformer, StandardScaler, minmax_scale, scale

from honesteval.tuning import suspicious_features

RNG = np.random.default_rng(0)
BINARY = RNG.integers(2, size=(100, 3))


@pytest.mark.parametrize(
    ("name", "X"),
    [
        ("scaler", scale(RNG.gamma(2, size=(100, 4)))),
        ("scaler", scale(RNG.gamma(2, size=(100, 4))).astype(np.float32)),
        ("scaler", pd.DataFrame(scale(RNG.gamma(2, size=(100, 4))))),
        ("scaler", np.column_stack([scale(RNG.gamma(2, size=(100, 4))), np.ones(100)])),
        ("more than 2 values", np.column_stack([scale(RNG.gamma(2, size=(100, 4))), BINARY])),
        ("min-max", minmax_scale(RNG.gamma(2, size=(100, 4)))),
        (
            "more than 2 values runs",
            np.column_stack([BINARY, minmax_scale(RNG.gamma(2, size=(100, 4)))]),
        ),
        (
            "quantile",
            QuantileTransformer(n_quantiles=50).fit_transform(RNG.gamma(2, size=(100, 4))),
        ),
        ("principal components", PCA().fit_transform(RNG.gamma(2, size=(100, 6)))),
        ("whitening", PCA(whiten=True).fit_transform(RNG.gamma(2, size=(100, 6)))),
    ],
)
def test_flags_what_was_fitted_on_all_rows(name, X):
    assert any(name in reason for reason in suspicious_features(X, RNG.integers(2, size=100),
                                                                classifier=True))  # fmt: skip


def test_flags_sample_standard_deviations_too():
    X = pd.DataFrame(RNG.gamma(2, size=(100, 3)))
    X = (X - X.mean()) / X.std()
    assert suspicious_features(X, np.zeros(100), classifier=False)


@pytest.mark.parametrize("k", [20, 50, 100])
@pytest.mark.parametrize("seed", range(5))
def test_flags_columns_chosen_among_noise(k, seed):
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(60, 3000))
    y = rng.integers(2, size=60)
    chosen = SelectKBest(f_classif, k=k).fit_transform(noise, y)
    assert any("chosen" in r for r in suspicious_features(chosen, y, classifier=True))
    values = rng.normal(size=60)
    chosen = SelectKBest(f_regression, k=k).fit_transform(noise, values)
    assert any("chosen" in r for r in suspicious_features(chosen, values, classifier=False))


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_passes_real_tables(load):
    X, y = load(return_X_y=True)
    assert suspicious_features(X, y, classifier=True) == []


@pytest.mark.parametrize("seed", range(10))
def test_passes_noise_and_many_true_signals(seed):
    rng = np.random.default_rng(seed)
    y = rng.normal(size=200)
    noise = rng.normal(size=(200, 60))
    assert suspicious_features(noise, y, classifier=False) == []
    signals = y[:, None] * rng.uniform(0.3, 2, size=40) + rng.normal(size=(200, 40))
    assert suspicious_features(signals, y, classifier=False) == []


@pytest.mark.parametrize(
    "X",
    [
        BINARY,
        np.column_stack([BINARY, RNG.gamma(2, size=(100, 3))]),
        RNG.random((100, 4)),
        np.column_stack([RNG.random((100, 2)), minmax_scale(RNG.random((100, 2)))]),
        minmax_scale(RNG.random((100, 2))),
        np.maximum(0, np.corrcoef(RNG.normal(size=(60, 5)))),
    ],
)
def test_passes_flags_and_what_lies_in_the_unit_range_by_nature(X):
    assert suspicious_features(X, np.arange(len(X)) % 2, classifier=True) == []


def test_passes_rows_scaled_by_others():
    X = RNG.gamma(2, size=(200, 4))
    assert suspicious_features(
        StandardScaler().fit(X[:100]).transform(X[100:]), np.arange(100) % 2, classifier=True
    ) == []  # fmt: skip


def test_passes_copies_of_one_weak_column():
    rng = np.random.default_rng(3)
    y = rng.normal(size=100)
    weak = 0.35 * y + rng.normal(size=100)
    copies = weak[:, None] + 0.05 * rng.normal(size=(100, 40))
    assert suspicious_features(copies, y, classifier=False) == []


@pytest.mark.parametrize(
    "X",
    [
        ["CCO"] * 30,
        np.array(["a"] * 30),
        sparse.csr_array(np.eye(30)),
        scale(RNG.normal(size=(10, 3))),
        np.full((30, 2), np.nan),
        np.ones((30, 2)),
    ],
)
def test_looks_at_numeric_tables_of_some_size_only(X):
    assert suspicious_features(X, np.arange(30) % 2, classifier=True) == []
