"""The command line: what it prints, what it writes, how it ends."""

import itertools
import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from honesteval.cli import BAD_INPUT, LEAKAGE_FOUND, app

QUICK = ["--model", "linear", "--n-splits", "3", "--n-trials", "1", "--n-permutations", "0",
         "--jobs", "1"]  # fmt: skip


@pytest.fixture(scope="module")
def table():
    parts = itertools.product(("O", "N", "Cl", "OC(=O)"), ("CC", "CCC", "CCOC"),
                              ("c1ccccc1", "c1ccncc1", "C1CCCCC1", "c1ccsc1"))  # fmt: skip
    smiles = ["".join(part) for part in parts]
    rng = np.random.default_rng(0)
    value = np.array([len(one) for one in smiles]) + rng.normal(size=len(smiles))
    return pd.DataFrame(
        {
            "structure": smiles,
            "value": value,
            "active": np.where(value > np.median(value), "yes", "no"),
            "one": 1,
            "set": np.where(rng.random(len(smiles)) < 0.3, "test", "train"),
        }
    )


@pytest.fixture
def csv(table, tmp_path):
    path = tmp_path / "assay.csv"
    table.to_csv(path, index=False)
    return path


@pytest.fixture
def run():
    runner = CliRunner()
    return lambda *words: runner.invoke(app, [str(word) for word in words])


def sentence(result):
    """The one line on standard error of a run that ended with bad input."""
    assert result.exit_code == BAD_INPUT, result.output
    lines = [line for line in result.output.splitlines() if line.startswith("Error: ")]
    assert len(lines) == 1
    assert "Traceback" not in result.output
    return lines[0]


# -- evaluate -----------------------------------------------------------------------------------


def test_evaluate_prints_the_verdict_last_and_writes_reports(run, csv, tmp_path):
    outputs = [tmp_path / name for name in ("report.html", "report.md", "report.json")]
    predictions = tmp_path / "predictions.csv"
    words = [word for path in outputs for word in ("--output", path)]
    words += ["--predictions", predictions]
    result = run("evaluate", csv, "--smiles", "structure", "--target", "value", *QUICK, *words)
    assert result.exit_code == 0, result.output
    last = result.output.strip().splitlines()[-1]
    assert "Tested on folds unlike its training data" in last
    assert "value was taken for a continuous value" in result.output
    summary = json.loads(outputs[2].read_text(encoding="utf-8"))
    assert summary["title"] == "assay.csv"
    assert summary["tasks"][0]["name"] == "value"
    for sentence_of_verdict in summary["tasks"][0]["verdict"]["sentences"]:
        assert sentence_of_verdict in last
    assert outputs[0].read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert all(f"Report: {path}" in result.output for path in outputs)
    predicted = pd.read_csv(predictions)
    assert len(predicted) == 48
    assert np.corrcoef(predicted["value"], predicted["value_random"])[0, 1] > 0.3


def test_evaluate_lists_rows_that_were_left_out(run, table, tmp_path):
    broken = table.copy()
    broken.loc[3, "structure"] = "CN(C)(C)C"
    broken.loc[7, "active"] = None
    broken.to_csv(tmp_path / "broken.csv", index=False)
    words = ("evaluate", tmp_path / "broken.csv", "--target", "active", *QUICK)
    result = run(*words)
    assert result.exit_code == 0, result.output
    assert "46 of 48 rows" in result.output
    assert "2 rows were left out" in result.output
    assert "row 3: impossible valence: N atom 1 has valence 4 (CN(C)(C)C)" in result.output
    assert "row 7: no value of active" in result.output
    assert "Column 'structure' is taken for the molecules" in result.output
    assert "row 7" in sentence(run(*words, "--errors", "raise"))


def test_evaluate_takes_molecules_to_come(run, table, csv, tmp_path):
    deploy = tmp_path / "deploy.csv"
    table[["structure"]].head(9).to_csv(deploy, index=False)
    result = run("evaluate", csv, "--target", "value", *QUICK, "--deploy", deploy)
    assert result.exit_code == 0, result.output
    assert "For the deployment set (9 rows, highest similarity to the data 1.00" in result.output


