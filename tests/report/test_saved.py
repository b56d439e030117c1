"""An evaluation that was saved as JSON makes the same report again, or says why it cannot."""

import json

import pytest

from honesteval.report import EvaluationReport, read_evaluation, summarise

FIXTURES = ("classified", "deployed", "compared")


@pytest.fixture(scope="module", params=FIXTURES)
def report(request):
    return EvaluationReport(request.getfixturevalue(request.param))


def test_a_report_that_is_read_back_is_the_same_to_the_letter(report, tmp_path):
    path = tmp_path / "evaluation.json"
    written = report.to_json(path)
    again = EvaluationReport.from_json(path)
    assert again.evaluation is None
    assert again.summary == report.summary
    assert again.to_json() == written
    assert again.to_html() == report.to_html()
    assert again.to_markdown() == report.to_markdown()
    assert again.text() == report.text()
    assert again._repr_html_() == report._repr_html_()


def test_long_columns_stand_in_one_line_each(report):
    lines = report.to_json().splitlines()
    assert [line.partition(":")[0] for line in lines if len(line) > 2000] == [
        ' "rows"', ' "map"',
    ][: 1 + (len(report.summary["map"]["at"]) > 45)]  # fmt: skip
    assert max(len(line) for line in lines if not line.startswith((' "rows"', ' "map"'))) < 2000


def test_rows_are_those_of_the_evaluation(classified):
    rows = summarise(classified)["rows"]
    assert rows["row"] == classified.rows.tolist()
    assert rows["splits"][1]["fold"] == classified.splits[1].fold.tolist()
    task = classified.tasks[1]
    labels = rows["tasks"][1]["labels"]
    assert sum(label is None for label in labels) == classified.n_rows - len(task.rows) > 0
    assert [labels[row] for row in task.rows] == task.target.values.tolist()
    column = rows["tasks"][1]["predictions"][1]
    assert (column["model"], column["split"]) == (task.model_label, "similarity")
    ranking = task.of("model", "similarity").ranking
    assert [column["values"][row] for row in task.rows] == ranking.tolist()


def test_predictions_of_compared_models_are_kept(compared):
    columns = summarise(compared)["rows"]["tasks"][0]["predictions"]
    assert [column["model"] for column in columns] == ["ridge regression"] * 2 + ["mean", "again"]


@pytest.fixture(scope="module")
def saved(evaluation):
    return EvaluationReport(evaluation).to_json()


def change(text, *path, value):
    """Return the JSON with the value at a place changed."""
    changed = json.loads(text)
    at = changed
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return json.dumps(changed)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda text: text[:300], r"is not the JSON of an evaluation: .* line \d+"),
        (lambda text: "[1, 2]", "it holds something else"),
        (lambda text: '{"schema": "honesteval/split-audit"}', "holds 'honesteval/split-audit'"),
        (lambda text: change(text, "schema_version", value="0.9"), "version 0.9 of the schema"),
        (lambda text: change(text, "data", "n_rows", value=-1),
         "data.n_rows: -1 is less than the minimum of 0"),
        (lambda text: change(text, "tasks", 0, "metric", value=None),
         r"tasks\[0\].metric: None is not of type 'string'"),
        (lambda text: change(text, "tasks", 0, "verdict", "kind", value="great"),
         r"tasks\[0\].verdict.kind: 'great' is not one of"),
        (lambda text: change(text, "extra", value=1),
         "the document: Additional properties are not allowed .'extra' was unexpected"),
        (lambda text: change(text, "rows", "row", value="1" * 10_000),
         r"rows.row: \.\.\. 1{0,80}' is not of type 'array'\.$"),
        (lambda text: change(text, "rows", "row", value=[1, 2]), "rows.row has 2 entries for 109"),
        (lambda text: change(text, "map", "x", value=[0.5]), "map.at, map.x and map.y"),
        (lambda text: change(text, "map", "at", 0, value=500), "map.at names row 500 of 109"),
        (lambda text: text.replace('"n_rows": 109', '"n_rows": NaN'), "NaN is no JSON number"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_back_is_named(saved, tmp_path, make, message):
    path = tmp_path / "evaluation.json"
    path.write_text(make(saved), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_evaluation(path)


def test_what_is_no_text_or_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="There is no file"):
        read_evaluation(tmp_path / "none.json")
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe{}")
    with pytest.raises(ValueError, match="is not the JSON of an evaluation"):
        read_evaluation(tmp_path / "bytes.json")
