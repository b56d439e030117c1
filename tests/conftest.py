"""Shared fixtures: where the real data sets are, and a quiet drawing backend."""

import os
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from hypothesis import settings

settings.register_profile("untimed", deadline=None)  # a busy machine is no failure
settings.register_profile("few", deadline=None, max_examples=20)
settings.load_profile("untimed")

matplotlib.use("Agg")


@pytest.fixture(scope="session")
def data_dir():
    """Folder of the real data sets; the test is skipped without it."""
    value = os.environ.get("HONESTEVAL_DATA")
    if not value:
        pytest.skip("HONESTEVAL_DATA is not set: the real data sets are not part of the repository")
    path = Path(value)
    if not path.is_dir():
        pytest.skip(f"HONESTEVAL_DATA={value} is not a folder")
    return path


@pytest.fixture(scope="session")
def n_simulations():
    """Scale a simulation: HONESTEVAL_SIMULATIONS multiplies the small default of each test."""
    factor = float(os.environ.get("HONESTEVAL_SIMULATIONS", "1"))
    return lambda small: max(1, round(small * factor))


@pytest.fixture(scope="session")
def dask_client():
    """Client of a Dask cluster of two processes; the test is skipped without the extra."""
    distributed = pytest.importorskip("distributed", reason="the extra 'dask' is not installed")
    # any free port: that of the dashboard is bound even without one, and other runs have it, too
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def ranked():
    """Three folds whose models rank alike on scales of their own."""
    rng = np.random.default_rng(0)
    fold = np.repeat([0, 1, 2], 60)
    y = (rng.random(180) < 0.3).astype(float)
    ranking = y + rng.normal(size=180) + np.array([0.0, 3.0, -5.0])[fold]
    return y, ranking, fold
