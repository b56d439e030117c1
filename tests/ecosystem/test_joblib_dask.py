"""joblib and Dask: whatever does the work, folds and scores are the same.

Nested searches are in tests/tuning/test_tuning_on_dask.py, large partitions in
tests/partition/test_large_on_dask.py.
"""

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score

from honesteval import SimilarityGroupKFold, bootstrap_ci


def _work(assay, n_jobs):
    """Return folds, their scores, what a search chose, and an interval."""
    cv = SimilarityGroupKFold(3, n_init=2, n_jobs=n_jobs)
    search = GridSearchCV(Ridge(), {"alpha": [1.0, 30.0]}, cv=cv, n_jobs=n_jobs)
    search.fit(assay.bits, assay.y)
    interval = bootstrap_ci(
        assay.y, search.predict(assay.bits), metric="mae", n_resamples=99, random_state=0
    )
    return [
        cv.partition(assay.bits, assay.y).labels,
        cross_val_score(Ridge(), assay.bits, assay.y, cv=cv, n_jobs=n_jobs),
        search.cv_results_["mean_test_score"],
        [interval.low, interval.high],
    ]


@pytest.fixture(scope="module")
def alone(assay):
    return _work(assay, n_jobs=None)


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_workers_of_joblib_give_what_one_process_gives(assay, alone, backend):
    with parallel_config(backend=backend):
        for found, expected in zip(_work(assay, n_jobs=2), alone, strict=True):
            np.testing.assert_array_equal(found, expected)


def test_a_dask_cluster_gives_what_one_process_gives(assay, alone, dask_client):
    log = dask_client.cluster.scheduler.transition_log
    before = len({entry[0] for entry in log})
    with parallel_config(backend="dask"):
        for found, expected in zip(_work(assay, n_jobs=-1), alone, strict=True):
            np.testing.assert_array_equal(found, expected)
    assert len({entry[0] for entry in log}) > before  # the cluster did some of the work
