"""The certificate is never above the true optimum."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honesteval.partition import Effort, solve_partition
from honesteval.partition._bound import bound_within
from honesteval.partition._semidefinite import semidefinite_within
from honesteval.similarity import PrecomputedSimilarity

from .test_solve import random_matrix


def best_within(matrix, weights, lower, upper):
    m, k = len(weights), len(lower)
    best = -np.inf
    for labels in itertools.product(range(k), repeat=m):
        labels = np.array(labels)
        sizes = np.bincount(labels, weights, minlength=k)
        if ((sizes >= lower) & (sizes <= upper)).all():
            same = labels[:, None] == labels
            best = max(best, np.triu(matrix * same, 1).sum())
    return best


@given(
    seed=st.integers(0, 10**6),
    m=st.integers(4, 7),
    k=st.integers(2, 3),
    n_iterations=st.sampled_from([0, 20]),
)
@settings(max_examples=40, deadline=None)
def test_never_below_what_can_be_kept(seed, m, k, n_iterations):
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 4, size=m).astype(float)
    matrix = random_matrix(seed, m) * np.outer(weights, weights)
    np.fill_diagonal(matrix, 0)
    shares = rng.dirichlet(np.full(k, 5.0))
    lower = np.floor(0.5 * shares * weights.sum())
    upper = np.ceil(1.6 * shares * weights.sum())
    truth = best_within(matrix, weights, lower, upper)
    if not np.isfinite(truth):
        return
    bound = bound_within(
        matrix.astype(np.float32), weights, lower, upper, n_iterations=n_iterations
    )
    assert bound.within >= truth - 1e-4
    semidefinite = semidefinite_within(
        matrix.astype(np.float32), weights, lower, upper, n_iterations=5 * n_iterations + 3
    )
    assert semidefinite >= truth - 1e-4


def test_tight_on_equal_blocks():
    block = np.repeat(np.arange(4), 10)
    matrix = (block[:, None] == block).astype(np.float32)
    np.fill_diagonal(matrix, 0)
    sizes = np.full(4, 10.0)
    bound = bound_within(matrix, np.ones(40), sizes, sizes)
    assert bound.within == pytest.approx(4 * 45, rel=1e-3)


def test_better_diagonal_never_hurts():
    matrix = random_matrix(1, 60).astype(np.float32)
    np.fill_diagonal(matrix, 0)
    sizes = np.full(3, 20.0)
    plain = bound_within(matrix, np.ones(60), sizes, sizes)
    better = bound_within(matrix, np.ones(60), sizes, sizes, n_iterations=60)
    assert better.within <= plain.within


def test_semidefinite_is_tight_on_equal_blocks():
    block = np.repeat(np.arange(4), 10)
    matrix = (block[:, None] == block).astype(np.float32)
    np.fill_diagonal(matrix, 0)
    sizes = np.full(4, 10.0)
    bound = semidefinite_within(matrix, np.ones(40), sizes, sizes)
    assert bound == pytest.approx(4 * 45, rel=1e-2)


def test_semidefinite_is_nearer_to_the_optimum_than_eigenvalues():
    # 12 items: the optimum is proven; 60: an upper bound on the gap that each method leaves
    for n, most_gap in ((12, 0.25), (60, 0.5)):
        features = np.random.default_rng(n).random((n, 3)) ** 3
        matrix = np.minimum(features @ features.T / 2, 1)
        np.fill_diagonal(matrix, 1)
        partition = solve_partition(
            PrecomputedSimilarity(matrix), shares=np.ones(3), effort=Effort(n_init=2)
        )
        objective = matrix.astype(np.float32)
        np.fill_diagonal(objective, 0)
        problem = partition._problem
        bounds = (np.ones(n), problem.lower[:, 0], problem.upper[:, 0])
        total = objective.sum() / 2
        crossing = partition.scaled_leakage * total
        by_eigenvalues = total - bound_within(objective, *bounds, n_iterations=60).within
        by_programme = total - semidefinite_within(objective, *bounds, n_iterations=200)
        assert by_programme <= crossing + 1e-4
        assert crossing - by_programme < most_gap * (crossing - by_eigenvalues)


def test_a_partition_tightens_its_own_bound():
    features = np.random.default_rng(0).random((240, 3)) ** 3
    matrix = np.minimum(features @ features.T / 2, 1)
    partition = solve_partition(
        PrecomputedSimilarity(matrix), shares=np.ones(3), effort=Effort(n_init=1, n_sweeps=20)
    )
    before, efficiency = partition.lower_bound, partition.efficiency
    tight = partition.tighten_bound(20)
    assert before < tight <= partition.scaled_leakage + 1e-6
    assert partition.lower_bound == tight
    assert partition.efficiency > efficiency


def test_a_proven_partition_needs_no_bound():
    partition = solve_partition(PrecomputedSimilarity(np.eye(6)), shares=[1, 1])
    assert partition.status == "optimal"
    assert partition.tighten_bound() == partition.scaled_leakage


def test_equal_sizes_give_the_published_formula():
    # Donath & Hoffman, Rendl & Wolkowicz: 1'S1 / k + (n / k) (sum of the k - 1 largest eigenvalues
    # of PSP), counted on both orders of a pair; here with a zero diagonal
    n, k = 40, 4
    matrix = random_matrix(5, n)
    np.fill_diagonal(matrix, 0)
    projection = np.eye(n) - 1 / n
    largest = np.linalg.eigvalsh(projection @ matrix @ projection)[-(k - 1) :]
    published = (matrix.sum() / k + n / k * largest.sum()) / 2
    sizes = np.full(k, n / k)
    bound = bound_within(matrix.astype(np.float32), np.ones(n), sizes, sizes)
    assert bound.within == pytest.approx(published, rel=1e-5)
