"""Signs that something was fitted on all rows before the folds were drawn.

None of them proves a leak. Each has its reason, for a warning.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.feature_selection import f_classif, f_regression

FITTED_TOLERANCE = 1e-4
"""Means and standard deviations this near to 0 and 1 were made so."""

ROUNDING = 1e-9

MIN_ROWS = 20
MIN_COLUMNS_FOR_RANGE = 3
MIN_COLUMNS_FOR_CORRELATION = 3
MAX_COLUMNS_FOR_CORRELATION = 500
MIN_COLUMNS_FOR_SELECTION = 20
MAX_COLUMNS_FOR_SELECTION = 5000
SELECTION_P_VALUE = 0.05
"""Columns kept by their association with y all have a p-value below some limit like this."""

PILED_UP_SHARE = 0.5
"""Share of columns whose p-value must lie within a factor of ten of the largest one."""

REDUNDANT_CORRELATION = 0.5
"""Columns that are copies of one another share their p-value without any selection."""


def suspicious_features(X: Any, y: Any, *, classifier: bool) -> list[str]:
    """Return the reasons why ``X`` looks as if something was fitted on all its rows.

    Parameters
    ----------
    X : array-like
        Only numeric, dense tables are looked at.
    y : array-like of shape (n_rows,)
    classifier : bool
        Whether ``y`` holds classes.

    Returns
    -------
    reasons : list of str
        Empty where nothing was noticed or ``X`` is no numeric table.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.preprocessing import scale
    >>> X = np.random.default_rng(0).normal(5, 2, size=(100, 3))
    >>> y = np.arange(100) % 2
    >>> suspicious_features(X, y, classifier=True)
    []
    >>> suspicious_features(scale(X), y, classifier=True)
    ['every column has mean 0 and standard deviation 1 over all rows, so a scaler was fitted on
    them']
    """
    table = numeric_table(X)
    if table is None or len(table) < MIN_ROWS or not np.isfinite(table).all():
        return []
    varying = table[:, table.std(axis=0) > 0]
    if varying.shape[1] == 0:
        return []
    found = [_scaled(varying), _uncorrelated(varying), _selected(varying, y, classifier)]
    return [reason for reason in found if reason is not None]


def numeric_table(X: Any) -> NDArray[np.float64] | None:
    """Return ``X`` as a dense table of floats, or None when it is something else."""
    if sparse.issparse(X):
        return None
    try:
        table = np.asarray(X)
        if table.ndim != 2 or table.dtype.kind not in "fiubO":
            return None
        return table.astype(np.float64)
    except (TypeError, ValueError):
        return None


def _scaled(table: NDArray[np.float64]) -> str | None:
    """Say so when every column of more than two values was brought to the same range."""
    n_rows, n_columns = table.shape
    ordered = np.sort(table, axis=0)
    scaled = table[:, (np.diff(ordered, axis=0) > 0).sum(axis=0) > 1]
    if scaled.shape[1] == 0:
        return None
    shown = "every column" if scaled.shape[1] == n_columns else "every column of more than 2 values"
    means = scaled.mean(axis=0)
    for ddof in (0, 1):
        spreads = scaled.std(axis=0, ddof=ddof)
        if (
            np.abs(means).max() < FITTED_TOLERANCE
            and np.abs(spreads - 1).max() < FITTED_TOLERANCE / 10
        ):
            return (
                f"{shown} has mean 0 and standard deviation 1 over all rows, so a scaler was "
                "fitted on them"
            )
    lowest, highest = scaled.min(axis=0), scaled.max(axis=0)
    is_unit = np.abs(lowest).max() < ROUNDING and np.abs(highest - 1).max() < ROUNDING
    # a matrix of similarities runs from 0 to 1 without any scaling
    if is_unit and scaled.shape[1] >= MIN_COLUMNS_FOR_RANGE and n_columns != n_rows:
        return (
            f"{shown} runs from exactly 0 to exactly 1 over all rows, so a min-max or quantile "
            "scaler was fitted on them"
        )
    return None


def _uncorrelated(table: NDArray[np.float64]) -> str | None:
    n_rows, n_columns = table.shape
    if not MIN_COLUMNS_FOR_CORRELATION <= n_columns <= MAX_COLUMNS_FOR_CORRELATION:
        return None
    if n_columns >= n_rows:
        return None
    correlations: NDArray[np.float64] = np.asarray(np.corrcoef(table, rowvar=False))
    np.fill_diagonal(correlations, 0)
    if np.abs(correlations).max() < FITTED_TOLERANCE:
        return (
            "no two columns are correlated at all over all rows, so whitening or principal "
            "components were fitted on them"
        )
    return None


def _selected(table: NDArray[np.float64], y: Any, classifier: bool) -> str | None:
    """Say so when every column is associated with y, and most of them only just.

    Columns chosen among many by their association have p-values that pile up below the limit of
    the choice. Columns that carry a real signal without having been chosen spread over many
    orders of magnitude.
    """
    n_columns = table.shape[1]
    if not MIN_COLUMNS_FOR_SELECTION <= n_columns <= MAX_COLUMNS_FOR_SELECTION:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        p_values = (f_classif if classifier else f_regression)(table, y)[1]
    p_values = p_values[np.isfinite(p_values)]
    if len(p_values) < MIN_COLUMNS_FOR_SELECTION:
        return None
    largest = p_values.max()
    if largest >= SELECTION_P_VALUE or (p_values > largest / 10).mean() < PILED_UP_SHARE:
        return None
    if np.median(np.abs(np.corrcoef(table, rowvar=False))) > REDUNDANT_CORRELATION:
        return None
    return (
        f"all {len(p_values)} columns are associated with y (the largest p-value is "
        f"{largest:.2g}) and most of them only just, so columns were chosen by their association "
        "with y over all rows"
    )
