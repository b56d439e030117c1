"""From what the caller hands over to the data that checks read."""

from __future__ import annotations

from collections.abc import Mapping, Set
from contextlib import nullcontext
from typing import Any, Literal

import numpy as np
import pandas as pd
from joblib import parallel_config
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import _safe_indexing

from honesteval._validation import check_1d, n_rows, name_rows
from honesteval.checks._as_table import as_table
from honesteval.checks._data import AuditData
from honesteval.checks._labels import LabelColumn, read_labels
from honesteval.checks._sequences import SEQUENCE_MEASURES, looks_like_sequences
from honesteval.checks._split_rows import Comparison, SplitRows, read_splits
from honesteval.checks._time_order import read_time
from honesteval.entities import (
    ExcludedRows,
    Molecules,
    Sequences,
    looks_like_smiles,
    parse_molecules,
    parse_sequences,
)
from honesteval.similarity import (
    Similarity,
    kmer_similarity,
    molecule_similarity,
    resolve_similarity,
)

__all__ = ["Entities", "prepare", "read_entities"]

Rows = NDArray[np.intp]

NO_MEASURE = (
    "similarity='auto' finds no measure for X: name one, for example similarity='tanimoto', "
    "'cosine' or 'rbf'."
)
_MOLECULE_MEASURES = ("auto", "molecule", "scaffold")


class Entities:
    """What is compared: molecules or other rows, their similarity and their identity.

    Attributes
    ----------
    n_rows : int
        Rows in the input.
    rows : ndarray of int
        Rows that hold an entity.
    excluded : ExcludedRows
        The others, with reasons.
    similarity : Similarity or None
        Of the kept rows.
    no_similarity : str
    molecules : Molecules or None
    sequences : ndarray of str or None
    codes : ndarray of int or None
        Identity of the kept rows.
    name : str
    """

    def __init__(
        self, X: Any, similarity: Any, errors: Literal["raise", "drop"], n_jobs: int | None
    ) -> None:
        self.n_rows = _count(X, similarity)
        self.rows: Rows = np.arange(self.n_rows)
        self.excluded = ExcludedRows(np.empty(0, dtype=np.intp), (), ())
        self.similarity: Similarity | None = None
        self.no_similarity = ""
        self.molecules: Molecules | None = None
        self.sequences: NDArray[np.object_] | None = None
        self.codes: Rows | None = None
        self.name = "row"
        if isinstance(X, Molecules) or _holds_molecules(X, similarity):
            with parallel_config(n_jobs=n_jobs) if n_jobs is not None else nullcontext():
                self._read_molecules(X, similarity, errors)
        elif _holds_sequences(X, similarity):
            self._read_sequences(X, similarity, errors)
        else:
            self._read_rows(X, similarity)

    def _read_molecules(self, X: Any, similarity: Any, errors: Literal["raise", "drop"]) -> None:
        molecules = (
            X if isinstance(X, Molecules) else parse_molecules(_one_column(X), errors=errors)
        )
        if not isinstance(X, Molecules):
            self.rows, self.excluded = molecules.rows, molecules.excluded
        self.molecules, self.name = molecules, "molecule"
        self.codes = _codes(molecules.smiles.astype(str))
        if isinstance(similarity, Similarity):
            _check_size(similarity, self.n_rows)
            part = len(self.rows) < self.n_rows
            self.similarity = similarity.take(self.rows) if part else similarity
        elif similarity in ("auto", "molecule"):
            self.similarity = molecule_similarity(molecules)
        else:
            self.similarity = resolve_similarity(molecules.mols, similarity)

    def _read_sequences(self, X: Any, similarity: Any, errors: Literal["raise", "drop"]) -> None:
        whole = isinstance(X, Sequences)
        read = X if whole else parse_sequences(list(_one_column(X)), errors=errors)
        if not whole:
            self.rows, self.excluded = read.rows, read.excluded
        self.sequences, self.name = read.values, "sequence"
        self.codes = _codes(read.values)
        if isinstance(similarity, Similarity):
            _check_size(similarity, self.n_rows)
            self.similarity = similarity.take(self.rows)
        elif similarity in ("auto", "kmer"):
            self.similarity = kmer_similarity(read)
        else:
            self.similarity = resolve_similarity(list(read.values), similarity)

    def _read_rows(self, X: Any, similarity: Any) -> None:
        try:
            whole = X is None and isinstance(similarity, Similarity)
            self.similarity = similarity if whole else resolve_similarity(X, similarity)
        except ValueError:
            if not (isinstance(similarity, str) and similarity == "auto") or _is_text(X):
                raise  # text that does not read as SMILES must be named, not passed as clean
            self.no_similarity = NO_MEASURE
        if self.similarity is None:
            self.codes = _row_codes(X)
        elif self.similarity.merges_identical:
            self.codes = _codes(np.array(self.similarity.content_keys(), dtype=object))
        self.name = "feature vector" if getattr(X, "ndim", 1) == 2 else "entity"


