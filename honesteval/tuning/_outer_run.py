"""One outer fold under way: the inner search, then one fit on the whole training part."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection._search import BaseSearchCV

from honesteval.tuning._fitting import Data, FitOutcome, FitTask, Task
from honesteval.tuning._optuna_search import BegunSearch, OptunaSearchCV
from honesteval.tuning._result import OuterFold
from honesteval.tuning._scoring import DEFAULT_NAME, Scoring
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
    ) -> None:
        self.place = place
        self.estimator = estimator
        self.data = data
        self.scoring = scoring
        self.rename = rename
        self.begin = begin
        self.finished = finished
        self._search: OptunaSearchCV | None = None
        self._begun: BegunSearch | None = None
        self._searching = False
        self._refitted: FitOutcome | None = None
        self._curve: list[tuple[int, float]] = []
        self._seconds = 0.0
        self._done = False

    def next_round(self) -> list[Task]:
        """Return the next independent tasks; an empty list when the fold is done."""
        if self._done:
            return []
        if self._begun is None and isinstance(self.estimator, OptunaSearchCV):
            self._search = clone(self.estimator)
            self._begun = self.begin(self.place, self._search)
            self._searching = True
            self._started = time.perf_counter()
        if self._searching:
            assert self._begun is not None
            tasks = self._begun.run.next_round()
            if tasks:
                return tasks
            self._searching = False
            self._begun.finish(self._search)  # type: ignore[arg-type]
            self._seconds = time.perf_counter() - self._started
        if self._refitted is None:
            return self._refit_tasks()
        self._done = True
        self.finished(self._as_fold(self._refitted))
        return []

    def receive(self, position: int, outcome: FitOutcome) -> None:
        """Take the outcome of one task of the last round."""
        if self._searching:
            assert self._begun is not None
            self._begun.run.receive(position, outcome)
        elif position == 0:
            self._refitted = outcome
        else:
            size = len(self.place.curve[position - 1])
            self._curve.append((size, outcome.scores.get(self._main(), float("nan"))))

    def _refit_tasks(self) -> list[Task]:
        """Fit the chosen setting on the training part, and on parts of it for the curve."""
        model, data = self._chosen()
        task = FitTask(
            estimator=model,
            data=data,
            train=self.place.train,
            test=self.place.test,
            scoring=self.scoring,
            keep="predictions",
            raise_errors=True,
        )
        curve = [
            FitTask(model, data, rows, self.place.test, self.scoring) for rows in self.place.curve
        ]
        return [task, *curve]

    def _chosen(self) -> tuple[Any, Data]:
        if self._begun is not None and self._search is not None:
            return self._begun.best_estimator(self._search), self._begun.run.settings.data
        if isinstance(self.estimator, BaseSearchCV) and self.place.inner is not None:
            search = clone(self.estimator)
            return search.set_params(cv=_local(self.place)), self.data
        return self.estimator, self.data

    def _main(self) -> str:
        names = tuple(self.scoring.single)
        refit = getattr(self.estimator, "refit", None)
        return refit if isinstance(refit, str) and refit in names else names[0]

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
            search_seconds=self._seconds,
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


def is_default(names: Sequence[str]) -> bool:
    """Whether there is one unnamed score only."""
    return list(names) == [DEFAULT_NAME]