def test_evaluate_as_json_prints_nothing_else(csv):
    words = ["evaluate", str(csv), "--target", "value", "--json", *QUICK]
    result = subprocess.run(
        [sys.executable, "-m", "honesteval", *words], capture_output=True, text=True, check=True
    )
    summary = json.loads(result.stdout)
    assert summary["data"]["n_rows"] == 48
    assert "Column 'structure' is taken for the molecules" in result.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--smiles", "structur", "--target", "value"], "did you mean 'structure'?"),
        (["--target", "valu"], "has no column 'valu' (did you mean 'value'?)"),
        (["--target", "one"], "one holds one class only ('1' in all 48 rows)"),
        (["--target", "value", "--n-splits", "50"], "50 folds need at least 50 molecules"),
        (["--target", "value", "--task", "clasification"], "Did you mean 'classification'?"),
        (["--target", "value", "--metric", "auc"], "metric must be one of"),
        (["--target", "active", "--positive", "maybe"], "positive must be one of two classes"),
        (["--target", "active", "--task", "regression"], "cannot be read as numbers"),
        (["--target", "value", "--model", "forest"], "model must be one of"),
        (["--target", "value", "--output", "report.pdf"], "must end in .html"),
        (["--target", "value", "--output", "nowhere/report.html"], "There is no folder"),
        (["--target", "value", "--smiles", "set"], "cannot be read as a molecule"),
    ],
)
def test_evaluate_says_in_one_sentence_what_is_wrong(run, csv, words, message):
    assert message in sentence(run("evaluate", csv, *words))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("structure,value\n", "row"),
        ("structure,value\nCCO,1,2\n", "line 2"),
    ],
)
def test_a_file_that_holds_no_table_is_one_sentence(run, tmp_path, content, message):
    path = tmp_path / "bad.csv"
    path.write_text(content, encoding="utf-8")
    assert message in sentence(run("evaluate", path, "--target", "value")).lower()


def test_a_file_that_is_not_there_is_one_sentence(run, csv):
    assert "There is no file" in sentence(run("evaluate", csv.with_name("assai.csv"),
                                              "--target", "value"))  # fmt: skip


def test_a_traceback_is_shown_on_request(run, csv, monkeypatch):
    monkeypatch.setenv("HONESTEVAL_TRACEBACK", "1")
    result = run("evaluate", csv, "--target", "nothing")
    assert isinstance(result.exception, ValueError)


# -- compare and run files ----------------------------------------------------------------------


def test_compare_says_which_model_is_better(run, csv, tmp_path):
    words = ["compare", csv, "--target", "value", "--n-splits", "3", "--n-trials", "1",
             "--jobs", "1", "--output", tmp_path / "report.html"]  # fmt: skip
    result = run(*words)
    assert result.exit_code == 0, result.output
    assert "On the same folds unlike their training data, ridge regression" in result.output
    assert "Models on the same similarity folds" in (tmp_path / "report.html").read_text("utf-8")
    assert "compare needs two models" in sentence(run(*words, "--model", "linear"))


def test_a_run_file_repeats_a_run(run, csv, tmp_path):
    file, first, again = (tmp_path / name for name in ("run.toml", "a.json", "b.json"))
    words = ["--target", "value", *QUICK, "--random-state", "3"]
    result = run("evaluate", csv, *words, "--save-run", file, "--output", first)
    assert result.exit_code == 0, result.output
    result = run("evaluate", "--run", file, "--output", again)
    assert result.exit_code == 0, result.output
    assert again.read_text(encoding="utf-8") == first.read_text(encoding="utf-8")
    assert json.loads(first.read_text(encoding="utf-8"))["settings"]["random_state"] == 3


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("n-spits = 3", "Did you mean 'n_splits'?"),
        ("n_splits = ", "is no TOML file"),
        (None, "There is no file"),
    ],
)
def test_a_run_file_that_does_not_fit_is_one_sentence(run, csv, tmp_path, content, message):
    file = tmp_path / "run.toml"
    if content is not None:
        file.write_text(content, encoding="utf-8")
    assert message in sentence(run("evaluate", csv, "--target", "value", "--run", file))


