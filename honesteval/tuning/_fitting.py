"""One fit on one training part, scored on its test part: the unit of all parallel work."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils import _safe_indexing
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.validation import _check_method_params

from honesteval.tuning._scoring import Scoring, long_error, short_error
from honesteval.tuning._searches import is_search
from honesteval.tuning._seeding import with_seeds

Keep = Literal["scores", "predictions", "estimator"]
Columns = Mapping[str, Any]


@dataclass(frozen=True)
class Data:
    """The rows that every fit of one search or one outer fold shares.

    ``fit_params`` and ``score_params`` hold full columns; they are sliced with the rows.
    """

    X: Any
    y: Any
    fit_params: Columns = field(default_factory=dict)
    score_params: Columns = field(default_factory=dict)
    routed: bool = False

    def without_rows(self) -> Data:
        """Return the same without anything large."""
        return Data(None, None, routed=self.routed)


@dataclass(frozen=True)
class PreparedFold:
    """Rows of one fold after the steps that no tuned parameter touches."""

    X_train: Any
    X_test: Any
    steps: tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class SearchSummary:
    """What a fitted scikit-learn search says about its choice."""

    best_params: dict[str, Any]
    best_score: float
    n_trials: int
    n_failed: int


@dataclass(frozen=True)
class FitOutcome:
    """What came back from one task."""

    scores: dict[str, float] = field(default_factory=dict)
    train_scores: dict[str, float] = field(default_factory=dict)
    error: str | None = None
    traceback: str | None = None
    fit_seconds: float = 0.0
    score_seconds: float = 0.0
    predictions: Any = None
    predicted_scores: Any = None
    classes: Any = None
    search: SearchSummary | None = None
    estimator: Any = None
    prepared: PreparedFold | None = None


class Task(Protocol):
    """Work for one worker. The shared rows travel beside it, so that they are sent once."""

    @property
    def data(self) -> Data:
        """The shared rows."""

    def without_rows(self) -> Task:
        """Return the task without the shared rows, to send beside them."""

    def run(self, data: Data) -> FitOutcome:
        """Do the work on the rows."""


@dataclass(frozen=True)
class FitTask:
    """Fit, score and predict one fold.

    Parameters
    ----------
    estimator : estimator
        Unfitted, with its parameters set. It is cloned before it is fitted.
    data : Data
    train, test : ndarray of int
        Positions of the rows.
    scoring : Scoring
    prepared : PreparedFold or None
        The fold's rows after the first ``len(prepared.steps)`` steps of the pipeline.
    keep : {"scores", "predictions", "estimator"}
        What to bring back; each includes what stands before it.
    train_score : bool
        Whether the training part is scored as well.
    raise_errors : bool
        Whether an error ends everything; otherwise it becomes part of the outcome.
    seed : int or None
        For the random parts of the estimator that have none of their own.
    """

    estimator: Any
    data: Data
    train: NDArray[np.intp]
    test: NDArray[np.intp]
    scoring: Scoring
    prepared: PreparedFold | None = None
    keep: Keep = "scores"
    train_score: bool = False
    raise_errors: bool = False
    seed: int | None = None

    def without_rows(self) -> FitTask:
        """Return the task without the shared rows, to send beside them."""
        return replace(self, data=self.data.without_rows())

    def run(self, data: Data) -> FitOutcome:
        """Fit, score and predict."""
        return _fit_and_score(replace(self, data=data))


@dataclass(frozen=True)
class PrepareTask:
    """Fit the steps of a pipeline that no tuned parameter touches, and transform one fold."""

    steps: Any
    data: Data
    train: NDArray[np.intp]
    test: NDArray[np.intp]
    seed: int | None = None

    def without_rows(self) -> PrepareTask:
        """Return the task without the shared rows, to send beside them."""
        return replace(self, data=self.data.without_rows())

    def run(self, data: Data) -> FitOutcome:
        """Fit the steps on the training part; a failure leaves the work to the whole pipeline."""
        steps = with_seeds(clone(self.steps), self.seed)
        try:
            X_train, y_train = _safe_split(steps, data.X, data.y, self.train)
            X_test, _ = _safe_split(steps, data.X, None, self.test, self.train)
            Xt_train, Xt_test = steps.fit_transform(X_train, y_train), X_test
            for _, step in steps.steps:
                if step is not None and step != "passthrough":
                    Xt_test = step.transform(Xt_test)
            prepared = PreparedFold(Xt_train, Xt_test, tuple(steps.steps))
        except Exception as error:
            return FitOutcome(error=short_error(error))
        return FitOutcome(prepared=prepared)


def run_task(X: Any, y: Any, fit_params: Columns, score_params: Columns, task: Task) -> FitOutcome:
    """Run a task on the shared rows; columns are arguments so that back-ends send them once."""
    return task.run(Data(X, y, fit_params, score_params, routed=task.data.routed))


def _fit_and_score(task: FitTask) -> FitOutcome:
    started = time.perf_counter()
    fitted_after: float | None = None
    brought: dict[str, Any] = {}
    try:
        rows = _FoldRows(task)
        model = rows.model()
        model.fit(rows.X_train, rows.y_train, **rows.columns(task.data.fit_params, task.train))
        fitted_after = time.perf_counter() - started
        final = model.best_estimator_ if is_search(model) else model
        brought["scores"] = rows.scores(final, task.test)
        if task.train_score:
            brought["train_scores"] = rows.scores(final, task.train)
        if task.keep != "scores":
            brought.update(predict_rows(final, rows.X_test))
            brought["search"] = summarise_search(model)
        if task.keep == "estimator":
            brought["estimator"] = rows.whole(model)
    except Exception as error:
        if task.raise_errors:
            raise
        brought = {"error": short_error(error), "traceback": long_error(error)}
    seconds = time.perf_counter() - started
    fit_seconds = seconds if fitted_after is None else fitted_after
    return FitOutcome(fit_seconds=fit_seconds, score_seconds=seconds - fit_seconds, **brought)


class _FoldRows:
    """The rows of one fold, as the model that is fitted and as the scorer sees them."""

    def __init__(self, task: FitTask) -> None:
        self.task = task
        data, prepared = task.data, task.prepared
        if prepared is None:
            self.X_train, self.y_train = _safe_split(task.estimator, data.X, data.y, task.train)
            self.X_test, self.y_test = _safe_split(
                task.estimator, data.X, data.y, task.test, task.train
            )
        else:
            self.X_train, self.X_test = prepared.X_train, prepared.X_test
            self.y_train, self.y_test = self._labels(task.train), self._labels(task.test)

    def model(self) -> Any:
        """Return the unfitted part of the estimator that is still to be fitted."""
        prepared = self.task.prepared
        whole = self.task.estimator
        unfitted = clone(whole if prepared is None else whole[len(prepared.steps) :])
        return with_seeds(unfitted, self.task.seed)

    def whole(self, model: Any) -> Any:
        """Return the whole fitted estimator."""
        prepared = self.task.prepared
        if prepared is None:
            return model
        return type(model)([*prepared.steps, *model.steps])

    def columns(self, params: Columns, rows: NDArray[np.intp]) -> Columns:
        """Return the given rows of the columns."""
        return _check_method_params(self.task.data.X, params=params, indices=rows)

    def scores(self, model: Any, rows: NDArray[np.intp]) -> dict[str, float]:
        """Score the model on the training or the test part.

        scikit-learn's own scorers look at predictions alone, so the rest of a pipeline on
        prepared rows answers the same. Any other scorer gets the whole pipeline and the rows as
        they were.
        """
        task = self.task
        X = self.X_train if rows is task.train else self.X_test
        y = self.y_train if rows is task.train else self.y_test
        if task.prepared is not None and not task.scoring.uses_predictions_alone:
            model, X = self.whole(model), _safe_split(model, task.data.X, None, rows)[0]
        params = self.columns(task.data.score_params, rows)
        return task.scoring.evaluate(model, X, y, params, routed=task.data.routed)

    def _labels(self, rows: NDArray[np.intp]) -> Any:
        y = self.task.data.y
        return None if y is None else _safe_indexing(y, rows)


def predict_rows(estimator: Any, X: Any) -> dict[str, Any]:
    """Return labels or values, and for a classifier what its ranking metrics look at.

    The scores of a binary classifier are one column: the probability of ``classes_[1]``, or its
    decision value where the model has no probabilities. With more classes they are one column
    per class.
    """
    predictions = np.asarray(estimator.predict(X))
    if not is_classifier(estimator) or not hasattr(estimator, "classes_"):
        return {"predictions": predictions}
    brought = {"predictions": predictions, "classes": np.asarray(estimator.classes_)}
    for method in ("predict_proba", "decision_function"):
        if hasattr(estimator, method):
            scores = np.asarray(getattr(estimator, method)(X), dtype=np.float64)
            if scores.ndim == 2 and scores.shape[1] == 2:
                scores = scores[:, 1]
            return {**brought, "predicted_scores": scores}
    return brought


def summarise_search(estimator: Any) -> SearchSummary | None:
    """Return what a fitted search chose, or None when the estimator is no search."""
    if not hasattr(estimator, "best_params_"):
        return None
    results = getattr(estimator, "cv_results_", {})
    means = np.asarray(results.get("mean_test_score", []), dtype=np.float64)
    return SearchSummary(
        best_params=dict(estimator.best_params_),
        best_score=float(getattr(estimator, "best_score_", np.nan)),
        n_trials=len(results.get("params", getattr(estimator, "trials_", ()))),
        n_failed=int(getattr(estimator, "n_failed_trials_", np.isnan(means).sum())),
    )
