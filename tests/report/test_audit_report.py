"""The verdict on a split: leaks are called leaks, and what is none stands apart."""

import numpy as np
import pytest

from honesteval.checks import audit_split
from honesteval.report import AuditReport
from honesteval.report._audit_report import LEAKAGE_HEADLINES, LIMITED, by_concern

SMILES = ["CCO", "CCN", "CCCO", "CCCN", "c1ccccc1", "Cc1ccccc1", "CCCCO", "OCCO"]


@pytest.fixture(scope="module")
def leaking():
    """A molecule on both sides, and a test set too small to say anything."""
    y = np.array([0, 1, 0, 1, 0, 1, 0, 1, 0])
    return audit_split([*SMILES, "CCO"], y, ["train"] * 6 + ["test"] * 3)


@pytest.fixture(scope="module")
def small():
    """No leak, and a test set too small to say anything."""
    return audit_split(SMILES, np.tile([0, 1], 4), ["train"] * 5 + ["test"] * 3)


def test_what_is_no_leak_stands_apart(leaking):
    leaks, others = by_concern(leaking)
    assert "HE101" in {finding.code for finding in leaks}
    assert "HE501" in {finding.code for finding in others}
    summary = AuditReport(leaking).summary
    assert summary["headline"] == LEAKAGE_HEADLINES["error"]
    assert summary["sentences"][: len(leaks)] == [finding.message for finding in leaks]
    assert summary["sentences"][len(leaks)] == f"Besides: {others[0].message}"
    assert sum(sentence.startswith("Besides") for sentence in summary["sentences"]) == 1
    last = AuditReport(leaking).text().splitlines()[-1]
    assert last.startswith("This split leaks. ")


def test_without_a_leak_nothing_is_beside_it(small):
    leaks, others = by_concern(small)
    assert leaks == []
    summary = AuditReport(small).summary
    assert summary["headline"] == LIMITED
    assert summary["sentences"] == [finding.message for finding in others]
