"""``report``: a saved evaluation makes its report again."""

import json

import pytest

from tests.cli.said import QUICK, sentence


@pytest.fixture(scope="module")
def written(table, tmp_path_factory):
    """An evaluation in all three forms."""
    from typer.testing import CliRunner

    from honesteval.cli import app

    folder = tmp_path_factory.mktemp("evaluated")
    table.to_csv(folder / "assay.csv", index=False)
    words = ["evaluate", folder / "assay.csv", "--target", "active", "--target", "value", *QUICK]
    for suffix in ("html", "md", "json"):
        words += ["--output", folder / f"first.{suffix}"]
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    return folder


@pytest.mark.parametrize("suffix", ["html", "md", "json"])
def test_every_form_is_the_same_to_the_letter(run, written, tmp_path, suffix):
    again = tmp_path / f"again.{suffix}"
    result = run("report", written / "first.json", "--output", again)
    assert result.exit_code == 0, result.output
    assert again.read_bytes() == (written / f"first.{suffix}").read_bytes()
    assert f"Report: {again}" in result.output
    assert "Tested on folds unlike its training data" in result.output.splitlines()[-1]


def test_prints_the_methods_paragraph_alone(run, written):
    result = run("report", written / "first.json", "--methods")
    assert result.output.startswith("48 of 48 rows could be used")
    assert len(result.output.splitlines()) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "There is no file"),
        ("{", "is not the JSON of an evaluation"),
        ('{"schema": "honesteval/split-audit"}', "honesteval evaluate ... --output"),
    ],
)
def test_says_what_it_cannot_read(run, tmp_path, content, message):
    path = tmp_path / "evaluation.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    assert message in sentence(run("report", path))


def test_names_the_place_that_is_wrong(run, written, tmp_path):
    changed = json.loads((written / "first.json").read_text(encoding="utf-8"))
    changed["tasks"][1]["scores"][0]["estimate"] = "high"
    (tmp_path / "changed.json").write_text(json.dumps(changed), encoding="utf-8")
    said = sentence(run("report", tmp_path / "changed.json"))
    assert "tasks[1].scores[0].estimate: 'high' is not of type 'number', 'null'" in said
