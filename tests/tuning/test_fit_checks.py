"""One clear error before the long run starts."""

import time

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, RandomizedSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from honesteval.exceptions import HonestevalWarning
from honesteval.tuning import (
    EarlyStoppingRefit,
    OptunaSearchCV,
    bbc_cv,
    nested_cross_validate,
    nested_cv_interval,
)
from honesteval.tuning._fit_checks import rows_with_missing_values

X, Y = make_classification(60, 5, random_state=0)
HOLES = X.copy()
HOLES[[3, 17], 2] = np.nan


class NeverFitted(ClassifierMixin, BaseEstimator):
    """Its fit is a failed test."""

    def __init__(self, strength=1.0):
        self.strength = strength

    def fit(self, X, y):
        pytest.fail("nothing may be fitted before the arguments are checked")


def _nested(model, X=X, y=Y, **arguments):
    return nested_cross_validate(
        model, X, y, **{"outer_cv": 3, "inner_cv": 3, "random_state": 0, **arguments}
    )


def _tuned(model, space, **arguments):
    return _nested(model, search_space=space, n_trials=2, **arguments)


# ---------------------------------------------------------------- missing values


@pytest.mark.parametrize(
    "table",
    [HOLES, pd.DataFrame(HOLES), np.where(np.isnan(HOLES), np.inf, HOLES), sparse.csr_array(HOLES)],
)
def test_missing_values_without_an_imputer_name_their_rows(table):
    with pytest.raises(ValueError, match=r"NaN.*rows 3, 17.*LogisticRegression.*imputer"):
        _tuned(make_pipeline(LogisticRegression()), {"logisticregression__C": [1.0]}, X=table)


@pytest.mark.parametrize(
    "model",
    [
        make_pipeline(SimpleImputer(), LogisticRegression()),
        HistGradientBoostingClassifier(max_iter=2),
    ],
)
def test_missing_values_with_an_imputer_or_a_model_that_takes_them_pass(model):
    assert np.isfinite(_nested(model, X=HOLES).outer_scores).all()


def test_missing_values_that_one_of_the_settings_takes_pass():
    pipeline = Pipeline([("fill", "passthrough"), ("model", GaussianNB())])
    space = {"fill": ["passthrough", SimpleImputer()]}
    with pytest.warns(HonestevalWarning, match="trials failed"):
        result = _nested(pipeline, X=HOLES, search_space=space, n_trials=8)
    assert all(isinstance(p["fill"], SimpleImputer) for p in result.best_params)
    assert any("inner trials failed" in note for note in result.notes)


def test_a_search_alone_says_it_as_well():
    search = OptunaSearchCV(Ridge(), {"alpha": [1.0]}, n_trials=1, cv=3)
    with pytest.raises(ValueError, match=r"rows 3, 17"):
        search.fit(HOLES, Y * 1.0)


def test_rows_with_missing_values_of_every_kind():
    assert list(rows_with_missing_values(HOLES)) == [3, 17]
    assert list(rows_with_missing_values(sparse.csr_array(HOLES))) == [3, 17]
    frame = pd.DataFrame({"a": pd.array([1, None, 3], dtype="Int64"), "b": ["u", None, "w"]})
    assert list(rows_with_missing_values(frame)) == [1]
    assert len(rows_with_missing_values(["CCO", "C"])) == 0
    assert len(rows_with_missing_values(np.arange(6).reshape(3, 2))) == 0


# ---------------------------------------------------------------- labels and folds


def test_a_class_missing_from_a_training_part_is_named():
    y = np.zeros(60, dtype=int)
    y[40:] = 1
    with pytest.raises(
        ValueError, match=r"Class 1 \(20 rows\) is missing from the training part of"
    ):
        _nested(NeverFitted(), y=y, outer_cv=[(np.arange(40), np.arange(40, 60))])


def test_a_class_missing_from_an_inner_training_part_is_named():
    y = np.zeros(60, dtype=int)
    y[::3] = 1
    y[[0, 59]] = 2
    with pytest.raises(ValueError, match=r"inner fold \d of outer fold \d"):
        _tuned(NeverFitted(), {"strength": [1.0]}, y=y, outer_cv=_halves(60), inner_cv=KFold(2))


def _halves(n):
    first = np.arange(n) % 2 == 0
    return [(np.flatnonzero(first), np.flatnonzero(~first)),
            (np.flatnonzero(~first), np.flatnonzero(first))]  # fmt: skip


