"""Repeats differ, and say how much similarity they give up for it."""

import inspect

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import AgglomerativeClustering

from honesteval import SimilarityGroupKFold
from honesteval.datasets import load_nav17
from honesteval.exceptions import HonestevalWarning
from honesteval.model_selection import RepeatedSimilarityGroupKFold, SimilarityGroupShuffleSplit
from honesteval.partition import scaled_leakage
from honesteval.similarity import CutoffSimilarity, resolve_similarity

SMILES = load_nav17().data[:150]
SIMILARITY = resolve_similarity(SMILES)


def repeated(**parameters):
    return RepeatedSimilarityGroupKFold(3, n_repeats=3, n_init=1, **parameters)


class TestRepeatedKFold:
    def test_every_repeat_is_a_partition(self):
        splits = list(repeated().split(SMILES))
        for repeat in range(3):
            tested = np.concatenate([test for _, test in splits[3 * repeat : 3 * repeat + 3]])
            assert sorted(tested) == list(range(150))

    def test_repeats_differ_where_seeds_alone_find_the_same_folds(self):
        differing = repeated().partitions(SMILES).agreement
        seeded = repeated(diversity=0).partitions(SMILES).agreement
        off = ~np.eye(3, dtype=bool)
        assert differing[off].mean() < 0.75
        assert differing[off].mean() < seeded[off].mean() - 0.1

    def test_leakage_is_that_of_the_similarities_as_they_are(self):
        found = repeated().partitions(SMILES)
        for partition in found.partitions:
            expected = scaled_leakage(SIMILARITY, partition.labels)
            assert partition.scaled_leakage == pytest.approx(expected, rel=1e-6)
        last = found.partitions[-1]
        assert last.lower_bound <= last.scaled_leakage + 1e-9
        assert found.leakage_given_up.min() == 0
        assert found.leakage_given_up.max() < 0.05 * found.scaled_leakage.min()
        assert found.to_frame()["highest_agreement"].max() < 1
        assert "3 repeats; scaled L from" in found.summary()

    def test_more_diversity_gives_up_more(self):
        little, much = (repeated(diversity=d).partitions(SMILES) for d in (0.1, 0.9))
        assert little.leakage_given_up.mean() < much.leakage_given_up.mean()
        assert little.agreement.mean() > much.agreement.mean()

    def test_first_repeat_is_that_of_the_k_fold(self):
        single = SimilarityGroupKFold(3, n_init=1, random_state=4).partition(SMILES)
        assert np.array_equal(repeated(random_state=4).partitions(SMILES).labels[0], single.labels)

    def test_threshold_and_groups_hold_in_every_repeat(self):
        groups = np.arange(150) // 2
        cv = repeated(threshold=0.9, size_tolerance=0.3)
        for partition in cv.partitions(SMILES, groups=groups).partitions:
            assert partition.highest_cross_similarity < 0.9
            assert (partition.labels[::2] == partition.labels[1::2]).all()

    @pytest.mark.parametrize("on_oversize", ["cut", "drop"])
    def test_what_an_oversized_chain_gives_up_is_listed_in_every_repeat(self, on_oversize):
        bits = np.random.default_rng(0).random((24, 32)) < 0.3  # one chain at 0.3
        similar = resolve_similarity(bits).block(range(24), range(24))
        cv = repeated(threshold=0.3, on_oversize=on_oversize, size_tolerance=0.5, diversity=1)
        with pytest.warns(HonestevalWarning, match="threshold=0.3"):
            found = cv.partitions(bits)
        for partition in found.partitions:
            labels, kept = partition.labels, partition.labels >= 0
            crossing = (labels[:, None] != labels) & np.outer(kept, kept)
            listed = partition.violations
            assert len(listed) == np.triu(crossing & (similar >= 0.3)).sum()
            np.testing.assert_allclose(
                listed["similarity"], similar[listed["first"], listed["second"]]
            )
            nearest = np.where(crossing, similar, 0).max(axis=1)
            np.testing.assert_allclose(partition.nearest_similarity[kept], nearest[kept])

    def test_the_cutoff_is_that_of_the_similarities_as_they_are_in_every_repeat(self):
        counted = CutoffSimilarity(SIMILARITY, 0.3)
        for partition in repeated(objective_cutoff=0.3).partitions(SMILES).partitions:
            expected = scaled_leakage(counted, partition.labels)
            assert partition.scaled_leakage == pytest.approx(expected, rel=1e-6)

    @pytest.mark.parametrize("metric", ["precomputed", "euclidean"])
    def test_clusters_stay_together_in_every_repeat(self, metric):
        clusterer = AgglomerativeClustering(30, metric=metric, linkage="average")
        clusters = SimilarityGroupKFold(2, clusterer=clusterer, size_tolerance=0.8)
        groups = clusters.get_groups(SMILES)
        found = repeated(clusterer=clusterer, size_tolerance=0.8).partitions(SMILES)
        for labels in found.labels:
            assert all(len(set(labels[groups == group])) == 1 for group in np.unique(groups))

    def test_drawn_state_gives_new_folds_in_every_call(self):
        cv = repeated(random_state=np.random.RandomState(0), diversity=0)
        noise = np.random.default_rng(0).random((90, 64)) < 0.3  # nothing to agree on
        first, second = (cv.partitions(noise).labels for _ in range(2))
        assert not np.array_equal(first, second)

    def test_signature_and_repr_show_the_adopted_parameters(self):
        assert "threshold" in inspect.signature(RepeatedSimilarityGroupKFold).parameters
        assert "threshold=0.7" in repr(repeated(threshold=0.7))
        with pytest.raises(TypeError, match="treshold"):
            repeated(treshold=0.7)
        with pytest.raises(ValueError, match="threshold"):
            repeated(threshold=7)
        with pytest.raises(ValueError, match="n_repeats"):
            RepeatedSimilarityGroupKFold(n_repeats=0)
        with pytest.raises(ValueError, match="diversity"):
            repeated(diversity=2)


