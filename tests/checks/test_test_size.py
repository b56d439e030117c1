import numpy as np
import pandas as pd
import pytest
from scipy import stats

from honesteval.checks import audit_split
from honesteval.stats import hanley_mcneil_standard_error


def audit(y, splits):
    X = np.eye(len(y), dtype=bool)
    return audit_split(X, y, splits, checks=["HE501", "HE502", "HE503"])


def halves(n):
    return np.arange(n) % 2 == 0


def test_flags_a_test_set_too_small_to_tell():
    y = np.arange(80) % 4 == 0
    finding = audit(y, np.arange(80) % 4 < 2)["HE501"]
    assert finding.severity == "warning"
    assert finding.measured["half_width"] == pytest.approx(
        1.96 * hanley_mcneil_standard_error(0.8, 20, 20), abs=1e-3
    )
    assert finding.measured["resolution"] == 1 / 400


@pytest.mark.parametrize(
    "y", [np.arange(2000) // 2 % 2, np.arange(2000) // 2 % 3, np.arange(2000.0) / 7]
)
def test_silent_on_a_large_test_set(y):
    assert audit(y, halves(2000))["HE501"].status == "passed"


def test_cross_validation_tests_every_row():
    y = np.random.default_rng(0).normal(size=300)
    assert audit(y, np.arange(300) % 30)["HE501"].measured["n_test"] == 300


def test_widest_of_several_labels_is_named():
    y = np.column_stack([np.arange(400) // 2 % 2, np.where(np.arange(400) < 60, 1.0, np.nan)])
    y[:30, 1] = 0.0
    finding = audit(y, halves(400))["HE501"]
    assert finding.measured["n_test"] == 30
    assert finding.evidence["label"].tolist() == ["1"]


def test_one_class_in_the_test_set_has_no_interval():
    y = np.r_[np.zeros(50), np.ones(10), np.zeros(20)]
    audited = audit(y, np.r_[np.zeros(60, bool), np.ones(20, bool)])
    assert audited["HE501"].severity == "warning"
    assert "no interval" in audited["HE501"].message


def test_flags_folds_without_both_classes():
    y = np.r_[np.ones(5), np.zeros(45)]
    finding = audit(y, np.repeat(np.arange(5), 10))["HE502"]
    assert finding.severity == "warning"
    assert set(finding.evidence["split"]) == {"fold 0", "fold 1", "fold 2", "fold 3", "fold 4"}
    assert set(finding.evidence["side"]) == {"test", "training"}


def test_silent_when_every_side_has_every_class():
    assert audit(np.arange(60) // 2 % 3, halves(60))["HE502"].status == "passed"


def test_missing_labels_do_not_count_as_a_class():
    y = np.where(np.arange(40) < 20, np.nan, np.arange(40) // 2 % 2)
    assert audit(y, halves(40))["HE502"].status == "passed"


@pytest.mark.parametrize("n_classes", [2, 4])
def test_flags_a_shift_of_classes(n_classes):
    random = np.random.default_rng(0)
    test = halves(1000)
    y = np.where(
        test, random.integers(0, n_classes, 1000), (random.random(1000) < 0.05).astype(int)
    )
    assert audit(y, test)["HE503"].severity == "warning"


def test_flags_a_shift_of_numbers_by_its_size():
    random = np.random.default_rng(0)
    test = halves(1000)
    y = random.normal(size=1000)
    large, small = (audit(y + shift * test, test)["HE503"] for shift in (1.0, 0.35))
    assert large.severity == "warning"
    assert large.measured["effect"] == pytest.approx(1.0, abs=0.1)
    assert small.severity == "info"


def test_silent_on_random_splits():
    random = np.random.default_rng(0)
    for y in (random.normal(size=500), random.integers(0, 2, 500), np.zeros(500)):
        assert audit(y, halves(500))["HE503"].status == "passed"


@pytest.mark.slow
def test_label_shift_alarms_as_rarely_as_stated(n_simulations):
    random = np.random.default_rng(1)
    n = n_simulations(60)
    alarms = sum(
        bool(audit(random.normal(size=200), random.random(200) < 0.3)["HE503"]) for _ in range(n)
    )
    assert alarms <= 0.01 * n + 3 * np.sqrt(0.01 * n) + 1


def test_not_applicable_without_labels():
    audited = audit_split(
        np.eye(6, dtype=bool), None, halves(6), checks=["HE501", "HE502", "HE503"]
    )
    assert {finding.status for finding in audited.findings} == {"not_applicable"}


def test_few_values_among_columns_of_values_are_no_classes():
    from honesteval.checks._labels import read_labels

    random = np.random.default_rng(0)
    table = pd.DataFrame(random.normal(size=(30, 3)), columns=list("abc"))
    table["few"] = [5.0, 6.0] + [np.nan] * 28
    table["kind"] = ["x", "y"] * 15
    kinds = {column.name: column.kind for column in read_labels(table, 30)}
    assert kinds == {"a": "continuous", "b": "continuous", "c": "continuous",
                     "few": "continuous", "kind": "binary"}  # fmt: skip
    few = read_labels(table, 30)[3]
    assert few.values[:2].tolist() == [5.0, 6.0]
    assert read_labels(table["few"], 30)[0].kind == "binary"
    assert read_labels([0.5, 0.7, 0.5], 3)[0].kind == "continuous"


def test_a_small_sample_does_not_hide_a_sure_shift():
    """The largest effect is of two labels; the one shown is sure."""
    random = np.random.default_rng(0)
    test = np.arange(200) >= 150
    y = pd.DataFrame({"sure": random.normal(size=200) + test, "few": np.nan})
    y.loc[[0, 1, 198, 199], "few"] = [0.0, 0.1, 9.0, 9.1]
    y["other"] = random.normal(size=200)
    finding = audit_split(np.arange(200), y, test, checks=["HE503"])["HE503"]
    assert finding.severity == "warning"
    assert "sure in 'test against train'" in finding.message


@pytest.mark.parametrize(("n_positive", "is_found"), [(4, True), (1, False)])
def test_rare_classes_are_compared_exactly(n_positive, is_found):
    """All positives of 200 rows in a test set of 40: 1 of 5 to the power of their number."""
    y = (np.arange(200) < n_positive).astype(int)
    finding = audit(y, np.arange(200) < 40)["HE503"]
    exact = stats.fisher_exact([[40 - n_positive, n_positive], [160, 0]]).pvalue
    assert finding.measured["p_value"] == pytest.approx(exact)
    assert bool(finding) == is_found