def test_a_class_missing_from_a_fold_of_a_search_is_named():
    y = np.repeat([0, 1], 30)
    search = OptunaSearchCV(NeverFitted(), {"strength": [1.0]}, n_trials=1, cv=KFold(2))
    with pytest.raises(ValueError, match="missing from the training part of fold 0"):
        search.fit(X, y)


def test_roc_auc_in_an_inner_test_part_of_one_class_is_refused():
    y = np.zeros(60, dtype=int)
    y[:40] = np.arange(40) % 2
    with pytest.raises(ValueError, match=r"has one class only .* ROC-AUC is undefined"):
        _tuned(NeverFitted(), {"strength": [1.0]}, y=y, scoring="roc_auc", inner_cv=KFold(3))


def test_roc_auc_in_an_outer_test_part_of_one_class_is_nan_and_said():
    y = np.zeros(60, dtype=int)
    y[:30] = np.arange(30) % 2
    result = _nested(LogisticRegression(), y=y, scoring="roc_auc", outer_cv=KFold(3))
    assert list(np.isnan(result.outer_scores)) == [False, False, True]
    assert result.interval().n_folds == 2
    assert any("outer fold 2" in note for note in result.notes)


def test_one_class_only_is_refused():
    with pytest.raises(ValueError, match="has only one class"):
        _nested(NeverFitted(), y=np.ones(60, dtype=int))


def test_missing_labels_of_a_single_task_are_refused_with_their_rows():
    y = Y.astype(float)
    y[[4, 9]] = np.nan
    with pytest.raises(ValueError, match="missing in rows 4, 9"):
        _nested(Ridge(), y=y)


def test_labels_that_do_not_fit_the_model_are_refused():
    with pytest.raises(ValueError, match="continuous, and the model is a classifier"):
        _nested(NeverFitted(), y=X[:, 0], outer_cv=KFold(3))
    with pytest.raises(ValueError, match="not real numbers, and the model is a regressor"):
        _nested(Ridge(), y=np.where(Y, "a", "b"))
    with pytest.raises(ValueError, match="NaN or infinite in row 5"):
        _nested(Ridge(), y=np.where(np.arange(60) == 5, np.inf, X[:, 0]))


def test_fewer_groups_than_folds():
    groups = np.arange(60) % 2
    with pytest.raises(
        ValueError, match=r"outer_cv \(GroupKFold.* cannot split 60 rows in 2 groups"
    ):
        _nested(NeverFitted(), groups=groups, outer_cv=GroupKFold(3))
    with pytest.raises(ValueError, match=r"inner_cv, in the training part of outer fold 0"):
        _tuned(
            NeverFitted(), {"strength": [1.0]}, groups=np.arange(60) % 4, outer_cv=GroupKFold(2),
            inner_cv=GroupKFold(3),
        )  # fmt: skip


def test_fewer_rows_than_folds():
    with pytest.raises(ValueError, match="cannot split 3 rows"):
        _nested(Ridge(), X=X[:3], y=X[:3, 0], outer_cv=5)


# ---------------------------------------------------------------- scoring and names


@pytest.mark.parametrize(
    "build",
    [
        lambda: (SVC(), {"C": [1.0]}),
        lambda: (make_pipeline(StandardScaler(), LinearSVC()), {"linearsvc__C": [1.0]}),
    ],
)
def test_a_scorer_that_needs_probabilities_the_model_has_not(build):
    with pytest.raises(ValueError, match=r"log_loss needs predict_proba, which (Linear)?SVC"):
        _tuned(*build(), scoring="neg_log_loss")
    with pytest.raises(ValueError, match=r"worse \(log_loss\) needs predict_proba"):
        _tuned(*build(), scoring={"better": "accuracy", "worse": "neg_log_loss"}, refit="better")


def test_a_scorer_that_takes_decision_values_too_passes():
    assert np.isfinite(_tuned(SVC(), {"C": [1.0]}, scoring="roc_auc").outer_scores).all()


def test_a_scorer_whose_method_some_settings_have_passes():
    def space(trial):
        kind = trial.suggest_categorical("kind", ["svc", "bayes"])
        return SVC() if kind == "svc" else GaussianNB()

    with pytest.warns(HonestevalWarning, match="trials failed"):
        result = _nested(SVC(), search_space=space, n_trials=6, scoring="neg_log_loss")
    assert {params["kind"] for params in result.best_params} == {"bayes"}


