"""Small molecules with labels that follow from structure, and evaluations of them."""

import itertools

import numpy as np
import pandas as pd
import pytest

from honesteval.report import evaluate

ENDS = ("O", "N", "Cl", "N#C", "OC(=O)", "FC(F)(F)")
LINKS = ("C", "CC", "CCC", "CCCC", "CCOC", "CCNC")
RINGS = ("c1ccccc1", "c1ccncc1", "C1CCCCC1", "c1ccsc1", "c1ccoc1", "C1CCNCC1")

HOSTILE = '"><script>alert(1)</script>|*_`'


@pytest.fixture(scope="session")
def hostile():
    """A name that is markup to HTML, to scripts and to Markdown."""
    return HOSTILE


@pytest.fixture(scope="session")
def smiles():
    """108 different molecules: an end group, a link and a ring."""
    every = ["".join(parts) for parts in itertools.product(ENDS, LINKS, RINGS)]
    chosen = np.random.default_rng(0).permutation(len(every))[:108]
    return np.array(every, dtype=object)[chosen]


@pytest.fixture(scope="session")
def values(smiles):
    """Calculated logP with noise: much of it follows from groups that other molecules share."""
    from rdkit import Chem
    from rdkit.Chem import Crippen

    noise = np.random.default_rng(1).normal(size=len(smiles))
    return np.array([Crippen.MolLogP(Chem.MolFromSmiles(one)) for one in smiles]) + 0.2 * noise


@pytest.fixture(scope="session")
def few_smiles(smiles):
    return smiles[:40]


@pytest.fixture(scope="session")
def few_values(values):
    return values[:40]


@pytest.fixture(scope="session")
def quick():
    """Settings under which an evaluation takes a second or two."""
    return {
        "estimator": "linear", "n_splits": 3, "n_inner_splits": 2, "n_trials": 2,
        "n_permutations": 19, "n_resamples": 199, "progress": False,
    }  # fmt: skip


@pytest.fixture(scope="session")
def evaluation(smiles, values, quick):
    """A regression: repeats of a molecule, an unreadable row and a row without a label."""
    rows = [*smiles, smiles[0], "C1CC", "CCO"]
    y = [*values, values[0] + 0.1, 6.0, np.nan]
    return evaluate(rows, y, target_names=["pIC50"], title="Ring molecules", errors="drop", **quick)


@pytest.fixture(scope="session")
def classified(smiles, values, quick):
    """Two tasks with classes, one of them in part without labels; names that are markup."""
    labels = np.where(values > np.median(values), "active", "inactive").astype(object)
    partly = np.where(values > np.quantile(values, 0.4), 1.0, 0.0)
    partly[::9] = np.nan
    table = pd.DataFrame({HOSTILE: labels, "second": partly})
    return evaluate(smiles, table, title=HOSTILE, **{**quick, "n_permutations": 0})


@pytest.fixture(scope="session")
def deployed(few_smiles, few_values, smiles, quick):
    """A regression with a set of molecules to come, one of which cannot be read."""
    return evaluate(
        few_smiles, few_values, deployment=[*smiles[40:80], "C1CC"], errors="drop",
        target_names=["pIC50"], **{**quick, "n_permutations": 0},
    )  # fmt: skip


@pytest.fixture(scope="session")
def compared(few_smiles, few_values, quick):
    """Two other models on the same folds: one that has learned nothing, one that is the same."""
    from sklearn.dummy import DummyRegressor

    return evaluate(
        few_smiles, few_values, target_names=["pIC50"],
        other_models={"mean": DummyRegressor(), "again": "linear"},
        **{**quick, "n_permutations": 0},
    )  # fmt: skip
