"""Models side by side on the same folds."""

import jsonschema
import numpy as np
import pytest
from sklearn.dummy import DummyRegressor

from honesteval.report import EvaluationReport, ScoresDisplay, evaluate, evaluation_schema


def test_every_model_is_scored_on_the_same_similarity_folds(compared):
    task = compared.tasks[0]
    assert list(task.others) == ["mean", "again"]
    for scores in task.others.values():
        assert scores.split == "similarity"
        np.testing.assert_array_equal(
            np.concatenate(scores.nested.test_indices),
            np.concatenate(task.of("model", "similarity").nested.test_indices),
        )


def test_a_model_is_equal_to_itself_and_better_than_the_mean(compared):
    pairs = {
        frozenset((row["a"], row["b"])): row
        for row in EvaluationReport(compared).summary["tasks"][0]["model_comparison"]["pairs"]
    }
    same = pairs[frozenset(("ridge regression", "again"))]
    assert same["difference"] == pytest.approx(0.0)
    assert same["conclusion"] == "equivalent"
    other = pairs[frozenset(("ridge regression", "mean"))]
    sign = 1 if other["a"] == "mean" else -1
    assert sign * other["difference"] > 0
    assert other["low"] <= other["difference"] <= other["high"]


def test_is_in_every_form_of_the_report(compared):
    report = EvaluationReport(compared)
    jsonschema.validate(report.summary, evaluation_schema())
    html, text = report.to_html(), report.text()
    assert "Models on the same similarity folds" in html
    assert "again minus" in html.replace("ridge regression minus again", "again minus")
    assert "Models on the same folds" in report.to_markdown()
    assert "On the same folds unlike their training data, mean has MAE" in text
    assert [row.label for row in ScoresDisplay.from_evaluation(compared).rows[-2:]] == [
        "mean", "again",
    ]  # fmt: skip


def test_without_other_models_nothing_is_compared(evaluation):
    assert evaluation.tasks[0].comparison is None
    assert EvaluationReport(evaluation).summary["tasks"][0]["model_comparison"] is None
    assert "on the same folds" not in EvaluationReport(evaluation).text().lower()


def test_names_must_differ(few_smiles, few_values, quick):
    with pytest.raises(ValueError, match="need different names"):
        evaluate(few_smiles, few_values, other_models=["linear"], **quick)


def test_takes_a_pair_of_estimator_and_search_space(few_smiles, few_values, quick):
    from sklearn.linear_model import Ridge

    pair = (Ridge(), {"alpha": [1.0, 100.0]})
    found = evaluate(
        few_smiles, few_values, other_models={"plain ridge": pair},
        **{**quick, "estimator": DummyRegressor(), "n_permutations": 0},
    )  # fmt: skip
    nested = found.tasks[0].others["plain ridge"].nested
    assert set(nested.best_params[0]) == {"alpha"}


def test_the_margin_is_said_with_its_unit(compared):
    (task,) = EvaluationReport(compared).summary["tasks"]
    found = task["model_comparison"]
    chance = task["metrics"][0]["chance"]["similarity"]
    assert found["margin"] == pytest.approx(0.02 * chance)
    assert found["margin_reason"] == (
        "of MAE, in the unit of pIC50: 2 % of the error of always guessing the median of the "
        "training labels"
    )
    for form in (EvaluationReport(compared).to_markdown(), EvaluationReport(compared).to_html()):
        assert found["margin_reason"] in form
        assert "are taken not to matter" in form
