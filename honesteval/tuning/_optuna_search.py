"""A scikit-learn search estimator that lets Optuna choose the settings to try."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.model_selection import GroupKFold
from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils import indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

from honesteval._validation import check_number, check_option, n_rows
from honesteval.exceptions import HonestevalWarning
from honesteval.tuning._candidates import candidate_estimators
from honesteval.tuning._fit_checks import (
    check_classes_in_training,
    check_labels,
    check_model,
    check_ranking_is_defined,
)
from honesteval.tuning._fitting import Data
from honesteval.tuning._preprocessing_cache import CACHE_LIMIT_BYTES, PreprocessingCache
from honesteval.tuning._progress import FitProgress
from honesteval.tuning._rounds import run_all
from honesteval.tuning._routing import RoutedColumns, route_search_columns
from honesteval.tuning._scoring import DEFAULT_NAME, Scoring, check_refit, resolve_scoring
from honesteval.tuning._search_space import resolve_search_space, stored_suggestion
from honesteval.tuning._seeding import base_seed, derive_seed, with_seeds
from honesteval.tuning._splits import (
    Split,
    compute_splits,
    resolve_splitter,
    warn_about_cut_groups,
    warn_about_ignored_groups,
)
from honesteval.tuning._storage import (
    fingerprint_of,
    open_study,
    opened_storage,
    quiet_optuna,
    release,
)
from honesteval.tuning._trial_table import build_cv_results, finished_trials, out_of_fold_table
from honesteval.tuning._trials import (
    SearchSettings,
    TrialRun,
    build_estimator,
    first_error,
    fold_records,
    raise_first_error,
    suggested_params,
)

SAMPLERS = ("tpe", "random")
PRUNERS = ("median", "hyperband")


class OptunaSearchCV(BaseSearchCV):
    """Cross-validated search in which Optuna chooses the settings to try.

    It is used like :class:`~sklearn.model_selection.RandomizedSearchCV`. Its ``best_score_`` is
    the best of many noisy scores and therefore too good; :func:`nested_cross_validate` says by
    how much.

    Parameters
    ----------
    estimator : estimator
        Usually a pipeline with everything that learns from the data. It is cloned for each fit.
    search_space : dict or callable
        A dictionary from parameter name to an Optuna distribution, a frozen SciPy distribution or
        a list of choices (estimators among them); or a function of the trial that returns a
        dictionary of parameters or an estimator, for conditional spaces.
    n_trials : int, default=50
        Number of trials in the study, failed and pruned ones and those of earlier runs included.
    scoring : str, callable, list, tuple or dict, default=None
        As in scikit-learn. None is the estimator's own ``score``.
    cv : int, splitter or iterable of splits, default=5
        A number of folds means shuffled folds, stratified for a classifier, with groups kept
        whole when ``groups`` are passed to ``fit``.
    refit : bool, str or callable, default=True
        Whether to fit the best setting on everything. With several scores, the name of the one
        that is maximised; or a function from ``cv_results_`` to the best index (the first score
        is maximised then).
    sampler : {"tpe", "random"}, Optuna sampler or callable, default="tpe"
        A callable gets the keyword ``seed`` and returns a sampler, so that each trial has its own
        seed. A sampler object is copied and keeps its own random state, so an interrupted search
        may continue on another path than without the interruption.
    pruner : {"median", "hyperband"} or Optuna pruner, default=None
        Stops bad trials between folds. A trial's folds are then fitted one after another, and
        ``batch_size`` trials at a time.
    timeout : float, default=None
        Seconds after which no further batch is begun.
    storage : str, path or Optuna storage, default=None
        Where trials are kept: a database URL, a path (``.log`` or ``.journal`` for a journal,
        SQLite otherwise) or a storage object. Fitting again with the same storage and data goes
        on where it stopped, fold by fold. None keeps the trials in memory.
    study_name : str, default=None
    initial_params : list of dict, default=None
        Known settings to try first.
    batch_size : int, default=4
        Number of trials that are chosen before any of them is known. Larger keeps more workers
        busy; smaller lets each choice see more. It does not follow ``n_jobs``, so that results do
        not either.
    store_predictions : bool, default=False
        Whether to keep the out-of-fold predictions of all trials for :func:`bbc_cv`.
    error_score : "raise" or float, default=nan
        Score of a fold whose fit or scoring failed. NaN makes the trial a failed one.
    return_train_score : bool, default=False
    n_jobs : int, default=None
        Number of fits at a time, through joblib. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        For folds, sampling, and the random parts of models that have no seed of their own. None
        is different each time.
    verbose : int, default=0
        From 1 on, progress is shown on a terminal.

    Attributes
    ----------
    best_params_, best_score_, best_index_, best_estimator_, cv_results_, scorer_, n_splits_, \
