"""The number of boosting iterations is chosen on training rows, and then used on all of them."""

import importlib

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import make_classification, make_regression
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
)
from sklearn.metrics import log_loss, mean_absolute_error, mean_squared_error
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from honesteval.tuning import EarlyStoppingRefit, OptunaSearchCV, nested_cross_validate

XC, YC = make_classification(160, 5, flip_y=0.2, random_state=0)
XR, YR = make_regression(160, 5, noise=60, random_state=0)
QUICK = {"max_iterations": 40, "patience": 6, "random_state": 0}


def _installed(name):
    """Import a package, or skip; without the system's OpenMP its import is an OSError."""
    try:
        return importlib.import_module(name)
    except (ImportError, OSError) as error:
        pytest.skip(f"{name} is not installed: {error}")


def _xgboost():
    xgboost = _installed("xgboost")
    return xgboost.XGBClassifier(learning_rate=0.4, n_jobs=1), "n_estimators"


def _lightgbm():
    lightgbm = _installed("lightgbm")
    model = lightgbm.LGBMClassifier(learning_rate=0.4, n_jobs=1, verbose=-1, min_child_samples=5)
    return model, "n_estimators"


def _hist():
    return HistGradientBoostingClassifier(learning_rate=0.4, random_state=0), "max_iter"


def _plain():
    return GradientBoostingClassifier(learning_rate=0.4, random_state=0), "n_estimators"


@pytest.fixture(autouse=True)
def _one_thread():
    with threadpool_limits(1):
        yield


KINDS = pytest.mark.parametrize("kind", [_hist, _plain, _xgboost, _lightgbm])


@KINDS
def test_the_final_model_has_the_chosen_number_and_all_rows(kind):
    model, parameter = kind()
    stopped = EarlyStoppingRefit(model, **QUICK).fit(XC, YC)
    assert 1 <= stopped.n_iterations_ < 40
    assert not stopped.reached_maximum_
    assert stopped.estimator_.get_params()[parameter] == stopped.n_iterations_
    by_hand = clone(model).set_params(**{parameter: stopped.n_iterations_}).fit(XC, YC)
    np.testing.assert_allclose(stopped.predict_proba(XC), by_hand.predict_proba(XC))


@pytest.mark.parametrize(
    "model",
    [
        HistGradientBoostingClassifier(learning_rate=0.4, random_state=0),
        GradientBoostingClassifier(learning_rate=0.4, random_state=0),
    ],
)
def test_the_chosen_number_has_the_lowest_loss_on_the_held_out_rows(model):
    stopped = EarlyStoppingRefit(model, **QUICK).fit(XC, YC)
    splitter = StratifiedShuffleSplit(1, test_size=0.15, random_state=0)
    train, held_out = next(splitter.split(XC, YC))
    name = "max_iter" if hasattr(model, "max_iter") else "n_estimators"
    off = {"early_stopping": False} if name == "max_iter" else {}
    grown = clone(model).set_params(**{name: 40}, **off).fit(XC[train], YC[train])
    losses = [log_loss(YC[held_out], p) for p in grown.staged_predict_proba(XC[held_out])]
    best = int(np.argmin(losses[: stopped.n_iterations_ + 6])) + 1
    assert stopped.n_iterations_ == best


@pytest.mark.parametrize("kind", [HistGradientBoostingRegressor, GradientBoostingRegressor])
@pytest.mark.parametrize("loss", ["squared_error", "absolute_error"])
def test_regressors_have_the_lowest_loss_too(kind, loss):
    stopped = EarlyStoppingRefit(kind(learning_rate=0.4, random_state=0), loss=loss, **QUICK).fit(
        XR, YR
    )
    train, held_out = next(ShuffleSplit(1, test_size=0.15, random_state=0).split(XR))
    grown = clone(stopped.estimator_).set_params(
        **{"max_iter" if "Hist" in kind.__name__ else "n_estimators": 40}
    )
    grown.fit(XR[train], YR[train])
    measure = mean_squared_error if loss == "squared_error" else mean_absolute_error
    losses = [measure(YR[held_out], p) for p in grown.staged_predict(XR[held_out])]
    assert stopped.n_iterations_ == np.argmin(losses[: stopped.n_iterations_ + 6]) + 1


def test_several_held_out_parts_are_averaged():
    model = GradientBoostingClassifier(learning_rate=0.4, random_state=0)
    stopped = EarlyStoppingRefit(model, cv=3, **QUICK).fit(XC, YC)
    assert len(stopped.best_iterations_) == 3
    assert stopped.n_iterations_ == max(1, round(stopped.best_iterations_.mean()))


