"""What a permutation test repeats: an estimator under cross-validation, or a whole procedure."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import check_scoring
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold, check_cv, cross_val_score

from honesteval.stats._random_state import draw_seed

DEFAULT_N_SPLITS = 5
"""Folds when ``cv`` is not given."""


class Scored(NamedTuple):
    """One score, the number of folds in which it was undefined, and what went wrong."""

    score: float
    n_undefined: int = 0
    error: str | None = None


@dataclass(frozen=True)
class WholeProcedure:
    """A callable on ``(X, y)`` that returns a score."""

    procedure: Callable[[Any, Any], Any]
    X: Any

    @property
    def statistic(self) -> str:
        """What the score is, in words."""
        name = getattr(self.procedure, "__name__", type(self.procedure).__name__)
        return f"{name}(X, y)"

    def score(self, y: Any) -> Scored:
        """Run the procedure on these labels."""
        value = np.asarray(self.procedure(self.X, y))
        if value.size != 1:
            raise ValueError(
                f"The procedure must return one number. Got an array of shape {value.shape}."
            )
        return Scored(float(value.reshape(())))


@dataclass(frozen=True)
class CrossValidatedEstimator:
    """An estimator whose mean score over folds is the statistic; folds are redrawn with y."""

    estimator: Any
    X: Any
    groups: Any
    cv: Any
    scoring: Any
    fit_params: dict[str, Any] | None

    @property
    def statistic(self) -> str:
        """What the score is, in words."""
        named = self.scoring if isinstance(self.scoring, str) else "score"
        return f"mean {named} of {type(self.estimator).__name__} over {self.cv}"

    def splits(self, y: Any) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Return the folds for these labels."""
        return list(self.cv.split(self.X, y, self.groups))

    def fold_scores(self, y: Any) -> NDArray[np.float64]:
        """Return the score of each fold, NaN where it is undefined."""
        scores: NDArray[np.float64] = cross_val_score(
            self.estimator, self.X, y, cv=self.splits(y), scoring=self.scoring,
            params=self.fit_params, error_score="raise",
        )  # fmt: skip
        return scores

    def score(self, y: Any) -> Scored:
        """Cross-validate on these labels."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            return mean_over_folds(self.fold_scores(y))


def mean_over_folds(scores: NDArray[np.float64]) -> Scored:
    """Average the folds in which the score is defined."""
    defined = ~np.isnan(scores)
    if not defined.any():
        return Scored(np.nan, len(scores), "the score is undefined in every fold")
    return Scored(float(np.mean(scores[defined])), int((~defined).sum()))


def make_procedure(
    procedure: Any, X: Any, y: Any, *, groups: Any, cv: Any, scoring: Any,
    fit_params: dict[str, Any] | None, random_state: np.random.RandomState,
) -> WholeProcedure | CrossValidatedEstimator:  # fmt: skip
    """Return the repeatable form of an estimator or a callable."""
    if not hasattr(procedure, "fit"):
        if not callable(procedure):
            raise ValueError(
                "procedure must be an estimator with fit, or a callable on (X, y) that returns a "
                f"score. Got {procedure!r}."
            )
        for name, value in {"cv": cv, "scoring": scoring, "fit_params": fit_params}.items():
            if value is not None:
                raise ValueError(
                    f"{name} belongs to an estimator; a procedure called on (X, y) does its own "
                    f"splitting and scoring. Leave {name} out."
                )
        return WholeProcedure(procedure, X)
    check_scoring(procedure, scoring=scoring)
    return CrossValidatedEstimator(
        estimator=_seeded_estimator(procedure, random_state),
        X=X,
        groups=groups,
        cv=_seeded_cv(procedure, y, groups, cv, random_state),
        scoring=scoring,
        fit_params=fit_params,
    )


def relabelled(y: Any, positions: NDArray[np.intp]) -> Any:
    """Return permuted labels of the same type; a pandas index stays with its rows.

    An index that travelled with the labels would let any procedure that aligns on it undo
    the permutation.
    """
    if isinstance(y, pd.Series | pd.DataFrame):
        return y.iloc[positions].set_axis(y.index, axis=0)
    return np.asarray(y)[positions]


def _seeded_estimator(estimator: Any, random_state: np.random.RandomState) -> Any:
    """Clone with every open ``random_state`` fixed, so that a result can be repeated."""
    seeded = clone(estimator)
    open_states = {
        name: draw_seed(random_state)
        for name, value in sorted(seeded.get_params(deep=True).items())
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    }
    return seeded.set_params(**open_states)


def _seeded_cv(
    estimator: Any, y: Any, groups: Any, cv: Any, random_state: np.random.RandomState
) -> Any:
    classifier = is_classifier(estimator)
    if groups is not None and (cv is None or isinstance(cv, Integral)):
        n_splits = DEFAULT_N_SPLITS if cv is None else int(cv)
        return StratifiedGroupKFold(n_splits) if classifier else GroupKFold(n_splits)
    splitter = copy.deepcopy(check_cv(cv, y, classifier=classifier))
    may_shuffle = getattr(splitter, "shuffle", True)
    if may_shuffle and getattr(splitter, "random_state", 0) is None:
        splitter.random_state = draw_seed(random_state)
    elif isinstance(getattr(splitter, "random_state", None), np.random.RandomState):
        splitter.random_state = draw_seed(splitter.random_state)
    return splitter
