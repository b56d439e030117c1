"""Annealing side by side: bounds, pins, exact gains; what withdrawing leaves fits."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from honesteval.exceptions import InfeasibleSplitError
from honesteval.partition import _assignment
from honesteval.partition._annealing import COLDEST, AnnealingSchedule, _State, anneal
from honesteval.partition._feasibility import feasible_labels
from honesteval.partition._objective import GRID, exact_gains, exact_runs, within_similarity
from honesteval.partition._prices import FoldPrices
from honesteval.partition._problem import build_problem


def _random_problem(seed, n_replicas, *, largest=1, n_sweeps=6):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(8, 60)), int(rng.integers(2, 6))
    weights = rng.integers(1, largest + 1, n)
    item_of = np.repeat(np.arange(n), weights)
    pinned = np.where(rng.random(len(item_of)) < 0.05, rng.integers(0, k, len(item_of)), -1)
    pinned = pinned[np.searchsorted(item_of, item_of)]
    problem = build_problem(item_of, shares=[1] * k, size_tolerance=0.5, pinned=pinned)
    objective = rng.random((n, n)) * weights * weights[:, None]
    objective = np.rint((objective + objective.T) / 2 * GRID) / GRID
    np.fill_diagonal(objective, 0)
    objective = objective.astype(np.float32)
    try:
        draw = feasible_labels(problem)
    except InfeasibleSplitError:
        assume(False)
    starts = np.stack([draw(rng) for _ in range(n_replicas)], axis=1)
    reactive = rng.random(n_replicas) < 0.5
    hot = np.where(reactive, 0.5, 1.0) * largest
    schedule = AnnealingSchedule(hot, COLDEST, n_sweeps, 5, reactive)
    return objective, problem, starts, schedule


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), n_replicas=st.integers(1, 4), largest=st.sampled_from([1, 6]))
def test_every_replica_stays_within_bounds_and_pins(seed, n_replicas, largest):
    objective, problem, starts, schedule = _random_problem(seed, n_replicas, largest=largest)
    before = starts.copy()
    labels = anneal(objective, problem, starts, schedule, np.random.default_rng(0))
    assert labels.shape == starts.shape
    assert all(problem.is_feasible(some) for some in labels.T)
    np.testing.assert_array_equal(starts, before)
    again = anneal(objective, problem, starts, schedule, np.random.default_rng(0))
    np.testing.assert_array_equal(labels, again)


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), largest=st.sampled_from([1, 40]))
def test_gains_and_totals_kept_along_the_way_are_exact(seed, largest):
    objective, problem, starts, schedule = _random_problem(seed, 3, largest=largest)
    state = _State(objective, problem, starts.copy(), schedule)
    rng = np.random.default_rng(seed)
    free = np.flatnonzero(problem.pinned < 0)
    for _ in range(5):
        state.step(rng.permutation(free)[: len(free) // 2], schedule.hot, rng)
    for r, labels in enumerate(state.labels.T):
        gains = objective.T.astype(np.float64) @ np.eye(problem.n_folds)[labels]
        np.testing.assert_array_equal(state.gains[:, r], gains)
        np.testing.assert_array_equal(exact_gains(objective, labels, problem.n_folds), gains)
        np.testing.assert_allclose(state.totals[r], problem.totals(labels))


def test_replicas_find_two_blocks_from_any_start():
    n = 40
    objective = np.kron(np.eye(2), np.ones((n // 2, n // 2))).astype(np.float32)
    np.fill_diagonal(objective, 0)
    problem = build_problem(np.arange(n), shares=[1, 1])
    draw, rng = feasible_labels(problem), np.random.default_rng(1)
    starts = np.stack([draw(rng) for _ in range(3)], axis=1)
    schedule = AnnealingSchedule(np.full(3, 5.0), COLDEST, 40, 5, np.array([True, True, False]))
    found = anneal(objective, problem, starts, schedule, rng)
    kept = [within_similarity(exact_gains(objective, labels, 2), labels) for labels in found.T]
    assert max(kept) == objective.sum()
    random = within_similarity(exact_gains(objective, starts[:, 0], 2), starts[:, 0])
    assert min(kept) > random


@given(st.lists(st.floats(0, 400), max_size=50))
def test_runs_cover_all_rows_and_stay_exact(reach):
    runs = list(exact_runs(np.array(reach)))
    assert [row for start, stop in runs for row in range(start, stop)] == list(range(len(reach)))
    for start, stop in runs:
        assert stop - start == 1 or sum(reach[start:stop]) <= 256 + 1e-6


def test_sums_of_two_threads_are_those_of_one():
    n = 4_000
    rng = np.random.default_rng(0)
    objective = (rng.integers(0, 2**16, (n, n)) / GRID).astype(np.float32)
    labels = rng.integers(0, 3, n)
    plain = objective.T.astype(np.float64) @ np.eye(3)[labels]
    np.testing.assert_array_equal(exact_gains(objective, labels, 3), plain)


@pytest.mark.parametrize("largest", [1.0, 300.0, 7e4])
def test_sums_are_exact_whatever_the_entries_and_for_several_assignments(largest):
    """Bonuses of links reach far beyond 1: float32 sums of 256 such rows lose the last bits."""
    n, rng = 700, np.random.default_rng(0)
    objective = (rng.integers(-(2**16), 2**16, (n, n)) / GRID).astype(np.float32)
    some = rng.random((n, n)) < 0.05
    objective[some] += np.float32(largest - 1)
    objective = np.round(objective * GRID).astype(np.float32) / np.float32(GRID)
    labels = rng.integers(0, 3, (n, 4))
    gains = exact_gains(objective, labels, 3)
    assert gains.shape == (n, 4, 3)
    for r in range(4):
        plain = objective.T.astype(np.float64) @ np.eye(3)[labels[:, r]]
        np.testing.assert_array_equal(gains[:, r], plain)


def test_prices_share_out_a_rare_class():
    """Items of a rare class differ little in their gains: the price must not send all one way."""
    n, rng = 3_000, np.random.default_rng(0)
    is_rare = np.arange(n) % 30 == 0
    counts = np.column_stack([~is_rare, is_rare]).astype(float)
    problem = build_problem(
        np.arange(n), shares=[0.8, 0.1, 0.1], class_counts=counts, class_names=("common", "rare")
    )
    gains = rng.normal(10, 0.5, (n, 3)) + np.array([70, 0, 0])
    prices = FoldPrices(problem)
    prices.start_from(gains)
    prices.cool_down(gains, 1.0, 0.02)
    labels = prices.values(gains, problem.usage).argmax(axis=1)
    rare = np.bincount(labels[is_rare], minlength=3)
    assert (rare >= 0.5 * problem.lower[:, 2]).all(), rare


def test_rare_class_is_shared_out_without_a_programme_over_all_items(monkeypatch):
    """What the programme is given first holds items of every class; its size has a limit."""
    n, rng = 4_000, np.random.default_rng(0)
    is_rare = np.arange(n) % 20 == 0
    counts = np.column_stack([~is_rare, is_rare]).astype(float)
    problem = build_problem(
        np.arange(n), shares=[0.8, 0.1, 0.1], class_counts=counts, class_names=("common", "rare")
    )
    gains = rng.normal(10, 1, (n, 3)) + np.array([70, 0, 0])
    gains[is_rare, 2] += 40  # all of the class would go to one small fold
    given = []
    solve = _assignment.solve_assignment

    def counted(gains, problem, labels, free, **options):
        given.append(len(free))
        assert is_rare[free].sum() >= min(_assignment.FREE_ITEMS, is_rare.sum())
        return solve(gains, problem, labels, free, **options)

    monkeypatch.setattr(_assignment, "solve_assignment", counted)
    labels = _assignment.assign(gains, problem)
    assert problem.is_feasible(labels)
    assert max(given, default=0) <= 3 * _assignment.MOST_FREE_ITEMS
