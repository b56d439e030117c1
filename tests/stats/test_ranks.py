"""Friedman, Iman-Davenport and Nemenyi against Demsar's published example."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import friedmanchisquare, wilcoxon

from honesteval.stats import friedman_test
from honesteval.stats._ranks import (
    friedman_from_ranks,
    nemenyi_critical_difference,
    nemenyi_p_values,
    signed_rank_p_value,
)

MODELS = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]
# AUC on 14 data sets: Demsar (2006), table 6
AUC = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)


def test_known_answers():
    result = friedman_test(AUC, models=MODELS)
    np.testing.assert_allclose(result.mean_ranks, [3.143, 2.000, 2.893, 1.964], atol=5e-4)
    assert result.chi2 == pytest.approx(9.2786, abs=5e-5)
    assert result.f_statistic == pytest.approx(3.6863, abs=5e-5)
    assert result.critical_difference == pytest.approx(1.2536, abs=5e-5)
    assert friedman_test(AUC, alpha=0.1).critical_difference == pytest.approx(1.1181, abs=5e-5)


def test_published_mean_ranks_alone():
    result = friedman_from_ranks([3.143, 2.000, 2.893, 1.964], 14, models=tuple(MODELS))
    assert result.chi2 == pytest.approx(9.28, abs=5e-3)
    assert result.f_statistic == pytest.approx(3.69, abs=5e-3)


def test_groups_are_the_bars_of_the_diagram():
    result = friedman_test(AUC, models=MODELS, alpha=0.1)
    # Both versions with m beat C4.5 (2.000 + 1.1181 < 3.143); C4.5+cf joins either side.
    assert result.groups == [("C4.5+m+cf", "C4.5+m", "C4.5+cf"), ("C4.5+cf", "C4.5")]
    frame = result.to_frame().set_index(["a", "b"])
    assert frame.loc[("C4.5", "C4.5+m+cf"), "differ"]
    assert not frame.loc[("C4.5+m", "C4.5+m+cf"), "differ"]


def test_critical_difference_is_where_p_reaches_alpha():
    difference = nemenyi_critical_difference(4, 14, 0.05)
    assert nemenyi_p_values(np.array([difference, 0.0]), 4, 14) == pytest.approx([0.05, 1.0])


@given(seed=st.integers(0, 10_000), n=st.integers(2, 15), k=st.integers(3, 6))
@settings(max_examples=30, deadline=None)
def test_agrees_with_scipy_without_ties_and_ignores_order(seed, n, k):
    random = np.random.default_rng(seed)
    scores = random.random((n, k))
    result = friedman_test(scores)
    theirs = friedmanchisquare(*scores.T)
    assert result.chi2 == pytest.approx(theirs.statistic, abs=1e-9)
    assert 0 < result.p_value <= 1
    assert result.mean_ranks.sum() == pytest.approx(k * (k + 1) / 2)
    shuffled = friedman_test(scores[random.permutation(n)])
    np.testing.assert_allclose(shuffled.mean_ranks, result.mean_ranks)
    monotone = friedman_test(np.exp(scores) ** 3)
    np.testing.assert_allclose(monotone.mean_ranks, result.mean_ranks)
    errors = friedman_test(-scores, greater_is_better=False)
    np.testing.assert_allclose(errors.mean_ranks, result.mean_ranks)


def test_identical_models_do_not_differ():
    result = friedman_test(np.repeat(np.arange(6.0)[:, None], 3, axis=1))
    assert (result.chi2, result.p_value) == (0.0, 1.0)
    assert (result.to_frame()["p_adjusted"] == 1).all()
    assert result.groups == [("model 0", "model 1", "model 2")]


def test_complete_agreement_has_the_exact_p_value():
    scores = np.tile([0.7, 0.8, 0.9], (4, 1))
    assert friedman_test(scores).p_value == pytest.approx(6**-3)


def test_names_from_a_data_frame():
    result = friedman_test(pd.DataFrame(AUC, columns=MODELS))
    assert result.models == tuple(MODELS)
    assert "Nemenyi critical difference 1.2536" in result.summary()
    assert "<table" in result._repr_html_()


@pytest.mark.parametrize(
    ("scores", "change", "message"),
    [
        (AUC[:1], {}, "at least 2 of each"),
        (AUC[:, 0], {}, "at least 2 of each"),
        (np.where(AUC == 1, np.nan, AUC), {}, "row 9, column 0"),
        (AUC, {"models": ["a", "b"]}, "must be 4 different names"),
        (AUC, {"models": list("aabc")}, "must be 4 different names"),
        (AUC, {"alpha": 0}, "alpha must be"),
    ],
)
def test_refuses(scores, change, message):
    with pytest.raises(ValueError, match=message):
        friedman_test(scores, **change)


class TestSignedRanks:
    @given(seed=st.integers(0, 1000), n=st.integers(3, 20))
    @settings(max_examples=30, deadline=None)
    def test_agrees_with_scipy_without_ties(self, seed, n):
        differences = np.random.default_rng(seed).normal(0.5, 1, n)
        expected = wilcoxon(differences, method="exact").pvalue
        assert signed_rank_p_value(differences) == pytest.approx(expected)

    def test_ties_and_zeros_by_enumeration(self):
        differences = np.array([1.0, 1.0, -1.0, 2.0, 0.0, 3.0])
        ranks = np.array([2.0, 2.0, 2.0, 4.0, 5.0])
        signs = np.array(np.meshgrid(*[[0, 1]] * 5)).reshape(5, -1)
        sums = ranks @ signs
        expected = 2 * min(np.mean(sums <= 2 + 2 + 4 + 5), np.mean(sums >= 2 + 2 + 4 + 5))
        assert signed_rank_p_value(differences) == pytest.approx(min(1, expected))

    def test_no_difference_and_many(self):
        assert signed_rank_p_value(np.zeros(6)) == 1.0
        many = np.random.default_rng(0).normal(0.1, 1, 80)
        assert signed_rank_p_value(many) == pytest.approx(wilcoxon(many).pvalue)
