"""The search estimator: choosing, scoring, pruning, failing, going on."""

import pickle
import time

import numpy as np
import optuna
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from scipy.stats import loguniform
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.datasets import load_iris, make_classification, make_regression
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import make_scorer, r2_score
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from honesteval.exceptions import HonestevalWarning
from honesteval.tuning import OptunaSearchCV
from tests.tuning.recording_models import Failing

SPACE = {"alpha": loguniform(1e-3, 1e3)}


@pytest.fixture(scope="module")
def regression():
    return make_regression(80, 5, noise=20, random_state=0)


@pytest.fixture(scope="module")
def classification():
    return make_classification(90, 6, random_state=0)


def _search(**arguments):
    return OptunaSearchCV(
        Ridge(), SPACE, **{"n_trials": 6, "cv": 3, "random_state": 0, **arguments}
    )


def _same(first, second):
    for key, values in first.cv_results_.items():
        if "_time" not in key and key != "params":
            np.testing.assert_array_equal(np.ma.getdata(values), second.cv_results_[key])
    assert first.best_params_ == second.best_params_


# ---------------------------------------------------------------- results


def test_best_attributes_agree_with_the_table(regression):
    search = _search().fit(*regression)
    results = search.cv_results_
    assert search.best_index_ == np.argmax(results["mean_test_score"])
    assert search.best_score_ == results["mean_test_score"].max()
    assert search.best_params_ == results["params"][search.best_index_]
    assert results["rank_test_score"][search.best_index_] == 1
    assert list(results["trial_number"]) == list(range(6))
    assert set(results["trial_state"]) == {"complete"}
    splits = np.array([results[f"split{fold}_test_score"] for fold in range(3)])
    np.testing.assert_allclose(results["mean_test_score"], splits.mean(axis=0))
    assert search.predict(regression[0]).shape == (80,)


def test_each_score_is_the_one_scikit_learn_computes(regression):
    X, y = regression
    folds = KFold(4, shuffle=True, random_state=3)
    search = _search(cv=folds).fit(X, y)
    for params, mean in zip(
        search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True
    ):
        assert mean == pytest.approx(cross_val_score(Ridge(**params), X, y, cv=folds).mean())


def test_the_same_grid_gives_the_choice_of_grid_search(classification):
    X, y = classification
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    grid = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5, 15]}, cv=folds).fit(X, y)
    search = OptunaSearchCV(
        KNeighborsClassifier(), {"n_neighbors": [1, 5, 15]}, n_trials=12, cv=folds, random_state=0
    ).fit(X, y)
    assert search.best_score_ == grid.best_score_


def test_the_same_seed_gives_the_same_search_and_another_seed_another(regression):
    first, again = _search().fit(*regression), _search().fit(*regression)
    _same(first, again)
    other = _search(random_state=1).fit(*regression)
    assert first.cv_results_["params"] != other.cv_results_["params"]


def test_the_number_of_workers_changes_nothing(regression):
    _same(_search(n_trials=14).fit(*regression), _search(n_trials=14, n_jobs=2).fit(*regression))


def test_the_second_batch_learns_from_the_first(regression):
    """TPE draws other settings than random search once it has seen ten."""
    tpe = _search(n_trials=20).fit(*regression)
    random = _search(n_trials=20, sampler="random").fit(*regression)
    assert tpe.cv_results_["params"][:8] == random.cv_results_["params"][:8]
    assert tpe.cv_results_["params"][12:] != random.cv_results_["params"][12:]


def test_nothing_passed_is_modified(regression):
    X, y = regression[0].copy(), regression[1].copy()
    sampler = optuna.samplers.RandomSampler(seed=1)
    state = sampler._rng.rng.get_state()[1].copy()
    search = _search(sampler=sampler)
    before = search.get_params()
    search.fit(X, y)
    np.testing.assert_array_equal(X, regression[0])
    np.testing.assert_array_equal(y, regression[1])
    assert {k: v for k, v in search.get_params().items() if k != "search_space"} == {
        k: v for k, v in before.items() if k != "search_space"
    }
    np.testing.assert_array_equal(sampler._rng.rng.get_state()[1], state)


