"""The verdict says what the numbers say, in each of the four cases and no other."""

from dataclasses import replace

import numpy as np
import pytest

from honesteval.report import verdict_of
from honesteval.report._verdict import show_score
from honesteval.stats import bootstrap_difference


def difference(estimate, low, high):
    """A difference with the limits that a case needs."""
    made = bootstrap_difference([0.0, 1.0, 2.0], [0, 1, 3], [0, 2, 2], metric="mae", n_resamples=99)
    return replace(made, estimate=estimate, low=low, high=high)


BETTER, WORSE, SAME = (
    difference(-0.2, -0.3, -0.1),
    difference(0.2, 0.1, 0.3),
    difference(0.0, -0.1, 0.1),
)


def task_with(
    evaluation, *, between=SAME, over_nearest=BETTER, over_nothing=BETTER, n_exceeding=0,
    p_value=0.05,
):  # fmt: skip
    task = evaluation.tasks[0]
    permutation = replace(task.permutation, n_exceeding=n_exceeding, p_value=p_value)
    return replace(
        task,
        between_splits=between,
        over_nearest={"random": over_nearest, "similarity": over_nearest},
        over_nothing={} if over_nothing is None else {"similarity": over_nothing},
        permutation=permutation,
    )


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({}, "sound"),
        ({"between": BETTER}, "overstated"),
        ({"between": WORSE}, "sound"),
        ({"over_nearest": SAME}, "copies"),
        ({"over_nearest": WORSE, "between": BETTER}, "copies"),
        ({"over_nothing": SAME}, "guesses"),
        ({"over_nothing": WORSE, "over_nearest": SAME, "between": BETTER}, "guesses"),
        ({"over_nothing": None, "between": BETTER}, "overstated"),
        ({"n_exceeding": 3, "p_value": 0.2, "over_nothing": SAME}, "no_signal"),
        ({"n_exceeding": 3, "p_value": 0.2}, "no_signal"),
        ({"n_exceeding": 3, "p_value": 0.2, "over_nearest": SAME}, "no_signal"),
        ({"n_exceeding": 1, "p_value": 0.01}, "sound"),
        ({"n_exceeding": 0, "p_value": 0.2}, "sound"),
    ],
)
def test_says_what_the_numbers_say(evaluation, changes, kind):
    assert verdict_of(task_with(evaluation, **changes), evaluation).kind == kind


def test_a_higher_score_is_better_where_the_metric_says_so(classified):
    task = classified.tasks[0]
    assert task.metric == "roc_auc"
    changed = replace(task, over_nearest={"similarity": WORSE}, between_splits=WORSE)
    assert verdict_of(changed, classified).kind == "overstated"
    changed = replace(task, over_nearest={"similarity": BETTER})
    assert verdict_of(changed, classified).kind == "copies"


def test_sentences_hold_the_numbers(evaluation):
    task = evaluation.tasks[0]
    text = verdict_of(task, evaluation).text()
    for split in ("random", "similarity"):
        found = task.of("model", split).scores["mae"]
        assert show_score(found.estimate, "mae") in text
        assert show_score(found.low, "mae") in text
    nearest = task.of("nearest", "similarity").scores["mae"]
    assert show_score(nearest.estimate, "mae") in text
    assert "19 permutations of the labels, none" in text
    assert text.count("\n") == 0


def test_without_permutations_says_nothing_of_them(evaluation):
    changed = replace(evaluation.tasks[0], permutation=None)
    assert "permutation" not in verdict_of(changed, evaluation).text()


def test_says_data_where_there_are_no_molecules(evaluation):
    changed = task_with(evaluation, over_nearest=SAME)
    assert "new chemistry" in verdict_of(changed, evaluation).headline
    assert "new data" in verdict_of(changed, replace(evaluation, smiles=None)).headline


@pytest.mark.parametrize(
    ("value", "metric", "shown"),
    [
        (0.5034, "mae", "0.503"),
        (1.0951, "rmse", "1.10"),
        (23.456, "mae", "23.5"),
        (12345.6, "mae", "12,346"),
        (0.000123456, "mae", "0.000123"),
        (0.0, "mae", "0.000"),
        (0.91234, "roc_auc", "0.912"),
        (-0.02, "r2", "-0.020"),
    ],
)
def test_shows_the_digits_a_reader_can_use(value, metric, shown):
    assert show_score(value, metric) == shown