@pytest.mark.parametrize(
    "build",
    [
        lambda: OptunaSearchCV(NeverFitted(), {"strenght": [1.0]}, n_trials=1),
        lambda: OptunaSearchCV(NeverFitted(), lambda t: {"strenght": t.suggest_float("s", 0, 1)}),
        lambda: GridSearchCV(NeverFitted(), {"strenght": [1.0]}),
        lambda: GridSearchCV(NeverFitted(), [{"strength": [1.0]}, {"strenght": [1.0]}]),
        lambda: RandomizedSearchCV(NeverFitted(), {"strenght": [1.0]}),
    ],
)
def test_a_parameter_that_does_not_exist_is_named_with_the_nearest(build):
    with pytest.raises(ValueError, match=r"'strenght'.*Did you mean 'strength'\?"):
        _nested(build())


def test_checks_are_done_before_a_single_fit():
    started = time.perf_counter()
    with pytest.raises(ValueError, match="Did you mean"):
        _nested(OptunaSearchCV(NeverFitted(), {"strenght": [1.0]}, n_trials=10_000))
    assert time.perf_counter() - started < 60


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_repeats": 0}, "n_repeats"),
        ({"n_trials": 5}, "needs a search_space"),
        ({"train_sizes": [1.5]}, "train_sizes"),
        ({"outer_cv": 1}, "cv must be an integer"),
        ({"train_sizes": 1.5}, "train_sizes"),
        ({"train_sizes": "half"}, "train_sizes"),
        ({"n_repeats": 2, "outer_cv": KFold(3)}, "shuffle=True"),
        ({"n_repeats": 2, "outer_cv": _halves(60)}, "draws its folds"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        _nested(NeverFitted(), **arguments)


ROWS = np.arange(60)


@pytest.mark.parametrize(
    ("folds", "message"),
    [
        ([(ROWS[:40], ROWS[30:])], "trains on rows that it tests: rows 30, 31"),
        ([(ROWS[:40], ROWS[40:]), (ROWS[20:], ROWS[:21])], r"Fold 1 of .*tests: row 20\."),
        ([(ROWS[:40], ROWS[40:] + 20)], "names rows 60, .* and there are rows 0 to 59"),
        ([(ROWS[:40], ROWS[40:] - 60)], "names rows -20, -19"),
        ([(np.r_[ROWS[:40], 7], ROWS[40:])], "training part .* names row 7 more than once"),
        ([(ROWS[:40], np.r_[ROWS[40:], 50])], "test part .* names row 50 more than once"),
        ([(ROWS[:40] + 0.5, ROWS[40:])], "Got float64"),
        ([(ROWS[:40], ROWS[40:, None])], r"shape \(20, 1\)"),
        ([(ROWS[:40] < 20, ROWS[40:])], "Got bool"),
        ([(ROWS[:40], [])], "test part of fold 0 .* is empty"),
        ([(ROWS < 40, ROWS > 90)], "test part of fold 0 .* is empty"),
    ],
)
@pytest.mark.parametrize("where", ["outer_cv", "cv"])
def test_given_folds_that_cannot_be_folds_are_refused(folds, message, where):
    model = NeverFitted()
    calls = {
        "cv": lambda: OptunaSearchCV(model, {"strength": [1.0]}, cv=folds).fit(X, Y),
        "outer_cv": lambda: _nested(model, outer_cv=folds),
    }
    with pytest.raises(ValueError, match=message) as caught:
        calls[where]()
    assert f"{where} (given folds)" in str(caught.value)


def test_masks_are_folds():
    positions = _nested(GaussianNB(), outer_cv=[(ROWS[:40], ROWS[40:])])
    masks = _nested(GaussianNB(), outer_cv=[(ROWS < 40, ROWS >= 40)])
    assert masks.outer_scores == positions.outer_scores
    np.testing.assert_array_equal(masks.test_indices[0], ROWS[40:])


def test_given_folds_that_cut_groups_are_said_and_others_are_not():
    cut, whole = ROWS // 3 % 13, ROWS // 20
    folds = [(ROWS[:40], ROWS[40:]), (ROWS[20:], ROWS[:20])]
    with pytest.warns(HonestevalWarning, match="40 of 40 test rows have rows of their own group"):
        _nested(GaussianNB(), outer_cv=folds, groups=cut)
    _nested(GaussianNB(), outer_cv=folds, groups=whole)
    search = OptunaSearchCV(GaussianNB(), {"var_smoothing": [1e-9]}, n_trials=1, cv=folds)
    with pytest.warns(HonestevalWarning, match="folds given as cv cut the groups"):
        search.fit(X, Y, groups=cut)


# ---------------------------------------------------------------- weights and groups

SPACE = {"strength": [1.0]}
WAYS = {
    "nested": lambda **given: _tuned(NeverFitted(), SPACE, **given),
    "params": lambda **given: _nested(
        NeverFitted(), params={f"model__{name}": column for name, column in given.items()}
    ),
    "search": lambda **given: OptunaSearchCV(NeverFitted(), SPACE).fit(X, Y, **given),
    "early stopping": lambda **given: EarlyStoppingRefit(HistGradientBoostingClassifier()).fit(
        X, Y, **given
    ),
    "interval": lambda **given: nested_cv_interval(NeverFitted(), X, Y, **given),
    "bbc": lambda **given: bbc_cv(np.column_stack([Y, Y]), Y, n_resamples=99, **given),
}


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (
            np.where(ROWS == 4, -1.0, 1.0),
            "sample_weight must be finite and not negative: see row 4",
        ),
        (np.where(ROWS == 5, np.nan, 1.0), "see row 5"),
        (np.where(ROWS == 6, np.inf, 1.0), "see row 6"),
        (np.zeros(60), "is 0 in every row"),
        (np.ones((60, 2)), "one-dimensional"),
        (np.full(60, "heavy"), "must be numeric"),
        (np.ones(59), "59"),
    ],
)
@pytest.mark.parametrize("way", ["nested", "params", "search", "early stopping"])
def test_weights_that_cannot_be_weights_are_refused(weights, message, way):
    with pytest.raises(ValueError, match=message):
        WAYS[way](sample_weight=weights)


