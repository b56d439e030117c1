"""Read the record formats of the field: SMILES files, SD files, FASTA."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

from honesteval.entities._column_types import text_column, typed_column

if TYPE_CHECKING:
    import pandas as pd

_SMI_HEADERS = {"smiles", "canonical_smiles", "canonicalsmiles", "isomeric_smiles", "#smiles"}
_CXSMILES = re.compile(r"(\S+[ \t]+\|[^|]*\|)\s*(.*)")

_SDF_SEPARATOR = "$$$$"
_SDF_END = "M  END"
_SDF_COUNTS = re.compile(r"[ \d]{2}\d[ \d]{2}\d|.*V[23]000\s*$")
_SDF_FIELD = re.compile(r"^>.*?<(.*)>")
_SDF_OWN = ("molblock", "title")


def _lines(text: str) -> list[str]:
    """Split at line ends only (str.splitlines also splits at form feeds and the like)."""
    return [line.removesuffix("\n") for line in io.StringIO(text, newline=None)]


def read_smi(text: str, name: str) -> pd.DataFrame:
    """Read a SMILES file: one molecule per line, then white space and its name.

    Returns
    -------
    frame : pandas.DataFrame
        Columns ``smiles`` (with its CXSMILES extension, if any) and ``name`` (NaN where there
        is none). A first line that begins with the word "smiles" is a header and is passed over.
    """
    import pandas as pd

    lines = [line.strip() for line in _lines(text) if line.strip()]
    if lines[0].split()[0].lower() in _SMI_HEADERS:
        del lines[0]
    if not lines:
        raise ValueError(f"{name} has a header but no molecules below it.")
    pairs = [_smi_fields(line) for line in lines]
    return pd.DataFrame(
        {
            "smiles": text_column([smiles for smiles, _ in pairs]),
            "name": text_column([rest for _, rest in pairs]),
        }
    )


def _smi_fields(line: str) -> tuple[str, str]:
    extended = _CXSMILES.fullmatch(line)
    if extended:
        return extended[1], extended[2]
    smiles, *rest = line.split(maxsplit=1)
    return smiles, rest[0] if rest else ""


def is_sdf(text: str) -> bool:
    """Whether a text begins like an SD file: atom and bond counts in line 4, and its end."""
    lines = text.split("\n", 4)
    return len(lines) == 5 and bool(_SDF_COUNTS.match(lines[3])) and f"\n{_SDF_END}" in text


def read_sdf(text: str, name: str) -> pd.DataFrame:
    """Read an SD file: one row per record.

    Returns
    -------
    frame : pandas.DataFrame
        ``molblock`` (the record's connection table as text, which
        :func:`honesteval.entities.parse_molecules` reads), ``title`` (its first line), and one
        column per data field, NaN where a record lacks it.
    """
    import pandas as pd

    lines = _lines(text)
    starts = [0, *(i + 1 for i, line in enumerate(lines) if line.startswith(_SDF_SEPARATOR))]
    ends = [*(start - 1 for start in starts[1:]), len(lines)]
    chunks = [(start, lines[start:end]) for start, end in zip(starts, ends, strict=True)]
    if not any(line.strip() for line in chunks[-1][1]):
        chunks.pop()
    records = [_sdf_record(chunk, start + 1, name) for start, chunk in chunks]
    fields = dict.fromkeys(field for record in records for field in record)
    columns = {}
    for field in fields:
        cells = [record.get(field, "") for record in records]
        columns[field] = text_column(cells) if field in _SDF_OWN else typed_column(cells)
    return pd.DataFrame(columns)


def _sdf_record(lines: list[str], first_line: int, name: str) -> dict[str, str]:
    """Return mol block, title and data fields of one record."""
    ends = [i for i, line in enumerate(lines) if line.startswith(_SDF_END)]
    if not ends:
        raise ValueError(
            f"The record that begins at line {first_line} of {name} has no line {_SDF_END!r}: "
            "it is not an SD file, or it is cut off."
        )
    record = {"molblock": "\n".join(lines[: ends[0] + 1]) + "\n", "title": lines[0].strip()}
    field, values = "", list[str]()
    for line in [*lines[ends[0] + 1 :], "> <>"]:
        header = _SDF_FIELD.match(line)
        if header is None:
            values.append(line)
            continue
        if field:
            record[field] = "\n".join(values).strip()
        field, values = header[1], []
        if field in _SDF_OWN:
            field = f"{field} (data field)"
    return record


def read_fasta(text: str, name: str) -> pd.DataFrame:
    """Read FASTA: one row per sequence.

    Returns
    -------
    frame : pandas.DataFrame
        ``id`` (the first word of the header), ``description`` (the rest of it, NaN if none) and
        ``sequence`` (its lines joined, without white space, otherwise as written). Lines that
        begin with ``;`` are comments.
    """
    import pandas as pd

    headers: list[str] = []
    parts: list[list[str]] = []
    for number, line in enumerate(_lines(text), start=1):
        if line.startswith(">"):
            headers.append(line[1:].strip())
            parts.append([])
        elif line.strip() and not line.startswith(";"):
            if not headers:
                raise ValueError(
                    f"Line {number} of {name} stands before the first header. A FASTA file "
                    "begins with '>' and a name."
                )
            parts[-1].append("".join(line.split()))
    if not headers:
        raise ValueError(f"{name} holds no sequence: no line begins with '>'.")
    words = [[*header.split(maxsplit=1), "", ""] for header in headers]
    return pd.DataFrame(
        {
            "id": text_column([word[0] for word in words]),
            "description": text_column([word[1] for word in words]),
            "sequence": text_column(["".join(lines) for lines in parts]),
        }
    )
