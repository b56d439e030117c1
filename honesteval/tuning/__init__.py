"""Tuning without fooling oneself: an Optuna search, and nested cross-validation around it."""

from honesteval.tuning._bates_interval import NestedCVInterval, nested_cv_interval
from honesteval.tuning._bbc import BBCResult, bbc_cv
from honesteval.tuning._comparison import NestedCVComparison, nested_cross_validate_models
from honesteval.tuning._deployable import DeployableModel
from honesteval.tuning._displays import (
    NestedLearningCurveDisplay,
    OptimismDisplay,
    ParameterStabilityDisplay,
)
from honesteval.tuning._early_stopping import EarlyStoppingRefit
from honesteval.tuning._nested import nested_cross_validate
from honesteval.tuning._optuna_search import OptunaSearchCV
from honesteval.tuning._plan import NestedCVPlan, plan
from honesteval.tuning._result import NestedCVResult, OuterFold
from honesteval.tuning._score_interval import ScoreInterval, corrected_t_interval
from honesteval.tuning._suspicious_features import suspicious_features
from honesteval.tuning._tibshirani import TibshiraniCorrection, tibshirani_correction

__all__ = [
    # tune
    "OptunaSearchCV",
    "EarlyStoppingRefit",
    # judge
    "plan",
    "NestedCVPlan",
    "nested_cross_validate",
    "nested_cross_validate_models",
    "NestedCVResult",
    "NestedCVComparison",
    "OuterFold",
    "DeployableModel",
    # cheaper or sharper
    "bbc_cv",
    "BBCResult",
    "tibshirani_correction",
    "TibshiraniCorrection",
    "nested_cv_interval",
    "NestedCVInterval",
    "corrected_t_interval",
    "ScoreInterval",
    "suspicious_features",
    # draw
    "OptimismDisplay",
    "ParameterStabilityDisplay",
    "NestedLearningCurveDisplay",
]
