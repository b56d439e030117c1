"""CatBoost: the scikit-learn wrapper, on our folds, stopped and tuned inside them."""

import numpy as np
import pytest
from sklearn.base import clone

from honesteval.tuning import EarlyStoppingRefit, OptunaSearchCV

catboost = pytest.importorskip("catboost", reason="the extra 'ecosystem' is not installed")


def _make(**parameters):
    return catboost.CatBoostRegressor(
        **{"iterations": 20, "verbose": 0, "thread_count": 1, "random_seed": 0,
           "allow_writing_files": False, **parameters}
    )  # fmt: skip


def test_scored_stopped_and_tuned_inside_the_folds(check_booster):
    check_booster(_make, "depth")


@pytest.mark.parametrize("name", ["iterations", "n_estimators", "num_trees"])
def test_the_final_model_has_the_number_that_was_found(assay, name):
    """CatBoost has several names for it, and takes one at a time."""
    model = catboost.CatBoostClassifier(
        learning_rate=0.6, depth=3, verbose=0, thread_count=1, allow_writing_files=False,
        od_type="Iter", od_wait=3, **{name: 500},
    )  # fmt: skip
    stopped = EarlyStoppingRefit(model, max_iterations=40, patience=6, random_state=0)
    stopped.fit(assay.bits, assay.active)
    assert stopped.estimator_.tree_count_ == stopped.n_iterations_ < 40
    assert stopped.estimator_.get_params()[name] == stopped.n_iterations_
    weights = np.where(assay.active, 9.0, 0.1)
    weighted = clone(stopped).fit(assay.bits, assay.active, sample_weight=weights)
    assert (
        weighted.predict_proba(assay.bits)[:, 1].mean()
        > stopped.predict_proba(assay.bits)[:, 1].mean() + 0.05
    )


def test_parameters_at_their_default_can_be_tuned(assay):
    """CatBoost's get_params names only what was set."""
    search = OptunaSearchCV(_make(), {"l2_leaf_reg": [1.0, 9.0]}, n_trials=2, cv=2, random_state=0)
    search.fit(assay.bits, assay.y)
    assert search.best_estimator_.get_params()["l2_leaf_reg"] in (1.0, 9.0)


def test_an_unknown_parameter_is_named(assay):
    search = OptunaSearchCV(_make(), {"dept": [2, 3]}, n_trials=2, cv=2)
    with pytest.raises(ValueError, match=r"'dept'.*Did you mean 'depth'"):
        search.fit(assay.bits, assay.y)
