"""OptunaSearchCV is an estimator as scikit-learn understands it."""

import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.utils.estimator_checks import estimator_checks_generator

from honesteval.tuning import OptunaSearchCV

EXPECTED = {
    "check_dtype_object": "the TypeError of a fit is part of the ValueError that all trials failed",
}


def _checks():
    search = OptunaSearchCV(
        RidgeClassifier(), {"alpha": [0.1, 1.0]}, n_trials=1, cv=2, random_state=0
    )
    return list(estimator_checks_generator(search, expected_failed_checks=EXPECTED, mark="xfail"))


@pytest.mark.parametrize(("estimator", "check"), _checks())
def test_scikit_learn_checks(estimator, check):
    check(estimator)
