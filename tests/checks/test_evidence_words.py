"""What a person reads: which rows, why not, and a leak only where one was found."""

import numpy as np
import pandas as pd
import pytest

from honesteval.checks import audit_split
from honesteval.checks._evidence_words import name_evidence, p_in_words
from honesteval.exceptions import LeakageError
from honesteval.report import AuditReport


@pytest.mark.parametrize(
    ("evidence", "n", "words"),
    [
        ([{"test_row": 5, "train_row": 2}], 1, "test row 5 and training row 2"),
        ([{"rows": [3, 8, 9]}], 1, "rows 3, 8 and 9"),
        ([{"rows": [1, 2, 3, 4, 5, 6, 7]}], 1, "rows 1, 2, 3, 4, 5 and 2 more"),
        ([{"row": 4}, {"row": 6}], 2, "row 4; row 6"),
        ([{"row": 4}] * 4, 1200, "row 4; row 4; row 4; and 1,197 more"),
        ([{"train_row": 4, "time": 3.0}], 1, "training row 4"),
        ([{"side": "test", "row": 4, "repeats_row": 1}], 1, "test row 4 repeats row 1"),
        ([{"feature": "mass", "alone": 1.0}], 1, "feature 'mass'"),
        ([{"known": "only drug known"}], 1, ""),
        ([], 0, ""),
    ],
)
def test_names_the_first_rows(evidence, n, words):
    assert name_evidence(pd.DataFrame(evidence), n) == words


def test_a_corrected_p_value_says_so():
    assert p_in_words(1.0, 5) == "p = 1, corrected for 5 comparisons"
    assert p_in_words(0.0312, 1) == "p = 0.031"


def test_conflicting_labels_name_their_rows(clean):
    X, y = clean.X.copy(), clean.y.copy()
    X[7] = X[3]
    y[7] = y[3] + 10 * y.std()
    finding = audit_split(X, y, clean.split, checks=["HE104"])["HE104"]
    assert "For example rows 3 and 7." in finding.summary()


def test_checks_that_do_not_apply_share_a_line_per_reason(clean):
    lines = audit_split(clean.X, clean.y, clean.split).summary().splitlines()
    shared = [line for line in lines if "Not applicable" in line]
    assert "  Not applicable: HE131, HE132, HE133, HE134, HE135. No pairs were given." in shared
    assert len({line.split(". ", 1)[1] for line in shared}) == len(shared)


def _headline(audit):
    return AuditReport(audit).summary["headline"]


def test_label_noise_or_a_small_test_set_is_not_called_a_leak(clean):
    X, y = clean.X.copy(), clean.y.copy()
    for first, second in ((0, 1), (2, 3), (4, 5)):
        X[second] = X[first]
        y[second] = y[first] + 10 * y.std()
    audit = audit_split(X, y, clean.split, checks=["HE101", "HE104", "HE501"])
    assert {finding.code for finding in audit.found("warning")} == {"HE104", "HE501"}
    assert "flatter" not in _headline(audit)
    assert "No leak was found" in _headline(audit)
    with pytest.raises(LeakageError) as caught:
        audit.raise_for_leakage("warning")
    assert "leaks" not in str(caught.value)
    assert "(2 findings)" in str(caught.value)


def test_a_leak_is_called_one(clean):
    planted, _ = clean.copy_rows(8)
    audit = audit_split(planted.X, planted.y, planted.split, checks=["HE101", "HE501"])
    assert _headline(audit) == "This split leaks"
    with pytest.raises(LeakageError, match=r"The split leaks \(2 findings\)"):
        audit.raise_for_leakage("warning")


def test_silence_is_no_proof(clean):
    audit = audit_split(clean.X, clean.y, clean.split, checks=["HE101"])
    assert _headline(audit) == "No leak was found by the checks that could be made"


def test_every_check_says_what_it_concerns(clean):
    audit = audit_split(clean.X, np.where(clean.y > 0, 1, 0), clean.split)
    concerns = {finding.code: finding.concerns for finding in audit.findings}
    reliability = {code for code, concern in concerns.items() if concern == "reliability"}
    assert reliability == {
        "HE104", "HE105", "HE122", "HE131", "HE202", "HE205", "HE501", "HE502", "HE503", "HE601",
        "HE603",
    }  # fmt: skip
