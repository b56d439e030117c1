"""What was audited, by content: hashes of entities, labels and split, and versions."""

from __future__ import annotations

import hashlib
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from honesteval.checks._data import AuditData
from honesteval.checks._features import feature_table

__all__ = ["manifest"]

_PACKAGES = ("honesteval", "numpy", "scipy", "scikit-learn", "pandas", "rdkit")


def manifest(data: AuditData) -> dict[str, Any]:
    """Return SHA-256 hashes of what was looked at, and the versions it was looked at with.

    Entities are hashed by content in the order of the rows, labels as numbers, features column by
    column with their names, the split as the sorted rows of each side. Equal hashes mean the same
    audit.
    """
    return {
        "entities_sha256": _entities(data),
        "labels_sha256": _digest(labels.values.tobytes() for labels in data.labels),
        "features_sha256": _features(data),
        "split_sha256": _digest(
            side.astype(np.int64).tobytes()
            for comparison in data.split.comparisons
            for side in (comparison.train, comparison.test)
        ),
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in _PACKAGES},
    }


def _entities(data: AuditData) -> str | None:
    if data.similarity is not None:
        return _digest(data.similarity.content_keys())
    if data.entity_codes is not None:
        return _digest([data.entity_codes.astype(np.int64).tobytes()])
    return None


def _features(data: AuditData) -> str | None:
    table = data.once(feature_table)
    if isinstance(table, str):
        return None
    columns = zip(table.names, table.values.T, strict=True)
    return _digest(part for name, column in columns for part in (name.encode(), column.tobytes()))


def _digest(parts: Any) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
