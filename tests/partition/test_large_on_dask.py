"""The sketch step on a Dask cluster: the same folds as in one process."""

import numpy as np
from joblib import parallel_config

from honesteval.partition import Effort, solve_partition
from honesteval.similarity import TanimotoSimilarity

from .test_solve import random_bits

QUICK = Effort(n_init=1, n_sweeps=10, n_batches=5, n_polish=20)


def test_a_cluster_finds_the_folds_of_one_process(monkeypatch, dask_client):
    import honesteval.partition._large as large
    import honesteval.partition._solve as solve
    import honesteval.similarity._minhash as minhash

    monkeypatch.setattr(solve, "DENSE_ITEMS", 200)
    monkeypatch.setattr(large, "DENSE_SAMPLE", 150)
    monkeypatch.setattr(minhash, "_ROWS_AT_ONCE", 200)
    similarity = TanimotoSimilarity(random_bits(3, 800, n_bits=128))
    serial = solve_partition(similarity, shares=np.ones(3), effort=QUICK)
    log = dask_client.cluster.scheduler.transition_log
    n_before = len({entry[0] for entry in log})
    with parallel_config(backend="dask"):
        spread = solve_partition(similarity, shares=np.ones(3), effort=QUICK, n_jobs=-1)
    n_tasks = len({entry[0] for entry in log}) - n_before
    np.testing.assert_array_equal(serial.labels, spread.labels)
    assert spread.scaled_leakage == serial.scaled_leakage
    assert n_tasks > 4, "the cluster did the work"
