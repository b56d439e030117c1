"""Sequences are entities: identical, nearly so, unreadable."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honesteval.checks import audit_split
from honesteval.checks._sequences import looks_like_sequences
from honesteval.entities import parse_sequences, read_table
from honesteval.exceptions import InvalidEntityError
from honesteval.report import AuditReport
from honesteval.report._alignment import align, alignment_blocks

AMINO_ACIDS = list("ACDEFGHIKLMNPQRSTVWY")


@pytest.fixture
def proteins():
    random = np.random.default_rng(0)
    return ["".join(random.choice(AMINO_ACIDS, 120)) for _ in range(60)]


def test_identical_sequences_are_found_whatever_their_case(proteins):
    proteins[50] = proteins[3].lower() + "*"
    audit = audit_split(proteins, None, ["train"] * 45 + ["test"] * 15)
    finding = audit["HE101"]
    assert finding.severity == "error"
    assert finding.evidence[["test_row", "train_row"]].to_numpy().tolist() == [[50, 3]]
    assert "same sequence" in finding.message


def test_different_sequences_are_silent(proteins):
    audit = audit_split(proteins, None, ["train"] * 45 + ["test"] * 15)
    assert audit["HE101"].status == audit["HE111"].status == "passed"
    assert not audit.found("warning")


def test_near_duplicate_sequences_are_found_and_aligned(proteins):
    changed = proteins[7][:59] + ("A" if proteins[7][59] != "A" else "C") + proteins[7][60:]
    proteins[52] = changed
    audit = audit_split(
        proteins, None, ["train"] * 45 + ["test"] * 15, near_duplicate_threshold=0.8
    )
    evidence = audit["HE111"].evidence
    assert evidence[["test_row", "train_row"]].to_numpy().tolist() == [[52, 7]]
    page = AuditReport(audit).to_html()
    assert "119 of 120 columns of the alignment are identical" in page
    assert f"<mark>{changed[59]}</mark>" in page
    assert audit.entity(52) == changed
    assert audit.entity_kind == "sequence"


def test_rows_without_a_sequence_are_named_or_left_out(proteins):
    proteins[4], proteins[9] = None, "MKT1"
    parts = ["train"] * 45 + ["test"] * 15
    with pytest.raises(InvalidEntityError, match=r"row 4.*row 9, 'MKT1'"):
        audit_split(proteins, None, parts, similarity="kmer")
    audit = audit_split(proteins, None, parts, similarity="kmer", errors="drop")
    assert audit.excluded.rows.tolist() == [4, 9]
    assert len(audit.rows) == 58


def test_sequences_are_told_from_other_text(proteins):
    assert looks_like_sequences(proteins)
    assert looks_like_sequences(["ACGTACGTTTGACCATGACAAGT", None])
    assert not looks_like_sequences(["CCO", "c1ccccc1"] * 10)
    assert not looks_like_sequences(["CHEMBL25", "aspirin"])
    assert not looks_like_sequences([None, ""])


def test_parsed_sequences_are_taken(proteins):
    parts = ["train"] * 45 + ["test"] * 15
    expected = audit_split(proteins, None, parts).to_frame()
    pd.testing.assert_frame_equal(
        audit_split(parse_sequences(proteins), None, parts).to_frame(), expected
    )


def test_published_partitions_by_identity_hold_no_near_duplicate(data_dir):
    table = read_table(data_dir / "sequences/netgpi/netgpi_dataset.fasta.gz").head(600)
    halves = np.arange(600) % 2
    assert audit_split(table["sequence"], None, halves)["HE111"].status == "found"


@given(st.text("ACGT", max_size=30), st.text("ACGT", max_size=30))
@settings(max_examples=60, deadline=None)
def test_an_alignment_holds_both_sequences(first, second):
    top, bottom = align(first, second)
    assert top.replace("-", "") == first
    assert bottom.replace("-", "") == second
    assert len(top) == len(bottom)
    assert not any(pair == ("-", "-") for pair in zip(top, bottom, strict=True))


@pytest.mark.parametrize(
    ("first", "second", "aligned"),
    [
        ("ACGT", "ACGT", ("ACGT", "ACGT")),
        ("ACGT", "AGT", ("ACGT", "A-GT")),
        ("GATTACA", "GATACA", None),
        ("", "AC", ("--", "AC")),
    ],
)
def test_known_alignments(first, second, aligned):
    found = align(first, second)
    if aligned is None:  # two places are as good
        assert sum(x == y for x, y in zip(*found, strict=True)) == 6
    else:
        assert found == aligned


def test_long_alignments_show_lines_that_differ_first():
    first = "A" * 900
    found = alignment_blocks(first, first[:870] + "C" + first[871:])
    assert (found["n_columns"], found["n_identical"], found["n_hidden"]) == (900, 899, 7)
    assert [run for run in found["blocks"][-1]["train"] if not run[1]] == [("C", False)]
    assert alignment_blocks("A" * 5000, "A") is None
