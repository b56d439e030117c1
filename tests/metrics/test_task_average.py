"""Means over tasks: the rows they share decide the width of the interval."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm
from sklearn.metrics import mean_absolute_error, roc_auc_score

from honesteval.exceptions import HonestevalWarning
from honesteval.metrics import average_over_tasks
from honesteval.stats import bootstrap_ci


def _tasks(n=100, k=4, shared=0.0, seed=0):
    """Tasks whose scores share a disturbance per row, and whose labels agree."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, (n, 1)).astype(float)
    noise = np.sqrt(shared) * rng.normal(size=(n, 1)) + np.sqrt(1 - shared) * rng.normal(
        size=(n, k)
    )
    return np.tile(y, k), y + noise


def test_is_the_mean_of_the_tasks():
    Y, scores = _tasks()
    Y[:30, 1] = np.nan
    result = average_over_tasks(Y, scores, n_resamples=50, random_state=0)
    known = ~np.isnan(Y)
    each = [roc_auc_score(Y[known[:, j], j], scores[known[:, j], j]) for j in range(4)]
    assert_allclose(result.per_task["score"], each)
    assert_allclose(result.estimate, np.mean(each))
    assert result.low < result.estimate < result.high
    assert (result.n_tasks, result.n_defined, result.n_rows) == (4, 4, 100)
    assert result.per_task["n"].tolist() == [100, 70, 100, 100]


def test_one_task_is_the_plain_bootstrap():
    Y, scores = _tasks(k=1)
    result = average_over_tasks(Y, scores, n_resamples=80, random_state=0)
    plain = bootstrap_ci(Y[:, 0], scores[:, 0], n_resamples=80, random_state=0)
    assert_allclose([result.low, result.high], [plain.low, plain.high])


def test_shared_rows_widen_the_interval():
    """Independent tasks average out; tasks that repeat each other do not."""
    settings = {"n_resamples": 300, "random_state": 0}
    errors = {
        shared: average_over_tasks(*_tasks(shared=shared), **settings).standard_error
        for shared in (0.0, 1.0)
    }
    alone = bootstrap_ci(*(table[:, 0] for table in _tasks(shared=1.0)), **settings)
    assert_allclose(errors[1.0], alone.standard_error, rtol=0.02)
    assert errors[0.0] < 0.75 * errors[1.0]


def test_undefined_tasks_are_left_out_and_named():
    Y, scores = _tasks(k=3)
    Y[:, 2] = np.where(Y[:, 2] == 1, np.nan, Y[:, 2])
    with pytest.warns(HonestevalWarning, match=r"undefined on 1 of 3 tasks.*c: one class only"):
        result = average_over_tasks(
            Y, scores, tasks=["a", "b", "c"], n_resamples=40, random_state=0
        )
    assert (result.n_tasks, result.n_defined) == (3, 2)
    assert_allclose(result.estimate, result.per_task["score"].iloc[:2].mean())
    assert "Undefined: c." in result.summary()


def test_nothing_defined_is_an_error():
    with pytest.raises(ValueError, match="undefined on every task: 0: one class only"):
        average_over_tasks([[1.0], [1.0]], [[0.1], [0.2]])
    with pytest.raises(ValueError, match="0: no labels"):
        average_over_tasks([[np.nan], [np.nan]], [[0.1], [0.2]])


def test_pooling_is_warned_of_and_differs():
    """One task has more actives and higher scores: pooled, that alone makes a ranking."""
    rng = np.random.default_rng(0)
    Y = np.column_stack([rng.random(200) < 0.8, rng.random(200) < 0.1]).astype(float)
    scores = rng.normal(loc=[2.0, 0.0], size=(200, 2))
    macro = average_over_tasks(Y, scores, n_resamples=40, random_state=0)
    with pytest.warns(HonestevalWarning, match="compares rows of different tasks"):
        pooled = average_over_tasks(Y, scores, pool=True, n_resamples=40, random_state=0)
    assert abs(macro.estimate - 0.5) < 0.1
    assert pooled.estimate > 0.75
    assert_allclose(pooled.estimate, roc_auc_score(Y.ravel(), scores.ravel()))
    assert (macro.average, pooled.average) == ("macro", "pooled")


def test_groups_callables_and_regression():
    rng = np.random.default_rng(0)
    Y = rng.normal(size=(40, 3))
    scores = Y + rng.normal(size=(40, 3))
    settings = {"n_resamples": 40, "random_state": 0, "groups": np.arange(40) // 4}
    named = average_over_tasks(Y, scores, metric="mae", **settings)
    called = average_over_tasks(Y, scores, metric=mean_absolute_error, **settings)
    assert_allclose([named.low, named.high], [called.low, called.high])
    by_row = average_over_tasks(Y, scores, metric="mae", n_resamples=40, random_state=0)
    assert by_row.low != named.low


def test_result_shows_itself():
    Y, scores = _tasks()
    frame = pd.DataFrame(Y, columns=list("abcd"))
    result = average_over_tasks(frame, scores, n_resamples=40, random_state=0)
    assert result.summary().startswith("Mean ROC-AUC of 4 of 4 tasks")
    assert result.to_frame().loc[0, "n_rows"] == 100
    assert list(result.per_task.index) == list("abcd")
    assert "<table" in result._repr_html_()


@pytest.mark.slow
def test_coverage_of_the_mean_over_dependent_tasks(n_simulations):
    """Nominal 95 %; treating the tasks as independent would cover about half as often."""
    n = n_simulations(60)
    truth = norm.cdf(1 / np.sqrt(2))
    covered = independent = 0
    for seed in range(n):
        Y, scores = _tasks(n=80, k=4, shared=0.9, seed=seed)
        result = average_over_tasks(Y, scores, n_resamples=299, random_state=0)
        covered += result.low <= truth <= result.high
        alone = bootstrap_ci(Y[:, 0], scores[:, 0], n_resamples=99, random_state=0)
        half = 1.96 * alone.standard_error / 2
        independent += abs(result.estimate - truth) <= half
    assert covered / n > 0.95 - 3.5 * np.sqrt(0.95 * 0.05 / n)
    assert independent / n < 0.9
