"""The same split without the rows that leak."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from honesteval.checks._data import AuditData
from honesteval.checks._split_rows import Comparison

__all__ = ["CleanSplit", "clean_split"]

Rows = NDArray[np.intp]
Side = Literal["train", "test"]


@dataclass(frozen=True, eq=False)
class CleanSplit:
    """A split from which leaking rows were taken.

    Iterating gives ``(train, test)`` for every final comparison, so that a list of it is a
    ``cv`` for scikit-learn.

    Attributes
    ----------
    comparisons : tuple of Comparison
        What is left, in positions of the input.
    removed : DataFrame
        One line per removed row and reason: ``split``, ``row``, ``side``, ``code``, ``reason``.
        Lines for the same row count once in ``n_removed``.
    """

    comparisons: tuple[Comparison, ...]
    removed: pd.DataFrame = field(repr=False)

    def __iter__(self) -> Iterator[tuple[Rows, Rows]]:
        return iter([(comparison.train, comparison.test) for comparison in self.comparisons])

    def __len__(self) -> int:
        return len(self.comparisons)

    @property
    def n_removed(self) -> int:
        """Rows that left a side, counted once per comparison."""
        return len(self.removed[["split", "row"]].drop_duplicates())

    def to_frame(self) -> pd.DataFrame:
        """Return the rows that left, with reasons."""
        return self.removed.copy()

    def summary(self) -> str:
        """Return what left and what is left, as text."""
        lines = [f"{self.n_removed:,} rows leave the split."]
        for (code, reason), table in self.removed.groupby(["code", "reason"], sort=True):
            lines.append(f"  {code}: {len(table):,} rows: {reason}")
        lines += [
            f"  {c.name}: {len(c.train):,} training and {len(c.test):,} test rows are left."
            for c in self.comparisons
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return "<br>".join(escape(line) for line in self.summary().splitlines())


def clean_split(data: AuditData, remove: Side) -> CleanSplit:
    """Take from one side the rows that leak; see :meth:`SplitAudit.clean_split`."""
    left, tables = [], []
    for comparison in data.final:
        removed = pd.concat(
            [_lines(data, comparison, remove, *leak) for leak in _leaks(data, comparison, remove)],
            ignore_index=True,
        )
        overlap = data.split.overlapping.get(comparison.name, np.empty(0, dtype=np.intp))
        tables += [removed, _overlap_lines(comparison, overlap)]
        gone = removed["row"].to_numpy(dtype=np.intp)
        left.append(_without(data, comparison, gone))
    return CleanSplit(tuple(left), pd.concat(tables, ignore_index=True))


def _leaks(
    data: AuditData, comparison: Comparison, remove: Side
) -> Iterator[tuple[str, str, Rows]]:
    """Yield code, reason and rows to remove, in the numbers of the audit."""
    own, other = comparison.train, comparison.test
    if remove == "test":
        own, other = other, own
    across = "a test row" if remove == "train" else "a training row"
    if data.entity_codes is not None:
        yield (
            "HE101",
            f"the same {data.entity_name} as {across}",
            _same(data.entity_codes, own, other),
        )
    if data.molecules is not None:
        flat = pd.factorize(data.molecules.keys("flat")[data.position])[0]
        yield "HE102", f"the same flat structure as {across}", _same(flat, own, other)
    if data.similarity is not None:
        nearest = (
            data.nearest[comparison.name].similarity
            if remove == "test"
            else data.similarity.nearest(own, other)[0]
        )
        yield "HE111", f"a near duplicate of {across}", own[nearest >= data.threshold]
    if data.groups is not None:
        yield "HE203", f"the group of {across}", _same(pd.factorize(data.groups)[0], own, other)
    if data.time is not None:
        start = data.time[:, 0]
        if remove == "train":
            late = own[start[own] > np.nanmin(start[other])]
            yield "HE204", "later than the first test row", late
        else:
            early = own[start[own] < np.nanmax(start[other])]
            yield "HE204", "earlier than the last training row", early


def _same(codes: NDArray[np.intp], own: Rows, other: Rows) -> Rows:
    return own[(codes[own] >= 0) & np.isin(codes[own], codes[other])]


def _lines(
    data: AuditData, comparison: Comparison, side: Side, code: str, reason: str, rows: Rows
) -> pd.DataFrame:
    return pd.DataFrame(
        {"split": comparison.name, "row": data.rows[rows], "side": side, "code": code,
         "reason": reason}
    )  # fmt: skip


def _overlap_lines(comparison: Comparison, rows: Rows) -> pd.DataFrame:
    """Rows on both sides left the training side when the split was read."""
    return pd.DataFrame(
        {"split": comparison.name, "row": rows, "side": "train", "code": "HE201",
         "reason": "also a test row"}
    )  # fmt: skip


def _without(data: AuditData, comparison: Comparison, gone: Rows) -> Comparison:
    train, test = (
        np.setdiff1d(data.rows[rows], gone) for rows in (comparison.train, comparison.test)
    )
    for name, side in {"training": train, "test": test}.items():
        if len(side) == 0:
            raise ValueError(
                f"{comparison.name}: every {name} row leaks, so that nothing would be left. "
                "Split anew, by similarity."
            )
    return Comparison(comparison.name, train, test, comparison.is_final)
