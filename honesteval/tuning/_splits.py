"""Which splitter an argument means, and the folds it gives, computed once."""

from __future__ import annotations

import copy
import inspect
import warnings
from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    check_cv,
)
from sklearn.utils.multiclass import type_of_target

from honesteval._validation import check_number, n_rows
from honesteval.exceptions import HonestevalWarning
from honesteval.tuning._seeding import derive_seed

Split = tuple[NDArray[np.intp], NDArray[np.intp]]

DEFAULT_N_SPLITS = 5

_TAKE_GROUPS_AND_DROP_THEM = (
    "StratifiedKFold", "StratifiedShuffleSplit", "TimeSeriesSplit", "PredefinedSplit",
    "_CVIterableWrapper",
)  # fmt: skip

GIVEN_FOLDS = "_CVIterableWrapper"
"""scikit-learn's class for folds that were given as they are."""


def resolve_splitter(cv: Any, y: Any, *, classifier: bool, groups: Any, seed: int) -> Any:
    """Return the splitter that ``cv`` means.

    A number of folds means shuffled folds: stratified for a classifier, and with groups kept
    whole when ``groups`` are given. Anything else is what scikit-learn's ``check_cv`` makes of it.
    """
    if cv is None:
        cv = DEFAULT_N_SPLITS
    if not isinstance(cv, Integral):
        return check_cv(cv, y, classifier=classifier)
    check_number(cv, "cv", low=2, integer=True)
    stratify = classifier and np.ndim(y) == 1 and type_of_target(y) in ("binary", "multiclass")
    if groups is None:
        kind = StratifiedKFold if stratify else KFold
    else:
        kind = StratifiedGroupKFold if stratify else GroupKFold
    return kind(n_splits=int(cv), shuffle=True, random_state=seed)


def takes_groups(splitter: Any) -> bool:
    """Whether the splitter makes use of ``groups``."""
    if any(kind.__name__ == "_UnsupportedGroupCVMixin" for kind in type(splitter).__mro__):
        return False
    owner = getattr(type(splitter).split, "__qualname__", "").partition(".")[0]
    if owner in _TAKE_GROUPS_AND_DROP_THEM:
        return False
    return "groups" in inspect.signature(splitter.split).parameters


def compute_splits(splitter: Any, X: Any, y: Any, groups: Any, *, where: str) -> list[Split]:
    """Return the folds as arrays of positions; an error says which splitter met which rows.

    Raises
    ------
    ValueError
        If the splitter cannot split the rows, or a part is empty.
    """
    extra = {"groups": groups} if groups is not None and takes_groups(splitter) else {}
    try:
        splits = [
            (np.asarray(train, dtype=np.intp), np.asarray(test, dtype=np.intp))
            for train, test in splitter.split(X, y, **extra)
        ]
    except ValueError as error:
        n_groups = "" if groups is None else f" in {len(np.unique(np.asarray(groups)))} groups"
        raise ValueError(
            f"{where} ({shown_splitter(splitter)}) cannot split {n_rows(X)} rows{n_groups}: {error}"
        ) from error
    if not splits:
        raise ValueError(f"{where} ({shown_splitter(splitter)}) gave no folds.")
    for number, (train, test) in enumerate(splits):
        if len(train) == 0 or len(test) == 0:
            part = "training" if len(train) == 0 else "test"
            raise ValueError(
                f"{where} ({shown_splitter(splitter)}): the {part} part of fold {number} is empty."
            )
    return splits


def warn_about_ignored_groups(splitter: Any, groups: Any, *, where: str) -> None:
    """Warn when groups were given to a splitter that does not look at them."""
    if groups is not None and not takes_groups(splitter):
        if type(splitter).__name__ == GIVEN_FOLDS:
            return
        warnings.warn(
            f"groups were given, but {where} ({shown_splitter(splitter)}) does not look at them: "
            "rows of one group can stand on both sides. Use GroupKFold, SimilarityGroupKFold or "
            "a number of folds.",
            HonestevalWarning,
            stacklevel=5,
        )


def reseeded(splitter: Any, seed: int, repeat: int) -> Any:
    """Return a copy of the splitter that draws other folds, for repeat 1, 2, ...

    Raises
    ------
    ValueError
        If the splitter has no ``random_state`` to change.
    """
    if repeat == 0:
        return splitter
    may_be_fixed = "shuffle" in inspect.signature(type(splitter)).parameters
    if not hasattr(splitter, "random_state") or (may_be_fixed and not splitter.shuffle):
        raise ValueError(
            f"n_repeats needs a splitter that draws its folds, and {shown_splitter(splitter)} "
            "gives the same folds each time. Give it shuffle=True, or pass a number of folds."
        )
    again = copy.copy(splitter)
    again.random_state = derive_seed(seed, 7, repeat)
    return again


def repeats_of(splitter: Any) -> int:
    """Return how often a splitter goes through all rows by itself (``RepeatedKFold``)."""
    return int(getattr(splitter, "n_repeats", 1))


def shown_splitter(splitter: Any) -> str:
    """Return the splitter in one short line."""
    if type(splitter).__name__ == GIVEN_FOLDS:
        return "given folds"
    text = " ".join(repr(splitter).split())
    return text if len(text) <= 200 else f"{type(splitter).__name__}(...)"


def restrict(splits: Sequence[Split], keep: NDArray[np.bool_]) -> list[Split]:
    """Return the folds with only the rows that ``keep`` marks."""
    return [(train[keep[train]], test[keep[test]]) for train, test in splits]