def test_every_metric_that_can_be_tuned_for_has_a_phrase():
    from honesteval.report._metrics import METRICS, SCORING
    from honesteval.report._verdict import _PHRASES

    tunable = {name for names in METRICS.values() for name in names if name in SCORING}
    assert tunable == set(_PHRASES) == set(SCORING)


def test_learned_nothing_scores_as_chance_does():
    from honesteval.report import resolve_target
    from honesteval.report._metrics import score_of_nothing

    target = resolve_target([0] * 80 + [1] * 20)
    expected = score_of_nothing(target, lambda _: np.empty(0))
    assert expected["roc_auc"] == 0.5
    assert expected["balanced_accuracy"] == 0.5
    assert 0.2 < expected["average_precision"] < 0.25
    y = np.arange(10.0)
    guessed = {"mae": np.full(10, y[0]), "rmse": np.full(10, 4.5), "r2": np.full(10, 4.5)}
    expected = score_of_nothing(resolve_target(y, task="regression"), guessed.get)
    assert expected["mae"] == pytest.approx(4.5)
    assert expected["rmse"] == pytest.approx(y.std())
    assert expected["r2"] == pytest.approx(0.0)


@pytest.mark.parametrize("between", [SAME, BETTER])
@pytest.mark.parametrize(
    ("n_exceeding", "p_value", "is_claimed"), [(0, 0.05, True), (1, 0.04, True), (0, 0.25, False)]
)
def test_learning_is_claimed_only_where_a_test_has_shown_it(
    evaluation, between, n_exceeding, p_value, is_claimed
):
    task = task_with(evaluation, between=between, n_exceeding=n_exceeding, p_value=p_value)
    text = verdict_of(task, evaluation).text()
    assert ("has learned something" in text) == is_claimed
    assert ("too few to show that anything was learned" in text) == (not is_claimed)
    untested = verdict_of(replace(task, permutation=None), evaluation)
    assert "learned" not in untested.headline


def test_says_how_far_a_guess_gets_only_where_the_model_does_not_beat_it(evaluation):
    words = "Always guessing the median of the training labels is off by"
    assert words not in verdict_of(task_with(evaluation), evaluation).text()
    for over_nothing, outcome in ((SAME, "is not clearly worse than"), (WORSE, "beats")):
        found = verdict_of(task_with(evaluation, over_nothing=over_nothing), evaluation)
        assert words in found.text()
        assert f"which {outcome} the model" in found.text()
        assert found.headline == (
            "On new chemistry the model does no better than always guessing the median of the "
            "training labels"
        )


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ("mae", "always guessing the median of the training labels"),
        ("rmse", "always guessing the mean of the training labels"),
        ("roc_auc", "a random ranking"),
        ("accuracy", "always guessing the most frequent class of the training rows"),
    ],
)
def test_names_the_best_guess_by_the_metric(metric, words):
    from honesteval.report._verdict import _guess

    assert _guess(metric) == words


def test_says_what_each_score_stands_for_where_they_differ(evaluation, deployed):
    text = verdict_of(task_with(evaluation, between=BETTER), evaluation).text()
    near, far = (split.nearest_similarity.mean() for split in evaluation.splits)
    assert near > far
    assert f"(highest similarity {near:.2f} on average), or as far from it" in text
    assert "Which of the two" not in verdict_of(task_with(evaluation), evaluation).text()
    met = verdict_of(replace(deployed.tasks[0], between_splits=BETTER), deployed).text()
    assert "Which of the two" not in met  # the deployment set answers that


@pytest.mark.parametrize("nearer", ["random", "similarity"])
def test_the_headline_is_about_the_deployment_where_it_is_known(deployed, nearer):
    task = deployed.tasks[0]
    weights = {"random": 5.0, "similarity": 5.0, nearer: 30.0}
    by_similarity = {
        split: replace(found, deployment=replace(found.deployment, effective_n=weights[split]))
        for split, found in task.by_similarity.items()
    }
    changed = replace(
        task, by_similarity=by_similarity, between_splits=BETTER,
        over_nearest={"similarity": BETTER}, over_nothing={"similarity": BETTER},
    )  # fmt: skip
    found = verdict_of(changed, deployed)
    assert found.kind == "overstated"
    there = by_similarity[nearer].deployment.estimate
    assert found.headline == f"For the deployment set expect about MAE {show_score(there, 'mae')}"
    worse = replace(changed, over_nearest={"similarity": WORSE})
    assert "copying the label" in verdict_of(worse, deployed).headline
