"""Traces of preprocessing that was fitted to training and test rows together."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from honesteval.checks._data import AuditData
from honesteval.checks._features import FeatureTable, feature_table
from honesteval.checks._finding import CheckInfo, Finding
from honesteval.checks._split_rows import Comparison

__all__ = ["check_imputed", "check_scaled", "check_synthetic"]

#: Means and standard deviations this close to 0 and 1 are so by construction.
EXACT = 1e-5
#: Share of the continuous columns that have to show it; [0, 1] is also a natural range.
MOST_COLUMNS = 0.5
#: A value that is repeated this often in an otherwise continuous column was filled in.
FEWEST_FILLED = 5
#: Rows of each side that are tested for being mixtures, and the neighbours they may be mixed from.
MOST_TESTED = 1000
N_NEIGHBORS = 10
#: A row this close to the line between two others (relative to their distance) lies on it.
ON_THE_LINE = 1e-6
#: Points on a line are no coincidence where its ends differ in this many continuous features,
FEWEST_DIMENSIONS = 3
#: and do not cut it at a simple fraction, as members of a series do (denominators up to this).
SIMPLE_FRACTIONS = 12
#: Nor are they in this many rows of either side; this many across the sides are grave.
FEWEST_MIXTURES = 3
FEWEST_ROWS = 20

Rows = NDArray[np.intp]

SCALED = CheckInfo(
    code="HE401",
    name="scaled-before-split",
    title="Features scaled over training and test rows together",
    why="The scaler has seen the test rows; for small or shifted test sets the score gains by it.",
    advice="Put the scaler into a Pipeline, so that it is fitted to training rows only.",
)

IMPUTED = CheckInfo(
    code="HE402",
    name="imputed-before-split",
    title="Missing values filled in from training and test rows together",
    why="The value that was filled in is computed from test rows.",
    advice="Keep values missing, and put the imputer into a Pipeline.",
)

SYNTHETIC = CheckInfo(
    code="HE403",
    name="oversampled-before-split",
    title="Synthetic rows mixed from rows of the other side",
    why=(
        "Oversampling before the split makes training rows from test rows (and test rows from "
        "training rows): the model is tested on interpolations of what it has learned."
    ),
    advice="Oversample inside the folds (a Pipeline of imbalanced-learn), on training rows only.",
)


def check_scaled(data: AuditData) -> Finding:
    """Look for columns that are standardised exactly over all rows but not over training."""
    table, columns, reason = _continuous(data)
    if table is None:
        return SCALED.not_applicable(reason)
    comparison = data.final[0]
    known = ~np.isnan(table.values[comparison.train][:, columns])
    columns = columns[known.sum(axis=0) >= FEWEST_ROWS // 2]
    if len(columns) == 0:
        return SCALED.not_applicable("Too few training rows have values.")
    together = table.values[comparison.rows][:, columns]
    training = table.values[comparison.train][:, columns]
    for how, is_scaled in _SCALINGS.items():
        over_all, over_train = is_scaled(together), is_scaled(training)
        if over_all.sum() >= MOST_COLUMNS * len(columns) and (over_all & ~over_train).any():
            names = [table.names[column] for column in columns[over_all]]
            example = table.names[columns[over_all & ~over_train][0]]
            return SCALED.found(
                "warning",
                f"{len(names)} of {len(columns)} continuous features are {how} over all rows, "
                f"and not over the training rows (for example {example!r}).",
                measured={"n_features": len(names), "n_continuous": len(columns), "how": how},
                evidence=pd.DataFrame({"feature": names, "how": how}),
            )
    return SCALED.passed(f"None of {len(columns)} continuous features shows it.")


def _standardised(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    spread = np.nanstd(values, axis=0)
    n = (~np.isnan(values)).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        unbiased = spread * np.sqrt(n / (n - 1))
    is_one = (np.abs(spread - 1) < EXACT) | (np.abs(unbiased - 1) < EXACT)
    return np.asarray((np.abs(np.nanmean(values, axis=0)) < EXACT) & is_one)


def _in_unit_range(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether columns run from 0 to 1, each met once: natural bounds are met by many rows."""
    n_low = (np.abs(values) < EXACT).sum(axis=0)
    n_high = (np.abs(values - 1) < EXACT).sum(axis=0)
    inside = (np.nanmin(values, axis=0) > -EXACT) & (np.nanmax(values, axis=0) < 1 + EXACT)
    return np.asarray((n_low == 1) & (n_high == 1) & inside)


