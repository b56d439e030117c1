"""Findings about a split: what leaks, how much of a score it explains, what to do."""

from __future__ import annotations

from honesteval.checks._levels import LevelMixingResult, LevelScores, level_check
from honesteval.checks._memorization import (
    NEAR_DUPLICATE_SIMILARITY,
    MemorizationResult,
    memorization_check,
)
from honesteval.checks._permutation import PermutationCheckResult, permutation_check
from honesteval.checks._score_parts import ScoreOnParts

__all__ = [
    "NEAR_DUPLICATE_SIMILARITY",
    "LevelMixingResult",
    "LevelScores",
    "MemorizationResult",
    "PermutationCheckResult",
    "ScoreOnParts",
    "level_check",
    "memorization_check",
    "permutation_check",
]
