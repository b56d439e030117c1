"""The certificate is never above the true optimum."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honesteval.partition._bound import bound_within

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
