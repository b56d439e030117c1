"""The lines of a table of scored pairs as cells."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from io import StringIO

import pandas as pd

__all__ = ["read_scored_table"]

#: How a number begins, or what stands for one that is missing: neither names a column.
_NO_NAME = re.compile(r"[-+.\d]|(?:na|n/a|nan|inf|infinity|null|none|[?*])?$", re.IGNORECASE)


def read_scored_table(text: str, file: str) -> tuple[pd.DataFrame, bool]:
    """Return the table as text, and whether its first line named the columns.

    A comment is a whole line: an identifier may hold ``#``, and it may be ``NA``.

    Parameters
    ----------
    text : str
    file : str
        For messages.

    Returns
    -------
    table : DataFrame of str
        Its index is the number of the line in the file, from 1.
    has_header : bool
    """
    lines = {
        number: line
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip() and not line.lstrip().startswith("#")
    }
    if not lines:
        raise ValueError(f"{file} holds no scored pairs.")
    first = next(iter(lines.values()))
    separator = "\t" if "\t" in first else ("," if "," in first else None)
    widths = _widths(lines.values(), separator)
    if widths[0] < 3:
        raise ValueError(
            f"{file}: a line of scored pairs is two identifiers and a score. The first line "
            f"has {widths[0]} columns: {first.strip()[:60]!r}."
        )
    for (number, line), width in zip(lines.items(), widths, strict=True):
        if width != widths[0]:
            raise ValueError(
                f"{file}: line {number} has {width} columns, and the first has {widths[0]}: "
                f"{line.strip()[:60]!r}. Correct this line, or leave it out."
            )
    table = pd.read_csv(
        StringIO("\n".join(lines.values())), sep=separator or r"\s+", header=None, dtype=str,
        na_filter=False, quoting=csv.QUOTE_MINIMAL if separator == "," else csv.QUOTE_NONE,
    ).set_axis(list(lines))  # fmt: skip
    table[[0, 1]] = table[[0, 1]].apply(lambda column: column.str.strip())
    nameless = table.index[(table[[0, 1]] == "").any(axis=1)]
    if len(nameless):
        raise ValueError(
            f"{file}: line {nameless[0]} lacks an identifier in its first two columns "
            f"({len(nameless)} such lines): {lines[nameless[0]].strip()[:60]!r}. Correct these "
            f"lines, or leave them out."
        )
    head = table.iloc[0].str.strip()
    has_header = not any(_NO_NAME.match(cell) for cell in head.iloc[2:] if cell)
    if has_header:
        table = table.iloc[1:].set_axis(head.tolist(), axis=1)
        if table.empty:
            raise ValueError(f"{file} holds no scored pairs but a header: {first.strip()[:60]!r}.")
    return table, has_header


def _widths(lines: Iterable[str], separator: str | None) -> list[int]:
    """Return the number of columns in each line; quotes are a custom of comma-separated ones."""
    if separator == ",":
        return [len(row) for row in csv.reader(lines)]
    return [len(line.split(separator)) for line in lines]
