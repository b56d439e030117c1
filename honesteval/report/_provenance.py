"""Where the numbers come from: versions, and hashes of the data and the folds."""

from __future__ import annotations

import hashlib
import platform
from importlib import metadata
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from honesteval.report._evaluation import FoldedSplit
    from honesteval.report._rows import EvaluatedRows

PACKAGES = (
    "honesteval",
    "numpy",
    "scipy",
    "scikit-learn",
    "pandas",
    "optuna",
    "rdkit",
    "numkong",
)

_HASH_LENGTH = 16


def provenance(data: EvaluatedRows, splits: tuple[FoldedSplit, ...]) -> dict[str, Any]:
    """Return versions and hashes.

    The hash of the data covers entities and labels of the evaluated rows in any order, so that
    a shuffled table has the same one. The hash of a split covers which rows share a fold.
    """
    return {
        "versions": versions(),
        "data_hash": _data_hash(data),
        "split_hashes": {split.name: _fold_hash(split.fold) for split in splits},
    }


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that numbers depend on."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found


def _data_hash(data: EvaluatedRows) -> str:
    labels = np.column_stack([target.values for target in data.targets])
    keys = data.similarity.content_keys()
    rows = sorted(key + row.tobytes() for key, row in zip(keys, labels, strict=True))
    return _short(hashlib.sha256(b"\0".join(rows)))


def _fold_hash(fold: np.ndarray[Any, Any]) -> str:
    first_seen: dict[int, int] = {}
    renamed = [first_seen.setdefault(int(number), len(first_seen)) for number in fold]
    return _short(hashlib.sha256(np.array(renamed, dtype=np.int64).tobytes()))


def _short(digest: Any) -> str:
    return str(digest.hexdigest()[:_HASH_LENGTH])
