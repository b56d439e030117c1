"""Putting the predictions of test folds back in the order of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray


class PredictedFold(Protocol):
    """What is needed of an outer fold."""

    @property
    def repeat(self) -> int:
        """Which repeat."""

    @property
    def test_indices(self) -> NDArray[np.intp]:
        """Positions of its test rows."""


def align_rows(
    folds: Sequence[PredictedFold], values: Sequence[Any], n_rows: int, n_repeats: int
) -> NDArray[Any]:
    """Return predictions by repeat and row.

    Parameters
    ----------
    folds : sequence
    values : sequence of ndarray
        The predictions of each fold's test rows, shape (n_test,) or (n_test, n_classes).
    n_rows, n_repeats : int

    Returns
    -------
    table : ndarray of shape (n_repeats, n_rows[, n_classes])
        NaN (None for labels that are no numbers) where a row was never tested. A row that one
        repeat tests more than once keeps its last prediction.
    """
    first = np.asarray(values[0])
    numeric = first.dtype.kind in "fiub"
    table: NDArray[Any] = np.full(
        (n_repeats, n_rows, *first.shape[1:]),
        np.nan if numeric else None,
        dtype=np.float64 if numeric else object,
    )
    for fold, predicted in zip(folds, values, strict=True):
        table[fold.repeat, fold.test_indices] = predicted
    return table


def over_repeats(table: NDArray[Any]) -> NDArray[Any]:
    """Return the mean over repeats of what was predicted, NaN for rows never tested."""
    known = ~np.isnan(table)
    counts = known.sum(axis=0)
    sums = np.where(known, table, 0.0).sum(axis=0)
    mean: NDArray[Any] = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    return mean


def most_frequent(table: NDArray[Any]) -> NDArray[Any]:
    """Return the label that most repeats predicted; of equals, the first in sorting order."""
    if len(table) == 1:
        return table[0]
    result = np.empty(table.shape[1], dtype=table.dtype)
    for row, labels in enumerate(table.T):
        known = labels[~pd.isna(labels)]
        values, counts = np.unique(known, return_counts=True) if len(known) else ([None], [1])
        result[row] = values[int(np.argmax(counts))]
    return result
