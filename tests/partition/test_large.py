"""Problems above the dense limit: the same guarantees without the matrix."""

import numpy as np
import pytest

from honesteval.exceptions import InfeasibleSplitError
from honesteval.partition import Effort, measure_leakage, solve_partition
from honesteval.similarity import TanimotoSimilarity

from .test_solve import random_bits

QUICK = Effort(n_init=1, n_sweeps=20, n_batches=10, n_polish=50)


@pytest.fixture
def small_limits(monkeypatch):
    import honesteval.partition._large as large
    import honesteval.partition._solve as solve

    monkeypatch.setattr(solve, "DENSE_ITEMS", 200)
    monkeypatch.setattr(large, "DENSE_SAMPLE", 150)
    return large


def test_exact_ascent_comes_near_the_dense_search(small_limits, monkeypatch):
    import honesteval.partition._solve as solve

    similarity = TanimotoSimilarity(random_bits(0, 900, n_bits=128))
    partition = solve_partition(similarity, shares=np.ones(4), effort=QUICK)
    truth = measure_leakage(similarity, partition.labels)
    assert partition.leakage_error is None
    assert partition.scaled_leakage == pytest.approx(truth.scaled, rel=1e-6)
    monkeypatch.setattr(solve, "DENSE_ITEMS", 12_000)
    dense = solve_partition(similarity, shares=np.ones(4), effort=QUICK)
    assert dense.relative_leakage < partition.relative_leakage + 0.01
    reduction = (1 - partition.relative_leakage) / (1 - dense.relative_leakage)
    assert reduction > 0.6
    assert partition.fold_sizes.max() <= 1.1 * 225
    assert partition.fold_sizes.min() >= 0.9 * 225


def test_estimated_leakage_is_near_the_truth(small_limits, monkeypatch):
    monkeypatch.setattr(small_limits, "EXACT_SAMPLES", 500)
    similarity = TanimotoSimilarity(random_bits(1, 900, n_bits=128))
    partition = solve_partition(similarity, shares=np.ones(4), effort=QUICK)
    truth = measure_leakage(similarity, partition.labels).scaled
    assert partition.leakage_error > 0
    assert abs(partition.scaled_leakage - truth) < 5 * partition.leakage_error
    assert partition.lower_bound is None
    assert "estimated" in partition.summary()


def test_workers_and_row_order_do_not_matter(small_limits):
    packed = random_bits(2, 600, n_bits=128)
    order = np.random.default_rng(0).permutation(600)
    first = solve_partition(TanimotoSimilarity(packed), shares=np.ones(3), effort=QUICK)
    other = solve_partition(
        TanimotoSimilarity(packed[order]), shares=np.ones(3), effort=QUICK, n_jobs=2
    )
    assert np.array_equal(first.labels[order], other.labels)


def test_groups_and_threshold_hold(small_limits):
    similarity = TanimotoSimilarity(random_bits(3, 700, n_bits=256))
    groups = np.arange(700) // 2
    partition = solve_partition(
        similarity, shares=np.ones(3), must_link=[groups], threshold=0.9, effort=QUICK
    )
    assert (partition.labels[::2] == partition.labels[1::2]).all()
    assert partition.highest_cross_similarity < 0.9


def test_a_component_larger_than_any_block_is_summed_in_parts(monkeypatch):
    import honesteval.partition._objective as objective

    similarity = TanimotoSimilarity(random_bits(4, 300, n_bits=128))
    samples, item_of = np.arange(300), np.r_[np.zeros(200, int), np.arange(1, 101)]
    whole = objective.dense_objective(similarity, samples, item_of, 101).values
    monkeypatch.setattr(objective, "_BLOCK_ELEMENTS", 900)
    parts = objective.dense_objective(similarity, samples, item_of, 101).values
    np.testing.assert_array_equal(whole, parts)
    matrix = similarity.block(samples, samples)
    assert whole[0, 1] == pytest.approx(matrix[:200, 200].sum(), abs=2e-5)


def test_what_cannot_fit_is_refused_before_anything_is_summed(monkeypatch):
    import honesteval.partition._solve as solve

    def refuse(*arguments, **options):
        raise AssertionError("summed")

    monkeypatch.setattr(solve, "dense_objective", refuse)
    similarity = TanimotoSimilarity(np.full((50, 16), 7, dtype=np.uint8))
    with pytest.raises(InfeasibleSplitError, match="50 of 50 samples must stay together"):
        solve_partition(similarity, shares=[1, 1])
