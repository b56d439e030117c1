"""BBC-CV against a plain loop, and its behaviour on guesses."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from honesteval.tuning import OptunaSearchCV, bbc_cv


def _guesses(seed, n_rows=60, n_configurations=10):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_rows, n_configurations)), rng.integers(2, size=n_rows)


def _by_hand(table, y, n_resamples, seed):
    """Algorithm 4 of Tsamardinos et al., row by row."""
    generator = np.random.default_rng(seed)
    n_rows = len(y)
    values = []
    for rows in generator.integers(n_rows, size=(n_resamples, n_rows)):
        outside = np.setdiff1d(np.arange(n_rows), rows)
        inside = [roc_auc_score(y[rows], column[rows]) for column in table.T]
        best = int(np.argmax(inside))
        values.append(roc_auc_score(y[outside], table[outside, best]))
    return np.array(values)


def test_it_is_the_plain_loop():
    table, y = _guesses(0)
    result = bbc_cv(table, y, n_resamples=39, random_state=3)
    np.testing.assert_allclose(result.distribution, _by_hand(table, y, 39, 3))
    assert result.estimate == pytest.approx(result.distribution.mean())
    assert result.low == pytest.approx(np.quantile(result.distribution, 0.025))


def test_the_best_of_many_guesses_is_brought_back_to_chance():
    found = [bbc_cv(*_guesses(seed, 80, 36), n_resamples=100, random_state=0) for seed in range(15)]
    assert np.mean([r.best_score for r in found]) > 0.6
    assert abs(np.mean([r.estimate for r in found]) - 0.5) < 0.04
    assert all(r.optimism == pytest.approx(r.best_score - r.estimate) for r in found)


def test_a_clear_winner_keeps_its_score():
    table, y = _guesses(1, 200)
    table[:, 4] = y + 0.5 * table[:, 4]
    result = bbc_cv(table, y, random_state=0)
    assert result.best_index == 4
    assert result.estimate == pytest.approx(result.best_score, abs=0.01)


def test_errors_are_minimised_and_functions_taken():
    rng = np.random.default_rng(0)
    y = rng.normal(size=80)
    table = y[:, None] + rng.normal(size=(80, 5)) * [1, 1, 0.3, 1, 1]
    mae = bbc_cv(table, y, metric="mae", n_resamples=40, random_state=0)
    assert mae.best_index == 2
    own = bbc_cv(
        table, y, metric=lambda a, b: -np.abs(a - b).mean(), n_resamples=40, random_state=0
    )
    assert own.estimate == pytest.approx(-mae.estimate)


def test_whole_groups_are_drawn():
    table, y = _guesses(2, 90, 3)
    groups = np.repeat(np.arange(10), 9)
    level = np.random.default_rng(5).normal(size=10)[groups]
    y = (level > 0).astype(int)
    table[:, 0] = level + 2 * np.random.default_rng(6).normal(size=10)[groups]
    by_row = bbc_cv(table[:, :1], y, random_state=0)
    by_group = bbc_cv(table[:, :1], y, groups=groups, random_state=0)
    assert by_group.high - by_group.low > 1.3 * (by_row.high - by_row.low)


def test_a_search_hands_over_its_predictions():
    X, y = make_classification(80, 6, random_state=0)
    search = OptunaSearchCV(
        LogisticRegression(), {"C": [0.001, 1.0]}, n_trials=4, cv=3, store_predictions=True,
        scoring="roc_auc", random_state=0,
    ).fit(X, y)  # fmt: skip
    result = bbc_cv(search, y, n_resamples=50, random_state=0)
    assert result.n_configurations == 4
    best = roc_auc_score(y, search.oof_predictions_[:, result.best_index])
    assert result.best_score == pytest.approx(best)
    plain = OptunaSearchCV(LogisticRegression(), {"C": [1.0]}, n_trials=1, cv=3).fit(X, y)
    with pytest.raises(ValueError, match="store_predictions=True"):
        bbc_cv(plain, y)


def test_configurations_without_all_predictions_are_left_out_and_counted():
    table, y = _guesses(3)
    table[5, 2] = np.nan
    result = bbc_cv(table, y, n_resamples=39, random_state=0)
    assert result.n_left_out == 1
    assert "1 configurations without all predictions" in result.summary()
    with pytest.raises(ValueError, match="for every row"):
        bbc_cv(np.full((60, 2), np.nan), y)


def test_undefined_bootstraps_are_counted_and_bad_input_refused():
    table, _ = _guesses(4, 12)
    y = np.zeros(12, dtype=int)
    y[:3] = 1
    result = bbc_cv(table, y, n_resamples=200, random_state=0)
    assert 0 < result.n_undefined < 200
    assert len(result.distribution) == 200 - result.n_undefined
    assert "bootstraps undefined" in result.summary()
    with pytest.raises(ValueError, match="left out of every bootstrap"):
        bbc_cv(table, np.arange(12) == 0, random_state=0)
    with pytest.raises(ValueError, match="one class only"):
        bbc_cv(table, np.zeros(12), random_state=0)
    with pytest.raises(ValueError, match="one number per row"):
        bbc_cv(y, y)
    with pytest.raises(ValueError, match="Code the classes as 0 and 1"):
        bbc_cv(np.full((12, 2), "a"), y)
    with pytest.raises(ValueError, match="same number of rows"):
        bbc_cv(table, y[:5])


@given(st.integers(0, 2**31 - 1), st.integers(1, 6))
@settings(max_examples=25, deadline=None)
def test_the_order_of_configurations_does_not_matter(seed, n_configurations):
    table, y = _guesses(seed, 30, n_configurations)
    y[:2] = [0, 1]
    order = np.random.default_rng(seed).permutation(n_configurations)
    one = bbc_cv(table, y, n_resamples=39, random_state=1)
    other = bbc_cv(table[:, order], y, n_resamples=39, random_state=1)
    assert one.best_score == other.best_score
    assert one.n_undefined == other.n_undefined


@pytest.mark.parametrize("y", [None, 3.0, {}])
def test_labels_that_are_no_labels_are_refused(y):
    with pytest.raises(ValueError, match=r"one entry for each row|same number of rows"):
        bbc_cv(np.zeros((6, 2)), y, n_resamples=99)
