import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest, f_regression

from honesteval.checks import audit_split

N, N_TRAIN = 200, 150
PARTS = ["train"] * N_TRAIN + ["test"] * (N - N_TRAIN)


def audit(X, y):
    return audit_split(np.arange(N), y, PARTS, similarity="identity", features=X,
                       checks=["HE404"])["HE404"]  # fmt: skip


@pytest.mark.parametrize("n_kept", [20, 50])
@pytest.mark.parametrize("n_informative", [0, 5])
def test_flags_noise_selected_by_all_labels(n_kept, n_informative):
    found = 0
    for seed in range(10):
        random = np.random.default_rng(seed)
        X = random.normal(size=(N, 2000))
        y = 0.5 * X[:, :n_informative].sum(axis=1) + random.normal(size=N)
        found += bool(audit(SelectKBest(f_regression, k=n_kept).fit_transform(X, y), y))
    assert found >= 9


@pytest.mark.parametrize("n_kept", [20, 50])
def test_passes_features_selected_by_training_labels(n_kept):
    found = 0
    for seed in range(20):
        random = np.random.default_rng(seed)
        X, y = random.normal(size=(N, 2000)), random.normal(size=N)
        kept = SelectKBest(f_regression, k=n_kept).fit(X[:N_TRAIN], y[:N_TRAIN]).get_support()
        found += bool(audit(X[:, kept], y))
    assert found == 0


@pytest.mark.parametrize("strength", [0, 0.3, 1, 3])
def test_passes_features_that_were_not_selected(strength):
    found = 0
    for seed in range(20):
        random = np.random.default_rng(seed)
        X = random.normal(size=(N, 30))
        y = strength * X @ random.uniform(0.2, 1, size=30) + random.normal(size=N)
        found += bool(audit(X, y))
    assert found == 0


def test_does_not_apply_to_few_features():
    finding = audit(np.random.default_rng(0).normal(size=(N, 5)), np.arange(N) * 1.5)
    assert finding.status == "not_applicable"


def test_gaps_and_constants_are_taken():
    random = np.random.default_rng(0)
    X = random.normal(size=(N, 30))
    X[:, 3], X[5:9, 7] = 1.0, np.nan
    X[:, 8] = np.nan
    assert audit(X, random.normal(size=N)).status == "passed"
