"""Score against similarity to training, and at a deployment set's similarities."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import mean_absolute_error, root_mean_squared_error

from honesteval.exceptions import HonestevalWarning
from honesteval.metrics import reweighted_score, score_by_similarity

FAST = {"n_resamples": 99, "random_state": 0}


def _regression(n=400, seed=0):
    """Errors shrink linearly with similarity: standard deviation 1.3 - similarity."""
    rng = np.random.default_rng(seed)
    similarity = rng.uniform(0.3, 1.0, n)
    y = rng.normal(size=n)
    return y, y + (1.3 - similarity) * rng.normal(size=n), similarity


# -- bins and curve ----------------------------------------------------------------------------


def test_bins_hold_the_score_of_their_rows():
    y, prediction, similarity = _regression()
    result = score_by_similarity(
        y, prediction, similarity, metric="mae", bins=[0, 0.5, 0.8, 1], **FAST
    )
    assert_allclose(result.overall.estimate, mean_absolute_error(y, prediction))
    assert result.bins["n"].sum() == 400
    for line in result.bins.itertuples():
        rows = (similarity >= line.similarity_from) & (similarity < line.similarity_to)
        assert line.n == rows.sum()
        assert_allclose(line.estimate, mean_absolute_error(y[rows], prediction[rows]))
        assert_allclose(line.mean_similarity, similarity[rows].mean())
        assert line.low < line.estimate < line.high
    difference = result.bins["estimate"].iloc[-1] - result.bins["estimate"].iloc[0]
    assert_allclose(result.trend.estimate, difference)


def test_flags_a_score_that_depends_on_similarity():
    y, prediction, similarity = _regression()
    result = score_by_similarity(y, prediction, similarity, metric="rmse", **FAST)
    assert result.trend.high < 0
    assert result.curve["estimate"].iloc[0] > 1.5 * result.curve["estimate"].iloc[-1]


def test_passes_a_score_that_does_not():
    rng = np.random.default_rng(1)
    y = rng.normal(size=400)
    result = score_by_similarity(
        y, y + rng.normal(size=400), rng.uniform(0.3, 1.0, 400), metric="rmse", **FAST
    )
    assert result.trend.low < 0 < result.trend.high


def test_the_curve_follows_the_truth():
    y, prediction, similarity = _regression(n=3000)
    curve = score_by_similarity(
        y, prediction, similarity, metric="rmse", n_resamples=49, random_state=0
    ).curve
    inside = curve["similarity"].between(0.4, 0.9)
    assert_allclose(curve["estimate"][inside], 1.3 - curve["similarity"][inside], atol=0.07)
    assert (curve["low"] < curve["estimate"]).all()
    assert (curve["effective_n"] > 100).all()


def test_quantile_bins_have_equal_counts_and_ties_share_a_bin():
    y, prediction, similarity = _regression()
    result = score_by_similarity(y, prediction, similarity, metric="mae", bins=4, **FAST)
    assert result.bins["n"].tolist() == [100] * 4
    similarity[:250] = 1.0
    tied = score_by_similarity(y, prediction, similarity, metric="mae", bins=4, **FAST)
    assert tied.bins["n"].sum() == 400
    assert len(tied.bins) < 4
    constant = score_by_similarity(y, prediction, np.full(400, 0.5), metric="mae", **FAST)
    assert constant.bins["n"].tolist() == [400]
    assert constant.trend is None


def test_undefined_bins_say_why_and_the_rest_stands():
    rng = np.random.default_rng(0)
    similarity = np.repeat([0.2, 0.5, 0.9], 30)
    y = np.r_[np.zeros(30), rng.integers(0, 2, 60)]
    result = score_by_similarity(
        y, y + rng.normal(size=90), similarity, bins=[0, 0.3, 0.4, 0.7, 1], **FAST
    )
    assert result.bins["reason"].tolist() == [
        "one class only (0 positives of 30 rows)", "no rows", "", "",
    ]  # fmt: skip
    assert result.bins["estimate"].isna().tolist() == [True, True, False, False]
    assert "no rows" in result.summary()


def test_a_perfectly_separated_bin_is_not_certain():
    rng = np.random.default_rng(0)
    y = np.tile([0.0, 1.0], 40)
    score = np.r_[rng.normal(size=40), y[40:] + 0.1 * rng.random(40)]
    similarity = np.repeat([0.3, 0.9], 40)
    result = score_by_similarity(y, score, similarity, bins=[0, 0.5, 1], **FAST)
    assert result.bins["estimate"].iloc[1] == 1.0
    assert_allclose(result.bins["low"].iloc[1], 0.025 ** (1 / 20))


def test_groups_are_drawn_whole():
    y, prediction, similarity = (np.repeat(values, 4) for values in _regression(n=60))
    groups = np.repeat(np.arange(60), 4)
    by_row = score_by_similarity(y, prediction, similarity, metric="mae", bins=2, **FAST)
    by_group = score_by_similarity(
        y, prediction, similarity, metric="mae", bins=2, groups=groups, **FAST
    )
    assert by_group.overall.standard_error > 1.5 * by_row.overall.standard_error
    assert by_group.overall.n_groups == 60


# -- deployment --------------------------------------------------------------------------------


def test_the_reweighted_score_is_that_of_the_deployment_set():
    """Errors by similarity are known here, so the truth at other similarities is too."""
    y, prediction, similarity = _regression(n=3000)
    rng = np.random.default_rng(5)
    for low, high in ((0.3, 0.5), (0.8, 1.0), (0.3, 1.0)):
        deployment = rng.uniform(low, high, 500)
        truth = np.sqrt(np.mean((1.3 - deployment) ** 2))
        result = reweighted_score(y, prediction, similarity, deployment, metric="rmse", **FAST)
        assert_allclose(result.estimate, truth, rtol=0.05)
        assert result.low < result.estimate < result.high
        assert result.effective_n <= 3000
    assert_allclose(result.unweighted, root_mean_squared_error(y, prediction))
    assert_allclose(result.estimate, result.unweighted, rtol=0.02)
    assert_allclose(result.effective_n, 3000, rtol=0.05)


def test_the_same_similarities_change_nothing():
    y, prediction, similarity = _regression()
    result = reweighted_score(y, prediction, similarity, similarity, metric="rmse", **FAST)
    assert_allclose(result.estimate, result.unweighted)
    assert_allclose(result.effective_n, 400)
    assert result.share_beyond == 0.0


def test_warns_when_the_deployment_set_lies_beyond_what_was_tested():
    y, prediction, similarity = _regression()
    near = np.random.default_rng(0).uniform(0.05, 0.4, 100)
    with pytest.warns(HonestevalWarning, match=r"\d+% of the deployment set is less or more"):
        result = reweighted_score(y, prediction, similarity, near, metric="rmse", **FAST)
    assert result.share_beyond > 0.5
    assert "beyond what was tested" in result.summary()


def test_score_by_similarity_includes_the_deployment_set():
    y, prediction, similarity = _regression()
    deployment = np.random.default_rng(0).uniform(0.3, 0.6, 200)
    result = score_by_similarity(
        y, prediction, similarity, metric="rmse", bins=2, deployment_similarity=deployment, **FAST
    )
    alone = reweighted_score(y, prediction, similarity, deployment, metric="rmse", **FAST)
    assert result.deployment == alone
    assert_allclose(result.bins["test_share"].sum(), 1)
    assert_allclose(result.bins["deployment_share"].sum(), 1)
    assert result.bins["deployment_share"].iloc[0] > 0.8
    assert "deployment items" in result.summary()


@pytest.mark.slow
def test_coverage_of_the_reweighted_score(n_simulations):
    n = n_simulations(60)
    deployment = np.random.default_rng(1).uniform(0.3, 0.6, 300)
    truth = np.sqrt(2 / np.pi) * np.mean(1.3 - deployment)
    covered = unweighted = 0
    for seed in range(n):
        y, prediction, similarity = _regression(n=300, seed=seed)
        result = reweighted_score(
            y, prediction, similarity, deployment, metric="mae", n_resamples=299, random_state=0
        )
        covered += result.low <= truth <= result.high
        unweighted += result.unweighted > result.low
    assert covered / n > 0.94 - 3.5 * np.sqrt(0.94 * 0.06 / n)
    assert unweighted / n < 0.2


# -- arguments and looks -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"similarity": [0.1, 1.2, 0.3]}, r"similarity must lie in \[0, 1\]. Got 1.2 in row 1"),
        ({"similarity": [0.1, np.nan, 0.3]}, "Got nan in row 1"),
        ({"similarity": [0.1, 0.3]}, "similarity has 2"),
        ({"metric": mean_absolute_error}, "the function mean_absolute_error does not take"),
        ({"bins": [0.2, 0.2]}, "increasing edges"),
        ({"bins": [0.4, 0.9]}, "leave out the similarity of row 0"),
        ({"bins": 0}, "bins must be an integer"),
        ({"bandwidth": 0}, "bandwidth must be a number"),
        ({"deployment_similarity": []}, "deployment_similarity is empty"),
        ({"deployment_similarity": [2.0]}, "deployment_similarity must lie in"),
    ],
)
def test_arguments_are_checked(arguments, message):
    given = {"y": [0, 1, 2], "score": [0, 2, 1], "similarity": [0.1, 0.5, 0.8], "metric": "mae"}
    with pytest.raises(ValueError, match=message):
        score_by_similarity(**{**given, "bins": 1, **arguments}, n_resamples=39)


def test_results_show_themselves():
    y, prediction, similarity = _regression()
    result = score_by_similarity(
        y, prediction, similarity, metric="mae", bins=2, deployment_similarity=similarity, **FAST
    )
    assert "By similarity to training:" in result.summary()
    assert result.to_frame() is result.bins
    assert "<table" in result._repr_html_()
    assert result.deployment.to_frame().loc[0, "n_deployment"] == 400
    assert "<table" in result.deployment._repr_html_()


def test_bins_without_test_rows_join_the_one_below():
    """Of six rows, ten quantiles lie between as well as on them: every other bin is empty."""
    similarity = np.array([0.2, 0.4, 0.6, 0.8, 0.9, 1.0])
    y, error = np.zeros(6), np.array([6.0, 5.0, 4.0, 3.0, 2.0, 1.0])
    with pytest.warns(HonestevalWarning, match="undefined on"):
        found = reweighted_score(
            y, error, similarity, [0.35, 0.97], metric="mae", method="percentile", n_resamples=99,
            random_state=0,
        )  # fmt: skip
    assert found.estimate == pytest.approx((6.0 + 1.0) / 2)  # 0.35 belongs to 0.2, not to no row
    assert found.effective_n == pytest.approx(2.0)
