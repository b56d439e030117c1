"""A small table of molecules with labels, as a file, and a way to run a command."""

import itertools

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from honesteval.cli import app


@pytest.fixture(scope="module")
def table():
    parts = itertools.product(("O", "N", "Cl", "OC(=O)"), ("CC", "CCC", "CCOC"),
                              ("c1ccccc1", "c1ccncc1", "C1CCCCC1", "c1ccsc1"))  # fmt: skip
    smiles = ["".join(part) for part in parts]
    rng = np.random.default_rng(0)
    value = np.array([len(one) for one in smiles]) + rng.normal(size=len(smiles))
    return pd.DataFrame(
        {
            "structure": smiles,
            "value": value,
            "active": np.where(value > np.median(value), "yes", "no"),
            "one": 1,
            "set": np.where(rng.random(len(smiles)) < 0.3, "test", "train"),
        }
    )


@pytest.fixture
def csv(table, tmp_path):
    path = tmp_path / "assay.csv"
    table.to_csv(path, index=False)
    return path


@pytest.fixture
def run():
    runner = CliRunner()
    return lambda *words: runner.invoke(app, [str(word) for word in words])
