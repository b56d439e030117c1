"""Errors that are cheaper before a long run than in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from honesteval.tuning._outer_run import OuterPlace
from honesteval.tuning._scoring import Scoring
from honesteval.tuning._tasks import TaskColumn


def check_before_fitting(
    model: Any,
    X: Any,
    tasks: Sequence[TaskColumn],
    scoring: Scoring,
    places: Sequence[OuterPlace],
    columns: Mapping[str, Any],
) -> list[str]:
    """Check that model, labels, folds and scoring can work together; return notes."""
    return []
