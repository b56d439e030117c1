"""Nadeau-Bengio, Bayesian correlated t and 5x2 tests against published numbers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from sklearn.datasets import make_moons
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.svm import SVC

from honesteval.exceptions import HonestevalWarning
from honesteval.stats import (
    bayesian_correlated_t_test,
    corrected_t_test,
    five_by_two_test,
)

SIZES = {"n_train": 90, "n_test": 10}


@pytest.fixture(scope="module")
def moons():
    """Scores of scikit-learn's example of comparing two models over 10 x 10 folds."""
    X, y = make_moons(noise=0.352, random_state=1, n_samples=100)
    cv = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
    return [
        cross_val_score(SVC(kernel=kernel, random_state=0), X, y, cv=cv, scoring="roc_auc")
        for kernel in ("rbf", "linear")
    ]


def fold_scores(minimum=2):
    numbers = st.floats(0, 1).map(lambda value: round(value, 3))
    pairs = st.lists(st.tuples(numbers, numbers), min_size=minimum, max_size=30)
    return pairs.map(lambda rows: np.array(rows).T)


def quiet(test, *args, **kwargs):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HonestevalWarning)
        return test(*args, **kwargs)


class TestCorrectedT:
    def test_known_answer(self, moons):
        result = corrected_t_test(*moons, **SIZES, alternative="greater")
        assert result.statistic == pytest.approx(0.750313, abs=5e-7)
        assert result.p_value == pytest.approx(0.227423, abs=5e-7)
        assert result.df == 99

    def test_naive_known_answer_comes_with_a_warning(self, moons):
        with pytest.warns(HonestevalWarning, match="rejects equal models far too often"):
            result = corrected_t_test(*moons, **SIZES, alternative="greater", correction=None)
        assert result.statistic == pytest.approx(2.611165, abs=5e-7)
        assert result.p_value == pytest.approx(0.005213, abs=5e-7)
        theirs = scipy_stats.ttest_rel(*moons, alternative="greater")
        assert result.p_value == pytest.approx(theirs.pvalue, rel=1e-10)

    def test_interval_and_p_value_agree(self, moons):
        p_value = corrected_t_test(*moons, **SIZES).p_value
        touching = corrected_t_test(*moons, **SIZES, confidence_level=1 - p_value)
        assert touching.low == pytest.approx(0, abs=1e-12)
        one_sided = corrected_t_test(*moons, **SIZES, alternative="greater")
        assert one_sided.high == np.inf
        assert corrected_t_test(*moons, **SIZES, alternative="less").low == -np.inf

    def test_ratio_is_that_of_one_fold(self, moons):
        uneven = corrected_t_test(*moons, n_train=[89, 91], n_test=[11, 9])
        assert uneven.ratio == pytest.approx(10 / 90)

    @given(scores=fold_scores(), seed=st.integers(0, 99))
    @settings(max_examples=50, deadline=None)
    def test_properties(self, scores, seed):
        a, b = scores
        result = quiet(corrected_t_test, a, b, **SIZES)
        assert np.isnan(result.p_value) or 0 < result.p_value <= 1
        order = np.random.default_rng(seed).permutation(len(a))
        shuffled = quiet(corrected_t_test, a[order], b[order], **SIZES)
        swapped = quiet(corrected_t_test, b, a, **SIZES)
        assert shuffled.p_value == pytest.approx(result.p_value, rel=1e-6, nan_ok=True)
        assert swapped.p_value == pytest.approx(result.p_value, rel=1e-6, nan_ok=True)
        assert swapped.difference == pytest.approx(-result.difference)

    @given(scores=fold_scores())
    @settings(max_examples=30, deadline=None)
    def test_identical_models(self, scores):
        result = corrected_t_test(scores[0], scores[0], **SIZES)
        assert (result.difference, result.p_value, result.effect_size) == (0.0, 1.0, 0.0)
        assert (result.low, result.high) == (0.0, 0.0)

    def test_constant_difference_is_not_infinite_evidence(self):
        a = np.array([0.1, 0.2, 0.3])
        with pytest.warns(HonestevalWarning, match="no yardstick"):
            result = corrected_t_test(a + 0.01, a, **SIZES)
        assert np.isnan([result.p_value, result.low, result.effect_size]).all()

    @pytest.mark.parametrize(
        ("a", "b", "change", "message"),
        [
            ([1.0], [2.0], {}, "at least 2 folds"),
            ([1, 2], [1, 2, 3], {}, "scores_a has 2, scores_b has 3"),
            ([1, np.nan], [1, 2], {}, "scores_a is not finite in fold 1"),
            ([1, 2], [1, 3], {"n_test": 0}, "n_test must be a number in"),
            ([1, 2], [1, 3], {"alternative": "bigger"}, "alternative must be one of"),
            ([1, 2], [1, 3], {"confidence_level": 95}, "confidence_level must be"),
            (["x", "y"], [1, 3], {}, "scores_a must be numeric"),
        ],
    )
    def test_refuses(self, a, b, change, message):
        with pytest.raises(ValueError, match=message):
            corrected_t_test(a, b, **SIZES | change)

    def test_reads_well(self, moons):
        result = corrected_t_test(*moons, **SIZES)
        assert "Corrected resampled t-test: difference +0.0" in result.summary()
        assert result.to_frame().loc[0, "n_folds"] == 100
        assert "<table" in result._repr_html_()


