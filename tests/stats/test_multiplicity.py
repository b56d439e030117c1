"""Holm and Benjamini-Hochberg: known answers, scipy, undefined tests."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from honesteval.stats import adjust_p_values

KNOWN = [0.01, 0.04, 0.03, 0.005]


@pytest.mark.parametrize(
    ("method", "expected"),
    [("holm", [0.03, 0.06, 0.06, 0.02]), ("bh", [0.02, 0.04, 0.04, 0.02])],
)
def test_known_answers(method, expected):
    np.testing.assert_allclose(adjust_p_values(KNOWN, method=method), expected, rtol=1e-12)


@pytest.mark.parametrize(("method", "theirs"), [("holm", "holm"), ("bh", "fdr_bh")])
def test_agrees_with_statsmodels(method, theirs):
    p_values = np.random.default_rng(0).random(12).round(1) ** 3
    expected = multipletests(p_values, method=theirs)[1]
    np.testing.assert_allclose(adjust_p_values(p_values, method=method), expected, rtol=1e-12)


@given(p_values=st.lists(st.floats(0, 1), min_size=1, max_size=20), data=st.data())
@settings(max_examples=50, deadline=None)
def test_properties(p_values, data):
    p_values = np.array(p_values)
    holm, bh = (adjust_p_values(p_values, method=method) for method in ("holm", "bh"))
    assert (p_values <= bh + 1e-15).all()
    assert (bh <= holm + 1e-12).all()
    assert (holm <= np.minimum(1, len(p_values) * p_values) + 1e-12).all()
    order = data.draw(st.permutations(range(len(p_values))))
    np.testing.assert_allclose(adjust_p_values(p_values[order]), holm[order])


def test_undefined_tests_stay_undefined_and_do_not_count():
    adjusted = adjust_p_values([0.01, np.nan, 0.04])
    assert np.isnan(adjusted[1])
    np.testing.assert_allclose(adjusted[[0, 2]], [0.02, 0.04])
    assert np.isnan(adjust_p_values([np.nan])).all()
    assert adjust_p_values([]).shape == (0,)


@pytest.mark.parametrize(
    ("p_values", "method", "message"),
    [([0.1, 1.2], "holm", "1.2 at position 1"), ([-0.1], "bh", "position 0"),
     ([0.1], "holms", "Did you mean 'holm'")],
)  # fmt: skip
def test_refuses(p_values, method, message):
    with pytest.raises(ValueError, match=message):
        adjust_p_values(p_values, method=method)
