import numpy as np

from honesteval.checks import audit_split


def structure(splits, n=10):
    X = np.eye(n, 2 * n, dtype=bool)
    X[:, -1] = True
    return audit_split(X, None, splits, checks=["HE201", "HE202"])


def test_flags_rows_on_both_sides():
    finding = structure(([0, 1, 2, 3, 4], [4, 3, 5, 6]))["HE201"]
    assert finding.severity == "error"
    assert finding.evidence["row"].tolist() == [3, 4]


def test_silent_on_disjoint_sides():
    audited = structure(([0, 1, 2, 3, 4], [5, 6, 7, 8, 9]))
    assert [audited[code].status for code in ("HE201", "HE202")] == ["passed", "passed"]


def test_remarks_on_unused_rows():
    finding = structure(([0, 1, 2], [5, 6]))["HE202"]
    assert finding.severity == "info"
    assert finding.measured["n_unused"] == 5
    assert finding.evidence["row"].tolist() == [3, 4, 7, 8, 9]


def test_flags_repeated_positions():
    finding = structure(([0, 1, 1, 2, 3, 4], [5, 6, 7, 8, 9, 9]))["HE202"]
    assert finding.severity == "warning"
    assert finding.evidence["row"].tolist() == [1, 9]
