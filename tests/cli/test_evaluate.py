"""``evaluate`` and ``compare``: what they print and write, and what they refuse."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from tests.cli.said import QUICK, sentence


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
        (["--target", "value", "--metric", "auc"], "--metric must be one of"),
        (["--target", "active", "--positive", "maybe"], "positive must be one of two classes"),
        (["--target", "active", "--task", "regression"], "cannot be read as numbers"),
        (["--target", "value", "--model", "forest"], "--model must be one of"),
        (["--target", "value", "--output", "report.pdf"], "must end in .html"),
        (["--target", "value", "--output", "nowhere/report.html"], "There is no folder"),
        (["--target", "value", "--feature", "set"], "holds text, and models learn from numbers"),
        (["--target", "value", "--predictions", "p.sdf"], "must end in .csv, .tsv, .parquet"),
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


def test_compare_says_which_model_is_better(run, csv, tmp_path):
    words = ["compare", csv, "--target", "value", "--n-splits", "3", "--n-trials", "1",
             "--jobs", "1", "--output", tmp_path / "report.html"]  # fmt: skip
    result = run(*words)
    assert result.exit_code == 0, result.output
    assert "On the same folds unlike their training data, ridge regression" in result.output
    assert "Models on the same similarity folds" in (tmp_path / "report.html").read_text("utf-8")
    assert "compare needs two models" in sentence(run(*words, "--model", "linear"))


def test_evaluate_takes_features_of_the_table(run, table, tmp_path):
    rng = np.random.default_rng(0)
    table.assign(size=table["value"] + rng.normal(0, 0.1, 48), noise=rng.normal(size=48)).to_csv(
        tmp_path / "features.csv", index=False
    )
    words = ("evaluate", tmp_path / "features.csv", "--target", "value", *QUICK)
    result = run(*words, "--feature", "size", "--feature", "noise", "--output", tmp_path / "a.json")
    assert result.exit_code == 0, result.output
    summary = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert summary["data"]["features"] == "features of the caller"
    (r2,) = (found["estimate"] for found in summary["tasks"][0]["scores"]
             if (found["predictor"], found["split"], found["metric"]) ==
             ("model", "similarity", "r2"))  # fmt: skip
    assert r2 > 0.9  # the feature is the label but for a little noise


def test_evaluate_takes_sequences(run, tmp_path):
    rng = np.random.default_rng(0)
    lines = []
    for number in range(40):
        rich = "K" * (number % 2 * 20)
        text = "".join(rng.permutation(list("ACDEFGHIKLMNPQRSTVWY" * 3 + rich)))
        lines.append(f">p{number} label={number % 2}\n{text}\n")
    lines.append(">odd label=1\nACDE1\n")
    (tmp_path / "p.fasta").write_text("".join(lines))
    result = run("evaluate", tmp_path / "p.fasta", "--target", "label", *QUICK)
    assert result.exit_code == 0, result.output
    assert "40 of 41 rows" in result.output
    assert "'1' is no residue" in result.output
    assert "learned nothing" in result.output
    scores = next(line for line in result.output.splitlines() if "logistic regression" in line)
    assert float(scores.split()[2]) > 0.9


@pytest.mark.parametrize("metric", ["neg_mean_absolute_error", "mean_absolute_error", "MAE"])
def test_a_metric_goes_by_the_names_of_scikit_learn_too(run, csv, metric):
    result = run("evaluate", csv, "--target", "value", *QUICK, "--metric", metric)
    assert result.exit_code == 0, result.output
    assert "MAE [95 % interval]" in result.output
