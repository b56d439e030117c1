"""XGBoost: the scikit-learn wrapper, on our folds, stopped and tuned inside them."""

import pytest

xgboost = pytest.importorskip("xgboost", reason="XGBoost is not installed")


def test_scored_stopped_and_tuned_inside_the_folds(check_booster):
    def make(**parameters):
        return xgboost.XGBRegressor(n_estimators=20, learning_rate=0.4, n_jobs=1, **parameters)

    check_booster(make, "max_depth")