# -- split --------------------------------------------------------------------------------------


def test_split_adds_a_column_and_keeps_the_table(run, table, csv, tmp_path):
    output = tmp_path / "folds.csv"
    result = run("split", csv, "--smiles", "structure", "--n-splits", "4", "--output", output)
    assert result.exit_code == 0, result.output
    written = pd.read_csv(output)
    assert sorted(written["fold"].unique()) == [0, 1, 2, 3]
    pd.testing.assert_frame_equal(written.drop(columns="fold"), table)
    assert "4 folds of" in result.output
    assert "scaled leakage" in result.output


def test_split_leaves_the_fold_of_unreadable_rows_empty(run, table, tmp_path):
    broken = table.copy()
    broken.loc[5, "structure"] = "C1CC"
    broken.to_csv(tmp_path / "broken.csv", index=False)
    output = tmp_path / "folds.csv"
    result = run("split", tmp_path / "broken.csv", "--n-splits", "2", "--output", output)
    written = pd.read_csv(output)
    assert written["fold"].isna().to_numpy().nonzero()[0].tolist() == [5]
    folds = [line.rsplit(",", 1)[1] for line in output.read_text().splitlines()[1:]]
    assert set(folds) == {"0", "1", ""}  # whole numbers, also beside an empty one
    assert "row 5: ring closure 1 is opened and never closed (C1CC)" in result.output
    refused = run("split", tmp_path / "broken.csv", "--n-splits", "2", "--errors", "raise")
    assert "row 5, 'C1CC'" in sentence(refused)


@pytest.mark.parametrize("suffix", [".tsv", ".parquet"])
def test_split_writes_tables_of_other_kinds(run, csv, tmp_path, suffix):
    output = tmp_path / f"folds{suffix}"
    if suffix == ".parquet":
        pytest.importorskip("pyarrow", reason="Parquet needs the extra 'parquet'")
    assert run("split", csv, "--n-splits", "2", "--output", output).exit_code == 0
    read = pd.read_parquet(output) if suffix == ".parquet" else pd.read_csv(output, sep="\t")
    assert set(read["fold"]) == {0, 1}
    assert "must end in" in sentence(run("split", csv, "--output", tmp_path / "folds.xlsx"))


def test_split_reads_standard_input_and_writes_standard_output(table):
    words = [sys.executable, "-m", "honesteval", "split", "-", "--n-splits", "2"]
    result = subprocess.run(
        words, input=table.to_csv(index=False), capture_output=True, text=True, check=True
    )
    assert result.stdout.splitlines()[0] == "structure,value,active,one,set,fold"
    assert len(result.stdout.splitlines()) == 49


def test_split_balances_classes(run, csv, tmp_path):
    output = tmp_path / "folds.csv"
    run("split", csv, "--target", "active", "--n-splits", "2", "--output", output)
    written = pd.read_csv(output)
    shares = (written["active"] == "yes").groupby(written["fold"]).mean()
    assert shares.between(0.3, 0.7).all()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--column", "set"], "has a column 'set' already"),
        (["--n-splits", "49"], "49 folds need at least 49 different molecules; there are 48"),
        (["--n-splits", "1"], "n_splits must be an integer"),
        (["--target", "activ"], "did you mean 'active'?"),
        (["--errors", "skip"], "errors must be one of 'raise', 'drop'"),
        (["--random-state", "-5"], "--random-state must be from 0"),
    ],
)
def test_split_says_in_one_sentence_what_is_wrong(run, csv, words, message):
    assert message in sentence(run("split", csv, *words))


# -- audit --------------------------------------------------------------------------------------


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


