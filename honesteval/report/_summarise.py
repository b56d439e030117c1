"""Everything that a report shows, as one plain dictionary that JSON can hold."""

from __future__ import annotations

import json
import math
from collections import Counter
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np

from honesteval.entities import ExcludedRows
from honesteval.report._checklists import checklists
from honesteval.report._comparison import comparison_rows, margin_reason
from honesteval.report._evaluation import (
    Evaluation,
    FoldedSplit,
    PredictorScores,
    TaskEvaluation,
)
from honesteval.report._metrics import sign_of
from honesteval.report._saved_rows import map_places, row_columns
from honesteval.report._verdict import verdict_of
from honesteval.stats import BootstrapDifference, get_metric

if TYPE_CHECKING:
    from honesteval.checks import SplitAudit

SCHEMA = "honesteval/evaluation"
SCHEMA_VERSION = "1.1"

#: Bins of the histograms of similarity, of equal width over [0, 1].
N_BINS = 40

#: Pairs of test and training rows that are listed (and drawn) per split.
N_PAIRS = 4

#: Lines of evidence that are listed per finding; all are counted.
N_EVIDENCE = 20

#: Excluded rows that are listed one by one; all are counted.
N_LISTED_EXCLUDED = 500

SPLIT_LABELS = {"random": "Random split", "similarity": "Similarity split"}


def summarise(evaluation: Evaluation) -> dict[str, Any]:
    """Return everything that a report shows.

    Parameters
    ----------
    evaluation : Evaluation

    Returns
    -------
    summary : dict
        Strings, finite numbers, booleans, None, lists and dictionaries only, as described by
        :func:`evaluation_schema`. Undefined numbers are None.
    """
    summary = {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "title": evaluation.title,
        "data": _data(evaluation),
        "splits": [_split(split, evaluation) for split in evaluation.splits],
        "tasks": [_task(task, evaluation) for task in evaluation.tasks],
        "notes": evaluation.notes,
        "settings": dict(evaluation.settings),
        "provenance": dict(evaluation.provenance),
        "rows": row_columns(evaluation),
        "map": map_places(evaluation),
    }
    plain: dict[str, Any] = as_plain(summary)
    return {**plain, "checklists": checklists(plain)}


def evaluation_schema() -> dict[str, Any]:
    """Return the JSON schema of :func:`summarise`, which travels with the package.

    Returns
    -------
    schema : dict
        JSON Schema, draft 2020-12.
    """
    text = resources.files("honesteval.report").joinpath("evaluation.schema.json")
    schema: dict[str, Any] = json.loads(text.read_text(encoding="utf-8"))
    return schema