def _robust(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    low, middle, high = np.nanquantile(values, [0.25, 0.5, 0.75], axis=0)
    return np.asarray((np.abs(middle) < EXACT) & (np.abs(high - low - 1) < EXACT))


_SCALINGS: dict[str, Callable[[NDArray[np.float64]], NDArray[np.bool_]]] = {
    "standardised": _standardised,
    "scaled to [0, 1]": _in_unit_range,
    "scaled by median and quartiles": _robust,
}


def check_imputed(data: AuditData) -> Finding:
    """Look for a repeated value that is the mean or median of all rows, not of training."""
    table, columns, reason = _continuous(data)
    if table is None:
        return IMPUTED.not_applicable(reason)
    comparison = data.final[0]
    lines = []
    for column in columns:
        line = _filled_value(table.values[:, column], comparison)
        if line is not None:
            lines.append({"feature": table.names[column], **line})
    if not lines:
        return IMPUTED.passed(f"None of {len(columns)} continuous features shows it.")
    first = lines[0]
    return IMPUTED.found(
        "warning",
        f"{len(lines)} features repeat a value that is the {first['is']} of their other values "
        f"over all rows: {first['feature']!r} holds {first['value']:.6g} in {first['n_rows']} "
        f"rows; over the training rows the {first['is']} is {first['of_training']:.6g}.",
        measured={"n_features": len(lines)},
        evidence=pd.DataFrame(lines),
    )


def _filled_value(values: NDArray[np.float64], comparison: Comparison) -> dict[str, object] | None:
    together, training = values[comparison.rows], values[comparison.train]
    distinct, counts = np.unique(together[~np.isnan(together)], return_counts=True)
    value, n_rows = float(distinct[counts.argmax()]), int(counts.max())
    others = together[(together != value) & ~np.isnan(together)]
    if n_rows < FEWEST_FILLED or len(np.unique(others)) < len(others) / 2:
        return None
    seen = training[(training != value) & ~np.isnan(training)]
    if len(seen) == 0:
        return None
    scale = max(float(others.std()), 1e-300)
    line = {"value": value, "n_rows": n_rows}
    of_training = float(seen.mean())
    if abs(of_training - value) < EXACT * scale:
        return None  # filled in from the training rows, as it should be
    if abs(float(others.mean()) - value) < EXACT * scale < abs(of_training - value):
        return {**line, "is": "mean", "of_training": of_training}
    if _is_median(value, others) and not _is_median(value, seen):
        return {**line, "is": "median", "of_training": float(np.median(seen))}
    return None


def _is_median(value: float, others: NDArray[np.float64]) -> bool:
    """Whether as many of the other values lie below as above."""
    return int((others < value).sum()) == int((others > value).sum())


def check_synthetic(data: AuditData) -> Finding:
    """Look for rows that lie exactly between two rows, at least one of the other side."""
    table, columns, reason = _continuous(data)
    if table is None:
        return SYNTHETIC.not_applicable(reason)
    if len(columns) < FEWEST_DIMENSIONS:
        return SYNTHETIC.not_applicable(
            f"{len(columns)} continuous features: points lie on a line by chance."
        )
    values = table.values[:, columns]
    complete = np.flatnonzero(~np.isnan(values).any(axis=1))
    scaled = (values - values[complete].mean(axis=0)) / np.maximum(
        values[complete].std(axis=0), 1e-300
    )
    tables = [
        _mixtures(data, comparison, scaled, np.intersect1d(comparison.rows, complete))
        for comparison in data.final
    ]
    mixtures = pd.concat(tables, ignore_index=True).drop_duplicates()
    evidence = mixtures[mixtures["crosses"]].drop(columns="crosses")
    n_mixtures = mixtures["row"].nunique()
    measured = {"n_rows": len(evidence), "n_mixtures": n_mixtures, "n_continuous": len(columns)}
    if len(evidence) == 0 or n_mixtures < FEWEST_MIXTURES:
        return SYNTHETIC.passed(
            f"{len(evidence)} rows lie exactly between two rows of both sides, {n_mixtures} "
            "between any two.",
            measured=measured,
        )
    first = evidence.iloc[0]
    return SYNTHETIC.found(
        "error" if len(evidence) >= FEWEST_MIXTURES else "warning",
        f"{n_mixtures:,} rows lie exactly between two others, {len(evidence):,} of them between "
        f"rows at least one of which is on the other side: row {first['row']} ({first['side']}) "
        f"between rows {first['between']} and {first['and']}.",
        measured=measured,
        evidence=evidence,
    )


def _mixtures(
    data: AuditData, comparison: Comparison, values: NDArray[np.float64], rows: Rows
) -> pd.DataFrame:
    columns = ["split", "row", "side", "between", "and", "weight", "crosses"]
    if len(rows) < FEWEST_ROWS:
        return pd.DataFrame(columns=columns).astype({"crosses": bool})
    rng = np.random.default_rng(data.seed)
    n_tested = min(len(rows), 2 * MOST_TESTED)
    tested = np.sort(rng.choice(rows, n_tested, replace=False))
    search = NearestNeighbors(n_neighbors=min(N_NEIGHBORS + 1, len(rows))).fit(values[rows])
    near = rows[search.kneighbors(values[tested], return_distance=False)]
    in_test = np.zeros(len(values), dtype=bool)
    in_test[comparison.test] = True
    lines = []
    for row, others in zip(tested, near, strict=True):
        found = _between(values, row, others[others != row])
        if found is None:
            continue
        first, second, weight = found
        crosses = bool((in_test[[first, second]] != in_test[row]).any())
        lines.append((comparison.name, data.rows[row], "test" if in_test[row] else "training",
                      data.rows[first], data.rows[second], weight, crosses))  # fmt: skip
    return pd.DataFrame(lines, columns=columns).astype({"crosses": bool})


def _between(values: NDArray[np.float64], row: int, others: Rows) -> tuple[int, int, float] | None:
    """Return two of the others between which the row lies, and its weight from the first."""
    first, second = np.triu_indices(len(others), k=1)
    start, step = values[others[first]], values[others[second]] - values[others[first]]
    length = (step**2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = ((values[row] - start) * step).sum(axis=1) / length
        off = np.sqrt(((values[row] - start - weight[:, None] * step) ** 2).sum(axis=1) / length)
    inside = (weight > 1e-3) & (weight < 1 - 1e-3) & ~_is_simple(weight)
    spans = (np.abs(step) > 1e-9).sum(axis=1) >= FEWEST_DIMENSIONS
    hit = np.flatnonzero((off < ON_THE_LINE) & inside & spans)
    if len(hit) == 0:
        return None
    pair = hit[0]
    return int(others[first[pair]]), int(others[second[pair]]), float(weight[pair])


def _is_simple(weight: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether weights are fractions with a small denominator."""
    denominators = np.arange(1, SIMPLE_FRACTIONS + 1)
    multiples = np.nan_to_num(weight)[:, None] * denominators
    return np.asarray((np.abs(multiples - np.round(multiples)) < 1e-4).any(axis=1))


def _continuous(data: AuditData) -> tuple[FeatureTable | None, Rows, str]:
    """Return the features and their continuous columns, or why there are none."""
    table = data.once(feature_table)
    none = np.empty(0, dtype=np.intp)
    if isinstance(table, str):
        return None, none, table
    columns = table.continuous()
    if len(columns) == 0:
        return None, none, "There are no continuous features."
    if data.n_rows < FEWEST_ROWS:
        return None, none, f"Fewer than {FEWEST_ROWS} rows."
    return table, columns, ""
