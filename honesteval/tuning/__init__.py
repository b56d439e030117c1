"""Tuning without fooling oneself: an Optuna search and nested cross-validation around it."""

from honesteval.tuning._deployable import DeployableModel
from honesteval.tuning._nested import nested_cross_validate
from honesteval.tuning._optuna_search import OptunaSearchCV
from honesteval.tuning._result import NestedCVResult, OuterFold
from honesteval.tuning._score_interval import ScoreInterval

__all__ = [
    "OptunaSearchCV",
    "nested_cross_validate",
    "NestedCVResult",
    "OuterFold",
    "ScoreInterval",
    "DeployableModel",
]
