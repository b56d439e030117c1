"""Tables and results for the pages that are written from benchmarks."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
#: Where else than in the documentation results are and pages go: those of quick runs.
_ELSEWHERE = os.environ.get("HONESTEVAL_BENCH_FOLDER")
RESULTS = Path(_ELSEWHERE) if _ELSEWHERE else DOCS / "benchmarks"
PAGES = Path(_ELSEWHERE) if _ELSEWHERE else DOCS
STATIC = Path(_ELSEWHERE) if _ELSEWHERE else DOCS / "_static"


def load(name: str) -> Any:
    """Return a stored result, or None if it was never made."""
    file = RESULTS / f"{name}.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else None


def number(value: float | None, form: str) -> str:
    """Format a number, or nothing."""
    return "" if value is None or math.isnan(value) else format(value, form)


def table(rows: Iterable[Mapping[str, str]]) -> str:
    """Return a list table whose head is the keys of the first row."""
    rows = list(rows)
    text = ".. list-table::\n   :header-rows: 1\n\n"
    for cells in [list(rows[0]), *(list(row.values()) for row in rows)]:
        text += "".join(
            f"   {'*' if i == 0 else ' '} - {cell}".rstrip() + "\n" for i, cell in enumerate(cells)
        )
    return text


def formatted(rows: Sequence[Mapping[str, Any]], forms: Mapping[str, str]) -> str:
    """Return a table of records: the columns named, each in its format (empty for text)."""
    return table(
        {
            name: str(row.get(name, "")) if not form else number(row.get(name), form)
            for name, form in forms.items()
        }
        for row in rows
    )


def section(title: str, mark: str = "-") -> str:
    """Return a title with its line."""
    return f"{title}\n{mark * len(title)}\n\n"


def save(figure: Any, name: str) -> None:
    """Write a figure that is the same bytes for the same data."""
    import matplotlib as mpl

    figure.patch.set_facecolor("white")
    with mpl.rc_context({"svg.hashsalt": "honesteval", "svg.fonttype": "path"}):
        figure.savefig(STATIC / name, metadata={"Date": None})