@pytest.mark.parametrize(
    "groups",
    [np.where(ROWS < 2, np.nan, ROWS), np.array([None, None, *"ab" * 29], dtype=object)],
)
@pytest.mark.parametrize("way", ["nested", "search", "early stopping", "interval", "bbc"])
def test_missing_groups_are_refused_with_their_rows(groups, way):
    with pytest.raises(ValueError, match="groups holds missing labels in rows 0, 1"):
        WAYS[way](groups=groups)


def test_missing_values_are_found_beside_weights_and_groups():
    for given in ({"sample_weight": np.ones(60)}, {"groups": np.arange(60) % 20}):
        with pytest.raises(ValueError, match="rows 3, 17"):
            _tuned(LogisticRegression(), {"C": [1.0]}, X=HOLES, **given)
        result = _tuned(
            HistGradientBoostingClassifier(max_iter=2), {"max_depth": [2]}, X=HOLES, **given
        )
        assert np.isfinite(result.outer_scores).all()


# ---------------------------------------------------------------- which setting is best


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"scoring": "roc_auc", "refit": "f1"}, "refit must be one of True, False, 'roc_auc'"),
        ({"scoring": ["roc_auc", "f1"], "refit": "roc_acu"}, "Did you mean 'roc_auc'"),
        ({"scoring": ["roc_auc", "f1"]}, r"name of the score to maximise \(roc_auc, f1\)"),
        ({"scoring": ["roc_auc", "f1"], "refit": False}, "name of the score to maximise"),
        ({"refit": None}, "refit must be True, False or a function"),
        ({"refit": 3}, "refit must be True, False or a function"),
    ],
)
@pytest.mark.parametrize("search", [OptunaSearchCV, GridSearchCV])
def test_a_refit_that_chooses_nothing_is_refused(arguments, message, search):
    with pytest.raises(ValueError, match=message):
        _nested(search(NeverFitted(), {"strength": [1.0]}, **arguments))
    with pytest.raises(ValueError, match=message):
        _tuned(NeverFitted(), {"strength": [1.0]}, **arguments)


@pytest.mark.parametrize("search", [OptunaSearchCV, GridSearchCV])
@pytest.mark.parametrize("refit", [False, "roc_auc"])
def test_the_outer_loop_fits_the_choice_whatever_refit_says(search, refit):
    given = search(GaussianNB(), {"var_smoothing": [1e-9, 1e-2]}, scoring="roc_auc", refit=refit)
    if search is OptunaSearchCV:
        given.set_params(n_trials=2)
    result = _nested(given)
    assert result.metric == "roc_auc"
    assert given.refit == refit
    np.testing.assert_array_equal(
        result.outer_scores, _nested(given.set_params(refit=True)).outer_scores
    )


def test_a_scoring_that_does_not_exist_is_named_with_the_nearest():
    for scoring in ("rocauc", ["accuracy", "rocauc"], {"a": "rocauc"}):
        with pytest.raises(ValueError, match=r"'rocauc'.*Did you mean 'roc_auc'"):
            _nested(NeverFitted(), scoring=scoring)
    with pytest.raises(ValueError, match="Did you mean 'neg_mean_absolute_error'"):
        _nested(Ridge(), scoring="mae")