def read_entities(
    X: Any, similarity: Any, errors: Literal["raise", "drop"], n_jobs: int | None = None
) -> Entities:
    """Read what is compared; see :class:`Entities`."""
    return Entities(X, similarity, errors, n_jobs)


def prepare(
    entities: Entities,
    X: Any,
    y: Any,
    splits: Any,
    *,
    features: Any,
    groups: Any,
    levels: Any,
    time: Any,
    pairs: Any,
    estimator: Any,
    y_pred: Any,
    threshold: float,
    seed: int,
    n_jobs: int | None,
) -> AuditData:
    """Bring everything into the numbers of the rows that are looked at."""
    n = entities.n_rows
    table = None if y is None else as_table(y, "y")
    read_labels(table, n)  # what is wrong is named by rows of the input
    times = read_time(time, n)
    split = read_splits(splits, n, X=_for_splitter(X, entities), y=y, groups=groups)
    rows = np.intersect1d(split.used, entities.rows)
    new_number = np.full(n, -1)
    new_number[rows] = np.arange(len(rows))
    kept = np.searchsorted(entities.rows, rows)
    whole = len(kept) == len(entities.rows)
    features = _features(X, features, estimator, n)
    labels = read_labels(None if table is None else table.iloc[rows], len(rows))
    return AuditData(
        rows=rows,
        comparisons=tuple(_renumber(comparison, new_number) for comparison in split.comparisons),
        part=_part_codes(split, rows),
        split=split,
        labels=labels,
        similarity=(
            entities.similarity
            if entities.similarity is None or whole
            else entities.similarity.take(kept)
        ),
        no_similarity=entities.no_similarity,
        molecules=entities.molecules,
        sequences=None if entities.sequences is None else entities.sequences[kept],
        position=kept,
        entity_codes=None if entities.codes is None else entities.codes[kept],
        entity_name=entities.name,
        features=None if features is None else _safe_indexing(_by_row(features), rows),
        groups=_column(groups, "groups", n, rows),
        levels=_column(levels, "levels", n, rows),
        time=None if times is None else times[rows],
        pairs_of=_pairs(pairs, n, rows),
        estimators=_estimators(estimator),
        predictions=_predictions(y_pred, labels, n, rows),
        threshold=threshold,
        seed=seed,
        n_jobs=n_jobs,
    )


def _features(X: Any, features: Any, estimator: Any, n: int) -> Any:
    """Return what a model learns from: X itself when it is a table, or a model takes it."""
    if features is not None:
        if n_rows(features) != n:
            raise ValueError(f"features needs one row per row of X: {n}, got {n_rows(features)}.")
        return features
    if isinstance(X, Molecules | Sequences):
        text = X.smiles if isinstance(X, Molecules) else X.values
        return text if estimator is not None else None
    is_table = getattr(X, "ndim", 1) == 2 and X.shape[1] > 1
    return X if is_table or estimator is not None else None


