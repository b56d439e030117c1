"""Stratified folds of whole groups, found wherever they exist (similarity="identity")."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honesteval import HonestevalWarning, InfeasibleSplitError, SimilarityGroupKFold


def stratified(n_splits, **parameters):
    return SimilarityGroupKFold(n_splits, similarity="identity", on="groups", **parameters)


def folds_of(cv, y, groups):
    labels = cv.partition(None, y, groups).labels
    assert len(set(zip(groups, labels, strict=True))) == len(set(groups))
    return labels


def counts_of(labels, y, n_splits):
    return np.array([[((labels == f) & (y == c)).sum() for c in set(y)] for f in range(n_splits)])


def exists(y, groups, n_splits, size_tolerance, class_tolerance):
    """Tell by enumeration whether whole groups can meet the bounds."""
    names, of = np.unique(groups, return_inverse=True)
    n_c = np.array([(y == c).sum() for c in set(y)])
    ideal_size, ideal = len(y) / n_splits, n_c / n_splits
    low = min(np.ceil((1 - size_tolerance) * ideal_size - 1e-9), np.floor(ideal_size))
    high = max(np.floor((1 + size_tolerance) * ideal_size + 1e-9), np.ceil(ideal_size))
    least = np.minimum(np.ceil((1 - class_tolerance) * ideal - 1e-9), np.floor(ideal))
    for assignment in itertools.product(range(n_splits), repeat=len(names)):
        counts = counts_of(np.array(assignment)[of], y, n_splits)
        sizes = counts.sum(axis=1)
        if (sizes >= max(low, 1)).all() and (sizes <= high).all() and (counts >= least).all():
            return True
    return False


class TestExact:
    def test_the_one_division_with_every_class_in_both_folds(self):
        y, groups = np.array([1, 1, 0, 0, 2, 2]), np.array(list("abbccd"))
        labels = folds_of(stratified(2, stratify="classes", class_tolerance=0), y, groups)
        assert {"".join(sorted(set(groups[labels == f]))) for f in (0, 1)} == {"ac", "bd"}

    @settings(max_examples=40, deadline=None)
    @given(
        groups=st.lists(st.integers(0, 6), min_size=6, max_size=24),
        seed=st.integers(0, 10**6),
        n_splits=st.integers(2, 3),
        tolerances=st.sampled_from([(0.1, 0.0), (0.3, 0.2), (0.0, 0.5)]),
    )
    def test_folds_are_found_where_there_are_any_and_only_there(
        self, groups, seed, n_splits, tolerances
    ):
        groups = np.array(groups)
        y = np.random.default_rng(seed).integers(0, 2, len(groups))
        size_tolerance, class_tolerance = tolerances
        cv = stratified(
            n_splits, stratify="classes", size_tolerance=size_tolerance,
            class_tolerance=class_tolerance, n_init=1,
        )  # fmt: skip
        if exists(y, groups, n_splits, size_tolerance, class_tolerance):
            counts = counts_of(folds_of(cv, y, groups), y, n_splits)
            ideal = counts.sum(axis=0) / n_splits
            assert (counts >= np.floor((1 - class_tolerance) * ideal)).all()
        else:
            with pytest.raises(InfeasibleSplitError):
                cv.partition(None, y, groups)

    def test_as_near_as_groups_allow_with_the_shortfall_named(self):
        # both positives are in one group: one fold must do without
        y, groups = np.array([1, 1, 0, 0, 0, 0, 0, 0]), np.array(list("aabbccdd"))
        with pytest.warns(HonestevalWarning, match="0 of class 1 instead of 1"):
            labels = folds_of(stratified(2, class_tolerance=0), y, groups)
        assert counts_of(labels, y, 2).sum(axis=1).tolist() == [4, 4]

    def test_better_than_the_greedy_way(self):
        from sklearn.model_selection import StratifiedGroupKFold

        rng = np.random.default_rng(1)
        sizes = rng.integers(1, 12, 40)
        groups = np.repeat(np.arange(40), sizes)
        y = (rng.random(len(groups)) < np.repeat(rng.random(40), sizes)).astype(int)
        cv = stratified(5, class_tolerance=0, size_tolerance=0.05, n_init=1)
        exact = counts_of(folds_of(cv, y, groups), y, 5)
        greedy = np.array(
            [np.bincount(y[t], minlength=2)
             for _, t in StratifiedGroupKFold(5).split(y, y, groups)]
        )  # fmt: skip
        ideal = exact.sum(axis=0) / 5
        assert np.abs(exact - ideal).max() <= 2
        assert np.abs(exact - ideal).sum() < np.abs(greedy - ideal).sum()

    def test_thousands_of_groups_none_of_which_resembles_another(self):
        groups = np.repeat(np.arange(2_500), 2)
        y = np.arange(5_000) % 4 // 3
        counts = counts_of(folds_of(stratified(5, n_init=1), y, groups), y, 5)
        assert (counts >= 0.9 * counts.sum(axis=0) / 5).all()
