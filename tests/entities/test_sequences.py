"""Sequences from strings and FASTA files."""

import gzip

import numpy as np
import pytest

from honesteval.entities import parse_sequences, read_fasta
from honesteval.exceptions import InvalidEntityError


def test_rna_and_dna_and_case_are_one():
    sequences = parse_sequences(["ACGTACGT", "acguacgu", " ACG\nUACGT "])
    assert sequences.kind == "nucleotide"
    assert len(set(sequences.values)) == 1


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["ACGTN", "RYKM" + 60 * "A"], "nucleotide"),
        (["RYKMSWBDHV"], "protein"),  # all nucleotide codes, but nearly none of them common
        (["MKVLA"], "protein"),
        (["GATTACA", "MKVLA"], "protein"),
    ],
)
def test_kind_is_told_by_all_letters(values, kind):
    assert parse_sequences(values).kind == kind


def test_a_stop_at_the_end_is_ignored_and_one_inside_is_an_error():
    assert parse_sequences(["MKVL*"]).values.tolist() == ["MKVL"]
    with pytest.raises(InvalidEntityError, match=r"row 1.*'\*' is no residue") as caught:
        parse_sequences(["MKVL", "MK*VL"])
    assert caught.value.rows == (1,)


def test_rows_that_hold_no_sequence_are_listed():
    values = ["MKVL", "", None, 3, "MK1L", float("nan")]
    sequences = parse_sequences(values, errors="drop")
    assert sequences.rows.tolist() == [0]
    assert sequences.excluded.rows.tolist() == [1, 2, 3, 4, 5]
    reasons = sequences.excluded.reasons
    assert reasons[0] == "empty sequence"
    assert reasons[1] == reasons[4] == "missing value"
    assert reasons[2] == "a int, not a string"
    with pytest.raises(InvalidEntityError, match="5 of 6 values"):
        parse_sequences(values)
    with pytest.raises(InvalidEntityError, match="at least one sequence"):
        parse_sequences([])


def test_ambiguous_sequences_are_counted():
    assert parse_sequences(["MKXL", "MKVL", "BZJU"]).n_ambiguous == 2
    assert parse_sequences(["ACGTNACGT" * 3, "ACGT"]).n_ambiguous == 1
    assert "2 with ambiguous" in parse_sequences(["MKXL", "MKBL"]).summary()


@pytest.mark.parametrize("compressed", [False, True])
def test_fasta_with_wrapped_lines(tmp_path, compressed):
    text = ">a|x first one\nMKV\nLA\n\n>b\nMRV\n"
    path = tmp_path / "records.fasta"
    path.write_bytes(gzip.compress(text.encode()) if compressed else text.encode())
    table = read_fasta(path)
    assert table["id"].tolist() == ["a|x", "b"]
    assert table["description"].tolist() == ["a|x first one", "b"]
    assert table["sequence"].tolist() == ["MKVLA", "MRV"]


@pytest.mark.parametrize(
    ("text", "message"), [("MKV\n", "line 1"), ("", "is empty"), ("; note\n", "no FASTA record")]
)
def test_what_is_no_fasta_says_so(tmp_path, text, message):
    path = tmp_path / "records.fasta"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        read_fasta(path)


def test_real_fasta(data_dir):
    table = read_fasta(data_dir / "sequences/netgpi/netgpi_dataset.fasta.gz")
    assert len(table) == 3618
    assert len(parse_sequences(table["sequence"])) == 3618
    promoters = read_fasta(data_dir / "sequences/deepromoter/deepromoter_tata_human.fasta.gz")
    assert parse_sequences(promoters["sequence"]).kind == "nucleotide"
    assert np.all(promoters["sequence"].str.len() == 300)
