"""Components too large for any fold: few pairs cut, all listed, or few rows dropped."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honesteval.entities import parse_molecules
from honesteval.exceptions import InfeasibleSplitError
from honesteval.partition import ClassTable, Effort, solve_partition
from honesteval.similarity import PrecomputedSimilarity, TanimotoSimilarity, molecule_similarity

QUICK = Effort(n_init=2, n_sweeps=15, n_batches=8, n_polish=40)


def chain(n, strong=0.9, weak=0.1):
    """Return a path: neighbours similar, all others not."""
    matrix = np.full((n, n), weak)
    np.fill_diagonal(matrix, 1.0)
    here = np.arange(n - 1)
    matrix[here, here + 1] = matrix[here + 1, here] = strong
    return PrecomputedSimilarity(matrix)


def random_graph(seed, n):
    rng = np.random.default_rng(seed)
    matrix = np.where(rng.random((n, n)) < 2.5 / n, 0.8, 0.1)
    matrix = np.triu(matrix, 1)
    return matrix + matrix.T + np.eye(n)


def fewest_drops(matrix, k, tolerance):
    """Try all assignments of every item to a fold or to none."""
    n = len(matrix)
    first, second = np.nonzero(np.triu(matrix >= 0.5, 1))
    for out in range(n):
        for labels in itertools.product(range(-1, k), repeat=n):
            labels = np.array(labels)
            if (labels == -1).sum() != out:
                continue
            a, b = labels[first], labels[second]
            if ((a != b) & (a >= 0) & (b >= 0)).any():
                continue
            sizes, ideal = np.bincount(labels[labels >= 0], minlength=k), (n - out) / k
            low = min(np.ceil((1 - tolerance) * ideal), np.floor(ideal))
            high = max(np.floor((1 + tolerance) * ideal), np.ceil(ideal))
            if sizes.min() >= max(low, 1) and sizes.max() <= high:
                return out
    return None


def test_a_chain_is_cut_once_and_every_cut_pair_is_listed():
    with pytest.raises(InfeasibleSplitError, match="30 of 30 samples must stay together"):
        solve_partition(chain(30), shares=[1, 1], threshold=0.5)
    partition = solve_partition(chain(30), shares=[1, 1], threshold=0.5, on_oversize="cut")
    assert len(partition.violations) == 1
    first, second, similarity = partition.violations.iloc[0]
    assert (second - first, similarity) == (1, 0.9)
    assert partition.labels[int(first)] != partition.labels[int(second)]
    assert "1 cross-fold pairs reach 0.5" in partition.summary()
    assert len(partition.dropped) == 0


def test_a_chain_loses_one_link_per_cut():
    partition = solve_partition(chain(30), shares=[1, 1, 1], threshold=0.5, on_oversize="drop")
    assert len(partition.dropped) == 2
    assert (partition.labels[partition.dropped] == -1).all()
    assert (partition.groups[partition.dropped] == -1).all()
    assert partition.violations.empty
    assert partition.highest_cross_similarity < 0.5
    assert partition.fold_sizes.sum() == 28
    assert np.isnan(partition.nearest_similarity[partition.dropped]).all()
    assert partition.lower_bound <= partition.scaled_leakage + 1e-6


def test_the_closest_pairs_are_spared():
    # a ring in which two links on opposite sides are weaker
    n = 20
    matrix = np.full((n, n), 0.1)
    for i in range(n):
        matrix[i, (i + 1) % n] = matrix[(i + 1) % n, i] = 0.6 if i in (4, 14) else 0.95
    np.fill_diagonal(matrix, 1.0)
    partition = solve_partition(
        PrecomputedSimilarity(matrix), shares=[1, 1], threshold=0.5, on_oversize="cut"
    )
    assert sorted(partition.violations["similarity"]) == [0.6, 0.6]


@pytest.mark.parametrize("how", ["cut", "drop"])
def test_nothing_is_cut_or_dropped_where_all_fits(how):
    matrix = np.kron(np.eye(4), np.full((5, 5), 0.9)) + 0.01
    similarity = PrecomputedSimilarity(np.minimum(matrix, 1.0))
    as_asked = solve_partition(similarity, shares=[1, 1], threshold=0.5, on_oversize=how)
    plain = solve_partition(similarity, shares=[1, 1], threshold=0.5)
    np.testing.assert_array_equal(as_asked.labels, plain.labels)
    assert as_asked.violations.empty
    assert not len(as_asked.dropped)


@given(seed=st.integers(0, 10**6), n=st.integers(5, 8))
@settings(max_examples=12, deadline=None)
def test_brute_force_drops_no_fewer(seed, n):
    matrix = random_graph(seed, n)
    fewest = fewest_drops(matrix, 2, 0.4)
    options = {"shares": [1, 1], "threshold": 0.5, "size_tolerance": 0.4, "on_oversize": "drop"}
    if fewest is None:
        with pytest.raises(InfeasibleSplitError):
            solve_partition(PrecomputedSimilarity(matrix), **options)
        return
    partition = solve_partition(PrecomputedSimilarity(matrix), **options)
    assert len(partition.dropped) == fewest


@given(seed=st.integers(0, 10**6), n=st.integers(20, 40), k=st.integers(2, 4))
@settings(max_examples=10, deadline=None)
def test_drops_keep_every_guarantee_whatever_the_row_order(seed, n, k):
    matrix = random_graph(seed, n)
    rng = np.random.default_rng(seed)
    groups = np.where(rng.random(n) < 0.2, rng.integers(n, size=n), n + np.arange(n))
    options = {"shares": np.ones(k), "threshold": 0.5, "size_tolerance": 0.3, "effort": QUICK}
    options["on_oversize"] = "drop"
    partition = solve_partition(PrecomputedSimilarity(matrix), must_link=[groups], **options)
    kept = np.flatnonzero(partition.labels >= 0)
    labels = partition.labels[kept]
    apart = labels[:, None] != labels
    assert matrix[np.ix_(kept, kept)][apart].max() < 0.5
    assert sorted([*kept, *partition.dropped]) == list(range(n))
    ideal = len(kept) / k
    assert partition.fold_sizes.max() <= max(np.floor(1.3 * ideal), np.ceil(ideal))
    assert partition.fold_sizes.min() >= min(np.ceil(0.7 * ideal), np.floor(ideal))
    for group in np.unique(groups):  # a group is in one fold, or out as a whole
        assert len(set(partition.labels[groups == group])) == 1


def test_pinned_rows_stay_and_linked_pins_are_refused():
    pinned = np.full(12, -1)
    pinned[[0, 11]] = [1, 0]
    partition = solve_partition(
        chain(12), shares=[1, 1], threshold=0.5, on_oversize="drop", pinned=pinned
    )
    assert partition.labels[[0, 11]].tolist() == [1, 0]
    assert len(partition.dropped) == 1
    pinned[1] = 0
    with pytest.raises(InfeasibleSplitError, match=r"Rows 0 and 1 are pinned.*0\.9 reaches"):
        solve_partition(chain(12), shares=[1, 1], threshold=0.5, on_oversize="drop", pinned=pinned)


def test_row_order_does_not_matter():
    rng = np.random.default_rng(3)
    cores = rng.random((4, 64)) < 0.3
    bits = np.packbits(cores[rng.integers(4, size=60)] ^ (rng.random((60, 64)) < 0.05), axis=1)
    shuffled = rng.permutation(60)
    options = {"shares": np.ones(3), "threshold": 0.35, "size_tolerance": 0.1, "effort": QUICK}
    for how in ("cut", "drop"):
        here = solve_partition(TanimotoSimilarity(bits), on_oversize=how, **options)
        there = solve_partition(TanimotoSimilarity(bits[shuffled]), on_oversize=how, **options)
        np.testing.assert_array_equal(here.labels[shuffled], there.labels)


def test_esol_at_0_4_loses_few_molecules(data_dir):
    smiles = pd.read_csv(data_dir / "molecules" / "delaney-processed.csv")["smiles"]
    similarity = molecule_similarity(parse_molecules(smiles))
    options = {"shares": np.ones(5), "threshold": 0.4}
    with pytest.raises(InfeasibleSplitError):
        solve_partition(similarity, **options)
    partition = solve_partition(similarity, on_oversize="drop", **options)
    assert len(partition.dropped) <= 34
    assert partition.highest_cross_similarity < 0.4
    assert partition.scaled_leakage <= 0.64


@pytest.mark.parametrize(("n", "share", "n_blocks", "k"), [(150, 0.2, 3, 4), (200, 0.15, 1, 3)])
def test_dropping_succeeds_where_most_must_go(n, share, n_blocks, k):
    """Components so dense that cutting them leaves uneven folds: few rows, evenly spread, fit."""
    rng = np.random.default_rng(0)
    block = np.arange(n) % n_blocks
    S = np.where((block[:, None] == block) & (rng.random((n, n)) < share), 0.9, 0.1)
    S = np.maximum(S, S.T)
    np.fill_diagonal(S, 1)
    partition = solve_partition(
        PrecomputedSimilarity(S), shares=[1] * k, threshold=0.5, on_oversize="drop", effort=QUICK
    )
    assert partition.highest_cross_similarity < 0.5
    assert 0 < len(partition.dropped) < n - k
    sizes = partition.fold_sizes
    ideal = sizes.sum() / k
    assert sizes.min() >= np.floor(min(0.9 * ideal, ideal))


@pytest.mark.parametrize("pair", [(2, 6), (0, 6), (1, 8), (3, 5), (2, 4), (7, 8), (0, 1)])
def test_dropping_leaves_every_fold_what_it_needs_of_a_class(pair):
    """A chain of seven and two free rows; two rows of a class, of which either fold needs one."""
    S = np.eye(9)
    for i in range(6):
        S[i, i + 1] = S[i + 1, i] = 0.9
    counts = np.zeros((9, 2))
    counts[:, 0] = 1
    counts[list(pair)] = [0, 1]

    def keeps(labels):
        kept = labels >= 0
        linked = [(i, i + 1) for i in range(6) if kept[i] and kept[i + 1]]
        sizes = np.bincount(labels[kept], minlength=2)
        return (
            all(labels[i] == labels[j] for i, j in linked)
            and abs(sizes[0] - sizes[1]) <= 1
            and (labels[list(pair)] >= 0).all()
            and labels[pair[0]] != labels[pair[1]]
        )

    every = (np.array(labels) for labels in itertools.product([-1, 0, 1], repeat=9))
    dropped = [int((labels < 0).sum()) for labels in every if keeps(labels)]
    table = ClassTable(counts, ("a", "b"), are_soft=False, minimum=1)
    options = {"threshold": 0.9, "on_oversize": "drop", "classes": table, "class_tolerance": 1.0}
    similarity = PrecomputedSimilarity(S)
    if not dropped:
        with pytest.raises(InfeasibleSplitError, match="as many of every class"):
            solve_partition(similarity, shares=[1, 1], effort=QUICK, **options)
        return
    partition = solve_partition(similarity, shares=[1, 1], effort=QUICK, **options)
    assert len(partition.dropped) == min(dropped)
    assert keeps(partition.labels)
