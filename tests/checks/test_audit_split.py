import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import honesteval
from honesteval.checks import Finding, SplitAudit, audit_split, available_checks
from honesteval.exceptions import InvalidEntityError, LeakageError
from honesteval.similarity import resolve_similarity

STRUCTURE = ["HE101", "HE102", "HE111", "HE112", "HE113", "HE201", "HE202"]


@pytest.fixture(scope="module")
def leaking(clean):
    planted, _ = clean.copy_rows(8)
    return audit_split(planted.X, planted.y, planted.split)


@pytest.fixture(scope="module")
def silent(clean):
    return audit_split(clean.X, clean.y, clean.split)


def test_public_names():
    assert honesteval.audit_split is audit_split
    assert isinstance(honesteval.checks.Finding, type)


def test_clean_split_has_no_error_and_warns_only_of_its_size(silent):
    assert [finding.code for finding in silent.found("warning")] == ["HE501"]
    silent.raise_for_leakage()


def test_planted_copies_are_errors(leaking):
    assert leaking.severity == "error"
    assert {"HE101", "HE111"} <= {finding.code for finding in leaking.found("error")}
    with pytest.raises(LeakageError, match=r"HE101.*8 of 60 test rows"):
        leaking.raise_for_leakage()


def test_every_check_gives_one_finding_in_the_order_of_codes(leaking):
    codes = [finding.code for finding in leaking.findings]
    assert codes == sorted(codes) == available_checks().index.tolist()
    assert all(isinstance(finding, Finding) for finding in leaking.findings)
    for finding in leaking.findings:
        assert finding.message.endswith((".", "!"))
        assert finding.why
        assert finding.advice
        assert finding.docs == f"checks/{finding.code.lower()}.html"
        assert (finding.severity is None) == (finding.status != "found")


def test_findings_are_got_by_code_or_name(leaking):
    assert leaking["HE101"] is leaking["identical-entity"]
    with pytest.raises(KeyError, match="HE999"):
        leaking["HE999"]
    assert list(leaking) == list(leaking.findings)


def test_checks_are_chosen_by_code_or_name(clean):
    audited = audit_split(clean.X, clean.y, clean.split, checks=["identical-entity", "HE201"])
    assert [finding.code for finding in audited.findings] == ["HE101", "HE201"]
    with pytest.raises(ValueError, match="Did you mean 'near-duplicates'"):
        audit_split(clean.X, clean.y, clean.split, checks=["near_duplicate"])


def test_json_holds_everything_as_plain_types(leaking, tmp_path):
    read = json.loads(leaking.to_json(tmp_path / "audit.json"))
    assert read == json.loads((tmp_path / "audit.json").read_text(encoding="utf-8"))
    assert read["schema"] == "honesteval/split-audit"
    assert [f["code"] for f in read["findings"]] == [f.code for f in leaking.findings]
    assert len(read["findings"][0]["evidence"]) == 8
    assert len(leaking.to_dict(max_evidence=3)["findings"][0]["evidence"]) == 3


def test_summary_and_tables(leaking):
    text = leaking.summary()
    assert text.index("HE101") < text.index("HE201")
    assert "2 error" in text or "3 error" in text
    assert leaking.to_frame()["code"].is_unique
    assert "HE101" in leaking._repr_html_()
    assert "<table" in leaking["HE101"]._repr_html_()


def test_same_seed_same_audit(clean):
    first, second = (
        audit_split(clean.X, clean.y, clean.split, random_state=3).to_dict() for _ in range(2)
    )
    assert first == second


def test_shuffled_rows_give_the_same_findings(leaking, clean):
    planted, _ = clean.copy_rows(8)
    order = np.random.default_rng(0).permutation(len(planted.y))
    place = np.argsort(order)
    shuffled = audit_split(
        planted.X[order], planted.y[order], (place[planted.train], place[planted.test])
    )
    for before, after in zip(leaking.findings, shuffled.findings, strict=True):
        assert (before.code, before.severity) == (after.code, after.severity)
    tables = [audited["HE101"].evidence for audited in (leaking, shuffled)]
    sources = [
        {int(row): planted.X[source].tobytes() for row, source in zip(rows, of, strict=True)}
        for rows, of in (
            (tables[0]["test_row"], tables[0]["train_row"]),
            (order[tables[1]["test_row"]], order[tables[1]["train_row"]]),
        )
    ]
    assert sources[0] == sources[1]


def test_rows_in_no_part_keep_the_numbers_of_the_input(clean):
    planted, into = clean.copy_rows(4)
    part = np.full(len(planted.y), None, dtype=object)
    part[planted.train[::2]] = "train"
    part[into] = "test"
    source = {planted.X[row].tobytes(): row for row in planted.train[::2]}
    finding = audit_split(planted.X, planted.y, part, checks=["HE101"])["HE101"]
    for line in finding.evidence.itertuples():
        assert line.test_row in into
        assert line.train_row == source[planted.X[line.test_row].tobytes()]


