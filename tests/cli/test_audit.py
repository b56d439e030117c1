"""``audit``: tables, files, sequences and pairs; how it ends."""

import json

import numpy as np
import pandas as pd
import pytest

from honesteval.cli import LEAKAGE_FOUND
from tests.cli.said import sentence


@pytest.fixture
def leaky(table, tmp_path):
    """A table in which test rows repeat training rows."""
    train = table[table["set"] == "train"]
    path = tmp_path / "leaky.csv"
    pd.concat([train, train.assign(set="test").head(12)]).to_csv(path, index=False)
    return path


def test_audit_finds_repeats_and_draws_them(run, leaky, tmp_path):
    output = tmp_path / "audit.html"
    result = run("audit", leaky, "--split", "set", "--target", "value", "--output", output)
    assert result.exit_code == 0, result.output
    assert result.output.strip().splitlines()[-1].startswith("This split leaks.")
    assert "12 of 12 test rows" in result.output
    page = output.read_text(encoding="utf-8")
    assert "Similarity 1.00" in page
    assert "Molecule of row" in page


def test_audit_fails_only_when_told_to_and_when_there_is_something(run, leaky, csv):
    words = ("--split", "set", "--fail-on")
    assert run("audit", leaky, *words, "error").exit_code == LEAKAGE_FOUND
    result = run("audit", csv, *words, "error")
    assert result.exit_code == 0, result.output
    assert "This split leaks" not in result.output


def test_audit_as_json_and_sarif(run, leaky, tmp_path):
    output = tmp_path / "audit.sarif"
    result = run("audit", leaky, "--smiles", "structure", "--split", "set", "--json",
                 "--output", output)  # fmt: skip
    assert result.exit_code == 0, result.output
    assert '"honesteval/split-audit"' in result.output
    assert json.loads(output.read_text(encoding="utf-8"))["version"] == "2.1.0"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--split", "sett"], "did you mean 'set'?"),
        (["--split", "set", "--fail-on", "all"], "--fail-on takes error, warning or info"),
        (["--split", "set", "--output", "audit.txt"], "must end in .html, .md, .json, .sarif"),
        ([], "Name the column of the parts with --split"),
        (["--split", "set", "--pair", "structure"], "each of two columns or more"),
        (["--split", "set", "--pair", "one", "--smiles", "structure"], "one of --smiles"),
        (["--split", "set", "--group", "grp"], "no column 'grp'"),
    ],
)
def test_audit_says_in_one_sentence_what_is_wrong(run, csv, words, message):
    assert message in sentence(run("audit", csv, *words))


def test_audit_takes_a_file_per_part(run, leaky, tmp_path):
    table = pd.read_csv(leaky)
    for part in ("train", "test"):
        table[table["set"] == part].to_csv(tmp_path / f"my_{part}.csv", index=False)
    files = tmp_path / "my_train.csv", tmp_path / "my_test.csv"
    output = tmp_path / "audit.sarif"
    result = run("audit", *files, "--smiles", "structure", "--output", output, "--fail-on", "error")
    assert result.exit_code == LEAKAGE_FOUND, result.output
    assert "are my_test.csv (test)." in result.output
    assert "12 of 12 test rows" in result.output
    assert "my_test.csv" in output.read_text(encoding="utf-8")
    assert "several files are the parts" in sentence(run("audit", *files, "--split", "set"))
    assert "does not say" in sentence(run("audit", leaky, files[0]))


def test_audit_takes_sequences_and_pairs(run, tmp_path):
    rng = np.random.default_rng(0)
    proteins = ["".join(rng.choice(list("ACDEFGHIKLMNPQRSTVWY"), 60)) for _ in range(20)]
    for part, some in (("train", proteins[:15]), ("test", [proteins[0], *proteins[15:]])):
        lines = "".join(f">p{number}\n{text}\n" for number, text in enumerate(some))
        (tmp_path / f"{part}.fasta").write_text(lines)
    result = run("audit", tmp_path / "train.fasta", tmp_path / "test.fasta")
    assert "1 of 6 test rows (16.7%) have the same sequence" in result.output
    pairs = pd.DataFrame({"a": proteins[:4] * 5, "b": proteins[4:8] * 5,
                          "set": ["train"] * 12 + ["test"] * 8, "day": range(20)})  # fmt: skip
    pairs.to_csv(tmp_path / "pairs.csv", index=False)
    words = ("--pair", "a", "--pair", "b", "--split", "set", "--time", "day", "--group", "a")
    result = run("audit", tmp_path / "pairs.csv", *words)
    assert "HE134" in result.output
    assert "8 of 8 test pairs are in training" in result.output
    assert "No training row is later" in result.output


def test_audit_takes_predictions_and_features(run, leaky):
    table = pd.read_csv(leaky)
    table["guess"] = table["value"]
    table.to_csv(leaky, index=False)
    words = ("--smiles", "structure", "--split", "set", "--target", "value")
    result = run("audit", leaky, *words, "--prediction", "guess", "--feature", "one",
                 "--feature", "guess")  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "No model or predictions were given" not in result.output
    assert "No table of features was given" not in result.output


def test_each_part_is_counted_by_its_own_name(run, table, tmp_path):
    parts = np.repeat(["train", "valid", "test"], [30, 10, 8])
    table.assign(part=parts).to_csv(tmp_path / "parts.csv", index=False)
    result = run("audit", tmp_path / "parts.csv", "--split", "part")
    assert "8 test rows against 30 train rows" in result.output
    assert "10 valid rows against 30 train rows" in result.output
    assert "8 test rows against 10 valid rows" in result.output


def test_audit_looks_at_features_alone_where_there_are_no_molecules(run, tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(60, 2)), columns=["age", "weight"])
    table["ill"] = (table["age"] > 0).astype(int)
    table["patient"] = np.arange(60) // 3
    table["set"] = np.where(np.arange(60) % 3, "train", "test")
    table.to_csv(tmp_path / "cohort.csv", index=False)
    words = ("audit", tmp_path / "cohort.csv", "--split", "set", "--target", "ill")
    named = run(*words, "--group", "patient", "--feature", "age", "--feature", "weight")
    assert named.exit_code == 0, named.output
    assert "the features are looked at alone" in named.output
    assert "HE203 Groups on both sides: ERROR" in named.output
    assert "No table of features was given" not in named.output
    assert "Not applicable: HE102, HE103. The entities are not molecules." in named.output
    assert "--feature" in sentence(run(*words))
