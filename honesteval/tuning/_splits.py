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

from honesteval._validation import check_number, n_rows, name_rows
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
        If the splitter cannot split the rows, a part is empty or names rows that are not there,
        or a row is in both parts, or twice in one.
    """
    extra = {"groups": groups} if groups is not None and takes_groups(splitter) else {}
    try:
        drawn = [(train, test) for train, test in splitter.split(X, y, **extra)]
    except ValueError as error:
        n_groups = "" if groups is None else f" in {len(np.unique(np.asarray(groups)))} groups"
        raise ValueError(
            f"{where} ({shown_splitter(splitter)}) cannot split {n_rows(X)} rows{n_groups}: {error}"
        ) from error
    if not drawn:
        raise ValueError(f"{where} ({shown_splitter(splitter)}) gave no folds.")
    splits = []
    for number, parts in enumerate(drawn):
        shown = f"part of fold {number} of {where} ({shown_splitter(splitter)})"
        train, test = (
            _positions(part, n_rows(X), where=f"The {name} {shown}")
            for name, part in zip(("training", "test"), parts, strict=True)
        )
        both = np.intersect1d(train, test, assume_unique=True)
        if len(both):
            raise ValueError(
                f"Fold {number} of {where} ({shown_splitter(splitter)}) trains on rows that it "
                f"tests: {name_rows(both)}. Leave them out of one of the two parts."
            )
        splits.append((train, test))
    return splits


def _positions(part: Any, n: int, *, where: str) -> NDArray[np.intp]:
    """Return the rows of one part as positions; a mask of all rows is understood."""
    given = np.asarray(part)
    if given.dtype == bool and given.shape == (n,):
        given = np.flatnonzero(given)
    if given.size == 0:
        raise ValueError(f"{where} is empty.")
    if given.ndim != 1 or given.dtype.kind not in "iu":
        raise ValueError(
            f"{where} must be row positions (whole numbers from 0), or a mask with one entry for "
            f"each of the {n} rows. Got {given.dtype} of shape {given.shape}."
        )
    outside = given[(given < 0) | (given >= n)]
    if len(outside):
        raise ValueError(
            f"{where} names {name_rows(outside)}, and there are rows 0 to {n - 1}. Folds are "
            "numbered by position in this table, not by its index."
        )
    repeated = np.flatnonzero(np.bincount(given, minlength=n) > 1)
    if len(repeated):
        raise ValueError(
            f"{where} names {name_rows(repeated)} more than once. Use sample_weight to make a row "
            "count more."
        )
    return given.astype(np.intp)


def warn_about_ignored_groups(splitter: Any, groups: Any, *, where: str) -> None:
    """Warn when groups were given to a splitter that does not look at them.

    Folds that were given as they are may keep them whole all the same; see
    :func:`warn_about_cut_groups`.
    """
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


def warn_about_cut_groups(
    splitter: Any, splits: Sequence[Split], groups: Any, *, where: str
) -> None:
    """Warn when folds that were given as they are have rows of one group on both sides."""
    if groups is None or type(splitter).__name__ != GIVEN_FOLDS or np.ndim(groups) != 1:
        return
    codes = np.unique(np.asarray(groups).astype(str), return_inverse=True)[1]
    cut = [np.isin(codes[test], codes[train]).sum() for train, test in splits]
    if any(cut):
        n_test = sum(len(test) for _, test in splits)
        warnings.warn(
            f"The folds given as {where} cut the groups: {sum(cut)} of {n_test} test rows have "
            "rows of their own group in the training part. If groups matter, the scores are too "
            "good.",
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
