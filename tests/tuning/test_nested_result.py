"""Results: tables, intervals, JSON without pickle, HTML, pictures."""

import json
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t as student_t
from sklearn.datasets import load_iris, make_classification, make_regression
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import KFold, RepeatedStratifiedKFold, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from honesteval.exceptions import HonestevalWarning
from honesteval.stats import corrected_t_test
from honesteval.tuning import (
    NestedCVResult,
    NestedLearningCurveDisplay,
    OptimismDisplay,
    ParameterStabilityDisplay,
    corrected_t_interval,
    nested_cross_validate,
)
from honesteval.tuning._out_of_fold import most_frequent, over_repeats
from honesteval.tuning._scorer_metric import scorer_limits, scorer_metric
from honesteval.tuning._stability import parameter_stability

X, Y = make_classification(90, 6, n_informative=3, random_state=0)
CV = StratifiedKFold(3, shuffle=True, random_state=1)
TREE = DecisionTreeClassifier(random_state=0)


@pytest.fixture(scope="module")
def result():
    with pytest.warns(HonestevalWarning, match="does not look at them"):
        return nested_cross_validate(
            TREE, X, Y, search_space={"max_depth": [1, 2, 4], "ccp_alpha": [0.0, 0.01]},
            n_trials=5, outer_cv=CV, scoring=["roc_auc", "accuracy"], refit="roc_auc",
            train_sizes=(0.5,), groups=np.arange(90), inner_cv=KFold(3), random_state=0,
        )  # fmt: skip


def _equal(first, second):
    assert first.outer_scores.tolist() == second.outer_scores.tolist()
    for name in ("metric", "task_names", "n_splits", "n_repeats", "model", "outer_cv", "inner_cv"):
        assert getattr(first, name) == getattr(second, name)
    np.testing.assert_array_equal(first.y, second.y)
    np.testing.assert_array_equal(first.predictions, second.predictions)
    pd.testing.assert_frame_equal(
        first.to_frame().astype(str), second.to_frame().astype(str), check_dtype=False
    )
    assert first.summary() == second.summary()


# ---------------------------------------------------------------- tables and words


def test_the_table_has_a_row_per_fold(result):
    frame = result.to_frame()
    assert len(frame) == 3
    np.testing.assert_allclose(frame["optimism"], frame["inner_best_score"] - frame["roc_auc"])
    assert list(frame["param_max_depth"]) == [p["max_depth"] for p in result.best_params]
    assert list(frame["train_size"] + frame["test_size"]) == [90, 90, 90]


def test_the_summary_says_score_interval_and_optimism(result):
    text = result.summary()
    assert f"roc_auc {result.outer_scores.mean():.3f} [" in text
    assert f"{result.optimism.mean():+.3f} off" in text
    assert "Nadeau" in text


def test_its_text_on_a_prompt_holds_no_arrays(result):
    assert "folds=" not in repr(result)
    assert "predictions=" not in repr(result.folds[0])
    assert len(repr(result)) < 800


def test_html_is_escaped(result):
    html = replace(result, notes=("1 < 2 <script>",))._repr_html_()
    assert "1 &lt; 2 &lt;script&gt;" in html
    assert "<script>" not in html
    assert "<table" in html
    assert "roc_auc" in html


def test_stability_counts_agreement_and_ranges():
    table = parameter_stability(
        [{"C": 1.0, "kernel": "rbf"}, {"C": 100.0, "kernel": "rbf"}, {"C": 1.0, "kernel": "linear"},
         {"kernel": "rbf"}]
    ).set_index("parameter")  # fmt: skip
    assert table.loc["kernel", "agreement"] == 0.75
    assert table.loc["C", "agreement"] == 0.5
    assert table.loc["C", ["median", "low", "high"]].tolist() == [1.0, 1.0, 100.0]
    assert table.loc["C", "n_folds"] == 3
    assert np.isnan(table.loc["kernel", "median"])


# ---------------------------------------------------------------- intervals


def test_the_interval_is_that_of_nadeau_and_bengio():
    scores = np.array([0.8, 0.7, 0.9, 0.75, 0.85])
    interval = corrected_t_interval(scores, test_to_train_ratio=0.25, confidence_level=0.9)
    half = student_t.ppf(0.95, 4) * scores.std(ddof=1) * np.sqrt(1 / 5 + 0.25)
    assert interval.low == pytest.approx(0.8 - half)
    assert interval.high == pytest.approx(0.8 + half)
    test = corrected_t_test(scores, scores * 0, n_train=80, n_test=20, confidence_level=0.9)
    assert (interval.low, interval.high) == pytest.approx((test.low, test.high))


