"""Uncertainty of scores, and fair comparison of models.

Works on arrays of labels and scores; knows nothing of molecules, splits or reports.
"""

from __future__ import annotations

from honesteval.stats._adaptive_score import AdaptiveScore, adaptive_score
from honesteval.stats._bayesian_t import CorrelatedTPosterior, bayesian_correlated_t_test
from honesteval.stats._bootstrap import bootstrap_ci, bootstrap_metrics
from honesteval.stats._bootstrap_difference import bootstrap_difference, bootstrap_differences
from honesteval.stats._bootstrap_result import BootstrapDifference, BootstrapResult
from honesteval.stats._bootstrap_statistic import bootstrap_statistics
from honesteval.stats._compare_models import compare_models
from honesteval.stats._corrected_t import CorrectedTTest, corrected_t_test
from honesteval.stats._delong import (
    DeLongInterval,
    DeLongTest,
    delong_ci,
    delong_covariance,
    delong_test,
    delong_test_unpaired,
)
from honesteval.stats._delong_newcombe import hanley_mcneil_standard_error
from honesteval.stats._delong_resolution import auc_resolution
from honesteval.stats._displays import (
    CriticalDifferenceDisplay,
    PairedFoldsDisplay,
    SimultaneousIntervalsDisplay,
)
from honesteval.stats._five_by_two import FiveByTwoTest, five_by_two_test
from honesteval.stats._kernels import Sample
from honesteval.stats._kernels_registry import Metric, available_metrics, get_metric, metric_names
from honesteval.stats._learning_curve import (
    LearningCurveExtrapolation,
    learning_curve_extrapolation,
)
from honesteval.stats._learning_curve_display import LearningCurveExtrapolationDisplay
from honesteval.stats._mcnemar import McNemarTest, mcnemar_test
from honesteval.stats._model_comparison import ModelComparison
from honesteval.stats._multiplicity import adjust_p_values
from honesteval.stats._order_statistics import expected_maximum
from honesteval.stats._permutation import PermutationTestResult, permutation_test
from honesteval.stats._permutation_p_value import permutation_p_value
from honesteval.stats._ranks import FriedmanTest, friedman_test
from honesteval.stats._tukey import RepeatedMeasuresTukey, repeated_measures_tukey
from honesteval.stats._two_sample import ClassifierTwoSampleTest, classifier_two_sample_test

__all__ = [
    # ROC-AUC
    "hanley_mcneil_standard_error",
    "DeLongInterval",
    "DeLongTest",
    "delong_ci",
    "delong_covariance",
    "delong_test",
    "delong_test_unpaired",
    "auc_resolution",
    # bootstrap
    "bootstrap_statistics",
    "bootstrap_ci",
    "bootstrap_difference",
    "bootstrap_differences",
    "bootstrap_metrics",
    "BootstrapDifference",
    "BootstrapResult",
    # metrics
    "Sample",
    "Metric",
    "available_metrics",
    "get_metric",
    "metric_names",
    # permutation tests
    "PermutationTestResult",
    "permutation_p_value",
    "permutation_test",
    # comparison
    "CorrectedTTest",
    "corrected_t_test",
    "CorrelatedTPosterior",
    "bayesian_correlated_t_test",
    "FiveByTwoTest",
    "five_by_two_test",
    "McNemarTest",
    "mcnemar_test",
    "FriedmanTest",
    "friedman_test",
    "RepeatedMeasuresTukey",
    "repeated_measures_tukey",
    "adjust_p_values",
    "compare_models",
    "ModelComparison",
    # comparison plots
    "CriticalDifferenceDisplay",
    "SimultaneousIntervalsDisplay",
    "PairedFoldsDisplay",
    # adaptive score and learning curve
    "AdaptiveScore",
    "adaptive_score",
    "LearningCurveExtrapolation",
    "learning_curve_extrapolation",
    # two samples
    "ClassifierTwoSampleTest",
    "classifier_two_sample_test",
    "LearningCurveExtrapolationDisplay",
    "expected_maximum",
]
