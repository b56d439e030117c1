import pytest

from honesteval.checks import _tautomers, audit_split


def tautomers(smiles, splits):
    return audit_split(smiles, None, splits, checks=["HE101", "HE102", "HE103"])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Oc1ccccn1", "O=c1cccc[nH]1"),
        ("c1ccc2[nH]cnc2c1", "c1ccc2nc[nH]c2c1"),
        ("Cc1ccc2[nH]cnc2c1", "Cc1ccc2nc[nH]c2c1"),
        ("CC(=N)Nc1ccccc1", "CC(N)=Nc1ccccc1"),
    ],
)
def test_flags_tautomers_that_are_not_the_same_structure(first, second):
    audited = tautomers([first, "CCO", "CCCC", second], ([0, 1], [2, 3]))
    same = audited["HE101"].status == "found"
    assert (audited["HE103"].status == "found") != same


def test_silent_on_isomers():
    audited = tautomers(["CC(=O)CC", "Oc1ccccn1", "CCCC=O", "Oc1cccnc1"], ([0, 1], [2, 3]))
    assert audited["HE103"].status == "passed"


def test_same_molecules_are_left_to_the_other_checks():
    audited = tautomers(["CCO", "C[C@H](N)C(=O)O", "OCC", "C[C@@H](N)C(=O)O"], ([0, 1], [2, 3]))
    assert [audited[code].n_evidence for code in ("HE101", "HE102", "HE103")] == [1, 1, 0]


def test_large_sets_are_skipped_with_the_reason(monkeypatch):
    monkeypatch.setattr(_tautomers, "MOST_MOLECULES", 3)
    finding = tautomers(["CCO", "CCN", "CCC", "CCF"], ([0, 1], [2, 3]))["HE103"]
    assert finding.status == "skipped"
    assert "More than 3 molecules" in finding.message


def test_not_applicable_to_other_entities(clean):
    audited = audit_split(clean.X, None, clean.split, checks=["HE103"])
    assert audited["HE103"].status == "not_applicable"


@pytest.mark.data
def test_bace_shares_tautomers(read_molecules):
    table = read_molecules("bace.csv.gz")
    audited = audit_split(table["mol"], None, table["Model"], checks=["HE103"])
    assert audited["HE103"].measured["n_test_rows"] == 3