def test_optuna_keeps_quiet_and_keeps_its_log_level(regression, capfd):
    level = optuna.logging.get_verbosity()
    _search(n_trials=2).fit(*regression)
    assert optuna.logging.get_verbosity() == level
    captured = capfd.readouterr()
    assert captured.out + captured.err == ""


def test_a_fitted_search_can_be_pickled_and_cloned(regression):
    search = _search(n_trials=3).fit(*regression)
    again = pickle.loads(pickle.dumps(search))
    np.testing.assert_array_equal(again.predict(regression[0]), search.predict(regression[0]))
    assert not hasattr(clone(search), "best_params_")


# ---------------------------------------------------------------- rows of every kind


class SmilesLength(TransformerMixin, BaseEstimator):
    """Stands for a step that turns SMILES into numbers."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return np.array([[len(text), text.count("C")] for text in X], dtype=float)


@pytest.mark.parametrize("kind", [list, np.array, pd.Series])
def test_strings_go_through_a_pipeline(kind):
    smiles = ["C" * n + "O" * (n % 3) for n in range(1, 41)]
    y = np.arange(40) % 3 == 0
    search = OptunaSearchCV(
        make_pipeline(SmilesLength(), DecisionTreeClassifier(random_state=0)),
        {"decisiontreeclassifier__max_depth": [1, 2, 3]},
        n_trials=3,
        cv=2,
        random_state=0,
    ).fit(kind(smiles), y)
    assert len(search.predict(kind(smiles))) == 40


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csr_array, pd.DataFrame, pl.DataFrame])
def test_tables_give_the_same_as_arrays(regression, kind):
    X, y = regression
    plain = _search(n_trials=3).fit(X, y)
    frame = kind(X, columns=list("abcde")) if kind is pd.DataFrame else kind(X)
    search = _search(n_trials=3).fit(frame, y)
    np.testing.assert_allclose(
        search.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"], rtol=1e-4
    )


def test_a_precomputed_kernel_is_sliced_on_both_sides(classification):
    from sklearn.metrics.pairwise import rbf_kernel
    from sklearn.svm import SVC

    X, y = classification
    folds = StratifiedKFold(3)
    plain = OptunaSearchCV(
        SVC(gamma=0.1), {"C": [0.1, 1.0, 10.0]}, n_trials=3, cv=folds, random_state=0
    ).fit(X, y)
    kernel = OptunaSearchCV(
        SVC(kernel="precomputed"), {"C": [0.1, 1.0, 10.0]}, n_trials=3, cv=folds, random_state=0
    ).fit(rbf_kernel(X, gamma=0.1), y)
    np.testing.assert_allclose(
        plain.cv_results_["mean_test_score"], kernel.cv_results_["mean_test_score"]
    )


# ---------------------------------------------------------------- several scores, refit


def test_several_scores_with_the_name_of_the_one_to_maximise(classification):
    search = OptunaSearchCV(
        LogisticRegression(),
        {"C": loguniform(1e-4, 1e2)},
        n_trials=5,
        cv=3,
        scoring=["accuracy", "roc_auc"],
        refit="roc_auc",
        return_train_score=True,
        random_state=0,
    ).fit(*classification)
    results = search.cv_results_
    assert search.best_score_ == results["mean_test_roc_auc"].max()
    assert {"mean_test_accuracy", "mean_train_accuracy", "rank_test_accuracy"} <= set(results)
    assert search.multimetric_
    assert search.score(*classification) == search.scorer_["roc_auc"](
        search.best_estimator_, *classification
    )


def test_several_scores_need_a_name(classification):
    search = OptunaSearchCV(
        LogisticRegression(), {"C": [1.0]}, scoring=["accuracy", "roc_auc"], n_trials=1
    )
    with pytest.raises(ValueError, match=r"name of the score to maximise \(accuracy, roc_auc\)"):
        search.fit(*classification)


def test_refit_may_be_a_rule(regression):
    def largest_alpha(results):
        return int(np.argmax([params["alpha"] for params in results["params"]]))

    search = _search(refit=largest_alpha).fit(*regression)
    assert search.best_params_["alpha"] == max(p["alpha"] for p in search.cv_results_["params"])
    with pytest.raises(ValueError, match="index of a trial"):
        _search(refit=lambda results: 99).fit(*regression)


def test_without_refit_there_is_a_choice_but_no_model(regression):
    search = _search(refit=False).fit(*regression)
    assert "alpha" in search.best_params_
    assert not hasattr(search, "best_estimator_")


def test_scorers_may_be_functions(regression):
    X, y = regression
    by_name = _search(scoring="r2").fit(X, y)
    made = _search(scoring=make_scorer(r2_score)).fit(X, y)
    plain = _search(scoring=lambda model, X, y: r2_score(y, model.predict(X))).fit(X, y)
    several = _search(
        scoring=lambda model, X, y: {"a": r2_score(y, model.predict(X)), "b": 0.0}, refit="a"
    ).fit(X, y)
    for search in (made, plain, several):
        assert search.best_score_ == by_name.best_score_
    assert several.multimetric_


def test_a_score_that_is_no_number_is_named(regression):
    with pytest.raises(ValueError, match="must return a number"):
        _search(scoring=lambda model, X, y: "good").fit(*regression)


# ---------------------------------------------------------------- failing trials


def test_when_all_trials_fail_the_first_error_is_raised():
    X, y = np.zeros((20, 1)), np.arange(20) % 2
    search = OptunaSearchCV(Failing(), {"at": [0.7, 0.9]}, n_trials=5, cv=2, random_state=0)
    with pytest.raises(
        ValueError, match=r"All 5 trials failed.*RuntimeError: at=0\.[79]0"
    ) as caught:
        search.fit(X, y)
    (whole,) = caught.value.__notes__
    assert "\n" not in str(caught.value)
    assert "Traceback (most recent call last):\n" in whole
    assert "RuntimeError: at=0." in whole


def test_an_error_of_many_lines_is_said_by_its_first_and_kept_whole():
    class Wordy(LogisticRegression):
        def fit(self, X, y):
            raise ValueError("\nthe first line\n\n  and a second\n")

    search = OptunaSearchCV(Wordy(), {"C": [1.0]}, n_trials=1, cv=2)
    with pytest.raises(
        ValueError, match=r"error was ValueError: the first line \[\.\.\.\]\n"
    ) as caught:
        search.fit(np.zeros((20, 1)), np.arange(20) % 2)
    assert "\n  and a second" in caught.value.__notes__[0]


def test_a_hopeless_search_does_not_go_on_to_its_end():
    from honesteval.tuning._trials import FAILURES_BEFORE_GIVING_UP

    X, y = np.zeros((20, 1)), np.arange(20) % 2
    search = OptunaSearchCV(Failing(), {"at": [0.7, 0.9]}, n_trials=500, cv=2, random_state=0)
    with pytest.raises(ValueError, match=r"All (\d+) trials failed") as caught:
        search.fit(X, y)
    number = int(str(caught.value).split()[1])
    assert FAILURES_BEFORE_GIVING_UP <= number < FAILURES_BEFORE_GIVING_UP + search.batch_size


def test_some_failing_trials_are_counted_and_said():
    X, y = np.zeros((20, 1)), np.arange(20) % 2
    space = {"at": [0.0, 0.9]}
    search = OptunaSearchCV(Failing(), space, n_trials=10, cv=2, random_state=0)
    with pytest.warns(HonestevalWarning, match=r"of 10 trials failed.*at=0\.90 is too much"):
        search.fit(X, y)
    failed = [params["at"] == 0.9 for params in search.cv_results_["params"]]
    assert search.n_failed_trials_ == sum(failed) > 0
    assert list(search.cv_results_["trial_state"] == "fail") == failed
    assert search.best_params_ == {"at": 0.0}
    assert "at=0.90" in search.first_error_


def test_error_score_may_be_a_number_or_an_end():
    X, y = np.zeros((20, 1)), np.arange(20) % 2
    search = OptunaSearchCV(
        Failing(), {"at": [0.0, 0.9]}, n_trials=10, cv=2, error_score=-1.0, random_state=0
    )
    with pytest.warns(HonestevalWarning, match="0 of 10 trials failed"):
        search.fit(X, y)
    assert search.cv_results_["mean_test_score"].min() == -1.0
    with pytest.raises(RuntimeError, match="too much"):
        search.set_params(error_score="raise").fit(X, y)


def test_a_lost_score_is_a_failed_trial(regression):
    def sometimes(model, X, y):
        return float("nan") if model.alpha > 1 else 1.0

    with pytest.warns(HonestevalWarning, match="a score that is not a number"):
        search = _search(scoring=sometimes, n_trials=10).fit(*regression)
    assert search.best_params_["alpha"] <= 1
    with pytest.raises(ValueError, match="no score was a number"):
        _search(scoring=lambda model, X, y: float("nan")).fit(*regression)


# ---------------------------------------------------------------- conditional, warm start, pruning


def test_pipelines_may_be_chosen(classification):
    def space(trial):
        if trial.suggest_categorical("kind", ["bayes", "logistic"]) == "bayes":
            return GaussianNB()
        return make_pipeline(
            StandardScaler(), LogisticRegression(C=trial.suggest_float("C", 1e-3, 10, log=True))
        )

    search = OptunaSearchCV(GaussianNB(), space, n_trials=12, cv=3, random_state=0)
    search.fit(*classification)
    kinds = {params["kind"] for params in search.cv_results_["params"]}
    assert kinds == {"bayes", "logistic"}
    chosen = Pipeline if search.best_params_["kind"] == "logistic" else GaussianNB
    assert isinstance(search.best_estimator_, chosen)
    if "C" in search.best_params_:
        assert search.best_params_["C"] == search.best_estimator_[-1].C


def test_a_space_may_refuse_a_trial(regression):
    def space(trial):
        alpha = trial.suggest_float("alpha", 0.0, 1.0)
        if alpha > 0.5:
            raise optuna.TrialPruned
        return {"alpha": alpha}

    search = OptunaSearchCV(Ridge(), space, n_trials=10, cv=3, random_state=0).fit(*regression)
    assert search.n_pruned_trials_ > 0
    assert search.best_params_["alpha"] <= 0.5


def test_known_settings_are_tried_first(regression):
    search = _search(initial_params=[{"alpha": 7.0}, {"alpha": 0.5}], n_trials=4).fit(*regression)
    assert [p["alpha"] for p in search.cv_results_["params"][:2]] == [7.0, 0.5]
    assert search.n_trials_ == 4


def test_a_pruner_stops_bad_trials_between_folds(regression):
    search = _search(n_trials=24, cv=5, pruner=optuna.pruners.MedianPruner(n_startup_trials=3)).fit(
        *regression
    )
    results = search.cv_results_
    pruned = results["trial_state"] == "pruned"
    assert search.n_pruned_trials_ == pruned.sum() > 0
    folds = np.array([results[f"split{fold}_test_score"] for fold in range(5)])
    assert np.isnan(folds[-1, pruned]).all()
    assert np.isfinite(folds[:, ~pruned]).all()
    assert results["trial_state"][search.best_index_] == "complete"
    again = clone(search).set_params(n_jobs=2).fit(*regression)
    _same(search, again)


@pytest.mark.parametrize("pruner", ["median", "hyperband"])
def test_pruners_by_name_are_reproducible(regression, pruner):
    _same(
        _search(pruner=pruner, n_trials=12).fit(*regression),
        _search(pruner=pruner, n_trials=12).fit(*regression),
    )


def test_a_timeout_begins_no_further_batch(regression):
    def slow(model, X, y):
        time.sleep(0.02)
        return 0.0

    search = _search(n_trials=1000, timeout=0.2, scoring=slow).fit(*regression)
    assert search.stop_reason_ == "timeout"
    assert 0 < search.n_trials_ < 1000
    assert search.n_trials_ % search.batch_size == 0


def test_samplers_may_be_objects_or_factories(regression):
    made = _search(sampler=optuna.samplers.RandomSampler).fit(*regression)
    named = _search(sampler="random").fit(*regression)
    assert made.cv_results_["params"] == named.cv_results_["params"]
    given = _search(sampler=optuna.samplers.RandomSampler(seed=5))
    assert (
        given.fit(*regression).cv_results_["params"]
        == clone(given).fit(*regression).cv_results_["params"]
    )


def test_a_grid_ends_when_every_setting_was_tried(regression):
    grid = {"alpha": [0.1, 1.0, 10.0], "fit_intercept": [True, False]}
    search = OptunaSearchCV(
        Ridge(), grid, sampler=optuna.samplers.GridSampler(grid, seed=0), n_trials=50, cv=3,
        batch_size=2, random_state=0,
    ).fit(*regression)  # fmt: skip
    assert search.stop_reason_ == "sampler"
    assert search.n_trials_ == 6
    assert len({tuple(p.values()) for p in search.cv_results_["params"]}) == 6
    assert set(search.cv_results_["trial_state"]) == {"complete"}


def test_predictions_of_all_trials_are_kept_on_request(classification):
    X, y = classification
    search = OptunaSearchCV(
        LogisticRegression(), {"C": [0.01, 1.0]}, n_trials=4, cv=3, store_predictions=True,
        random_state=0,
    ).fit(X, y)  # fmt: skip
    assert search.oof_predictions_.shape == (90, 4)
    assert ((search.oof_predictions_ >= 0) & (search.oof_predictions_ <= 1)).all()


# ---------------------------------------------------------------- bad arguments


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_trials": 0}, "n_trials must be an integer"),
        ({"batch_size": 0}, "batch_size"),
        ({"timeout": -1}, "timeout"),
        ({"error_score": "ignore"}, "error_score"),
        ({"sampler": "tpr"}, "Did you mean 'tpe'"),
        ({"pruner": "mediam"}, "Did you mean 'median'"),
        ({"cv": 1}, "cv must be an integer"),
        ({"storage": 3}, "storage must be"),
        ({"scoring": "r22"}, "Did you mean 'r2'"),
        ({"initial_params": {"alpha": 1.0}}, "must be a list of dictionaries"),
        ({"initial_params": ["alpha"]}, "must be a list of dictionaries"),
        ({"initial_params": [{"alpha": -5.0}]}, "initial_params cannot set 'alpha'"),
        ({"initial_params": [{"alpha": "much"}]}, "initial_params cannot set 'alpha'"),
    ],
)
def test_bad_arguments_are_named(regression, arguments, message):
    with pytest.raises(ValueError, match=message):
        _search(**arguments).fit(*regression)


def test_iris_end_to_end_by_target_names():
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = np.array(["a", "b", "c"])[y]
    search = OptunaSearchCV(
        make_pipeline(StandardScaler(), LogisticRegression()),
        {"logisticregression__C": loguniform(1e-2, 1e2)},
        n_trials=4,
        cv=3,
        random_state=0,
    ).fit(X, names)
    assert list(search.classes_) == ["a", "b", "c"]
    assert list(search.feature_names_in_) == list(X.columns)
    assert search.n_features_in_ == 4