def _by_row(features: Any) -> Any:
    """Return features of which rows can be taken; only some sparse formats allow that."""
    return features.tocsr() if sparse.issparse(features) else features


def _estimators(estimator: Any) -> dict[str, Any]:
    if estimator is None:
        return {}
    named = estimator if isinstance(estimator, Mapping) else {type(estimator).__name__: estimator}
    for name, one in named.items():
        if isinstance(one, type):
            raise ValueError(f"estimator {name!r} is a class. Give an instance: {one.__name__}().")
        if not callable(getattr(one, "fit", None)) or not callable(getattr(one, "predict", None)):
            raise ValueError(f"estimator {name!r} has no fit and predict. Got {one!r}.")
    return {str(name): one for name, one in named.items()}


def _for_splitter(X: Any, entities: Entities) -> Any:
    """Return X in a form that scikit-learn's splitters can count."""
    if isinstance(X, Molecules):
        return X.smiles
    if isinstance(X, Sequences):
        return X.values
    whole = len(entities.rows) == entities.n_rows
    return entities.molecules.smiles if entities.molecules is not None and whole else X


def _count(X: Any, similarity: Any) -> int:
    n = similarity.n_items if X is None and isinstance(similarity, Similarity) else None
    if n is None:
        if X is None:
            raise ValueError("X is None: hand over the entities, or a Similarity of them.")
        if isinstance(X, str | bytes):
            raise ValueError("X must hold one entity per row. Got a single string.")
        if isinstance(X, Set | Mapping):
            raise ValueError(
                f"X must hold one entity per row, in order. Got a {type(X).__name__}: make it a "
                "list, an array or a data frame."
            )
        n = n_rows(X)
    if n < 2:
        raise ValueError(f"A split needs at least 2 rows. Got {n}.")
    return n


def _holds_molecules(X: Any, similarity: Any) -> bool:
    if isinstance(similarity, str) and similarity in ("molecule", "scaffold"):
        return True
    if isinstance(X, Sequences):
        return False
    if not (isinstance(similarity, Similarity) or similarity == "auto") or X is None:
        return False
    if getattr(X, "ndim", 1) == 2 and X.shape[1] != 1:
        return False
    if hasattr(X, "dtype") and getattr(X.dtype, "kind", "O") in "biufc":
        return False
    values = list(_one_column(X))
    if any(hasattr(value, "GetNumAtoms") for value in values):
        return True
    return looks_like_smiles([value for value in values if isinstance(value, str)])


def _holds_sequences(X: Any, similarity: Any) -> bool:
    if isinstance(X, Sequences) or (
        isinstance(similarity, str) and similarity in SEQUENCE_MEASURES
    ):
        return True
    known = isinstance(similarity, Similarity) or similarity == "auto"
    return known and _is_text(X) and looks_like_sequences(list(_one_column(X)))


def _is_text(X: Any) -> bool:
    if X is None or (getattr(X, "ndim", 1) == 2 and X.shape[1] != 1):
        return False
    return any(isinstance(value, str) for value in list(_one_column(X)))


def _one_column(X: Any) -> Any:
    return np.asarray(X, dtype=object)[:, 0] if getattr(X, "ndim", 1) == 2 else X


def _check_size(similarity: Similarity, n: int) -> None:
    if similarity.n_items != n:
        raise ValueError(
            f"The similarity was made from {similarity.n_items} entities, but there are {n} rows."
        )


def _codes(keys: NDArray[Any]) -> Rows:
    return np.asarray(pd.factorize(keys)[0], dtype=np.intp)


def _row_codes(X: Any) -> Rows:
    """Return equal codes for equal rows of a table or column of any type."""
    if hasattr(X, "toarray"):
        X = X.toarray()
    array = X if isinstance(X, pd.DataFrame) else np.asarray(X, dtype=object)
    if array.ndim > 2:
        raise ValueError(f"X must hold one entity or one row of features each. Got {array.shape}.")
    table = pd.DataFrame(array)
    text = [table.iloc[:, position].map(repr).to_numpy() for position in range(table.shape[1])]
    codes = _codes(pd.MultiIndex.from_arrays(text).to_flat_index().to_numpy())
    empty = np.flatnonzero(table.isna().all(axis=1))  # nothing is known of them: not the same
    codes[empty] = len(codes) + np.arange(len(empty))
    return codes


