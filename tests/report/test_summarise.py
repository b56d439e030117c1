"""The summary is plain data that keeps to its published schema."""

import json
from importlib import resources

import jsonschema
import numpy as np
import pytest

from honesteval.report import SCHEMA_VERSION, EvaluationReport, evaluation_schema, summarise
from honesteval.report._summarise import as_plain, short_params


@pytest.mark.parametrize("name", ["evaluation", "classified"])
def test_keeps_to_the_schema(name, request):
    summary = json.loads(EvaluationReport(request.getfixturevalue(name)).to_json())
    jsonschema.validate(summary, evaluation_schema())


def test_schema_refuses_what_it_does_not_describe(evaluation):
    summary = summarise(evaluation)
    summary["tasks"][0]["verdict"]["kind"] = "excellent"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(summary, evaluation_schema())
    summary = summarise(evaluation)
    summary["more"] = 1
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(summary, evaluation_schema())


def test_schema_travels_with_the_package_and_has_the_version():
    assert resources.files("honesteval.report").joinpath("evaluation.schema.json").is_file()
    assert evaluation_schema()["properties"]["schema_version"]["const"] == SCHEMA_VERSION


def test_numbers_are_those_of_the_evaluation(evaluation):
    summary, task = summarise(evaluation), evaluation.tasks[0]
    for scores in summary["tasks"][0]["scores"]:
        found = task.of(scores["predictor"], scores["split"]).scores[scores["metric"]]
        assert (scores["estimate"], scores["low"], scores["high"]) == pytest.approx(
            (found.estimate, found.low, found.high)
        )
    for split, shown in zip(evaluation.splits, summary["splits"], strict=True):
        assert sum(shown["fold_sizes"]) == evaluation.n_rows
        assert sum(shown["nearest_similarity"]["counts"]) == evaluation.n_rows
        assert shown["scaled_leakage"] == split.scaled_leakage


def test_optimism_is_positive_when_the_inner_score_was_better(evaluation):
    for fold in summarise(evaluation)["tasks"][0]["folds"]:
        assert fold["optimism"] == pytest.approx(fold["score"] - fold["inner_best_score"])


def test_errors_and_scores_point_the_same_way_as_their_names(evaluation):
    permutation = summarise(evaluation)["tasks"][0]["permutation"]
    assert permutation["score"] > 0
    assert min(permutation["permuted_scores"]) > permutation["score"]


def test_closest_pairs_cross_folds_and_name_rows_of_the_input(evaluation):
    for split, shown in zip(evaluation.splits, summarise(evaluation)["splits"], strict=True):
        degrees = [pair["similarity"] for pair in shown["closest_pairs"]]
        assert degrees == sorted(degrees, reverse=True)
        assert degrees[0] == pytest.approx(split.nearest_similarity.max())
        fold_of = dict(zip(evaluation.rows.tolist(), split.fold.tolist(), strict=True))
        for pair in shown["closest_pairs"]:
            assert fold_of[pair["test"]["row"]] != fold_of[pair["train"]["row"]]


def test_excluded_rows_are_counted_by_reason_and_listed(evaluation):
    excluded = summarise(evaluation)["data"]["excluded"]
    assert excluded["n"] == 2
    assert sum(reason["n"] for reason in excluded["reasons"]) == 2
    assert [row["row"] for row in excluded["rows"]] == [109, 110]
    assert excluded["rows"][0]["value"] == "C1CC"


def test_what_json_cannot_hold_becomes_null_or_text():
    mixed = {1: np.float64("nan"), "b": (np.int64(2), np.inf, np.True_, None), "c": 1 + 2j}
    assert as_plain(mixed) == {"1": None, "b": [2, None, True, None], "c": "(1+2j)"}


def test_short_names_of_parameters_stay_apart():
    assert short_params({"ridge__alpha": 1.0}) == {"alpha": 1.0}
    both = {"a__alpha": 1.0, "b__alpha": 2.0}
    assert short_params(both) == both


def test_checklists_answer_what_the_run_knows_and_leave_the_rest_open(evaluation):
    lists = {entry["name"]: entry["items"] for entry in summarise(evaluation)["checklists"]}
    assert len(lists["REFORMS"]) == 32
    assert len(lists["TRIPOD+AI"]) == 52
    answers = {item["item"]: item["answer"] for item in lists["REFORMS"]}
    assert answers["1a"] is None
    assert answers["8b"] is None
    assert "2 rows were left out" in answers["4a"]
    assert (
        "109 rows, 108 molecules when repeats, salts and stereoisomers count once" in answers["3e"]
    )
    assert "19 permutations" in answers["5f"]
    answers = {item["item"]: item["answer"] for item in lists["TRIPOD+AI"]}
    assert "pIC50, similarity split: MAE" in answers["23a"]
    assert "111 rows read, 2 left out, 109 evaluated" in answers["20a"]
    folds = evaluation.tasks[0].of("model", "random").fold_scores
    assert f"pIC50, random split: folds from {folds.min():.3f} to" in answers["23b"]
    assert answers["13"] == "Does not apply: the outcome is continuous."
    assert {item.rstrip("abcdefg") for item in answers} == {str(n) for n in range(1, 28)}


def test_checklists_know_classes_and_missing_labels(classified):
    lists = {entry["name"]: entry["items"] for entry in summarise(classified)["checklists"]}
    answers = {item["item"]: item["answer"] for item in lists["REFORMS"]}
    assert "54 active" in answers["3d"]
    assert "second: 12 of 108 without a label" in answers["3f"]
    assert "permutation" not in answers["5f"]
