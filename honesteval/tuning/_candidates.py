"""A few of the estimators that a search may build, to check before the first fit."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from sklearn.base import clone
from sklearn.model_selection import ParameterGrid, ParameterSampler

from honesteval.tuning._parameter_names import check_parameter_names
from honesteval.tuning._search_space import estimator_choices, resolve_search_space
from honesteval.tuning._storage import quiet_optuna

N_CANDIDATES = 5


def candidate_estimators(model: Any, *, n_candidates: int = N_CANDIDATES) -> list[Any]:
    """Return unfitted estimators with some of the settings that a search may try.

    Parameters
    ----------
    model : estimator
        An estimator that is no search stands for itself.
    n_candidates : int, default=N_CANDIDATES

    Raises
    ------
    ValueError
        If the search names a parameter that the estimator does not have.
    """
    if hasattr(model, "search_space"):
        return _from_space(model.estimator, model.search_space, n_candidates)
    for argument in ("param_grid", "param_distributions"):
        if hasattr(model, argument):
            settings = getattr(model, argument)
            _check_settings(model.estimator, settings, where=argument)
            if _is_of_optuna(settings):
                return _from_space(model.estimator, settings, n_candidates)
            return _from_settings(model.estimator, settings, argument, n_candidates)
    return [clone(getattr(model, "estimator", model) if hasattr(model, "cv") else model)]


def _from_space(estimator: Any, search_space: Any, n_candidates: int) -> list[Any]:
    import optuna

    from honesteval.tuning._trials import build_estimator

    space = resolve_search_space(search_space)
    names = space.names()
    if names is not None:
        check_parameter_names(estimator, names, estimator_choices(space), where="search_space")
    found = []
    with quiet_optuna():
        study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
        for _ in range(n_candidates):
            try:
                suggested = space.suggest(study.ask())
            except optuna.TrialPruned:
                continue
            found.append(build_estimator(estimator, suggested, space).estimator)
    return found


def _is_of_optuna(settings: Any) -> bool:
    """Return whether these are distributions of Optuna, as its integration's search takes them."""
    return isinstance(settings, Mapping) and any(
        type(value).__module__.startswith("optuna.") for value in settings.values()
    )


def _check_settings(estimator: Any, settings: Any, *, where: str) -> None:
    for part in [settings] if isinstance(settings, Mapping) else settings:
        choices = {
            name: values
            for name, values in part.items()
            if isinstance(values, Sequence) and any(hasattr(v, "get_params") for v in values)
        }
        check_parameter_names(estimator, tuple(part), choices, where=where)


def _from_settings(estimator: Any, settings: Any, argument: str, n_candidates: int) -> list[Any]:
    if argument == "param_grid":
        tried = list(islice(ParameterGrid(settings), n_candidates))
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # fewer settings than candidates are all there are
            tried = list(ParameterSampler(settings, n_candidates, random_state=0))
    return [clone(estimator).set_params(**clone(params, safe=False)) for params in tried]