def test_an_undefined_fold_is_left_out_of_the_interval():
    with_gap = corrected_t_interval([0.8, np.nan, 0.6], test_to_train_ratio=0.5)
    without = corrected_t_interval([0.8, 0.6], test_to_train_ratio=0.5)
    assert with_gap == without
    assert with_gap.n_folds == 2
    alone = corrected_t_interval([0.8], test_to_train_ratio=0.5)
    assert np.isnan(alone.low)
    assert alone.estimate == 0.8


@given(st.lists(st.floats(0, 1), min_size=2, max_size=12), st.floats(0.01, 1))
@settings(max_examples=60, deadline=None)
def test_limits_of_a_bounded_score_stay_within_its_bounds(scores, ratio):
    interval = corrected_t_interval(scores, test_to_train_ratio=ratio, limits=(0, 1))
    assert 0 <= interval.low <= interval.estimate + 1e-12
    assert interval.estimate - 1e-12 <= interval.high <= 1


def test_bounds_are_known_by_the_scorers_name():
    assert scorer_limits("roc_auc") == (0, 1)
    assert scorer_limits("neg_root_mean_squared_error") == (-np.inf, 0)
    assert scorer_limits("r2") == (-np.inf, 1)
    assert scorer_limits("my own") == (-np.inf, np.inf)
    assert scorer_metric("neg_mean_absolute_error").sign == -1


def test_the_bootstrap_interval_is_about_fold_means_of_rankings_and_all_labels_together(result):
    interval = result.interval(method="bootstrap")
    assert interval.estimate == pytest.approx(np.mean(result.outer_scores))
    assert interval.low < interval.estimate < interval.high
    assert "bootstrap over groups of the mean over folds" in interval.method
    accuracy = result.interval(method="bootstrap", metric="accuracy")
    assert accuracy.estimate == pytest.approx(np.mean(result.predictions == Y))
    with pytest.raises(ValueError, match="Did you mean 'bootstrap'"):
        result.interval(method="bootstrp")


class _OtherScale(RidgeClassifier):
    """Its decision values are shifted by a number that no other fold has."""

    def fit(self, X, y, sample_weight=None):
        super().fit(X, y)
        self.shift_ = 1e3 * float(np.sum(X[:, 0]))
        return self

    def decision_function(self, X):
        return super().decision_function(X) + self.shift_


@pytest.mark.parametrize("n_repeats", [1, 3])
def test_models_on_other_scales_do_not_blur_a_ranking(n_repeats):
    rng = np.random.default_rng(0)
    labels = np.arange(90) % 2
    rows = labels[:, None] * 2 + rng.normal(size=(90, 3))
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=n_repeats, random_state=0)
    found = nested_cross_validate(
        _OtherScale(), rows, labels, scoring="roc_auc", outer_cv=cv, random_state=0
    )
    interval = found.interval(method="bootstrap")
    assert interval.estimate == pytest.approx(np.mean(found.outer_scores))
    assert 0.85 < interval.low < interval.estimate < interval.high
    assert interval.high - interval.low < 0.12  # rows are drawn once, not once per repeat


def test_the_pooled_interval_of_an_error_has_its_sign():
    rows, values = make_regression(60, 4, noise=30, random_state=0)
    found = nested_cross_validate(
        Ridge(), rows, values, scoring="neg_mean_absolute_error", outer_cv=3, random_state=0
    )
    interval = found.interval(method="bootstrap")
    assert interval.estimate == pytest.approx(-np.abs(values - found.predictions).mean())
    assert interval.low < interval.estimate < interval.high < 0
    own = nested_cross_validate(
        Ridge(), rows, values, scoring=lambda m, a, b: m.score(a, b), outer_cv=3, random_state=0
    )
    with pytest.raises(ValueError, match="cannot be resampled"):
        own.interval(method="bootstrap")


def test_groups_widen_the_pooled_interval():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(15), 6)
    level = rng.normal(size=15)[groups]
    rows = level[:, None] + 0.1 * rng.normal(size=(90, 2))
    values = level + 2 * rng.normal(size=15)[groups]
    grouped = nested_cross_validate(Ridge(), rows, values, groups=groups, random_state=0)
    by_group = grouped.interval(method="bootstrap")
    by_row = NestedCVResult(
        **{**vars(grouped), "groups": None}
    ).interval(method="bootstrap")  # fmt: skip
    assert by_group.high - by_group.low > 1.5 * (by_row.high - by_row.low)


# ---------------------------------------------------------------- repeats


def test_repeats_are_averaged_and_gaps_left_out():
    table = np.array([[1.0, np.nan, 3.0], [3.0, np.nan, np.nan]])
    np.testing.assert_array_equal(over_repeats(table), [2.0, np.nan, 3.0])
    labels = np.array([["b", "a", None], ["b", None, None], ["a", "b", None]], dtype=object)
    assert most_frequent(labels).tolist() == ["b", "a", None]


