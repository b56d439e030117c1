"""skore: its reports take our splitters and keep our folds."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from honesteval import SimilarityGroupKFold, audit_split

skore = pytest.importorskip("skore", reason="the extra 'ecosystem' is not installed")

CV = SimilarityGroupKFold(3, n_init=1)


@pytest.fixture(scope="module")
def report(assay):
    return skore.CrossValidationReport(Ridge(), assay.bits, assay.y, splitter=CV)


def test_a_report_has_our_folds_and_their_scores(assay, report):
    for (_, test), (_, ours) in zip(
        report.split_indices, CV.split(assay.bits, assay.y), strict=True
    ):
        np.testing.assert_array_equal(test, ours)
    by_fold = cross_val_score(Ridge(), assay.bits, assay.y, cv=CV)
    assert report.metrics.r2().loc["R²"].to_numpy() == pytest.approx(
        [by_fold.mean(), by_fold.std(ddof=1)]
    )


def test_the_folds_of_a_report_can_be_audited(assay, report):
    audit = audit_split(assay.smiles, assay.y, list(report.split_indices), checks=["HE101"])
    assert audit["HE101"].status == "passed"


def test_models_are_compared_on_folds_by_a_column_of_smiles(assay):
    names = [f"bit{i}" for i in range(20)]
    X = pd.DataFrame(assay.bits[:, :20], columns=names).assign(smiles=assay.smiles)
    models = {
        str(alpha): make_pipeline(
            make_column_transformer(("passthrough", names)), Ridge(alpha=alpha)
        )
        for alpha in (1, 100)
    }
    cv = SimilarityGroupKFold(3, on="smiles", n_init=1)
    compared = skore.evaluate(models, X, assay.y, splitter=cv)
    expected = cross_val_score(models["100"], X, assay.y, cv=cv).mean()
    assert compared.metrics.summarize().frame().loc["r2", "mean_100"] == pytest.approx(expected)
