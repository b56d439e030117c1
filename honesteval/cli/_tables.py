"""Write tables in the formats of the field, as a whole or a file for each part."""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from honesteval.cli._source import FASTA_COLUMNS

if TYPE_CHECKING:
    import pandas as pd

#: What the name of a table to write may end in, each with its format.
FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".smi": "smi",
    ".sdf": "sdf",
    ".fasta": "fasta",
    ".parquet": "parquet",
}
TABLE_SUFFIXES = tuple(FORMATS)

#: The same for tables that are about more than molecules or sequences.
PLAIN_SUFFIXES = (".csv", ".tsv", ".parquet")

#: In the name of an output: a file for each part.
PART = "{part}"

SDF_COLUMNS = ("molblock", "title")
SMI_COLUMNS = ("smiles", "name")

LINE = 60


def check_table_path(path: str | Path | None, suffixes: tuple[str, ...] = TABLE_SUFFIXES) -> None:
    """Refuse before a long run a table that could not be written after it."""
    from honesteval.report import check_report_path

    if path is None or str(path) == "-":
        return
    shown = Path(str(path).replace(PART, "part"))
    check_report_path(shown.with_suffix("") if shown.suffix == ".gz" else shown, suffixes)
    if shown.suffix == ".gz" and _format_of(shown) == "parquet":
        raise ValueError("Parquet files are compressed already: leave out the .gz.")


def _format_of(path: Path) -> str:
    bare = path.with_suffix("") if path.suffix == ".gz" else path
    return FORMATS[bare.suffix.lower()]


def format_like(source: str, table: pd.DataFrame) -> str:
    """Return the format of a table that was read, for standard output (Parquet: CSV)."""
    names = tuple(table.columns)
    if names[:2] == SDF_COLUMNS:
        return "sdf"
    if names == FASTA_COLUMNS:
        return "fasta"
    suffix = Path(source).suffix.lower()
    if suffix in (".smi", ".smiles", ".ism") and names == SMI_COLUMNS:
        return "smi"
    return "tsv" if suffix in (".tsv", ".tab") else "csv"


def write_table(
    table: pd.DataFrame, path: Path, *, entity: str | None = None, new: Sequence[str] = ()
) -> None:
    """Write a table as its name asks for.

    Parameters
    ----------
    table : DataFrame
    path : Path
        Ends in one of :data:`TABLE_SUFFIXES`, or in one of them and ``.gz``.
    entity : str or None, default=None
        Column of the molecules or sequences, for the formats that are about them.
    new : sequence of str, default=()
        Columns that SMI and FASTA are to hold beside the entity and its name.
    """
    kind = _format_of(path)
    if kind == "parquet":
        from honesteval._optional import import_optional

        import_optional("pyarrow", extra="parquet", purpose="Writing Parquet")
        table.to_parquet(path, index=False)
        return
    text = as_text(table, kind, entity=entity, new=new).encode()
    path.write_bytes(gzip.compress(text, mtime=0) if path.suffix == ".gz" else text)


def print_table(table: pd.DataFrame, kind: str, *, entity: str, new: Sequence[str]) -> None:
    """Write a table to standard output."""
    sys.stdout.write(as_text(table, kind, entity=entity, new=new))


def as_text(
    table: pd.DataFrame, kind: str, *, entity: str | None = None, new: Sequence[str] = ()
) -> str:
    """Return a table as text of a format."""
    if kind in ("csv", "tsv"):
        return str(table.to_csv(index=False, sep="," if kind == "csv" else "\t"))
    if entity is None:
        raise ValueError(f"{kind} is a format of molecules or sequences: write CSV or Parquet.")
    if kind == "sdf":
        return _as_sdf(table, entity)
    return (_as_smi if kind == "smi" else _as_fasta)(table, entity, new)


def _as_smi(table: pd.DataFrame, entity: str, new: Sequence[str]) -> str:
    """Return SMILES, name and the new columns, separated by tabs; no name is the row's number."""
    if "molblock" in table.columns and entity == "molblock":
        raise ValueError("SMI holds SMILES, and the table holds mol blocks: write SDF.")
    name = next((one for one in ("name", "id", "title") if one in table.columns), None)
    _say_left_out(table, {entity, name, *new}, "SMI")
    lines = []
    for row, cells in zip(table.index, table.to_dict("records"), strict=True):
        label = row if name is None else cells[name]
        fields = [cells[entity], row if _is_missing(label) else label, *(cells[c] for c in new)]
        lines.append("\t".join("" if _is_missing(value) else str(value) for value in fields))
    return "\n".join(line.rstrip("\t") for line in lines) + "\n"


def _as_fasta(table: pd.DataFrame, entity: str, new: Sequence[str]) -> str:
    """Return FASTA; the new columns stand in the headers as ``name=value``."""
    name = next((one for one in ("id", "name") if one in table.columns), None)
    _say_left_out(table, {entity, name, "description", *new}, "FASTA")
    parts = []
    for row, cells in zip(table.index, table.to_dict("records"), strict=True):
        words = [cells[name] if name else f"row{row}", cells.get("description")]
        words += [None if _is_missing(cells[c]) else f"{c}={cells[c]}" for c in new]
        header = " ".join(str(word) for word in words if not _is_missing(word))
        sequence = "" if _is_missing(cells[entity]) else str(cells[entity])
        lines = [sequence[i : i + LINE] for i in range(0, len(sequence), LINE)]
        parts.append("\n".join([f">{header}", *lines]))
    return "\n".join(parts) + "\n"


def _as_sdf(table: pd.DataFrame, entity: str) -> str:
    """Return an SD file: mol blocks as they were read, or drawn from SMILES; fields after it."""
    out = io.StringIO()
    fields = [name for name in table.columns if name not in (*SDF_COLUMNS, entity)]
    if entity != "molblock":
        fields.insert(0, entity)
    for cells in table.to_dict("records"):
        block = cells[entity] if entity == "molblock" else _mol_block(cells[entity])
        out.write(block if block.endswith("\n") else f"{block}\n")
        for name in fields:
            if not _is_missing(cells[name]):
                lines = [line for line in str(cells[name]).splitlines() if line.strip()]
                out.write(f">  <{name}>\n" + "\n".join(lines) + "\n\n")
        out.write("$$$$\n")
    return out.getvalue()


def _mol_block(smiles: Any) -> str:
    """Return a molecule drawn flat; an empty one where the SMILES cannot be read."""
    from rdkit import Chem, rdBase
    from rdkit.Chem import rdDepictor

    with rdBase.BlockLogs():
        mol = Chem.MolFromSmiles(smiles) if isinstance(smiles, str) else None
    if mol is None:
        mol = Chem.Mol()
    rdDepictor.Compute2DCoords(mol)
    return str(Chem.MolToMolBlock(mol))


def _is_missing(value: Any) -> bool:
    import pandas as pd

    return value is None or bool(pd.isna(value))


def _say_left_out(table: pd.DataFrame, kept: set[Any], kind: str) -> None:
    left_out = [str(name) for name in table.columns if name not in kept]
    if left_out:
        typer.echo(f"Note: {kind} does not hold the columns {', '.join(left_out)}.", err=True)