# ---------------------------------------------------------------- JSON


def test_a_saved_result_reloads_without_pickle(result, tmp_path):
    path = tmp_path / "result.json"
    text = result.to_json(path)
    assert "pickle" not in text
    assert json.loads(text)["format"] == "honesteval.NestedCVResult"
    for source in (path, str(path), text):
        _equal(result, NestedCVResult.from_json(source))
    with pytest.raises(ValueError, match="holds neither the model nor the data"):
        NestedCVResult.from_json(path).refit()


@pytest.mark.parametrize("case", ["words", "classes", "regression", "tasks", "time", "estimators"])
def test_every_kind_of_result_reloads(case):
    if case == "words":
        found = nested_cross_validate(TREE, X, np.array(["no", "yes"])[Y], outer_cv=CV, n_repeats=2)
    elif case == "classes":
        found = nested_cross_validate(TREE, *load_iris(return_X_y=True), random_state=0)
    elif case == "tasks":
        table = np.column_stack([Y, 1 - Y]).astype(float)
        table[::4, 0] = np.nan
        found = nested_cross_validate(TREE, X, table, outer_cv=3, random_state=0)
    elif case == "time":
        folds = [(np.arange(40), np.arange(40, 60)), (np.arange(60), np.arange(60, 90))]
        found = nested_cross_validate(LinearSVC(), X, np.array(["a", "b"])[Y], outer_cv=folds)
    elif case == "estimators":
        pipeline = Pipeline([("scale", StandardScaler()), ("model", LogisticRegression())])
        space = {"scale": [StandardScaler(), MinMaxScaler()], "model__C": [0.1, 1.0]}
        found = nested_cross_validate(
            pipeline, X, Y, search_space=space, n_trials=3, outer_cv=CV, random_state=0
        )
    else:
        found = nested_cross_validate(Ridge(), X, X[:, 0] + 1, outer_cv=3, random_state=0)
    again = NestedCVResult.from_json(found.to_json())
    _equal(found, again)
    _equal(again, NestedCVResult.from_json(again.to_json()))


def test_what_is_no_saved_result_is_refused(result, tmp_path):
    with pytest.raises(ValueError, match="not a saved nested"):
        NestedCVResult.from_json("{}")
    newer = {**json.loads(result.to_json()), "version": 99}
    with pytest.raises(ValueError, match="format version 99"):
        NestedCVResult.from_json(json.dumps(newer))
    with pytest.raises(FileNotFoundError):
        NestedCVResult.from_json(tmp_path / "nowhere.json")


# ---------------------------------------------------------------- pictures


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def test_the_optimism_display_draws_its_data(result):
    display = OptimismDisplay.from_result(result)
    assert plt.get_fignums() == []  # it is made without being drawn
    assert display.plot() is display
    drawn = [collection.get_offsets()[:, 1] for collection in display.ax_.collections[1:]]
    np.testing.assert_allclose(drawn[0], result.inner_best_scores)
    np.testing.assert_allclose(drawn[1], result.outer_scores)
    assert display.ax_.get_ylabel() == "roc_auc"
    _, ax = plt.subplots()
    again = OptimismDisplay([0.9], [0.8])
    assert again.plot(ax=ax) is again
    assert again.ax_ is ax


def test_the_stability_display_has_a_panel_per_parameter(result):
    display = ParameterStabilityDisplay.from_result(result)
    assert plt.get_fignums() == []  # it is made without being drawn
    assert display.plot() is display
    assert [panel.get_ylabel() for panel in display.ax_] == list(display.parameters)
    wide = ParameterStabilityDisplay([{"C": 0.01}, {"C": 10.0}, {"C": 1.0}]).plot()
    assert wide.ax_[0].get_yscale() == "log"
    with pytest.raises(ValueError, match="nothing to tune"):
        ParameterStabilityDisplay([{}]).plot()
    _, ax = plt.subplots()
    with pytest.raises(ValueError, match="one axes per parameter, 2"):
        display.plot(ax=ax)


def test_the_learning_curve_display_draws_each_fold_and_the_mean(result):
    display = NestedLearningCurveDisplay.from_result(result)
    assert plt.get_fignums() == []  # it is made without being drawn
    assert display.plot() is display
    assert len(display.ax_.lines) == 3 + 1
    np.testing.assert_allclose(display.scores[:, -1], result.outer_scores)
    np.testing.assert_allclose(display.ax_.lines[-1].get_ydata(), display.scores.mean(axis=0))
    plain = nested_cross_validate(TREE, X, Y, outer_cv=CV)
    with pytest.raises(ValueError, match="train_sizes"):
        NestedLearningCurveDisplay.from_result(plain)
