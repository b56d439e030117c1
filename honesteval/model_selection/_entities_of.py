"""Where the entities to compare are: X, groups, or a column of X."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from honesteval._validation import check_same_length, name_rows

__all__ = ["as_pandas", "entities_and_groups", "group_labels"]


def entities_and_groups(
    X: Any, groups: Any, on: str, caller: str
) -> tuple[Any, NDArray[np.intp] | None]:
    """Return the entities to compare and the labels of the caller's must-link groups.

    Parameters
    ----------
    X : array-like
    groups : array-like or None
    on : str
        ``"X"``, ``"groups"``, or the name of a column of X.
    caller : str
        For messages.

    Returns
    -------
    entities : array-like
    labels : ndarray of int or None
        Groups that must stay together, where ``groups`` is not itself the entities.
    """
    X, groups = as_pandas(X), as_pandas(groups)
    if on == "groups":
        if groups is None:
            raise ValueError(
                f"{caller} has on='groups', but no groups were passed. Pass the entities (for "
                f"example the SMILES) as groups, or use on='X'."
            )
        if X is not None:
            check_same_length(X=X, groups=groups)
        return groups, None
    if X is None:
        raise ValueError(f"{caller} has on={on!r}, but X is None. Pass X.")
    entities = X if on == "X" else _column(X, on, caller)
    labels = None
    if groups is not None:
        check_same_length(X=X, groups=groups)
        labels = group_labels(groups)
    return entities, labels


def as_pandas(table: Any) -> Any:
    """Return polars frames as pandas frames and polars series as arrays, all else as it is."""
    if not type(table).__module__.startswith("polars"):
        return table
    if hasattr(table, "columns"):
        return pd.DataFrame({name: table[name].to_numpy() for name in table.columns})
    return table.to_numpy()


def group_labels(groups: Any) -> NDArray[np.intp]:
    """Return groups as integers; missing ones are an error, since their meaning is unclear."""
    values = pd.Series(_one_per_row(groups), dtype=object)
    missing = np.flatnonzero(values.isna())
    if len(missing):
        raise ValueError(
            f"groups has no value in {name_rows(missing)}. Give every row a group; a row on its "
            f"own needs a label of its own."
        )
    return np.asarray(pd.factorize(values)[0], dtype=np.intp)


def _one_per_row(groups: Any) -> list[Any]:
    if isinstance(groups, Mapping):
        raise ValueError("groups must hold one label per row, in their order. Got a mapping.")
    shape = getattr(groups, "shape", None)
    if shape is not None and len(shape) == 2 and shape[1] == 1:
        groups = np.asarray(groups)[:, 0]
    elif shape is not None and len(shape) > 1:
        raise ValueError(
            f"groups must be one label per row. Got shape {tuple(shape)}. Join several columns "
            f"into one, for example as tuples."
        )
    labels = list(groups)
    if labels and all(isinstance(label, list) and len(label) == 1 for label in labels):
        labels = [label[0] for label in labels]
    odd = [row for row, label in enumerate(labels) if not isinstance(label, Hashable)]
    if odd:
        raise ValueError(
            f"groups must be one label per row, a number or text. Got a "
            f"{type(labels[odd[0]]).__name__} in {name_rows(odd)}."
        )
    return labels


def _column(X: Any, on: str, caller: str) -> Any:
    columns = getattr(X, "columns", None)
    if columns is None:
        raise ValueError(
            f"{caller} has on={on!r}, but X is a {type(X).__name__} without named columns. "
            f"Use on='X', on='groups', or pass a data frame."
        )
    if on not in list(columns):
        raise ValueError(f"{caller} has on={on!r}, but X has the columns {list(columns)}.")
    return X[on]
