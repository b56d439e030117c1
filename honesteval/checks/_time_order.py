"""Training rows that are later than the test rows they are used to predict."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from honesteval._validation import name_rows
from honesteval.checks._as_table import as_table
from honesteval.checks._data import AuditData
from honesteval.checks._finding import CheckInfo, Finding
from honesteval.checks._split_rows import Comparison

__all__ = ["check_label_windows", "check_time_order", "read_time"]

#: Share of the pairs in which training is later than test from which on it is grave: one that no
#: slip at the border explains.
GRAVE_SHARE = 0.01

ORDER = CheckInfo(
    code="HE204",
    name="time-order",
    title="Training rows later than test rows",
    why=(
        "The model is to predict what comes later. Trained on rows that came after the test "
        "rows, it knows what could not be known, and drift over time is hidden."
    ),
    advice="Cut at a date: train on what was there before the first test row.",
)

WINDOWS = CheckInfo(
    code="HE206",
    name="overlapping-label-windows",
    title="Training rows whose time window overlaps that of a test row",
    why="A label measured over a window contains what happened in it, on both sides of the split.",
    advice="Leave out (purge) training rows whose window reaches into that of a test row.",
)


def read_time(values: Any, n: int) -> NDArray[np.float64] | None:
    """Return times as floats of shape (n, 1), or (n, 2) for windows from start to end.

    Numbers stay numbers; dates, and text that reads as dates, become seconds. Missing stays NaN.

    Raises
    ------
    ValueError
        If values are neither numbers nor dates, or a window ends before it starts.
    """
    if values is None:
        return None
    table = as_table(values, "time")
    if len(table) != n or table.shape[1] not in (1, 2):
        raise ValueError(
            f"time needs one value per row, or a start and an end: {n} rows, got shape "
            f"{table.shape}."
        )
    columns = [_seconds(table.iloc[:, position]) for position in range(table.shape[1])]
    times = np.column_stack(columns)
    if times.shape[1] == 2:
        backward = np.flatnonzero(times[:, 1] < times[:, 0])
        if len(backward):
            raise ValueError(f"The window ends before it starts in {name_rows(backward)}.")
    return times


def _seconds(column: pd.Series) -> NDArray[np.float64]:
    if column.dtype.kind in "iufb":
        return np.asarray(column, dtype=np.float64)
    if isinstance(column.dtype, pd.PeriodDtype):
        column = column.dt.to_timestamp()
    missing = np.asarray(column.isna())
    try:
        return np.asarray(column.astype(object).where(~missing, np.nan), dtype=np.float64)
    except (TypeError, ValueError):
        day_first = _is_day_first(column[~missing])
        dates = pd.to_datetime(
            column, errors="coerce", format="mixed", utc=True, dayfirst=day_first
        )
    bad = np.flatnonzero(np.asarray(dates.isna()) & ~missing)
    if len(bad):
        raise ValueError(
            f"time must hold numbers or dates: {column.iloc[bad[0]]!r} in {name_rows(bad)} reads "
            "as neither. Dates as text are best written like 2024-03-31."
        )
    return np.asarray((dates - pd.Timestamp(0, tz="UTC")).dt.total_seconds(), dtype=np.float64)


def _is_day_first(column: pd.Series) -> bool:
    """Whether dates such as 13/04/2020 begin with the day; the same for all of them.

    Raises
    ------
    ValueError
        If they contradict each other, or if nothing tells.
    """
    text = column.astype(object)[column.map(lambda value: isinstance(value, str))]
    if len(text) == 0:
        return False
    parts = text.str.extract(r"^\s*(\d{1,2})([./-])(\d{1,2})\2\d{2,4}\b").dropna()
    if len(parts) == 0:
        return False
    first, second = parts[0].astype(int) > 12, parts[2].astype(int) > 12
    example = text[parts.index[0]]
    if first.any() and second.any():
        raise ValueError(
            f"time holds dates that begin with the day ({text[first.idxmax()]!r}) and dates that "
            f"begin with the month ({text[second.idxmax()]!r}). Write them like 2024-03-31."
        )
    dotted = bool((parts[1] == ".").all())
    if not first.any() and not second.any() and not dotted:
        raise ValueError(
            f"Nothing tells whether dates such as {example!r} begin with the day or the month. "
            "Write them like 2024-03-31."
        )
    return bool(first.any() or (dotted and not second.any()))


def check_time_order(data: AuditData) -> Finding:
    """Count pairs of a test and a training row in which training is the later one."""
    if data.time is None:
        return ORDER.not_applicable("No times were given.")
    start = data.time[:, 0]
    later, pairs, lines = 0, 0, []
    for comparison in data.final:
        test, train = (rows[~np.isnan(start[rows])] for rows in (comparison.test, comparison.train))
        if len(test) == 0 or len(train) == 0:
            continue
        ordered = np.sort(start[train])
        n_later = len(train) - np.searchsorted(ordered, start[test], side="right")
        later += int(n_later.sum())
        pairs += len(test) * len(train)
        lines.append(_later_rows(data, comparison, train, start, float(start[test].min())))
    if pairs == 0:
        return ORDER.not_applicable("No test and training rows have a time.")
    share = later / pairs
    measured = {"share_of_pairs": share, "n_missing": int(np.isnan(start).sum())}
    if later == 0:
        return ORDER.passed("No training row is later than a test row.", measured=measured)
    evidence = pd.concat(lines, ignore_index=True).sort_values("time", ascending=False)
    measured["n_training_rows"] = len(evidence)
    return ORDER.found(
        "error" if share > GRAVE_SHARE else "warning",
        f"In {share:.1%} of the pairs of a test and a training row the training row is later (half "
        f"of them in a random split); {len(evidence):,} training rows are later than the first "
        "test row.",
        measured=measured,
        evidence=evidence,
    )


def _later_rows(
    data: AuditData,
    comparison: Comparison,
    train: NDArray[np.intp],
    start: NDArray[np.float64],
    first_test: float,
) -> pd.DataFrame:
    late = train[start[train] > first_test]
    return pd.DataFrame(
        {"split": comparison.name, "train_row": data.rows[late], "time": start[late]}
    )


def check_label_windows(data: AuditData) -> Finding:
    """Look for training windows that overlap a test window."""
    if data.time is None or data.time.shape[1] != 2:
        return WINDOWS.not_applicable("No windows (a start and an end per row) were given.")
    tables = []
    for comparison in data.final:
        hit, partner = _overlaps(data.time, comparison)
        tables.append(data.pairs(comparison, partner, hit))
    evidence = pd.concat(tables, ignore_index=True)
    n_train = sum(len(comparison.train) for comparison in data.final)
    measured = {"n_training_rows": len(evidence), "share": len(evidence) / n_train}
    if len(evidence) == 0:
        return WINDOWS.passed("No training window overlaps a test window.", measured=measured)
    return WINDOWS.found(
        "error",
        f"{len(evidence):,} of {n_train:,} training rows have a window that overlaps that of a "
        "test row.",
        measured=measured,
        evidence=evidence,
    )


def _overlaps(
    windows: NDArray[np.float64], comparison: Comparison
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return training rows that overlap a test window, and one such test row for each.

    Among the test windows that start before the training window ends, the one that ends last
    overlaps it if any does.
    """
    test, train = (
        rows[~np.isnan(windows[rows]).any(axis=1)] for rows in (comparison.test, comparison.train)
    )
    none = np.empty(0, dtype=np.intp)
    if len(test) == 0 or len(train) == 0:
        return none, none
    test = test[np.argsort(windows[test, 0], kind="stable")]
    ends = windows[test, 1]
    latest = np.maximum.accumulate(ends)
    is_new = np.concatenate([[True], ends[1:] > latest[:-1]])
    holder = np.maximum.accumulate(np.where(is_new, np.arange(len(test)), 0))
    n_before = np.searchsorted(windows[test, 0], windows[train, 1], side="right")
    candidate = np.maximum(n_before - 1, 0)
    hit = (n_before > 0) & (latest[candidate] >= windows[train, 0])
    return train[hit], test[holder[candidate[hit]]]
