"""What counts as a search, whoever wrote it."""

import pytest
from sklearn.base import BaseEstimator
from sklearn.feature_selection import RFECV
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV

from honesteval.tuning import OptunaSearchCV
from honesteval.tuning._searches import is_search


class SearchOfAnother(BaseEstimator):
    """Has the parameters of a search without its base class."""

    def __init__(self, estimator=None, param_distributions=None, cv=None, scoring=None, refit=True):
        self.estimator = estimator
        self.param_distributions = param_distributions
        self.cv = cv
        self.scoring = scoring
        self.refit = refit


@pytest.mark.parametrize(
    "model",
    [
        GridSearchCV(LogisticRegression(), {"C": [1.0]}),
        OptunaSearchCV(LogisticRegression(), {"C": [1.0]}),
        SearchOfAnother(LogisticRegression()),
    ],
)
def test_is_a_search(model):
    assert is_search(model)


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(),
        LogisticRegressionCV(),
        RFECV(LogisticRegression()),
        TunedThresholdClassifierCV(LogisticRegression()),
        SearchOfAnother,
        object(),
    ],
)
def test_is_no_search(model):
    assert not is_search(model)
