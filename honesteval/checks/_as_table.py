"""Labels, times and pairs in any form as a data frame."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

import numpy as np
import pandas as pd

from honesteval.model_selection._entities_of import as_pandas

__all__ = ["as_table"]


def as_table(values: Any, name: str) -> pd.DataFrame:
    """Return one line per row, with the names of the columns where they have any.

    Parameters
    ----------
    values : array-like of shape (n,) or (n, n_columns), frame of pandas or polars, or mapping
        of column names to columns
    name : str
        What it is, for messages.

    Raises
    ------
    ValueError
        If it has no rows to count, or its cells hold several values.
    """
    values = as_pandas(values)
    if isinstance(values, pd.DataFrame | pd.Series):
        return pd.DataFrame(values)
    if isinstance(values, Mapping):
        return pd.DataFrame(dict(values))
    if isinstance(values, Set | str | bytes):
        raise ValueError(f"{name} must have one entry for each row, in order. Got {values!r:.80}.")
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(
            f"{name} must hold one value in each cell, not lists of different lengths. "
            f"Got {values!r:.80}."
        ) from None
    if array.ndim not in (1, 2):
        raise ValueError(f"{name} must have one or two dimensions. Got shape {array.shape}.")
    return pd.DataFrame(array)
