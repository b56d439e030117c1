"""Folds matched to a distribution of nearest similarities."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

from honesteval.exceptions import InfeasibleSplitError
from honesteval.partition import ClassTable, match_nearest
from honesteval.similarity import PrecomputedSimilarity


def random_similarity(n, seed, n_series=6):
    """Rows in series: similar inside, less so across."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n_series, 3)).repeat(-(-n // n_series), axis=0)[:n]
    points = points + 0.3 * rng.normal(size=points.shape)
    distance = np.linalg.norm(points[:, None] - points, axis=2)
    return np.exp(-distance)


def nearest_outside(similarity, labels):
    apart = np.where(labels[:, None] != labels, similarity, -1.0)
    return apart.max(axis=1)


PAIRS = np.clip(np.full((24, 24), 0.2) + np.kron(np.eye(12), np.full((2, 2), 0.7)), 0, 1)


@pytest.mark.parametrize(("wanted", "together"), [(0.9, 0), (0.2, 12)])
def test_pairs_are_torn_apart_or_kept_together_as_wanted(wanted, together):
    folds = match_nearest(PrecomputedSimilarity(PAIRS), [wanted] * 7, n_folds=3)
    assert folds.distance == pytest.approx(0, abs=1e-6)
    assert (folds.labels[::2] == folds.labels[1::2]).sum() == together
    assert folds.is_matched
    assert "match" in folds.verdict


def test_a_mixture_is_matched():
    # half of what will be met has a near copy in the data, half has none
    folds = match_nearest(PrecomputedSimilarity(PAIRS), [0.9, 0.2] * 5, n_folds=3)
    assert (folds.labels[::2] == folds.labels[1::2]).sum() == 6
    assert folds.distance == pytest.approx(0, abs=1e-6)
    assert folds.distance < folds.distance_random


def test_what_is_reported_is_what_the_labels_give():
    similarity = random_similarity(80, 0)
    target = np.random.default_rng(1).uniform(0.3, 0.8, 50)
    folds = match_nearest(PrecomputedSimilarity(similarity), target, n_folds=4, n_moves=500)
    nearest = nearest_outside(similarity, folds.labels)
    np.testing.assert_allclose(folds.nearest_similarity, nearest, atol=1e-6)
    assert folds.distance == pytest.approx(wasserstein_distance(nearest, target), abs=1e-6)
    assert folds.lower_bound <= folds.distance
    table = folds.to_frame()
    assert table["size"].tolist() == np.bincount(folds.labels).tolist()
    assert set(table["size"]) <= {18, 19, 20, 21, 22}
    assert f"{folds.distance:.4f}" in folds.summary()


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), n_folds=st.integers(2, 3), wanted=st.floats(0, 1))
def test_no_folds_are_below_the_bound(seed, n_folds, wanted):
    n = 6
    similarity = random_similarity(n, seed, n_series=3)
    target = np.clip(wanted + np.array([-0.1, 0.0, 0.1]), 0, 1)
    folds = match_nearest(
        PrecomputedSimilarity(similarity), target, n_folds=n_folds, size_tolerance=0, n_moves=150
    )
    every = [
        wasserstein_distance(nearest_outside(similarity, np.array(labels)), target)
        for labels in itertools.product(range(n_folds), repeat=n)
        if np.ptp(np.bincount(labels, minlength=n_folds)) == 0
    ]
    assert folds.lower_bound <= min(every) + 1e-6
    assert folds.distance >= min(every) - 1e-6
    assert np.ptp(folds.fold_sizes) == 0


def test_search_finds_the_best_of_all_folds_of_a_small_set():
    similarity = random_similarity(8, 3, n_series=4)
    target = np.array([0.3, 0.35, 0.5])
    folds = match_nearest(
        PrecomputedSimilarity(similarity), target, n_folds=2, size_tolerance=0, n_moves=2000
    )
    every = [
        wasserstein_distance(nearest_outside(similarity, np.array(labels)), target)
        for labels in itertools.product(range(2), repeat=8)
        if sum(labels) == 4
    ]
    assert folds.distance == pytest.approx(min(every), abs=0.02)


def test_says_when_no_folds_can_match():
    far = match_nearest(PrecomputedSimilarity(random_similarity(60, 5)), [0.01] * 9)
    assert not far.is_matched
    assert far.lower_bound > 0.03
    assert "no folds of these sizes can" in far.verdict
    assert "too good" in far.verdict
    near = match_nearest(PrecomputedSimilarity(random_similarity(60, 5)), [1.0] * 9)
    assert "too bad" in near.verdict


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_order_of_the_rows_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    similarity = random_similarity(40, seed)
    target = rng.uniform(0.2, 0.9, 30)
    shuffle = rng.permutation(40)
    one = match_nearest(PrecomputedSimilarity(similarity), target, n_moves=200)
    other = match_nearest(
        PrecomputedSimilarity(similarity[shuffle][:, shuffle]), rng.permutation(target), n_moves=200
    )
    assert (one.labels[shuffle] == other.labels).all()


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000), wanted=st.floats(0, 1))
def test_groups_sizes_and_classes_are_kept(seed, wanted):
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 30, 60)
    classes = ClassTable(np.eye(2)[rng.integers(0, 2, 60)], ("class 0", "class 1"), False)
    folds = match_nearest(
        PrecomputedSimilarity(random_similarity(60, seed)), [wanted], n_folds=3,
        must_link=(groups,), size_tolerance=0.2, classes=classes, class_tolerance=0.3,
        n_moves=200,
    )  # fmt: skip
    for group in np.unique(groups):
        assert len(set(folds.labels[groups == group])) == 1
    assert folds.fold_sizes.min() >= 16
    assert folds.fold_sizes.max() <= 24
    for column in classes.counts.T:
        held = np.bincount(folds.labels, column, minlength=3)
        assert (held >= np.floor(0.7 * column.sum() / 3)).all()


def test_group_that_fits_no_fold_is_named():
    groups = np.r_[np.zeros(30, int), np.arange(1, 31)]
    with pytest.raises(InfeasibleSplitError, match=r"30 of 60 samples must stay together"):
        match_nearest(PrecomputedSimilarity(random_similarity(60, 0)), [0.5], must_link=(groups,))


@pytest.mark.parametrize(
    ("target", "message"),
    [([], "target is empty"), ([0.5, 1.2], r"in \[0, 1\].*1.2 in row 1"), ([np.nan], "row 0")],
)
def test_bad_target_is_named(target, message):
    with pytest.raises(ValueError, match=message):
        match_nearest(PrecomputedSimilarity(PAIRS), target, n_folds=3)


def test_too_many_samples_are_refused_with_a_way_out():
    class Large(PrecomputedSimilarity):
        def __init__(self):
            self.n_items = 12_001

    with pytest.raises(ValueError, match=r"at most 12,000 samples. Got 12,001. Match a random"):
        match_nearest(Large(), [0.5])


def test_large_sets_are_matched_better_than_by_whole_clusters():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(100, 3)).repeat(10, axis=0)
    points = points + 0.3 * rng.normal(size=points.shape)
    squared = (points**2).sum(axis=1)
    distance = np.sqrt(np.maximum(squared[:, None] + squared - 2 * points @ points.T, 0))
    similarity = PrecomputedSimilarity(np.exp(-distance).astype(np.float32))
    target = np.clip(rng.normal(0.75, 0.1, 300), 0, 1)
    folds = match_nearest(similarity, target, n_moves=900)
    assert folds.distance < folds.distance_before
    assert folds.distance < 0.5 * folds.distance_random