@pytest.mark.parametrize(
    ("scoring", "y", "message"),
    [
        ("roc_auc", ROWS % 3, "there are 3. Use scoring='roc_auc_ovr'"),
        ("f1", ROWS % 3, "f1_score cannot score these labels: .*multiclass"),
        ("f1", np.where(Y, "yes", "no"), "f1_score cannot score these labels: .*pos_label=1"),
        ("r2", np.where(Y, "yes", "no"), "r2_score cannot score these labels"),
    ],
)
@pytest.mark.parametrize("as_search", [True, False])
def test_a_score_that_is_none_of_these_labels_is_refused(scoring, y, message, as_search):
    search = OptunaSearchCV(NeverFitted(), SPACE, scoring=scoring)
    with pytest.raises(ValueError, match=message):
        search.fit(X, y) if as_search else _nested(NeverFitted(), y=y, scoring=scoring)


def test_scores_that_suit_the_labels_pass():
    for scoring in ("roc_auc_ovr", "f1_macro", "balanced_accuracy", "neg_log_loss"):
        assert np.isfinite(_nested(GaussianNB(), y=ROWS % 3, scoring=scoring).outer_scores).all()
    with pytest.raises(ValueError, match="accuracy_score cannot score these labels"):
        _nested(Ridge(), y=X[:, 0], scoring="accuracy")

    def picky(y, predicted):
        if (y == predicted).all():
            raise ValueError("too good to be true")
        return 1.0

    assert (_nested(Ridge(), y=X[:, 0], scoring=make_scorer(picky)).outer_scores == 1).all()


@pytest.mark.parametrize("search", [OptunaSearchCV, GridSearchCV])
def test_given_folds_cannot_be_inner_folds(search):
    given = search(Ridge(), {"alpha": [1.0]}, cv=_halves(40))
    with pytest.raises(ValueError, match="inner_cv holds given folds"):
        _nested(given, y=X[:, 0], inner_cv=None)
    with pytest.raises(ValueError, match="inner_cv holds given folds"):
        _nested(given.set_params(cv=3), y=X[:, 0], inner_cv=_halves(40))


def test_a_search_keeps_its_own_space():
    grid = GridSearchCV(NeverFitted(), {"strength": [1.0]})
    with pytest.raises(ValueError, match="has its own search space"):
        _nested(grid, search_space={"strength": [2.0]})
    with pytest.raises(ValueError, match="has no n_trials"):
        _nested(grid, n_trials=4)


# ---------------------------------------------------------------- what looks fitted


def test_a_fitted_pipeline_is_cloned_and_said():
    fitted = make_pipeline(StandardScaler(), LogisticRegression()).fit(X * 100, 1 - Y)
    with pytest.warns(HonestevalWarning, match="already fitted. It is cloned"):
        result = _nested(fitted)
    fresh = _nested(make_pipeline(StandardScaler(), LogisticRegression()))
    np.testing.assert_array_equal(result.outer_scores, fresh.outer_scores)
    assert any("already fitted" in note for note in result.notes)
    assert fitted[0].mean_ == pytest.approx((X * 100).mean(axis=0))


def test_an_unfitted_pipeline_gets_no_remark():
    assert _nested(make_pipeline(StandardScaler(), LogisticRegression())).notes == ()


def test_features_that_were_scaled_on_all_rows_draw_a_warning():
    with pytest.warns(HonestevalWarning, match="a scaler was fitted on them"):
        result = _nested(LogisticRegression(), X=StandardScaler().fit_transform(X))
    assert any("scaler" in note for note in result.notes)


def test_features_chosen_on_all_rows_draw_a_warning():
    """The Elements of Statistical Learning, 7.10.2."""
    rng = np.random.default_rng(0)
    noise, y = rng.normal(size=(50, 5000)), np.arange(50) % 2
    chosen = SelectKBest(f_classif, k=100).fit_transform(noise, y)
    with pytest.warns(HonestevalWarning, match="chosen by their association with y"):
        result = _nested(LogisticRegression(), X=chosen, y=y)
    assert result.outer_scores.mean() > 0.85
    inside = _nested(
        make_pipeline(SelectKBest(f_classif, k=100), LogisticRegression()), X=noise, y=y
    )
    assert abs(inside.outer_scores.mean() - 0.5) < 0.25
