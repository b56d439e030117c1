"""OptunaSearchCV is an estimator as scikit-learn understands it."""

from sklearn.linear_model import RidgeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from honesteval.tuning import OptunaSearchCV

EXPECTED = {
    "check_dtype_object": "the TypeError of a fit is part of the ValueError that all trials failed",
}


@parametrize_with_checks(
    [OptunaSearchCV(RidgeClassifier(), {"alpha": [0.1, 1.0]}, n_trials=1, cv=2, random_state=0)],
    expected_failed_checks=lambda _: EXPECTED,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