def test_unreadable_molecules_are_listed_and_keep_row_numbers():
    smiles = ["CCO", "not a molecule", "CCCO", "OCC", "c1ccccc1"]
    split = (["train"] * 3) + ["test"] * 2
    with pytest.raises(InvalidEntityError, match="row 1"):
        audit_split(smiles, None, split)
    audited = audit_split(smiles, None, split, errors="drop", checks=STRUCTURE)
    assert audited.excluded.rows.tolist() == [1]
    assert audited.rows.tolist() == [0, 2, 3, 4]
    assert audited["HE101"].evidence[["test_row", "train_row"]].to_numpy().tolist() == [[3, 0]]
    assert "they hold no readable entity: 1 row." in audited.summary()


def test_molecules_similarity_objects_and_tables_are_taken():
    from honesteval.entities import parse_molecules

    smiles = ["CCO", "CCCO", "OCC", "c1ccccc1"]
    split = ([0, 1], [2, 3])
    expected = audit_split(smiles, None, split, checks=STRUCTURE).to_frame()["message"].tolist()
    forms = [
        (parse_molecules(smiles), "auto"),
        (list(parse_molecules(smiles).mols), "auto"),
        (pd.Series(smiles, index=list("dcba")), "auto"),
        (pd.DataFrame({"smiles": smiles}), "auto"),
        (smiles, resolve_similarity(smiles)),
    ]
    for X, similarity in forms:
        audited = audit_split(X, None, split, similarity=similarity, checks=STRUCTURE)
        assert audited.to_frame()["message"].tolist() == expected


def test_names_with_html_are_escaped(clean):
    part = np.where(np.isin(np.arange(len(clean.X)), clean.test), "<script>", "b&b 1")
    audited = audit_split(clean.X, None, part, checks=["HE113"])
    assert "<script>" in audited.summary()
    assert "<script>" not in audited._repr_html_()


def test_labels_of_every_kind_are_taken(clean):
    n = len(clean.y)
    missing = clean.y.copy()
    missing[::7] = np.nan
    mixed = np.array([*clean.y[:-1], None], dtype=object)
    text = np.where(clean.y > np.median(clean.y), "high ≥", "low <b>")
    for y in (missing, mixed, text, clean.y > 0, np.arange(n) % 3, [None] * n, np.ones(n)):
        audited = audit_split(clean.X, y, clean.split, checks=["HE104", "HE121"])
        assert audited["HE121"].status in ("passed", "not_applicable")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["CCO"], None, ([0], [0])), "at least 2 rows"),
        (([], None, ([0], [1])), "at least 2 rows"),
        (("CCO", None, ([0], [1])), "one entity per row"),
        ((None, None, ([0], [1])), "X is None"),
        ((["CCO", "CCN"], None, ([0], [])), "test side has no rows"),
        ((["CCO", "CCN"], None, ([0], [-1])), "negative"),
        ((["CCO", "CCN"], None, ([0], [5])), "beyond the last row"),
        ((["CCO", "CCN"], [1, 2, 3], ([0], [1])), "one label per row"),
        ((["CCO", "CCN"], None, None), "Give splits as"),
    ],
)
def test_bad_input_gives_one_clear_sentence(arguments, message):
    with pytest.raises(ValueError, match=message):
        audit_split(*arguments)


def test_bad_options_give_one_clear_sentence(clean):
    with pytest.raises(ValueError, match="near_duplicate_threshold"):
        audit_split(clean.X, None, clean.split, near_duplicate_threshold=0)
    with pytest.raises(ValueError, match="errors must be one of"):
        audit_split(clean.X, None, clean.split, errors="ignore")
    with pytest.raises(ValueError, match="groups needs one value per row"):
        audit_split(clean.X, None, clean.split, groups=[1, 2])


def test_nothing_of_the_caller_is_modified(clean):
    X, y, train, test = (array.copy() for array in (clean.X, clean.y, clean.train, clean.test))
    audit_split(X, y, (train, test), checks=STRUCTURE)
    assert np.array_equal(X, clean.X)
    assert np.array_equal(y, clean.y)
    assert np.array_equal(train, clean.train)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_any_split_of_any_bits_gives_an_audit(data):
    n = data.draw(st.integers(2, 12))
    bits = data.draw(st.lists(st.integers(0, 15), min_size=n, max_size=n))
    X = np.array([[bool(value >> k & 1) for k in range(4)] for value in bits])
    part = data.draw(
        st.lists(st.sampled_from(["train", "test", "valid", None]), min_size=n, max_size=n)
        .filter(lambda labels: "train" in labels and len(set(labels) - {None}) > 1)
    )  # fmt: skip
    y = data.draw(
        st.one_of(st.none(), st.lists(st.sampled_from([0.0, 1.0, np.nan]), min_size=n, max_size=n))
    )
    audited = audit_split(X, y, part)
    assert isinstance(audited, SplitAudit)
    json.loads(audited.to_json())
