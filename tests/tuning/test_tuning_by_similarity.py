"""Similarity folds in both loops: relatives of a training molecule are never tested."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from rdkit.Chem import MolFromSmiles
from rdkit.Chem.rdFingerprintGenerator import GetMorganGenerator
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from honesteval.datasets import load_nav17
from honesteval.model_selection import SimilarityGroupKFold
from honesteval.similarity import resolve_similarity
from honesteval.tuning import nested_cross_validate


class Fingerprints(TransformerMixin, BaseEstimator):
    """SMILES to Morgan bits."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        generator = GetMorganGenerator(radius=2, fpSize=512)
        return np.array([generator.GetFingerprintAsNumPy(MolFromSmiles(text)) for text in X])


@pytest.fixture(scope="module")
def assay():
    data = load_nav17()
    rows = np.random.default_rng(0).permutation(len(data.target))[:60]
    return np.asarray(data.data, dtype=object)[rows], np.asarray(data.target)[rows]


def _splitter(n_splits, **arguments):
    return SimilarityGroupKFold(n_splits, n_init=1, random_state=0, **arguments)


def _model():
    return make_pipeline(
        Fingerprints(), RandomForestRegressor(n_estimators=5, random_state=0, n_jobs=1)
    )


SPACE = {"randomforestregressor__max_depth": [3, None]}


def _highest_cross_similarity(smiles, folds):
    similarity = resolve_similarity(list(smiles))
    highest = 0.0
    for train, test in folds:
        highest = max(highest, similarity.block(np.asarray(test), np.asarray(train)).max())
    return highest


@pytest.mark.parametrize("kind", [pd.Series])
def test_smiles_are_split_by_similarity_in_both_loops(assay, kind):
    smiles, y = assay
    result = nested_cross_validate(
        _model(), kind(list(smiles)), y, search_space=SPACE, n_trials=2, outer_cv=_splitter(3),
        inner_cv=_splitter(2), random_state=0,
    )  # fmt: skip
    assert np.isfinite(result.predictions).all()
    tested = np.sort(np.concatenate(result.test_indices))
    np.testing.assert_array_equal(tested, np.arange(len(y)))
    assert "SimilarityGroupKFold" in result.inner_cv


@pytest.mark.parametrize(("routing", "kind"), [(False, "grid"), (True, "optuna")])
def test_smiles_travel_as_groups(assay, routing, kind):
    smiles, y = assay
    table = Fingerprints().transform(smiles)
    forest = RandomForestRegressor(n_estimators=5, random_state=0, n_jobs=1)
    arguments = {
        "outer_cv": _splitter(3, on="groups"),
        "inner_cv": _splitter(2, on="groups"),
        "groups": smiles,
        "random_state": 0,
    }
    with sklearn.config_context(enable_metadata_routing=routing):
        if kind == "optuna":
            result = nested_cross_validate(
                forest, table, y, search_space={"max_depth": [3, None]}, n_trials=2, **arguments
            )
        else:
            grid = GridSearchCV(forest, {"max_depth": [3, None]})
            result = nested_cross_validate(grid, table, y, **arguments)
    by_smiles = nested_cross_validate(
        make_pipeline(Fingerprints(), forest), list(smiles), y, outer_cv=_splitter(3),
        random_state=0,
    )  # fmt: skip
    for one, other in zip(result.test_indices, by_smiles.test_indices, strict=True):
        np.testing.assert_array_equal(np.sort(one), np.sort(other))


def test_the_limit_holds_in_both_loops(assay):
    """Inner folds are drawn from the outer training part by the same rule."""
    smiles, y = assay
    seen = []

    class Watching(SimilarityGroupKFold):
        def split(self, X, y=None, groups=None):
            folds = list(super().split(X, y, groups))
            seen.append(_highest_cross_similarity(X, folds))
            return iter(folds)

    limit = {"threshold": 0.8, "size_tolerance": 0.5, "n_init": 1, "random_state": 0}
    nested_cross_validate(
        _model(), list(smiles), y, search_space=SPACE, n_trials=1,
        outer_cv=Watching(3, **limit), inner_cv=Watching(2, **limit), random_state=0,
    )  # fmt: skip
    assert len(seen) >= 1 + 3
    assert max(seen) < 0.8
