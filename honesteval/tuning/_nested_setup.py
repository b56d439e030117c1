"""Everything that nested cross-validation settles before the first fit."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _check_method_params

from honesteval._validation import check_groups, check_number, check_same_length, n_rows
from honesteval.exceptions import HonestevalWarning
from honesteval.tuning._candidates import candidate_estimators
from honesteval.tuning._checkpoint import CheckpointFolder
from honesteval.tuning._deployable import DeployableModel
from honesteval.tuning._fit_checks import (
    check_classes_in_training,
    check_labels,
    check_model,
    check_ranking_is_defined,
    note_if_fitted,
    warn_about_features,
)
from honesteval.tuning._fit_count import FitCount, count_fits
from honesteval.tuning._fitting import Data
from honesteval.tuning._optuna_search import BegunSearch, OptunaSearchCV, begin_search
from honesteval.tuning._outer_run import OuterPlace, OuterRun, main_score
from honesteval.tuning._preprocessing_cache import CACHE_LIMIT_BYTES
from honesteval.tuning._progress import FitProgress
from honesteval.tuning._result import NestedCVResult, OuterFold
from honesteval.tuning._rounds import run_all
from honesteval.tuning._routing import as_fit_column, check_columns, routing_is_on
from honesteval.tuning._scoring import DEFAULT_NAME, check_refit, resolve_scoring, shown_name
from honesteval.tuning._searches import is_search
from honesteval.tuning._seeding import base_seed, derive_seed, with_seeds
from honesteval.tuning._splits import (
    DEFAULT_N_SPLITS,
    GIVEN_FOLDS,
    Split,
    compute_splits,
    repeats_of,
    reseeded,
    resolve_splitter,
    restrict,
    shown_splitter,
    warn_about_cut_groups,
    warn_about_ignored_groups,
)
from honesteval.tuning._storage import (
    DEFAULT_STUDY_NAME,
    fingerprint_of,
    opened_storage,
    quiet_optuna,
)
from honesteval.tuning._tasks import TaskColumn, label_table, task_columns

DEFAULT_N_TRIALS = 50

SLOW_SPLIT_SECONDS = 0.5
"""Inner splits that take longer are drawn in parallel."""


@dataclass(frozen=True)
class OuterSplit:
    """One outer fold, for all tasks, with the inner folds of its training part."""

    repeat: int
    fold: int
    train: NDArray[np.intp]
    test: NDArray[np.intp]
    inner: list[Split] | None


class NestedSetup:
    """Arguments resolved, folds computed, checks done; see :func:`nested_cross_validate`."""

    def __init__(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        search_space: Any = None,
        outer_cv: Any = DEFAULT_N_SPLITS,
        inner_cv: Any = None,
        scoring: Any = None,
        refit: Any = True,
        n_trials: int | None = None,
        n_repeats: int = 1,
        groups: Any = None,
        sample_weight: Any = None,
        params: dict[str, Any] | None = None,
        task_names: Any = None,
        train_sizes: Any = (),
        checkpoint: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        like: Sequence[NestedSetup] = (),
    ) -> None:
        check_same_length(X=X, y=y, groups=groups, sample_weight=sample_weight)
        check_number(n_repeats, "n_repeats", low=1, integer=True)
        shares = () if train_sizes is None else np.atleast_1d(train_sizes).tolist()
        for share in shares:
            check_number(share, "train_sizes", low=0, high=1, closed="neither")
        self.notes: list[str] = []
        own_jobs = estimator.n_jobs if isinstance(estimator, OptunaSearchCV) else None
        self.n_jobs = own_jobs if n_jobs is None else n_jobs
        self.seed: int = like[0].seed if like else base_seed(random_state)
        self.model_seed = None if random_state is None else derive_seed(self.seed, 6)
        self.model = as_model(
            estimator, search_space=search_space, scoring=scoring, refit=refit, n_trials=n_trials,
            n_jobs=n_jobs,
        )  # fmt: skip
        self.classifier = is_classifier(self.model)
        self.tasks = task_columns(y, task_names, classifier=self.classifier)
        self.X, self.Y = indexable(X, label_table(y))
        self.groups = None if groups is None else check_groups(groups, n_rows(X))
        inner_model = self.model
        if is_search(self.model):
            inner_model = self.model.estimator
            scoring = self.model.scoring if scoring is None else scoring
        self.scoring = resolve_scoring(inner_model, scoring)
        self.scoring_name = shown_name(inner_model, scoring)
        if is_search(self.model):
            self._choose_always(scoring)
        self.inner_cv = inner_cv
        self.train_sizes = tuple(shares)
        self.columns = _given_columns(self.X, sample_weight, params)
        self.outer = self._outer_splitter(outer_cv)
        self.n_repeats = n_repeats * repeats_of(self.outer)
        self.outer_splits: list[list[Split]] = (
            like[0].outer_splits if like else self._draw_outer(n_repeats)
        )
        self.splits = self._inner_of(like) or self._with_inner(self.outer_splits)
        self._check(estimator)
        self.checkpoint = self._open_checkpoint(checkpoint)

    def _choose_always(self, scoring: Any) -> None:
        """Check that the search has a best setting, which an outer fold needs in any case."""
        check_refit(self.model.refit, scoring, self.scoring, always=True)
        if self.model.refit is False:
            self.model.set_params(refit=True)

    # ------------------------------------------------------------------ folds

    def _outer_splitter(self, cv: Any) -> Any:
        splitter = resolve_splitter(
            cv, self.Y, classifier=self.classifier, groups=self.groups,
            seed=derive_seed(self.seed, 2),
        )  # fmt: skip
        warn_about_ignored_groups(splitter, self.groups, where="outer_cv")
        return splitter

    def _draw_outer(self, n_repeats: int) -> list[list[Split]]:
        drawn: list[list[Split]] = []
        for repeat in range(n_repeats):
            splitter = reseeded(self.outer, self.seed, repeat)
            splits = compute_splits(splitter, self.X, self.Y, self.groups, where="outer_cv")
            size = len(splits) // repeats_of(splitter)
            warn_about_cut_groups(splitter, splits, self.groups, where="outer_cv")
            drawn += [splits[start : start + size] for start in range(0, len(splits), size)]
        return drawn

    def _with_inner(self, drawn: list[list[Split]]) -> list[OuterSplit]:
        places = [
            (repeat, fold, train, test)
            for repeat, splits in enumerate(drawn)
            for fold, (train, test) in enumerate(splits)
        ]
        if not is_search(self.model):
            return [OuterSplit(*place, inner=None) for place in places]
        inner = self._draw_inner(places)
        return [OuterSplit(*p, inner=splits) for p, splits in zip(places, inner, strict=True)]

    def _draw_inner(self, places: Sequence[tuple[int, int, Any, Any]]) -> list[list[Split]]:
        """Draw the inner folds of each training part; on all workers only if that takes long."""
        jobs = [
            delayed(inner_splits)(
                self._inner_splitter(repeat, fold), self.X, self.Y, self.groups, train,
                where=f"inner_cv, in the training part of outer fold {fold},",
            )
            for repeat, fold, train, _ in places
        ]  # fmt: skip
        started = time.perf_counter()
        first = Parallel(n_jobs=1)(jobs[:1])
        is_quick = time.perf_counter() - started < SLOW_SPLIT_SECONDS
        return [*first, *Parallel(n_jobs=1 if is_quick else self.n_jobs)(jobs[1:])]

    def _inner_of(self, like: Sequence[NestedSetup]) -> list[OuterSplit] | None:
        """Return the folds of another setup that would have the same inner ones."""
        for other in like:
            same = repr(self._inner_splitter(-1, -1)) == repr(other._inner_splitter(-1, -1))
            if same and is_search(self.model) and is_search(other.model):
                return other.splits
        return None

    def _inner_splitter(self, repeat: int, fold: int) -> Any:
        """Return the inner splitter of one outer fold; ``repeat = fold = -1`` is all rows."""
        cv = getattr(self.model, "cv", None) if self.inner_cv is None else self.inner_cv
        if self.inner_cv is None and self.groups is None and _draws_its_own_folds(self.model):
            y = self.Y if self.Y.ndim == 1 else None
            splitter = check_cv(cv, y, classifier=self.classifier)
        else:
            splitter = resolve_splitter(
                cv, self.Y, classifier=self.classifier, groups=self.groups,
                seed=derive_seed(self.seed, 3, repeat + 1, fold + 1),
            )  # fmt: skip
        if type(splitter).__name__ == GIVEN_FOLDS:
            raise ValueError(
                "inner_cv holds given folds. They number the rows of one table, and each outer "
                "fold has another training part: pass a splitter or a number of folds."
            )
        if repeat == fold == 0:
            warn_about_ignored_groups(splitter, self.groups, where="inner_cv")
        return splitter

    def places(self) -> list[OuterPlace]:
        """Return the outer folds of every task, restricted to its labelled rows."""
        places = []
        for split in self.splits:
            for number, task in enumerate(self.tasks):
                keep = task.labelled
                train = split.train[keep[split.train]]
                places.append(
                    OuterPlace(
                        repeat=split.repeat,
                        fold=split.fold,
                        task=number,
                        train=train,
                        test=split.test[keep[split.test]],
                        inner=None if split.inner is None else restrict(split.inner, keep),
                        curve=self._curve_rows(split, number, train),
                    )
                )
        return places

    def _curve_rows(
        self, split: OuterSplit, task: int, train: NDArray[np.intp]
    ) -> tuple[NDArray[np.intp], ...]:
        """Return growing parts of the training rows, each within the next."""
        seed = derive_seed(self.seed, 4, split.repeat, split.fold, task)
        order = np.random.default_rng(seed).permutation(train)
        sizes = (max(1, round(share * len(train))) for share in sorted(self.train_sizes))
        return tuple(np.sort(order[:size]) for size in sizes)

    def _check(self, given: Any) -> None:
        """Raise what a long run would only find out later; warn about what it could not."""
        note = note_if_fitted(given)
        if note is not None:
            warnings.warn(note, HonestevalWarning, stacklevel=4)
            self.notes.append(note)
        self.notes += self._rows_not_tested_once()
        candidates = candidate_estimators(self.model)
        for task in self.tasks:
            check_labels(task.y[task.labelled], classifier=self.classifier, name=task.name)
        for place in self.places():
            self._check_place(place, self.tasks[place.task])
        first = self.tasks[0]
        rows = np.flatnonzero(first.labelled)
        X, y = _safe_indexing(self.X, rows), first.y[rows]
        columns = self.plain_data(first).fit_params
        check_model(candidates, X, y, self.scoring, _check_method_params(self.X, columns, rows))
        self.notes += warn_about_features(X, y, classifier=self.classifier)

    def _rows_not_tested_once(self) -> list[str]:
        """Return what happens to rows that a repeat tests not at all, or more than once."""
        times = np.array(
            [
                np.bincount(np.concatenate([test for _, test in splits]), minlength=len(self.Y))
                for splits in self.outer_splits
            ]
        )
        never, often = int((times == 0).all(axis=0).sum()), int((times > 1).any(axis=0).sum())
        said = [f"{never} of {len(self.Y)} rows are in no test part and have no prediction"]
        said += [f"{often} rows are in several test parts; their last prediction is kept"]
        return [note for note, count in zip(said, (never, often), strict=True) if count]

    def _check_place(self, place: OuterPlace, task: TaskColumn) -> None:
        start = f"{task.name}: " if len(self.tasks) > 1 else ""
        parts = [("training", place.train), ("test", place.test)]
        for name, rows in parts:
            if len(rows) == 0:
                raise ValueError(
                    f"{start}the {name} part of {place.shown} has no labelled rows. Use fewer "
                    "folds, or leave the task out."
                )
        if not self.classifier:
            return
        everything = np.flatnonzero(task.labelled)
        outer = [(place.train, place.test)]
        check_classes_in_training(task.y, everything, outer, names=[f"{start}{place.shown}"])
        if place.inner is not None:
            names = [
                f"{start}inner fold {number} of {place.shown}" for number in range(len(place.inner))
            ]
            check_classes_in_training(task.y, place.train, place.inner, names=names)
            check_ranking_is_defined(task.y, place.inner, self.scoring, names=names)
        if self.scoring.needs_two_classes and len(np.unique(task.y[place.test])) < 2:
            self.notes.append(
                f"{start}ROC-AUC is undefined in {place.shown}: its test part has one class only"
            )

    # ------------------------------------------------------------------ running

    def n_fits(self) -> FitCount:
        """Return how many fits there will be."""
        return count_fits(self.model, self.places())

    def run(self, progress: FitProgress) -> list[OuterFold]:
        """Run all outer folds and return them by repeat, fold and task."""
        done: dict[tuple[int, int, int], OuterFold] = {}
        runs = []
        for place in self.places():
            key = (place.repeat, place.fold, place.task)
            stored = None if self.checkpoint is None else self.checkpoint.load(
                place.task, place.repeat, place.fold
            )  # fmt: skip
            if stored is not None:
                done[key] = stored
                progress.advance(count_fits(self.model, [place]).total)
                continue
            runs.append(self._outer_run(place, partial(self._keep, done)))
        with quiet_optuna(), opened_storage(self._storage()) as storage:
            self._opened = storage
            run_all(runs, n_jobs=self.n_jobs, progress=progress)
        folds = [done[key] for key in sorted(done)]
        failed = sum(fold.n_failed_trials for fold in folds)
        if failed:
            error = next((fold.first_error for fold in folds if fold.first_error), "not kept")
            total = sum(fold.n_trials for fold in folds)
            self.notes.append(f"{failed} of {total} inner trials failed; the first error: {error}")
        return folds

    def _keep(self, done: dict[tuple[int, int, int], OuterFold], fold: OuterFold) -> None:
        done[fold.repeat, fold.fold, fold.task] = fold
        if self.checkpoint is not None:
            self.checkpoint.save(fold)

    def _outer_run(self, place: OuterPlace, finished: Callable[[OuterFold], None]) -> OuterRun:
        return OuterRun(
            place,
            self.model,
            self.plain_data(self.tasks[place.task]),
            self.scoring,
            rename=self.shown,
            begin=self._begin,
            finished=finished,
            seed=self.model_seed,
        )

    def _begin(self, place: OuterPlace, search: OptunaSearchCV) -> BegunSearch:
        name = search.study_name or DEFAULT_STUDY_NAME
        return begin_search(
            search,
            self.X,
            self.tasks[place.task].y,
            self._search_params(),
            splits=list(place.inner or ()),
            seed=derive_seed(self.seed, 5, place.task, place.repeat, place.fold),
            model_seed=self.model_seed,
            storage=self._opened,
            study_name=f"{name}-task{place.task}-repeat{place.repeat}-fold{place.fold}",
            cache_bytes=CACHE_LIMIT_BYTES // max(1, effective_n_jobs(self.n_jobs)),
        )

    def _storage(self) -> Any:
        """Return where the trials are kept: as the search says, else in the checkpoint folder."""
        own = getattr(self.model, "storage", None)
        kept = None if self.checkpoint is None else self.checkpoint.trials
        return kept if own is None else own

    def _search_params(self) -> dict[str, Any]:
        """Return the columns for an Optuna search; groups only where somebody wants them."""
        given = dict(self.columns)
        if self.groups is not None:
            wanted = not routing_is_on() or _consumes(self.model, "fit", "groups")
            if wanted:
                given["groups"] = self.groups
        return given

    def plain_data(self, task: TaskColumn) -> Data:
        """Return the rows for one fit of the model as a whole."""
        score: dict[str, Any] = {}
        weights = self.columns.get("sample_weight")
        if routing_is_on():
            fit = dict(self.columns)
            if self.groups is not None and _consumes(
                _with_given_folds(self.model), "fit", "groups"
            ):
                fit["groups"] = self.groups
            if weights is not None and _consumes(self.scoring.scorer, "score", "sample_weight"):
                score["sample_weight"] = weights
            return Data(self.X, task.y, fit, score, routed=True)
        fit = {name: value for name, value in self.columns.items() if name != "sample_weight"}
        inner = self.model.estimator if is_search(self.model) else self.model
        if weights is not None:
            fit.update(as_fit_column(inner, "sample_weight", weights, needed=True))
            if self.scoring.weighted:
                score["sample_weight"] = weights
        if self.groups is not None:
            fit.update(as_fit_column(inner, "groups", self.groups, needed=False))
        return Data(self.X, task.y, fit, score, routed=False)

    # ------------------------------------------------------------------ result

    def shown(self, name: str) -> str:
        """Return the name of a score as a person would say it."""
        return self.scoring_name if name == DEFAULT_NAME else name

    def result(self, folds: Sequence[OuterFold], *, seconds: float) -> NestedCVResult:
        """Return the result of the finished folds."""
        groups = None
        if self.groups is not None:
            groups = np.unique(self.groups.astype(str), return_inverse=True)[1].astype(np.intp)
        found = NestedCVResult(
            folds=tuple(folds),
            y=self.Y if len(self.tasks) > 1 else self.tasks[0].y,
            metric=main_score(self.model, folds[0].scores),
            task_names=tuple(task.name for task in self.tasks),
            n_splits=len(self.outer_splits[0]),
            n_repeats=len(self.outer_splits),
            classes=tuple(task.classes for task in self.tasks),
            groups=groups,
            model=describe_model(self.model),
            outer_cv=shown_splitter(self.outer),
            inner_cv=shown_splitter(self._inner_splitter(-1, -1)) if is_search(self.model) else "",
            random_state=self.seed,
            notes=tuple(self.notes),
            seconds=seconds,
        )
        object.__setattr__(found, "deploy", partial(self._deploy, found))
        return found

    def _deploy(self, result: NestedCVResult, number: int) -> DeployableModel:
        """Tune and fit on all labelled rows of a task."""
        task = self.tasks[number]
        rows = np.flatnonzero(task.labelled)
        X, y = _safe_indexing(self.X, rows), task.y[rows]
        model = with_seeds(clone(self.model), derive_seed(self.seed, 8))
        if is_search(model):
            everything = np.arange(len(rows))
            groups = None if self.groups is None else self.groups[rows]
            inner = inner_splits(
                self._inner_splitter(-1, -1), X, y, groups, everything, where="inner_cv"
            )
            model.set_params(cv=inner)
        data = self.plain_data(task)
        model.fit(X, y, **_check_method_params(self.X, params=data.fit_params, indices=rows))
        one = result.task(task.name) if len(self.tasks) > 1 else result
        return DeployableModel(
            estimator=model.best_estimator_ if is_search(model) else model,
            best_params=dict(getattr(model, "best_params_", {})),
            expected_score=one.interval(),
            metric=one.metric,
            inner_best_score=float(getattr(model, "best_score_", np.nan)),
            n_rows=len(rows),
        )

    def _open_checkpoint(self, path: Any) -> CheckpointFolder | None:
        if path is None:
            return None
        places = [(p.repeat, p.fold, p.task, p.train, p.test, p.inner) for p in self.places()]
        return CheckpointFolder(
            path,
            fingerprint_of(
                self.X, self.Y, places, self.columns, repr(self.model), repr(self.scoring_name),
                self.train_sizes, self.seed,
            ),
        )  # fmt: skip


def as_model(
    estimator: Any, *, search_space: Any, scoring: Any, refit: Any, n_trials: int | None,
    n_jobs: int | None,
) -> Any:  # fmt: skip
    """Return a search when there is something to tune, else the estimator itself."""
    if is_search(estimator):
        if search_space is not None:
            raise ValueError(
                f"{type(estimator).__name__} has its own search space; leave search_space out."
            )
        model = clone(estimator)
        if n_trials is not None:
            if "n_trials" not in model.get_params(deep=False):
                raise ValueError(
                    f"{type(estimator).__name__} has no n_trials; set its own number of candidates."
                )
            model.set_params(n_trials=n_trials)
        if scoring is not None:
            model.set_params(scoring=scoring)
        if refit is not True:
            model.set_params(refit=refit)
        return model
    if search_space is None:
        if n_trials is not None:
            raise ValueError("n_trials needs a search_space to draw from.")
        return clone(estimator)
    return OptunaSearchCV(
        clone(estimator),
        search_space,
        n_trials=DEFAULT_N_TRIALS if n_trials is None else n_trials,
        scoring=scoring,
        refit=refit,
        n_jobs=n_jobs,
    )


def inner_splits(
    splitter: Any, X: Any, y: Any, groups: Any, rows: NDArray[np.intp], *, where: str
) -> list[Split]:
    """Return the folds of some rows, as positions among all rows."""
    part = compute_splits(
        splitter,
        _safe_indexing(X, rows),
        _safe_indexing(y, rows),
        None if groups is None else _safe_indexing(groups, rows),
        where=where,
    )
    return [(rows[train], rows[test]) for train, test in part]


def describe_model(model: Any) -> str:
    """Return a short name: the classes of the steps, and the search around them."""
    inner = model.estimator if is_search(model) else model
    steps = getattr(inner, "steps", None)
    parts = [step for _, step in steps] if steps else [inner]
    name = " > ".join(part if isinstance(part, str) else type(part).__name__ for part in parts)
    return f"{type(model).__name__}({name})" if is_search(model) else name


def _draws_its_own_folds(model: Any) -> bool:
    """Whether a number of inner folds means what it means in scikit-learn: folds not shuffled."""
    return not isinstance(model, OptunaSearchCV)


def _given_columns(X: Any, sample_weight: Any, params: dict[str, Any] | None) -> dict[str, Any]:
    given = dict(params or {})
    if sample_weight is not None:
        given["sample_weight"] = np.asarray(sample_weight)
    for name, column in given.items():
        is_column = hasattr(column, "__len__") and not isinstance(column, str)
        if is_column and n_rows(column) != n_rows(X):
            raise ValueError(f"params[{name!r}] has {n_rows(column)} entries for {n_rows(X)} rows.")
    return dict(_check_method_params(X, params=check_columns(given, X)))


def _consumes(consumer: Any, method: str, name: str) -> bool:
    return name in get_routing_for_object(consumer).consumes(method, [name])


def _with_given_folds(model: Any) -> Any:
    """Return the search as it will be fitted: with its folds given as positions."""
    if not is_search(model):
        return model
    return clone(model).set_params(cv=[(np.array([0]), np.array([1]))])
