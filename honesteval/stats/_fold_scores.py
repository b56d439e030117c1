"""Scores of several models over folds or tasks, read from whatever produced them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from honesteval._validation import as_numbers
from honesteval.stats._paired_folds import fold_ratio

MAX_SIZE_VARIATION = 1.2
"""Folds whose rows in all differ by more than this factor do not come from one data set."""


@dataclass(frozen=True, eq=False)
class FoldScores:
    """Paired scores of all models, and the design they come from.

    Attributes
    ----------
    table : DataFrame of shape (J, n_models)
        One row per fold (or task), one column per model; without undefined scores.
    unit : {"folds", "tasks"}
        What a row is.
    ratio : float
        Test rows per training row of one fold; 0 for tasks.
    n_repeats : int or None
        Repeats of the cross-validation, where test indices tell.
    notes : tuple of str
        What was left out or could not be checked.
    """

    table: pd.DataFrame
    unit: Literal["folds", "tasks"]
    ratio: float
    n_repeats: int | None = None
    notes: tuple[str, ...] = field(default=())


class _Run(NamedTuple):
    """Fold scores of one model."""

    scores: NDArray[np.float64]
    train_sizes: NDArray[np.float64] | None = None
    test_sizes: NDArray[np.float64] | None = None
    test_indices: list[NDArray[np.intp]] | None = None


def read_fold_scores(
    results: Mapping[str, Any], *, n_train: Any = None, n_test: Any = None,
    metric: str | None = None,
) -> FoldScores:  # fmt: skip
    """Return paired scores, or refuse what cannot be paired.

    Parameters
    ----------
    results : mapping of str to result
        Per model: an array of scores, a dict of scikit-learn's ``cross_validate``, an object
        with ``outer_scores``, or a mapping of task to score.
    n_train, n_test : float or array-like, default=None
        Sizes of one fold; needed only where the results do not tell.
    metric : str, default=None
        Which score, where a result holds several.
    """
    if not isinstance(results, Mapping) or len(results) < 2:
        raise ValueError(
            "results must map the names of at least 2 models to their scores. "
            f"Got {type(results).__name__} of {len(results) if hasattr(results, '__len__') else 1}."
        )
    if all(_is_per_task(result) for result in results.values()):
        return _read_tasks(results)
    runs = {str(name): _read_run(str(name), result, metric) for name, result in results.items()}
    notes = _check_same_folds(runs)
    first = next(iter(runs.values()))
    _check_one_data_set(first)
    table = pd.DataFrame({name: run.scores for name, run in runs.items()})
    undefined = table.isna().any(axis=1)
    if undefined.any():
        left_out = ", ".join(map(str, np.flatnonzero(undefined)))
        notes.append(f"fold {left_out}: left out, a score is undefined there")
        table = table[~undefined].reset_index(drop=True)
    return FoldScores(
        table=table,
        unit="folds",
        ratio=_ratio(first, n_train, n_test),
        n_repeats=_count_repeats(first),
        notes=tuple(notes),
    )


def _is_per_task(result: Any) -> bool:
    """Whether scores are named by task; a Series with a plain index holds folds."""
    if isinstance(result, pd.Series):
        return not pd.api.types.is_integer_dtype(result.index.dtype)
    return isinstance(result, Mapping) and not _is_cross_validate(result)


def _is_cross_validate(result: Any) -> bool:
    return isinstance(result, Mapping) and any(
        key in result for key in ("fit_time", "test_score", "indices")
    )


def _read_tasks(results: Mapping[str, Any]) -> FoldScores:
    columns = {str(name): dict(result.items()) for name, result in results.items()}
    for name, column in columns.items():
        for task, score in column.items():
            if np.size(score) != 1:
                raise ValueError(
                    f"Model {name!r} has {np.size(score)} scores for task {task!r}. Fold scores of "
                    "several tasks cannot be pooled: tasks differ in size and difficulty, and "
                    "folds of one task are not independent. Compare each task by itself, or give "
                    "one score per task (their mean), which are then compared by ranks."
                )
    table = pd.DataFrame({name: pd.Series(column, dtype=float) for name, column in columns.items()})
    undefined = table.isna().any(axis=1)
    notes = []
    if undefined.any():
        left_out = ", ".join(map(str, table.index[undefined]))
        notes.append(f"task {left_out}: left out, some model has no score there")
        table = table[~undefined]
    return FoldScores(table=table, unit="tasks", ratio=0.0, notes=tuple(notes))


def _read_run(name: str, result: Any, metric: str | None) -> _Run:
    if hasattr(result, "outer_scores"):
        return _read_nested(name, result, metric)
    if _is_cross_validate(result):
        return _read_cross_validate(name, result, metric)
    return _Run(_one_score_per_fold(name, as_numbers(result, f"Scores of model {name!r}")))


def _one_score_per_fold(name: str, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    if scores.ndim != 1:
        raise ValueError(
            f"Scores of model {name!r} have shape {scores.shape}, not one score per fold. If the "
            "columns are tasks, compare one task at a time (tasks cannot be pooled); if rows are "
            "repeats and columns folds, flatten them."
        )
    infinite = np.flatnonzero(np.isinf(scores))
    if len(infinite):
        raise ValueError(
            f"Scores of model {name!r} are infinite in fold {', '.join(map(str, infinite))}. NaN "
            "leaves a fold out, for every model."
        )
    return scores


def _read_nested(name: str, result: Any, metric: str | None) -> _Run:
    scores = result.outer_scores if metric is None else result.scores_of(metric)
    scores = _one_score_per_fold(name, np.asarray(scores, dtype=np.float64))
    return _Run(
        scores,
        np.asarray(result.train_sizes, dtype=np.float64),
        np.asarray(result.test_sizes, dtype=np.float64),
        [np.asarray(indices) for indices in result.test_indices],
    )


def _read_cross_validate(name: str, result: Mapping[str, Any], metric: str | None) -> _Run:
    keys = [key for key in result if str(key).startswith("test_")]
    key = keys[0] if metric is None and len(keys) == 1 else f"test_{metric}"
    if key not in result:
        known = ", ".join(repr(str(one).removeprefix("test_")) for one in keys)
        raise ValueError(f"Model {name!r} has several scores: metric must be one of {known}.")
    scores = _one_score_per_fold(name, np.asarray(result[key], dtype=np.float64))
    if "indices" not in result:
        return _Run(scores)
    test = [np.asarray(indices) for indices in result["indices"]["test"]]
    train_sizes = np.array([len(indices) for indices in result["indices"]["train"]], dtype=float)
    return _Run(scores, train_sizes, np.array([len(i) for i in test], dtype=float), test)


def _check_same_folds(runs: dict[str, _Run]) -> list[str]:
    """Refuse folds that differ; return a note where they cannot be compared."""
    counts = {name: len(run.scores) for name, run in runs.items()}
    if len(set(counts.values())) > 1:
        shown = ", ".join(f"{name} has {count}" for name, count in counts.items())
        raise ValueError(
            f"Models were scored on different folds: {shown}. A paired test needs the same folds "
            "for every model: evaluate them with the same cv and random_state."
        )
    known = {name: run for name, run in runs.items() if run.test_indices is not None}
    reference = next(iter(known.items()), None)
    if reference is not None:
        for name, run in known.items():
            _check_same_rows(*reference, name, run)
    if len(known) == len(runs):
        return []
    unknown = ", ".join(name for name in runs if name not in known)
    return [f"that {unknown} used the same folds could not be checked: no test indices given"]


def _check_same_rows(reference: str, first: _Run, name: str, run: _Run) -> None:
    pairs = zip(first.test_indices or [], run.test_indices or [], strict=True)
    for fold, (ours, theirs) in enumerate(pairs):
        if not np.array_equal(np.sort(ours), np.sort(theirs)):
            raise ValueError(
                f"Models were scored on different folds: the test rows of fold {fold} differ "
                f"between {reference!r} and {name!r}. Evaluate all models with the same cv "
                "and random_state, and pair the folds in the same order."
            )
    if np.any(np.asarray(first.train_sizes) != np.asarray(run.train_sizes)):
        raise ValueError(
            f"Models {reference!r} and {name!r} were trained on different numbers of rows in "
            "the same folds: the comparison would be of training sets, not of models."
        )


def _check_one_data_set(run: _Run) -> None:
    """Refuse folds that were put together from data sets of different size."""
    if run.test_indices is None or run.train_sizes is None or run.test_sizes is None:
        return
    rows = run.train_sizes + run.test_sizes
    tested = np.concatenate(run.test_indices)
    overlap = len(np.unique(tested)) < len(tested)
    if overlap and rows.max() > MAX_SIZE_VARIATION * rows.min():
        raise ValueError(
            f"Folds cover from {rows.min():g} to {rows.max():g} rows: they come from several data "
            "sets. Scores of several tasks cannot be pooled as folds. Compare each task by "
            "itself, or give one score per task as a mapping of task to score."
        )


def _ratio(run: _Run, n_train: Any, n_test: Any) -> float:
    n_train = run.train_sizes if n_train is None else n_train
    n_test = run.test_sizes if n_test is None else n_test
    if n_train is None or n_test is None:
        raise ValueError(
            "n_train and n_test are needed: the rows in the training and test part of one fold "
            "tell how strongly fold scores depend on each other. Give them, or results that "
            "know their folds (cross_validate with return_indices=True, or nested_cross_validate)."
        )
    return fold_ratio(n_train, n_test)


def _count_repeats(run: _Run) -> int | None:
    if run.test_indices is None:
        return None
    tested = np.concatenate(run.test_indices)
    times = np.unique(np.unique(tested, return_counts=True)[1])
    return int(times[0]) if len(times) == 1 else None
