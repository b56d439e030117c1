"""Nested cross-validation: the same numbers as by hand, for every kind of model and split."""

import inspect

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.datasets import load_iris, make_classification, make_regression
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LassoCV, LogisticRegression, Ridge
from sklearn.metrics import make_scorer, mean_absolute_error, roc_auc_score
from sklearn.model_selection import (
    BaseCrossValidator,
    GridSearchCV,
    HalvingRandomSearchCV,
    KFold,
    RandomizedSearchCV,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from honesteval.model_selection import BlockedTimeSeriesKFold
from honesteval.tuning import NestedCVResult, OptunaSearchCV, nested_cross_validate
from honesteval.tuning._nested_setup import NestedSetup

X, Y = make_classification(90, 6, n_informative=3, random_state=0)
XR, YR = make_regression(60, 4, noise=30, random_state=0)
OUTER = StratifiedKFold(3, shuffle=True, random_state=1)
INNER = StratifiedKFold(3, shuffle=True, random_state=2)
TREE = DecisionTreeClassifier(random_state=0)
DEPTHS = {"max_depth": [1, 2, 4]}


def test_a_grid_search_gives_what_scikit_learn_gives():
    grid = GridSearchCV(TREE, DEPTHS, cv=INNER)
    result = nested_cross_validate(grid, X, Y, outer_cv=OUTER)
    np.testing.assert_array_equal(result.outer_scores, cross_val_score(grid, X, Y, cv=OUTER))
    np.testing.assert_array_equal(result.predictions, cross_val_predict(grid, X, Y, cv=OUTER))
    proba = cross_val_predict(grid, X, Y, cv=OUTER, method="predict_proba")[:, 1]
    np.testing.assert_array_equal(result.predicted_scores, proba)
    for number, (train, _) in enumerate(OUTER.split(X, Y)):
        fitted = clone(grid).fit(X[train], Y[train])
        assert result.best_params[number] == fitted.best_params_
        assert result.inner_best_scores[number] == fitted.best_score_


def test_an_optuna_search_gives_what_its_folds_give_by_hand():
    result = nested_cross_validate(
        TREE, X, Y, search_space=DEPTHS, n_trials=6, outer_cv=OUTER, inner_cv=INNER, random_state=0
    )
    for number, (train, test) in enumerate(OUTER.split(X, Y)):
        best = clone(TREE).set_params(**result.best_params[number])
        inner = cross_val_score(best, X[train], Y[train], cv=INNER).mean()
        assert result.inner_best_scores[number] == pytest.approx(inner)
        best.fit(X[train], Y[train])
        assert result.outer_scores[number] == best.score(X[test], Y[test])
        np.testing.assert_array_equal(result.predictions[test], best.predict(X[test]))
        np.testing.assert_array_equal(result.test_indices[number], test)
    np.testing.assert_allclose(result.optimism, result.inner_best_scores - result.outer_scores)


@pytest.mark.parametrize(
    "search",
    [
        RandomizedSearchCV(TREE, DEPTHS, n_iter=2, cv=3, random_state=0),
        HalvingRandomSearchCV(TREE, {"max_depth": range(1, 9)}, cv=3, random_state=0),
        OptunaSearchCV(TREE, DEPTHS, n_trials=3, cv=3),
    ],
    ids=lambda search: type(search).__name__,
)
def test_any_search_of_scikit_learn_is_taken(search):
    result = nested_cross_validate(search, X, Y, outer_cv=OUTER, random_state=0)
    assert all("max_depth" in params for params in result.best_params)
    assert np.isfinite(result.inner_best_scores).all()
    assert all(fold.n_trials > 0 for fold in result.folds)
    assert type(search).__name__ in result.model


def test_an_estimator_without_a_search_is_taken():
    result = nested_cross_validate(GaussianNB(), X, Y, outer_cv=OUTER)
    np.testing.assert_array_equal(
        result.outer_scores, cross_val_score(GaussianNB(), X, Y, cv=OUTER)
    )
    assert np.isnan(result.optimism).all()
    assert "best inner" not in result.summary()


def test_a_model_that_tunes_itself_is_taken():
    result = nested_cross_validate(LassoCV(cv=3), XR, YR, outer_cv=3, random_state=0)
    assert np.isfinite(result.outer_scores).all()


def test_the_number_of_workers_and_the_process_change_nothing():
    arguments = {
        "search_space": DEPTHS,
        "n_trials": 3,
        "outer_cv": 2,
        "n_repeats": 2,
        "inner_cv": 2,
    }
    one = nested_cross_validate(TREE, X, Y, random_state=0, **arguments)
    two = nested_cross_validate(TREE, X, Y, random_state=0, n_jobs=2, **arguments)
    np.testing.assert_array_equal(one.outer_scores, two.outer_scores)
    np.testing.assert_array_equal(one.inner_best_scores, two.inner_best_scores)
    np.testing.assert_array_equal(one.predicted_scores, two.predicted_scores)
    assert one.best_params == two.best_params
    other = nested_cross_validate(TREE, X, Y, random_state=1, **arguments)
    assert not np.array_equal(one.outer_scores, other.outer_scores)


def test_random_parts_without_a_seed_follow_the_one_of_the_call():
    forest = ExtraTreesClassifier(n_estimators=3)
    pipeline = make_pipeline(SelectKBest(k=4), forest)
    space = {"extratreesclassifier__max_depth": [1, 3]}

    def choose(trial):
        return make_pipeline(
            ExtraTreesClassifier(n_estimators=3, max_depth=trial.suggest_int("depth", 1, 3))
        )

    for model in (
        forest,
        OptunaSearchCV(pipeline, space, n_trials=2, cv=2),
        OptunaSearchCV(forest, choose, n_trials=2, cv=2),
        RandomizedSearchCV(pipeline, space, n_iter=1, cv=2),
    ):
        one, again = (
            nested_cross_validate(model, X, Y, outer_cv=2, random_state=5) for _ in range(2)
        )
        np.testing.assert_array_equal(one.predicted_scores, again.predicted_scores)
        np.testing.assert_array_equal(
            one.refit().estimator.predict_proba(X), again.refit().estimator.predict_proba(X)
        )
    search = OptunaSearchCV(pipeline, space, n_trials=3, random_state=0)
    first, second = clone(search).fit(X, Y), clone(search).fit(X, Y)
    np.testing.assert_array_equal(first.predict_proba(X), second.predict_proba(X))


def test_nothing_passed_is_modified():
    rows, labels = X.copy(), Y.copy()
    search = GridSearchCV(clone(TREE), dict(DEPTHS), cv=3)
    before = repr(search)
    nested_cross_validate(search, rows, labels, outer_cv=3, scoring="roc_auc", random_state=0)
    np.testing.assert_array_equal(rows, X)
    np.testing.assert_array_equal(labels, Y)
    assert repr(search) == before


# ---------------------------------------------------------------- everything inside


class Remembering(TransformerMixin, BaseEstimator):
    """Refuses rows that it was not fitted on to be among those it was fitted on."""

    def fit(self, X, y=None):
        self.seen_ = {tuple(row) for row in np.asarray(X)}
        return self

    def transform(self, X):
        rows = {tuple(row) for row in np.asarray(X)}
        if rows != self.seen_ and rows & self.seen_:
            raise ValueError("a test row took part in fitting a step")
        return np.asarray(X)


def test_no_test_row_takes_part_in_fitting_any_step():
    result = nested_cross_validate(
        make_pipeline(Remembering(), StandardScaler(), TREE), X, Y,
        search_space={f"decisiontreeclassifier__{k}": v for k, v in DEPTHS.items()}, n_trials=3,
        outer_cv=OUTER, random_state=0,
    )  # fmt: skip
    assert np.isfinite(result.outer_scores).all()


def test_selection_inside_finds_nothing_in_noise():
    """Ambroise and McLachlan (2002): selection outside the folds finds a signal in noise."""
    rng = np.random.default_rng(0)
    noise, y = rng.normal(size=(60, 2000)), np.arange(60) % 2
    result = nested_cross_validate(
        make_pipeline(SelectKBest(), GaussianNB()), noise, y,
        search_space={"selectkbest__k": [5, 20, 100]}, n_trials=3, scoring="roc_auc",
        random_state=0,
    )  # fmt: skip
    assert abs(result.outer_scores.mean() - 0.5) < 0.2


# ---------------------------------------------------------------- rows of every kind


class SmilesLength(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return np.array([[len(text), text.count("O")] for text in X], dtype=float)


class StringsOnly(BaseCrossValidator):
    """A splitter that looks at the strings themselves, as one by similarity does."""

    def get_n_splits(self, X=None, y=None, groups=None):
        return 2

    def split(self, X, y=None, groups=None):
        assert all(isinstance(text, str) for text in X)
        long = np.array([len(text) % 2 == 0 for text in X])
        yield np.flatnonzero(long), np.flatnonzero(~long)
        yield np.flatnonzero(~long), np.flatnonzero(long)


@pytest.mark.parametrize("kind", [list, np.array, pd.Series, pl.Series])
def test_strings_reach_the_splitters_and_the_pipeline(kind):
    smiles = ["C" * n + "O" * (n % 5) for n in range(1, 61)]
    y = np.arange(60) % 3 == 0
    result = nested_cross_validate(
        make_pipeline(SmilesLength(), TREE), kind(smiles), y,
        search_space={"decisiontreeclassifier__max_depth": [1, 3]}, n_trials=2,
        outer_cv=StringsOnly(), inner_cv=KFold(2, shuffle=True, random_state=0), random_state=0,
    )  # fmt: skip
    assert len(result.outer_scores) == 2
    assert set(np.unique(result.predictions)) <= {0.0, 1.0}
    assert result.refit().n_rows == 60


@pytest.mark.parametrize(
    "table", [sparse.csr_array, sparse.coo_matrix, pd.DataFrame, pl.DataFrame, np.ndarray.tolist]
)
def test_tables_give_the_same_as_arrays(table):
    arguments = {"search_space": {"alpha": [0.1, 100.0]}, "n_trials": 2, "random_state": 0}
    arguments |= {"outer_cv": 3, "inner_cv": 2}
    plain = nested_cross_validate(Ridge(solver="lsqr"), XR, YR, **arguments)
    other = nested_cross_validate(Ridge(solver="lsqr"), table(XR), YR, **arguments)
    np.testing.assert_allclose(plain.outer_scores, other.outer_scores, rtol=1e-3)


def test_numbers_held_as_objects_are_numbers():
    arguments = {"outer_cv": 3, "random_state": 0}
    plain = nested_cross_validate(GaussianNB(), X, Y, **arguments)
    for labels in (Y.astype(object), pd.Series(Y, dtype="Int64"), pd.Series(list(Y), dtype=object)):
        held = nested_cross_validate(GaussianNB(), X, labels, **arguments)
        np.testing.assert_array_equal(held.outer_scores, plain.outer_scores)
    table = pd.DataFrame({"a": pd.Series(Y, dtype="Int64"), "b": pd.Series(1 - Y, dtype="Int64")})
    table.loc[:9, "a"] = pd.NA
    floats = table.astype(float)
    nullable, usual = (
        nested_cross_validate(GaussianNB(), X, given, **arguments) for given in (table, floats)
    )
    np.testing.assert_array_equal(nullable.outer_scores, usual.outer_scores)
    pd.testing.assert_frame_equal(nullable.task_frame(), usual.task_frame())


def test_every_form_of_random_state():
    one, other, third = (
        nested_cross_validate(GaussianNB(), X, Y, outer_cv=3, random_state=make(3)).random_state
        for make in (np.random.default_rng, np.random.default_rng, np.random.RandomState)
    )
    assert one == other
    assert isinstance(third, int)


def test_labels_may_be_words():
    names = np.array(["inactive", "active"])[Y]
    result = nested_cross_validate(TREE, X, names, outer_cv=OUTER)
    assert list(result.classes[0]) == ["active", "inactive"]
    assert set(result.predictions) == {"active", "inactive"}
    plain = nested_cross_validate(TREE, X, Y, outer_cv=OUTER)
    np.testing.assert_array_equal(result.outer_scores, plain.outer_scores)


def test_more_classes_have_one_column_each():
    iris, species = load_iris(return_X_y=True)
    result = nested_cross_validate(GaussianNB(), iris, species, random_state=0)
    assert result.predicted_scores.shape == (150, 3)
    np.testing.assert_allclose(result.predicted_scores.sum(axis=1), 1)
    np.testing.assert_array_equal(result.predicted_scores.argmax(axis=1), result.predictions)


def test_decision_values_stand_in_for_probabilities():
    result = nested_cross_validate(LinearSVC(), X, Y, outer_cv=OUTER, scoring="roc_auc")
    assert result.predicted_scores.min() < 0
    expected = cross_val_predict(LinearSVC(), X, Y, cv=OUTER, method="decision_function")
    np.testing.assert_allclose(result.predicted_scores, expected)


# ---------------------------------------------------------------- splits


def test_repeats_draw_other_folds_and_predict_each_row_again():
    result = nested_cross_validate(GaussianNB(), X, Y, n_repeats=3, outer_cv=4, random_state=0)
    assert (result.n_repeats, result.n_splits) == (3, 4)
    assert result.outer_scores.shape == (12,)
    firsts = [set(result.test_indices[4 * repeat]) for repeat in range(3)]
    assert firsts[0] != firsts[1] != firsts[2]
    table = result.predictions_by_repeat(scores=True)
    assert table.shape == (3, 90)
    np.testing.assert_allclose(result.predicted_scores, table.mean(axis=0))
    for repeat in range(3):
        rows = np.concatenate(result.test_indices[4 * repeat : 4 * repeat + 4])
        assert sorted(rows) == list(range(90))


def test_a_splitter_that_repeats_by_itself_is_understood():
    cv = RepeatedKFold(n_splits=3, n_repeats=2, random_state=0)
    result = nested_cross_validate(Ridge(), XR, YR, outer_cv=cv)
    assert (result.n_repeats, result.n_splits) == (2, 3)
    np.testing.assert_array_equal(result.outer_scores, cross_val_score(Ridge(), XR, YR, cv=cv))


def test_a_splitter_with_a_seed_is_reseeded_for_each_repeat():
    cv = KFold(3, shuffle=True, random_state=0)
    result = nested_cross_validate(Ridge(), XR, YR, outer_cv=cv, n_repeats=2)
    np.testing.assert_array_equal(result.test_indices[0], next(cv.split(XR))[1])
    assert not np.array_equal(result.test_indices[0], result.test_indices[3])


def test_blocked_time_in_both_loops_leaves_the_first_rows_unpredicted():
    cv = TimeSeriesSplit(3)
    result = nested_cross_validate(
        Ridge(), XR, YR, search_space={"alpha": [1.0, 10.0]}, n_trials=2, outer_cv=cv, inner_cv=cv
    )
    assert result.notes == ("15 of 60 rows are in no test part and have no prediction",)
    assert np.isnan(result.predictions[:15]).all()
    assert np.isfinite(result.predictions[15:]).all()
    assert list(result.train_sizes) == [15, 30, 45]
    assert list(result.test_sizes) == [15, 15, 15]


def test_blocks_of_time_in_both_loops():
    years = np.arange(len(XR))[::-1]
    table = pd.DataFrame(XR, columns=[f"x{k}" for k in range(XR.shape[1])]).assign(year=years)
    inner, outer = (BlockedTimeSeriesKFold(n, time="year", past_only=True) for n in (2, 3))
    result = nested_cross_validate(
        Ridge(), table, YR, search_space={"alpha": [1.0, 10.0]}, n_trials=2, outer_cv=outer,
        inner_cv=inner, random_state=0,
    )  # fmt: skip
    folds = list(outer.split(table))
    for fold, (train, test) in zip(result.folds, folds, strict=True):
        np.testing.assert_array_equal(fold.test_indices, test)
        assert years[train].max() < years[test].min()
    assert np.isfinite(result.outer_scores).all()


def test_given_folds_and_random_parts_work():
    folds = list(OUTER.split(X, Y))
    given = nested_cross_validate(GaussianNB(), X, Y, outer_cv=folds)
    drawn = nested_cross_validate(GaussianNB(), X, Y, outer_cv=OUTER)
    np.testing.assert_array_equal(given.outer_scores, drawn.outer_scores)
    parts = nested_cross_validate(
        GaussianNB(), X, Y, outer_cv=ShuffleSplit(4, test_size=0.2, random_state=0)
    )
    assert len(parts.outer_scores) == 4
    times = np.bincount(np.concatenate(parts.test_indices), minlength=90)
    assert parts.notes == (
        f"{(times == 0).sum()} of 90 rows are in no test part and have no prediction",
        f"{(times > 1).sum()} rows are in several test parts; their last prediction is kept",
    )
    assert drawn.notes == ()
    assert np.isnan(parts.predictions).sum() == 90 - len(set(np.concatenate(parts.test_indices)))


# ---------------------------------------------------------------- scores


def test_several_scores():
    result = nested_cross_validate(
        TREE, X, Y, search_space=DEPTHS, n_trials=3, outer_cv=OUTER,
        scoring={"auc": "roc_auc", "error": make_scorer(mean_absolute_error)}, refit="auc",
        random_state=0,
    )  # fmt: skip
    assert result.metrics == ("auc", "error")
    for number, test in enumerate(result.test_indices):
        score = roc_auc_score(Y[test], result.predicted_scores[test])
        assert result.outer_scores[number] == pytest.approx(score)
    assert result.scores_of("error").shape == (3,)
    with pytest.raises(ValueError, match="metric must be one of 'auc', 'error'"):
        result.scores_of("erorr")


def test_the_default_score_has_a_name():
    assert nested_cross_validate(GaussianNB(), X, Y, outer_cv=OUTER).metric == "accuracy"
    assert nested_cross_validate(Ridge(), XR, YR, outer_cv=3, random_state=0).metric == "r2"


def test_a_score_of_ones_own():
    def closeness(model, rows, y):
        return -np.abs(y - model.predict(rows)).max()

    result = nested_cross_validate(
        Ridge(), XR, YR, search_space={"alpha": [0.1, 10.0]}, n_trials=2, scoring=closeness,
        outer_cv=3, random_state=0,
    )  # fmt: skip
    assert result.metric == "closeness"
    worst = [-np.abs(YR[t] - result.predictions[t]).max() for t in result.test_indices]
    np.testing.assert_allclose(result.outer_scores, worst)


@pytest.mark.parametrize("refit", ["b", True])
def test_a_function_that_returns_several_scores(refit):
    def both(model, rows, y):
        return {"a": 0.0, "b": model.score(rows, y)}

    weights = np.ones(60)
    search = OptunaSearchCV(
        Ridge(), {"alpha": [0.1, 10.0]}, n_trials=2, scoring=both, refit="b", cv=3
    )
    model = search if refit == "b" else Ridge()
    result = nested_cross_validate(
        model, XR, YR, scoring=both, outer_cv=3, sample_weight=weights, train_sizes=[0.5],
        random_state=0,
    )  # fmt: skip
    assert set(result.metrics) == {"a", "b"}
    assert result.metric == ("b" if refit == "b" else "a")
    assert result.learning_curve()["score"].notna().all()


# ---------------------------------------------------------------- tasks


@pytest.fixture(scope="module")
def tasks():
    rng = np.random.default_rng(0)
    table = np.column_stack([Y, 1 - Y, rng.integers(2, size=90)]).astype(float)
    table[rng.random((90, 3)) < 0.2] = np.nan
    return pd.DataFrame(table, columns=["one", "other", "noise"])


def test_each_task_is_fitted_on_its_own_labelled_rows_of_the_same_folds(tasks):
    cv = KFold(3, shuffle=True, random_state=0)
    result = nested_cross_validate(
        TREE, X, tasks, search_space=DEPTHS, n_trials=3, outer_cv=cv, scoring="roc_auc",
        random_state=0,
    )  # fmt: skip
    assert result.task_names == ("one", "other", "noise")
    assert result.outer_scores.shape == (3, 3)
    labelled = tasks.notna().to_numpy()
    for number, (train, test) in enumerate(cv.split(X)):
        np.testing.assert_array_equal(result.train_sizes[number], labelled[train].sum(axis=0))
        np.testing.assert_array_equal(result.test_sizes[number], labelled[test].sum(axis=0))
    np.testing.assert_array_equal(np.isnan(result.predictions), ~labelled)
    assert result.predicted_scores.shape == (90, 3)
    frame = result.task_frame()
    assert list(frame["n_labelled"]) == list(labelled.sum(axis=0))
    assert frame["roc_auc"][0] > 0.62 > frame["roc_auc"][2]


def test_one_task_of_several_is_that_task_alone(tasks):
    cv = KFold(3, shuffle=True, random_state=0)
    known = tasks["one"].notna().to_numpy()
    several = nested_cross_validate(GaussianNB(), X, tasks, outer_cv=cv, scoring="roc_auc")
    position = np.cumsum(known) - 1
    folds = [(position[a[known[a]]], position[b[known[b]]]) for a, b in cv.split(X)]
    alone = nested_cross_validate(
        GaussianNB(), X[known], tasks["one"][known].to_numpy().astype(int), outer_cv=folds,
        scoring="roc_auc",
    )  # fmt: skip
    one = several.task("one")
    np.testing.assert_array_equal(one.outer_scores, alone.outer_scores)
    np.testing.assert_array_equal(one.predictions[known], alone.predictions)
    assert one.refit().n_rows == known.sum()


def test_several_tasks_need_to_be_told_apart(tasks):
    result = nested_cross_validate(
        GaussianNB(), X, tasks.to_numpy(), task_names=["a", "b", "c"],
        outer_cv=KFold(3, shuffle=True, random_state=0),
    )  # fmt: skip
    for ask in ("best_params", "test_indices"):
        with pytest.raises(ValueError, match=r"choose it with \.task\(name\), one of a, b, c"):
            getattr(result, ask)
    for ask in (result.interval, result.refit, result.learning_curve):
        with pytest.raises(ValueError, match=r"\.task\(name\)"):
            ask()
    with pytest.raises(ValueError, match="Did you mean 'a'"):
        result.task("aa")
    with pytest.raises(ValueError, match="task_names must be 3 different names"):
        nested_cross_validate(GaussianNB(), X, tasks.to_numpy(), task_names=["a", "a", "b"])


def test_regression_tasks_keep_their_own_rows():
    table = np.column_stack([YR, -YR])
    table[:10, 1] = np.nan
    result = nested_cross_validate(Ridge(), XR, table, outer_cv=3, random_state=0)
    assert np.isnan(result.predictions[:10, 1]).all()
    assert result.task_names == ("task 0", "task 1")


# ---------------------------------------------------------------- the final model


def test_the_final_model_is_tuned_on_everything_and_says_which_score_is_its():
    result = nested_cross_validate(
        TREE, X, Y, search_space=DEPTHS, n_trials=4, outer_cv=OUTER, random_state=0
    )
    final = result.refit()
    assert final.estimator.get_params()["max_depth"] == final.best_params["max_depth"]
    assert final.n_rows == 90
    assert final.expected_score == result.interval()
    assert f"{result.outer_scores.mean():.3f}" in final.statement
    assert "must not be reported" in final.statement
    np.testing.assert_array_equal(final.estimator.predict(X), result.refit().estimator.predict(X))
    plain = nested_cross_validate(GaussianNB(), X, Y, outer_cv=OUTER).refit()
    assert "must not be reported" not in plain.summary()


def test_learning_curve_sizes_are_fitted_with_the_chosen_setting():
    result = nested_cross_validate(
        TREE, X, Y, search_space=DEPTHS, n_trials=2, outer_cv=OUTER, train_sizes=(0.25, 0.5),
        random_state=0,
    )  # fmt: skip
    curve = result.learning_curve()
    assert list(curve["train_size"][:3]) == [15, 30, 60]
    assert list(curve["score"][2::3]) == list(result.outer_scores)


def test_the_setup_has_the_defaults_of_the_function():
    function = inspect.signature(nested_cross_validate).parameters
    setup = inspect.signature(NestedSetup.__init__).parameters
    shared = set(function) & set(setup)
    assert shared >= {"outer_cv", "inner_cv", "scoring", "n_trials", "n_repeats", "refit"}
    assert {n: function[n].default for n in shared} == {n: setup[n].default for n in shared}


def test_a_dummy_has_no_optimism_and_a_level_score():
    result = nested_cross_validate(DummyClassifier(), X, Y, scoring="roc_auc", outer_cv=OUTER)
    assert isinstance(result, NestedCVResult)
    np.testing.assert_array_equal(result.outer_scores, 0.5)
    assert result.interval().summary().startswith("0.500 [0.500, 0.500]")


def test_logistic_regression_on_a_frame_keeps_its_column_names():
    frame = pd.DataFrame(X, columns=list("abcdef"))
    final = nested_cross_validate(
        make_pipeline(StandardScaler(), LogisticRegression()), frame, pd.Series(Y, name="label"),
        outer_cv=OUTER,
    ).refit()  # fmt: skip
    assert list(final.estimator.feature_names_in_) == list("abcdef")
