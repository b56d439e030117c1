import numpy as np
import pytest
from scipy import stats

from honesteval.checks._entity_effect import effect_of_degrees, effect_of_entities


@pytest.mark.parametrize("size", [5, 20])
def test_explained_share_is_that_of_the_analysis_of_variance(size):
    """Omega squared nearly; the p-value is that of the F test where labels are normal."""
    random = np.random.default_rng(0)
    codes = np.repeat(np.arange(12), size)
    y = 0.5 * random.normal(size=12)[codes] + random.normal(size=12 * size)
    parts = [y[codes == code] for code in range(12)]
    expected = stats.f_oneway(*parts)
    n, k, f = len(y), 12, expected.statistic
    effect = effect_of_entities(codes, y, seed=0)
    assert effect.explained == pytest.approx((f - 1) * (k - 1) / ((f - 1) * (k - 1) + n), abs=0.03)
    assert np.log10(effect.p_value) == pytest.approx(np.log10(expected.pvalue), rel=0.25)


def test_nothing_to_explain():
    y = np.random.default_rng(0).normal(size=50)
    for codes in (np.arange(50), np.zeros(50, dtype=int), np.full(50, -1)):
        assert effect_of_entities(codes, y, seed=0).p_value == 1
        assert effect_of_degrees(codes, y).p_value == 1
    assert effect_of_entities(np.arange(50) % 5, np.ones(50), seed=0).p_value == 1


def test_degrees_of_missing_entities_are_passed_over():
    codes = np.array([-1] * 10 + [0] * 6 + [1] * 2 + [2] * 2)
    y = np.array([5.0] * 10 + [1.0] * 6 + [0.0] * 4)
    assert effect_of_degrees(codes, y).explained == pytest.approx(1.0)


@pytest.mark.slow
def test_p_values_are_those_of_chance(n_simulations):
    random = np.random.default_rng(1)
    n = n_simulations(200)
    found = [
        effect_of_entities(random.integers(0, 15, 120), random.random(120) < 0.1, seed).p_value
        for seed in range(n)
    ]
    for level in (0.05, 0.2):
        allowed = level * n + 3 * np.sqrt(level * n)
        assert sum(p <= level for p in found) <= allowed
