"""scikit-fingerprints: its pipelines start from SMILES, and so do our folds and audits."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.pipeline import make_pipeline

from honesteval import SimilarityGroupKFold, audit_split, nested_cross_validate
from honesteval.entities import parse_molecules

pytest.importorskip("skfp", reason="the extra 'ecosystem' is not installed")

from skfp.fingerprints import ECFPFingerprint
from skfp.model_selection import butina_train_test_split, randomized_scaffold_train_test_split
from skfp.preprocessing import MolFromSmilesTransformer

CV = SimilarityGroupKFold(3, n_init=1)


def _pipeline(*first):
    return make_pipeline(*first, ECFPFingerprint(fp_size=512), Ridge(alpha=10))


@pytest.mark.parametrize("first", [(), (MolFromSmilesTransformer(),)], ids=["smiles", "mols"])
def test_a_pipeline_on_smiles(assay, first):
    """X is the column of SMILES: the splitter compares it, the pipeline computes from it."""
    predicted = cross_val_predict(_pipeline(*first), list(assay.smiles), assay.y, cv=CV)
    bits = ECFPFingerprint(fp_size=512).transform(assay.smiles)
    for train, test in CV.split(assay.smiles, assay.y):
        by_hand = Ridge(alpha=10).fit(bits[train], assay.y[train]).predict(bits[test])
        np.testing.assert_allclose(predicted[test], by_hand)


def test_molecules_of_rdkit_are_split_like_their_smiles(assay):
    molecules = MolFromSmilesTransformer().transform(assay.smiles)
    for ours, theirs in zip(CV.split(assay.smiles), CV.split(molecules), strict=True):
        np.testing.assert_array_equal(ours[1], theirs[1])


def test_their_fingerprints_are_the_ones_that_we_compare(assay):
    ours = np.unpackbits(parse_molecules(assay.smiles).fingerprints(), axis=1)
    np.testing.assert_array_equal(ECFPFingerprint().transform(assay.smiles), ours)


def test_settings_of_the_fingerprint_are_tuned_inside_the_folds(assay):
    grid = {"ecfpfingerprint__radius": [1, 2], "ridge__alpha": [1.0, 30.0]}
    search = GridSearchCV(_pipeline(), grid, cv=CV).fit(list(assay.smiles), assay.y)
    assert set(search.best_params_) == set(grid)
    result = nested_cross_validate(
        _pipeline(), assay.smiles, assay.y, search_space=grid, outer_cv=CV, inner_cv=CV,
        n_trials=2, random_state=0,
    )  # fmt: skip
    assert result.predictions.shape == assay.y.shape
    assert np.isfinite(result.outer_scores).all()


@pytest.mark.parametrize("split", [butina_train_test_split, randomized_scaffold_train_test_split])
def test_their_splits_can_be_audited(assay, split):
    train, test = split(list(assay.smiles), test_size=0.25, return_indices=True)
    audit = audit_split(assay.smiles, assay.y, (train, test), checks=["HE101", "HE112"])
    assert audit["HE101"].status == "passed"
    assert 0 < audit["HE112"].measured["mean_of_random_splits"] < 1
