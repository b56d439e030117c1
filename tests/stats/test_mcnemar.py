"""McNemar's test: known answers, statsmodels, limits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar

from honesteval.stats import mcnemar_test


def classifiers(b, c, both=10, neither=2):
    a_right = np.repeat([True, False, True, False], [b, c, both, neither])
    b_right = np.repeat([False, True, True, False], [b, c, both, neither])
    y = np.arange(len(a_right)) % 2
    return y, np.where(a_right, y, 1 - y), np.where(b_right, y, 1 - y)


def test_known_answers():
    result = mcnemar_test(*classifiers(1, 7))
    assert result.p_value_exact == 0.0703125
    assert result.p_value == pytest.approx(0.0390625, abs=1e-15)
    assert (result.n_only_a, result.n_only_b, result.n_both, result.n_neither) == (1, 7, 10, 2)
    assert result.difference == pytest.approx(-0.3)


@given(b=st.integers(0, 30), c=st.integers(0, 30), both=st.integers(1, 40))
@settings(max_examples=60, deadline=None)
def test_agrees_with_statsmodels_and_is_symmetric(b, c, both):
    y, first, second = classifiers(b, c, both)
    result, swapped = mcnemar_test(y, first, second), mcnemar_test(y, second, first)
    theirs = mcnemar([[both, b], [c, 2]], exact=True).pvalue
    assert result.p_value_exact == pytest.approx(theirs, rel=1e-9)
    assert 0 < result.p_value <= result.p_value_exact <= 1
    assert (swapped.p_value, swapped.low) == pytest.approx((result.p_value, -result.high))
    assert -1 <= result.low <= result.difference <= result.high <= 1


def test_identical_models():
    y, first, _ = classifiers(3, 2)
    result = mcnemar_test(y, first, first)
    assert (result.difference, result.p_value, result.p_value_exact) == (0.0, 1.0, 1.0)


def test_row_order_and_class_names_do_not_matter():
    y, first, second = classifiers(9, 3)
    order = np.random.default_rng(0).permutation(len(y))
    names = np.array(["inactive", "active"])
    result = mcnemar_test(names[y][order], names[first][order], names[second][order])
    assert result == mcnemar_test(y, first, second)


def test_refuses_missing_empty_and_unequal():
    with pytest.raises(ValueError, match="predictions_b is missing at row 1"):
        mcnemar_test([0, 1], [0, 1], [0, np.nan])
    with pytest.raises(ValueError, match="y is empty"):
        mcnemar_test([], [], [])
    with pytest.raises(ValueError, match="predictions_a has 1"):
        mcnemar_test([0, 1], [0], [0, 1])


@pytest.mark.parametrize("names", [["no", "yes"], [10, 20], ["0", "1"]])
def test_refuses_classes_of_other_names(names):
    with pytest.raises(ValueError, match="No entry of predictions_b is one of the classes"):
        mcnemar_test([0, 1], [0, 1], names)
    assert mcnemar_test([0, 1], [1, 1], [True, 0.0]).n_only_b == 0


def test_reads_well():
    result = mcnemar_test(*classifiers(1, 7))
    assert "only a right in 1, only b in 7 rows: mid-p = 0.03906" in result.summary()
    assert result.to_frame().loc[0, "n_only_b"] == 7
    assert "<table" in result._repr_html_()
