"""Uncertainty of scores, and fair comparison of models.

Works on arrays of labels and scores; knows nothing of molecules, splits or reports.
"""

from __future__ import annotations

from honesteval.stats._bootstrap import (
    bootstrap_ci,
    bootstrap_difference,
    bootstrap_metrics,
)
from honesteval.stats._bootstrap_result import BootstrapDifference, BootstrapResult
from honesteval.stats._delong_resolution import auc_resolution
from honesteval.stats._kernels_registry import Metric, available_metrics, get_metric, metric_names
from honesteval.stats._permutation import PermutationTestResult, permutation_test
from honesteval.stats._permutation_p_value import permutation_p_value

__all__ = [
    # ROC-AUC
    "auc_resolution",
    # bootstrap
    "bootstrap_ci",
    "bootstrap_difference",
    "bootstrap_metrics",
    "BootstrapDifference",
    "BootstrapResult",
    # metrics
    "Metric",
    "available_metrics",
    "get_metric",
    "metric_names",
    # permutation tests
    "PermutationTestResult",
    "permutation_p_value",
    "permutation_test",
]
