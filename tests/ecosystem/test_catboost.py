"""CatBoost: the scikit-learn wrapper, on our folds, stopped and tuned inside them."""

import pytest

from honesteval.tuning import OptunaSearchCV

catboost = pytest.importorskip("catboost", reason="the extra 'ecosystem' is not installed")


def _make(**parameters):
    return catboost.CatBoostRegressor(
        **{"iterations": 20, "verbose": 0, "thread_count": 1, "random_seed": 0,
           "allow_writing_files": False, **parameters}
    )  # fmt: skip


def test_scored_stopped_and_tuned_inside_the_folds(check_booster):
    check_booster(_make, "depth")


def test_parameters_at_their_default_can_be_tuned(assay):
    """CatBoost's get_params names only what was set."""
    search = OptunaSearchCV(_make(), {"l2_leaf_reg": [1.0, 9.0]}, n_trials=2, cv=2, random_state=0)
    search.fit(assay.bits, assay.y)
    assert search.best_estimator_.get_params()["l2_leaf_reg"] in (1.0, 9.0)


def test_an_unknown_parameter_is_named(assay):
    search = OptunaSearchCV(_make(), {"dept": [2, 3]}, n_trials=2, cv=2)
    with pytest.raises(ValueError, match=r"'dept'.*Did you mean 'depth'"):
        search.fit(assay.bits, assay.y)
