import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honesteval.partition import leakage_bound, scaled_leakage, solve_partition
from honesteval.similarity import PrecomputedSimilarity, TanimotoSimilarity


def bits(n, n_centres=6, seed=0):
    random = np.random.default_rng(seed)
    centres = random.random((n_centres, 200)) < 0.2
    rows = centres[random.integers(0, n_centres, n)] & (random.random((n, 200)) < 0.8)
    return TanimotoSimilarity(rows | (random.random((n, 200)) < 0.02))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6))
def test_no_split_of_the_sizes_is_below(seed):
    random = np.random.default_rng(seed)
    values = random.random((14, 14))
    similarity = PrecomputedSimilarity(np.clip((values + values.T) / 2 + np.eye(14), 0, 1))
    bound = leakage_bound(similarity, [5, 9])
    for _ in range(50):
        part = np.isin(np.arange(14), random.permutation(14)[:5])
        assert scaled_leakage(similarity, part) >= bound.scaled - 1e-6


def test_samples_stay_below_the_bound_of_all_rows_and_near_it():
    similarity = bits(600)
    exact = leakage_bound(similarity, [200, 200, 200], max_rows=600)
    sampled = leakage_bound(similarity, [200, 200, 200], max_rows=200)
    assert exact.standard_error == 0 < sampled.standard_error
    assert (exact.n_sampled, sampled.n_sampled) == (600, 200)
    assert exact.scaled - 0.06 < sampled.scaled <= exact.scaled + 3 * sampled.standard_error
    best = solve_partition(similarity, shares=[1 / 3] * 3, size_tolerance=0, random_state=0)
    assert sampled.scaled < best.scaled_leakage


def test_unequal_sizes_of_a_sample():
    similarity = bits(500, seed=1)
    exact = leakage_bound(similarity, [50, 450], max_rows=500).scaled
    sampled = leakage_bound(similarity, [50, 450], max_rows=250)
    assert 0 <= sampled.scaled <= exact + 3 * sampled.standard_error


def test_same_seed_same_bound():
    similarity = bits(300)
    first, second = (leakage_bound(similarity, [100, 200], max_rows=100) for _ in range(2))
    assert first == second


def test_no_similarity_at_all():
    assert leakage_bound(PrecomputedSimilarity(np.eye(6)), [3, 3]).scaled == 0


@pytest.mark.parametrize("sizes", [[6], [2, 3], [7, -1], [[3, 3]]])
def test_sizes_that_are_none_are_one_clear_sentence(sizes):
    with pytest.raises(ValueError, match="sum 6"):
        leakage_bound(PrecomputedSimilarity(np.eye(6)), sizes)
