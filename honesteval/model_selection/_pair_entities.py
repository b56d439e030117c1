"""The entities in the columns of a table of pairs, and how alike those of one type are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from honesteval._validation import n_rows, name_rows
from honesteval.model_selection._similarity_cache import cached_similarity
from honesteval.model_selection._time_values import column_of
from honesteval.similarity import PrecomputedSimilarity, Similarity, resolve_similarity

__all__ = ["EntityType", "TypeSpec", "read_types", "type_specs"]


@dataclass(frozen=True)
class TypeSpec:
    """What the caller says about one type of entity.

    Attributes
    ----------
    name : str
    columns : tuple of str or int
        Where entities of this type are; several for pairs within a type.
    similarity : object
    """

    name: str
    columns: tuple[Any, ...]
    similarity: Any


@dataclass(frozen=True)
class EntityType:
    """The different entities of one type in a table.

    Attributes
    ----------
    name : str
    values : list
        The different entities, in order of first appearance.
    codes : ndarray of int of shape (n_rows, n_columns)
        Which entity each row has in each column of the type.
    similarity : Similarity
        Between the entities.
    """

    name: str
    values: list[Any]
    codes: NDArray[np.intp]
    similarity: Similarity

    @property
    def n_pairs(self) -> NDArray[np.float64]:
        """Rows in which each entity takes part (twice where it is on both sides)."""
        return np.bincount(self.codes.ravel(), minlength=len(self.values)).astype(np.float64)

    def sum_over_rows(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sum of the rows' values over the rows of each entity."""
        total = np.zeros((len(self.values), rows.shape[1]))
        for column in self.codes.T:
            np.add.at(total, column, rows)
        return total


def type_specs(entities: Any) -> list[TypeSpec]:
    """Read ``entities={"drug": "molecule", ("protein a", "protein b"): matrix}``."""
    if not isinstance(entities, Mapping) or not entities:
        raise ValueError(
            "entities must say which columns hold what, as in {'drug': 'molecule', 'target': "
            f"'identity'}}. Got {entities!r}."
        )
    specs, seen = [], set()
    for key, similarity in entities.items():
        columns = key if isinstance(key, tuple) else (key,)
        for column in columns:
            if column in seen:
                raise ValueError(f"entities names the column {column!r} twice.")
            seen.add(column)
        specs.append(TypeSpec(" and ".join(str(c) for c in columns), columns, similarity))
    if len(seen) < 2:
        raise ValueError(
            "entities must name at least two columns. For one, use SimilarityGroupKFold with "
            "on='<column>'; for one type in two columns, name them together: {('a', 'b'): ...}."
        )
    return specs


def read_types(table: Any, specs: list[TypeSpec]) -> list[EntityType]:
    """Return the entities of every type in the table.

    Raises
    ------
    ValueError
        If a column is not there, or an entity is missing; the message lists the rows.
    InvalidEntityError
        If entities cannot be read as what they should be; the rows in the message are numbered
        by the different entities in order of first appearance.
    """
    return [_read_type(table, spec) for spec in specs]


def _read_type(table: Any, spec: TypeSpec) -> EntityType:
    n, parts = n_rows(table), []
    for column in spec.columns:
        values = column_of(table, column, "entities")
        part = pd.Series(list(values), dtype=object)
        missing = np.flatnonzero(part.isna())
        if len(missing):
            raise ValueError(
                f"The column {column!r} has no entity in {name_rows(missing)}. Drop these rows, "
                f"or fill them in."
            )
        parts.append(part)
    codes, values = pd.factorize(pd.concat(parts, ignore_index=True))
    return EntityType(
        name=spec.name,
        values=list(values),
        codes=codes.reshape(len(spec.columns), n).T.astype(np.intp),
        similarity=_similarity_of(list(values), spec),
    )


def _similarity_of(values: list[Any], spec: TypeSpec) -> Similarity:
    given = spec.similarity
    if isinstance(given, pd.DataFrame):  # a matrix with the entities as its index
        rows = _rows_of(values, given.index, spec)
        return PrecomputedSimilarity(given.to_numpy()[np.ix_(rows, rows)])
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], pd.DataFrame):
        measure, features = given
        return resolve_similarity(
            features.to_numpy()[_rows_of(values, features.index, spec)], measure
        )
    if isinstance(given, Similarity | np.ndarray):  # entities are positions in it
        matrix = given if isinstance(given, Similarity) else PrecomputedSimilarity(given)
        return matrix.take(_positions(values, matrix.n_items, spec))
    entities: Any = values
    if all(isinstance(value, int | float | np.number) for value in values):
        entities = np.array(values, dtype=np.float64)
    return cached_similarity(entities, given)


def _rows_of(values: list[Any], index: pd.Index, spec: TypeSpec) -> NDArray[np.intp]:
    rows = index.get_indexer(pd.Index(values, dtype=index.dtype))
    absent = [values[i] for i in np.flatnonzero(rows < 0)[:5]]
    if absent:
        raise ValueError(
            f"The table given for {spec.name} lacks {int((rows < 0).sum())} of its entities in "
            f"its index, for example {absent}."
        )
    if not index.is_unique:
        raise ValueError(f"The index of the table given for {spec.name} has repeated entries.")
    return np.asarray(rows, dtype=np.intp)


def _positions(values: list[Any], n: int, spec: TypeSpec) -> NDArray[np.intp]:
    try:
        positions = np.array([int(value) for value in values], dtype=np.intp)
        is_whole = all(p == value for p, value in zip(positions, values, strict=True))
    except (TypeError, ValueError):
        is_whole = False
    if not is_whole or positions.min(initial=0) < 0 or positions.max(initial=0) >= n:
        raise ValueError(
            f"A matrix of {n} entities is given for {spec.name}, so its column must hold their "
            f"positions, 0 to {n - 1}. For names, give a DataFrame with them as index and columns."
        )
    return positions
