"""What early stopping needs to know about each kind of gradient boosting."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)

from honesteval._optional import import_optional

CHUNK = 25
"""Iterations that a scikit-learn model grows by before the held-out loss is looked at."""

_HIST = (HistGradientBoostingClassifier, HistGradientBoostingRegressor)
_CATBOOST_ITERATIONS = ("iterations", "n_estimators", "num_boost_round", "num_trees")
_CATBOOST_STOPPING = {"early_stopping_rounds", "od_type", "od_wait", "od_pval", "use_best_model"}
_PLAIN = (GradientBoostingClassifier, GradientBoostingRegressor)


@dataclass(frozen=True)
class HeldOutRows:
    """Training rows, and the rows held out from them; weights may be None."""

    X: Any
    y: NDArray[Any]
    weights: Any
    X_held_out: Any
    y_held_out: NDArray[Any]
    weights_held_out: Any


class Booster(Protocol):
    """A gradient boosting model whose number of iterations is to be found."""

    def best_iteration(
        self,
        rows: HeldOutRows,
        *,
        loss: Callable[..., float],
        max_iterations: int,
        patience: int,
    ) -> int:
        """Return the number of iterations with the lowest held-out loss."""

    def with_iterations(self, n_iterations: int) -> Any:
        """Return an unfitted model with that number and no early stopping of its own."""


def resolve_booster(model: Any) -> Booster:
    """Return what knows about this model.

    Raises
    ------
    ValueError
        If the model is no gradient boosting that is known here.
    """
    if isinstance(model, _HIST):
        return ScikitLearnBooster(model, "max_iter", {"early_stopping": False})
    if isinstance(model, _PLAIN):
        return ScikitLearnBooster(model, "n_estimators", {"n_iter_no_change": None})
    package = type(model).__module__.partition(".")[0]
    if package == "xgboost":
        return XGBoostBooster(model)
    if package == "lightgbm":
        return LightGBMBooster(model)
    if package == "catboost":
        return CatBoostBooster(model)
    raise ValueError(
        "EarlyStoppingRefit takes HistGradientBoosting or GradientBoosting of scikit-learn, "
        f"XGBoost, LightGBM or CatBoost. Got {type(model).__name__}."
    )


class ScikitLearnBooster:
    """Grow by ``warm_start`` and look at the staged predictions."""

    def __init__(self, model: Any, parameter: str, off: dict[str, Any]) -> None:
        self.model = model
        self.parameter = parameter
        self.off = off

    def with_iterations(self, n_iterations: int) -> Any:
        """Return an unfitted model with that number and no early stopping of its own."""
        return clone(self.model).set_params(**{self.parameter: n_iterations}, **self.off)

    def best_iteration(
        self,
        rows: HeldOutRows,
        *,
        loss: Callable[..., float],
        max_iterations: int,
        patience: int,
    ) -> int:
        """Return the number of iterations with the lowest held-out loss."""
        model = self.with_iterations(1).set_params(warm_start=True)
        losses: list[float] = []
        while len(losses) < max_iterations:
            target = min(len(losses) + CHUNK, max_iterations)
            model.set_params(**{self.parameter: target}).fit(
                rows.X, rows.y, sample_weight=rows.weights
            )
            extra = {"labels": model.classes_} if is_classifier(model) else {}
            staged = model.staged_predict_proba if is_classifier(model) else model.staged_predict
            losses += [
                loss(rows.y_held_out, stage, sample_weight=rows.weights_held_out, **extra)
                for stage in islice(staged(rows.X_held_out), len(losses), None)
            ]
            if len(losses) - 1 - int(np.argmin(losses)) >= patience:
                break
        return _first_stop(losses, patience) + 1


class XGBoostBooster:
    """Let XGBoost stop on its own evaluation metric."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def with_iterations(self, n_iterations: int) -> Any:
        """Return an unfitted model with that number and no early stopping of its own."""
        return clone(self.model).set_params(n_estimators=n_iterations, early_stopping_rounds=None)

    def best_iteration(
        self,
        rows: HeldOutRows,
        *,
        loss: Callable[..., float],
        max_iterations: int,
        patience: int,
    ) -> int:
        """Return the number of iterations with the lowest held-out loss."""
        model = clone(self.model).set_params(
            n_estimators=max_iterations, early_stopping_rounds=patience
        )
        model.fit(
            rows.X,
            rows.y,
            sample_weight=rows.weights,
            eval_set=[(rows.X_held_out, rows.y_held_out)],
            sample_weight_eval_set=None if rows.weights is None else [rows.weights_held_out],
            verbose=False,
        )
        return int(model.best_iteration) + 1


class LightGBMBooster:
    """Let LightGBM stop on its own evaluation metric."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def with_iterations(self, n_iterations: int) -> Any:
        """Return an unfitted model with that number and no early stopping of its own."""
        return clone(self.model).set_params(n_estimators=n_iterations)

    def best_iteration(
        self,
        rows: HeldOutRows,
        *,
        loss: Callable[..., float],
        max_iterations: int,
        patience: int,
    ) -> int:
        """Return the number of iterations with the lowest held-out loss."""
        lightgbm = import_optional("lightgbm", extra="all", purpose="Early stopping of LightGBM")
        model = self.with_iterations(max_iterations)
        held_out: dict[str, Any] = {"eval_set": [(rows.X_held_out, rows.y_held_out)]}
        if "eval_X" in inspect.signature(model.fit).parameters:
            held_out = {"eval_X": rows.X_held_out, "eval_y": rows.y_held_out}
        model.fit(
            rows.X,
            rows.y,
            sample_weight=rows.weights,
            **held_out,
            eval_sample_weight=None if rows.weights is None else [rows.weights_held_out],
            callbacks=[lightgbm.early_stopping(patience, verbose=False)],
        )
        return int(model.best_iteration_ or max_iterations)


class CatBoostBooster:
    """Let CatBoost stop on its own evaluation metric."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def with_iterations(self, n_iterations: int) -> Any:
        """Return an unfitted model with that number and no early stopping of its own.

        A model takes one of several names for the number, and no second one beside it.
        """
        given = self.model.get_params()
        (name, *_) = [n for n in _CATBOOST_ITERATIONS if n in given] or _CATBOOST_ITERATIONS
        kept = {n: v for n, v in given.items() if n not in _CATBOOST_STOPPING}
        return type(self.model)(**{**kept, name: n_iterations})

    def best_iteration(
        self,
        rows: HeldOutRows,
        *,
        loss: Callable[..., float],
        max_iterations: int,
        patience: int,
    ) -> int:
        """Return the number of iterations with the lowest held-out loss."""
        catboost = import_optional("catboost", extra="ecosystem", purpose="Early stopping")
        model = self.with_iterations(max_iterations)
        model.fit(
            rows.X,
            rows.y,
            sample_weight=rows.weights,
            eval_set=catboost.Pool(
                rows.X_held_out, rows.y_held_out, weight=rows.weights_held_out,
                cat_features=model.get_params().get("cat_features"),
            ),
            early_stopping_rounds=patience,
            use_best_model=True,
            verbose=False,
        )  # fmt: skip
        return int(model.get_best_iteration()) + 1


def _first_stop(losses: list[float], patience: int) -> int:
    """Return the position of the lowest loss before the first long wait in vain."""
    best = 0
    for position, value in enumerate(losses):
        if value < losses[best]:
            best = position
        elif position - best >= patience:
            break
    return best
