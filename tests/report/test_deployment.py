"""The score that belongs to the molecules a model will meet."""

import jsonschema
import numpy as np
import pytest
from sklearn.linear_model import Ridge

from honesteval.exceptions import InvalidEntityError
from honesteval.report import (
    EvaluationReport,
    SimilarityHistogramDisplay,
    evaluate,
    evaluation_schema,
)
from honesteval.similarity import resolve_similarity


def test_similarity_to_the_data_is_the_highest_to_any_row(deployed, few_smiles, smiles):
    joint = resolve_similarity([*few_smiles, *smiles[40:80]], "molecule")
    block = joint.block(np.arange(40, 80), np.arange(40))
    np.testing.assert_allclose(deployed.deployment.nearest_similarity, block.max(axis=1))


def test_rows_that_cannot_be_read_are_listed(deployed):
    assert deployed.deployment.n_input == 41
    assert deployed.deployment.excluded.rows.tolist() == [40]
    assert len(deployed.excluded) == 0


def test_raises_for_such_rows_unless_told_to_drop(few_smiles, few_values, quick):
    with pytest.raises(InvalidEntityError, match="row 1"):
        evaluate(few_smiles, few_values, deployment=["CCO", "C1CC"], **quick)


def test_quotes_the_split_that_carries_the_score_better(deployed):
    task = deployed.tasks[0]
    split, found = task.for_deployment
    for other in task.by_similarity.values():
        assert found.effective_n >= other.deployment.effective_n
    text = deployed.summary()
    assert "For the deployment set (40 rows" in text
    assert f"the {split} split says MAE" in text


def test_is_in_every_form_of_the_report(deployed):
    report = EvaluationReport(deployed)
    jsonschema.validate(report.summary, evaluation_schema())
    assert report.summary["data"]["deployment"]["n_rows"] == 40
    assert len(report.summary["tasks"][0]["deployment"]) == 2
    html = report.to_html()
    assert "On the deployment set" in html
    assert "1 rows of the deployment set could not be read" in html
    assert "deployment set" in report.to_markdown()
    display = SimilarityHistogramDisplay.from_evaluation(deployed)
    assert display.counts["deployment"].sum() == 40


def test_without_a_deployment_set_nothing_is_said_of_it(evaluation):
    assert evaluation.deployment is None
    assert evaluation.tasks[0].for_deployment is None
    assert "deployment" not in EvaluationReport(evaluation).to_markdown()


def test_tables_are_compared_with_the_measure_that_was_named(quick):
    rng = np.random.default_rng(0)
    X, met = rng.normal(size=(40, 3)), rng.normal(size=(7, 3))
    own = {**quick, "estimator": Ridge(), "n_permutations": 0}
    found = evaluate(X, X[:, 0], similarity="cosine", deployment=met, **own)
    joint = resolve_similarity(np.concatenate([X, met]), "cosine")
    expected = joint.block(np.arange(40, 47), np.arange(40)).max(axis=1)
    np.testing.assert_allclose(found.deployment.nearest_similarity, expected)


@pytest.mark.parametrize(
    ("similarity", "deployment", "message"),
    [
        ("precomputed", [[0.0] * 12], "similarity='precomputed' cannot"),
        ("cosine", [[0.0] * 3], "must have the columns of X"),
        (None, [[0.0] * 12], "pass similarity as a name or a function"),
    ],
)
def test_says_what_does_not_fit(quick, similarity, deployment, message):
    table = np.eye(12) * 0.5 + 0.5
    measure = resolve_similarity(table, "precomputed") if similarity is None else similarity
    own = {**quick, "estimator": Ridge(), "n_permutations": 0}
    with pytest.raises(ValueError, match=message):
        evaluate(table, np.arange(12.0), similarity=measure, deployment=deployment, **own)