def _renumber(comparison: Comparison, new_number: Rows) -> Comparison:
    train, test = new_number[comparison.train], new_number[comparison.test]
    train, test = train[train >= 0], test[test >= 0]
    for name, side in {"training": train, "test": test}.items():
        if len(side) == 0:
            raise ValueError(f"{comparison.name}: no {name} row holds a readable entity.")
    return Comparison(comparison.name, train, test, comparison.is_final)


def _part_codes(split: SplitRows, rows: Rows) -> Rows | None:
    if split.part is None:
        return None
    return np.asarray(pd.factorize(split.part[rows].astype(str))[0], dtype=np.intp)


def _column(values: Any, name: str, n: int, rows: Rows) -> NDArray[Any] | None:
    if values is None:
        return None
    if isinstance(values, list | tuple) and any(isinstance(value, tuple) for value in values):
        values = pd.Series(values, dtype=object)
    column = as_table(values, name)
    if column.shape[1] != 1:
        raise ValueError(
            f"{name} must be one label per row. Got {column.shape[1]} columns: join them into one, "
            "for example as text."
        )
    if len(column) != n:
        raise ValueError(f"{name} needs one value per row: {n} rows, got {len(column)}.")
    return np.asarray(column.iloc[rows, 0])


def _pairs(pairs: Any, n: int, rows: Rows) -> pd.DataFrame | None:
    if pairs is None:
        return None
    table = as_table(pairs, "pairs")
    if len(table) != n or table.shape[1] < 2:
        raise ValueError(
            f"pairs needs two or more columns of entities, one row per row of X: {n} rows, got "
            f"shape {table.shape}."
        )
    return table.iloc[rows].reset_index(drop=True)


def _predictions(
    y_pred: Any, labels: tuple[LabelColumn, ...], n: int, rows: Rows
) -> dict[str, NDArray[np.float64]]:
    if y_pred is None:
        return {}
    named = y_pred if isinstance(y_pred, Mapping) else {"model": y_pred}
    if len(labels) != 1:
        raise ValueError("y_pred needs one column of labels in y.")
    read: dict[str, NDArray[np.float64]] = {}
    for name, values in named.items():
        column = check_1d(values, f"y_pred {name!r}")
        if len(column) != n:
            raise ValueError(
                f"y_pred needs one prediction per row of X (NaN where there is none): {n} rows, "
                f"got {len(column)}."
            )
        read[str(name)] = _coded(column, labels[0], str(name), rows)
    return read


def _coded(column: NDArray[Any], labels: LabelColumn, name: str, rows: Rows) -> NDArray[np.float64]:
    """Return predictions of some rows as numbers; classes become their position among those."""
    as_text = labels.classes and isinstance(labels.classes[0], str)
    if not as_text:
        numbers = check_1d(column, f"y_pred {name!r}", numeric=True)
        infinite = np.flatnonzero(np.isinf(numbers))
        if len(infinite):
            raise ValueError(f"y_pred {name!r} is infinite in {name_rows(infinite)}.")
        return numbers[rows]
    position = {str(label): float(code) for code, label in enumerate(labels.classes)}
    present = ~pd.isna(column)
    unknown = [int(row) for row in rows[present[rows]] if str(column[row]) not in position]
    if unknown:
        raise ValueError(
            f"y_pred {name!r} is {str(column[unknown[0]])!r} in {name_rows(unknown)}, which is no "
            f"class of y ({', '.join(map(repr, labels.classes[:5]))} ...)."
        )
    return np.array(
        [position[str(value)] if here else np.nan
         for value, here in zip(column[rows], present[rows], strict=True)]
    )  # fmt: skip