def as_plain(value: Any) -> Any:
    """Return a value as JSON can hold it: no NumPy types, None for what is not finite."""
    if isinstance(value, dict):
        return {str(key): as_plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [as_plain(inner) for inner in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | bool | int):
        return value
    return str(value)


def _data(evaluation: Evaluation) -> dict[str, Any]:
    return {
        "n_input": evaluation.n_input,
        "n_rows": evaluation.n_rows,
        "n_entities": len(np.unique(evaluation.groups)),
        "entities": "molecules" if evaluation.smiles is not None else "rows",
        "similarity": evaluation.similarity_name,
        "features": evaluation.settings.get("features"),
        "excluded": excluded_rows(evaluation.excluded),
        "deployment": _deployment_set(evaluation),
    }


def _deployment_set(evaluation: Evaluation) -> dict[str, Any] | None:
    met = evaluation.deployment
    if met is None:
        return None
    return {
        "n_input": met.n_input,
        "n_rows": len(met.nearest_similarity),
        "mean_nearest_similarity": float(met.nearest_similarity.mean()),
        "excluded": excluded_rows(met.excluded),
    }


def excluded_rows(excluded: ExcludedRows) -> dict[str, Any]:
    """Return the excluded rows, counted by reason and listed."""
    listed = zip(excluded.rows.tolist(), excluded.values, excluded.reasons, strict=True)
    return {
        "n": len(excluded),
        "reasons": [
            {"reason": reason, "n": count}
            for reason, count in Counter(excluded.reasons).most_common()
        ],
        "rows": [
            {"row": row, "value": None if value is None else str(value), "reason": reason}
            for row, value, reason in listed
        ][:N_LISTED_EXCLUDED],
    }


def _split(split: FoldedSplit, evaluation: Evaluation) -> dict[str, Any]:
    counts, edges = np.histogram(split.nearest_similarity, bins=N_BINS, range=(0.0, 1.0))
    return {
        "name": split.name,
        "label": SPLIT_LABELS[split.name],
        "description": split.description,
        "n_splits": split.n_splits,
        "fold_sizes": np.bincount(split.fold),
        "scaled_leakage": split.scaled_leakage,
        "relative_leakage": split.relative_leakage,
        "mean_nearest_similarity": float(split.nearest_similarity.mean()),
        "nearest_similarity": {"edges": edges, "counts": counts},
        "closest_pairs": [_pair(evaluation, *pair) for pair in split.closest_pairs(N_PAIRS)],
        "findings": findings(split.audit),
    }


def findings(audit: SplitAudit | None) -> list[dict[str, Any]]:
    """Return the findings of an audit, with the first lines of their evidence."""
    if audit is None:
        return []
    return [finding.to_dict(max_evidence=N_EVIDENCE) for finding in audit.findings]


def _pair(evaluation: Evaluation, test: int, train: int, similarity: float) -> dict[str, Any]:
    return {
        "test": _shown_row(evaluation, test),
        "train": _shown_row(evaluation, train),
        "similarity": similarity,
    }


def _shown_row(evaluation: Evaluation, row: int) -> dict[str, Any]:
    labels = {}
    for task in evaluation.tasks:
        at = np.flatnonzero(task.rows == row)
        if len(at):
            value = float(task.target.values[at[0]])
            name = task.target.classes[int(value)] if task.target.classes else value
            labels[task.target.name] = name
    smiles = None if evaluation.smiles is None else str(evaluation.smiles[row])
    return {"row": int(evaluation.rows[row]), "smiles": smiles, "labels": labels}


def _task(task: TaskEvaluation, evaluation: Evaluation) -> dict[str, Any]:
    verdict = verdict_of(task, evaluation)
    return {
        "name": task.target.name,
        "kind": task.target.kind,
        "reason": task.target.reason,
        "n_labelled": len(task.rows),
        "classes": [{"name": name, "n": count} for name, count in task.target.counts().items()],
        "model": task.model_label,
        "metric": task.metric,
        "metrics": [_metric(name, task) for name in task.metrics],
        "verdict": {
            "kind": verdict.kind,
            "headline": verdict.headline,
            "sentences": verdict.sentences,
        },
        "scores": [
            _score(scores, name, task) for scores in task.predictors for name in task.metrics
        ],
        "comparisons": [
            _comparison("model", "random", "model", "similarity", task.between_splits),
            *(
                _comparison("model", split, other, split, difference)
                for other, differences in (
                    ("nearest", task.over_nearest),
                    ("nothing", task.over_nothing),
                )
                for split, difference in differences.items()
            ),
        ],
        "others": [
            {
                "model": label,
                "scores": [_score(scores, name, task) for name in task.metrics],
            }
            for label, scores in task.others.items()
        ],
        "model_comparison": _model_comparison(task),
        "permutation": _permutation(task),
        "by_similarity": _by_similarity(task),
        "similarity_curves": _similarity_curves(task),
        "deployment": _deployment(task),
        "folds": [fold for scores in task.predictors for fold in _folds(scores, task, evaluation)],
        "stability": [row for scores in task.predictors for row in _stability(scores)],
    }


def _score(scores: PredictorScores, metric: str, task: TaskEvaluation) -> dict[str, Any]:
    found = scores.scores.get(metric)
    return {
        "predictor": scores.predictor,
        "split": scores.split,
        "metric": metric,
        "estimate": None if found is None else found.estimate,
        "low": None if found is None else found.low,
        "high": None if found is None else found.high,
        "method": None if found is None else found.method,
        "n_undefined": None if found is None else found.n_undefined,
        "reason": scores.undefined.get(metric, ""),
        "fold_scores": scores.fold_scores if metric == task.metric else [],
    }


def _metric(name: str, task: TaskEvaluation) -> dict[str, Any]:
    metric = get_metric(name)
    return {
        "name": name,
        "label": metric.label,
        "greater_is_better": metric.greater_is_better,
        "chance": {split: expected.get(name) for split, expected in task.chance.items()},
    }


def _comparison(
    predictor_a: str, split_a: str, predictor_b: str, split_b: str, found: BootstrapDifference
) -> dict[str, Any]:
    return {
        "a": {"predictor": predictor_a, "split": split_a},
        "b": {"predictor": predictor_b, "split": split_b},
        "metric": found.metric,
        "estimate": found.estimate,
        "low": found.low,
        "high": found.high,
        "p_value": found.p_value,
    }


def _model_comparison(task: TaskEvaluation) -> dict[str, Any] | None:
    found = task.comparison
    if found is None:
        return None
    return {
        "metric": task.metric,
        "test": found.test,
        "reason": found.reason,
        "margin": found.margin,
        "margin_reason": margin_reason(task),
        "adjustment": found.adjustment,
        "notes": found.notes,
        "pairs": comparison_rows(task),
    }


def _permutation(task: TaskEvaluation) -> dict[str, Any] | None:
    result = task.permutation
    if result is None:
        return None
    sign = sign_of(task.metric)
    return {
        "metric": task.metric,
        "n_permutations": result.n_permutations,
        "n_exceeding": result.n_exceeding,
        "p_value": result.p_value,
        "score": sign * result.score,
        "permuted_scores": sign * result.permuted_scores,
    }


def _deployment(task: TaskEvaluation) -> list[dict[str, Any]]:
    fields = ("estimate", "low", "high", "effective_n", "share_beyond")
    return [
        {"split": split, **{field: getattr(found.deployment, field) for field in fields}}
        for split, found in task.by_similarity.items()
        if found.deployment is not None
    ]


def _by_similarity(task: TaskEvaluation) -> list[dict[str, Any]]:
    columns = [
        "similarity_from",
        "similarity_to",
        "mean_similarity",
        "n",
        "estimate",
        "low",
        "high",
        "reason",
    ]
    return [
        {"split": split, **{column: getattr(row, column) for column in columns}}
        for split, found in task.by_similarity.items()
        for row in found.bins.itertuples()
    ]


def _similarity_curves(task: TaskEvaluation) -> list[dict[str, Any]]:
    columns = ["similarity", "estimate", "low", "high"]
    return [
        {"split": split, **{column: getattr(point, column) for column in columns}}
        for split, found in task.by_similarity.items()
        for point in found.curve.itertuples()
    ]


def _folds(
    scores: PredictorScores, task: TaskEvaluation, evaluation: Evaluation
) -> list[dict[str, Any]]:
    if scores.predictor != "model":
        return []
    split = evaluation.split(scores.split)
    fold_of_row = split.fold[task.rows]
    nearest = split.nearest_similarity[task.rows]
    sign = sign_of(task.metric)
    rows = []
    for number, score in enumerate(scores.fold_scores):
        test = fold_of_row == number
        outer = scores.nested.folds[number] if scores.nested is not None else None
        inner = sign * outer.inner_best_score if outer is not None else float("nan")
        rows.append(
            {
                "split": scores.split,
                "fold": number,
                "n_test": int(test.sum()),
                "n_train": int((~test).sum()),
                "mean_nearest_similarity": float(nearest[test].mean()),
                "score": float(score),
                "inner_best_score": inner,
                "optimism": sign * (inner - float(score)),
                "params": {} if outer is None else short_params(outer.best_params),
                "n_failed_trials": 0 if outer is None else outer.n_failed_trials,
            }
        )
    return rows


def _stability(scores: PredictorScores) -> list[dict[str, Any]]:
    nested = scores.nested
    if nested is None or not nested.best_params[0]:
        return []
    return [
        {
            "split": scores.split,
            "parameter": str(row.parameter).rpartition("__")[2],
            "most_frequent": row.most_frequent,
            "agreement": row.agreement,
            "median": row.median,
            "low": row.low,
            "high": row.high,
        }
        for row in nested.parameter_stability().itertuples()
    ]


def short_params(params: dict[str, Any]) -> dict[str, Any]:
    """Return parameters by the last part of their names, with values as JSON can hold them."""
    short = [name.rpartition("__")[2] for name in params]
    names = short if len(set(short)) == len(short) else list(params)
    return {name: as_plain(value) for name, value in zip(names, params.values(), strict=True)}
