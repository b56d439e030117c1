"""The same numbers when a Dask cluster does the work."""

import numpy as np
from joblib import parallel_config
from sklearn.datasets import make_classification
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from honesteval.tuning import nested_cross_validate, nested_cv_interval

X, Y = make_classification(90, 6, n_informative=3, random_state=0)
SPACE = {"decisiontreeclassifier__max_depth": [1, 2, 4]}


def test_a_cluster_gives_what_one_process_gives(dask_client):
    model = make_pipeline(StandardScaler(), DecisionTreeClassifier(random_state=0))
    arguments = {"search_space": SPACE, "n_trials": 5, "outer_cv": 3, "random_state": 0}
    serial = nested_cross_validate(model, X, Y, **arguments)
    log = dask_client.cluster.scheduler.transition_log
    n_before = len({entry[0] for entry in log})
    with parallel_config(backend="dask"):
        spread = nested_cross_validate(model, X, Y, n_jobs=-1, **arguments)
    np.testing.assert_array_equal(serial.outer_scores, spread.outer_scores)
    np.testing.assert_array_equal(serial.predicted_scores, spread.predicted_scores)
    np.testing.assert_array_equal(serial.inner_best_scores, spread.inner_best_scores)
    assert serial.best_params == spread.best_params
    assert len({entry[0] for entry in log}) - n_before > 20, "the cluster did the work"


def test_repeats_of_an_interval_go_to_the_cluster(dask_client):
    model = DecisionTreeClassifier(max_depth=2, random_state=0)
    arguments = {"n_splits": 3, "n_repeats": 3, "random_state": 0}
    serial = nested_cv_interval(model, X, Y, **arguments)
    with parallel_config(backend="dask"):
        assert nested_cv_interval(model, X, Y, n_jobs=-1, **arguments) == serial
