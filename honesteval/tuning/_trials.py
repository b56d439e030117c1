"""One search under way: asking for trials in batches, taking their fold scores, telling them.

All trials of a batch are asked for before any of them is told, and each trial's sampler is seeded
by the trial's number. So the same seed gives the same trials whatever the number of workers, and
after any interruption. Every fold's scores are written into the trial as they arrive.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone

from honesteval.tuning._fitting import Data, FitOutcome, FitTask, PrepareTask, Task
from honesteval.tuning._parameter_names import check_parameter_names
from honesteval.tuning._preprocessing_cache import PreprocessingCache, n_shared_steps
from honesteval.tuning._scoring import DEFAULT_NAME, Scoring
from honesteval.tuning._search_space import SearchSpace, estimator_choices, stored_suggestion
from honesteval.tuning._seeding import derive_seed
from honesteval.tuning._splits import Split

FAILURES_BEFORE_GIVING_UP = 10
"""When this many first trials have all failed, the search ends with the first error."""

FOLD_ATTRIBUTE = "honesteval:fold"

Record = dict[str, Any]


@dataclass(frozen=True)
class SearchSettings:
    """What stays the same during one search.

    ``metric`` names the score that is maximised; None takes the only or the first one.
    ``sampler`` is an Optuna sampler, or a function from a seed to one. ``model_seed`` is for the
    random parts of models that have no seed; None leaves them random.
    """

    estimator: Any
    space: SearchSpace
    splits: Sequence[Split]
    data: Data
    scoring: Scoring
    metric: str | None
    n_trials: int
    batch_size: int
    timeout: float | None
    error_score: Any
    train_score: bool
    keep_predictions: bool
    sampler: Any
    prunes: bool
    seed: int
    model_seed: int | None


@dataclass
class _LiveTrial:
    """A trial of the current batch."""

    trial: Any
    built: Any
    shared_steps: int
    records: dict[int, Record]
    reported: set[int] = field(default_factory=set)
    told: bool = False


class TrialRun:
    """The rounds of one search; see the module's description.

    Parameters
    ----------
    settings : SearchSettings
    study : optuna.Study
    cache : PreprocessingCache
    """

    def __init__(self, settings: SearchSettings, study: Any, cache: PreprocessingCache) -> None:
        self.settings = settings
        self.study = study
        self.cache = cache
        self.predictions: dict[int, dict[int, FitOutcome]] = {}
        self.stop_reason = ""
        self._started = time.monotonic()
        self._batch: list[_LiveTrial] = []
        self._sent: list[tuple[Any, int]] = []
        self._is_exhausted = False

    def next_round(self) -> list[Task]:
        """Return the tasks of the next round; an empty list when the search is over."""
        while self._batch or self._start_batch():
            tasks = self._prepare_tasks() or self._score_tasks()
            if tasks:
                return tasks
            self._end_batch()
        self.cache.clear()
        return []

    def receive(self, position: int, outcome: FitOutcome) -> None:
        """Take the outcome of one task of the last round."""
        where, fold = self._sent[position]
        if isinstance(where, str):
            self.cache.put(where, fold, outcome.prepared)
            return
        if self.settings.keep_predictions and outcome.error is None:
            self.predictions.setdefault(where.trial.number, {})[fold] = outcome
        where.records[fold] = record = _as_record(outcome)
        where.trial.set_user_attr(f"{FOLD_ATTRIBUTE}{fold}", record)
        self._settle(where)

    # ------------------------------------------------------------------ batches

    def _start_batch(self) -> bool:
        stored = self.study.get_trials(deepcopy=False)
        running = [trial for trial in stored if trial.state.name == "RUNNING"]
        n_finished = sum(trial.state.is_finished() for trial in stored)
        size = self.settings.batch_size - n_finished % self.settings.batch_size
        size = max(len(running), min(size, self.settings.n_trials - n_finished))
        if size == 0:
            self.stop_reason = "n_trials"
            return False
        if not running and (self._is_exhausted or self._time_is_up()):
            self.stop_reason = "sampler" if self._is_exhausted else "timeout"
            return False
        self._batch = [self._live(self._reopen(trial), trial) for trial in running]
        self._batch += [self._live(self._ask()) for _ in range(size - len(running))]
        for live in self._batch:
            if not live.told:
                self._settle(live)
        return True

    def _ask(self) -> Any:
        stored = self.study.get_trials(deepcopy=False)
        waiting = [trial.number for trial in stored if trial.state.name == "WAITING"]
        self.study.sampler = self._sampler(min(waiting, default=len(stored)))
        return self.study.ask()

    def _reopen(self, stored: Any) -> Any:
        """Return a live trial for one that an ended process left running."""
        import optuna

        self.study.sampler = self._sampler(stored.number)
        return optuna.trial.Trial(self.study, stored._trial_id)

    def _sampler(self, number: int) -> Any:
        sampler = self.settings.sampler
        return sampler(derive_seed(self.settings.seed, number)) if callable(sampler) else sampler

    def _live(self, trial: Any, stored: Any = None) -> _LiveTrial:
        """Let the space suggest the trial's parameters and build its estimator."""
        import optuna

        try:
            suggested = self.settings.space.suggest(trial)
        except optuna.TrialPruned:
            self._tell(trial, "PRUNED")
            return _LiveTrial(trial, None, 0, {}, told=True)
        built = build_estimator(self.settings.estimator, suggested, self.settings.space)
        data = self.settings.data
        shared = n_shared_steps(built.estimator, built.tuned, data.fit_params, routed=data.routed)
        live = _LiveTrial(trial, built, shared, {})
        if stored is not None:
            live.records = fold_records(stored)
            live.reported = set(stored.intermediate_values)
        return live

    def _time_is_up(self) -> bool:
        limit = self.settings.timeout
        return limit is not None and time.monotonic() - self._started >= limit

    def _end_batch(self) -> None:
        self._batch = []
        stored = [t for t in self.study.get_trials(deepcopy=False) if t.state.is_finished()]
        enough = min(FAILURES_BEFORE_GIVING_UP, self.settings.n_trials)
        if len(stored) >= enough and all(trial.state.name == "FAIL" for trial in stored):
            raise_first_error(stored)

    # ------------------------------------------------------------------ rounds

    def _open_folds(self) -> list[tuple[_LiveTrial, int]]:
        """Return the fits still to be done: every fold, or with a pruner the next one."""
        found = []
        for live in self._batch:
            if not live.told:
                folds = [f for f in range(len(self.settings.splits)) if f not in live.records]
                found += [(live, fold) for fold in (folds[:1] if self.settings.prunes else folds)]
        return found

    def _prepare_tasks(self) -> list[Task]:
        self._sent = []
        tasks: list[Task] = []
        for live, fold in self._open_folds():
            key = self._cache_key(live)
            if key is None or self.cache.has(key, fold) or (key, fold) in self._sent:
                continue
            self._sent.append((key, fold))
            train, test = self.settings.splits[fold]
            steps = live.built.estimator[: live.shared_steps]
            seed = self.settings.model_seed
            tasks.append(PrepareTask(steps, self.settings.data, train, test, seed))
        return tasks

    def _score_tasks(self) -> list[Task]:
        settings = self.settings
        self._sent = list(self._open_folds())
        return [
            FitTask(
                estimator=live.built.estimator,
                data=settings.data,
                train=settings.splits[fold][0],
                test=settings.splits[fold][1],
                scoring=settings.scoring,
                prepared=self.cache.get(self._cache_key(live), fold),
                keep="predictions" if settings.keep_predictions else "scores",
                train_score=settings.train_score,
                raise_errors=settings.error_score == "raise",
                seed=settings.model_seed,
            )
            for live, fold in self._sent
        ]

    def _cache_key(self, live: _LiveTrial) -> str | None:
        return self.cache.key(
            live.built.estimator, live.shared_steps, is_own=live.built.made_by_space
        )

    # ------------------------------------------------------------------ verdicts

    def _settle(self, live: _LiveTrial) -> None:
        """Report, prune or tell a trial as far as its folds have come in."""
        n_folds = len(self.settings.splits)
        values = [self._value(live.records[f]) for f in sorted(live.records)]
        if self.settings.prunes and values and len(values) < n_folds:
            step = len(values) - 1
            mean = float(np.mean(values))
            if not np.isfinite(mean):
                self._tell(live.trial, "FAIL")
                live.told = True
                return
            if step not in live.reported:
                live.trial.report(mean, step)
                live.reported.add(step)
            if live.trial.should_prune():
                self._tell(live.trial, "PRUNED")
                live.told = True
        elif len(values) == n_folds:
            mean = float(np.mean(values))
            self._tell(live.trial, "COMPLETE" if np.isfinite(mean) else "FAIL", mean)
            live.told = True

    def _value(self, record: Record) -> float:
        if record["error"] is not None:
            return float(self.settings.error_score)
        return metric_value(record["test"], self.settings.metric)

    def _tell(self, trial: Any, state: str, value: float | None = None) -> None:
        from optuna.trial import TrialState

        told = value if state == "COMPLETE" else None
        try:
            self.study.tell(trial, told, state=TrialState[state])
        except RuntimeError as error:
            # a sampler that has no setting left (GridSampler) asks the study to stop, which
            # Optuna refuses outside its own loop; the trial has been told by then
            if "stop" not in str(error):
                raise
            self._is_exhausted = True


