"""Grown sets: the real rows first, made-up analogues after, the same for the same seed."""

import numpy as np
import pytest

from honesteval.datasets import grow_fingerprints, load_nav17
from honesteval.entities import parse_molecules
from honesteval.similarity import TanimotoSimilarity


@pytest.fixture(scope="module")
def real():
    return parse_molecules(load_nav17().data).fingerprints()


def test_real_rows_first_and_prefixes_agree(real):
    grown = grow_fingerprints(real, 22_000)
    np.testing.assert_array_equal(grown[: len(real)], real)
    np.testing.assert_array_equal(grow_fingerprints(real, 3_000), grown[:3_000])
    assert (
        grow_fingerprints(real, 3_000, random_state=1)[len(real) :] != grown[len(real) : 3_000]
    ).any()


def test_analogues_have_relatives_and_strangers(real):
    n = len(real)
    similarity = TanimotoSimilarity(grow_fingerprints(real, n + 1_000))
    nearest = similarity.nearest(np.arange(n, n + 1_000), np.arange(n))[0]
    assert 0.6 < nearest.mean() < 0.95
    assert nearest.std() > 0.03
    among_real = similarity.block(np.arange(n), np.arange(n)).mean()
    among_grown = similarity.block(np.arange(n, n + 1_000), np.arange(n, n + 1_000)).mean()
    assert among_grown == pytest.approx(among_real, rel=0.15)


def test_bad_sizes_are_refused(real):
    with pytest.raises(ValueError, match="n_samples"):
        grow_fingerprints(real, 10)
    with pytest.raises(ValueError, match="exchanged"):
        grow_fingerprints(real, 2_000, exchanged=1.5)
