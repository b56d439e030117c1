"""A study's trials as scikit-learn's ``cv_results_``, and as a matrix of predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from honesteval.tuning._fitting import FitOutcome
from honesteval.tuning._splits import Split
from honesteval.tuning._trials import fold_records

FINISHED = ("COMPLETE", "PRUNED", "FAIL")


def finished_trials(study: Any) -> list[Any]:
    """Return the finished trials of a study in order of their numbers."""
    stored = study.get_trials(deepcopy=False)
    return sorted((t for t in stored if t.state.name in FINISHED), key=lambda t: t.number)


def build_cv_results(
    stored: Sequence[Any],
    params: Sequence[Mapping[str, Any]],
    *,
    n_splits: int,
    error_score: Any,
    train_score: bool,
) -> dict[str, Any]:
    """Return ``cv_results_``: one entry per trial.

    Beside scikit-learn's own keys there are ``trial_number`` and ``trial_state`` ("complete",
    "pruned", "fail"). A pruned trial has NaN for the folds that were not fitted, and for its mean.
    """
    records = [fold_records(trial) for trial in stored]
    results: dict[str, Any] = {}
    for part in ("fit", "score"):
        times = _fold_table(records, n_splits, lambda record, part=part: record[part])
        with np.errstate(invalid="ignore"):
            results[f"mean_{part}_time"] = _nan_mean(times)
            results[f"std_{part}_time"] = _nan_std(times)
    results.update(_param_columns(params))
    results["params"] = [dict(p) for p in params]
    for part in ("test", "train") if train_score else ("test",):
        names = dict.fromkeys(n for r in records for record in r.values() for n in record[part])
        for name in names:
            table = _fold_table(
                records, n_splits, lambda record, p=part, n=name: _score(record, p, n, error_score)
            )
            for fold in range(n_splits):
                results[f"split{fold}_{part}_{name}"] = table[:, fold]
            results[f"mean_{part}_{name}"] = table.mean(axis=1)
            results[f"std_{part}_{name}"] = table.std(axis=1)
            if part == "test":
                results[f"rank_test_{name}"] = _ranks(results[f"mean_test_{name}"])
    results["trial_number"] = np.array([trial.number for trial in stored], dtype=np.intp)
    results["trial_state"] = np.array([trial.state.name.lower() for trial in stored], dtype=object)
    return results


def out_of_fold_table(
    predictions: Mapping[int, Mapping[int, FitOutcome]],
    trial_numbers: Sequence[int],
    splits: Sequence[Split],
    n_rows: int,
) -> NDArray[Any]:
    """Return out-of-fold predictions of every trial, shape (n_rows, n_trials[, n_classes]).

    Scores where the model has them, labels or values otherwise. Rows of folds that were not
    fitted in this process are NaN.
    """
    columns = []
    for number in trial_numbers:
        folds = predictions.get(number, {})
        column: NDArray[Any] | None = None
        for fold, outcome in sorted(folds.items()):
            values = outcome.predicted_scores
            values = np.asarray(outcome.predictions if values is None else values)
            if column is None:
                empty = np.nan if values.dtype.kind in "fiub" else None
                kind = np.float64 if empty is not None else object
                column = np.full((n_rows, *values.shape[1:]), empty, dtype=kind)
            column[splits[fold][1]] = values
        columns.append(column)
    known = next((c for c in columns if c is not None), None)
    if known is None:
        return np.full((n_rows, len(columns)), np.nan)
    empty_column = np.full_like(known, np.nan if known.dtype.kind == "f" else None)
    return np.stack([empty_column if c is None else c for c in columns], axis=1)


def _fold_table(
    records: Sequence[Mapping[int, Any]], n_splits: int, value: Any
) -> NDArray[np.float64]:
    table = np.full((len(records), n_splits), np.nan)
    for row, folds in enumerate(records):
        for fold, record in folds.items():
            table[row, fold] = value(record)
    return table


def _score(record: Mapping[str, Any], part: str, name: str, error_score: Any) -> float:
    if record["error"] is not None:
        return float(error_score)
    value = record[part].get(name)
    return float("nan") if value is None else float(value)


def _param_columns(params: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    columns = {}
    for name in dict.fromkeys(name for p in params for name in p):
        column = np.ma.MaskedArray(np.empty(len(params), dtype=object), mask=True)
        for row, values in enumerate(params):
            if name in values:
                column[row] = values[name]
        columns[f"param_{name}"] = column
    return columns


def _ranks(means: NDArray[np.float64]) -> NDArray[np.int32]:
    """Rank 1 is the highest mean; trials without one come last together."""
    lowest = np.nanmin(means) - 1 if np.isfinite(means).any() else 0.0
    ranked: NDArray[np.int32] = rankdata(
        -np.nan_to_num(means, nan=lowest, neginf=lowest), method="min"
    ).astype(np.int32)
    return ranked


def _nan_mean(table: NDArray[np.float64]) -> NDArray[np.float64]:
    counts = np.isfinite(table).sum(axis=1)
    sums = np.nansum(table, axis=1)
    return np.divide(sums, counts, out=np.full(len(table), np.nan), where=counts > 0)


def _nan_std(table: NDArray[np.float64]) -> NDArray[np.float64]:
    centred = (table - _nan_mean(table)[:, None]) ** 2
    return np.sqrt(_nan_mean(centred))