class TestShuffleSplit:
    def test_single_split_is_the_best_of_its_size(self):
        ((train, test),) = SimilarityGroupShuffleSplit(1, n_init=2).split(SMILES)
        labels = np.zeros(150, dtype=int)
        labels[test] = 1
        one_of_five = SimilarityGroupKFold(5, n_init=2).partition(SMILES).labels
        each = [scaled_leakage(SIMILARITY, one_of_five == fold) for fold in range(5)]
        assert scaled_leakage(SIMILARITY, labels) <= min(each) + 1e-9
        assert len(train) + len(test) == 150

    def test_no_sample_is_tested_twice_before_the_test_sets_run_out(self):
        tests = [test for _, test in SimilarityGroupShuffleSplit(6, n_init=1).split(SMILES)]
        assert sorted(np.concatenate(tests[:5])) == list(range(150))
        assert all(set(tests[5]) != set(test) for test in tests[:5])

    @settings(max_examples=8, deadline=None)
    @given(
        n=st.integers(40, 70),
        test_size=st.one_of(st.floats(0.1, 0.8), st.integers(2, 15)),
        n_splits=st.integers(1, 4),
    )
    def test_sizes_are_kept(self, n, test_size, n_splits):
        X = np.random.default_rng(0).random((n, 2))
        cv = SimilarityGroupShuffleSplit(
            n_splits, test_size=test_size, similarity="rbf", n_init=1, size_tolerance=0.2
        )
        wanted = test_size if isinstance(test_size, int) else test_size * n
        for train, test in cv.split(X):
            assert len(train) + len(test) == n
            assert not set(train) & set(test)
            assert np.floor(0.8 * wanted) - 1 <= len(test) <= np.ceil(1.2 * wanted) + 1

    @pytest.mark.parametrize("test_size", [0, 1.0, -0.2, "a", True])
    def test_impossible_sizes(self, test_size):
        with pytest.raises(ValueError, match="test_size"):
            SimilarityGroupShuffleSplit(test_size=test_size)

    def test_nothing_left_to_train_on(self):
        with pytest.raises(ValueError, match="leaves nothing of 4 samples"):
            list(SimilarityGroupShuffleSplit(test_size=4).split(["CCO", "CCN", "CCC", "CCS"]))