def test_reaching_the_maximum_is_said():
    model = GradientBoostingRegressor(learning_rate=0.001, random_state=0)
    stopped = EarlyStoppingRefit(model, max_iterations=5, random_state=0).fit(XR, YR)
    assert stopped.n_iterations_ == 5
    assert stopped.reached_maximum_


def test_the_steps_before_are_fitted_without_the_held_out_rows():
    seen = []

    class Scaler(StandardScaler):
        def fit(self, X, y=None, sample_weight=None):
            seen.append(len(X))
            return super().fit(X)

    pipeline = make_pipeline(Scaler(), GradientBoostingClassifier(random_state=0))
    stopped = EarlyStoppingRefit(pipeline, **QUICK).fit(XC, YC)
    assert seen == [136, 160]
    assert stopped.estimator_[-1].n_estimators == stopped.n_iterations_


@KINDS
def test_weights_take_part_in_the_choice_and_in_the_fit(kind):
    model, _ = kind()
    weights = np.where(YC, 5.0, 0.2)
    weighted = EarlyStoppingRefit(model, **QUICK).fit(XC, YC, sample_weight=weights)
    plain = EarlyStoppingRefit(model, **QUICK).fit(XC, YC)
    assert weighted.predict_proba(XC)[:, 1].mean() > plain.predict_proba(XC)[:, 1].mean() + 0.05


def test_groups_are_held_out_together():
    groups = np.arange(160) // 16
    seen = []

    class Model(GradientBoostingClassifier):
        def fit(self, X, y, sample_weight=None):
            seen.append({tuple(row) for row in X})
            return super().fit(X, y, sample_weight)

    EarlyStoppingRefit(Model(random_state=0), max_iterations=3, random_state=0).fit(
        XC, YC, groups=groups
    )
    used = {g for g, row in zip(groups, XC, strict=True) if tuple(row) in seen[0]}
    left_out = {g for g, row in zip(groups, XC, strict=True) if tuple(row) not in seen[0]}
    assert len(left_out) == 2
    assert not used & left_out


@pytest.mark.parametrize("routing", [False, True])
def test_groups_arrive_through_a_search_and_a_pipeline(routing):
    groups = np.arange(160) // 8
    calls = []

    class Spy(EarlyStoppingRefit):
        def fit(self, X, y, sample_weight=None, groups=None):
            calls.append(None if groups is None else len(groups) == len(X))
            return super().fit(X, y, sample_weight, groups)

    with sklearn.config_context(enable_metadata_routing=routing):
        spy = Spy(GradientBoostingClassifier(random_state=0), max_iterations=3, random_state=0)
        if routing:
            spy.set_fit_request(groups=True, sample_weight=False)
        OptunaSearchCV(
            make_pipeline(StandardScaler(), spy), {"spy__estimator__max_depth": [1, 2]},
            n_trials=2, cv=2, random_state=0,
        ).fit(XC, YC, groups=groups)  # fmt: skip
    assert calls
    assert all(calls)


def test_the_choice_is_made_inside_every_fold_of_a_nested_search():
    model = EarlyStoppingRefit(
        HistGradientBoostingClassifier(random_state=0), max_iterations=20, patience=5,
        random_state=0,
    )  # fmt: skip
    result = nested_cross_validate(
        model, XC, YC, search_space={"estimator__learning_rate": [0.1, 0.5]}, n_trials=2,
        outer_cv=2, inner_cv=2, scoring="roc_auc", random_state=0,
    )  # fmt: skip
    assert result.outer_scores.mean() > 0.6
    assert set(result.best_params[0]) == {"estimator__learning_rate"}
    assert result.predicted_scores.max() <= 1


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match="Got RandomForestClassifier"):
        EarlyStoppingRefit(RandomForestClassifier()).fit(XC, YC)
    model = GradientBoostingClassifier()
    for arguments, message in (
        ({"max_iterations": 0}, "max_iterations"),
        ({"patience": 0}, "patience"),
        ({"validation_fraction": 1.0}, "validation_fraction"),
        ({"loss": "squared_error"}, "does not fit a classifier"),
        ({"loss": "log_los"}, "Did you mean 'log_loss'"),
    ):
        with pytest.raises(ValueError, match=message):
            EarlyStoppingRefit(model, **arguments).fit(XC, YC)
