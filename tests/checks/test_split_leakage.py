import numpy as np
import pytest

from honesteval.checks import audit_split
from honesteval.similarity import PrecomputedSimilarity, resolve_similarity


def leakage(X, splits, **options):
    return audit_split(X, None, splits, checks=["HE113"], **options)


def test_silent_on_whole_clusters(clean):
    audited = leakage(clean.X, clean.split)
    assert audited["HE113"].status == "passed"
    assert audited.leakage.relative < 0.98


def test_remarks_on_a_random_split(clean):
    order = np.random.default_rng(0).permutation(len(clean.X))
    audited = leakage(clean.X, (order[60:], order[:60]))
    assert audited["HE113"].severity == "info"
    assert audited.leakage.relative == pytest.approx(1, abs=0.05)


def test_flags_a_split_through_every_cluster(clean):
    """Each cluster has one row in each of six folds: more similarity crosses than by chance."""
    audited = leakage(clean.X, np.tile(np.arange(6), len(clean.X) // 6))
    assert audited["HE113"].severity == "warning"
    assert audited.leakage.scaled > audited.leakage.random


def test_value_is_the_plain_sum(clean):
    audited = leakage(clean.X, clean.split)
    everything = np.arange(len(clean.X))
    S = resolve_similarity(clean.X).block(everything, everything)
    np.fill_diagonal(S, 0)
    expected = 2 * S[np.ix_(clean.test, clean.train)].sum() / S.sum()
    assert audited.leakage.scaled == pytest.approx(expected)
    n_test, n_train = len(clean.test), len(clean.train)
    n = n_test + n_train
    assert audited.leakage.random == pytest.approx(2 * n_test * n_train / (n * (n - 1)))


def test_sampled_and_exact_agree(clean, monkeypatch):
    from honesteval.checks import _random_reference, _split_leakage

    exact = leakage(clean.X, clean.cluster % 3).leakage
    monkeypatch.setattr(_random_reference, "REFERENCE_ROWS", 150)
    again = leakage(clean.X, clean.cluster % 3).leakage
    assert again.standard_error == 0
    assert again.scaled == pytest.approx(exact.scaled)
    monkeypatch.setattr(_split_leakage, "EXACT_ROWS", 100)
    audited = leakage(clean.X, clean.cluster % 3)
    sampled = audited.leakage
    assert sampled.standard_error > 0
    assert sampled.scaled == pytest.approx(exact.scaled, abs=5 * sampled.standard_error)
    assert "estimated" in audited["HE113"].message


def test_no_similarity_at_all_is_as_random():
    audited = leakage(None, ([0, 1, 2], [3, 4]), similarity=PrecomputedSimilarity(np.eye(5)))
    assert audited.leakage.relative == pytest.approx(1)


def test_repeated_random_splits_are_averaged(clean):
    from sklearn.model_selection import ShuffleSplit

    audited = leakage(clean.X, ShuffleSplit(3, test_size=60, random_state=0))
    assert audited.leakage.relative == pytest.approx(1, abs=0.05)


def test_the_bound_is_below_every_split_of_these_sizes(clean):
    from honesteval.checks._split_leakage import leakage_of_split  # noqa: F401
    from honesteval.partition import scaled_leakage
    from honesteval.similarity import resolve_similarity

    audit = audit_split(clean.X, clean.y, clean.split, checks=["HE113"])
    leakage = audit.leakage
    similarity = resolve_similarity(clean.X)
    assert 0 <= leakage.bound <= leakage.scaled
    assert 0 <= leakage.efficiency <= 1
    assert f"{leakage.bound:.4f}" in audit["HE113"].message
    sizes = len(clean.test)
    for seed in range(5):
        part = np.random.default_rng(seed).permutation(len(clean.X)) < sizes
        assert scaled_leakage(similarity, part) >= leakage.bound - 1e-9
    folds = audit_split(clean.X, None, clean.cluster % 4, checks=["HE113"]).leakage
    assert folds.bound <= folds.scaled


def test_the_bound_of_two_blocks_is_reached():
    blocks = np.kron(np.eye(2), np.ones((6, 6)))
    audit = audit_split(blocks, None, [0] * 6 + [1] * 6, similarity="precomputed",
                        checks=["HE113"])  # fmt: skip
    assert audit.leakage.scaled == 0
    assert audit.leakage.bound == pytest.approx(0, abs=1e-5)
    assert audit.leakage.efficiency == pytest.approx(1, abs=1e-4)
