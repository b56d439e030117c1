"""Scores with what is needed to judge them: baselines, resolution, intervals, counts."""

from __future__ import annotations

from honesteval.metrics._calibration import chance_calibration_error, expected_calibration_error
from honesteval.metrics._chance import (
    average_precision_gain,
    bedroc_of_random,
    random_average_precision,
)
from honesteval.metrics._displays import ScoreBySimilarityDisplay, TaskReportDisplay
from honesteval.metrics._early_recognition import (
    bedroc,
    enrichment_factor,
    robust_initial_enhancement,
)
from honesteval.metrics._operating_points import operating_points
from honesteval.metrics._precision_recall import (
    PrecisionRecallGain,
    precision_at_prevalence,
    precision_recall_gain,
    trapezoid_pr_area,
)
from honesteval.metrics._reweighted_score import ReweightedScore, reweighted_score
from honesteval.metrics._score_by_similarity import ScoreBySimilarity, score_by_similarity
from honesteval.metrics._task_average import TaskAverage, average_over_tasks
from honesteval.metrics._task_report import task_report

__all__ = [
    # per task
    "TaskAverage",
    "average_over_tasks",
    "task_report",
    # similarity to training
    "ReweightedScore",
    "ScoreBySimilarity",
    "reweighted_score",
    "score_by_similarity",
    # early recognition
    "bedroc",
    "enrichment_factor",
    "robust_initial_enhancement",
    # precision and recall
    "PrecisionRecallGain",
    "operating_points",
    "precision_at_prevalence",
    "precision_recall_gain",
    "trapezoid_pr_area",
    # baselines
    "average_precision_gain",
    "bedroc_of_random",
    "random_average_precision",
    # calibration
    "chance_calibration_error",
    "expected_calibration_error",
    # plots
    "ScoreBySimilarityDisplay",
    "TaskReportDisplay",
]
