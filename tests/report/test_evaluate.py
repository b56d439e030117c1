"""An evaluation says what was computed, from rows that no model had seen."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import mean_absolute_error

from honesteval.exceptions import HonestevalWarning, InvalidEntityError
from honesteval.report import EvaluationReport, evaluate
from honesteval.report._notes import collect_notes
from honesteval.similarity import resolve_similarity


def test_every_row_is_predicted_once_under_each_split(evaluation):
    for split in evaluation.splits:
        tested = np.concatenate([test for _, test in split.splits(np.arange(evaluation.n_rows))])
        assert sorted(tested) == list(range(evaluation.n_rows))
        assert split.n_splits == 3


def test_scores_are_those_of_the_predictions(evaluation):
    task = evaluation.tasks[0]
    for scores in task.predictors:
        expected = mean_absolute_error(task.target.values, scores.predictions)
        found = scores.scores["mae"]
        assert found.estimate == pytest.approx(expected)
        assert found.low < found.estimate < found.high
        split = evaluation.split(scores.split)
        for fold, (_, test) in enumerate(split.splits(task.rows)):
            expected = mean_absolute_error(task.target.values[test], scores.predictions[test])
            assert scores.fold_scores[fold] == pytest.approx(expected)


def test_nearest_neighbour_copies_training_labels_only(evaluation):
    task = evaluation.tasks[0]
    similarity = resolve_similarity(list(evaluation.smiles), "molecule")
    everything = np.arange(evaluation.n_rows)
    matrix = similarity.block(everything, everything)
    for split in evaluation.splits:
        found = task.of("nearest", split.name).predictions
        for train, test in split.splits(everything):
            block = matrix[np.ix_(test, train)]
            for row, line in zip(test, block, strict=True):
                tied = train[line >= line.max() - 1e-9]
                assert found[row] == pytest.approx(task.target.values[tied].mean())
                assert split.nearest_similarity[row] == pytest.approx(line.max())
                assert split.fold[split.nearest_row[row]] != split.fold[row]


def test_repeats_of_a_molecule_are_kept_and_share_a_similarity_fold(evaluation):
    repeated = np.flatnonzero(evaluation.rows == 108)[0]
    first = np.flatnonzero(evaluation.rows == 0)[0]
    assert evaluation.groups[repeated] == evaluation.groups[first]
    fold = evaluation.split("similarity").fold
    assert fold[repeated] == fold[first]


def test_rows_that_cannot_be_used_are_listed_with_reasons(evaluation):
    assert evaluation.n_input == 111
    assert evaluation.n_rows == 109
    assert evaluation.excluded.rows.tolist() == [109, 110]
    assert "ring closure" in evaluation.excluded.reasons[0]
    assert evaluation.excluded.reasons[1] == "no value of pIC50"
    assert "2 rows were left out" in evaluation.summary()


def test_raises_for_such_rows_unless_told_to_drop(smiles, values, quick):
    with pytest.raises(InvalidEntityError, match="row 108"):
        evaluate([*smiles, "C1CC"], [*values, 6.0], **quick)
    with pytest.raises(ValueError, match=r"1 of 109 rows have no value of y: row 108"):
        evaluate([*smiles, "CCO"], [*values, None], **quick)


def test_similarity_split_is_less_similar_than_random(evaluation):
    random, similarity = evaluation.splits
    assert similarity.relative_leakage < random.relative_leakage
    assert random.relative_leakage == pytest.approx(1.0, abs=0.05)
    assert similarity.nearest_similarity.mean() < random.nearest_similarity.mean()


def test_finds_signal_where_there_is_one(evaluation):
    task = evaluation.tasks[0]
    assert task.permutation.n_exceeding == 0
    assert task.of("model", "random").scores["mae"].estimate < task.chance["random"]["mae"]
    assert task.chance["similarity"]["r2"] <= 0.0


def test_finds_no_signal_in_shuffled_labels(smiles, values, quick):
    shuffled = np.random.default_rng(3).permutation(values)
    found = evaluate(smiles, shuffled, **quick)
    assert found.tasks[0].permutation.p_value > 0.05
    assert "no evidence that the model has learned anything" in found.summary()


def test_same_seed_gives_the_same_numbers_and_another_seed_other_folds(
    few_smiles, few_values, quick
):
    small = {**quick, "n_permutations": 0}
    first, again = (evaluate(few_smiles, few_values, **small) for _ in range(2))
    pd.testing.assert_frame_equal(first.to_frame(), again.to_frame())
    assert first.provenance == again.provenance
    np.testing.assert_array_equal(first.map.x, again.map.x)
    other = evaluate(few_smiles, few_values, random_state=1, **small)
    assert other.provenance["split_hashes"]["random"] != first.provenance["split_hashes"]["random"]
    assert other.provenance["data_hash"] == first.provenance["data_hash"]


def test_two_classes_are_ranked_by_the_positive_one(classified):
    task = classified.tasks[0]
    assert task.target.classes == ("inactive", "active")
    assert task.metrics[0] == "roc_auc"
    scores = task.of("model", "random")
    assert scores.ranking.min() >= 0
    assert scores.ranking.max() <= 1
    assert scores.scores["roc_auc"].estimate > 0.7
    assert task.chance["similarity"]["roc_auc"] == 0.5


def test_each_task_uses_its_own_labelled_rows(classified):
    first, second = classified.tasks
    assert len(first.rows) == 108
    assert len(second.rows) == 96
    assert second.rows.tolist() == [row for row in range(108) if row % 9]
    assert classified.to_frame()["task"].nunique() == 2


def test_more_than_two_classes(few_smiles, few_values, quick):
    names = np.array(["low", "middle", "high"], dtype=object)
    labels = names[np.digitize(few_values, np.quantile(few_values, [1 / 3, 2 / 3]))]
    found = evaluate(few_smiles, labels, **{**quick, "n_permutations": 0})
    task = found.tasks[0]
    assert task.metrics == ("balanced_accuracy", "accuracy", "mcc")
    assert task.of("model", "random").ranking is None
    assert set(task.of("nearest", "random").predictions) <= {0.0, 1.0, 2.0}


def test_takes_another_metric_estimator_and_features(few_smiles, few_values, quick):
    lengths = np.array([[len(one), one.count("c")] for one in few_smiles], dtype=float)
    own = {**quick, "estimator": LinearRegression(), "n_permutations": 0}
    found = evaluate(few_smiles, few_values, features=lengths, metric="r2", **own)
    task = found.tasks[0]
    assert task.metrics[0] == "r2"
    assert task.model_label == "LinearRegression"
    assert task.of("model", "random").nested.best_params == ({}, {}, {})
    assert found.settings["features"] == "features of the caller"


def test_takes_a_table_with_a_named_similarity(quick):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 4))
    y = X[:, 0] + 0.1 * rng.normal(size=40)
    own = {**quick, "estimator": Ridge(), "n_permutations": 0}
    found = evaluate(X, y, search_space={"alpha": [0.1, 1.0]}, similarity="rbf", **own)
    assert found.smiles is None
    assert found.tasks[0].of("model", "random").nested.best_params[0].keys() == {"alpha"}
    with pytest.raises(ValueError, match="similarity='auto'"):
        evaluate(X, y, **own)


def test_nothing_that_was_passed_is_modified(few_smiles, few_values, quick):
    entities, labels = few_smiles.copy(), few_values.copy()
    model = Ridge()
    evaluate(entities, labels, **{**quick, "estimator": model, "n_permutations": 0})
    np.testing.assert_array_equal(entities, few_smiles)
    np.testing.assert_array_equal(labels, few_values)
    assert not hasattr(model, "coef_")


@pytest.mark.parametrize(
    ("n", "options", "message"),
    [
        (4, {"n_splits": 5}, "5 folds need at least 5 molecules with a value of y; there are 4"),
        (8, {"n_splits": 5}, "5 folds with 2 inner folds each need at least 10 molecules"),
        (0, {}, "There are no rows to evaluate"),
    ],
)
def test_too_few_molecules_are_refused_before_any_fit(smiles, values, quick, n, options, message):
    with pytest.raises(ValueError, match=message):
        evaluate(smiles[:n], values[:n], **{**quick, **options})


def test_repeats_do_not_count_as_molecules(quick):
    with pytest.raises(ValueError, match="there are 2"):
        evaluate(["CCO", "CCN"] * 10, np.arange(20.0), **quick)


def test_a_rare_class_is_refused_before_any_fit(smiles, quick):
    labels = [1, *[0] * (len(smiles) - 1)]
    with pytest.raises(ValueError, match=r"The class '1' of y has 1 row, which cannot be spread"):
        evaluate(smiles, labels, **quick)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_trials": 0}, "n_trials must be an integer"),
        ({"n_splits": 1}, "n_splits must be an integer"),
        ({"n_inner_splits": 1}, "n_inner_splits must be"),
        ({"confidence_level": 1.0}, "confidence_level must be"),
        ({"errors": "ignore"}, "errors must be one of"),
        ({"task": "regresion"}, "Did you mean 'regression'"),
        ({"metric": "roc_auc"}, "metric must be one of"),
        ({"estimator": "random_forrest"}, "Did you mean 'random_forest'"),
        ({"target_names": ["a", "b"]}, "2 names were given for 1 columns"),
        ({"features": [[1.0]]}, "but 1 rows of features"),
    ],
)
def test_says_what_is_wrong_with_arguments(smiles, values, quick, options, message):
    with pytest.raises(ValueError, match=message):
        evaluate(smiles, values, **{**quick, **options})


def test_says_each_step(few_smiles, few_values, quick):
    said = []
    evaluate(few_smiles, few_values, say=said.append, **{**quick, "n_permutations": 0})
    assert said[0] == "Reading entities and labels"
    assert any("inside each similarity fold" in sentence for sentence in said)
    assert not any("permutations" in sentence for sentence in said)


def test_predictions_are_given_row_by_row(evaluation, classified):
    table = evaluation.predictions_frame()
    task = evaluation.tasks[0]
    np.testing.assert_array_equal(table["row"], evaluation.rows)
    np.testing.assert_allclose(table["pIC50"], task.target.values)
    np.testing.assert_allclose(table["pIC50_random"], task.of("model", "random").predictions)
    np.testing.assert_array_equal(table["similarity_fold"], evaluation.splits[1].fold)
    table = classified.predictions_frame()
    assert set(table.iloc[:, 6]) == {"active", "inactive"}
    assert table["second"].isna().sum() == table["second_random"].isna().sum() == 12
    assert table["second_random"].dropna().between(0, 1).all()


def test_shows_itself_in_a_notebook(evaluation):
    assert "<table" in evaluation._repr_html_()
    assert "<script>" not in evaluation._repr_html_()


def test_a_score_that_is_undefined_is_left_out_with_its_reason(few_smiles, quick):
    from sklearn.dummy import DummyClassifier

    labels = np.tile([1, 1, 1, 0], 10)
    own = {**quick, "estimator": DummyClassifier(strategy="prior"), "n_permutations": 0}
    found = evaluate(few_smiles, labels, **own)
    scores = found.tasks[0].of("model", "random")
    assert "all 40 predictions are equal" in scores.undefined["mcc"]
    assert "mcc" not in scores.scores
    assert "roc_auc" in scores.scores
    shown = EvaluationReport(found)
    assert "undefined" in shown.to_html()
    entries = {(s["predictor"], s["split"], s["metric"]): s for s in
               shown.summary["tasks"][0]["scores"]}  # fmt: skip
    assert entries["model", "random", "mcc"]["estimate"] is None
    assert entries["model", "random", "mcc"]["reason"] == scores.undefined["mcc"]
    with pytest.raises(ValueError, match="Choose another metric"):
        evaluate(few_smiles, labels, metric="mcc", **own)


def test_warnings_become_notes_once_and_others_go_on():
    def warn(notes):
        with collect_notes(notes, about="hERG"):
            for _ in range(2):
                warnings.warn("few resamples", HonestevalWarning)
            warnings.warn("old", DeprecationWarning)

    notes = []
    with pytest.warns(DeprecationWarning, match="old"):
        warn(notes)
    assert notes == ["hERG: few resamples"]


def test_classes_are_counted_among_the_rows_that_are_used(few_smiles, quick):
    """What the column was taken for counts the rows that are left, not those that were given."""
    labels = np.array(["yes", "no"] * 20, dtype=object)
    rows = [*few_smiles, "C1CC", "also nonsense", "CCO"]
    found = evaluate(
        rows, [*labels, "yes", "yes", None], errors="drop", target_names=["hit"],
        **{**quick, "n_permutations": 0},
    )  # fmt: skip
    target = found.tasks[0].target
    assert target.reason == (
        "hit was taken for 2 classes (text labels): 'no' (20 rows) and 'yes' (20 rows, the "
        "positive class)."
    )
    values = [*np.arange(40.0), 900.0, 901.0, np.nan]
    found = evaluate(rows, values, errors="drop", **{**quick, "n_permutations": 0})
    assert "(40 distinct values), from 0 to 39." in found.tasks[0].target.reason


def test_learned_nothing_guesses_what_does_best_by_each_score(evaluation):
    """The median of the training labels for the MAE, the mean for RMSE and R2, fold by fold."""
    task = evaluation.tasks[0]
    y = task.target.values
    for split in evaluation.splits:
        median, mean = np.empty(len(y)), np.empty(len(y))
        for train, test in split.splits(task.rows):
            median[test], mean[test] = np.median(y[train]), y[train].mean()
        chance = task.chance[split.name]
        assert chance["mae"] == pytest.approx(np.abs(y - median).mean())
        assert chance["rmse"] == pytest.approx(np.sqrt(((y - mean) ** 2).mean()))
        difference = task.over_nothing[split.name]
        model = task.of("model", split.name).scores["mae"].estimate
        assert difference.estimate == pytest.approx(model - chance["mae"])
        assert difference.low <= difference.estimate <= difference.high
