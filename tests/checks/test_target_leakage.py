import numpy as np
import pandas as pd
import pytest

from honesteval.checks import audit_split

CODES = ["HE301", "HE302", "HE303", "HE304"]
N = 400


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(N, 6)), columns=list("abcdef"))
    y = X @ [1.0, -1.0, 0.8, 0.5, 0.0, 0.0] + random.normal(size=N)
    return X, y.to_numpy()


TEST = np.random.default_rng(1).random(N) < 0.3


def audit(X, y, **options):
    return audit_split(X, y, TEST, checks=CODES, **options)


def test_silent_on_honest_features(table):
    audited = audit(*table)
    assert audited["HE304"].status == "not_applicable"
    assert [audited[code].status for code in CODES[:3]] == ["passed"] * 3


@pytest.mark.parametrize(
    ("strength", "severity"), [(0.0, "error"), (0.05, "error"), (0.2, "warning")]
)
def test_flags_a_feature_made_from_the_label(table, strength, severity):
    X, y = table
    noise = np.random.default_rng(2).normal(size=N)
    finding = audit(X.assign(leak=y + strength * y.std() * noise), y)["HE301"]
    assert finding.severity == severity
    assert finding.evidence["feature"].tolist() == ["leak"]


@pytest.mark.parametrize("function", [np.exp, np.negative, lambda y: (y - y.mean()) ** 3])
def test_flags_a_monotone_function_of_the_label(table, function):
    X, y = table
    assert audit(X.assign(leak=function(y)), y)["HE301"].severity == "error"


def test_flags_both_of_two_copies(table):
    X, y = table
    finding = audit(X.assign(leak=y, again=2 * y + 1), y)["HE301"]
    assert set(finding.evidence["feature"]) == {"leak", "again"}


@pytest.mark.parametrize("flipped", [0.0, 0.01])
def test_flags_a_feature_made_from_the_class(table, flipped):
    X, y = table
    label = np.where(y > 0, "active", "inactive")
    code = (y > 0) ^ (np.random.default_rng(3).random(N) < flipped)
    finding = audit(X.assign(leak=code), label)["HE301"]
    assert finding.status == "found"
    assert finding.evidence["feature"].tolist() == ["leak"]


def test_three_classes(table):
    X, y = table
    label = np.digitize(y, [-1, 1])
    assert audit(X.assign(leak=label * 1.5), label)["HE301"].severity == "error"
    assert audit(X, label)["HE301"].status == "passed"


def test_a_strong_but_not_singular_feature_passes():
    """Where other features know as much, a strong one is no riddle."""
    random = np.random.default_rng(4)
    latent = random.normal(size=N)
    X = pd.DataFrame({name: latent + 0.3 * random.normal(size=N) for name in "abcdef"})
    assert audit(X, latent + 0.1 * random.normal(size=N))["HE301"].status == "passed"


def test_text_and_missing_features_are_taken(table):
    X, y = table
    mixed = X.assign(text=np.where(y > 0, "über", None), empty=np.nan, when=pd.Timestamp("2020"))
    assert audit(mixed, y)["HE301"].status == "passed"


def test_flags_labels_in_row_order(table):
    X, y = table
    assert audit(X, np.sort(y))["HE302"].severity == "warning"
    assert audit(X, np.arange(N) >= N / 2)["HE302"].severity == "warning"


def test_flags_row_numbers_and_names(table):
    X, y = table
    named = X.assign(number=np.arange(N) + 1000, name=[f"CHEMBL{i}" for i in range(N)])
    finding = audit(named, y)["HE303"]
    assert finding.evidence["feature"].tolist() == ["number", "name"]


def test_whole_numbers_in_no_order_are_no_identifier(table):
    X, y = table
    weight = np.random.default_rng(5).choice(10 * N, N, replace=False)
    assert audit(X.assign(weight=weight), y)["HE303"].status == "passed"


def test_shuffled_numbers_of_rows_are_mentioned(table):
    X, y = table
    number = np.random.default_rng(5).permutation(N) + 7
    finding = audit(X.assign(number=number), y)["HE303"]
    assert finding.severity == "info"  # they may be ranks
    assert finding.evidence["kind"].tolist() == ["a number given to each row"]


def test_flags_missing_values_that_tell(table):
    X, y = table
    telling = X.assign(a=X["a"].mask(y > np.quantile(y, 0.8)))
    finding = audit(telling, y)["HE304"]
    assert finding.severity == "warning"
    assert finding.evidence["feature"].tolist() == ["a"]


def test_flags_few_missing_values_among_rare_positives(table):
    """Four gaps, all of them among 20 positives of 400."""
    X, _ = table
    y = (np.arange(N) % 20 == 0).astype(int)
    gaps = np.isin(np.arange(N), np.flatnonzero(y)[:4])
    finding = audit(X.assign(a=X["a"].mask(gaps)), y)["HE304"]
    assert finding.severity == "warning"
    assert finding.measured["n_missing"] == 4
    elsewhere = np.isin(np.arange(N), [1, 2, 3, 20])
    assert audit(X.assign(a=X["a"].mask(elsewhere)), y)["HE304"].status == "passed"


@pytest.mark.parametrize("strength", [0.0, 0.1])
def test_a_lucky_feature_of_a_few_positives_passes(table, strength):
    """Six positives in test happen to be told by a feature that says little in training."""
    X, _ = table
    random = np.random.default_rng(7)
    y = np.zeros(N, dtype=int)
    y[np.flatnonzero(TEST)[:6]] = 1
    y[np.flatnonzero(~TEST)[:40]] = 1
    lucky = random.normal(size=N)
    lucky[np.flatnonzero(TEST)[:6]] += 20
    lucky[np.flatnonzero(~TEST)[:20]] += 20 if strength == 0 else 18
    assert audit(X.assign(lucky=lucky), y)["HE301"].status == "passed"


def test_silent_on_values_missing_at_random(table):
    X, y = table
    random = np.random.default_rng(6)
    audited = audit(X.mask(random.random(X.shape) < 0.1), y)
    assert audited["HE304"].status == "passed"


@pytest.mark.slow
def test_missing_at_random_alarms_as_rarely_as_stated(table, n_simulations):
    X, y = table
    random = np.random.default_rng(7)
    n = n_simulations(20)
    alarms = sum(
        bool(audit_split(X.mask(random.random(X.shape) < 0.1), y, TEST, checks=["HE304"])["HE304"])
        for _ in range(n)
    )
    assert alarms <= 0.01 * n + 3 * np.sqrt(0.01 * n) + 1


def test_not_applicable_without_a_table(clean):
    audited = audit_split(["CCO", "CCN", "CCC"], [1, 2, 3], ([0, 1], [2]), checks=CODES)
    assert audited["HE301"].status == audited["HE303"].status == "not_applicable"


@pytest.mark.data
def test_bace_features_hold_a_row_number(read_molecules):
    table = read_molecules("bace.csv.gz")
    audited = audit_split(
        table["mol"], table["pIC50"], table["Model"], checks=["HE301", "HE303"],
        features=table[["canvasUID", *table.columns[10:40]]].select_dtypes("number"),
    )  # fmt: skip
    assert audited["HE303"].evidence["feature"].tolist() == ["canvasUID"]
    assert audited["HE301"].status == "passed"
