"""What a report shows of rankings: means over folds, in scores and in curves."""

import numpy as np
import pytest

from honesteval.report import CurvesDisplay
from honesteval.stats import bootstrap_ci, get_metric
from honesteval.stats._fold_means import fold_mean

AUC, AP = get_metric("roc_auc"), get_metric("average_precision")


@pytest.mark.parametrize("kind", ["roc", "precision_recall"])
def test_the_area_below_a_mean_curve_is_the_mean_of_the_areas(ranked, kind):
    y, ranking, fold = ranked
    display = CurvesDisplay.from_predictions(
        y, {"random": ranking}, kind=kind, fold={"random": fold}
    )
    x, height = display.curves["random"]
    metric = AUC if kind == "roc" else AP
    assert np.trapezoid(height, x) == pytest.approx(fold_mean(metric, y, ranking, fold), abs=0.01)
    assert (np.diff(x) >= 0).all()


def test_an_evaluation_quotes_the_mean_that_nested_cross_validation_gives(classified):
    for task in classified.tasks:
        for split in ("random", "similarity"):
            scores = task.of("model", split)
            assert scores.scores["roc_auc"].estimate == pytest.approx(
                scores.nested.outer_scores.mean()
            )
            pooled = bootstrap_ci(
                task.target.values, scores.predictions, metric="balanced_accuracy",
                n_resamples=99, random_state=0,
            )  # fmt: skip
            assert scores.scores["balanced_accuracy"].estimate == pooled.estimate
        between = task.between_splits
        assert between.estimate == pytest.approx(between.estimate_a - between.estimate_b)
        assert between.estimate_a == task.of("model", "random").scores["roc_auc"].estimate
