import numpy as np
import pandas as pd
import pytest
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler

from honesteval.checks import audit_split

CODES = ["HE401", "HE402", "HE403"]
N = 300
TEST = np.random.default_rng(1).random(N) < 0.25


@pytest.fixture(scope="module")
def X():
    random = np.random.default_rng(0)
    return random.gamma(2.0, size=(N, 5)) @ random.normal(size=(5, 8))


def audit(X, splits=TEST):
    return audit_split(X, None, splits, checks=CODES)


def test_silent_on_raw_features(X):
    assert [audit(X)[code].status for code in CODES] == ["passed"] * 3


@pytest.mark.parametrize("scaler", [StandardScaler(), MinMaxScaler(), RobustScaler()])
def test_flags_scaling_of_everything_and_not_of_training(X, scaler):
    finding = audit(scaler.fit_transform(X))["HE401"]
    assert finding.severity == "warning"
    assert finding.measured["n_features"] == 8
    assert audit(scaler.fit(X[~TEST]).transform(X))["HE401"].status == "passed"


def test_flags_scaling_with_ddof_1_in_single_precision(X):
    table = pd.DataFrame(X)
    scaled = ((table - table.mean()) / table.std()).astype(np.float32)
    assert audit(scaled)["HE401"].severity == "warning"


def test_flags_scaling_before_cross_validation(X):
    assert audit(StandardScaler().fit_transform(X), np.arange(N) % 5)["HE401"].status == "found"


def test_one_natural_share_is_no_scaling(X):
    share = np.clip(np.random.default_rng(2).normal(0.5, 0.3, N), 0, 1)
    assert audit(np.column_stack([X, share]))["HE401"].status == "passed"


@pytest.mark.parametrize("strategy", ["mean", "median"])
@pytest.mark.parametrize("share", [0.05, 0.3])
def test_flags_imputing_of_everything_and_not_of_training(X, strategy, share):
    missing = np.where(np.random.default_rng(3).random(X.shape) < share, np.nan, X)
    imputer = SimpleImputer(strategy=strategy)
    finding = audit(imputer.fit_transform(missing))["HE402"]
    assert finding.severity == "warning"
    assert finding.measured["n_features"] == 8
    assert set(finding.evidence["is"]) == {strategy}
    assert audit(imputer.fit(missing[~TEST]).transform(missing))["HE402"].status == "passed"


@pytest.mark.parametrize("seed", [39, 63])
def test_the_mean_of_training_is_no_imputation_of_everything(seed):
    """Also where it is the median of all other values, as it happens for a symmetric feature."""
    random = np.random.default_rng(seed)
    value, gap = random.normal(size=N), random.random(N) < 0.1
    mean = value[~TEST & ~gap].mean()
    assert (value[~gap] < mean).sum() == (value[~gap] > mean).sum()
    filled = np.column_stack([np.where(gap, mean, value), value**3])
    assert audit(filled)["HE402"].status == "passed"


def test_a_common_value_is_no_imputation(X):
    clipped = np.maximum(X, np.median(X, axis=0))
    assert audit(clipped)["HE402"].status == "passed"


def mix(X, n, random):
    """Add rows between a row and one of its five nearest neighbours, as SMOTE does."""
    from sklearn.neighbors import NearestNeighbors

    near = NearestNeighbors(n_neighbors=6).fit(X).kneighbors(X, return_distance=False)
    row, neighbor = random.integers(0, len(X), n), random.integers(1, 6, n)
    return X[row] + random.random((n, 1)) * (X[near[row, neighbor]] - X[row])


@pytest.mark.parametrize("n", [20, 100])
def test_flags_oversampling_before_the_split(X, n):
    random = np.random.default_rng(4)
    everything = np.concatenate([X, mix(X, n, random)])
    finding = audit(everything, random.random(N + n) < 0.3)["HE403"]
    assert finding.severity == "error"
    for line in finding.evidence.itertuples(index=False):
        row, first, second = (everything[i] for i in (line.row, line[3], line[4]))
        assert np.allclose(row, first + line.weight * (second - first), atol=1e-5)


def test_finds_most_synthetic_rows_whose_parents_are_across(X):
    random = np.random.default_rng(5)
    test = np.r_[TEST, np.zeros(100, dtype=bool)]
    everything = np.concatenate([X, mix(X, 100, random)])
    evidence = audit(everything, test)["HE403"].evidence
    synthetic = evidence[evidence["row"] >= N]
    assert len(synthetic) >= 20
    assert test[synthetic[["between", "and"]].to_numpy()].any(axis=1).all()


def test_few_mixtures_across_are_found_among_many_within():
    """Two of twelve synthetic training rows have a parent in the test set."""
    X = np.random.default_rng(5).normal(size=(N, 6))
    train, test = np.flatnonzero(~TEST), np.flatnonzero(TEST)
    made, sources = train[:12], train[12:36].reshape(12, 2)
    sources[:2, 0] = test[:2]
    for row, (a, b) in zip(made, sources, strict=True):
        X[b] = X[a] + 0.05 * np.random.default_rng(row).normal(size=6)
        X[row] = X[a] + 0.37 * (X[b] - X[a])
    finding = audit(X)["HE403"]
    assert finding.severity == "warning"
    assert sorted(finding.evidence["row"]) == sorted(made[:2])
    assert finding.measured["n_mixtures"] >= 12


def test_silent_on_oversampling_of_training_only(X):
    random = np.random.default_rng(6)
    everything = np.concatenate([X, mix(X[~TEST], 100, random)])
    audited = audit(everything, np.r_[TEST, np.zeros(100, dtype=bool)])
    assert audited["HE403"].status == "passed"


def test_series_in_equal_steps_are_no_mixtures():
    """Members of a homologous series lie on a line, at simple fractions of it."""
    random = np.random.default_rng(7)
    start = np.repeat(random.normal(size=(30, 5)), 10, axis=0)
    step = random.normal(size=5)
    X = start + 0.01 * np.tile(np.arange(10), 30)[:, None] * step
    assert audit(X)["HE403"].status == "passed"


def test_not_applicable_without_continuous_features():
    bits = np.random.default_rng(8).random((100, 20)) < 0.5
    audited = audit(bits, np.arange(100) % 2 == 0)
    assert {audited[code].status for code in CODES} == {"not_applicable"}
    few = np.random.default_rng(9).normal(size=(100, 2))
    assert audit(few, np.arange(100) % 2 == 0)["HE403"].status == "not_applicable"
    assert audit(few[:8], np.arange(8) % 2 == 0)["HE401"].status == "not_applicable"


def test_missing_values_are_passed_over(X):
    missing = np.where(np.random.default_rng(10).random(X.shape) < 0.2, np.nan, X)
    missing[~TEST, 0] = np.nan
    assert [audit(missing)[code].status for code in CODES] == ["passed"] * 3


@pytest.mark.data
@pytest.mark.parametrize("columns", [slice(6, 60), slice(200, 260)])
def test_silent_on_the_descriptors_of_bace(read_molecules, columns):
    table = read_molecules("bace.csv.gz")
    audited = audit(table.iloc[:, columns].select_dtypes("number"), table["Model"])
    assert not audited.found("warning")
