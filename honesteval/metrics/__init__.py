"""Scores with what is needed to judge them: baselines, resolution, intervals, counts."""

from __future__ import annotations

from honesteval.metrics._calibration import chance_calibration_error, expected_calibration_error
from honesteval.metrics._chance import (
    average_precision_gain,
    bedroc_of_random,
    random_average_precision,
)
from honesteval.metrics._task_report import task_report

__all__ = [
    # per task
    "task_report",
    # baselines
    "average_precision_gain",
    "bedroc_of_random",
    "random_average_precision",
    # calibration
    "chance_calibration_error",
    "expected_calibration_error",
]
