"""Read tables, and find their columns; what is guessed is said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    import pandas as pd

#: Columns of a table that was read from FASTA.
FASTA_COLUMNS = ("id", "description", "sequence")


def read(source: str, encoding: str) -> pd.DataFrame:
    """Read a table from a file, or from standard input."""
    from honesteval.entities import read_table

    with options_for_arguments():
        return read_table(source, encoding=encoding)


@contextmanager
def options_for_arguments() -> Iterator[None]:
    """Advise options of the command line where the reader advises its arguments."""
    try:
        yield
    except ValueError as error:
        raise ValueError(str(error).replace("encoding='", "--encoding '")) from error


def title_of(source: str) -> str:
    """Return what the data are called."""
    return "standard input" if source == "-" else Path(source).name


def column(table: pd.DataFrame, name: str) -> Any:
    """Return a column; of FASTA, also a value that the headers hold as ``name=value``."""
    return columns(table, [name])[name]


def columns(table: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return several columns, as :func:`column` does."""
    from honesteval.entities import require_columns

    for name in names:
        if name not in table.columns and (tagged := _tags(table, name)) is not None:
            table = table.assign(**{name: tagged})
    return table[require_columns(table, list(names))]


def features(table: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return columns that a model learns from, which hold numbers."""
    import pandas as pd

    chosen = columns(table, names)
    for name in names:
        held = pd.to_numeric(chosen[name], errors="coerce")
        text = (held.isna() & chosen[name].notna()).to_numpy().nonzero()[0]
        if len(text):
            raise ValueError(
                f"--feature {name!r} holds text, and models learn from numbers: "
                f"{str(chosen[name].iloc[text[0]])!r} in row {text[0]}. Leave the column out, or "
                "write it as numbers."
            )
    return chosen.astype("float64")


def optional_column(table: pd.DataFrame, name: str | None) -> Any:
    """Return a column, or None where none was named."""
    return None if name is None else column(table, name)


def _tags(table: pd.DataFrame, name: str) -> pd.Series | None:
    """Return ``name=value`` of the headers of FASTA, numbers where all are; None if in none."""
    import pandas as pd

    if tuple(table.columns) != FASTA_COLUMNS:
        return None
    pattern = rf"(?:^|[\s|]){re.escape(name)}=([^\s|]+)"
    headers = table["id"] + " " + table["description"].fillna("")
    found = headers.str.extract(pattern, expand=False)
    if found.isna().all():
        return None
    try:
        return pd.to_numeric(found)
    except ValueError:
        return found


def smiles_column(table: pd.DataFrame, name: str | None) -> str:
    """Return the column of molecules, and say so where it is a guess."""
    from honesteval.entities import guess_smiles_column, require_columns

    if name is not None:
        return str(require_columns(table, name)[0])
    guess = guess_smiles_column(table)
    typer.echo(guess.summary(), err=True)
    return str(guess.column)


def entity_column(table: pd.DataFrame, smiles: str | None, sequence: str | None) -> tuple[str, str]:
    """Return the column of what is compared, and the measure: ``molecule`` or ``kmer``."""
    if smiles and sequence:
        raise ValueError("Give one of --smiles and --sequence.")
    if sequence is None and smiles is None and "sequence" in table.columns:
        sequence = "sequence"
        typer.echo("Column 'sequence' is taken for the sequences.", err=True)
    if sequence is not None:
        columns(table, [sequence])
        return sequence, "kmer"
    return smiles_column(table, smiles), "molecule"


def entities_like(source: str, encoding: str, measure: str) -> Any:
    """Return the column of another table that is compared by the same measure."""
    table = read(source, encoding)
    if measure != "molecule":
        return column(table, "sequence")
    return table[smiles_column(table, None)]
