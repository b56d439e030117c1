"""Displays hold their data, draw it on any axes, and leave the caller's style alone."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

from honesteval.report import (
    CurvesDisplay,
    FoldMapDisplay,
    PredictedMeasuredDisplay,
    ScoresDisplay,
    SimilarityHistogramDisplay,
    SplitsBySimilarityDisplay,
    SplitsOptimismDisplay,
)


@pytest.fixture(
    params=[
        ScoresDisplay, SimilarityHistogramDisplay, SplitsOptimismDisplay, PredictedMeasuredDisplay,
        SplitsBySimilarityDisplay, FoldMapDisplay, CurvesDisplay,
    ]
)  # fmt: skip
def display(request, evaluation, classified):
    found = classified if request.param is CurvesDisplay else evaluation
    return request.param.from_evaluation(found)


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_plot_returns_the_display_and_keeps_axes_and_figure(display):
    assert display.plot() is display
    assert display.figure_ is display.ax_.figure


def test_draws_on_the_axes_it_is_given(display):
    figure, ax = plt.subplots()
    display.plot(ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is figure
    assert len(plt.get_fignums()) == 1


def test_leaves_the_callers_style_alone(display):
    before = dict(mpl.rcParams)
    display.plot()
    assert dict(mpl.rcParams) == before


def test_scores_are_those_of_the_evaluation(evaluation):
    display = ScoresDisplay.from_evaluation(evaluation)
    task = evaluation.tasks[0]
    assert [(row.predictor, row.split) for row in display.rows] == [
        ("model", "random"), ("model", "similarity"), ("nearest", "random"),
        ("nearest", "similarity"), ("permuted", "similarity"),
    ]  # fmt: skip
    for row in display.rows[:4]:
        assert row.estimate == task.of(row.predictor, row.split).scores["mae"].estimate
    assert display.rows[4].estimate == pytest.approx(-task.permutation.permuted_scores.mean())
    assert display.chance == task.chance["similarity"]["mae"]
    assert "less is better" in display.plot().ax_.get_xlabel()


def test_histogram_counts_every_row_and_shares_add_up_to_one():
    display = SimilarityHistogramDisplay(
        {"random": [0.9, 0.95, 1.0], "similarity": [0.0, 0.5]}, n_bins=10
    )
    assert display.counts["random"].tolist() == [0] * 9 + [3]
    assert display.counts["similarity"].sum() == 2
    display = SimilarityHistogramDisplay({"random": [0.1, 0.9], "this": [0.5]}, as_share=True)
    ax = display.plot().ax_
    assert ax.get_ylabel() == "share of test rows"
    assert max(patch.get_data().values.sum() for patch in ax.patches) == pytest.approx(1.0)


def test_optimism_has_the_sign_of_the_metric(evaluation):
    display = SplitsOptimismDisplay.from_evaluation(evaluation)
    nested = evaluation.tasks[0].of("model", "random").nested
    np.testing.assert_allclose(display.outer["random"], -nested.outer_scores)
    assert display.is_known
    assert not SplitsOptimismDisplay(
        {"random": [np.nan]}, {"random": [1.0]}, metric_label=""
    ).is_known


def test_curves_end_in_the_corners_and_know_the_prevalence():
    y, score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    display = CurvesDisplay.from_predictions(y, {"random": score})
    x, height = display.curves["random"]
    assert (x[0], height[0], x[-1], height[-1]) == (0, 0, 1, 1)
    display = CurvesDisplay.from_predictions(y, {"random": score}, kind="precision_recall")
    assert display.prevalence == 0.5
    assert display.plot().ax_.get_ylabel() == "precision"
    with pytest.raises(ValueError, match="kind must be one of"):
        CurvesDisplay({}, kind="lift", prevalence=0.5)


def test_long_curves_are_thinned_without_moving():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 20_000)
    score = y + rng.normal(size=len(y))
    from sklearn.metrics import roc_curve

    x, height, _ = roc_curve(y, score)
    thin_x, thin_height = CurvesDisplay.from_predictions(y, {"random": score}).curves["random"]
    assert len(thin_x) <= 401 < len(x)
    assert np.abs(np.interp(x, thin_x, thin_height) - height).max() < 0.01


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda e, c: PredictedMeasuredDisplay.from_evaluation(c), "has classes"),
        (lambda e, c: CurvesDisplay.from_evaluation(e), "does not have two classes"),
    ],
)
def test_says_when_a_picture_does_not_fit_the_task(evaluation, classified, make, message):
    with pytest.raises(ValueError, match=message):
        make(evaluation, classified)


def test_many_points_are_thinned_evenly():
    y = np.arange(5000.0)
    line = PredictedMeasuredDisplay(y, y, split="random").plot().ax_.lines[1]
    assert len(line.get_xdata()) == 1000
    assert line.get_xdata().min() == 0
    assert line.get_xdata().max() == 4999
