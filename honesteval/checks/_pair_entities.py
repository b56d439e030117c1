"""The columns of entities of rows that are pairs: names, canonical text, similarity."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from honesteval.checks._data import AuditData
from honesteval.checks._sequences import looks_like_sequences
from honesteval.entities import looks_like_smiles, parse_molecules, parse_sequences
from honesteval.similarity import Similarity, kmer_similarity, molecule_similarity

__all__ = ["EntityColumn", "entity_columns"]

EntityKind = Literal["molecule", "sequence", "name"]


@dataclass(frozen=True, eq=False)
class EntityColumn:
    """One column of entities.

    Attributes
    ----------
    name : str
    kind : {"molecule", "sequence", "name"}
        Molecules are written as canonical SMILES, sequences in capitals, so that equal text
        means the same entity.
    text : ndarray of object of shape (n,)
        None where missing; molecules that cannot be read stay as they are.
    """

    name: str
    kind: EntityKind
    text: NDArray[np.object_] = field(repr=False)

    @cached_property
    def distinct(self) -> NDArray[np.object_]:
        """The different entities that can be compared."""
        present = pd.unique(pd.Series(self.text[[value is not None for value in self.text]]))
        values = np.asarray(present, dtype=object)
        if self.kind == "name" or len(values) == 0:
            return values
        read = parse_molecules if self.kind == "molecule" else parse_sequences
        return np.asarray(values[read(values, errors="drop").rows], dtype=object)

    @cached_property
    def similarity(self) -> Similarity | None:
        """Between the different entities; None for names."""
        if self.kind == "name" or len(self.distinct) == 0:
            return None
        if self.kind == "molecule":
            return molecule_similarity(parse_molecules(self.distinct))
        return kmer_similarity(parse_sequences(self.distinct))


def entity_columns(data: AuditData) -> list[EntityColumn]:
    """Read every column of ``pairs``."""
    assert data.pairs_of is not None
    table = data.pairs_of
    return [
        _read(str(name), table.iloc[:, position]) for position, name in enumerate(table.columns)
    ]


def _read(name: str, column: pd.Series) -> EntityColumn:
    values = column.astype(object)
    text = values.map(lambda value: None if pd.isna(value) else str(value).strip() or None)
    array = np.array(text.tolist(), dtype=object)
    different = [value for value in pd.unique(text) if value is not None]
    if not all(isinstance(value, str) or pd.isna(value) for value in values):
        return EntityColumn(name, "name", array)
    if looks_like_smiles(different):
        read = parse_molecules(different, errors="drop")
        canonical = dict(
            zip(np.array(different, dtype=object)[read.rows], read.smiles, strict=True)
        )
        return EntityColumn(name, "molecule", _mapped(array, canonical))
    if looks_like_sequences(different):
        found = parse_sequences(different, errors="drop")
        written = np.array(different, dtype=object)[found.rows]
        return EntityColumn(
            name, "sequence", _mapped(array, dict(zip(written, found.values, strict=True)))
        )
    return EntityColumn(name, "name", array)


def _mapped(values: NDArray[np.object_], to: dict[str, str]) -> NDArray[np.object_]:
    return np.array([to.get(value, value) for value in values], dtype=object)