@dataclass(frozen=True)
class BuiltEstimator:
    """An unfitted estimator for one trial, and which of its parameters the trial has set.

    An estimator that the space made itself counts as tuned in its last step.
    """

    estimator: Any
    tuned: tuple[str, ...]
    made_by_space: bool


def build_estimator(estimator: Any, suggested: Any, space: SearchSpace) -> BuiltEstimator:
    """Return the estimator for what the space suggested."""
    if not isinstance(suggested, dict):
        steps = getattr(suggested, "steps", None)
        return BuiltEstimator(clone(suggested), (steps[-1][0],) if steps else (), True)
    check_parameter_names(
        estimator, tuple(suggested), {**estimator_choices(space), **_as_choices(suggested)},
        where="search_space",
    )  # fmt: skip
    built = clone(estimator).set_params(**clone(suggested, safe=False))
    return BuiltEstimator(built, tuple(suggested), False)


def suggested_params(space: SearchSpace, stored: Any) -> dict[str, Any]:
    """Return what a person calls the parameters of a stored trial."""
    try:
        suggested = stored_suggestion(space, stored)
    except Exception:
        return dict(stored.params)
    return suggested if isinstance(suggested, dict) else dict(stored.params)


def fold_records(stored: Any) -> dict[int, Record]:
    """Return the fold scores that were written into a trial."""
    return {
        int(name.removeprefix(FOLD_ATTRIBUTE)): record
        for name, record in stored.user_attrs.items()
        if name.startswith(FOLD_ATTRIBUTE)
    }


