"""One outer fold under way: the inner search, then one fit on the whole training part."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from honesteval.tuning._fitting import Data, FitOutcome, FitTask, Task
from honesteval.tuning._optuna_search import BegunSearch, OptunaSearchCV
from honesteval.tuning._result import OuterFold
from honesteval.tuning._scoring import DEFAULT_NAME, Scoring
from honesteval.tuning._searches import is_search
from honesteval.tuning._splits import Split


@dataclass(frozen=True)
class OuterPlace:
    """Which outer fold, and its rows."""

    repeat: int
    fold: int
    task: int
    train: Any
    test: Any
    inner: Sequence[Split] | None
    curve: tuple[Any, ...] = ()

    @property
    def shown(self) -> str:
        """Return the place in words."""
        return f"outer fold {self.fold} of repeat {self.repeat}"


class OuterRun:
    """The rounds of one outer fold.

    Parameters
    ----------
    place : OuterPlace
    estimator : estimator
        An :class:`OptunaSearchCV`, another search, or an estimator without a search.
    data : Data
        All rows.
    scoring : Scoring
        Outer scores.
    rename : callable
        From a scorer's internal name to the one to show.
    begin : callable
        Begins the inner search of an :class:`OptunaSearchCV` on this place.
    finished : callable
        Called with the finished fold.
    seed : int or None
        For the random parts of models that have no seed.
    """

    def __init__(
        self,
        place: OuterPlace,
        estimator: Any,
        data: Data,
        scoring: Scoring,
        *,
        rename: Callable[[str], str],
        begin: Callable[[OuterPlace, OptunaSearchCV], BegunSearch],
        finished: Callable[[OuterFold], None],
        seed: int | None,
    ) -> None:
        self.place = place
        self.estimator = estimator
        self.data = data
        self.scoring = scoring
        self.rename = rename
        self.begin = begin
        self.finished = finished
        self.seed = seed
        self._search: OptunaSearchCV | None = None
        self._begun: BegunSearch | None = None
        self._outcome: FitOutcome | None = None
        self._curve: list[tuple[int, float]] = []
        self._started = 0.0
        self._search_seconds = 0.0
        self._stages = iter(("search", "refit", "curve"))
        self._stage = ""
        self._done = False

    def next_round(self) -> list[Task]:
        """Return the next independent tasks; an empty list when the fold is done."""
        while not self._done:
            if self._stage == "search":
                tasks = self._search_round()
                if tasks:
                    return tasks
            self._stage = next(self._stages, "done")
            tasks = self._begin_stage()
            if tasks:
                return tasks
        return []

    def receive(self, position: int, outcome: FitOutcome) -> None:
        """Take the outcome of one task of the last round."""
        if self._stage == "search" and self._begun is not None:
            self._begun.run.receive(position, outcome)
        elif self._stage == "refit":
            self._outcome = outcome
        else:
            size = len(self.place.curve[position])
            name = main_score(self.estimator, outcome.scores)
            self._curve.append((size, outcome.scores.get(name, float("nan"))))

    def _begin_stage(self) -> list[Task]:
        if self._stage == "search" and isinstance(self.estimator, OptunaSearchCV):
            self._search = clone(self.estimator)
            self._started = time.perf_counter()
            self._begun = self.begin(self.place, self._search)
            return self._search_round()
        if self._stage == "refit":
            return [self._refit_task()]
        if self._stage == "curve":
            return self._curve_tasks()
        if self._stage == "done":
            self._done = True
            if self._outcome is not None:
                self.finished(self._as_fold(self._outcome))
        return []

    def _search_round(self) -> list[Task]:
        if self._begun is None or self._search is None or self._search_seconds:
            return []
        tasks = self._begun.run.next_round()
        if not tasks:
            self._begun.finish(self._search)
            self._search_seconds = time.perf_counter() - self._started
        return tasks

    def _refit_task(self) -> Task:
        """Fit the chosen setting on the training part (another search chooses it there itself)."""
        model, data = self.estimator, self.data
        if self._begun is not None and self._search is not None:
            model, data = self._begun.best_estimator(self._search), self._begun.run.settings.data
        elif is_search(model) and self.place.inner is not None:
            model = clone(model).set_params(cv=_local(self.place))
        return FitTask(
            estimator=model,
            data=data,
            train=self.place.train,
            test=self.place.test,
            scoring=self.scoring,
            keep="predictions",
            raise_errors=True,
            seed=self.seed,
        )

    def _curve_tasks(self) -> list[Task]:
        """Fit the chosen setting on parts of the training part."""
        model = self.estimator
        if self._begun is not None and self._search is not None:
            model = self._begun.best_estimator(self._search)
        elif self._outcome is not None and self._outcome.search is not None:
            chosen = clone(self._outcome.search.best_params, safe=False)
            model = clone(self.estimator.estimator).set_params(**chosen)
        return [
            FitTask(model, self.data, rows, self.place.test, self.scoring, seed=self.seed)
            for rows in self.place.curve
        ]

    def _as_fold(self, outcome: FitOutcome) -> OuterFold:
        place, search = self.place, outcome.search
        if self._search is not None:
            chosen = {
                "best_params": dict(self._search.best_params_),
                "inner_best_score": float(getattr(self._search, "best_score_", np.nan)),
                "n_trials": self._search.n_trials_,
                "n_failed_trials": self._search.n_failed_trials_,
                "first_error": self._search.first_error_,
            }
        elif search is not None:
            chosen = {
                "best_params": search.best_params,
                "inner_best_score": search.best_score,
                "n_trials": search.n_trials,
                "n_failed_trials": search.n_failed,
            }
        else:
            chosen = {}
        return OuterFold(
            repeat=place.repeat,
            fold=place.fold,
            task=place.task,
            train_size=len(place.train),
            test_size=len(place.test),
            test_indices=place.test,
            predictions=outcome.predictions,
            predicted_scores=outcome.predicted_scores,
            scores={self.rename(name): value for name, value in outcome.scores.items()},
            search_seconds=self._search_seconds,
            refit_seconds=outcome.fit_seconds,
            learning_curve=tuple(sorted(self._curve)),
            **chosen,
        )


def _local(place: OuterPlace) -> list[Split]:
    """Return the inner folds as positions within the training part."""
    where = np.zeros(int(place.train.max()) + 1, dtype=np.intp)
    where[place.train] = np.arange(len(place.train))
    assert place.inner is not None
    return [(where[train], where[test]) for train, test in place.inner]


def main_score(model: Any, scores: Mapping[str, float]) -> str:
    """Return the name of the score that the search maximises: ``refit``, or the first one."""
    refit = getattr(model, "refit", None)
    if isinstance(refit, str) and (refit in scores or not scores):
        return refit
    return next(iter(scores), DEFAULT_NAME)
