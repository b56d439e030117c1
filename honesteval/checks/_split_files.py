"""A split that comes as several files, one per part."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from honesteval.checks._split_rows import PART_OF
from honesteval.entities import read_table

__all__ = ["FilePart", "SplitFiles", "read_split_files"]

#: Formats with one row per line, below a header.
_LINE_SUFFIXES = (".csv", ".tsv", ".tab")


@dataclass(frozen=True)
class FilePart:
    """One file of a split.

    Attributes
    ----------
    path : str
    part : {"train", "valid", "test"}
    start : int
        Position of its first row among the rows of all files.
    n_rows : int
    first_line : int or None
        Line of its first row in the file; None where rows are not lines (SDF, FASTA, Parquet).
    """

    path: str
    part: str
    start: int
    n_rows: int
    first_line: int | None

    @property
    def name(self) -> str:
        """Name of the file without its folder."""
        return Path(self.path).name


@dataclass(frozen=True, eq=False)
class SplitFiles:
    """The rows of several files below each other; returned by :func:`read_split_files`.

    Attributes
    ----------
    table : DataFrame
        All rows, numbered from 0 in the order of the files. A column that a file lacks is
        missing in its rows.
    part : Series of str
        ``"train"``, ``"valid"`` or ``"test"`` for each row.
    files : tuple of FilePart
    lacking : dict of str to tuple of str
        Columns that some files lack, with the names of those files.
    """

    table: pd.DataFrame = field(repr=False)
    part: pd.Series = field(repr=False)
    files: tuple[FilePart, ...]
    lacking: dict[str, tuple[str, ...]]

    def locate(self, row: int) -> tuple[FilePart, int]:
        """Return the file that holds a row, and the number of the row in it (from 0)."""
        for file in self.files:
            if file.start <= row < file.start + file.n_rows:
                return file, row - file.start
        raise IndexError(f"There is no row {row}: the files hold {len(self.table):,} rows.")

    def place(self, row: int) -> tuple[str, int | None]:
        """Return the path of the file that holds a row, and the line of the row in it."""
        file, number = self.locate(row)
        return file.path, None if file.first_line is None else file.first_line + number

    def to_frame(self) -> pd.DataFrame:
        """Return one line per file."""
        return pd.DataFrame(
            [
                {"file": f.name, "part": f.part, "first_row": f.start, "n_rows": f.n_rows}
                for f in self.files
            ]
        )

    def summary(self) -> str:
        """Return which rows are of which file, as text."""
        lines = [
            f"Rows {f.start:,} to {f.start + f.n_rows - 1:,} are {f.name} ({f.part})."
            for f in self.files
        ]
        lines += [
            f"Column {column!r} is not in {', '.join(names)}."
            for column, names in self.lacking.items()
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return "<br>".join(escape(line) for line in self.summary().splitlines())


def read_split_files(
    files: Mapping[str, Any] | Iterable[Any], *, encoding: str = "utf-8"
) -> SplitFiles:
    """Read the parts of a split from a file each.

    Parameters
    ----------
    files : mapping of str to path, or iterable of paths
        ``{"train": "a.csv", "test": "b.csv"}``; or paths whose names say which part they are
        (``train.csv``, ``human_val.csv.gz``, ``test-set.sdf``). Several files may be of one
        part when they are given as paths.
    encoding : str, default="utf-8"
        Encoding of text files.

    Returns
    -------
    files : SplitFiles
        ``audit_split(files.table["smiles"], files.table["y"], files.part)``.

    Raises
    ------
    ValueError
        If a part is not known or cannot be told from a name, training or test is missing, the
        files share no column, or a file cannot be read (see
        :func:`honesteval.entities.read_table`, which reads CSV, TSV, SMILES, SD, FASTA and
        Parquet files, compressed or not).

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import pandas as pd
    >>> from honesteval.checks import read_split_files
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     train, test = (pathlib.Path(folder) / name for name in ("train.csv", "test.csv"))
    ...     pd.DataFrame({"smiles": ["CCO", "CCN"], "y": [1, 2]}).to_csv(train, index=False)
    ...     pd.DataFrame({"smiles": ["OCC"], "y": [1]}).to_csv(test, index=False)
    ...     files = read_split_files([train, test])
    >>> print(files.summary())
    Rows 0 to 1 are train.csv (train).
    Rows 2 to 2 are test.csv (test).
    >>> files.part.tolist()
    ['train', 'train', 'test']
    """
    if isinstance(files, str | Path):
        raise ValueError("read_split_files needs two files or more, one per part.")
    pairs = (
        [(_part(str(name)), path) for name, path in files.items()]
        if isinstance(files, Mapping)
        else [(_part_of_path(path), path) for path in files]
    )
    parts = {part for part, _ in pairs}
    if "train" not in parts or len(parts) < 2:
        raise ValueError(
            "The files must hold 'train' and at least one of 'test' and 'valid'. Got "
            f"{', '.join(f'{part} ({Path(str(path)).name})' for part, path in pairs) or 'none'}."
        )
    tables = [read_table(path, encoding=encoding) for _, path in pairs]
    listed, start = [], 0
    for (part, path), table in zip(pairs, tables, strict=True):
        is_lines = any(suffix in _LINE_SUFFIXES for suffix in Path(str(path)).suffixes)
        listed.append(FilePart(str(path), part, start, len(table), 2 if is_lines else None))
        start += len(table)
    return SplitFiles(
        table=pd.concat(tables, ignore_index=True),
        part=pd.Series([file.part for file in listed for _ in range(file.n_rows)], name="part"),
        files=tuple(listed),
        lacking=_lacking(listed, tables),
    )


def _part(name: str) -> str:
    part = PART_OF.get(name.strip().lower())
    if part is None:
        raise ValueError(f"Name the parts train, valid and test. Got {name!r}.")
    return part


def _part_of_path(path: Any) -> str:
    """Return the part that the words of a file's name tell."""
    words = re.split(r"[^a-z]+", Path(str(path)).name.lower())
    found = {PART_OF[word] for word in words if word in PART_OF and len(word) > 2}
    if len(found) != 1:
        raise ValueError(
            f"The name {Path(str(path)).name!r} does not say whether it is train, valid or test. "
            "Rename the file, or give a mapping of parts to files."
        )
    return found.pop()


def _lacking(files: list[FilePart], tables: list[pd.DataFrame]) -> dict[str, tuple[str, ...]]:
    columns = list(dict.fromkeys(column for table in tables for column in table.columns))
    absent = {
        str(column): tuple(
            file.name
            for file, table in zip(files, tables, strict=True)
            if column not in table.columns
        )
        for column in columns
    }
    lacking = {column: names for column, names in absent.items() if names}
    if len(lacking) == len(columns):
        raise ValueError(
            "The files share no column: "
            + "; ".join(
                f"{file.name} has {', '.join(map(repr, table.columns[:5]))}"
                for file, table in zip(files, tables, strict=True)
            )
            + "."
        )
    return lacking