def metric_value(scores: dict[str, float | None], metric: str | None) -> float:
    """Return the score that the search maximises."""
    if metric is None:
        metric = DEFAULT_NAME if DEFAULT_NAME in scores else next(iter(scores))
    if metric not in scores:
        raise ValueError(f"The scores are {', '.join(scores)}; there is none named {metric!r}.")
    value = scores[metric]
    return float("nan") if value is None else float(value)


def first_error(stored: Sequence[Any]) -> tuple[str, str] | None:
    """Return the first error that stopped a fit, in one line and in full, in order of trials."""
    for trial in sorted(stored, key=lambda t: t.number):
        for _, record in sorted(fold_records(trial).items()):
            if record["error"] is not None:
                return record["error"], record["traceback"]
    return None


def raise_first_error(stored: Sequence[Any]) -> None:
    """Say that every trial failed, with the first error."""
    error = first_error(stored)
    if error is None:
        raise ValueError(
            f"All {len(stored)} trials failed: no score was a number. Check that every test fold "
            "allows the scoring (ROC-AUC needs both classes)."
        )
    failed = ValueError(f"All {len(stored)} trials failed. The first error was {error[0]}")
    failed.add_note(f"The fit that failed first:\n\n{error[1]}")
    raise failed


def _as_choices(suggested: dict[str, Any]) -> dict[str, Any]:
    return {name: [value] for name, value in suggested.items() if hasattr(value, "get_params")}


def _as_record(outcome: FitOutcome) -> Record:
    return {
        "test": {name: _finite(value) for name, value in outcome.scores.items()},
        "train": {name: _finite(value) for name, value in outcome.train_scores.items()},
        "fit": outcome.fit_seconds,
        "score": outcome.score_seconds,
        "error": outcome.error,
        "traceback": outcome.traceback,
    }


def _finite(value: float) -> float | None:
    """Return None for what JSON cannot hold."""
    return float(value) if np.isfinite(value) else None
