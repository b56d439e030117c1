"""honesteval tells a modeller how good a model really is.

Data flows one way through the folders; a folder imports only what stands before it
(``tests/test_architecture.py`` holds the table):

==================  =====================================================================
``entities``        what is compared: molecules, sequences, tables; parse, report bad rows
``similarity``      how alike two entities are, exactly and in bounded memory
``partition``       the optimisation: which items share a fold; knows numbers only
``model_selection`` scikit-learn splitters
``stats``           bootstrap, permutation tests, comparisons
``metrics``         scores per task, with their resolution
``tuning``          nested cross-validation around Optuna
``checks``          findings: leakage, memorisation, permuted labels
``report``          summarise to plain data, then draw: HTML, Markdown, JSON
``datasets``        the embedded real assay
``cli``             parse, call, print
==================  =====================================================================

Importing this package is quick and does nothing: public names load on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME_OF: dict[str, str] = {
    # model_selection
    "DeploymentKFold": "honesteval.model_selection",
    "SimilarityGroupKFold": "honesteval.model_selection",
    "SimilarityGroupShuffleSplit": "honesteval.model_selection",
    "RepeatedSimilarityGroupKFold": "honesteval.model_selection",
    "similarity_split": "honesteval.model_selection",
    "BlockedTimeSeriesKFold": "honesteval.model_selection",
    "SimilarityPairKFold": "honesteval.model_selection",
    "LeadOptimizationSplit": "honesteval.model_selection",
    # partition
    "Partition": "honesteval.partition",
    # tuning
    "nested_cross_validate": "honesteval.tuning",
    "OptunaSearchCV": "honesteval.tuning",
    "NestedCVResult": "honesteval.tuning",
    "bbc_cv": "honesteval.tuning",
    "nested_cv_interval": "honesteval.tuning",
    # checks
    "audit_split": "honesteval.checks",
    "deployment_estimate": "honesteval.checks",
    "leakage_curve": "honesteval.checks",
    "memorization_check": "honesteval.checks",
    "permutation_check": "honesteval.checks",
    # stats and metrics
    "bootstrap_ci": "honesteval.stats",
    "bootstrap_difference": "honesteval.stats",
    "delong_test": "honesteval.stats",
    "corrected_t_test": "honesteval.stats",
    "compare_models": "honesteval.stats",
    "adaptive_score": "honesteval.stats",
    "learning_curve_extrapolation": "honesteval.stats",
    "task_report": "honesteval.metrics",
    # report
    "EvaluationReport": "honesteval.report",
    # errors
    "HonestevalWarning": "honesteval.exceptions",
    "InfeasibleSplitError": "honesteval.exceptions",
    "InvalidEntityError": "honesteval.exceptions",
    "LeakageError": "honesteval.exceptions",
    "MissingDependencyError": "honesteval.exceptions",
}

_SUBMODULES = (
    "checks",
    "datasets",
    "entities",
    "metrics",
    "model_selection",
    "partition",
    "report",
    "similarity",
    "stats",
    "tuning",
)

__all__ = ["__version__", *_HOME_OF, *_SUBMODULES]  # noqa: PLE0604 (all are strings)

if TYPE_CHECKING:
    from honesteval.checks import audit_split as audit_split
    from honesteval.checks import deployment_estimate as deployment_estimate
    from honesteval.checks import leakage_curve as leakage_curve
    from honesteval.checks import memorization_check as memorization_check
    from honesteval.checks import permutation_check as permutation_check
    from honesteval.exceptions import HonestevalWarning as HonestevalWarning
    from honesteval.exceptions import InfeasibleSplitError as InfeasibleSplitError
    from honesteval.exceptions import InvalidEntityError as InvalidEntityError
    from honesteval.exceptions import LeakageError as LeakageError
    from honesteval.exceptions import MissingDependencyError as MissingDependencyError
    from honesteval.metrics import task_report as task_report
    from honesteval.model_selection import BlockedTimeSeriesKFold as BlockedTimeSeriesKFold
    from honesteval.model_selection import DeploymentKFold as DeploymentKFold
    from honesteval.model_selection import LeadOptimizationSplit as LeadOptimizationSplit
    from honesteval.model_selection import (
        RepeatedSimilarityGroupKFold as RepeatedSimilarityGroupKFold,
    )
    from honesteval.model_selection import SimilarityGroupKFold as SimilarityGroupKFold
    from honesteval.model_selection import (
        SimilarityGroupShuffleSplit as SimilarityGroupShuffleSplit,
    )
    from honesteval.model_selection import SimilarityPairKFold as SimilarityPairKFold
    from honesteval.model_selection import similarity_split as similarity_split
    from honesteval.partition import Partition as Partition
    from honesteval.report import EvaluationReport as EvaluationReport
    from honesteval.stats import adaptive_score as adaptive_score
    from honesteval.stats import bootstrap_ci as bootstrap_ci
    from honesteval.stats import bootstrap_difference as bootstrap_difference
    from honesteval.stats import compare_models as compare_models
    from honesteval.stats import corrected_t_test as corrected_t_test
    from honesteval.stats import delong_test as delong_test
    from honesteval.stats import learning_curve_extrapolation as learning_curve_extrapolation
    from honesteval.tuning import NestedCVResult as NestedCVResult
    from honesteval.tuning import OptunaSearchCV as OptunaSearchCV
    from honesteval.tuning import bbc_cv as bbc_cv
    from honesteval.tuning import nested_cross_validate as nested_cross_validate
    from honesteval.tuning import nested_cv_interval as nested_cv_interval


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        value = getattr(importlib.import_module(_HOME_OF[name]), name)
    elif name in _SUBMODULES:
        value = importlib.import_module(f"honesteval.{name}")
    else:
        raise AttributeError(f"module 'honesteval' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
