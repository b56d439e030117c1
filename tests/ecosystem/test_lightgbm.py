"""LightGBM: the scikit-learn wrapper, on our folds, stopped and tuned inside them."""

import pytest

# without the system's OpenMP its import is an OSError
lightgbm = pytest.importorskip(
    "lightgbm", reason="LightGBM is not installed", exc_type=(ImportError, OSError)
)


def test_scored_stopped_and_tuned_inside_the_folds(check_booster):
    def make(**parameters):
        return lightgbm.LGBMRegressor(
            n_estimators=20, learning_rate=0.4, min_child_samples=5, n_jobs=1, verbose=-1,
            **parameters,
        )  # fmt: skip

    check_booster(make, "max_depth")
