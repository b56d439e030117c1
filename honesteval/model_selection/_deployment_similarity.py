"""The similarity between samples and the entities that a model will meet."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from honesteval._validation import n_rows, name_rows
from honesteval.exceptions import InvalidEntityError
from honesteval.model_selection._similarity_cache import cached_similarity
from honesteval.similarity import Similarity

__all__ = ["nearest_to_deployment", "similarity_with_deployment"]


def similarity_with_deployment(
    entities: Any, deployment: Any, similarity: Any, caller: str
) -> Similarity:
    """Return the similarity among the samples, followed by the entities to be met.

    Parameters
    ----------
    entities, deployment : array-like
        Of the same kind.
    similarity : str or callable
    caller : str
        For messages.

    Returns
    -------
    similarity : Similarity
        Of ``n_rows(entities) + n_rows(deployment)`` items.
    """
    if isinstance(similarity, Similarity) or str(similarity).startswith("precomputed"):
        raise ValueError(
            f"{caller} compares the samples with X_deploy, so it needs a measure that can be "
            f"computed for new entities: a name or a function. With similarities computed "
            f"elsewhere, pass the highest similarity of each entity to be met to the samples as "
            f"deploy_similarity."
        )
    n = n_rows(entities)
    if isinstance(deployment, str):
        raise ValueError(f"X_deploy must hold one entity per row. Got the text {deployment!r}.")
    if not n_rows(deployment):
        raise ValueError("X_deploy is empty: there is nothing to match the folds to.")
    try:
        return cached_similarity(_stack(entities, deployment), similarity)
    except InvalidEntityError as error:
        met = [row - n for row in error.rows if row >= n]
        if not met or len(met) < len(error.rows):
            raise
        raise InvalidEntityError(
            f"X_deploy cannot be read in {name_rows(met)}. Correct or leave out these rows.", met
        ) from error


def nearest_to_deployment(joint: Similarity, n_samples: int) -> NDArray[np.float64]:
    """Return the highest similarity of each entity to be met to a sample."""
    met = np.arange(n_samples, joint.n_items)
    return joint.nearest(met, np.arange(n_samples))[0]


def _stack(entities: Any, deployment: Any) -> Any:
    if sparse.issparse(entities) or sparse.issparse(deployment):
        _same_columns(entities.shape[1:], np.shape(deployment)[1:])
        return sparse.vstack([sparse.csr_array(entities), sparse.csr_array(deployment)])
    known, met = _plain(entities), _plain(_in_columns_of(entities, deployment))
    if isinstance(known, list) or isinstance(met, list):
        return [*known, *met]
    _same_columns(known.shape[1:], met.shape[1:])
    return np.concatenate([known, met])


def _in_columns_of(entities: Any, deployment: Any) -> Any:
    """Return the columns of one table in the order of those of the other."""
    known, met = (list(getattr(table, "columns", ())) for table in (entities, deployment))
    if len(known) < 2 or len(met) < 2 or known == met:
        return deployment
    strange = [name for name in known if name not in met] or [n for n in met if n not in known]
    if strange or len(set(known)) < len(known) or len(known) != len(met):
        raise ValueError(
            f"X_deploy must have the columns of the entities of X, and each once. Not so for "
            f"{strange[:5] or known[:5]}."
        )
    return deployment[known]


def _same_columns(known: tuple[int, ...], met: tuple[int, ...]) -> None:
    if known != met:
        raise ValueError(
            f"X_deploy must have the columns of the entities of X: {known}. Got {met}."
        )


def _plain(entities: Any) -> Any:
    """Return a table as an array, and a single column as a list of its values."""
    values = entities
    if hasattr(entities, "to_numpy"):  # pandas, polars
        values = entities.to_numpy()
    elif not isinstance(entities, np.ndarray):
        first = entities[0] if len(entities) else None
        values = np.asarray(entities) if isinstance(first, list | tuple | np.ndarray) else None
    if values is None:
        return list(entities)
    if values.ndim == 2 and values.shape[1] == 1 and values.dtype == object:
        values = values[:, 0]
    return list(values) if values.ndim == 1 else values
