"""Plots hold plain data, draw it, and draw nothing that is undefined."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose

from honesteval.metrics import (
    ScoreBySimilarityDisplay,
    TaskReportDisplay,
    score_by_similarity,
    task_report,
)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def _by_similarity(**arguments):
    rng = np.random.default_rng(0)
    similarity = rng.uniform(0.3, 1, 120)
    y = rng.normal(size=120)
    return score_by_similarity(
        y, y + (1.3 - similarity) * rng.normal(size=120), similarity, metric="mae", bins=3,
        n_resamples=39, random_state=0, **arguments,
    )  # fmt: skip


def test_similarity_display_holds_and_draws_the_result():
    result = _by_similarity(deployment_similarity=[0.4, 0.5, 0.8])
    display = ScoreBySimilarityDisplay.from_result(result)
    assert display.bins is result.bins
    assert display.deployment == result.deployment.estimate
    assert display.plot() is display
    labels = display.ax_.get_legend_handles_labels()[1]
    assert labels == ["smoothed", "all test rows", "deployment set", "in bins"]
    curve = display.ax_.lines[0]
    assert_allclose(curve.get_ydata(), result.curve["estimate"])


def test_similarity_display_without_a_deployment_set():
    _, ax = plt.subplots()
    display = ScoreBySimilarityDisplay.from_result(_by_similarity()).plot(ax)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert "deployment set" not in ax.get_legend_handles_labels()[1]


def test_task_display_leaves_out_what_is_undefined():
    Y = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0], [1, 1, 1], [1, 1, 0.0]])
    scores = np.random.default_rng(0).random((5, 3))
    report = task_report(Y, scores, tasks=["a", "b", "c"], n_resamples=39, random_state=0)
    display = TaskReportDisplay.from_report(report, score="average_precision").plot()
    assert list(display.table.index) == ["a", "b", "c"]
    assert_allclose(display.table["baseline"], report["average_precision_random"])
    shown = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert shown == ["a", "c"]
    assert (TaskReportDisplay.from_report(report).table["baseline"] == 0.5).all()


def test_task_display_draws_reports_without_intervals_and_refuses_unknown_scores():
    report = task_report([0, 1, 0, 1], [0.1, 0.9, 0.3, 0.2], n_resamples=0)
    assert TaskReportDisplay.from_report(report).plot().ax_.get_xlabel() == "roc_auc"
    with pytest.raises(ValueError, match="Did you mean 'roc_auc'"):
        TaskReportDisplay.from_report(report, score="roc_au")