refit_time_, multimetric_, classes_, n_features_in_
        As in scikit-learn. ``cv_results_`` has ``trial_number`` and ``trial_state`` as well.
    study_ : optuna.Study
    best_trial_ : optuna.trial.FrozenTrial
    n_trials_, n_failed_trials_, n_pruned_trials_ : int
    first_error_ : str or None
        First error that stopped a fit.
    stop_reason_ : {"n_trials", "timeout", "sampler"}
        "sampler": it had no setting left, as a grid has in the end.
    oof_predictions_ : ndarray of shape (n_rows, n_trials)
        With ``store_predictions``: scores of the second class, or predicted values.
    preprocessing_fits_ : int
        Number of fits of the pipeline steps that no tuned parameter touches: one per fold.

    Raises
    ------
    ValueError
        If the space names a parameter that does not exist, no trial completes (with the first
        error), or the storage holds a study of other data.

    References
    ----------
    Akiba, Sano, Yanase, Ohta, Koyama, "Optuna: A Next-generation Hyperparameter Optimization
    Framework", KDD 2019.

    Examples
    --------
    >>> from scipy.stats import loguniform
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn.svm import SVC
    >>> from honesteval.tuning import OptunaSearchCV
    >>> X, y = load_iris(return_X_y=True)
    >>> search = OptunaSearchCV(
    ...     make_pipeline(StandardScaler(), SVC()),
    ...     {"svc__C": loguniform(1e-2, 1e2), "svc__kernel": ["linear", "rbf"]},
    ...     n_trials=8, random_state=0,
    ... ).fit(X, y)
    >>> sorted(search.best_params_)
    ['svc__C', 'svc__kernel']
    >>> bool(search.best_score_ > 0.9)
    True
    """

    _parameter_constraints: dict[str, Any] = {}  # noqa: RUF012  (scikit-learn's own mechanism, unused here)

    def __init__(
        self,
        estimator: Any,
        search_space: Any,
        *,
        n_trials: int = 50,
        scoring: Any = None,
        cv: Any = 5,
        refit: Any = True,
        sampler: Any = "tpe",
        pruner: Any = None,
        timeout: float | None = None,
        storage: Any = None,
        study_name: str | None = None,
        initial_params: Any = None,
        batch_size: int = 4,
        store_predictions: bool = False,
        error_score: Any = np.nan,
        return_train_score: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.search_space = search_space
        self.n_trials = n_trials
        self.scoring = scoring
        self.cv = cv
        self.refit = refit
        self.sampler = sampler
        self.pruner = pruner
        self.timeout = timeout
        self.storage = storage
        self.study_name = study_name
        self.initial_params = initial_params
        self.batch_size = batch_size
        self.store_predictions = store_predictions
        self.error_score = error_score
        self.return_train_score = return_train_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, **params: Any) -> OptunaSearchCV:
        """Search, then fit the best setting on all rows.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_rows
        y : array-like of shape (n_rows,), default=None
        **params : dict
            ``groups``, ``sample_weight`` and other columns. They are sliced with the rows. With
            scikit-learn's metadata routing the objects' requests decide who gets what. Without
            it, ``groups`` go to the splitter and ``sample_weight`` to the (last step of the)
            estimator and to every scorer that takes it.

        Returns
        -------
        self : OptunaSearchCV
        """
        X, y = indexable(X, y)
        with quiet_optuna(), opened_storage(self.storage) as storage:
            begun = begin_search(self, X, y, params, storage=storage)
            total = self.n_trials * len(begun.run.settings.splits)
            with FitProgress(total, "tuning", show=None if self.verbose else False) as progress:
                run_all([begun.run], n_jobs=self.n_jobs, progress=progress)
            begun.finish(self)
        if self.refit:
            started = time.perf_counter()
            self.best_estimator_ = begun.best_estimator(self)
            fit_args = (X,) if y is None else (X, y)
            self.best_estimator_.fit(*fit_args, **begun.columns.fit)
            self.refit_time_ = time.perf_counter() - started
            if hasattr(self.best_estimator_, "feature_names_in_"):
                self.feature_names_in_ = self.best_estimator_.feature_names_in_
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        """Return who takes which metadata.

        Returns
        -------
        routing : MetadataRouter
        """
        in_fit = MethodMapping().add(caller="fit", callee="fit")
        scored = MethodMapping().add(caller="score", callee="score")
        scored = scored.add(caller="fit", callee="score")
        folds = MethodMapping().add(caller="fit", callee="split")
        splitter = GroupKFold() if self.cv is None or isinstance(self.cv, Integral) else self.cv
        scorer, _ = self._get_scorers()
        router = MetadataRouter(owner=self)
        router.add(estimator=self.estimator, method_mapping=in_fit)
        router.add(scorer=scorer, method_mapping=scored)
        router.add(splitter=splitter, method_mapping=folds)
        return router


class BegunSearch:
    """A search whose folds, study and columns are set up; its run can now be driven."""

    def __init__(self, run: TrialRun, columns: RoutedColumns) -> None:
        self.run = run
        self.columns = columns

    def finish(self, search: OptunaSearchCV) -> None:
        """Write the result of the search into its public attributes.

        Raises
        ------
        ValueError
            If no trial completed.
        """
        settings, study = self.run.settings, self.run.study
        stored = finished_trials(study)
        states = [trial.state.name for trial in stored]
        search.study_ = study
        search.n_splits_ = len(settings.splits)
        search.n_trials_ = len(stored)
        search.n_failed_trials_ = states.count("FAIL")
        search.n_pruned_trials_ = states.count("PRUNED")
        search.stop_reason_ = self.run.stop_reason
        search.preprocessing_fits_ = self.run.cache.n_fits
        error = first_error(stored)
        search.first_error_ = None if error is None else error[0]
        release(study)
        if "COMPLETE" not in states:
            raise_first_error(stored)
        search.cv_results_ = build_cv_results(
            stored,
            [suggested_params(settings.space, trial) for trial in stored],
            n_splits=search.n_splits_,
            error_score=settings.error_score,
            train_score=settings.train_score,
        )
        _warn_about_failures(search, stored)
        _choose(search, stored, settings.metric)
        search.scorer_ = (
            dict(settings.scoring.single) if search.multimetric_ and not callable(search.scoring)
            else settings.scoring.scorer
        )  # fmt: skip
        if settings.keep_predictions:
            numbers = [trial.number for trial in stored]
            search.oof_predictions_ = out_of_fold_table(
                self.run.predictions, numbers, settings.splits, n_rows(settings.data.X)
            )

    def best_estimator(self, search: OptunaSearchCV) -> Any:
        """Return the unfitted estimator of the best trial of the finished search."""
        settings = self.run.settings
        suggested = stored_suggestion(settings.space, search.best_trial_)
        built = build_estimator(settings.estimator, suggested, settings.space).estimator
        return with_seeds(built, settings.model_seed)


def begin_search(
    search: OptunaSearchCV,
    X: Any,
    y: Any,
    params: dict[str, Any],
    *,
    storage: Any,
    splits: list[Split] | None = None,
    seed: int | None = None,
    model_seed: int | None = None,
    study_name: str | None = None,
    cache_bytes: int = CACHE_LIMIT_BYTES,
) -> BegunSearch:
    """Check the arguments, compute the folds and open the study.

    ``storage`` is an open storage. The other keywords replace the search's own folds, seeds and
    study name.
    """
    _check_arguments(search)
    space = resolve_search_space(search.search_space)
    scoring = resolve_scoring(search.estimator, search.scoring)
    check_refit(search.refit, search.scoring, scoring)
    names_scores = scoring.is_multimetric or callable(search.scoring)
    columns = route_search_columns(search, X, params, scoring)
    if seed is None:
        seed = base_seed(search.random_state)
        model_seed = None if search.random_state is None else derive_seed(seed, 6)
    if splits is None:
        if y is not None and np.ndim(y) == 1:
            check_labels(np.asarray(y), classifier=is_classifier(search.estimator))
        splits = _own_splits(search, X, y, columns.groups, seed)
        _check_own_folds(search, y, splits, scoring)
        check_model(candidate_estimators(search), X, y, scoring, columns.fit)
    data = Data(X, y, columns.fit, columns.score, routed=columns.routed)
    with quiet_optuna():
        study, seed = open_study(
            storage,
            study_name=study_name or search.study_name,
            fingerprint=_fingerprint(search, data, splits) if is_kept(storage, search) else "",
            seed=seed,
            sampler=None,
            pruner=_pruner(search.pruner),
        )
        for known in search.initial_params or ():
            study.enqueue_trial(space.encode(known), skip_if_exists=True)
    settings = SearchSettings(
        estimator=search.estimator,
        space=space,
        splits=splits,
        data=data,
        scoring=scoring,
        metric=search.refit if isinstance(search.refit, str) and names_scores else None,
        n_trials=search.n_trials,
        batch_size=search.batch_size,
        timeout=search.timeout,
        error_score=search.error_score,
        train_score=search.return_train_score,
        keep_predictions=search.store_predictions,
        sampler=_sampler(search.sampler),
        prunes=search.pruner is not None,
        seed=seed,
        model_seed=model_seed,
    )
    return BegunSearch(TrialRun(settings, study, PreprocessingCache(cache_bytes)), columns)


def _own_splits(search: OptunaSearchCV, X: Any, y: Any, groups: Any, seed: int) -> list[Split]:
    splitter = resolve_splitter(
        search.cv,
        y,
        classifier=is_classifier(search.estimator),
        groups=groups,
        seed=derive_seed(seed, 1),
    )
    warn_about_ignored_groups(splitter, groups, where="cv")
    splits = compute_splits(splitter, X, y, groups, where="cv")
    warn_about_cut_groups(splitter, splits, groups, where="cv")
    return splits


def _check_own_folds(search: OptunaSearchCV, y: Any, splits: list[Split], scoring: Scoring) -> None:
    """Raise what the labels and the folds cannot do, before the first fit."""
    if y is None or np.ndim(y) != 1:
        return
    labels = np.asarray(y)
    if is_classifier(search.estimator):
        names = [f"fold {number}" for number in range(len(splits))]
        check_classes_in_training(labels, np.arange(len(labels)), splits, names=names)
        check_ranking_is_defined(labels, splits, scoring, names=names)


def _check_arguments(search: OptunaSearchCV) -> None:
    check_number(search.n_trials, "n_trials", low=1, integer=True)
    check_number(search.batch_size, "batch_size", low=1, integer=True)
    if search.timeout is not None:
        check_number(search.timeout, "timeout", low=0)
    known = search.initial_params
    if isinstance(known, Mapping) or not all(isinstance(one, Mapping) for one in known or ()):
        raise ValueError(
            "initial_params must be a list of dictionaries from parameter to value. "
            f"Got {known!r:.100}."
        )
    if search.error_score != "raise" and not isinstance(search.error_score, Real):
        raise ValueError(f"error_score must be 'raise' or a number. Got {search.error_score!r}.")


def _sampler(sampler: Any) -> Any:
    """Return a function from a seed to a sampler, or a copy of the caller's sampler."""
    import copy

    import optuna

    if isinstance(sampler, optuna.samplers.BaseSampler):
        return copy.deepcopy(sampler)
    if callable(sampler):
        return lambda seed: sampler(seed=seed)
    check_option(sampler, "sampler", SAMPLERS)
    kinds = {"tpe": optuna.samplers.TPESampler, "random": optuna.samplers.RandomSampler}
    return lambda seed: kinds[sampler](seed=seed)


