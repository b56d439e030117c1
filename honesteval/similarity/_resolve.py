"""From what the user hands over to a :class:`Similarity`."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from honesteval._validation import check_option, name_rows
from honesteval.entities import (
    Molecules,
    looks_like_smiles,
    parse_molecules,
    parse_sequences,
)
from honesteval.entities._rows import is_missing
from honesteval.exceptions import InvalidEntityError
from honesteval.similarity._base import Similarity
from honesteval.similarity._coefficients import COEFFICIENTS, BitSimilarity
from honesteval.similarity._features import (
    CallableSimilarity,
    CosineSimilarity,
    CountTanimotoSimilarity,
    IdentitySimilarity,
    RBFSimilarity,
)
from honesteval.similarity._kmers import GenomeSimilarity, kmer_similarity
from honesteval.similarity._matrix import PrecomputedSimilarity
from honesteval.similarity._sequence_identity import SequenceIdentity
from honesteval.similarity._tanimoto import TanimotoSimilarity

__all__ = ["NAMED_SIMILARITIES", "molecule_similarity", "resolve_similarity"]

NAMED_SIMILARITIES = (
    "auto",
    "molecule",
    "scaffold",
    "tanimoto",
    "cosine",
    "rbf",
    "identity",
    "sequence",
    "kmer",
    "genome",
    "precomputed",
    "precomputed_distance",
    *COEFFICIENTS,
)

NamedSimilarity = Literal[
    "auto",
    "molecule",
    "scaffold",
    "tanimoto",
    "cosine",
    "rbf",
    "identity",
    "sequence",
    "kmer",
    "genome",
    "precomputed",
    "precomputed_distance",
    "dice",
    "sokal",
    "kulczynski",
    "braun_blanquet",
    "asymmetric",
    "bit_cosine",
    "russel",
    "all_bit",
    "rogot_goldberg",
]

ECFP4_NAME = "Tanimoto of ECFP4 fingerprints (radius 2, 2,048 bits)"


def resolve_similarity(entities: Any, similarity: Any = "auto") -> Similarity:
    """Make the similarity between some entities.

    Parameters
    ----------
    entities : array-like of shape (n,) or (n, n_features)
        SMILES, Mol objects, fingerprints (dense, sparse, DataFrame), numeric rows, labels, or a
        square matrix.
    similarity : str, callable or Similarity, default="auto"
        - ``"molecule"``: Tanimoto of ECFP4 fingerprints (radius 2, 2,048 bits) of SMILES or Mol;
        - ``"scaffold"``: same Bemis-Murcko scaffold or not;
        - ``"tanimoto"``: 0/1 or count rows;
        - ``"dice"``, ``"sokal"``, ``"kulczynski"`` and others: coefficients of 0/1 rows, or of
          the ECFP4 fingerprints of molecules (:class:`BitSimilarity`);
        - ``"cosine"``, ``"rbf"``: numeric rows;
        - ``"identity"``: equal labels or not;
        - ``"sequence"``: share of identical residues of aligned proteins, DNA or RNA
          (:class:`SequenceIdentity`; extra ``sequence``); ``"kmer"``: Tanimoto of their words
          (:func:`kmer_similarity`); ``"genome"``: of long DNA (:class:`GenomeSimilarity`);
        - ``"precomputed"``, ``"precomputed_distance"``: a square matrix in [0, 1];
        - a callable on two blocks of entities;
        - a :class:`Similarity` of the same number of entities, used as it is;
        - ``"auto"``: strings that read as SMILES and Mol objects are molecules, 0/1 rows are
          fingerprints; anything else must be named.

    Returns
    -------
    similarity : Similarity

    Raises
    ------
    InvalidEntityError
        If rows cannot be read as what they should be; the message and ``error.rows`` list them.
    ValueError
        If ``"auto"`` cannot tell, or a matrix does not fit.

    Examples
    --------
    >>> from honesteval.similarity import resolve_similarity
    >>> similarity = resolve_similarity(["CCO", "CCN", "c1ccccc1"])
    >>> similarity.name
    'Tanimoto of ECFP4 fingerprints (radius 2, 2,048 bits)'
    >>> similarity.block([0], [0, 1, 2]).round(3)
    array([[1.   , 0.333, 0.   ]])
    """
    if isinstance(similarity, Similarity):
        return _of_size(similarity, entities)
    if isinstance(entities, list | tuple) and entities and isinstance(entities[0], list | tuple):
        entities = np.asarray(entities)
    if not isinstance(similarity, str) and callable(similarity):
        return CallableSimilarity(entities, similarity)
    check_option(similarity, "similarity", NAMED_SIMILARITIES)
    if similarity == "auto":
        similarity = _guess(entities)
    if similarity == "molecule":
        return molecule_similarity(_molecules(entities))
    if similarity == "scaffold":
        scaffolds = _molecules(entities).scaffolds()
        return IdentitySimilarity(list(scaffolds), name="same Bemis-Murcko scaffold")
    if similarity in ("sequence", "kmer", "genome"):
        kind: Any = "nucleotide" if similarity == "genome" else "auto"
        try:
            sequences = parse_sequences(_column(entities), kind=kind)
        except InvalidEntityError as error:
            raise _without_option(error, "parse_sequences") from None
        measures: dict[str, Any] = {
            "sequence": SequenceIdentity, "kmer": kmer_similarity, "genome": GenomeSimilarity,
        }  # fmt: skip
        return measures[similarity](sequences)
    if similarity in COEFFICIENTS:
        return _of_bits(entities, similarity)
    if similarity == "tanimoto":
        return _tanimoto(entities)
    if similarity == "precomputed":
        return PrecomputedSimilarity(entities)
    if similarity == "precomputed_distance":
        return PrecomputedSimilarity(entities, is_distance=True)
    if similarity == "identity":
        labels = _labels(entities)
        missing = [row for row, label in enumerate(labels) if is_missing(label)]
        if missing:
            raise InvalidEntityError(
                f"There is no label in {name_rows(missing)}, and similarity='identity' cannot tell "
                f"what these rows are like. Fill them in, or leave them out.",
                rows=missing,
            )
        return IdentitySimilarity(labels)
    return CosineSimilarity(entities) if similarity == "cosine" else RBFSimilarity(entities)


def molecule_similarity(
    molecules: Molecules, *, coefficient: str = "tanimoto", **fingerprint: Any
) -> Similarity:
    """Return the similarity of the fingerprints of parsed molecules.

    Parameters
    ----------
    molecules : Molecules
    coefficient : str, default="tanimoto"
        Or one of :class:`BitSimilarity`: ``"dice"``, ``"sokal"``, ``"kulczynski"`` ...
    **fingerprint
        ``kind``, ``radius``, ``n_bits`` of :meth:`honesteval.entities.Molecules.fingerprints`;
        by default ECFP4 with 2,048 bits.

    Returns
    -------
    similarity : TanimotoSimilarity or BitSimilarity
        Its content keys are the canonical SMILES.

    Examples
    --------
    >>> from honesteval.entities import parse_molecules
    >>> from honesteval.similarity import molecule_similarity
    >>> molecules = parse_molecules(["CCO", "CCN"])
    >>> molecule_similarity(molecules, coefficient="dice", kind="atom_pair").name
    'dice of atom_pair fingerprints (2,048 bits)'
    """
    keys = [smiles.encode() for smiles in molecules.smiles]
    bits = molecules.fingerprints(**fingerprint)
    name = ECFP4_NAME
    if fingerprint:
        kind, radius = fingerprint.get("kind", "ecfp"), fingerprint.get("radius", 2)
        size = f"radius {radius}, " if kind in ("ecfp", "fcfp") else ""
        name = f"Tanimoto of {kind} fingerprints ({size}{8 * bits.shape[1]:,} bits)"
    if coefficient == "tanimoto":
        return TanimotoSimilarity(bits, name=name, keys=keys)
    return BitSimilarity(bits, coefficient, name=name.replace("Tanimoto", coefficient), keys=keys)


def _of_bits(entities: Any, coefficient: str) -> Similarity:
    """Return a coefficient of 0/1 rows, or of the fingerprints of molecules."""
    column = _column(entities)
    if not _is_sparse(column) and np.ndim(column) == 1:
        return molecule_similarity(_molecules(entities), coefficient=coefficient)
    if not _is_binary(column):
        raise ValueError(
            f"similarity={coefficient!r} compares 0/1 rows or molecules; these rows hold other "
            f"values. For counts use similarity='tanimoto', for other numbers 'cosine' or 'rbf'."
        )
    return BitSimilarity(_pack(column), coefficient)


def _of_size(similarity: Similarity, entities: Any) -> Similarity:
    n = entities.shape[0] if hasattr(entities, "shape") else len(entities)
    if n != similarity.n_items:
        raise ValueError(
            f"The similarity was made from {similarity.n_items} entities, but there are {n}. "
            f"Make it from the same rows, or use similarity.take(indices) for a part of them."
        )
    return similarity


def _molecules(entities: Any) -> Molecules:
    try:
        return parse_molecules(_column(entities))
    except InvalidEntityError as error:
        raise _without_option(error, "parse_molecules") from None


def _without_option(error: InvalidEntityError, parser: str) -> InvalidEntityError:
    """Return the error for callers that have no errors= of their own."""
    message = str(error).replace(
        "or pass errors='drop' to leave these rows out",
        f"or leave these rows out before: honesteval.entities.{parser}(values, "
        f"errors='drop').rows are the rows to keep",
    )
    return InvalidEntityError(message, rows=error.rows)


def _column(entities: Any) -> Any:
    """Return a single column as one-dimensional, anything else unchanged."""
    if getattr(entities, "ndim", 1) == 2 and entities.shape[1] == 1 and not _is_sparse(entities):
        return np.asarray(entities)[:, 0]
    return entities


def _labels(entities: Any) -> list[Any]:
    values = _column(entities)
    if _is_sparse(values):
        values = values.toarray()
    values = np.asarray(values, dtype=object) if not hasattr(values, "shape") else values
    array = np.asarray(values)
    return [tuple(row) for row in array] if array.ndim == 2 else list(array.tolist())


def _is_sparse(entities: Any) -> bool:
    return bool(sparse.issparse(entities))


def _guess(entities: Any) -> str:
    column = _column(entities)
    if not _is_sparse(column) and getattr(column, "ndim", 1) == 1:
        values = list(column)
        if values and any(hasattr(value, "GetNumAtoms") for value in values):
            return "molecule"
        if any(isinstance(value, str) for value in values):
            if looks_like_smiles(values):
                return "molecule"
            _refuse_mixture(values)
            example = next(value for value in values if isinstance(value, str))
            raise ValueError(
                f"similarity='auto' takes strings for SMILES, but these do not read as SMILES "
                f"(for example {example!r}). If they are, name it with similarity='molecule' to "
                f"see which rows fail; for labels use similarity='identity'; for another kind of "
                f"entity give a precomputed matrix or a callable."
            )
    elif _is_binary(column):
        return "tanimoto"
    else:
        _refuse_gaps(column)
    raise ValueError(
        "similarity='auto' knows SMILES, Mol objects and 0/1 fingerprints; X is none of these. "
        "Name the measure: similarity='tanimoto' (counts), 'cosine', 'rbf', 'identity', "
        "'precomputed', or a callable. If the entities are in a column of X, name it with "
        "on='<column>'; if they are not in X, pass them as groups with on='groups'. To keep only "
        "groups whole (patients, sites), whatever X holds: similarity='identity', on='groups'."
    )


def _refuse_mixture(values: list[Any]) -> None:
    """Raise if there are SMILES, but also values that are no text."""
    others = [
        row for row, value in enumerate(values) if not (isinstance(value, str) or is_missing(value))
    ]
    if others and looks_like_smiles([value for value in values if isinstance(value, str)]):
        raise InvalidEntityError(
            f"Among the SMILES are values that are no text: {values[others[0]]!r} in "
            f"{name_rows(others)}. Correct these rows, or leave them out.",
            rows=others,
        )


def _refuse_gaps(table: Any) -> None:
    """Raise if rows would be 0/1 fingerprints but for missing values."""
    if _is_sparse(table):
        return
    if np.iscomplexobj(table) or any(kind.kind == "c" for kind in getattr(table, "dtypes", ())):
        raise InvalidEntityError("X holds complex numbers, for which there is no similarity.")
    try:
        numbers = np.asarray(table, dtype=np.float64)
    except (TypeError, ValueError):
        return
    gaps = np.isnan(numbers)
    if numbers.ndim == 2 and gaps.any() and _is_binary(np.where(gaps, 0, numbers)):
        rows = np.flatnonzero(gaps.any(axis=1)).tolist()
        raise InvalidEntityError(
            f"X holds 0 and 1 but is missing values in {name_rows(rows)}: a fingerprint has none. "
            "Fill them in or leave these rows out; if the columns are other features, name the "
            "measure (similarity='cosine' or 'rbf').",
            rows=rows,
        )


def _is_binary(table: Any) -> bool:
    if _is_sparse(table):
        data = table.data
    else:
        try:
            data = np.asarray(table)
        except (TypeError, ValueError):
            return False
    if data.dtype == object:
        try:
            data = data.astype(np.float64)
        except (TypeError, ValueError):
            return False
    if data.dtype.kind not in "biuf":
        return False
    return bool(((data == 0) | (data == 1)).all())


def _tanimoto(entities: Any) -> Similarity:
    table = entities.toarray() if _is_sparse(entities) and not _is_binary(entities) else entities
    if not _is_sparse(table):
        table = np.asarray(table)
        if table.ndim != 2:
            raise ValueError(
                f"similarity='tanimoto' needs one row of 0/1 or counts per entity. "
                f"Got shape {table.shape}."
            )
    if not _is_binary(table):
        return CountTanimotoSimilarity(table)
    return TanimotoSimilarity(_pack(table), name=f"Tanimoto of {table.shape[1]:,}-bit rows")


def _pack(table: Any) -> NDArray[np.uint8]:
    """Pack 0/1 rows eight bits a byte, a few thousand rows at a time."""
    n = table.shape[0]
    if n == 0:
        raise InvalidEntityError("There are no rows to compare.")
    packed = [
        np.packbits(_dense(table[start : start + 4096]).astype(bool), axis=1)
        for start in range(0, n, 4096)
    ]
    return np.concatenate(packed)


def _dense(rows: Any) -> NDArray[Any]:
    values = rows.toarray() if _is_sparse(rows) else np.asarray(rows)
    if values.dtype == object:
        values = values.astype(np.float64)
    return values
