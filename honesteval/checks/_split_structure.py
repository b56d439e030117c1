"""Rows that the split itself puts on both sides, twice on one side, or on none."""

from __future__ import annotations

import pandas as pd

from honesteval._validation import name_rows
from honesteval.checks._data import AuditData
from honesteval.checks._finding import CheckInfo, Finding

__all__ = ["check_overlap", "check_row_use"]

OVERLAP = CheckInfo(
    code="HE201",
    name="overlapping-rows",
    title="Rows that are both test and training",
    why="The model is scored on rows it was fitted to.",
    advice="Take these rows out of one side. The other checks look at the split without them.",
)

ROW_USE = CheckInfo(
    code="HE202",
    name="row-use",
    title="Rows in no part, or more than once in one",
    why="A score is of the rows that are used; rows lost or counted twice change what it means.",
    advice="Say which rows were left out and why, and give each row once.",
    concerns="reliability",
)


def check_overlap(data: AuditData) -> Finding:
    """Look for rows on both sides of a comparison."""
    overlapping = data.split.overlapping
    if not overlapping:
        return OVERLAP.passed("No row is on both sides.")
    evidence = pd.DataFrame(
        [{"split": name, "row": int(row)} for name, rows in overlapping.items() for row in rows]
    )
    name, rows = next(iter(overlapping.items()))
    return OVERLAP.found(
        "error",
        f"{len(evidence):,} rows are on both sides; in {name!r}: {name_rows(rows)}.",
        measured={"n_rows": int(evidence["row"].nunique())},
        evidence=evidence,
    )


def check_row_use(data: AuditData) -> Finding:
    """Count rows in no part, and rows given more than once."""
    unused, repeated = data.split.unused, data.split.repeated
    n = data.split.n_rows
    measured = {
        "n_rows": n,
        "n_unused": len(unused),
        "n_repeated": sum(len(rows) for rows in repeated.values()),
    }
    if not len(unused) and not repeated:
        return ROW_USE.passed(f"All {n:,} rows are used.", measured=measured)
    lines = [{"split": "", "row": int(row), "use": "in no part"} for row in unused]
    lines += [
        {"split": name, "row": int(row), "use": "more than once"}
        for name, rows in repeated.items()
        for row in rows
    ]
    text = f"{len(unused):,} of {n:,} rows are in no part."
    if repeated:
        text += f" {measured['n_repeated']:,} rows are given more than once on one side."
    return ROW_USE.found(
        "warning" if repeated else "info", text, measured=measured, evidence=pd.DataFrame(lines)
    )
