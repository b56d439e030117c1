"""The synthetic worked example: its draws and its known numbers."""

import numpy as np
import pytest

from honesteval.datasets import make_near_duplicates


def literal_recipe():
    """The draws of the worked example, written out."""
    rng = np.random.default_rng(0)
    cores = rng.random((120, 64)) < 0.12
    X = np.zeros((1500, 64), dtype=bool)
    for row in range(1500):
        X[row] = cores[rng.integers(120)]
        X[row, rng.choice(64, rng.integers(0, 3), replace=False)] = True
    w = rng.normal(0, 1.0, 64)
    y = X @ w + 0.1 * rng.normal(size=1500)
    return X, w, y, rng.permutation(1500)


def intersections_and_unions(X):
    bits = X.astype(np.int64)
    shared = bits @ bits.T
    sizes = bits.sum(axis=1)
    return shared, sizes[:, np.newaxis] + sizes - shared


def test_draws_in_the_order_of_the_recipe():
    X, w, y, permutation = literal_recipe()
    made = make_near_duplicates()
    assert np.array_equal(made.data, X)
    assert np.array_equal(made.coef, w)
    assert np.array_equal(made.target, y)
    assert np.array_equal(np.concatenate([made.test, made.train]), permutation)
    assert (len(made.test), len(made.train)) == (500, 1000)


def test_known_numbers_of_duplicates():
    X = make_near_duplicates().data
    assert len(X) - len(np.unique(X, axis=0)) == 497
    shared, union = intersections_and_unions(X)
    np.fill_diagonal(shared, 0)
    # 79 rows have their nearest partner at exactly nine tenths
    assert (10 * shared > 9 * union).any(axis=1).sum() == 805
    assert (10 * shared >= 9 * union).any(axis=1).sum() == 884


def test_known_share_of_test_rows_with_a_near_duplicate_in_training():
    made = make_near_duplicates()
    shared, union = intersections_and_unions(made.data)
    cross = np.ix_(made.test, made.train)
    assert (10 * shared[cross] > 9 * union[cross]).any(axis=1).mean() == 0.52
    assert (10 * shared[cross] >= 9 * union[cross]).any(axis=1).mean() == 0.568


def test_rows_are_their_cores_with_a_few_more_bits():
    made = make_near_duplicates(200, n_bits=32, n_cores=5, max_extra_bits=3, n_test=50,
                                random_state=7)  # fmt: skip
    for core in range(5):
        rows = made.data[made.core == core]
        always = rows.all(axis=0)
        assert (rows.sum(axis=1) - always.sum() <= 3).all()
    assert "3 more bits" in made.DESCR
    assert sorted([*made.train, *made.test]) == list(range(200))


def test_the_target_is_linear_without_noise():
    made = make_near_duplicates(100, n_test=10, noise=0)
    assert np.allclose(made.data @ made.coef, made.target)


def test_seeds_and_generators():
    again = make_near_duplicates(random_state=np.random.default_rng(0))
    assert np.array_equal(again.target, make_near_duplicates().target)
    assert not np.array_equal(again.target, make_near_duplicates(random_state=1).target)


@pytest.mark.parametrize(
    "parameters",
    [
        {"n_samples": 1},
        {"n_bits": 0},
        {"n_cores": 0},
        {"density": 1.1},
        {"max_extra_bits": 65},
        {"noise": -1},
        {"n_test": 0},
        {"n_test": 1500},
    ],
)
def test_refuses_impossible_parameters(parameters):
    with pytest.raises(ValueError, match=next(iter(parameters))):
        make_near_duplicates(**parameters)
