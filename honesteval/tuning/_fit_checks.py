"""Errors that are cheaper before a long run than in it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import _safe_indexing
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import _check_method_params, check_is_fitted

from honesteval._validation import name_rows
from honesteval.exceptions import HonestevalWarning
from honesteval.tuning._scoring import Scoring, short_error
from honesteval.tuning._splits import Split
from honesteval.tuning._suspicious_features import suspicious_features

PROBE_ROWS = 60
"""Most rows on which a model is tried to see whether it takes missing values."""


def check_labels(y: NDArray[Any], *, classifier: bool, name: str = "y") -> None:
    """Raise when labels are missing, or do not fit the kind of model.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
        Labelled rows only.
    classifier : bool
    name : str, default="y"
    """
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        bad = np.flatnonzero(~np.isfinite(y))
        raise ValueError(f"{name} is NaN or infinite in {name_rows(bad)}. Leave those rows out.")
    if y.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} holds complex numbers.")
    if y.dtype.kind in "mM":
        raise ValueError(f"{name} holds dates or durations. Turn them into numbers of one unit.")
    if classifier:
        if type_of_target(y) == "continuous":
            raise ValueError(
                f"{name} is continuous, and the model is a classifier. Use a regressor, or turn "
                "the values into classes."
            )
        return
    try:
        np.asarray(y).astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} holds labels that are not real numbers, and the model is a regressor. Use a "
            "classifier."
        ) from None


def check_classes_in_training(
    y: NDArray[Any], rows: NDArray[np.intp], splits: Sequence[Split], *, names: Sequence[str]
) -> None:
    """Raise when the training part of a fold lacks a class that the rows have.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
    rows : ndarray of int
        The rows that the folds divide.
    splits : sequence of (train, test)
    names : sequence of str
        What each fold is called.
    """
    classes, coded = np.unique(y[rows], return_inverse=True)
    codes = np.full(len(y), -1)
    codes[rows] = coded
    counts = np.bincount(coded, minlength=len(classes))
    for (train, _), name in zip(splits, names, strict=True):
        present = np.bincount(codes[train], minlength=len(classes))
        if (present == 0).any():
            missing = int(np.flatnonzero(present == 0)[0])
            raise ValueError(
                f"Class {classes[missing]!s} ({counts[missing]} rows) is missing from the training "
                f"part of {name}. Use a stratified splitter or fewer folds, or leave the "
                "class out."
            )


def check_ranking_is_defined(
    y: NDArray[Any], splits: Sequence[Split], scoring: Scoring, *, names: Sequence[str]
) -> None:
    """Raise when ROC-AUC is asked for in a test part with one class only."""
    if not scoring.needs_two_classes:
        return
    for (_, test), name in zip(splits, names, strict=True):
        if len(np.unique(y[test])) < 2:
            raise ValueError(
                f"The test part of {name} has one class only ({len(test)} rows), so "
                "ROC-AUC is undefined there. Use a stratified splitter or fewer folds."
            )


def check_scorers(candidates: Sequence[Any], scoring: Scoring) -> None:
    """Raise when a scorer needs a method that none of the candidate models has.

    Parameters
    ----------
    candidates : sequence of estimators
    scoring : Scoring
    """
    for name, scorer in scoring.single.items():
        needed = getattr(scorer, "_response_method", None)
        if needed is None or (isinstance(needed, str) and needed == "default"):
            continue
        methods = (needed,) if isinstance(needed, str) else tuple(needed)
        if any(hasattr(c, method) for c in candidates for method in methods):
            continue
        function = getattr(getattr(scorer, "_score_func", None), "__name__", name)
        shown = function if name == "score" else f"{name} ({function})"
        raise ValueError(
            f"The scoring {shown} needs {' or '.join(methods)}, which {_last(candidates[0])} does "
            "not have. Choose a scoring that needs predictions only, or a model with "
            "probabilities (CalibratedClassifierCV adds them)."
        )


def check_labels_can_be_scored(y: NDArray[Any], scoring: Scoring) -> None:
    """Raise when a score is not defined for such labels, whatever is predicted.

    scikit-learn's metrics of predicted labels or values are tried on the labels themselves.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
    scoring : Scoring
    """
    for name, scorer in scoring.single.items():
        function = getattr(scorer, "_score_func", None)
        if function is None:
            continue
        shown = getattr(function, "__name__", name)
        options = dict(getattr(scorer, "_kwargs", {}))
        if shown == "roc_auc_score" and options.get("multi_class", "raise") == "raise":
            n_classes = len(np.unique(y))
            if n_classes > 2 and type_of_target(y) == "multiclass":
                raise ValueError(
                    f"ROC-AUC is about two classes, and there are {n_classes}. Use scoring="
                    "'roc_auc_ovr' or 'roc_auc_ovo'."
                )
        is_own = str(getattr(function, "__module__", "")).startswith("sklearn.")
        if not is_own or getattr(scorer, "_response_method", None) != "predict":
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                function(y, y, **options)
        except ValueError as error:
            raise ValueError(
                f"The scoring {shown} cannot score these labels: {short_error(error)}"
            ) from error


def check_missing_values(
    candidates: Sequence[Any], X: Any, y: NDArray[Any], columns: Mapping[str, Any] | None = None
) -> None:
    """Raise when X has missing or infinite values that none of the candidate models takes.

    Each candidate is fitted on a few rows, those with missing values among them.

    Parameters
    ----------
    candidates : sequence of estimators
    X : array-like
    y : ndarray of shape (n_rows,)
    columns : mapping, default=None
        Further columns of the fit.
    """
    bad = rows_with_missing_values(X)
    if len(bad) == 0:
        return
    rows = _probe_rows(bad, y)
    error = None
    for candidate in candidates:
        params = _check_method_params(X, params=dict(columns or {}), indices=rows)
        error = _probe(candidate, _safe_indexing(X, rows), y[rows], params)
        if error is None:
            return
    raise ValueError(
        f"X has missing (NaN) or infinite (inf) values in {name_rows(bad)}, and "
        f"{_last(candidates[0])} does not take them: {error} Put an imputer (such as "
        "SimpleImputer) into the pipeline, so that it is fitted inside each fold."
    )


def rows_with_missing_values(X: Any) -> NDArray[np.intp]:
    """Return the rows of a numeric table that hold NaN or infinite values."""
    if sparse.issparse(X):
        table = X.tocoo()
        return np.unique(table.row[~np.isfinite(table.data)]).astype(np.intp)
    if isinstance(X, list) or not hasattr(X, "shape") or len(X.shape) != 2:
        return np.empty(0, dtype=np.intp)
    if isinstance(X, pd.DataFrame):
        numbers = X.select_dtypes("number")
        values = numbers.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        values = np.asarray(X)
        if values.dtype.kind != "f":
            return np.empty(0, dtype=np.intp)
    return np.flatnonzero(~np.isfinite(values).all(axis=1))


def note_if_fitted(model: Any) -> str | None:
    """Return a note when a model was handed in already fitted."""
    inner = getattr(model, "estimator", model)
    parts = [model, inner, *(step for _, step in getattr(inner, "steps", []))]
    if any(_is_fitted(part) for part in parts):
        return (
            f"{type(inner).__name__} was already fitted. It is cloned, and fitted anew in each "
            "fold; what it had learned plays no part."
        )
    return None


def warn_about_features(X: Any, y: NDArray[Any], *, classifier: bool) -> list[str]:
    """Warn when X looks as if something was fitted on all its rows; return the sentences."""
    said = []
    for reason in suspicious_features(X, y, classifier=classifier):
        sentence = (
            f"X looks as if its test rows had taken part in preparing it: {reason}. If so, the "
            "scores are too good; put that step into the pipeline."
        )
        warnings.warn(sentence, HonestevalWarning, stacklevel=5)
        said.append(sentence)
    return said


def check_model(
    candidates: Sequence[Any], X: Any, y: Any, scoring: Scoring, columns: Mapping[str, Any]
) -> None:
    """Check that a model, its rows and its scoring can work together.

    Parameters
    ----------
    candidates : sequence of estimators
        Some settings of the model.
    X : array-like
    y : array-like or None
    scoring : Scoring
    columns : mapping
        Further columns of the fit.
    """
    if not candidates:
        return
    if y is not None and np.ndim(y) == 1:
        check_labels_can_be_scored(np.asarray(y), scoring)
    check_scorers(candidates, scoring)
    if y is not None and np.ndim(y) == 1:
        check_missing_values(candidates, X, np.asarray(y), columns)


def _probe_rows(bad: NDArray[np.intp], y: NDArray[Any]) -> NDArray[np.intp]:
    """Return rows with missing values, and some of each class."""
    some = [bad[: PROBE_ROWS // 2]]
    classes = np.unique(y)
    if len(classes) <= PROBE_ROWS // 4:
        some += [np.flatnonzero(y == value)[: max(2, PROBE_ROWS // 4)] for value in classes]
    else:
        some.append(np.arange(min(len(y), PROBE_ROWS // 2)))
    return np.unique(np.concatenate(some))


def _probe(candidate: Any, X: Any, y: NDArray[Any], params: Mapping[str, Any]) -> str | None:
    """Return what a fit says about missing values; any other failure is not looked at here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            clone(candidate).fit(X, y, **params)
        except TypeError:
            return None  # a column that the fit does not take, or misses, is said elsewhere
        except Exception as error:
            text = short_error(error)
            words = ("nan", "missing", "infinit")
            return text if any(word in text.lower() for word in words) else None
    return None


def _is_fitted(part: Any) -> bool:
    if isinstance(part, str) or part is None or not hasattr(part, "fit"):
        return False
    try:
        check_is_fitted(part)
    except NotFittedError:
        return False
    except Exception:
        return False
    return any(name.endswith("_") and not name.startswith("_") for name in vars(part)) or hasattr(
        part, "steps"
    )


def _last(candidate: Any) -> str:
    last = candidate.steps[-1][1] if hasattr(candidate, "steps") else candidate
    return " ".join(repr(last).split())[:120]
