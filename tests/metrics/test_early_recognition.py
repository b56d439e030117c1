"""User-facing ranking functions, their baselines, and precision-recall beyond one number."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.metrics import auc, average_precision_score, precision_recall_curve

from honesteval.metrics import (
    average_precision_gain,
    bedroc,
    bedroc_of_random,
    chance_calibration_error,
    enrichment_factor,
    expected_calibration_error,
    precision_at_prevalence,
    precision_recall_gain,
    random_average_precision,
    robust_initial_enhancement,
    trapezoid_pr_area,
)

few = settings(max_examples=25, deadline=None)


@st.composite
def _ranked(draw):
    n = draw(st.integers(3, 30))
    y = np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)))
    score = np.array(draw(st.lists(st.integers(0, 9), min_size=n, max_size=n)))
    assume(0 < y.sum() < n)
    return y, score


# -- early recognition -------------------------------------------------------------------------


@pytest.mark.parametrize("function", [enrichment_factor, bedroc, robust_initial_enhancement])
def test_tied_scores_do_not_depend_on_row_order(function):
    """rdkit#2843: with all scores equal, listing actives first is not a perfect ranking."""
    y = np.r_[np.ones(5), np.zeros(95)]
    first, last = function(y, np.zeros(100)), function(y[::-1], np.zeros(100))
    assert first == last
    expected = {bedroc: bedroc_of_random(5, 100)}.get(function, 1.0)
    assert_allclose(first, expected)


@few
@given(_ranked(), st.sampled_from([5.0, 20.0, 80.0]))
def test_bedroc_is_the_scaled_enhancement(data, alpha):
    y, score = data
    value = bedroc(y, score, alpha=alpha)
    assert 0 <= value <= 1
    best, worst = (robust_initial_enhancement(y, sign * y, alpha=alpha) for sign in (1, -1))
    enhancement = robust_initial_enhancement(y, score, alpha=alpha)
    assert_allclose(value, (enhancement - worst) / (best - worst), atol=1e-9)


@few
@given(_ranked(), st.floats(0.05, 1.0))
def test_enrichment_has_its_limits(data, fraction):
    y, score = data
    best = enrichment_factor(y, y, fraction=fraction)
    assert 0 <= enrichment_factor(y, score, fraction=fraction) <= best + 1e-12
    assert best <= min(1 / fraction, len(y) / y.sum()) + 1e-12
    assert_allclose(enrichment_factor(y, score, fraction=1.0), 1.0)


def test_weights_count_as_repetition():
    y, score, weights = [1, 0, 0, 1], [4, 3, 2, 1], [2, 1, 3, 1]
    repeated = np.repeat(np.arange(4), weights)
    for function in (bedroc, robust_initial_enhancement, enrichment_factor, trapezoid_pr_area):
        expected = function(np.take(y, repeated), np.take(score, repeated))
        assert_allclose(function(y, score, sample_weight=weights), expected)


# -- what chance scores ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_positive", "n", "value"),
    [(1, 10, 0.292897), (4, 10, 0.528598), (10, 100, 0.138067), (50, 5000, 0.011603)],
)
def test_random_average_precision(n_positive, n, value):
    assert_allclose(random_average_precision(n_positive, n), value, atol=5e-7)


@few
@given(st.integers(1, 300), st.data())
def test_random_average_precision_is_the_stated_sum(n, data):
    n_positive = data.draw(st.integers(1, n))
    k = np.arange(1, n + 1)
    terms = (n_positive - 1) * (k - 1) / max(n - 1, 1) + 1
    assert_allclose(random_average_precision(n_positive, n), np.mean(terms / k))


def test_average_precision_gain_is_zero_by_chance_and_one_at_best():
    assert_allclose(average_precision_gain(random_average_precision(3, 40), 3, 40), 0)
    assert average_precision_gain(1.0, 3, 40) == 1.0
    assert average_precision_gain(0.0, 3, 40) < 0
    assert np.isnan(average_precision_gain(1.0, 40, 40))
    assert np.isnan(average_precision_gain(np.nan, 3, 40))
    assert np.isnan(random_average_precision(0, 10))
    assert np.isnan(bedroc_of_random(10, 10))


