"""A small data set with a clean split, into which tests plant one leak at a time."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest


@dataclass(frozen=True)
class SplitData:
    """Bit vectors in clusters, numeric labels, and a split that keeps clusters whole."""

    X: np.ndarray
    y: np.ndarray
    train: np.ndarray
    test: np.ndarray
    cluster: np.ndarray

    @property
    def split(self):
        return self.train, self.test

    def copy_rows(self, n, *, flipped=0, seed=0):
        """Return the data with n test rows that copy training rows, some bits flipped."""
        random = np.random.default_rng(seed)
        X, y = self.X.copy(), self.y.copy()
        into = random.choice(self.test, n, replace=False)
        source = random.choice(self.train, n, replace=False)
        X[into], y[into] = X[source], y[source]
        for row in into:
            for bit in random.choice(np.flatnonzero(X[row]), flipped, replace=False):
                X[row, bit] = False
        return replace(self, X=X, y=y), into


def _make(seed=0, n_clusters=40, size=6, n_bits=256):
    """Two rows of a cluster share 75 % of their bits, rows of two clusters about 10 %."""
    random = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(n_clusters), size)
    X = np.zeros((len(cluster), n_bits), dtype=bool)
    for row, number in enumerate(cluster):
        core = np.random.default_rng(1000 + number).choice(n_bits, 36, replace=False)
        X[row, core] = True
        X[row, random.choice(core, 4, replace=False)] = False
        X[row, random.choice(n_bits, 3, replace=False)] = True
    y = X @ random.normal(size=n_bits) + 0.1 * random.normal(size=len(X))
    test = np.flatnonzero(cluster >= n_clusters * 3 // 4)
    return SplitData(X, y, np.setdiff1d(np.arange(len(X)), test), test, cluster)


@pytest.fixture(scope="session")
def clean():
    return _make()


@pytest.fixture(scope="session")
def read_molecules(data_dir):
    """Read a table of the molecule data sets."""
    return lambda name: pd.read_csv(data_dir / "molecules" / name)
