"""imbalanced-learn: resampling happens inside the folds, and outside them is found."""

from typing import ClassVar

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate

from honesteval import SimilarityGroupKFold, audit_split, nested_cross_validate

pytest.importorskip("imblearn", reason="the extra 'ecosystem' is not installed")

from imblearn.over_sampling import SMOTE, RandomOverSampler
from imblearn.pipeline import make_pipeline

CV = SimilarityGroupKFold(3, n_init=1)


class Recorder(LogisticRegression):
    """Remember the labels of every fit and the number of rows of every prediction."""

    fitted: ClassVar = []
    predicted: ClassVar = []

    def fit(self, X, y, sample_weight=None):
        self.fitted.append(np.bincount(y).tolist())
        return super().fit(X, y, sample_weight)

    def predict(self, X):
        self.predicted.append(len(X))
        return super().predict(X)


@pytest.fixture
def rare(assay):
    """Labels of which a quarter is 1."""
    Recorder.fitted.clear()
    Recorder.predicted.clear()
    return (assay.y > np.quantile(assay.y, 0.75)).astype(int)


@pytest.fixture
def pipeline():
    return make_pipeline(SMOTE(k_neighbors=3, random_state=0), Recorder())


def test_training_rows_are_resampled_and_test_rows_are_not(assay, rare, pipeline):
    result = cross_validate(pipeline, assay.bits, rare, cv=CV, return_indices=True)
    for train, counts in zip(result["indices"]["train"], Recorder.fitted, strict=True):
        assert counts == [np.sum(rare[train] == 0)] * 2
    assert sum(Recorder.predicted) == len(rare)


def test_a_search_resamples_inside_its_folds(assay, rare, pipeline):
    grid = {"recorder__C": [0.1, 1.0], "smote__k_neighbors": [2, 3]}
    search = GridSearchCV(pipeline, grid, cv=CV).fit(assay.bits, rare)
    assert len(Recorder.fitted) == 3 * 4 + 1
    assert all(negative == positive for negative, positive in Recorder.fitted)
    assert search.n_splits_ == 3


def test_nested_search_resamples_inside_its_folds(assay, rare, pipeline):
    result = nested_cross_validate(
        pipeline, assay.bits, rare, search_space={"recorder__C": [0.1, 1.0]}, outer_cv=CV,
        inner_cv=CV, n_trials=2, scoring="roc_auc", random_state=0,
    )  # fmt: skip
    assert all(negative == positive for negative, positive in Recorder.fitted)
    assert result.predictions.shape == rare.shape


@pytest.mark.parametrize("sampler", [SMOTE, RandomOverSampler])
def test_resampling_before_the_split_is_found(assay, rare, sampler):
    X, y = sampler(random_state=0).fit_resample(assay.bits, rare)
    rows = np.random.default_rng(0).permutation(len(y))
    audit = audit_split(X, y, (rows[30:], rows[:30]), features=X, similarity="tanimoto")
    assert {"HE403", "HE101"} & {finding.code for finding in audit.found("warning")}
