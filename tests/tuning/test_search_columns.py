"""Groups and sample weights: they reach every inner fold, and belong to its rows."""

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.metrics import make_scorer, r2_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    LeavePGroupsOut,
    PredefinedSplit,
    RandomizedSearchCV,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
    check_cv,
)
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from honesteval.exceptions import HonestevalWarning
from honesteval.tuning import OptunaSearchCV, nested_cross_validate
from honesteval.tuning._splits import compute_splits, takes_groups
from tests.tuning.recording_models import (
    GroupCheckingClassifier,
    GroupCheckingKFold,
    WeightCheckingRegressor,
    numbered_rows,
)

X, Y, GROUPS, WEIGHTS = numbered_rows()
PLAIN = {"shrink": [0.0, 0.5]}


@pytest.fixture(params=[False, True], ids=["without routing", "with routing"])
def routing(request):
    with sklearn.config_context(enable_metadata_routing=request.param):
        yield request.param


def _weighted(routing):
    model = WeightCheckingRegressor()
    if routing:
        model.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
    return model


def _grouped(routing):
    model = GroupCheckingClassifier()
    return model.set_fit_request(groups=True) if routing else model


def _tuned(kind, model, space):
    if kind == "optuna":
        return OptunaSearchCV(model, space, n_trials=3, cv=GroupCheckingKFold(), random_state=0)
    if kind == "grid":
        return GridSearchCV(model, space, cv=GroupCheckingKFold())
    return RandomizedSearchCV(model, space, n_iter=2, cv=GroupCheckingKFold(), random_state=0)


def test_a_search_slices_groups_and_weights(routing):
    search = _tuned("optuna", _weighted(routing), PLAIN)
    search.fit(X, Y * 1.0, groups=GROUPS, sample_weight=WEIGHTS)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@pytest.mark.parametrize("kind", ["optuna", "grid", "random"])
@pytest.mark.parametrize("in_pipeline", [False, True])
def test_nested_cross_validation_slices_groups_and_weights(routing, kind, in_pipeline):
    model, space = _weighted(routing), PLAIN
    if in_pipeline:
        model = Pipeline([("same", FunctionTransformer()), ("model", model)])
        space = {"model__shrink": [0.0, 0.5]}
    search = _tuned(kind, model, space)
    if routing:
        # the default score of a pipeline takes no metadata in scikit-learn 1.6
        search.set_params(scoring=make_scorer(r2_score).set_score_request(sample_weight=True))
    result = nested_cross_validate(
        search, X, Y * 1.0, outer_cv=GroupCheckingKFold(4), groups=GROUPS,
        sample_weight=WEIGHTS, random_state=0,
    )  # fmt: skip
    assert np.isfinite(result.outer_scores).all()
    assert np.isfinite(result.inner_best_scores).all()
    assert result.refit().n_rows == len(X)


def test_scores_are_weighted_with_the_rows_of_the_test_part():
    """With the weights of its own rows a constant model has the weighted R2 of that part."""
    fold = GroupCheckingKFold(3)
    result = nested_cross_validate(
        WeightCheckingRegressor(), X, Y * 1.0, outer_cv=fold, groups=GROUPS, sample_weight=WEIGHTS
    )
    for number, (train, test) in enumerate(fold.split(X, Y, GROUPS)):
        mean = np.average(Y[train], weights=WEIGHTS[train])
        centre = np.average(Y[test], weights=WEIGHTS[test])
        lost = np.sum(WEIGHTS[test] * (Y[test] - mean) ** 2)
        total = np.sum(WEIGHTS[test] * (Y[test] - centre) ** 2)
        assert result.outer_scores[number] == pytest.approx(1 - lost / total)


def test_groups_reach_a_fit_that_asks_for_them(routing):
    search = _tuned("optuna", _grouped(routing), {"flip": [0.0, 0.5]})
    search.fit(X, Y, groups=GROUPS)
    result = nested_cross_validate(
        clone(search), X, Y, outer_cv=GroupCheckingKFold(4), groups=GROUPS, random_state=0
    )
    assert len(result.outer_scores) == 4
    assert result.refit().n_rows == len(X)


def test_a_number_of_folds_keeps_groups_whole(routing):
    result = nested_cross_validate(
        DecisionTreeClassifier(random_state=0), X, Y, search_space={"max_depth": [1, 2]},
        n_trials=2, outer_cv=3, inner_cv=3, groups=GROUPS, random_state=0,
    )  # fmt: skip
    assert result.outer_cv.startswith("StratifiedGroupKFold")
    assert result.inner_cv.startswith("StratifiedGroupKFold")
    for test in result.test_indices:
        outside = np.setdiff1d(np.arange(len(X)), test)
        assert not set(GROUPS[test]) & set(GROUPS[outside])
    search = OptunaSearchCV(Ridge(), {"alpha": [1.0, 2.0]}, n_trials=2, cv=3, random_state=0)
    search.fit(X, Y * 1.0, groups=GROUPS)
    assert search.n_splits_ == 3


