"""Read CSV and TSV without changing or dropping anything silently."""

from __future__ import annotations

import csv
import io
import warnings
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from honesteval.entities._column_types import looks_like_decimal_commas, text_column, typed_column
from honesteval.exceptions import HonestevalWarning

if TYPE_CHECKING:
    import pandas as pd

DELIMITERS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "vertical bar"}


def read_delimited(
    text: str, name: str, *, delimiter: str, as_text: Collection[str] = ()
) -> pd.DataFrame:
    """Read a table whose first line names the columns.

    Parameters
    ----------
    text : str
        The whole file.
    name : str
        Its name, for messages.
    delimiter : str
        One character.
    as_text : collection of str, default=()
        Columns kept as text even if every cell is a number.

    Returns
    -------
    frame : pandas.DataFrame
    """
    import pandas as pd

    lines = _rows(text, name, delimiter)
    header = _column_names(next(lines, (0, [""]))[1], name, delimiter)
    rows = [_checked_row(row, line, len(header), name, delimiter) for line, row in lines]
    if not rows:
        raise ValueError(
            f"{name} names {len(header)} columns ({_listed(header)}) but has no rows below them."
        )
    columns = {}
    for column, cells in zip(header, zip(*rows, strict=True), strict=True):
        columns[column] = text_column(cells) if column in as_text else typed_column(cells)
        if delimiter != "," and columns[column].dtype.kind not in "if":
            _warn_of_decimal_commas(column, cells, name)
    return pd.DataFrame(columns)


def guess_delimiter(text: str) -> str:
    """Return the delimiter that occurs most often in the first line that is not blank."""
    first = next(line for line in text.splitlines() if line.strip())
    return max(DELIMITERS, key=first.count)


def _rows(text: str, name: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield line numbers (from 1) and fields of all lines that are not blank."""
    largest = csv.field_size_limit(max(csv.field_size_limit(), len(text)))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        line = 1
        for row in reader:
            if row and (len(row) > 1 or row[0].strip()):
                yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        raise ValueError(
            f"{name} cannot be read at line {reader.line_num}: {error}. A quotation mark may be "
            "unbalanced."
        ) from error
    finally:
        csv.field_size_limit(largest)


def _column_names(header: Sequence[str], name: str, delimiter: str) -> list[str]:
    """Return the names without white space around them; each has to be there once."""
    stripped = [column.strip() for column in header]
    names = [column or f"Unnamed: {place}" for place, column in enumerate(stripped)]
    if len(names) == 1:
        others = [other for other in DELIMITERS if other != delimiter and other in header[0]]
        if others:
            raise ValueError(
                f"{name} has a single column when it is split at {_word(delimiter)}: "
                f"{header[0]!r}. It looks split at {_word(others[0])}: "
                f"pass delimiter={others[0]!r}."
            )
    repeated = [column for column, count in Counter(names).items() if count > 1]
    if repeated:
        raise ValueError(
            f"{name} has more than one column called {_listed(repeated)}. Column names have to "
            "differ, and the first line has to hold them: is it missing?"
        )
    return names


def _checked_row(row: list[str], line: int, n_columns: int, name: str, delimiter: str) -> list[str]:
    if len(row) != n_columns:
        raise ValueError(
            f"Line {line} of {name} has {len(row)} fields, the first line has {n_columns}, "
            f"split at {_word(delimiter)}. Check the delimiter, and quote fields that contain it."
        )
    return row


def _warn_of_decimal_commas(column: str, cells: Sequence[str], name: str) -> None:
    if looks_like_decimal_commas(cells):
        warnings.warn(
            f"Column {column!r} of {name} looks like numbers with a decimal comma (first value "
            f"{next(cell for cell in cells if ',' in cell)!r}) and is kept as text. Write them "
            "with a decimal point to use them as numbers.",
            HonestevalWarning,
            stacklevel=4,
        )


def _word(delimiter: str) -> str:
    return DELIMITERS.get(delimiter, repr(delimiter))


def _listed(names: Sequence[str], shown: int = 8) -> str:
    more = f", ... ({len(names)} in all)" if len(names) > shown else ""
    return ", ".join(repr(name) for name in names[:shown]) + more
