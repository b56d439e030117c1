"""MinHash sketches estimate Tanimoto without bias, the same for any number of workers."""

import numpy as np
import pytest

from honesteval.similarity import MinHashSketch, TanimotoSimilarity

RNG = np.random.default_rng(3)
BITS = RNG.random((300, 128)) < RNG.uniform(0.05, 0.4, size=(300, 1))
BITS[7] = False
PACKED = np.packbits(BITS, axis=1)
FOLDS = np.eye(4)[np.arange(300) % 4]


def test_sums_agree_with_the_exact_ones():
    exact = TanimotoSimilarity(PACKED).fold_sums(FOLDS)
    sketch = MinHashSketch.from_packed(PACKED, 2048, 0)
    estimated = sketch.fold_sums(FOLDS)
    assert np.abs(estimated - exact).max() < 0.12 * exact.max()
    assert estimated.sum() == pytest.approx(exact.sum(), rel=0.03)
    assert (estimated[7] == 0).all()  # an empty fingerprint has nothing in common with itself


def test_pair_sums_agree_with_the_exact_ones():
    similarity = TanimotoSimilarity(PACKED)
    rows = np.arange(300)
    matrix = np.triu(similarity.block(rows, rows), 1)
    within = matrix[(rows[:, None] % 4) == (rows % 4)].sum()
    total_by_hash, within_by_hash = MinHashSketch.from_packed(PACKED, 2048, 1).pair_sums(FOLDS)
    for estimates, truth in ((total_by_hash, matrix.sum()), (within_by_hash, within)):
        error = estimates.std() / np.sqrt(len(estimates))
        assert abs(estimates.mean() - truth) < 4 * error


def test_workers_do_not_matter():
    serial = MinHashSketch.from_packed(PACKED, 16, 0, n_jobs=1)
    parallel = MinHashSketch.from_packed(PACKED, 16, 0, n_jobs=2)
    assert np.array_equal(serial.signatures, parallel.signatures)
    assert np.array_equal(serial.fold_sums(FOLDS), parallel.fold_sums(FOLDS, n_jobs=2))


def test_seeds_matter():
    first = MinHashSketch.from_packed(PACKED, 16, 0).signatures
    assert not np.array_equal(first, MinHashSketch.from_packed(PACKED, 16, 1).signatures)
