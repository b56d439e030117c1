"""Findings about a split: what leaks, how much of a score it explains, what to do."""

from __future__ import annotations

from honesteval.checks._audit import audit_split, available_checks
from honesteval.checks._clean_split import CleanSplit
from honesteval.checks._deployment_estimate import DeploymentEstimate, deployment_estimate
from honesteval.checks._distribution_shift import ave_bias
from honesteval.checks._finding import Finding
from honesteval.checks._leakage_curve import LeakageCurve, leakage_curve
from honesteval.checks._levels import LevelMixingResult, LevelScores, level_check
from honesteval.checks._memorization import (
    NEAR_DUPLICATE_SIMILARITY,
    MemorizationResult,
    memorization_check,
)
from honesteval.checks._permutation import PermutationCheckResult, permutation_check
from honesteval.checks._score_parts import ScoreOnParts
from honesteval.checks._split_audit import SplitAudit, audit_schema
from honesteval.checks._split_files import FilePart, SplitFiles, read_split_files
from honesteval.checks._split_leakage import LeakageOfSplit
from honesteval.checks._split_rows import Comparison, SplitRows

__all__ = [
    "CleanSplit",
    "Comparison",
    "DeploymentEstimate",
    "FilePart",
    "Finding",
    "LeakageOfSplit",
    "SplitAudit",
    "SplitFiles",
    "SplitRows",
    "audit_schema",
    "audit_split",
    "ave_bias",
    "available_checks",
    "deployment_estimate",
    "NEAR_DUPLICATE_SIMILARITY",
    "LeakageCurve",
    "LevelMixingResult",
    "LevelScores",
    "MemorizationResult",
    "PermutationCheckResult",
    "ScoreOnParts",
    "leakage_curve",
    "level_check",
    "memorization_check",
    "permutation_check",
    "read_split_files",
]
