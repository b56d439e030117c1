"""Preprocessing that no tuned parameter touches, fitted once per inner fold.

The steps of a pipeline before the first tuned one give the same rows in every trial. They are
fitted on the training part of each fold once, and both parts of the fold are kept transformed.
Every trial then fits the remaining steps only. The numbers are the same as without.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterable, Mapping
from typing import Any

import joblib
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import get_routing_for_object

from honesteval.tuning._fitting import PreparedFold

CACHE_LIMIT_BYTES = 2**30
"""Prepared rows that need more memory than this in one search are not kept."""

_PASSED_ON = "passthrough"


def n_shared_steps(
    estimator: Any, tuned: Iterable[str], fit_params: Mapping[str, Any], *, routed: bool
) -> int:
    """Return how many first steps of a pipeline give the same rows in every trial.

    Parameters
    ----------
    estimator : estimator
        Anything but a plain scikit-learn ``Pipeline`` without ``memory`` shares nothing.
    tuned : iterable of str
        Names of the tuned parameters.
    fit_params : mapping
        A step that takes one of these in its fit is not shared.
    routed : bool
        Whether scikit-learn's metadata routing hands out ``fit_params``.

    Examples
    --------
    >>> from sklearn.feature_selection import SelectKBest
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn.svm import SVC
    >>> pipeline = make_pipeline(StandardScaler(), SelectKBest(), SVC())
    >>> n_shared_steps(pipeline, ["svc__C"], {}, routed=False)
    2
    >>> n_shared_steps(pipeline, ["svc__C", "selectkbest__k"], {}, routed=False)
    1
    """
    if type(estimator) is not Pipeline or estimator.memory is not None:
        return 0
    if getattr(estimator, "transform_input", None) or get_tags(estimator).input_tags.pairwise:
        return 0
    touched = {name.partition("__")[0] for name in tuned}
    if touched & {"steps", "memory", "transform_input"}:
        return 0
    if not routed:
        touched |= {name.partition("__")[0] for name in fit_params if "__" in name}
    shared = 0
    for position, (name, step) in enumerate(estimator.steps[:-1]):
        if name in touched or (routed and _consumes(step, fit_params)):
            break
        if step is not None and step != _PASSED_ON:
            shared = position + 1
    return shared


class PreprocessingCache:
    """Prepared folds of one search.

    Parameters
    ----------
    limit_bytes : int, default=CACHE_LIMIT_BYTES
        Most memory that the prepared rows may take; beyond it they are not kept. 0 keeps nothing.
    """

    def __init__(self, limit_bytes: int = CACHE_LIMIT_BYTES) -> None:
        self.limit_bytes = limit_bytes
        self.n_fits = 0
        self.n_uses = 0
        self._folds: dict[tuple[str, int], PreparedFold] = {}
        self._sizes: dict[str, int] = {}
        self._given_up: set[str] = set()

    def key(self, estimator: Any, n_steps: int, *, is_own: bool) -> str | None:
        """Return a name for the first steps, or None when they are not to be kept.

        Parameters
        ----------
        estimator : Pipeline
        n_steps : int
        is_own : bool
            Whether the search space made the pipeline. Its steps are then told apart by their
            content; those of the search's own estimator are the same in every trial.
        """
        if n_steps == 0 or self.limit_bytes == 0:
            return None
        key = f"first {n_steps}"
        if is_own:
            try:
                key = str(joblib.hash(estimator[:n_steps]))
            except (pickle.PicklingError, AttributeError, TypeError):
                return None
        return None if key in self._given_up else key

    def get(self, key: str | None, fold: int) -> PreparedFold | None:
        """Return the prepared fold if it is there."""
        prepared = None if key is None else self._folds.get((key, fold))
        self.n_uses += prepared is not None
        return prepared

    def has(self, key: str, fold: int) -> bool:
        """Whether the prepared fold is there."""
        return (key, fold) in self._folds

    def put(self, key: str, fold: int, prepared: PreparedFold | None) -> None:
        """Keep a prepared fold; None says that the steps failed, so that they are not tried again.

        When the limit is reached, the rows of other steps go first, then these are given up.
        """
        if key in self._given_up:
            return
        if prepared is None:
            self._give_up(key)
            return
        self.n_fits += 1
        size = _n_bytes(prepared.X_train) + _n_bytes(prepared.X_test)
        for other in [k for k in self._sizes if k != key]:
            if sum(self._sizes.values()) + size > self.limit_bytes:
                self._forget(other)
        if sum(self._sizes.values()) + size > self.limit_bytes:
            self._give_up(key)
            return
        self._sizes[key] = self._sizes.get(key, 0) + size
        self._folds[key, fold] = prepared

    def clear(self) -> None:
        """Give the memory back."""
        self._folds.clear()
        self._sizes.clear()

    @property
    def n_bytes(self) -> int:
        """Memory that the prepared rows take now."""
        return sum(self._sizes.values())

    def _forget(self, key: str) -> None:
        self._sizes.pop(key, None)
        self._folds = {name: kept for name, kept in self._folds.items() if name[0] != key}

    def _give_up(self, key: str) -> None:
        self._forget(key)
        self._given_up.add(key)


def _consumes(step: Any, fit_params: Mapping[str, Any]) -> bool:
    if not fit_params or not hasattr(step, "fit"):
        return False
    routing = get_routing_for_object(step)
    return any(
        routing.consumes(method, list(fit_params))
        for method in ("fit", "fit_transform", "transform")
    )


def _n_bytes(rows: Any) -> int:
    if hasattr(rows, "memory_usage"):
        return int(rows.memory_usage(index=True, deep=True).sum())
    if hasattr(rows, "estimated_size"):
        return int(rows.estimated_size())
    if hasattr(rows, "indptr"):
        return int(rows.data.nbytes + rows.indices.nbytes + rows.indptr.nbytes)
    if hasattr(rows, "nbytes"):
        return int(rows.nbytes)
    return sys.getsizeof(rows) + sum(sys.getsizeof(row) for row in rows)
