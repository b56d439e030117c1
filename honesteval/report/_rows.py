"""From what the caller hands over to rows that can be evaluated, and those that cannot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from honesteval._validation import check_option, n_rows, name_rows
from honesteval.entities import (
    ExcludedRows,
    Molecules,
    looks_like_smiles,
    parse_molecules,
    parse_sequences,
)
from honesteval.report._sequence_features import describe, word_shares
from honesteval.report._target import Target, resolve_targets
from honesteval.similarity import Similarity, resolve_similarity

#: Measures that compare sequences.
SEQUENCE_MEASURES = ("sequence", "kmer")


@dataclass(frozen=True, eq=False)
class EvaluatedRows:
    """Rows with an entity and at least one label.

    Parameters
    ----------
    features : ndarray of shape (n_rows, n_features)
        What the model learns from.
    similarity : Similarity
        Between the rows.
    targets : tuple of Target
    groups : ndarray of int, shape (n_rows,)
        Equal numbers mark the same entity; for molecules, without salts and stereo.
    smiles : ndarray of str, shape (n_rows,), or None
        Canonical SMILES of molecules.
    entities : Molecules, ndarray or None
        What an audit compares structure by structure: the molecules, or their SMILES.
    rows : ndarray of int, shape (n_rows,)
        Positions in the input.
    excluded : ExcludedRows
    n_input : int
    feature_name : str, default="the table itself"
        What is learned from, in words, where the caller brings no features.
    """

    features: Any
    similarity: Similarity
    targets: tuple[Target, ...]
    groups: NDArray[np.intp]
    smiles: NDArray[np.object_] | None
    entities: Any
    rows: NDArray[np.intp]
    excluded: ExcludedRows
    n_input: int
    feature_name: str = "the table itself"

    def __len__(self) -> int:
        return len(self.rows)


def prepare_rows(
    X: Any, y: Any, *, target_names: Sequence[str] | None, task: str, positive: Any,
    features: Any, similarity: Any, errors: Literal["raise", "drop"],
) -> EvaluatedRows:  # fmt: skip
    """Read entities and labels, and leave out the rows that lack either."""
    check_option(errors, "errors", ("raise", "drop"))
    n = n_rows(X)
    if n == 0:
        raise ValueError("There are no rows to evaluate.")
    if n_rows(y) != n:
        raise ValueError(f"There are {n:,} entities but {n_rows(y):,} rows of labels.")
    if features is not None and n_rows(features) != n:
        raise ValueError(f"There are {n:,} entities but {n_rows(features):,} rows of features.")
    targets = resolve_targets(y, names=target_names, task=task, positive=positive)
    unlabelled = _unlabelled(targets, errors)
    if isinstance(similarity, str) and similarity in SEQUENCE_MEASURES:
        return _sequence_rows(
            X, targets, unlabelled, features=features, similarity=similarity, errors=errors
        )
    if _holds_molecules(X, similarity):
        return _molecule_rows(
            X, targets, unlabelled, features=features, similarity=similarity, errors=errors
        )
    return _plain_rows(X, targets, unlabelled, features=features, similarity=similarity)


def _holds_molecules(X: Any, similarity: Any) -> bool:
    if getattr(X, "ndim", 1) == 2 and X.shape[1] != 1:
        return False
    values = list(np.asarray(X, dtype=object).ravel())
    if similarity == "molecule" or any(hasattr(value, "GetNumAtoms") for value in values):
        return True
    return any(isinstance(value, str) for value in values) and looks_like_smiles(values)


def _unlabelled(targets: tuple[Target, ...], errors: str) -> NDArray[np.intp]:
    labelled = np.any([target.labelled for target in targets], axis=0)
    rows = np.flatnonzero(~labelled)
    if len(rows) and errors == "raise":
        names = " and ".join(target.name for target in targets)
        raise ValueError(
            f"{len(rows):,} of {len(labelled):,} rows have no value of {names}: {name_rows(rows)} "
            "(row numbers count from 0). Pass errors='drop' to leave them out."
        )
    return rows


def _molecule_rows(
    X: Any, targets: tuple[Target, ...], unlabelled: NDArray[np.intp], *, features: Any,
    similarity: Any, errors: Literal["raise", "drop"],
) -> EvaluatedRows:  # fmt: skip
    molecules = parse_molecules(X, errors=errors)
    keep = ~np.isin(molecules.rows, unlabelled)
    rows = molecules.rows[keep]
    position = np.flatnonzero(keep)
    table = _fingerprint_bits(molecules)[position] if features is None else _take(features, rows)
    measured = resolve_similarity(molecules.mols, similarity).take(position)
    return EvaluatedRows(
        features=table,
        similarity=measured,
        targets=_kept_targets(targets, rows),
        groups=numbered(molecules.keys("flat")[position]),
        smiles=molecules.smiles[position],
        entities=molecules if keep.all() else molecules.smiles[position],
        rows=rows,
        excluded=_all_excluded(molecules.excluded, unlabelled, targets, X),
        n_input=n_rows(X),
        feature_name="ECFP4 fingerprints, 2,048 bits",
    )


def _sequence_rows(
    X: Any, targets: tuple[Target, ...], unlabelled: NDArray[np.intp], *, features: Any,
    similarity: str, errors: Literal["raise", "drop"],
) -> EvaluatedRows:  # fmt: skip
    read = parse_sequences(X, errors=errors)
    position = np.flatnonzero(~np.isin(read.rows, unlabelled))
    rows, values = read.rows[position], read.values[position]
    return EvaluatedRows(
        features=word_shares(read)[position] if features is None else _take(features, rows),
        similarity=resolve_similarity(list(values), similarity),
        targets=_kept_targets(targets, rows),
        groups=numbered(values),
        smiles=None,
        entities=values,
        rows=rows,
        excluded=_all_excluded(read.excluded, unlabelled, targets, X),
        n_input=n_rows(X),
        feature_name=describe(read),
    )


def _plain_rows(
    X: Any,
    targets: tuple[Target, ...],
    unlabelled: NDArray[np.intp],
    features: Any,
    similarity: Any,
) -> EvaluatedRows:
    rows = np.setdiff1d(np.arange(n_rows(X)), unlabelled)
    measured = resolve_similarity(X, similarity).take(rows)
    if features is None and getattr(X, "ndim", 1) != 2:
        raise ValueError(
            "The entities are no molecules and no table of numbers, so there is nothing for a "
            "model to learn from: pass features, one row per entity."
        )
    return EvaluatedRows(
        features=_take(X if features is None else features, rows),
        similarity=measured,
        targets=_kept_targets(targets, rows),
        groups=_same_entity(measured),
        smiles=None,
        entities=None,
        rows=rows,
        excluded=_all_excluded(ExcludedRows(), unlabelled, targets, X),
        n_input=n_rows(X),
    )


def _same_entity(similarity: Similarity) -> NDArray[np.intp]:
    """Return equal numbers for rows of equal content, where that means the same entity."""
    if not similarity.merges_identical:
        return np.arange(similarity.n_items)
    return numbered(similarity.content_keys())


def _fingerprint_bits(molecules: Molecules) -> NDArray[np.uint8]:
    return np.unpackbits(molecules.fingerprints(), axis=1)


def _take(table: Any, rows: NDArray[np.intp]) -> Any:
    from sklearn.utils import _safe_indexing

    return _safe_indexing(table, rows)


def _kept_targets(targets: tuple[Target, ...], rows: NDArray[np.intp]) -> tuple[Target, ...]:
    kept = tuple(target.take(rows) for target in targets)
    for target in kept:
        known = target.values[target.labelled]
        if len(np.unique(known)) < 2:
            raise ValueError(
                f"Among the {len(known):,} rows that can be used, {target.name} has "
                f"{'no value' if not len(known) else 'the same value everywhere'}: "
                "there is nothing to learn."
            )
    return kept


def numbered(keys: Any) -> NDArray[np.intp]:
    """Return one number per key, in the order of first appearance."""
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.intp)


def _all_excluded(
    unreadable: ExcludedRows, unlabelled: NDArray[np.intp], targets: tuple[Target, ...], X: Any
) -> ExcludedRows:
    reasons = dict(zip(unreadable.rows.tolist(), unreadable.reasons, strict=True))
    values = dict(zip(unreadable.rows.tolist(), unreadable.values, strict=True))
    names = ", ".join(target.name for target in targets)
    for row in unlabelled.tolist():
        if row not in reasons:
            reasons[row] = f"no value of {names}"
            values[row] = _shown_entity(X, row)
    rows = sorted(reasons)
    return ExcludedRows(
        rows=np.array(rows, dtype=np.intp),
        values=tuple(values[row] for row in rows),
        reasons=tuple(reasons[row] for row in rows),
    )


def _shown_entity(X: Any, row: int) -> Any:
    if getattr(X, "ndim", 1) == 2:
        return None
    value = np.asarray(X, dtype=object).ravel()[row]
    return value if isinstance(value, str) else type(value).__name__
