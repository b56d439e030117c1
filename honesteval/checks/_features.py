"""The features a model learns from, as a table of numbers with names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from honesteval.checks._data import AuditData

__all__ = ["FeatureTable", "feature_table"]

#: Wider tables (fingerprints) are not looked at column by column.
MOST_FEATURES = 2000
#: Columns with fewer distinct values are not continuous.
FEWEST_DISTINCT = 10


@dataclass(frozen=True, eq=False)
class FeatureTable:
    """Features as numbers; text becomes codes.

    Attributes
    ----------
    names : list of str
    values : ndarray of float of shape (n, n_features)
        NaN where missing.
    is_text : ndarray of bool of shape (n_features,)
    """

    names: list[str]
    values: NDArray[np.float64] = field(repr=False)
    is_text: NDArray[np.bool_]

    def continuous(self) -> NDArray[np.intp]:
        """Return the columns of numbers that are not whole and take many values."""
        wanted = []
        for column in np.flatnonzero(~self.is_text):
            values = self.values[:, column]
            values = values[~np.isnan(values)]
            whole = bool((values == np.round(values)).all())
            if not whole and len(np.unique(values)) >= FEWEST_DISTINCT:
                wanted.append(int(column))
        return np.array(wanted, dtype=np.intp)


def feature_table(data: AuditData) -> FeatureTable | str:
    """Return the features as a table, or why there is none."""
    features = data.features
    if features is None:
        return "No table of features was given."
    if not hasattr(features, "shape") or len(features.shape) != 2:
        return "The features are no table."
    if features.shape[1] > MOST_FEATURES:
        return f"{features.shape[1]:,} features are too many to look at one by one."
    if sparse.issparse(features):
        features = features.toarray()
    table = features if isinstance(features, pd.DataFrame) else pd.DataFrame(np.asarray(features))
    columns, is_text = [], []
    for position in range(table.shape[1]):
        numbers = _numbers(table.iloc[:, position])
        is_text.append(numbers is None)
        columns.append(_codes(table.iloc[:, position]) if numbers is None else numbers)
    return FeatureTable(
        [str(name) for name in table.columns], np.column_stack(columns), np.array(is_text)
    )


def _numbers(column: pd.Series) -> NDArray[np.float64] | None:
    if column.dtype.kind in "mM":
        column = column.astype("int64").where(column.notna())
    try:
        values = np.asarray(column.astype(object).where(column.notna(), np.nan), dtype=np.float64)
    except (TypeError, ValueError):
        return None
    return np.where(np.isfinite(values), values, np.nan)


def _codes(column: pd.Series) -> NDArray[np.float64]:
    present: Any = column.astype(object).where(column.notna(), None)
    codes = pd.factorize(present.map(lambda value: None if value is None else str(value)))[0]
    return np.where(codes < 0, np.nan, codes.astype(np.float64))
