"""Similarity is computed once for nested loops, and never differs from a fresh computation."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score

from honesteval import SimilarityGroupKFold
from honesteval.datasets import load_nav17
from honesteval.model_selection._similarity_cache import (
    SIMILARITY_CACHE,
    SimilarityCache,
    cached_similarity,
)
from honesteval.similarity import TanimotoSimilarity, resolve_similarity

NAV17 = load_nav17()
SMILES, PIC50 = NAV17.data[:120], NAV17.target[:120]


def closeness(first, second):
    closeness.n_values += len(first) * len(second)
    lengths = np.array([len(s) for s in first]), np.array([len(s) for s in second])
    return 1 / (1 + np.abs(lengths[0][:, None] - lengths[1]))


@pytest.fixture(autouse=True)
def _empty_cache():
    SIMILARITY_CACHE.clear()
    closeness.n_values = 0
    yield
    SIMILARITY_CACHE.clear()


class TestNesting:
    def test_inner_loops_compute_no_similarity(self):
        cv = SimilarityGroupKFold(3, on="groups", n_init=1)
        X = np.arange(120.0)[:, None]
        for train, _ in cv.split(X, groups=SMILES):
            search = GridSearchCV(Ridge(), {"alpha": [1.0, 2.0]}, cv=cv)
            search.fit(X[train], PIC50[train], groups=SMILES[train])
        assert SIMILARITY_CACHE.n_computed == 1
        assert SIMILARITY_CACHE.n_found == 3

    def test_inner_folds_are_those_without_a_cache(self):
        cv = SimilarityGroupKFold(3, n_init=1, threshold=0.95)
        train, _ = next(cv.split(SMILES))
        nested = cv.partition(SMILES[train]).labels
        assert SIMILARITY_CACHE.n_found == 1
        SIMILARITY_CACHE.clear()
        assert np.array_equal(cv.partition(SMILES[train]).labels, nested)
        assert SIMILARITY_CACHE.n_found == 0

    def test_values_of_a_function_are_computed_once(self):
        cv = SimilarityGroupKFold(3, similarity=closeness, n_init=1)
        cv.partition(SMILES)
        once = closeness.n_values
        assert once <= 120**2 + 20**2
        for train, _ in cv.split(SMILES):
            cv.partition(SMILES[train])
        assert closeness.n_values == once

    def test_groups_can_be_taken_out_and_reused(self):
        groups = SimilarityGroupKFold(3, threshold=0.85, size_tolerance=0.5).get_groups(SMILES)
        similarity = resolve_similarity(SMILES)
        for train, test in GroupKFold(3).split(SMILES, groups=groups):
            assert similarity.nearest(test, train)[0].max() < 0.85
        scores = cross_val_score(
            Ridge(), np.arange(120.0)[:, None], PIC50, groups=groups, cv=GroupKFold(3)
        )
        assert len(scores) == 3


class TestCache:
    @pytest.mark.parametrize("measure", ["auto", "molecule", "scaffold", closeness])
    def test_any_part_in_any_order_is_that_of_a_fresh_computation(self, measure):
        cached_similarity(SMILES, measure)
        part = np.random.default_rng(0).permutation(120)[:50]
        found, fresh = (f(SMILES[part], measure) for f in (cached_similarity, resolve_similarity))
        everything = np.arange(50)
        assert np.array_equal(
            found.block(everything, everything), fresh.block(everything, everything)
        )
        assert found.content_keys() == fresh.content_keys()
        assert (found.name, found.merges_identical) == (fresh.name, fresh.merges_identical)
        assert SIMILARITY_CACHE.n_found == 1

    def test_other_entities_or_measures_are_computed(self):
        cached_similarity(SMILES[:50], "molecule")
        cached_similarity(SMILES[:51], "molecule")
        cached_similarity(SMILES[:50], "scaffold")
        assert SIMILARITY_CACHE.n_computed == 3
        assert SIMILARITY_CACHE.n_found == 0

    def test_memory_is_bounded(self):
        cache = SimilarityCache(most_bytes=600 * 100, most_sets=3)
        for start in range(0, 100, 20):
            cache.resolve(SMILES[start : start + 20], "molecule")
            assert cache.n_bytes <= 600 * 100
            assert len(cache._sets) <= 3
        cache.resolve(SMILES[:120], "molecule")  # too large to be remembered
        assert cache.n_bytes <= 600 * 100
        assert cache.n_computed == 6

    def test_longest_unused_is_forgotten_first(self):
        cache = SimilarityCache(most_sets=2)
        cache.resolve(SMILES[:20], "molecule")
        cache.resolve(SMILES[20:40], "molecule")
        cache.resolve(SMILES[:10], "molecule")
        cache.resolve(SMILES[40:60], "molecule")
        cache.resolve(SMILES[:20], "molecule")
        assert (cache.n_computed, cache.n_found) == (3, 2)

    def test_tables_and_ready_similarities_pass_through(self):
        bits = np.eye(8)
        assert isinstance(cached_similarity(bits, "tanimoto"), TanimotoSimilarity)
        ready = resolve_similarity(SMILES)
        assert cached_similarity(SMILES, ready) is ready
        assert SIMILARITY_CACHE.n_computed == 0
        assert cached_similarity(np.arange(6.0)[:, None], lambda a, b: np.exp(-abs(a - b.T))).block(
            [0], [1]
        ) == pytest.approx(np.exp(-1))

    def test_errors_are_not_remembered(self):
        for _ in range(2):
            with pytest.raises(ValueError, match="row 1"):
                cached_similarity(["CCO", "C(C"], "molecule")
        assert SIMILARITY_CACHE.n_bytes == 0