# -- all ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["evaluate", "compare", "split", "audit"])
def test_what_cannot_be_written_is_refused_before_the_work(
    run, csv, tmp_path, monkeypatch, command
):
    (tmp_path / "folder.html").mkdir()
    (tmp_path / "folder.csv").mkdir()
    suffix = ".csv" if command == "split" else ".html"
    more = {"split": [], "audit": ["--split", "set"]}.get(command, ["--target", "value"])
    for module in ("honesteval.entities.read_table",):
        monkeypatch.setattr(module, lambda *_, **__: pytest.fail("the work had begun"))
    refused = run(command, csv, *more, "--output", tmp_path / f"folder{suffix}")
    assert "is a folder" in sentence(refused)
    refused = run(command, csv, *more, "--output", tmp_path / "absent" / f"a{suffix}")
    assert "There is no folder" in sentence(refused)
    monkeypatch.setattr("os.access", lambda *_, **__: False)
    refused = run(command, csv, *more, "--output", tmp_path / f"a{suffix}")
    assert "may not be written to" in sentence(refused)


@pytest.mark.parametrize("command", ["evaluate", "compare", "split", "audit"])
def test_files_of_other_encodings_are_read_when_named(run, table, tmp_path, command):
    path = tmp_path / "latin.csv"
    table.assign(note="caf\u00e9").to_csv(path, index=False, encoding="latin-1")
    more = {"split": [], "audit": ["--split", "set"]}.get(command, ["--target", "value"])
    assert "--encoding 'cp1252'" in sentence(run(command, path, *more))
    if command in ("split", "audit"):
        assert run(command, path, *more, "--encoding", "latin-1").exit_code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--jobs", "0"], "--jobs is the number of works at a time"),
        (["--random-state", "-5"], "--random-state must be from 0 to 4294967295. Got -5."),
    ],
)
def test_numbers_out_of_range_are_named_as_on_the_command_line(run, csv, words, message):
    assert message in sentence(run("evaluate", csv, "--target", "value", *words))


@pytest.mark.parametrize("command", ["evaluate", "audit"])
def test_numbers_with_a_few_texts_are_no_classes(run, table, tmp_path, command):
    path = tmp_path / "censored.csv"
    values = table["value"].round(2).astype(str)
    values[3], values[7] = "100>", ">100"
    table.assign(value=values).to_csv(path, index=False)
    more = ["--split", "set"] if command == "audit" else []
    said = sentence(run(command, path, "--target", "value", *more))
    assert "holds numbers but for 2 of 48 values: '100>' in rows 3, 7" in said.replace(
        "'value'", ""
    )


@pytest.mark.parametrize("command", ["demo", "evaluate", "compare", "split", "audit"])
def test_help_has_an_example(run, command):
    result = run(command, "--help")
    assert result.exit_code == 0
    assert f"honesteval {command}" in " ".join(result.output.split())


def test_help_says_what_exit_codes_mean(run):
    result = run("--help")
    shown = " ".join(result.output.split())
    assert "Exit codes: 0 all well; 1 audit --fail-on found what it was told to fail on" in shown
    assert run("evaluate").exit_code == BAD_INPUT


def test_an_interruption_ends_the_workers_and_has_its_own_exit_code(run, csv, monkeypatch):
    import honesteval.report
    from honesteval.cli import INTERRUPTED, _interrupt

    def working(*_, **__):
        from joblib import Parallel, delayed

        Parallel(n_jobs=2)(delayed(abs)(number) for number in range(4))
        _interrupt()  # as a signal would

    monkeypatch.setattr(honesteval.report, "evaluate", working)
    result = run("evaluate", csv, "--target", "value")
    assert result.exit_code == INTERRUPTED == 130
    assert result.output.strip().splitlines()[-1] == "Interrupted."


def test_progress_is_for_terminals(csv):
    words = ["audit", str(csv), "--smiles", "structure", "--split", "set"]
    result = subprocess.run(
        [sys.executable, "-m", "honesteval", *words], capture_output=True, text=True, check=True,
        env={**os.environ, "COLUMNS": "80"},
    )  # fmt: skip
    assert result.stderr == ""


@pytest.mark.data
def test_bbbp_reports_its_eleven_unreadable_rows(run, data_dir, tmp_path):
    path = data_dir / "molecules" / "BBBP.csv"
    output = tmp_path / "folds.csv"
    result = run("split", path, "--smiles", "smiles", "--output", output)
    assert "11 rows were left out" in result.output
    assert pd.read_csv(output)["fold"].isna().sum() == 11
