"""Results as JSON text and back, without pickle.

Arrays are written as ``{"dtype": ..., "values": ...}`` with null for NaN. Parameters that JSON
cannot hold (estimators, functions) are written as their ``repr`` and stay text.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from honesteval.tuning._result import NestedCVResult, OuterFold

FORMAT = "honesteval.NestedCVResult"
VERSION = 1

_PLAIN = (
    "metric", "n_splits", "n_repeats", "model", "outer_cv", "inner_cv", "random_state", "seconds",
)  # fmt: skip


def encode_result(result: NestedCVResult) -> str:
    """Return the result as JSON text."""
    document = {
        "format": FORMAT,
        "version": VERSION,
        **{name: getattr(result, name) for name in _PLAIN},
        "task_names": list(result.task_names),
        "notes": list(result.notes),
        "y": encode_array(result.y),
        "groups": encode_array(result.groups),
        "classes": [encode_array(classes) for classes in result.classes],
        "folds": [encode_fold(fold) for fold in result.folds],
    }
    return json.dumps(document, allow_nan=False)


def decode_result(text: str) -> NestedCVResult:
    """Return the result that JSON text holds.

    Raises
    ------
    ValueError
        If the text is something else, or was written by a newer version.
    """
    document = json.loads(text)
    if document.get("format") != FORMAT:
        raise ValueError(f"This is not a saved nested cross-validation result ({FORMAT}).")
    if document["version"] > VERSION:
        raise ValueError(
            f"The result was saved in format version {document['version']}, and this honesteval "
            f"reads up to {VERSION}. Install a newer one."
        )
    return NestedCVResult(
        **{name: document[name] for name in _PLAIN},
        task_names=tuple(document["task_names"]),
        notes=tuple(document["notes"]),
        y=decode_array(document["y"]),
        groups=decode_array(document["groups"]),
        classes=tuple(decode_array(classes) for classes in document["classes"]),
        folds=tuple(decode_fold(fold) for fold in document["folds"]),
    )


def encode_fold(fold: OuterFold) -> dict[str, Any]:
    """Return an outer fold as plain data."""
    return {
        **{name: getattr(fold, name) for name in _FOLD_PLAIN},
        "test_indices": encode_array(fold.test_indices),
        "predictions": encode_array(fold.predictions),
        "predicted_scores": encode_array(fold.predicted_scores),
        "scores": {name: _number(value) for name, value in fold.scores.items()},
        "best_params": {name: as_plain(value) for name, value in fold.best_params.items()},
        "inner_best_score": _number(fold.inner_best_score),
        "learning_curve": [[size, _number(score)] for size, score in fold.learning_curve],
    }


def decode_fold(document: dict[str, Any]) -> OuterFold:
    """Return the outer fold that plain data holds."""
    return OuterFold(
        **{name: document[name] for name in _FOLD_PLAIN},
        test_indices=decode_array(document["test_indices"]),
        predictions=decode_array(document["predictions"]),
        predicted_scores=decode_array(document["predicted_scores"]),
        scores={name: _float(value) for name, value in document["scores"].items()},
        best_params=document["best_params"],
        inner_best_score=_float(document["inner_best_score"]),
        learning_curve=tuple((size, _float(score)) for size, score in document["learning_curve"]),
    )


_FOLD_PLAIN = (
    "repeat", "fold", "task", "train_size", "test_size", "n_trials", "n_failed_trials",
    "first_error", "search_seconds", "refit_seconds",
)  # fmt: skip


def encode_array(array: Any) -> dict[str, Any] | None:
    """Return an array of numbers, strings or both as plain data."""
    if array is None:
        return None
    values = np.asarray(array)
    kind = values.dtype.str if values.dtype.kind in "fiub" else values.dtype.kind
    if values.dtype.kind == "f":
        plain: Any = _without_nan(values.tolist())
    elif values.dtype.kind in "iub":
        plain = values.tolist()
    else:
        flat = [as_plain(value) for value in values.ravel().tolist()]
        plain = np.array(flat, dtype=object).reshape(values.shape).tolist()
    return {"dtype": kind, "values": plain}


def decode_array(document: dict[str, Any] | None) -> Any:
    """Return the array that plain data holds."""
    if document is None:
        return None
    kind, values = document["dtype"], document["values"]
    if kind == "U":
        return np.array(values, dtype=str)
    if kind in ("O", "S"):
        return np.array(values, dtype=object)
    if np.dtype(kind).kind == "f":
        return np.array(values, dtype=object).astype(np.dtype(kind))
    return np.array(values, dtype=np.dtype(kind))


def as_plain(value: Any) -> Any:
    """Return a parameter as JSON can hold it; anything else as its ``repr`` in one line."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, list | tuple):
        return [as_plain(item) for item in value]
    return " ".join(repr(value).split())


def _without_nan(values: Any) -> Any:
    if isinstance(values, list):
        return [_without_nan(value) for value in values]
    return values if math.isfinite(values) else (None if math.isnan(values) else repr(values))


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _float(value: float | None) -> float:
    return float("nan") if value is None else float(value)