def _pruner(pruner: Any) -> Any:
    import optuna

    if pruner is None:
        return optuna.pruners.NopPruner()
    if isinstance(pruner, optuna.pruners.BasePruner):
        return pruner
    check_option(pruner, "pruner", PRUNERS)
    kinds = {"median": optuna.pruners.MedianPruner, "hyperband": optuna.pruners.HyperbandPruner}
    return kinds[pruner]()


def is_kept(storage: Any, search: OptunaSearchCV) -> bool:
    """Whether a study may be met again, so that it must know what it is about."""
    import optuna

    return search.storage is not None or not isinstance(storage, optuna.storages.InMemoryStorage)


def _fingerprint(search: OptunaSearchCV, data: Data, splits: list[Split]) -> str:
    """Digest what the trials of a study depend on."""
    space = resolve_search_space(search.search_space)
    return fingerprint_of(
        data.X, data.y, splits, dict(data.fit_params), dict(data.score_params), space.describe(),
        repr(search.estimator), repr(search.scoring), repr(search.refit),
    )  # fmt: skip


def _choose(search: OptunaSearchCV, stored: list[Any], metric: str | None) -> None:
    """Set the best trial from the finished table."""
    results = search.cv_results_
    names = [key.removeprefix("mean_test_") for key in results if key.startswith("mean_test_")]
    search.multimetric_ = names != [DEFAULT_NAME]
    if search.multimetric_ and callable(search.scoring):
        search._check_refit_for_multimetric(names)
    name = metric or (DEFAULT_NAME if DEFAULT_NAME in names else names[0])
    if callable(search.refit):
        index = search.refit(results)
        if not isinstance(index, int | np.integer) or not 0 <= index < len(results["params"]):
            raise ValueError(
                f"refit must return the index of a trial, from 0 to {len(results['params']) - 1}. "
                f"Got {index!r}."
            )
    elif search.refit or not search.multimetric_:
        index = int(np.argmin(results[f"rank_test_{name}"]))
        search.best_score_ = float(results[f"mean_test_{name}"][index])
    else:
        return
    search.best_index_ = int(index)
    search.best_trial_ = stored[search.best_index_]
    search.best_params_ = results["params"][index]


def _warn_about_failures(search: OptunaSearchCV, stored: list[Any]) -> None:
    n_folds = sum(r["error"] is not None for t in stored for r in fold_records(t).values())
    if search.n_failed_trials_ or n_folds:
        shown = search.first_error_ or "a score that is not a number"
        warnings.warn(
            f"{search.n_failed_trials_} of {search.n_trials_} trials failed ({n_folds} failed "
            f"fits). The first error was {shown}",
            HonestevalWarning,
            stacklevel=4,
        )
