"""Summarise to plain data, then draw: HTML, Markdown, JSON and displays.

``EvaluationReport(evaluate(smiles, y)).to_html("report.html")`` is the whole way from molecules
and labels to a page; every step of it can be had by itself.
"""

from __future__ import annotations

from honesteval.report._audit_report import AuditReport
from honesteval.report._curves_display import CurvesDisplay
from honesteval.report._deployment import Deployment
from honesteval.report._evaluate import evaluate
from honesteval.report._evaluation import (
    Evaluation,
    FoldedSplit,
    PredictorScores,
    TaskEvaluation,
)
from honesteval.report._fold_map import FoldMap
from honesteval.report._map_display import FoldMapDisplay
from honesteval.report._prediction_display import PredictedMeasuredDisplay
from honesteval.report._report import EvaluationReport
from honesteval.report._saved import read_evaluation
from honesteval.report._scores_display import ScoreRow, ScoresDisplay
from honesteval.report._similarity_display import SimilarityHistogramDisplay
from honesteval.report._splits_by_similarity_display import SplitsBySimilarityDisplay
from honesteval.report._splits_optimism_display import SplitsOptimismDisplay
from honesteval.report._summarise import SCHEMA_VERSION, evaluation_schema, summarise
from honesteval.report._table_folds import TableFolds, similarity_folds, time_folds
from honesteval.report._target import Target, resolve_target, resolve_targets
from honesteval.report._verdict import Verdict, verdict_of
from honesteval.report._writing import check_report_path

__all__ = [
    # compute
    "evaluate",
    "Evaluation",
    "Deployment",
    "FoldedSplit",
    "FoldMap",
    "PredictorScores",
    "TaskEvaluation",
    "Target",
    "resolve_target",
    "resolve_targets",
    "TableFolds",
    "similarity_folds",
    "time_folds",
    # summarise
    "SCHEMA_VERSION",
    "evaluation_schema",
    "summarise",
    "read_evaluation",
    "Verdict",
    "verdict_of",
    # show
    "check_report_path",
    "EvaluationReport",
    "AuditReport",
    "CurvesDisplay",
    "FoldMapDisplay",
    "SplitsOptimismDisplay",
    "PredictedMeasuredDisplay",
    "SplitsBySimilarityDisplay",
    "ScoreRow",
    "ScoresDisplay",
    "SimilarityHistogramDisplay",
]
