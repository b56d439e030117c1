"""Groups that stay together, from a clusterer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone

from honesteval._validation import name_rows
from honesteval.similarity import Similarity, TanimotoSimilarity

__all__ = ["cluster_groups"]

#: Clusterers that want the whole matrix of distances get it up to so many samples.
MATRIX_SAMPLES = 12_000


def cluster_groups(clusterer: Any, entities: Any, similarity: Similarity) -> NDArray[np.intp]:
    """Return the cluster of each sample.

    Parameters
    ----------
    clusterer : scikit-learn clusterer or callable
        A clusterer is cloned, and given the matrix of distances (1 - similarity) if its
        ``metric`` is ``"precomputed"``, that of similarities if its ``affinity`` is, else the
        fingerprint bits of molecules, or the features as they are. A callable is given the
        entities and returns labels. A label of -1 (noise) is a cluster of its own.
    entities : array-like of length n
    similarity : Similarity
        Between them.

    Returns
    -------
    labels : ndarray of int of shape (n,)
    """
    n = similarity.n_items
    if isinstance(clusterer, type):
        raise TypeError(
            f"clusterer is the class {clusterer.__name__}. Give an instance, "
            f"{clusterer.__name__}(...)."
        )
    if isinstance(clusterer, BaseEstimator) and hasattr(clusterer, "fit_predict"):
        labels = clone(clusterer).fit_predict(_input(clusterer, entities, similarity))
    elif callable(clusterer):
        labels = clusterer(entities)
    else:
        raise TypeError(
            f"clusterer must be a scikit-learn clusterer or a callable that returns a label per "
            f"sample. Got {clusterer!r}."
        )
    labels = np.asarray(labels)
    unlabelled = np.flatnonzero(pd.isna(labels)) if labels.ndim == 1 else ()
    if len(unlabelled):
        raise ValueError(
            f"The clusterer returned no label for {name_rows(unlabelled)}. Return -1 for a sample "
            f"that is in no cluster."
        )
    if labels.shape != (n,):
        raise ValueError(
            f"The clusterer returned labels of shape {labels.shape} for {n} samples. It must "
            f"return one label per sample."
        )
    codes = np.unique(labels, return_inverse=True)[1].astype(np.intp)
    noise = labels == -1 if labels.dtype.kind in "iuf" else np.zeros(n, dtype=bool)
    codes[noise] = codes.max(initial=0) + 1 + np.arange(noise.sum())
    return codes


def _input(clusterer: BaseEstimator, entities: Any, similarity: Similarity) -> NDArray[Any]:
    parameters = clusterer.get_params(deep=False)
    wants_distances = parameters.get("metric") == "precomputed"
    if wants_distances or parameters.get("affinity") == "precomputed":
        if similarity.n_items > MATRIX_SAMPLES:
            raise ValueError(
                f"A clusterer with a precomputed metric needs the matrix of all "
                f"{similarity.n_items:,} samples, more than the {MATRIX_SAMPLES:,} that are "
                f"allowed. Use a clusterer of features, or threshold."
            )
        everything = np.arange(similarity.n_items)
        matrix = similarity.block(everything, everything)
        if not wants_distances:
            return matrix
        distances = 1 - matrix
        np.fill_diagonal(distances, 0.0)
        return distances
    if isinstance(similarity, TanimotoSimilarity):
        return np.unpackbits(similarity.bits.packed, axis=1)
    features = np.asarray(entities)
    if features.ndim != 2 or features.dtype.kind not in "biuf":
        raise ValueError(
            f"{type(clusterer).__name__} needs features, and these entities have none. Give it "
            f"metric='precomputed' to cluster by {similarity.name}, or pass a callable."
        )
    return features