def test_bedroc_of_random_is_where_the_enhancement_is_one():
    y = np.r_[np.ones(7), np.zeros(60)]
    assert_allclose(bedroc_of_random(7, 67), bedroc(y, np.zeros(67)))
    assert_allclose(bedroc_of_random(7, 67, alpha=5.0), bedroc(y, np.zeros(67), alpha=5.0))


@pytest.mark.parametrize("function", [random_average_precision, bedroc_of_random])
def test_counts_are_checked(function):
    with pytest.raises(ValueError, match="n_positive must be an integer in"):
        function(11, 10)


# -- precision and recall ----------------------------------------------------------------------


def test_precision_at_another_prevalence():
    assert_allclose(precision_at_prevalence(0.9, 0.05, 0.01), 0.153846, atol=5e-7)
    assert np.isnan(precision_at_prevalence(0.0, 0.0, 0.3))
    with pytest.raises(ValueError, match="prevalence must be a number"):
        precision_at_prevalence(0.9, 0.1, 1.2)


@few
@given(_ranked())
def test_trapezoid_area_is_named_apart_from_average_precision(data):
    y, score = data
    precision, recall, _ = precision_recall_curve(y, score)
    assert_allclose(trapezoid_pr_area(y, score), auc(recall, precision), atol=1e-12)


def test_trapezoid_area_of_tied_scores_is_far_too_high():
    y = [1] + [0] * 9
    assert_allclose(trapezoid_pr_area(y, [0.5] * 10), 0.55)
    assert_allclose(average_precision_score(y, [0.5] * 10), 0.1)


@few
@given(_ranked())
def test_gain_curve_is_what_precision_and_recall_become(data):
    y, score = data
    curve = precision_recall_gain(y, score)
    prior = y.mean()
    for point in curve.to_frame().iloc[1:].itertuples():
        called = score >= point.threshold
        precision, recall = y[called].mean(), y[called].sum() / y.sum()
        gain = (precision - prior) / ((1 - prior) * precision)
        assert_allclose(point.precision_gain, gain, atol=1e-12)
        assert_allclose(point.recall_gain, (recall - prior) / ((1 - prior) * recall), atol=1e-12)
    assert curve.recall_gain[0] == 0
    assert curve.recall_gain[-1] == 1
    assert_allclose(curve.precision_gain[-1], 0, atol=1e-12)
    assert np.all(np.diff(curve.recall_gain) >= -1e-12)


def test_gain_area_at_its_ends():
    assert precision_recall_gain([0, 0, 1, 1], [1, 2, 3, 4]).area == 1.0
    assert precision_recall_gain([0, 0, 1, 1], [0, 0, 0, 0]).area == 0.0
    assert precision_recall_gain([0, 0, 1, 1], [4, 3, 2, 1]).area < 0
    assert "prevalence 0.5" in precision_recall_gain([0, 0, 1, 1], [1, 2, 3, 4]).summary()
    with pytest.raises(ValueError, match="needs both classes"):
        precision_recall_gain([1, 1], [1, 2])


# -- calibration -------------------------------------------------------------------------------


def test_calibration_error_by_hand():
    y = [0, 1, 1, 1, 0]
    p = [0.15, 0.12, 0.95, 1.0, 0.5]
    by_bin = abs(1 - 0.27) + abs(2 - 1.95) + abs(0 - 0.5)
    assert_allclose(expected_calibration_error(y, p), by_bin / 5)
    assert_allclose(expected_calibration_error(y, p, n_bins=1), abs(3 - 2.72) / 5)


def test_chance_calibration_error_is_what_perfect_calibration_shows():
    rng = np.random.default_rng(0)
    p = rng.beta(0.5, 2, 400)
    shown = [expected_calibration_error(rng.random(400) < p, p) for _ in range(400)]
    assert_allclose(chance_calibration_error(p), np.mean(shown), rtol=0.05)


def test_chance_calibration_error_of_certain_predictions_is_zero():
    assert chance_calibration_error([0.0, 1.0, 1.0]) == 0.0
    with pytest.raises(ValueError, match="needs probabilities"):
        chance_calibration_error([1.2])
