"""OptunaSearchCV is an estimator as scikit-learn understands it."""

import pytest
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.utils.estimator_checks import estimator_checks_generator

from honesteval.tuning import OptunaSearchCV

SPACE = {"alpha": [0.1, 1.0]}
EXPECTED = {
    # scikit-learn's own searches fail it as well
    "check_supervised_y_2d": "a regressor of several columns does not warn of one",
}


def _checks(estimator, expected):
    """As scikit-learn checks its own searches: an error of a fit goes through as it is."""
    search = OptunaSearchCV(estimator, SPACE, n_trials=1, cv=2, error_score="raise", random_state=0)
    return list(estimator_checks_generator(search, expected_failed_checks=expected, mark="xfail"))


@pytest.mark.parametrize(
    ("estimator", "check"),
    [*_checks(RidgeClassifier(), {}), *_checks(Ridge(), EXPECTED)],
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
