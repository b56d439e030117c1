"""Thresholds, rates and costs."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from honesteval.metrics import operating_points, precision_at_prevalence


@st.composite
def _ranked(draw):
    n = draw(st.integers(3, 30))
    y = np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)))
    score = np.array(draw(st.lists(st.integers(0, 9), min_size=n, max_size=n)))
    assume(0 < y.sum() < n)
    return y, score


def _cost(y, score, threshold, ratio, prevalence):
    called = score >= threshold
    missed, alarms = 1 - called[y == 1].mean(), called[y == 0].mean()
    return ratio * prevalence * missed + (1 - prevalence) * alarms


@settings(max_examples=30, deadline=None)
@given(_ranked(), st.sampled_from([0.2, 1.0, 7.0]), st.sampled_from([0.01, 0.3, 0.9]))
def test_no_other_threshold_is_cheaper(data, ratio, prevalence):
    y, score = data
    line = operating_points(y, score, cost_ratios=[ratio], prevalence=prevalence).loc[0]
    every = [_cost(y, score, t, ratio, prevalence) for t in [np.inf, *np.unique(score)]]
    assert_allclose(line["cost"], min(every), atol=1e-12)
    assert_allclose(line["cost"], _cost(y, score, line["threshold"], ratio, prevalence))
    assert line["cost"] <= line["cost_without_model"] + 1e-12


@settings(max_examples=30, deadline=None)
@given(_ranked(), st.floats(0, 1))
def test_no_other_threshold_within_the_rate_finds_more(data, limit):
    y, score = data
    table = operating_points(y, score, cost_ratios=[], false_positive_rates=[limit])
    line = table.loc[0]
    assert line["fpr"] <= limit + 1e-12
    for threshold in np.unique(score):
        called = score >= threshold
        if called[y == 0].mean() <= limit:
            assert called[y == 1].mean() <= line["tpr"] + 1e-12


def test_rates_have_exact_limits_and_precision_the_stated_prevalence():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 100)
    score = y + rng.normal(size=100)
    line = operating_points(y, score, cost_ratios=[3], prevalence=0.02).loc[0]
    called = score >= line["threshold"]
    assert_allclose(line["tpr"], called[y == 1].mean())
    exact = stats.binomtest(int(called[y == 0].sum()), int((y == 0).sum())).proportion_ci()
    assert_allclose([line["fpr_low"], line["fpr_high"]], [exact.low, exact.high])
    assert_allclose(line["precision"], precision_at_prevalence(line["tpr"], line["fpr"], 0.02))


def test_a_useless_ranking_is_not_worth_a_threshold():
    line = operating_points([0, 1, 0, 1], [1, 1, 1, 1], cost_ratios=[1], prevalence=0.1).loc[0]
    assert line["threshold"] == np.inf
    assert np.isnan(line["precision"])
    assert line["cost"] == line["cost_without_model"] == 0.1


def test_dearer_misses_lower_the_threshold():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    table = operating_points(y, y + rng.normal(size=200), cost_ratios=[0.2, 1, 5, 25])
    assert table["threshold"].is_monotonic_decreasing
    assert table["tpr"].is_monotonic_increasing
    assert_allclose(table["prevalence"], y.mean())


def test_arguments_are_checked():
    with pytest.raises(ValueError, match="need both classes"):
        operating_points([1, 1], [1, 2])
    with pytest.raises(ValueError, match="cost_ratios must be a number"):
        operating_points([0, 1], [1, 2], cost_ratios=[0])
    with pytest.raises(ValueError, match="prevalence must be a number"):
        operating_points([0, 1], [1, 2], prevalence=1.0)
    with pytest.raises(ValueError, match="false_positive_rates must be a number"):
        operating_points([0, 1], [1, 2], false_positive_rates=[1.5])


def test_several_tasks_are_those_of_each_alone():
    rng = np.random.default_rng(0)
    Y = pd.DataFrame(rng.integers(0, 2, size=(60, 3)).astype(float), columns=["a", "b", "c"])
    scores = Y + rng.normal(size=(60, 3))
    Y.loc[:9, "a"] = np.nan
    Y["c"] = 1.0
    given = {"cost_ratios": [1, 10], "false_positive_rates": [0.1]}
    table = operating_points(Y, scores, prevalence={"b": 0.01}, **given)
    assert table["task"].tolist() == ["a"] * 3 + ["b"] * 3 + ["c"]
    assert list(table.columns)[:: len(table.columns) - 1] == ["task", "reason"]
    for task, prevalence in (("a", None), ("b", 0.01)):
        known = Y[task].notna()
        alone = operating_points(
            Y.loc[known, task].to_numpy(), scores.loc[known, task], prevalence=prevalence, **given
        )
        part = table[table["task"] == task].drop(columns=["task", "reason"]).reset_index(drop=True)
        pd.testing.assert_frame_equal(part, alone)
    last = table.iloc[-1]
    assert last["reason"] == "one class only (60 positives of 60 rows)"
    assert np.isnan(last["tpr"])
    everywhere = operating_points(Y, scores, prevalence=0.2, **given)
    assert (everywhere["prevalence"].dropna() == 0.2).all()


def test_tasks_without_classes_and_prevalences_of_no_task_are_named():
    Y = np.array([[0, 0.5], [1, 1.5], [1, 2.5], [0, 0.1]])
    table = operating_points(Y, Y, tasks=["hERG", "logS"], cost_ratios=[1])
    assert table["reason"].tolist() == ["", "measured values, not classes"]
    with pytest.raises(ValueError, match="Did you mean 'hERG'"):
        operating_points(Y, Y, tasks=["hERG", "logS"], prevalence={"hERg": 0.1})
    with pytest.raises(ValueError, match="needs several tasks"):
        operating_points([0, 1], [0, 1], prevalence={"a": 0.1})
