"""Partitions: guarantees on random problems, brute force on tiny ones, known answers."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honesteval.exceptions import InfeasibleSplitError
from honesteval.partition import (
    ClassTable,
    Effort,
    join_groups,
    measure_leakage,
    solve_partition,
)
from honesteval.similarity import PrecomputedSimilarity, TanimotoSimilarity

QUICK = Effort(n_init=2, n_sweeps=15, n_batches=8, n_polish=40)


def random_matrix(seed, n):
    rng = np.random.default_rng(seed)
    features = rng.random((n, 4)) * (rng.random((n, 4)) < 0.6)
    matrix = features @ features.T
    return matrix / max(matrix.max(), 1.0)


def random_bits(seed, n, n_bits=48):
    rng = np.random.default_rng(seed)
    cores = rng.random((max(n // 6, 1), n_bits)) < 0.3
    bits = cores[rng.integers(len(cores), size=n)] ^ (rng.random((n, n_bits)) < 0.05)
    return np.packbits(bits, axis=1)


def crossing(matrix, labels):
    return np.triu(matrix * (labels[:, None] != labels), 1).sum()


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(12, 60),
    k=st.integers(2, 5),
    tolerance=st.sampled_from([0.3, 0.5]),
)
@settings(max_examples=25, deadline=None)
def test_every_guarantee_holds_on_random_problems(seed, n, k, tolerance):
    rng = np.random.default_rng(seed)
    similarity = TanimotoSimilarity(random_bits(seed, n))
    pairs = np.where(rng.random(n) < 0.3, rng.integers(n, size=n), n + np.arange(n))
    partition = solve_partition(
        similarity,
        shares=np.ones(k),
        must_link=[pairs],
        size_tolerance=tolerance,
        effort=QUICK,
        random_state=seed,
    )
    assert partition.labels.shape == (n,)
    assert set(partition.labels) == set(range(k))
    assert partition.fold_sizes.sum() == n
    ideal = n / k
    assert partition.fold_sizes.max() <= max(np.floor((1 + tolerance) * ideal), np.ceil(ideal))
    assert partition.fold_sizes.min() >= min(np.ceil((1 - tolerance) * ideal), np.floor(ideal))
    for label in np.unique(partition.groups):
        assert len(set(partition.labels[partition.groups == label])) == 1
    matrix = similarity.block(np.arange(n), np.arange(n))
    assert partition.leakage.crossing == pytest.approx(
        crossing(matrix, partition.labels), abs=n * n * 2.0**-17
    )
    assert partition.lower_bound <= partition.scaled_leakage + 1e-6


@given(seed=st.integers(0, 10**6), n=st.integers(4, 8), k=st.integers(2, 3))
@settings(max_examples=30, deadline=None)
def test_brute_force_finds_nothing_better(seed, n, k):
    matrix = random_matrix(seed, n)
    partition = solve_partition(
        PrecomputedSimilarity(matrix), shares=np.ones(k), size_tolerance=0.4, effort=QUICK
    )
    best = min(
        (
            crossing(matrix, np.array(labels))
            for labels in itertools.product(range(k), repeat=n)
            if all(
                max(min(np.ceil(0.6 * n / k - 1e-9), n // k), 1)
                <= labels.count(f)
                <= max(np.floor(1.4 * n / k + 1e-9), -(-n // k))
                for f in range(k)
            )
        ),
    )
    assert crossing(matrix, partition.labels) == pytest.approx(best, abs=1e-3)
    assert partition.status == "optimal"
    assert partition.lower_bound == partition.scaled_leakage


@given(seed=st.integers(0, 10**6), threshold=st.sampled_from([0.5, 0.6, 0.75]))
@settings(max_examples=15, deadline=None)
def test_no_cross_fold_pair_reaches_the_threshold(seed, threshold):
    similarity = TanimotoSimilarity(random_bits(seed, 60, n_bits=96))
    try:
        partition = solve_partition(
            similarity, shares=[1, 1, 1], threshold=threshold, size_tolerance=0.3, effort=QUICK
        )
    except InfeasibleSplitError:
        largest = np.bincount(similarity.components_at_least(threshold)).max()
        assert largest > 20  # a third of the samples: nothing else stands in the way
        return
    assert partition.highest_cross_similarity < threshold
    first, second, _ = similarity.pairs_at_least(threshold)
    assert (partition.labels[first] == partition.labels[second]).all()


@given(seed=st.integers(0, 10**6), n=st.integers(20, 50))
@settings(max_examples=15, deadline=None)
def test_row_order_and_workers_do_not_matter(seed, n):
    packed = random_bits(seed, n)
    order = np.random.default_rng(seed).permutation(n)
    first = solve_partition(TanimotoSimilarity(packed), shares=np.ones(3), effort=QUICK)
    again = solve_partition(TanimotoSimilarity(packed), shares=np.ones(3), effort=QUICK, n_jobs=2)
    shuffled = solve_partition(TanimotoSimilarity(packed[order]), shares=np.ones(3), effort=QUICK)
    assert np.array_equal(first.labels, again.labels)
    assert np.array_equal(first.labels[order], shuffled.labels)


def test_seeds_matter():
    similarity = TanimotoSimilarity(random_bits(0, 200))
    folds = {
        solve_partition(
            similarity, shares=np.ones(5), effort=QUICK, random_state=seed
        ).labels.tobytes()
        for seed in range(4)
    }
    assert len(folds) > 1


def test_classes_are_spread():
    rng = np.random.default_rng(1)
    bits = random_bits(1, 300)
    y = rng.random(300) < 0.15
    table = ClassTable(np.column_stack([y, ~y]).astype(float), ("yes", "no"), are_soft=False)
    partition = solve_partition(TanimotoSimilarity(bits), shares=np.ones(5), classes=table)
    counts = np.bincount(partition.labels[y], minlength=5)
    assert counts.min() >= np.floor(0.9 * y.sum() / 5)


def test_many_tasks_with_missing_labels_are_spread():
    rng = np.random.default_rng(2)
    bits = random_bits(2, 400)
    tasks = rng.random((400, 6)) < 0.3
    known = rng.random((400, 6)) < 0.8
    counts = np.column_stack([tasks & known, ~tasks & known]).astype(float)
    names = tuple(f"class {c} of task {t}" for c in (1, 0) for t in range(6))
    partition = solve_partition(
        TanimotoSimilarity(bits), shares=np.ones(5), classes=ClassTable(counts, names)
    )
    per_fold = np.stack([counts[partition.labels == f].sum(axis=0) for f in range(5)])
    assert partition.shortfalls == ()
    assert (per_fold >= np.floor(0.9 * counts.sum(axis=0) / 5)).all()
    assert partition.relative_leakage < 0.95


def test_an_exact_stratified_group_split_is_found():
    # scikit-learn issue 28218: two folds with both classes of each kind exist, {b, d} and {a, c}
    y = np.array([1, 1, 0, 0, 2, 2])
    groups = np.array([0, 1, 1, 2, 2, 3])
    counts = (y[:, None] == np.unique(y)).astype(float)
    table = ClassTable(counts, ("0", "1", "2"), are_soft=False)
    partition = solve_partition(
        PrecomputedSimilarity(np.eye(6)), shares=[1, 1], must_link=[groups], classes=table
    )
    assert partition.labels[[1, 2, 5]].tolist() in ([0, 0, 0], [1, 1, 1])
    assert sorted(partition.fold_sizes) == [3, 3]
    for fold in range(2):
        assert set(y[partition.labels == fold]) == {0, 1, 2}


def test_a_shortfall_is_reported_and_as_small_as_possible():
    y = np.array([1, 1, 1, 0, 0, 0, 0, 0, 0])
    groups = np.array([0, 0, 0, 1, 2, 3, 4, 5, 6])
    table = ClassTable(np.column_stack([y, 1 - y]).astype(float), ("class 1", "class 0"))
    partition = solve_partition(
        PrecomputedSimilarity(np.eye(9)), shares=[1, 1, 1], must_link=[groups], classes=table
    )
    # the fold with the group of three has no room for anything else
    assert sorted((s.resource, s.wanted, s.reached) for s in partition.shortfalls) == [
        ("class 0", 2.0, 0.0),
        ("class 1", 1.0, 0.0),
        ("class 1", 1.0, 0.0),
    ]
    assert "of class 1 instead of 1" in partition.summary()


class TestSmallCasesWithKnownAnswers:
    """Blocks of similarity 1, .2 elsewhere; also with distances."""

    def test_three_and_two(self):
        weights = [3, 3, 3, 2, 2]
        block = np.repeat([0, 0, 0, 1, 1], weights)
        cluster = np.repeat(np.arange(5), weights)
        matrix = np.where(block[:, None] == block, 1.0, 0.2)
        for similarity in (
            PrecomputedSimilarity(matrix),
            PrecomputedSimilarity(1 - matrix, is_distance=True),
        ):
            partition = solve_partition(
                similarity, shares=[0.7, 0.3], size_tolerance=0.2, must_link=[cluster]
            )
            assert partition.labels.tolist() == [0] * 9 + [1] * 4

    def test_three_blocks(self):
        weights = [30, 30, 50, 20, 20]
        block = np.repeat([0, 0, 1, 2, 2], weights)
        cluster = np.repeat(np.arange(5), weights)
        partition = solve_partition(
            PrecomputedSimilarity(np.where(block[:, None] == block, 1.0, 0.2)),
            shares=[0.4, 0.33, 0.27],
            size_tolerance=0.05,
            must_link=[cluster],
        )
        assert np.array_equal(partition.labels, block)

    def test_classes_in_each_subset(self):
        labels = [{0}, {0, 1}, {0, 1}, {1}]
        y = np.array([next(iter(s)) for s in labels for _ in range(1)])
        counts = np.array([[c in s for c in (0, 1)] for s in labels], dtype=float)
        table = ClassTable(counts, ("1", "2"), are_soft=False)
        partition = solve_partition(
            PrecomputedSimilarity(np.eye(4)),
            shares=[0.8, 0.2],
            classes=table,
            class_tolerance=0.45,
        )
        for fold in range(2):
            assert len(y[partition.labels == fold]) >= 1

    def test_three_quarters_go_where_they_fit(self):
        groups = np.repeat([0, 1, 2], [75, 15, 10])
        partition = solve_partition(
            PrecomputedSimilarity(np.eye(100)),
            shares=[1, 2, 7],
            must_link=[groups],
            size_tolerance=0.3,
        )
        assert partition.fold_sizes.tolist() == [10, 15, 75]
        with pytest.raises(InfeasibleSplitError, match="75 of 100 samples must stay together"):
            solve_partition(
                PrecomputedSimilarity(np.eye(100)), shares=[1, 1, 1], must_link=[groups]
            )


class TestInfeasible:
    def test_fewer_groups_than_folds(self):
        with pytest.raises(InfeasibleSplitError, match="5 folds are more than the 4 groups"):
            solve_partition(
                PrecomputedSimilarity(np.eye(8)),
                shares=np.ones(5),
                size_tolerance=0.9,
                must_link=[np.arange(8) // 2],
            )

    def test_two_large_groups_name_the_nearest_size(self):
        groups = np.repeat([0, 1, 2, 3, 4], [40, 40, 7, 7, 6])
        with pytest.raises(InfeasibleSplitError, match="samples must stay together"):
            solve_partition(
                PrecomputedSimilarity(np.eye(100)), shares=np.ones(5), must_link=[groups]
            )
        with pytest.raises(InfeasibleSplitError, match="nearest possible is"):
            solve_partition(
                PrecomputedSimilarity(np.eye(100)),
                shares=np.ones(3),
                must_link=[groups],
                size_tolerance=0.25,
            )

    def test_hard_classes_name_the_class(self):
        y = np.array([1, 1, 0, 0, 0, 0])
        table = ClassTable(
            np.column_stack([y, 1 - y]).astype(float), ("class 1", "class 0"), are_soft=False
        )
        with pytest.raises(InfeasibleSplitError, match=r"at least 1 of class 1.*nearest possible"):
            solve_partition(
                PrecomputedSimilarity(np.eye(6)),
                shares=[1, 1],
                must_link=[np.array([0, 0, 1, 2, 3, 4])],
                classes=table,
            )


class TestAdversarial:
    def test_all_identical_matrix(self):
        partition = solve_partition(PrecomputedSimilarity(np.ones((20, 20))), shares=np.ones(4))
        assert partition.fold_sizes.max() <= 6
        assert partition.relative_leakage == pytest.approx(1.0)

    def test_all_dissimilar(self):
        partition = solve_partition(PrecomputedSimilarity(np.eye(20)), shares=np.ones(4))
        assert partition.scaled_leakage == 0
        assert partition.status == "optimal"
        assert partition.efficiency == 1

    def test_as_many_folds_as_samples(self):
        partition = solve_partition(PrecomputedSimilarity(random_matrix(0, 6)), shares=np.ones(6))
        assert sorted(partition.labels) == list(range(6))

    def test_empty_fingerprints(self):
        packed = random_bits(3, 30)
        packed[:5] = 0
        partition = solve_partition(TanimotoSimilarity(packed), shares=np.ones(3))
        assert len(set(partition.labels[:5])) == 1  # identical content stays together

    def test_pinned_rows_stay_where_they_are_pinned(self):
        pinned = np.full(30, -1)
        pinned[[0, 1, 2, 29]] = [2, 0, 1, 2]
        partition = solve_partition(
            TanimotoSimilarity(random_bits(4, 30)), shares=np.ones(3), pinned=pinned
        )
        assert partition.labels[[0, 1, 2, 29]].tolist() == [2, 0, 1, 2]

    def test_contradictory_pins_are_explained(self):
        pinned = np.array([0, 1, -1, -1])
        with pytest.raises(ValueError, match="Row 0 is pinned to fold 0, but row 1"):
            solve_partition(
                PrecomputedSimilarity(np.eye(4)),
                shares=[1, 1],
                must_link=[np.array([0, 0, 1, 2])],
                pinned=pinned,
            )


def test_join_groups_is_transitive():
    first, second = np.array([0, 0, 1, 2, 3]), np.array([9, 8, 8, 7, 6])
    assert join_groups(first, second).tolist() == [0, 0, 0, 1, 2]


def test_leakage_in_all_printings():
    matrix = np.array([[1.0, 0.9, 0.1], [0.9, 1.0, 0.2], [0.1, 0.2, 1.0]])
    leakage = measure_leakage(PrecomputedSimilarity(matrix), ["a", "a", "b"])
    assert leakage.crossing == pytest.approx(0.3)
    assert leakage.scaled == pytest.approx(0.3 / 1.2)
    assert leakage.scaled_with_diagonal == pytest.approx(0.6 / 5.4)
    assert leakage.cross_share == pytest.approx(2 / 3)
    assert leakage.relative == pytest.approx(0.25 / (2 / 3))


def test_random_folds_leak_their_share_of_pairs():
    rng = np.random.default_rng(0)
    similarity = TanimotoSimilarity(random_bits(5, 400))
    relative = [
        measure_leakage(similarity, rng.permutation(np.arange(400) % 5)).relative for _ in range(20)
    ]
    assert np.mean(relative) == pytest.approx(1.0, abs=0.01)


def _scattered_blocks(scale):
    """Three blocks of four, in no order, of one small similarity."""
    S = np.kron(np.eye(3), np.full((4, 4), scale))
    np.fill_diagonal(S, 1)
    order = np.random.default_rng(1).permutation(12)
    return PrecomputedSimilarity(S[np.ix_(order, order)])


@pytest.mark.parametrize("scale", [1.0, 1e-3, 6e-6, 1e-30])
def test_small_similarities_are_no_less_told_apart(scale):
    partition = solve_partition(_scattered_blocks(scale), shares=[1, 1, 1])
    assert partition.status == "optimal"
    assert partition.scaled_leakage == 0


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), scale=st.sampled_from([3e-5, 1e-3, 0.1, 1.0]))
def test_what_is_reported_and_bounded_is_the_true_leakage(seed, scale):
    S = np.random.default_rng(seed).random((8, 8)) * scale
    S = (S + S.T) / 2
    np.fill_diagonal(S, 1)
    similarity = PrecomputedSimilarity(S)
    partition = solve_partition(similarity, shares=[1, 1], effort=QUICK)
    true = measure_leakage(similarity, partition.labels).scaled
    assert partition.scaled_leakage == pytest.approx(true, rel=1e-4)
    assert partition.lower_bound <= true * (1 + 1e-4)


def test_where_rounding_loses_similarity_nothing_is_called_proven():
    """One pair of 1, and so many pairs of 1e-6 that they outweigh it."""
    n = 400
    S = np.full((n, n), 1e-6)
    S[0, 1] = S[1, 0] = 0.5
    np.fill_diagonal(S, 1)
    similarity = PrecomputedSimilarity(S)
    partition = solve_partition(similarity, shares=[1, 1], effort=QUICK)
    assert partition.status == "heuristic"
    true = measure_leakage(similarity, partition.labels)
    assert partition.scaled_leakage == pytest.approx(true.scaled, rel=1e-9)
    assert partition.lower_bound <= true.scaled


def test_pairs_of_light_samples_count_beside_heavy_ones():
    w = np.r_[np.ones(10), 1e4, 1e4]
    S = np.zeros((12, 12))
    S[:10, :10] = np.kron(np.eye(5), np.ones((2, 2)))
    np.fill_diagonal(S, 1)
    partition = solve_partition(PrecomputedSimilarity(S), shares=[1, 1], weights=w)
    assert (partition.labels[:10:2] == partition.labels[1:10:2]).all()
    assert partition.scaled_leakage == 0


@pytest.mark.parametrize("tolerance", [1.0, 2.0])
def test_no_fold_is_empty_however_loose_the_sizes(tolerance):
    rng = np.random.default_rng(0)
    S = rng.random((30, 30))
    S = PrecomputedSimilarity(np.maximum(S, S.T))
    partition = solve_partition(
        S, shares=[1, 1, 1], weights=rng.random(30) + 0.1, size_tolerance=tolerance, effort=QUICK
    )
    assert partition.fold_sizes.min() >= 1
