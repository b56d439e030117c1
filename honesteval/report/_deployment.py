"""The molecules that a model will be used on: how close they are to the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from honesteval._notebook import ShownInNotebook
from honesteval._validation import n_rows
from honesteval.entities import ExcludedRows, parse_molecules, parse_sequences
from honesteval.report._rows import SEQUENCE_MEASURES, EvaluatedRows
from honesteval.similarity import Similarity, resolve_similarity


@dataclass(frozen=True, eq=False)
class Deployment(ShownInNotebook):
    """Entities that a model will meet, without labels.

    Parameters
    ----------
    nearest_similarity : ndarray of shape (n,)
        Highest similarity of each to a row of the data.
    n_input : int
        Rows that were handed over.
    excluded : ExcludedRows
        Those that cannot be read.
    """

    nearest_similarity: NDArray[np.float64]
    n_input: int
    excluded: ExcludedRows

    def summary(self) -> str:
        """Return how close the entities are to the data, and which could not be read."""
        n, near = len(self.nearest_similarity), self.nearest_similarity
        text = (
            f"{n:,} of {self.n_input:,} entities to come; highest similarity to the data "
            f"{near.mean():.3f} on average, from {near.min():.3f} to {near.max():.3f}."
        )
        return f"{text}\n{self.excluded.summary()}" if len(self.excluded) else text


def read_deployment(
    deployment: Any, X: Any, data: EvaluatedRows, similarity: Any, errors: Literal["raise", "drop"]
) -> Deployment:
    """Measure how close the entities of a deployment set are to the evaluated rows."""
    if isinstance(similarity, str) and similarity in SEQUENCE_MEASURES:
        met = parse_sequences(deployment, errors=errors)
        known = list(data.entities)
        joint, excluded = resolve_similarity([*known, *met.values], similarity), met.excluded
    elif data.smiles is None:
        joint, excluded = _with_table(deployment, X, data, similarity), ExcludedRows()
    else:
        joint, excluded = _with_molecules(deployment, data, similarity, errors)
    n = len(data)
    nearest, _ = joint.nearest(np.arange(n, joint.n_items), np.arange(n))
    return Deployment(nearest, n_rows(deployment), excluded)


def _with_molecules(
    deployment: Any, data: EvaluatedRows, similarity: Any, errors: Literal["raise", "drop"]
) -> tuple[Similarity, ExcludedRows]:
    met = parse_molecules(deployment, errors=errors, column="deployment")
    known = parse_molecules(data.smiles)
    _require_measure(similarity)
    return resolve_similarity([*known.mols, *met.mols], similarity), met.excluded


def _with_table(deployment: Any, X: Any, data: EvaluatedRows, similarity: Any) -> Similarity:
    _require_measure(similarity)
    if isinstance(similarity, str) and similarity.startswith("precomputed"):
        raise ValueError(
            "A deployment set needs a measure that can be computed for new rows; "
            f"similarity={similarity!r} cannot."
        )
    known, met = np.asarray(X)[data.rows], np.asarray(deployment)
    if known.shape[1:] != met.shape[1:]:
        raise ValueError(
            f"The deployment set must have the columns of X: {known.shape[1:]}. "
            f"Got {met.shape[1:]}."
        )
    return resolve_similarity(np.concatenate([known, met]), similarity)


def _require_measure(similarity: Any) -> None:
    if isinstance(similarity, Similarity):
        raise ValueError(
            "A deployment set needs a measure that can be computed for new rows: pass similarity "
            "as a name or a function, not as an object made from the rows of X."
        )
