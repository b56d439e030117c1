"""Out-of-fold predictions of the tuned model and of the nearest neighbour, and their scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honesteval._validation import check_number
from honesteval.report._evaluation import FoldedSplit, Predictor, PredictorScores
from honesteval.report._metrics import SCORING, prediction_for, ranks
from honesteval.report._models import Model
from honesteval.report._rows import EvaluatedRows
from honesteval.report._splits import inner_folds
from honesteval.report._target import Target
from honesteval.stats import (
    BootstrapDifference,
    BootstrapResult,
    PermutationTestResult,
    bootstrap_difference,
    bootstrap_metrics,
    get_metric,
    permutation_test,
)
from honesteval.stats._fold_means import (
    bootstrap_fold_difference,
    bootstrap_fold_means,
    fold_mean,
)
from honesteval.tuning import NestedCVResult, nested_cross_validate


@dataclass(frozen=True)
class Effort:
    """How much work an evaluation does.

    Parameters
    ----------
    n_trials, n_inner_splits, n_permutations, n_resamples : int
    confidence_level : float
    random_state : int
    n_jobs : int or None
    progress : bool or None
    """

    n_trials: int
    n_inner_splits: int
    n_permutations: int
    n_resamples: int
    confidence_level: float
    random_state: int
    n_jobs: int | None
    progress: bool | None

    def __post_init__(self) -> None:
        check_number(self.n_trials, "n_trials", low=1, integer=True)
        check_number(self.n_inner_splits, "n_inner_splits", low=2, integer=True)
        check_number(self.n_permutations, "n_permutations", low=0, integer=True)
        check_number(self.n_resamples, "n_resamples", low=2, integer=True)
        check_number(self.confidence_level, "confidence_level", low=0, high=1, closed="neither")
        check_number(self.random_state, "random_state", low=0, high=2**32 - 1, integer=True)


@dataclass(frozen=True, eq=False)
class TaskRows:
    """The rows of one target that have a label.

    Parameters
    ----------
    data : EvaluatedRows
        All rows.
    target : Target
        Its labels, of the rows below.
    rows : ndarray of int, shape (n_labelled,)
        Their positions among all rows.
    metrics : tuple of str
    """

    data: EvaluatedRows
    target: Target
    rows: NDArray[np.intp]
    metrics: tuple[str, ...]

    @property
    def y(self) -> NDArray[Any]:
        """Labels as a model wants them: values, or whole numbers for classes."""
        values = self.target.values
        return values if self.target.is_regression else values.astype(np.intp)

    @property
    def features(self) -> Any:
        """Features of the labelled rows."""
        from sklearn.utils import _safe_indexing

        everything = len(self.rows) == len(self.data)
        return self.data.features if everything else _safe_indexing(self.data.features, self.rows)


def task_rows(data: EvaluatedRows, target: Target, metrics: tuple[str, ...]) -> TaskRows:
    """Return the rows of one target that have a label."""
    rows = np.flatnonzero(target.labelled)
    return TaskRows(data, target.take(rows), rows, metrics)


def score_model(
    task: TaskRows, split: FoldedSplit, model: Model, effort: Effort
) -> PredictorScores:
    """Run the nested cross-validation of the model on the folds of a split."""
    outer = list(split.splits(task.rows))
    nested = nested_cross_validate(
        model.estimator,
        task.features,
        task.y,
        search_space=model.search_space,
        outer_cv=outer,
        inner_cv=None if model.search_space is None else inner_folds(
            split.name, task.data, is_classifier=not task.target.is_regression,
            n_splits=effort.n_inner_splits, random_state=effort.random_state,
        ),
        scoring=SCORING[task.metrics[0]],
        n_trials=None if model.search_space is None else effort.n_trials,
        groups=task.rows if split.name == "similarity" else None,
        random_state=effort.random_state,
        n_jobs=effort.n_jobs,
        progress=effort.progress,
    )  # fmt: skip
    predictions = np.asarray(nested.predictions, dtype=np.float64)
    ranking = _ranking(task, nested)
    return _scored(
        task, split, effort, predictor="model", predictions=predictions, ranking=ranking,
        nested=nested,
    )  # fmt: skip


def _ranking(task: TaskRows, nested: NestedCVResult) -> NDArray[np.float64] | None:
    if task.target.kind != "binary":
        return None
    return np.asarray(nested.predicted_scores, dtype=np.float64)


def score_nearest(task: TaskRows, split: FoldedSplit, effort: Effort) -> PredictorScores:
    """Score the label of the most similar training row, the mean over ties."""
    n_classes = len(task.target.classes)
    regression = task.target.is_regression
    y = task.y if regression else np.eye(n_classes)[task.y]
    found = np.empty(y.shape)
    for train, test in split.splits(task.rows):
        _, found[test], _ = task.data.similarity.nearest_mean(
            task.rows[test], task.rows[train], y[train]
        )
    predictions = found if regression else found.argmax(axis=1).astype(np.float64)
    ranking = found[:, 1].copy() if task.target.kind == "binary" else None
    return _scored(
        task, split, effort, predictor="nearest", predictions=predictions, ranking=ranking,
        nested=None,
    )  # fmt: skip


def guesses(task: TaskRows, split: FoldedSplit, metric: str) -> NDArray[np.float64]:
    """Return what is predicted by who has learned nothing but the labels of the training rows.

    The one value that does best by the metric: the median for the mean absolute error, the mean
    for other errors, the most frequent class; for a ranking, the same for every row.
    """
    guessed = np.zeros(len(task.rows))
    if ranks(metric):
        return guessed
    for train, test in split.splits(task.rows):
        labels = task.target.values[train]
        if not task.target.is_regression:
            guessed[test] = np.bincount(labels.astype(np.intp)).argmax()
        else:
            guessed[test] = np.median(labels) if metric == "mae" else labels.mean()
    return guessed


def compare_with_guesses(
    task: TaskRows, model: PredictorScores, split: FoldedSplit, effort: Effort
) -> BootstrapDifference | None:
    """Return the score of a model minus that of guesses on the same rows, None if undefined."""
    metric = task.metrics[0]
    guessed = guesses(task, split, metric)
    if not np.isfinite(_score(metric, task, guessed, model.fold)):
        return None
    return _difference(task, model, (guessed, model.fold), effort)


def compare(
    task: TaskRows, first: PredictorScores, second: PredictorScores, effort: Effort
) -> BootstrapDifference:
    """Return the paired difference of two predictors' first metric on the same rows."""
    used = prediction_for(task.metrics[0], second.predictions, second.ranking)
    return _difference(task, first, (used, second.fold), effort)


