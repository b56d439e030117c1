"""What the solver is given is checked before it searches."""

import numpy as np
import pytest

from honesteval.partition import ClassTable, Effort, solve_partition
from honesteval.similarity import PrecomputedSimilarity

N = 12
SIMILARITY = PrecomputedSimilarity(np.full((N, N), 0.2) + 0.8 * np.eye(N))
ONES, GAP = np.ones((N, 1)), np.full((N, 1), np.nan)


def solve(**parameters):
    return solve_partition(SIMILARITY, **{"shares": [1, 1, 1], **parameters})


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"pinned": [0, 1]}, r"pinned has shape \(2,\), but there are 12 samples"),
        ({"pinned": [3] + [-1] * 11}, "a fold, 0 to 2, or -1 for any. Got 3 in row 0"),
        ({"pinned": [-1] * 11 + [-2]}, "Got -2 in row 11"),
        ({"pinned": [-1, 0.5] + [-1] * 10}, "Got 0.5 in row 1"),
        ({"pinned": [np.nan] + [-1] * 11}, "Got nan in row 0"),
        ({"pinned": ["first"] * N}, "pinned must be numeric"),
        ({"weights": ["heavy"] * N}, "weights must be numeric"),
        ({"weights": [1e300] * N}, r"Got 1e\+300. Divide the weights by it"),
        ({"weights": [1e-300] * N}, r"Got 1e-300. Divide the weights by it"),
        ({"shares": ["half", "half"]}, "shares must be numeric"),
        ({"must_link": [np.zeros(3)]}, r"shape \(3,\), but there are 12 samples"),
        ({"must_link": np.arange(N)}, "Pass a sequence of groupings"),
        ({"threshold": 0}, r"threshold must be a number in \(0, 1\]. Got 0"),
        ({"threshold": 2}, r"threshold must be a number in \(0, 1\]. Got 2"),
        ({"time_limit": -1}, r"time_limit must be a number in \(0, inf\)"),
        ({"effort": Effort(n_init=0)}, "n_init must be an integer"),
        ({"random_state": -1}, "random_state must be an integer"),
        ({"classes": ClassTable(ONES[:3], ("a",))}, r"Got shape \(3, 1\)"),
        ({"classes": ClassTable(ONES, ("a", "b"))}, "the 2 classes that are named"),
        ({"classes": ClassTable(GAP, ("a",))}, "12 values missing or infinite"),
        ({"classes": ClassTable(ONES, ("a",), minimum=-1)}, "at least 0.* Got -1"),
        (
            {"classes": ClassTable(ONES, ("a",), minimum=np.array([1.0, 2.0]))},
            r"one for each of the 1 classes. Got \[1.0, 2.0\]",
        ),
    ],
)  # fmt: skip
@pytest.mark.parametrize("on_oversize", ["raise", "cut"])
def test_what_cannot_be_meant_is_refused(parameters, message, on_oversize):
    if on_oversize == "cut":
        parameters = {"threshold": 0.1, **parameters}
    with pytest.raises(ValueError, match=message):
        solve(on_oversize=on_oversize, **parameters)


def test_pins_and_minima_of_any_sequence_hold():
    first = np.arange(N) < 6
    table = ClassTable(np.column_stack([first, ~first]).astype(float), ("a", "b"), minimum=2)
    found = solve(pinned=[2, 1] + [-1] * 10, classes=table)
    assert found.labels[:2].tolist() == [2, 1]
    assert (
        np.bincount(found.labels[:6]).tolist() == np.bincount(found.labels[6:]).tolist() == [2] * 3
    )


def test_sizes_are_kept_in_any_unit_of_weights():
    weights = np.arange(1, N + 1) / 2
    small, large = (solve(weights=weights * unit, size_tolerance=0.3) for unit in (1e-3, 1e3))
    assert small.scaled_leakage == pytest.approx(large.scaled_leakage, rel=1e-3)
    for found in (small, large):
        sizes = np.bincount(found.labels, weights) / weights.sum() * 3
        assert 0.7 - 1e-9 <= sizes.min() <= sizes.max() <= 1.3 + 1e-9
