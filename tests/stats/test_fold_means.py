"""Scores of rankings are means over folds: each model ranks by itself."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from honesteval.stats import bootstrap_ci, get_metric
from honesteval.stats._fold_means import (
    bootstrap_fold_difference,
    bootstrap_fold_means,
    fold_mean,
    ranks_within_folds,
)

AUC, AP = get_metric("roc_auc"), get_metric("average_precision")
RUN = {"groups": None, "n_resamples": 199, "confidence_level": 0.95, "random_state": 0}


def test_is_the_mean_of_the_folds_whatever_their_scales(ranked):
    y, ranking, fold = ranked
    for metric, score in ((AUC, roc_auc_score), (AP, average_precision_score)):
        wanted = np.mean([score(y[fold == k], ranking[fold == k]) for k in range(3)])
        assert fold_mean(metric, y, ranking, fold) == pytest.approx(wanted)
    results = bootstrap_fold_means([AUC, AP], y, ranking, fold, **RUN)
    assert [result.metric for result in results] == ["roc_auc", "average_precision"]
    assert results[0].estimate == pytest.approx(fold_mean(AUC, y, ranking, fold))
    assert results[0].low < results[0].estimate < results[0].high
    shifted = bootstrap_fold_means([AUC, AP], y, 7 * ranking + 100 * fold, fold, **RUN)
    assert [(r.low, r.high) for r in shifted] == [(r.low, r.high) for r in results]
    assert roc_auc_score(y, ranking) < results[0].low  # together they look much worse


def test_one_fold_is_the_ordinary_bootstrap(ranked):
    y, ranking, _ = ranked
    (found,) = bootstrap_fold_means([AUC], y, ranking, np.zeros(180, dtype=int), **RUN)
    usual = bootstrap_ci(y, ranking, metric="roc_auc", n_resamples=199, random_state=0)
    assert (found.estimate, found.low, found.high) == pytest.approx(
        (usual.estimate, usual.low, usual.high)
    )


def test_a_fold_of_one_class_is_left_out(ranked):
    y, ranking, fold = ranked
    changed = np.where(fold == 2, 0.0, y)
    wanted = np.mean([roc_auc_score(y[fold == k], ranking[fold == k]) for k in range(2)])
    assert fold_mean(AUC, changed, ranking, fold) == pytest.approx(wanted)
    assert np.isnan(fold_mean(AUC, np.zeros(180), ranking, fold))


def test_perfect_folds_have_exact_limits(ranked):
    y, _, fold = ranked
    (found,) = bootstrap_fold_means([AUC], y, y - 9 * fold, fold, **RUN)
    assert found.method == "exact"
    assert found.estimate == 1.0
    assert found.low < 1.0


def test_a_difference_is_paired_by_row_and_knows_both_sets_of_folds(ranked):
    y, ranking, fold = ranked
    other = np.tile([0, 1], 90)
    same = bootstrap_fold_difference(AUC, y, (ranking, fold), (ranking + fold, fold), **RUN)
    assert (same.estimate, same.low, same.high, same.p_value) == (0.0, 0.0, 0.0, 1.0)
    found = bootstrap_fold_difference(AUC, y, (ranking, fold), (ranking, other), **RUN)
    assert found.estimate == pytest.approx(
        fold_mean(AUC, y, ranking, fold) - fold_mean(AUC, y, ranking, other)
    )
    assert found.low > 0  # folds that mix the scales rank worse
    assert found.p_value < 0.05


def test_ranks_within_folds_keep_the_order_and_share_a_scale(ranked):
    y, ranking, fold = ranked
    found = ranks_within_folds(ranking, fold)
    for k in range(3):
        rows = fold == k
        np.testing.assert_array_equal(found[rows].argsort(), ranking[rows].argsort())
        assert (found[rows].min(), found[rows].max()) == (0.5 / 60, 59.5 / 60)
    assert roc_auc_score(y, found) == pytest.approx(fold_mean(AUC, y, ranking, fold), abs=0.02)
    tied = ranks_within_folds(np.array([1.0, 1.0, 2.0, 2.0, 2.0]), np.array([0, 0, 1, 1, 1]))
    assert tied.tolist() == [0.5] * 5
