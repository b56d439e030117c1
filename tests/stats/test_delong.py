"""DeLong's variance and tests: known answers, naive form, exact cases, both ways."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.metrics import roc_auc_score

from honesteval.stats import (
    auc_resolution,
    delong_ci,
    delong_covariance,
    delong_test,
    delong_test_unpaired,
    hanley_mcneil_standard_error,
)

few = settings(max_examples=25, deadline=None)

# Hanley and McNeil 1982: ratings 1 to 5 of 58 normal and 51 abnormal images.
NORMAL, ABNORMAL = (33, 6, 6, 11, 2), (3, 2, 2, 11, 33)
RATINGS = np.r_[np.repeat(np.arange(1, 6), NORMAL), np.repeat(np.arange(1, 6), ABNORMAL)]
IS_ABNORMAL = np.r_[np.zeros(58, dtype=int), np.ones(51, dtype=int)]


@st.composite
def _two_rankings(draw):
    n = draw(st.integers(4, 30))
    y = np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)))
    assume(2 <= y.sum() <= n - 2)
    grid = st.lists(st.integers(0, 8), min_size=n, max_size=n)
    return y, np.array(draw(grid)), np.array(draw(grid))


def _naive_covariance(y, scores):
    """From the matrix of all pairs, the definition of DeLong et al. 1988."""
    v10, v01 = [], []
    for score in scores:
        difference = score[y == 1][:, None] - score[y == 0][None, :]
        wins = (difference > 0) + 0.5 * (difference == 0)
        v10.append(wins.mean(axis=1))
        v01.append(wins.mean(axis=0))
    return np.cov(v10) / np.sum(y == 1) + np.cov(v01) / np.sum(y == 0)


# -- known answers -----------------------------------------------------------------------------


def test_hanley_mcneil_ratings():
    result = delong_ci(IS_ABNORMAL, RATINGS)
    assert_allclose(result.estimate, 0.8931710615, atol=5e-11)
    assert_allclose(result.standard_error, 0.0307244, atol=5e-8)
    assert_allclose(hanley_mcneil_standard_error(result.estimate, 51, 58), 0.0324866, atol=5e-8)
    assert (result.n_positive, result.n_negative) == (51, 58)


def test_auc_resolution():
    assert auc_resolution(4, 6) == 1 / 24
    assert auc_resolution(4, 6, ties=True) == 1 / 48
    assert np.isnan(auc_resolution(0, 6))
    with pytest.raises(ValueError, match="n_positive must be an integer"):
        auc_resolution(1.5, 6)


@few
@given(_two_rankings())
def test_differences_of_auc_are_whole_steps_of_the_resolution(data):
    y, a, b = data
    step = auc_resolution(int(y.sum()), int(len(y) - y.sum()), ties=True)
    steps = (roc_auc_score(y, a) - roc_auc_score(y, b)) / step
    assert_allclose(steps, np.round(steps), atol=1e-8)


@few
@given(_two_rankings())
def test_fast_form_equals_the_definition(data):
    y, a, b = data
    estimates, covariance = delong_covariance(y, np.column_stack([a, b]))
    assert_allclose(estimates, [roc_auc_score(y, a), roc_auc_score(y, b)], atol=1e-12)
    assert_allclose(covariance, _naive_covariance(y, [a, b]), atol=1e-12)


# -- intervals -----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["logit", "wald", "newcombe", "exact"])
@few
@given(data=_two_rankings())
def test_limits_stay_in_bounds_around_the_estimate(method, data):
    y, a, _ = data
    result = delong_ci(y, a, method=method)
    assert 0 <= result.low <= result.estimate <= result.high <= 1
    assert result.low < result.high
    wider = delong_ci(y, a, method=method, confidence_level=0.99)
    assert wider.low <= result.low
    assert result.high <= wider.high


@few
@given(_two_rankings())
def test_intervals_ignore_row_order_and_monotone_transforms(data):
    y, a, _ = data
    expected = delong_ci(y, a)
    order = np.random.default_rng(0).permutation(len(y))
    for got in (delong_ci(y[order], a[order]), delong_ci(y, np.exp(a) - 5)):
        assert_allclose([got.estimate, got.low, got.high],
                        [expected.estimate, expected.low, expected.high], atol=1e-12)  # fmt: skip


def test_wald_limits_leave_the_unit_interval_where_logit_ones_do_not():
    y = np.r_[np.zeros(30), np.ones(6)]
    score = np.r_[np.arange(30), [40, 41, 42, 43, 44, 28.5]]
    logit, wald = delong_ci(y, score), delong_ci(y, score, method="wald")
    assert wald.estimate + 1.96 * wald.standard_error > 1
    assert wald.high == 1.0
    assert logit.high < 1


def test_logit_interval_is_symmetric_on_the_logit_scale():
    result = delong_ci(IS_ABNORMAL, RATINGS)
    logit = np.log([v / (1 - v) for v in (result.low, result.estimate, result.high)])
    half = 1.959963985 * result.standard_error / (result.estimate * (1 - result.estimate))
    assert_allclose(np.diff(logit), half)


@pytest.mark.parametrize(("n_positive", "n_negative"), [(10, 30), (1, 30), (30, 1), (1, 1)])
def test_perfect_separation_is_not_of_zero_width(n_positive, n_negative):
    y = np.r_[np.zeros(n_negative), np.ones(n_positive)]
    result = delong_ci(y, np.arange(len(y)))
    assert (result.estimate, result.high, result.method) == (1.0, 1.0, "exact")
    assert_allclose(result.low, 0.025 ** (1 / min(n_positive, n_negative)))
    reversed_ = delong_ci(y, -np.arange(len(y)))
    assert_allclose([reversed_.low, reversed_.high], [0.0, 1 - result.low])


def test_one_positive_has_an_interval_but_no_standard_error():
    y = np.r_[np.zeros(20), 1]
    result = delong_ci(y, np.r_[np.arange(20), 17.5])
    assert result.estimate == 0.9
    assert np.isnan(result.standard_error)
    assert result.method == "exact"
    assert result.low < 0.05
    assert result.high > 0.99


def test_all_scores_tied_is_one_half_and_uncertain():
    result = delong_ci([0, 1, 0, 1, 1], [0.3] * 5)
    assert result.estimate == 0.5
    assert result.method == "exact"
    assert result.low < 0.5 < result.high


def test_newcombe_limits_are_z_standard_errors_away():
    """At each limit the distance to the estimate is z Hanley-McNeil standard errors."""
    n = 40
    y = np.r_[np.zeros(n), np.ones(n)]
    score = np.r_[np.arange(n), np.arange(n) + 12.5]
    result = delong_ci(y, score, method="newcombe")
    for limit in (result.low, result.high):
        distance = abs(limit - result.estimate) / hanley_mcneil_standard_error(limit, n, n)
        assert_allclose(distance, 1.96, atol=0.01)


# -- tests -----------------------------------------------------------------------------------------


def test_identical_models_differ_by_nothing():
    """The difference has variance 0: p is 1, not 0 / 0."""
    y = np.r_[np.zeros(20), np.ones(10)]
    score = np.random.default_rng(0).random(30)
    for other in (score, np.exp(score)):
        result = delong_test(y, score, other)
        assert (result.estimate, result.z, result.p_value) == (0.0, 0.0, 1.0)
        assert (result.low, result.high, result.method) == (0.0, 0.0, "identical")
        assert_allclose(result.correlation, 1.0)


def test_difference_is_normal_with_the_paired_variance():
    rng = np.random.default_rng(1)
    y = np.r_[np.zeros(60), np.ones(40)].astype(int)
    a, b = y + rng.normal(size=100), 0.3 * y + rng.normal(size=100)
    result = delong_test(y, a, b)
    covariance = _naive_covariance(y, [a, b])
    variance = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    assert_allclose(result.estimate, roc_auc_score(y, a) - roc_auc_score(y, b))
    assert_allclose(result.standard_error, np.sqrt(variance))
    assert_allclose(result.p_value, 2 * stats.norm.sf(abs(result.estimate) / np.sqrt(variance)))
    assert_allclose(result.high - result.low, 2 * 1.959963985 * np.sqrt(variance))
    swapped = delong_test(y, b, a)
    assert_allclose([swapped.estimate, swapped.p_value], [-result.estimate, result.p_value])


def test_detects_a_difference_and_passes_an_equal_pair():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 400)
    signal = 1.5 * y + rng.normal(size=400)
    assert delong_test(y, signal, rng.normal(size=400)).p_value < 1e-6
    other = 1.5 * y + rng.normal(size=400)
    assert delong_test(y, signal, other).p_value > 0.05


def test_unpaired_variances_add():
    rng = np.random.default_rng(3)
    y_a, y_b = rng.integers(0, 2, 80), rng.integers(0, 2, 50)
    a, b = y_a + rng.normal(size=80), y_b + rng.normal(size=50)
    result = delong_test_unpaired(y_a, a, y_b, b)
    alone = [delong_ci(y_a, a).standard_error, delong_ci(y_b, b).standard_error]
    assert_allclose(result.standard_error, np.hypot(*alone))
    assert result.correlation == 0.0
    assert not result.paired
    assert "unpaired DeLong" in result.summary()


def test_zero_variance_between_different_models_is_a_sign_test():
    """Perfect against reversed: all ten positives agree on the sign, p = 2 x 0.5^10."""
    y = np.r_[np.zeros(30), np.ones(10)]
    result = delong_test(y, np.arange(40), -np.arange(40))
    assert (result.estimate, result.method) == (1.0, "exact")
    assert_allclose(result.p_value, 2 * 0.5**10)
    assert result.low > 0
    few_rows = delong_test([0, 0, 0, 1], [1, 2, 3, 4], [4, 3, 2, 1])
    assert few_rows.p_value == 1.0
    assert few_rows.low < 0 < few_rows.high


def test_unpaired_perfect_models_are_not_told_apart():
    y = np.r_[np.zeros(8), np.ones(8)]
    result = delong_test_unpaired(y, np.arange(16), y, np.arange(16))
    assert (result.estimate, result.method, result.p_value) == (0.0, "exact", 1.0)
    assert result.low < 0 < result.high


# -- arguments -----------------------------------------------------------------------------------


def test_refuses_what_cannot_be_ranked():
    with pytest.raises(ValueError, match="needs both classes"):
        delong_ci([1, 1, 1], [1, 2, 3])
    with pytest.raises(ValueError, match="score_b holds NaN in row 2"):
        delong_test([0, 1, 1], [1, 2, 3], [1, 2, np.nan])
    with pytest.raises(ValueError, match="method must be one of"):
        delong_ci([0, 1], [1, 2], method="bca")
    with pytest.raises(ValueError, match=r"auc must be a number in \[0, 1\]"):
        hanley_mcneil_standard_error(1.2, 3, 4)


def test_results_show_themselves():
    result = delong_ci(IS_ABNORMAL, RATINGS)
    assert "(DeLong, logit; 51 positives, 58 negatives)" in result.summary()
    assert result.to_frame().loc[0, "high"] == result.high
    difference = delong_test(IS_ABNORMAL, RATINGS, RATINGS % 3)
    assert "(paired DeLong, delong)" in difference.summary()
    assert difference.to_frame().loc[0, "p_value"] == difference.p_value
    assert "<table" in difference._repr_html_()
    assert "<table" in result._repr_html_()
