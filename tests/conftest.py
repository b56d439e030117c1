"""Shared fixtures: where the real data sets are, and a quiet drawing backend."""

import os
from pathlib import Path

import matplotlib
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
