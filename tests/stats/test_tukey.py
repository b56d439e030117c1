"""Repeated-measures Tukey: two models, statsmodels, invariances."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_rel
from statsmodels.stats.anova import AnovaRM

from honesteval.exceptions import HonestevalWarning
from honesteval.stats import corrected_t_test, repeated_measures_tukey
from honesteval.stats._tukey import greenhouse_geisser

SIZES = {"n_train": 80, "n_test": 20}


@pytest.fixture(scope="module")
def scores():
    random = np.random.default_rng(0)
    return random.normal(size=(25, 1)) + random.normal([0, 0.1, 0.5, 1], 0.3, size=(25, 4))


def test_two_models_are_the_corrected_t_test(scores):
    ours = repeated_measures_tukey(scores[:, :2], **SIZES).to_frame().iloc[0]
    test = corrected_t_test(scores[:, 0], scores[:, 1], **SIZES)
    assert ours.p_adjusted == pytest.approx(test.p_value, rel=1e-4)
    assert ours.p_value == pytest.approx(test.p_value, rel=1e-9)
    assert (ours.low, ours.high) == pytest.approx((test.low, test.high), rel=1e-5)


def test_uncorrected_two_models_are_the_naive_t_test(scores):
    with pytest.warns(HonestevalWarning, match="naive variance"):
        naive = repeated_measures_tukey(scores[:, :2], **SIZES, correction=None)
    expected = ttest_rel(scores[:, 0], scores[:, 1]).pvalue
    assert naive.to_frame().loc[0, "p_adjusted"] == pytest.approx(expected, rel=1e-4)


def test_error_of_repeated_measures_anova(scores):
    long = pd.DataFrame(scores).rename_axis(index="fold").reset_index()
    long = long.melt(id_vars="fold", var_name="model", value_name="score")
    table = AnovaRM(long, "score", "fold", within=["model"]).fit().anova_table
    result = repeated_measures_tukey(scores, **SIZES)
    between = len(scores) * ((result.means - result.means.mean()) ** 2).sum() / 3
    assert between / result.mean_square_error == pytest.approx(table.loc["model", "F Value"])
    assert result.df == table.loc["model", "Den DF"]


def test_interval_and_adjusted_p_value_agree(scores):
    frame = repeated_measures_tukey(scores, **SIZES).to_frame()
    excludes_zero = (frame["low"] > 0) | (frame["high"] < 0)
    assert (excludes_zero == (frame["p_adjusted"] < 0.05)).all()
    assert excludes_zero.any()
    assert not excludes_zero.all()
    assert (frame["p_adjusted"] >= frame["p_value"]).all()


@given(seed=st.integers(0, 1000), k=st.integers(2, 4), n=st.integers(2, 12))
@settings(max_examples=6, deadline=None)
def test_fold_order_and_common_fold_effects_do_not_matter(seed, k, n):
    random = np.random.default_rng(seed)
    scores = random.random((n, k))
    result = repeated_measures_tukey(scores, **SIZES).to_frame()
    moved = scores[random.permutation(n)] + random.normal(size=(n, 1))
    other = repeated_measures_tukey(moved, **SIZES).to_frame()
    np.testing.assert_allclose(other["p_adjusted"], result["p_adjusted"], rtol=1e-3, atol=1e-6)
    assert result["p_adjusted"].between(0, 1, inclusive="right").all()


def test_identical_models_among_others(scores):
    frame = repeated_measures_tukey(
        {"a": scores[:, 0], "copy": scores[:, 0], "b": scores[:, 3]}, **SIZES
    ).to_frame()
    assert frame.loc[0, ["difference", "p_value", "p_adjusted"]].tolist() == [0.0, 1.0, 1.0]
    assert frame.loc[1, "p_adjusted"] < 0.05


def test_all_identical_and_constant_differences(scores):
    same = repeated_measures_tukey(scores[:, [0, 0]], **SIZES).to_frame()
    assert same.loc[0, ["difference", "p_adjusted"]].tolist() == [0.0, 1.0]
    with pytest.warns(HonestevalWarning, match="no yardstick"):
        shifted = repeated_measures_tukey(
            np.column_stack([scores[:, 0], scores[:, 0] + 1]), **SIZES
        ).to_frame()
    assert shifted[["p_value", "low"]].isna().all(axis=None)


def test_sphericity_falls_when_one_model_is_far_noisier(scores):
    assert greenhouse_geisser(scores) > 0.8
    random = np.random.default_rng(1)
    uneven = scores + random.normal(size=scores.shape) * [0, 0, 0, 10]
    assert 1 / 3 <= greenhouse_geisser(uneven) < 0.45
    assert greenhouse_geisser(np.zeros((5, 3))) == 1.0


def test_names_and_text(scores):
    frame = pd.DataFrame(scores, columns=list("wxyz"))
    result = repeated_measures_tukey(frame, **SIZES)
    assert result.models == tuple("wxyz")
    assert "Nadeau-Bengio variance, df = 72" in result.summary()
    assert "<table" in result._repr_html_()
    assert repeated_measures_tukey(scores, **SIZES).models[1] == "model 1"


@pytest.mark.parametrize(
    ("scores", "change", "message"),
    [
        ({"a": [1, 2]}, {}, "at least 2 models"),
        ({"a": [1, 2], "b": [1]}, {}, "a has 2, b has 1"),
        (np.zeros(3), {}, "must have shape"),
        (np.zeros((3, 2)), {"models": ["a"]}, "must be 2 different names"),
        (np.zeros((1, 2)), {}, "at least 2 folds"),
        (np.zeros((3, 2)), {"correction": "none"}, "correction must be one of"),
    ],
)
def test_refuses(scores, change, message):
    with pytest.raises(ValueError, match=message):
        repeated_measures_tukey(scores, **SIZES | change)
