"""The threaded float32 search for nearest fingerprints gives what the plain float64 one gives."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honesteval.similarity import Similarity, TanimotoSimilarity


def make(seed, n, n_bits, density):
    bits = np.random.default_rng(seed).random((n, n_bits)) < density
    return TanimotoSimilarity(np.packbits(bits, axis=1))


def assert_as_plain(similarity, queries, references, values):
    for quick, plain in zip(
        similarity.nearest(queries, references),
        Similarity.nearest(similarity, queries, references),
        strict=True,
    ):
        assert np.array_equal(quick, plain)
    quick = similarity.nearest_mean(queries, references, values)
    plain = Similarity.nearest_mean(similarity, queries, references, values)
    assert np.array_equal(quick[0], plain[0])
    assert np.array_equal(quick[2], plain[2])
    np.testing.assert_allclose(quick[1], plain[1], atol=1e-12)


@settings(deadline=None, max_examples=50)
@given(
    st.integers(0, 1000),
    st.integers(2, 60),
    st.sampled_from([8, 64, 2048]),
    st.sampled_from([0.0, 0.05, 0.3]),
)
def test_same_as_plain_with_ties_and_empty_fingerprints(seed, n, n_bits, density):
    similarity = make(seed, n, n_bits, density)
    order = np.random.default_rng(seed).permutation(n)
    assert_as_plain(similarity, order[: n // 2], order[n // 2 :], np.arange(n - n // 2) * 1.0)


def test_several_values_per_reference():
    similarity = make(0, 300, 64, 0.2)
    values = np.random.default_rng(1).normal(size=(200, 3))
    assert_as_plain(similarity, np.arange(200, 300), np.arange(200), values)


def test_dense_fingerprints_fall_back_to_float64():
    similarity = make(0, 40, 4096, 0.9)
    assert 2 * similarity.bits.counts.max() > 4096
    assert_as_plain(similarity, np.arange(10), np.arange(10, 40), np.arange(30.0))


def test_a_wider_tie_tolerance_is_respected():
    similarity = make(0, 60, 64, 0.2)
    _, _, narrow = similarity.nearest_mean(np.arange(20), np.arange(20, 60), np.zeros(40))
    _, _, wide = similarity.nearest_mean(
        np.arange(20), np.arange(20, 60), np.zeros(40), tie_tolerance=0.2
    )
    assert (wide >= narrow).all()
    assert wide.sum() > narrow.sum()


def test_no_queries_and_no_references():
    similarity = make(0, 5, 64, 0.2)
    assert similarity.nearest([], [1, 2])[0].shape == (0,)
    with pytest.raises(ValueError, match="empty"):
        similarity.nearest([0], [])