class TestBayesian:
    def test_known_answers(self, moons):
        result = bayesian_correlated_t_test(*moons, **SIZES, rope=0.01)
        assert result.p_positive == pytest.approx(0.772577, abs=5e-7)
        shares = (result.p_a_better, result.p_equivalent, result.p_b_better)
        assert shares == pytest.approx((0.5, 0.431682, 0.068318), abs=5e-4)
        assert result.correlation == pytest.approx(0.1)

    def test_same_scale_as_the_corrected_t_test(self, moons):
        posterior = bayesian_correlated_t_test(*moons, **SIZES, rope=0)
        test = corrected_t_test(*moons, **SIZES)
        assert posterior.scale == pytest.approx(test.standard_error)
        assert (posterior.low, posterior.high) == pytest.approx((test.low, test.high))
        assert 2 * (1 - posterior.p_positive) == pytest.approx(test.p_value)

    @given(scores=fold_scores(), rope=st.floats(0, 0.5))
    @settings(max_examples=50, deadline=None)
    def test_probabilities_add_up(self, scores, rope):
        result = quiet(bayesian_correlated_t_test, *scores, **SIZES, rope=rope)
        shares = np.array([result.p_a_better, result.p_equivalent, result.p_b_better])
        if not np.isnan(shares).any():
            assert shares.sum() == pytest.approx(1)
            assert (shares >= 0).all()
            swapped = quiet(bayesian_correlated_t_test, *scores[::-1], **SIZES, rope=rope)
            assert swapped.p_b_better == pytest.approx(result.p_a_better, abs=1e-9)

    def test_identical_models_are_equivalent(self):
        result = bayesian_correlated_t_test([0.5, 0.6], [0.5, 0.6], **SIZES, rope=0)
        assert (result.p_equivalent, result.p_positive) == (1.0, 0.5)

    def test_constant_difference_and_bad_margin(self):
        with pytest.warns(HonestevalWarning, match="no yardstick"):
            result = bayesian_correlated_t_test([0.5, 0.6], [0.4, 0.5], **SIZES, rope=0.01)
        assert np.isnan(result.p_equivalent)
        with pytest.raises(ValueError, match="rope must be a number"):
            bayesian_correlated_t_test([0.5, 0.6], [0.4, 0.6], **SIZES, rope=-1)

    def test_reads_well(self, moons):
        result = bayesian_correlated_t_test(*moons, **SIZES, rope=0.01)
        assert "P(equivalent within 0.01) 0.43" in result.summary()
        assert result.to_frame().shape[0] == 1
        assert "<table" in result._repr_html_()


class TestFiveByTwo:
    DIFFERENCES = ((0.02, -0.01), (0.03, 0.01), (0, 0.02), (0.015, 0.025), (0.01, -0.005))

    def test_known_answers(self):
        result = five_by_two_test(self.DIFFERENCES, np.zeros((5, 2)))
        assert result.f_statistic == pytest.approx(1.419753, abs=5e-7)
        assert result.f_p_value == pytest.approx(0.366799, abs=5e-7)
        assert result.t_statistic == pytest.approx(1.405457, abs=5e-7)
        assert result.t_p_value == pytest.approx(0.218873, abs=5e-7)
        assert "F(10, 5) = 1.42, p = 0.3668" in result.summary()
        assert "<table" in result._repr_html_()

    def test_f_does_not_depend_on_the_order_of_halves(self):
        differences = np.array(self.DIFFERENCES)
        flipped = five_by_two_test(differences[::-1, ::-1], np.zeros((5, 2)))
        straight = five_by_two_test(differences, np.zeros((5, 2)))
        assert flipped.f_p_value == pytest.approx(straight.f_p_value)
        assert flipped.t_p_value != pytest.approx(straight.t_p_value)

    def test_identical_models_and_constant_differences(self):
        scores = np.arange(10.0).reshape(5, 2)
        same = five_by_two_test(scores, scores)
        assert (same.difference, same.f_p_value, same.t_p_value) == (0.0, 1.0, 1.0)
        assert np.isnan(five_by_two_test(scores + 1, scores).f_p_value)

    def test_refuses_other_designs(self):
        with pytest.raises(ValueError, match=r"five repeats of two folds. Got shape \(2, 5\)"):
            five_by_two_test(np.zeros((2, 5)), np.zeros((2, 5)))
        with pytest.raises(ValueError, match="scores_b must be finite"):
            five_by_two_test(np.zeros((5, 2)), np.full((5, 2), np.nan))
