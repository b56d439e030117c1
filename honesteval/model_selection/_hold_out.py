"""Named subsets of arrays, each far from every other, as train_test_split returns them."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from honesteval._validation import check_number, n_rows
from honesteval.model_selection._shared_parameters import takes_parameters_of
from honesteval.model_selection._similarity_group_kfold import SimilarityGroupKFold
from honesteval.partition import Partition

__all__ = ["DEFAULT_SIZES", "SplitArrays", "similarity_split"]

DEFAULT_SIZES = {"train": 0.8, "val": 0.1, "test": 0.1}

_ROUNDING = 1e-6


class SplitArrays(list[Any]):
    """The subsets of each array, in the order of ``train_test_split``, and how they were chosen.

    A list to unpack: all subsets of the first array, then all of the second, ...

    Parameters
    ----------
    arrays : sequence
        The subsets.
    names : tuple of str
        Names of the subsets, in order.
    partition : Partition
        Subset of each row (its number among ``names``) and everything measured about it.
    """

    def __init__(self, arrays: Sequence[Any], names: tuple[str, ...], partition: Partition) -> None:
        super().__init__(arrays)
        self.names = names
        self.partition = partition

    @property
    def indices(self) -> dict[str, NDArray[np.intp]]:
        """Rows of each subset, by name."""
        labels = self.partition.labels
        return {name: np.flatnonzero(labels == i) for i, name in enumerate(self.names)}

    def subset(self, name: str) -> list[Any]:
        """Return the arrays of one subset, in the order in which they were passed."""
        if name not in self.names:
            raise ValueError(f"There is no subset {name!r}; the subsets are {list(self.names)}.")
        return self[self.names.index(name) :: len(self.names)]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per subset: size, share, target, nearest similarity to the others."""
        table = self.partition.to_frame().set_axis(pd.Index(self.names, name="subset"))
        nearest = self.partition.nearest_similarity
        inside = list(self.indices.values())
        table["mean_nearest_similarity"] = [nearest[rows].mean() for rows in inside]
        table["highest_nearest_similarity"] = [nearest[rows].max() for rows in inside]
        return table

    def summary(self) -> str:
        """Return what a reader needs to know, in a few lines."""
        return f"subsets: {', '.join(self.names)}\n{self.partition.summary()}"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.summary())}</pre>"


@takes_parameters_of(SimilarityGroupKFold, without=("n_splits",))
def similarity_split(
    *arrays: Any,
    sizes: Mapping[str, float] | None = None,
    y: Any = None,
    groups: Any = None,
    sample_weight: Any = None,
    **parameters: Any,
) -> SplitArrays:
    """Split arrays into named subsets with as little similarity as possible between any two.

    Like :func:`sklearn.model_selection.train_test_split`, but validation and test rows have few
    relatives in training, and none in each other.

    Parameters
    ----------
    *arrays : sequence of array-like with the same number of rows
        The first holds the entities to compare (or, with ``on="smiles"``, that column of it).
        NumPy arrays, sparse matrices, data frames and lists come back as what they were.
    sizes : mapping of str to float, default={"train": 0.8, "val": 0.1, "test": 0.1}
        Name and size of each subset, at least two, in the order of the result. Shares sum to 1;
        whole numbers are taken in proportion, so that ``{"train": 8, "test": 2}`` and numbers of
        rows that add up to all of them are both possible.
    y : array-like of shape (n_samples,) or (n_samples, n_tasks), optional
        Labels whose classes every subset gets its share of; not returned unless it is also among
        the arrays. See ``stratify`` in :class:`SimilarityGroupKFold`.
    groups : array-like of shape (n_samples,), optional
        Rows that must stay together; or the entities, with ``on="groups"``.
    sample_weight : array-like of shape (n_samples,), optional
        What a row counts in the sizes of the subsets; a pair counts the product in L.
    **parameters
        Of :class:`SimilarityGroupKFold`: ``similarity``, ``on``, ``threshold`` (a hard limit
        between all subsets), ``size_tolerance``, ``stratify``, ``random_state``, ...

    Returns
    -------
    parts : SplitArrays
        A list: all subsets of the first array, then of the second, ... It also holds
        ``partition``, with everything measured about the subsets, and ``indices``.

    Raises
    ------
    InfeasibleSplitError
        If no subsets are within the bounds; the message names the binding ones.
    ValueError
        If sizes do not add up, or the arrays differ in length.

    Examples
    --------
    >>> from honesteval import similarity_split
    >>> smiles = [c * n + end for end in ("O", "N", "C(=O)O") for n in range(3, 9) for c in "C"]
    >>> lengths = [len(s) for s in smiles]
    >>> parts = similarity_split(smiles, lengths, sizes={"train": 4, "test": 2})
    >>> smiles_train, smiles_test, lengths_train, lengths_test = parts
    >>> smiles_test
    ['CCCC(=O)O', 'CCCCC(=O)O', 'CCCCCC(=O)O', 'CCCCCCC(=O)O', 'CCCCCCCC(=O)O', 'CCCCCCCCC(=O)O']
    >>> parts.partition.status
    'optimal'
    """
    if not arrays:
        raise ValueError("There is nothing to split: pass at least one array.")
    lengths = [n_rows(array) for array in arrays]
    if len(set(lengths)) > 1:
        raise ValueError(f"All arrays need the same number of rows. Got {lengths}.")
    names, shares = _shares(DEFAULT_SIZES if sizes is None else sizes)
    unknown = [
        name for name in parameters if name not in signature(SimilarityGroupKFold).parameters
    ]
    if unknown:
        raise TypeError(
            f"similarity_split has no parameter {unknown[0]!r}. Sizes are given by name, as in "
            f"sizes={{'train': 0.8, 'test': 0.2}}; the other parameters are those of "
            f"SimilarityGroupKFold."
        )
    splitter = SimilarityGroupKFold(2, **parameters)
    partition = splitter._partition_into(
        shares, arrays[0], y, groups, given="number of sizes", sample_weight=sample_weight
    )
    rows = [np.flatnonzero(partition.labels == i) for i in range(len(names))]
    return SplitArrays(
        [_safe_indexing(array, chosen) for array in arrays for chosen in rows], names, partition
    )


def _shares(sizes: Mapping[str, float]) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    if not isinstance(sizes, Mapping) or len(sizes) < 2:
        raise ValueError(
            f"sizes must name at least two subsets, as in {{'train': 0.8, 'test': 0.2}}. "
            f"Got {sizes!r}."
        )
    for name, size in sizes.items():
        check_number(size, f"sizes[{name!r}]", low=0, closed="neither")
    values = np.array(list(sizes.values()), dtype=np.float64)
    total = float(values.sum())
    if (values < 1).any() and abs(total - 1) > _ROUNDING:
        raise ValueError(
            f"The shares in sizes add up to {total:g}, not to 1. Name a subset for the rest, or "
            f"give whole numbers to be taken in proportion."
        )
    return tuple(str(name) for name in sizes), values / total
