"""Weighted samples: sizes and L count weights, as repeated samples would."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honesteval.exceptions import InfeasibleSplitError
from honesteval.partition import ClassTable, Effort, measure_leakage, solve_partition
from honesteval.similarity import PrecomputedSimilarity, TanimotoSimilarity

QUICK = Effort(n_init=2, n_sweeps=15, n_batches=8, n_polish=40)


def random_matrix(seed, n):
    features = np.random.default_rng(seed).random((n, 4))
    return features @ features.T / 4


def crossing(matrix, labels, weight):
    return np.triu(np.outer(weight, weight) * matrix * (labels[:, None] != labels), 1).sum()


@given(seed=st.integers(0, 10**6), n=st.integers(4, 7), k=st.integers(2, 3), whole=st.booleans())
@settings(max_examples=25, deadline=None)
def test_brute_force_finds_nothing_better_with_weights(seed, n, k, whole):
    rng = np.random.default_rng(seed)
    matrix = random_matrix(seed, n)
    weight = rng.integers(1, 5, n).astype(float) if whole else 0.5 + rng.random(n)
    try:
        partition = solve_partition(
            PrecomputedSimilarity(matrix), shares=np.ones(k), size_tolerance=0.5, weights=weight,
            effort=QUICK,
        )  # fmt: skip
    except InfeasibleSplitError:
        partition = None
    best = np.inf
    mean = weight.sum() / k
    for labels in itertools.product(range(k), repeat=n):
        use = np.bincount(labels, weight, minlength=k)
        if use.min() >= 0.5 * mean - 1e-9 and use.max() <= 1.5 * mean + 1e-9:
            best = min(best, crossing(matrix, np.array(labels), weight))
    if partition is None:
        assert best == np.inf
        return
    unit = weight.mean() ** 2
    found = crossing(matrix, partition.labels, weight)
    assert partition.leakage.crossing == pytest.approx(found, abs=1e-3 * unit)
    assert found <= best + 1e-3 * unit
    assert partition.lower_bound <= partition.scaled_leakage + 1e-6


def test_weights_equal_repetition():
    rng = np.random.default_rng(0)
    bits = np.packbits(rng.random((30, 64)) < 0.3, axis=1)
    weight = rng.integers(1, 6, 30)
    rows = np.repeat(np.arange(30), weight)
    once = solve_partition(TanimotoSimilarity(bits), shares=[2, 1], weights=weight)
    repeated = solve_partition(TanimotoSimilarity(bits[rows]), shares=[2, 1])
    assert once.leakage.crossing == pytest.approx(repeated.leakage.crossing, rel=1e-3)
    again = measure_leakage(TanimotoSimilarity(bits), once.labels, sample_weight=weight)
    assert again.crossing == pytest.approx(once.leakage.crossing, rel=1e-3)
    assert again.cross_share == pytest.approx(once.leakage.cross_share)
    np.testing.assert_array_equal(once.fold_weights, np.bincount(once.labels, weight))


@pytest.mark.parametrize("bad", [[1, 1, 0, 1], [1, 1, -1, 1], [1, 1, np.nan, 1]])
def test_weights_must_be_positive(bad):
    with pytest.raises(ValueError, match="row 2"):
        solve_partition(PrecomputedSimilarity(np.eye(4)), shares=[1, 1], weights=bad)


def test_a_hard_minimum_is_kept_where_balance_may_fall_short():
    # eight blocks; the rare class sits in two of them, three and one strong
    matrix = np.kron(np.eye(8), np.full((4, 4), 0.9)) + 0.05
    blocks = np.repeat(np.arange(8), 4)
    rare = np.zeros(32)
    rare[[0, 1, 2, 4]] = 1
    table = ClassTable(rare[:, None], ("active",), minimum=1)
    partition = solve_partition(
        PrecomputedSimilarity(matrix), shares=[1, 1], must_link=[blocks], classes=table
    )
    assert np.bincount(partition.labels, rare, minlength=2).min() == 1
    assert [s.wanted for s in partition.shortfalls] == [2.0]
    with pytest.raises(InfeasibleSplitError, match=r"at least 2 of active.* possible is 1"):
        solve_partition(
            PrecomputedSimilarity(matrix), shares=[1, 1], must_link=[blocks],
            classes=ClassTable(rare[:, None], ("active",), minimum=2),
        )  # fmt: skip


@pytest.mark.parametrize(
    "w", [np.full(40, 1 / 40), np.full(20, 0.25), np.r_[np.full(8, 0.75), np.full(24, 0.25)]]
)
def test_fractions_that_sum_to_a_whole_number_are_no_counts(w):
    """A sum of 1 is not one sample, and bounds of whole numbers are not those of fractions."""
    n, k = len(w), 4
    rng = np.random.default_rng(0)
    S = rng.random((n, n))
    S = PrecomputedSimilarity(np.maximum(S, S.T))
    partition = solve_partition(S, shares=[1] * k, weights=w, effort=QUICK)
    sizes = np.bincount(partition.labels, w)
    assert (np.abs(sizes - w.sum() / k) <= 0.1 * w.sum() / k + 1e-9).all()