def _difference(
    task: TaskRows, first: PredictorScores, second: tuple[Any, NDArray[np.intp]], effort: Effort
) -> BootstrapDifference:
    metric, y = task.metrics[0], task.target.values
    used = prediction_for(metric, first.predictions, first.ranking)
    if ranks(metric):
        return bootstrap_fold_difference(
            get_metric(metric), y, (used, first.fold), second, **_resampling(task, effort)
        )
    return bootstrap_difference(y, used, second[0], metric=metric, **_resampling(task, effort))


def _resampling(task: TaskRows, effort: Effort) -> dict[str, Any]:
    return {
        "groups": clusters(task),
        "n_resamples": effort.n_resamples,
        "confidence_level": effort.confidence_level,
        "random_state": effort.random_state,
    }


def _score(metric: str, task: TaskRows, used: Any, fold: NDArray[np.intp]) -> float:
    """Return the mean over folds of a score of rankings, else the score of all rows."""
    y = task.target.values
    if ranks(metric):
        return fold_mean(get_metric(metric), y, used, fold)
    return float(get_metric(metric)(y, used))


def permute_labels(
    task: TaskRows, split: FoldedSplit, model: Model, scores: PredictorScores, effort: Effort
) -> PermutationTestResult | None:
    """Refit the model, with its most frequent settings, on permuted labels."""
    if effort.n_permutations == 0 or scores.nested is None:
        return None
    from sklearn.base import clone

    estimator = clone(model.estimator).set_params(**usual_params(scores.nested))
    return permutation_test(
        estimator,
        task.features,
        task.y,
        cv=list(split.splits(task.rows)),
        scoring=SCORING[task.metrics[0]],
        permute="rows",
        n_permutations=effort.n_permutations,
        random_state=effort.random_state,
        n_jobs=effort.n_jobs,
    )


def usual_params(nested: NestedCVResult) -> dict[str, Any]:
    """Return the settings that most outer folds chose; of equals, the first fold's."""
    counts = Counter(repr(sorted(params.items())) for params in nested.best_params)
    usual = counts.most_common(1)[0][0]
    return next(dict(p) for p in nested.best_params if repr(sorted(p.items())) == usual)


def clusters(task: TaskRows) -> NDArray[np.intp] | None:
    """Return the entity of each row, or None when every row is another one."""
    groups = task.data.groups[task.rows]
    return groups if len(np.unique(groups)) < len(groups) else None


def _scored(
    task: TaskRows, split: FoldedSplit, effort: Effort, *, predictor: Predictor,
    predictions: NDArray[np.float64], ranking: NDArray[np.float64] | None,
    nested: NestedCVResult | None,
) -> PredictorScores:  # fmt: skip
    first = task.metrics[0]
    used = prediction_for(first, predictions, ranking)
    metric = get_metric(first)
    fold_scores = [
        metric(task.target.values[test], used[test]) for _, test in split.splits(task.rows)
    ]
    fold = split.fold[task.rows]
    scores, undefined = _intervals(task, predictions, ranking, fold, effort)
    if first in undefined:
        raise ValueError(
            f"{metric.label} of the {predictor} on the {split.name} split is undefined: "
            f"{undefined[first]}. Choose another metric."
        )
    return PredictorScores(
        predictor=predictor,
        split=split.name,
        predictions=predictions,
        ranking=ranking,
        scores=scores,
        undefined=undefined,
        fold_scores=np.array(fold_scores),
        fold=fold,
        nested=nested,
    )


def _intervals(
    task: TaskRows, predictions: NDArray[np.float64], ranking: NDArray[np.float64] | None,
    fold: NDArray[np.intp], effort: Effort,
) -> tuple[dict[str, BootstrapResult], dict[str, str]]:  # fmt: skip
    """Return every metric with its interval, and why the others are undefined."""
    y = task.target.values
    found: dict[str, BootstrapResult] = {}
    undefined: dict[str, str] = {}
    for wanted in _by_input(task.metrics):
        used = prediction_for(wanted[0], predictions, ranking)
        for name in wanted:
            metric = get_metric(name)
            if not np.isfinite(_score(name, task, used, fold)):
                undefined[name] = metric.why_undefined(metric.sample(y, used))
        defined = [name for name in wanted if name not in undefined]
        if not defined:
            continue
        if ranks(defined[0]):
            metrics = [get_metric(name) for name in defined]
            results = bootstrap_fold_means(metrics, y, used, fold, **_resampling(task, effort))
        else:
            results = bootstrap_metrics(y, used, metrics=defined, **_resampling(task, effort))
        found.update(zip(defined, results, strict=True))
    return {name: found[name] for name in task.metrics if name in found}, undefined


def _by_input(metrics: Sequence[str]) -> list[list[str]]:
    ranking = [name for name in metrics if ranks(name)]
    others = [name for name in metrics if not ranks(name)]
    return [names for names in (ranking, others) if names]