@pytest.mark.parametrize("splitter", [GroupKFold(3), StratifiedGroupKFold(3)])
def test_group_splitters_of_scikit_learn_work_in_both_loops(routing, splitter):
    result = nested_cross_validate(
        DecisionTreeClassifier(random_state=0), X, Y, search_space={"max_depth": [1, 2]},
        n_trials=2, outer_cv=splitter, inner_cv=splitter, groups=GROUPS, random_state=0,
    )  # fmt: skip
    assert np.isfinite(result.outer_scores).all()


def test_a_grid_search_with_a_number_of_folds_keeps_groups_whole_too():
    """Left alone it would draw its inner folds without looking at them."""
    seen = []

    def scorer(model, X_test, y_test):
        seen.append(set(np.asarray(X_test)[:, 1]))
        return 0.0

    nested_cross_validate(
        GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1]}, cv=3, scoring=scorer),
        X, Y, outer_cv=3, groups=GROUPS, random_state=0,
    )  # fmt: skip
    inner = seen[:3]
    assert len(inner[0] | inner[1] | inner[2]) == sum(len(groups) for groups in inner)


def test_warns_when_a_splitter_does_not_look_at_the_groups():
    with pytest.warns(HonestevalWarning, match=r"outer_cv \(KFold\(.* does not look at them"):
        nested_cross_validate(Ridge(), X, Y * 1.0, outer_cv=KFold(3), groups=GROUPS, random_state=0)
    search = OptunaSearchCV(Ridge(), {"alpha": [1.0]}, n_trials=1, cv=KFold(3))
    with pytest.warns(HonestevalWarning, match="does not look at them"):
        search.fit(X, Y * 1.0, groups=GROUPS)


@pytest.mark.parametrize(
    "splitter",
    [
        KFold(3), StratifiedKFold(3), ShuffleSplit(3), StratifiedShuffleSplit(3), LeaveOneOut(),
        TimeSeriesSplit(3), RepeatedKFold(n_splits=3), PredefinedSplit(np.arange(48) % 3),
        type("Own", (StratifiedKFold,), {})(3), check_cv([([0, 1], [2])]),
    ],
)  # fmt: skip
def test_splitters_that_do_not_look_at_groups_are_known(splitter):
    assert not takes_groups(splitter)
    assert len(compute_splits(splitter, X, Y, GROUPS, where="outer_cv")) >= 1


@pytest.mark.parametrize(
    "splitter",
    [
        GroupKFold(3), StratifiedGroupKFold(3), LeaveOneGroupOut(), GroupShuffleSplit(3),
        LeavePGroupsOut(2), GroupCheckingKFold(),
    ],
)  # fmt: skip
def test_splitters_that_look_at_groups_are_known(splitter):
    assert takes_groups(splitter)
    assert len(compute_splits(splitter, X, Y, GROUPS, where="outer_cv")) >= 3


def test_other_columns_are_sliced_as_well():
    class Priced(Ridge):
        def fit(self, X, y, price=None):
            np.testing.assert_array_equal(price, np.asarray(X)[:, 0] * 10)
            return super().fit(X, y)

    result = nested_cross_validate(
        Priced(), X, Y * 1.0, search_space={"alpha": [0.1, 1.0]}, n_trials=2, outer_cv=3,
        params={"price": X[:, 0] * 10}, random_state=0,
    )  # fmt: skip
    assert np.isfinite(result.inner_best_scores).all()


def test_a_column_of_another_length_is_refused():
    with pytest.raises(ValueError, match=r"params\['price'\] has 3 entries for 48 rows"):
        nested_cross_validate(Ridge(), X, Y * 1.0, params={"price": [1, 2, 3]})
    with pytest.raises(ValueError, match="same number of rows"):
        nested_cross_validate(Ridge(), X, Y * 1.0, groups=GROUPS[:5])


def test_weights_that_nobody_requested_are_an_error_with_routing():
    with (
        sklearn.config_context(enable_metadata_routing=True),
        pytest.raises(ValueError, match="sample_weight"),
    ):
        nested_cross_validate(
            Pipeline([("scale", StandardScaler()), ("model", Ridge())]), X, Y * 1.0,
            search_space={"model__alpha": [1.0]}, n_trials=1, sample_weight=WEIGHTS,
        )  # fmt: skip
