"""Summarise to plain data, then draw: HTML, Markdown, JSON and displays.

>>> from honesteval.report import EvaluationReport, evaluate        # doctest: +SKIP
>>> EvaluationReport(evaluate(smiles, y)).to_html("report.html")    # doctest: +SKIP
"""

from __future__ import annotations

from honesteval.report._evaluate import evaluate
from honesteval.report._evaluation import (
    Evaluation,
    FoldedSplit,
    PredictorScores,
    TaskEvaluation,
)
from honesteval.report._molecule_folds import MoleculeFolds, similarity_folds
from honesteval.report._optimism_display import OptimismDisplay
from honesteval.report._report import EvaluationReport
from honesteval.report._scores_display import ScoreRow, ScoresDisplay
from honesteval.report._similarity_display import SimilarityHistogramDisplay
from honesteval.report._summarise import SCHEMA_VERSION, summarise
from honesteval.report._target import Target, resolve_target, resolve_targets
from honesteval.report._verdict import Verdict, verdict_of

__all__ = [
    # compute
    "evaluate",
    "Evaluation",
    "FoldedSplit",
    "PredictorScores",
    "TaskEvaluation",
    "Target",
    "resolve_target",
    "resolve_targets",
    "MoleculeFolds",
    "similarity_folds",
    # summarise
    "SCHEMA_VERSION",
    "summarise",
    "Verdict",
    "verdict_of",
    # show
    "EvaluationReport",
    "OptimismDisplay",
    "ScoreRow",
    "ScoresDisplay",
    "SimilarityHistogramDisplay",
]
