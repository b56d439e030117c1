"""Intervals from a bootstrap distribution, and the exact one for means in [0, 1]."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from honesteval.stats._intervals import ResampledStatistic, fractional_binomial_interval

few = settings(max_examples=30, deadline=None)


@few
@given(st.integers(1, 60), st.data(), st.sampled_from([0.8, 0.95, 0.99]))
def test_fractional_interval_is_clopper_pearson_for_whole_counts(n, data, level):
    k = data.draw(st.integers(0, n))
    exact = stats.binomtest(k, n).proportion_ci(level, method="exact")
    assert_allclose(fractional_binomial_interval(k / n, n, level), exact, atol=1e-9)


@few
@given(st.floats(0, 1), st.floats(0.5, 50))
def test_fractional_interval_has_a_width_and_stays_in_bounds(mean, n):
    low, high = fractional_binomial_interval(mean, n, 0.95)
    assert 0 <= low <= mean
    assert mean <= high <= 1
    assert high - low > 0.01 / n


def test_bca_of_an_unbiased_unskewed_distribution_is_the_percentile_interval():
    values = np.r_[-np.arange(1, 500), np.arange(1, 500), [0.0, 0.0]].astype(float)
    jackknife = np.array([-1.0, 1.0, -2.0, 2.0])
    statistic = ResampledStatistic(0.0, values, 0, jackknife, np.zeros(4, dtype=int))
    assert_allclose(statistic.interval("bca", 0.9), statistic.interval("percentile", 0.9))


def test_bca_of_two_strata_weighs_each_by_its_size():
    """The acceleration of two samples adds their cubed and squared influence over size."""
    first, second = np.array([0.1, 0.5, 0.2]), np.array([0.3, 0.1, 0.2, 0.9, 0.4])
    statistic = ResampledStatistic(
        0.3, np.linspace(0, 1, 50), 0, np.r_[first, second], np.r_[[0] * 3, [1] * 5]
    )
    parts = [(len(x) - 1) * (x.mean() - x) / len(x) for x in (first, second)]
    cubes = sum(np.sum(part**3) for part in parts)
    squares = sum(np.sum(part**2) for part in parts)
    assert_allclose(statistic._acceleration(), cubes / (6 * squares**1.5))


@pytest.mark.parametrize("method", ["bca", "percentile", "basic", "studentized"])
def test_p_value_inverts_the_interval(method):
    """At level 1 - p the nearer limit is the null value, up to the grid of the resamples."""
    rng = np.random.default_rng(0)
    errors = rng.uniform(0.5, 1.5, 4000)
    statistic = ResampledStatistic(
        0.8, rng.gamma(4, 0.2, 4000), 0, rng.gamma(2, 1, 30), np.zeros(30, dtype=int), errors
    )
    p_value = statistic.p_value(method, null=0.4)
    low, _ = statistic.interval(method, 1 - p_value)
    assert_allclose(low, 0.4, atol=0.01)


def test_p_value_is_never_zero_and_at_most_one():
    statistic = ResampledStatistic(5.0, np.linspace(4, 6, 99))
    assert_allclose(statistic.p_value("percentile"), 0.02)
    assert statistic.p_value("percentile", null=5.0) == 1.0
    skewed = ResampledStatistic(
        5.0, np.linspace(4, 6, 99), 0, np.array([0.0, 0, 0, 9]), np.zeros(4, dtype=int)
    )
    assert 0.01 <= skewed.p_value("bca") <= 0.1


@pytest.mark.parametrize("acceleration", [-1.0, 0.0, 1.0])
@pytest.mark.parametrize("sign", [-1, 1])
def test_p_value_of_a_clear_difference_is_small(acceleration, sign):
    jackknife = np.array([0.0, 0.0, 0.0, acceleration])
    values = sign * np.linspace(4, 6, 9999)
    statistic = ResampledStatistic(5.0 * sign, values, 0, jackknife, np.zeros(4, dtype=int))
    assert 0.0001 <= statistic.p_value("bca") < 0.01
    assert statistic.p_value("percentile") == 0.0002


def test_methods_need_what_they_are_made_of():
    statistic = ResampledStatistic(0.0, np.array([1.0, 2.0]))
    with pytest.raises(ValueError, match="needs jackknife values"):
        statistic.interval("bca", 0.9)
    with pytest.raises(ValueError, match="needs standard errors"):
        statistic.interval("studentized", 0.9)


def test_studentised_interval_needs_a_spread():
    statistic = ResampledStatistic(0.5, np.array([0.0, 1.0]), standard_errors=np.zeros(2))
    with pytest.raises(ValueError, match="needs a spread within resamples"):
        statistic.interval("studentized", 0.9)
