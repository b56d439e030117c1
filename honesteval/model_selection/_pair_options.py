"""The options of SimilarityPairKFold about columns: which are unseen, limits, cross types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honesteval._validation import check_number
from honesteval.model_selection._pair_entities import EntityType, TypeSpec

__all__ = ["cross_matrix", "cross_types", "thresholds_of", "unseen_types"]


def unseen_types(specs: list[TypeSpec], unseen: Any) -> list[int]:
    if isinstance(unseen, str) and unseen == "all":
        return list(range(len(specs)))
    asked = unseen if isinstance(unseen, tuple | list) else (unseen,)
    found = set()
    for name in asked:
        at = [r for r, spec in enumerate(specs) if name in spec.columns or name == spec.columns]
        if not at:
            columns = [column for spec in specs for column in spec.columns]
            raise ValueError(
                f"unseen names {name!r}, but entities has the columns {columns}. Name one or more "
                f"of them, or 'all'."
            )
        found.add(at[0])
    if not found:
        raise ValueError("unseen is empty. Name at least one column, or 'all'.")
    return sorted(found)


def thresholds_of(specs: list[TypeSpec], threshold: Any) -> dict[str, float | None]:
    given = threshold if isinstance(threshold, Mapping) else None
    known = [key for spec in specs for key in (spec.columns, *spec.columns)]
    strange = [key for key in given or () if key not in known]
    if strange:
        raise ValueError(
            f"threshold names {strange[0]!r}, but entities has the columns "
            f"{[column for spec in specs for column in spec.columns]}."
        )
    found: dict[str, float | None] = {}
    for spec in specs:
        value = threshold
        if given is not None:
            keys = [spec.columns, *spec.columns]
            value = next((given[key] for key in keys if key in given), None)
        if value is not None:
            check_number(value, "threshold", low=0, high=1, closed="right")
        found[spec.name] = value
    return found


def cross_types(
    specs: list[TypeSpec], unseen: list[int], given: Mapping[tuple[Any, Any], Any] | None
) -> dict[tuple[int, int], Any]:
    """Return the functions by positions among the unseen types."""
    found = {}
    pairs = given.items() if isinstance(given, Mapping) else [(given, None)] if given else ()
    for key, function in pairs:
        if not callable(function) or not isinstance(key, tuple) or len(key) != 2:
            raise ValueError(
                "cross_similarity must be a dict from two columns to a function, as in "
                f"{{('peptide', 'protein'): function}}. Got {key!r}: {function!r}."
            )
        r, s = (unseen_types(specs, column)[0] for column in key)
        if r == s or r not in unseen or s not in unseen:
            raise ValueError(
                f"cross_similarity names {key}, which must be two columns of different types, "
                f"both unseen."
            )
        found[unseen.index(r), unseen.index(s)] = function
    return found


def cross_matrix(one: EntityType, other: EntityType, function: Any) -> NDArray[np.float64]:
    values = np.asarray(function(one.values, other.values), dtype=np.float64)
    wanted = (len(one.values), len(other.values))
    if values.shape != wanted:
        raise ValueError(
            f"cross_similarity of {one.name} and {other.name} must return shape {wanted}. "
            f"Got {values.shape}."
        )
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError(
            f"cross_similarity of {one.name} and {other.name} must return numbers in [0, 1]."
        )
    return values
