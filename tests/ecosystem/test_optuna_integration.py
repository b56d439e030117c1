"""optuna-integration: its OptunaSearchCV searches on our folds, and nests in ours."""

import numpy as np
import optuna
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_score

from honesteval import SimilarityGroupKFold, nested_cross_validate
from honesteval.tuning import plan

integration = pytest.importorskip(
    "optuna_integration", reason="the extra 'ecosystem' is not installed"
)

pytestmark = [
    # what it says about itself, and about a part of Optuna that it uses
    pytest.mark.filterwarnings("ignore:OptunaSearchCV is experimental"),
    pytest.mark.filterwarnings("ignore:`optuna.terminator` module has been deprecated"),
]

CV = SimilarityGroupKFold(3, n_init=1)


@pytest.fixture
def search():
    verbosity = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    space = {"alpha": optuna.distributions.FloatDistribution(0.1, 100, log=True)}
    yield integration.OptunaSearchCV(Ridge(), space, cv=CV, n_trials=3, random_state=0)
    optuna.logging.set_verbosity(verbosity)


def test_its_search_scores_on_our_folds(search, assay):
    search.fit(assay.bits, assay.y)
    by_hand = cross_val_score(Ridge(**search.best_params_), assay.bits, assay.y, cv=CV)
    assert search.best_score_ == pytest.approx(by_hand.mean())


def test_molecules_reach_it_as_groups(search, assay):
    search.set_params(cv=SimilarityGroupKFold(3, on="groups", n_init=1))
    search.fit(assay.bits, assay.y, groups=assay.smiles)
    folds = list(CV.split(assay.smiles, assay.y))
    by_hand = cross_val_score(Ridge(**search.best_params_), assay.bits, assay.y, cv=folds)
    assert search.best_score_ == pytest.approx(by_hand.mean())


def test_its_search_is_judged_by_nested_cross_validation(search, assay):
    result = nested_cross_validate(search, assay.bits, assay.y, outer_cv=CV, random_state=0)
    assert [set(params) for params in result.best_params] == [{"alpha"}] * 3
    assert np.isfinite(result.outer_scores).all()
    assert [fold.n_trials for fold in result.folds] == [3] * 3
    assert plan(search, assay.bits, assay.y, outer_cv=CV, measure=False).n_fits == 3 * (3 * 3 + 1)


def test_molecules_as_groups_choose_its_folds_inside_and_outside(search, assay):
    cv = SimilarityGroupKFold(3, on="groups", n_init=1)
    by_groups = nested_cross_validate(
        search.set_params(cv=cv), assay.bits, assay.y, groups=assay.smiles, outer_cv=cv,
        random_state=0,
    )  # fmt: skip
    for fold, (train, test) in zip(
        by_groups.folds, cv.split(assay.bits, assay.y, assay.smiles), strict=True
    ):
        np.testing.assert_array_equal(fold.test_indices, test)
        inner = list(cv.split(assay.bits[train], assay.y[train], assay.smiles[train]))
        scores = cross_val_score(
            Ridge(**fold.best_params), assay.bits[train], assay.y[train], cv=inner
        )
        assert fold.inner_best_score == pytest.approx(scores.mean())


def test_a_parameter_that_its_space_misspells_is_named(search, assay):
    search.set_params(param_distributions={"alpa": optuna.distributions.FloatDistribution(1, 2)})
    with pytest.raises(ValueError, match=r"'alpa'.*Did you mean 'alpha'"):
        nested_cross_validate(search, assay.bits, assay.y, outer_cv=CV)
