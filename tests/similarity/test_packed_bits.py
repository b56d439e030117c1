"""Packed bits: every kernel gives the same integers, and quotients that are exact."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from honesteval.similarity import TanimotoSimilarity
from honesteval.similarity._packed_bits import (
    PackedBits,
    differing_bits_numkong,
    differing_bits_numpy,
    fastest_kernel,
)

bit_rows = hnp.arrays(np.bool_, st.tuples(st.integers(1, 12), st.sampled_from([8, 64, 200, 1000])))


@given(bit_rows, bit_rows)
def test_kernels_agree_with_counting(first, second):
    width = min(first.shape[1], second.shape[1])
    first, second = first[:, :width], second[:, :width]
    expected = (first[:, None] != second[None]).sum(axis=2)
    packed = np.packbits(first, axis=1), np.packbits(second, axis=1)
    assert np.array_equal(differing_bits_numpy(*packed), expected)
    assert np.array_equal(differing_bits_numkong(*packed), expected)


@given(bit_rows)
def test_kernels_give_the_same_similarities(bits):
    packed = np.packbits(bits, axis=1)
    fast = TanimotoSimilarity(packed, kernel=differing_bits_numkong)
    plain = TanimotoSimilarity(packed, kernel=differing_bits_numpy)
    rows = np.arange(len(bits))
    for dtype in (np.float32, np.float64):
        a, b = fast.block(rows, rows, dtype=dtype), plain.block(rows, rows, dtype=dtype)
        assert a.dtype == dtype
        assert np.array_equal(a, b)


def test_numpy_kernel_is_used_without_numkong(monkeypatch):
    import sys

    assert fastest_kernel() is differing_bits_numkong
    monkeypatch.setitem(sys.modules, "numkong", None)
    assert fastest_kernel() is differing_bits_numpy


def test_two_fifths_is_two_fifths():
    bits = np.zeros((2, 8), dtype=bool)
    bits[0, :4] = True
    bits[1, [0, 1, 4]] = True
    similarity = TanimotoSimilarity(np.packbits(bits, axis=1))
    assert similarity.block([0], [1])[0, 0] == 2 / 5
    assert len(similarity.pairs_at_least(0.4)[0]) == 1
    assert len(similarity.pairs_at_least(0.4000001)[0]) == 0


def test_shared_and_union_counts():
    bits = PackedBits(np.packbits([[1, 1, 0, 1], [1, 0, 0, 1]], axis=1))
    shared, union = bits.shared_and_union(np.array([0]), np.array([1]))
    assert (shared[0], union[0]) == (2, 3)


@pytest.mark.parametrize("kernel", [differing_bits_numpy, differing_bits_numkong])
def test_empty_fingerprints_have_nothing_in_common(kernel):
    packed = np.packbits([[0, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0]], axis=1)
    block = TanimotoSimilarity(packed, kernel=kernel).block([0, 1, 2], [0, 1, 2])
    assert np.array_equal(block, [[0, 0, 0], [0, 0, 0], [0, 0, 1]])
