"""Every similarity keeps the protocol: range, symmetry, sums, neighbours, pairs, components."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from honesteval.similarity import (
    CallableSimilarity,
    CosineSimilarity,
    CountTanimotoSimilarity,
    IdentitySimilarity,
    PrecomputedSimilarity,
    RBFSimilarity,
    TanimotoSimilarity,
)

RNG = np.random.default_rng(0)
BITS = RNG.random((40, 64)) < 0.2
COUNTS = RNG.poisson(0.7, (40, 20))
TABLE = RNG.normal(size=(40, 5))
MATRIX = RNG.random((40, 40))
MATRIX = (MATRIX + MATRIX.T) / 2


def _inverse_distance(a, b):
    return 1 / (1 + np.abs(a[:, :1] - b[:, 0]))


EVERY = [
    TanimotoSimilarity(np.packbits(BITS, axis=1)),
    CountTanimotoSimilarity(COUNTS),
    CosineSimilarity(TABLE),
    RBFSimilarity(TABLE),
    IdentitySimilarity(RNG.integers(6, size=40)),
    PrecomputedSimilarity(MATRIX),
    PrecomputedSimilarity(sparse.csr_array(np.where(MATRIX > 0.5, MATRIX, 0))),
    PrecomputedSimilarity(1 - MATRIX, is_distance=True),
    CallableSimilarity(TABLE, _inverse_distance),
]

each = pytest.mark.parametrize("similarity", EVERY, ids=lambda s: type(s).__name__ + " " + s.name)


@each
class TestProtocol:
    def test_range_and_symmetry(self, similarity):
        rows = np.arange(similarity.n_items)
        block = similarity.block(rows, rows)
        assert block.dtype == np.float64
        assert ((block >= 0) & (block <= 1)).all()
        assert np.allclose(block, block.T, atol=1e-12)

    def test_fold_sums_are_the_matrix_product(self, similarity):
        rows = np.arange(similarity.n_items)
        indicator = np.eye(3)[rows % 3]
        expected = similarity.block(rows, rows) @ indicator
        assert np.allclose(similarity.fold_sums(indicator), expected, rtol=1e-6)
        some = rows[::2]
        expected = similarity.block(rows, some) @ indicator[some]
        assert np.allclose(similarity.fold_sums(indicator[some], some), expected, rtol=1e-6)

    def test_nearest(self, similarity):
        queries, references = np.arange(0, 15), np.arange(15, 40)
        value, index = similarity.nearest(queries, references)
        block = similarity.block(queries, references)
        assert np.array_equal(value, block.max(axis=1))
        assert np.array_equal(index, references[block.argmax(axis=1)])

    def test_nearest_mean_over_ties(self, similarity):
        queries, references = np.arange(0, 15), np.arange(15, 40)
        values = RNG.normal(size=25)
        best, mean, n_tied = similarity.nearest_mean(queries, references, values)
        block = similarity.block(queries, references)
        for i in range(15):
            tied = block[i] >= block[i].max() - 1e-9
            assert n_tied[i] == tied.sum()
            assert mean[i] == pytest.approx(values[tied].mean())
            assert best[i] == block[i].max()

    @pytest.mark.parametrize("threshold", [0.0, 0.3, 0.6, 1.0])
    def test_pairs_and_components(self, similarity, threshold):
        rows = np.arange(similarity.n_items)
        block = similarity.block(rows, rows)
        first, second, value = similarity.pairs_at_least(threshold)
        i, j = np.nonzero(np.triu(block >= threshold, 1))
        assert np.array_equal(first, i)
        assert np.array_equal(second, j)
        assert np.allclose(value, block[i, j])
        expected = connected_components(sparse.csr_array(block >= threshold), directed=False)[1]
        found = similarity.components_at_least(threshold)
        together = found[:, None] == found
        assert np.array_equal(together, expected[:, None] == expected)

    def test_pairs_between_two_sets(self, similarity):
        rows, columns = np.arange(5, 12), np.arange(20, 40)
        first, second, _ = similarity.pairs_at_least(0.3, rows, columns)
        i, j = np.nonzero(similarity.block(rows, columns) >= 0.3)
        assert set(zip(first, second, strict=True)) == set(zip(rows[i], columns[j], strict=True))

    def test_take_keeps_values_and_content(self, similarity):
        chosen = np.array([7, 3, 30])
        part = similarity.take(chosen)
        inside = np.arange(3)
        assert part.n_items == 3
        assert np.allclose(part.block(inside, inside), similarity.block(chosen, chosen))
        if similarity.merges_identical:
            keys = similarity.content_keys()
            assert part.content_keys() == [keys[i] for i in chosen]

    def test_no_reference_is_an_error(self, similarity):
        with pytest.raises(ValueError, match="empty"):
            similarity.nearest([0], [])


def test_content_keys_of_a_matrix_do_not_depend_on_the_order():
    order = RNG.permutation(40)
    keys = PrecomputedSimilarity(MATRIX).content_keys()
    shuffled = PrecomputedSimilarity(MATRIX[np.ix_(order, order)]).content_keys()
    assert shuffled == [keys[i] for i in order]


def test_negative_cosine_counts_as_nothing():
    assert CosineSimilarity([[1.0], [-2.0]]).block([0], [1])[0, 0] == 0


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[1.0, 0.5]], "square.*(1, 2)"),
        ([[1.0, np.nan], [np.nan, 1.0]], "row 0, column 1: nan"),
        ([[1.0, 1.5], [1.5, 1.0]], r"\[0, 1\].*row 0, column 1: 1.5"),
        ([[1.0, 0.2], [0.3, 1.0]], r"symmetric: entry \(0, 1\) is 0.2 but \(1, 0\) is 0.3"),
        (sparse.csr_array([[1.0, -0.5], [-0.5, 1.0]]), "row 0, column 1: -0.5"),
    ],
)
def test_bad_matrices_are_explained(matrix, message):
    with pytest.raises(ValueError, match=message):
        PrecomputedSimilarity(matrix)


def test_sparse_distance_is_refused():
    with pytest.raises(ValueError, match="ambiguous"):
        PrecomputedSimilarity(sparse.eye_array(3), is_distance=True)


def test_callable_errors_name_the_rows():
    with pytest.raises(ValueError, match="not symmetric"):
        CallableSimilarity(TABLE, lambda a, b: np.clip(a[:, :1] - b[:, 0], 0, 1))
    with pytest.raises(ValueError, match=r"must return numbers in \[0, 1\]"):
        CallableSimilarity(TABLE, lambda a, b: np.full((len(a), len(b)), 2.0))
    with pytest.raises(ValueError, match="shape"):
        CallableSimilarity(TABLE, lambda a, b: np.zeros(3))


def test_tables_with_gaps_are_explained():
    with pytest.raises(ValueError, match="row 1"):
        CosineSimilarity([[1.0], [np.nan]])
    with pytest.raises(ValueError, match="at least 0: negative values in row 0"):
        CountTanimotoSimilarity([[-1, 2], [0, 1]])


def test_entries_that_differ_by_rounding_are_one_whichever_is_read():
    S = np.array([[1.0, 0.5 - 5e-7], [0.5, 1.0]])
    for matrix in (S, S.T, sparse.csr_array(S), sparse.csr_array(S.T)):
        similarity = PrecomputedSimilarity(matrix)
        assert similarity.block([0, 1], [0, 1]).tolist() == [[1.0, 0.5], [0.5, 1.0]]
        assert similarity.components_at_least(0.5).tolist() == [0, 0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_threshold_is_reached_in_the_precision_of_the_matrix(dtype):
    """0.7 as float32 is a little less than 0.7."""
    S = np.array([[1, 0.7, 0.1], [0.7, 1, 0.6999], [0.1, 0.6999, 1]], dtype=dtype)
    similarity = PrecomputedSimilarity(S)
    assert [part.tolist() for part in similarity.pairs_at_least(0.7)[:2]] == [[0], [1]]
    labels = similarity.components_at_least(0.7)
    assert labels[0] == labels[1] != labels[2]


@pytest.mark.parametrize(
    ("matrix", "message"),
    [(np.zeros((0, 0)), "one entity at least"), (np.eye(3) * (1 + 0j), "must hold real numbers")],
)
def test_matrices_that_hold_nothing_or_no_real_numbers_are_refused(matrix, message):
    with pytest.raises(ValueError, match=message):
        PrecomputedSimilarity(matrix)


def test_features_beyond_what_numbers_resolve_are_refused_in_words():
    X = np.random.default_rng(0).random((20, 3)) * 1e-300
    with pytest.raises(ValueError, match=r"median distance .* Rescale the features"):
        RBFSimilarity(X)
