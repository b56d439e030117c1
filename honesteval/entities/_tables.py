"""Read a table from any of the formats of the field."""

from __future__ import annotations

import io
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Literal, get_args

from honesteval._optional import import_optional
from honesteval._validation import check_option
from honesteval.entities._delimited import guess_delimiter, read_delimited
from honesteval.entities._record_files import is_sdf, read_fasta, read_sdf, read_smi
from honesteval.entities._table_source import TableSource, open_source

if TYPE_CHECKING:
    import pandas as pd

TableFormat = Literal["csv", "tsv", "smi", "sdf", "fasta", "parquet"]
TABLE_FORMATS: tuple[TableFormat, ...] = get_args(TableFormat)

_FORMAT_OF_SUFFIX: dict[str, TableFormat] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".smi": "smi",
    ".smiles": "smi",
    ".ism": "smi",
    ".sdf": "sdf",
    ".sd": "sdf",
    ".mol": "sdf",
    ".fasta": "fasta",
    ".fa": "fasta",
    ".faa": "fasta",
    ".fna": "fasta",
    ".fas": "fasta",
    ".parquet": "parquet",
    ".pq": "parquet",
}
_PARQUET = b"PAR1"


def read_table(
    source: Any,
    *,
    format: TableFormat | None = None,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    as_text: Collection[str] = (),
) -> pd.DataFrame:
    r"""Read a table without changing or dropping anything silently.

    Parameters
    ----------
    source : str, path or open file
        ``"-"`` is standard input. Files compressed with gzip, bzip2 or xz are recognised by
        their content. An open file is read to its end and not closed.
    format : {"csv", "tsv", "smi", "sdf", "fasta", "parquet"} or None, default=None
        None takes the extension (``.csv``, ``.tsv``, ``.tab``, ``.smi``, ``.smiles``, ``.ism``,
        ``.sdf``, ``.sd``, ``.mol``, ``.fasta``, ``.fa``, ``.faa``, ``.fna``, ``.fas``,
        ``.parquet``, ``.pq``) and, for any other, the content.
    delimiter : str or None, default=None
        One character that separates the fields of CSV and TSV. None is a comma for ``"csv"``, a
        tab for ``"tsv"``, and whichever of comma, tab, semicolon and ``|`` occurs most often in
        the first line where the format came from the content.
    encoding : str, default="utf-8"
        Encoding of text formats. A byte-order mark is passed over.
    as_text : collection of str, default=()
        Columns of CSV and TSV kept as text even if all their values are numbers.

    Returns
    -------
    frame : pandas.DataFrame
        Rows numbered from 0. SMILES files give ``smiles`` and ``name``; SD files ``molblock``,
        ``title`` and the data fields; FASTA ``id``, ``description`` and ``sequence``.

    Raises
    ------
    FileNotFoundError, IsADirectoryError
        If there is no such file.
    ValueError
        If the file is empty, has no rows, cannot be decoded or decompressed, repeats a column
        name, or has a line with another number of fields than the first; the message says where.
    MissingDependencyError
        If the file is Parquet and pyarrow is not installed.

    Warns
    -----
    HonestevalWarning
        If a column kept as text looks like numbers with a decimal comma.

    Notes
    -----
    *Numbers.* A column of text becomes numeric only if each of its values is a number and none
    of them would change: identifiers with leading zeros ("007") or beyond 2**53 stay text, and
    so does a column of nothing but values like "1E5", which may be wells of a plate. Integers
    without gaps become int64, other numbers float64. Nothing else is converted: "True", dates
    and the like stay text.

    *Missing values.* Empty cells are NaN. "NA", "N/A", "#N/A", "NaN", "NULL" and "None" are
    missing in a column whose other values are all numbers; in a column of text they stay what
    they are, since a sample may be called NA. ``as_text`` decides a doubtful case.

    *Names.* White space around column names is removed, a column without a name is called
    "Unnamed: i" by its position, and blank lines are passed over. Parquet keeps its own types.

    Examples
    --------
    >>> import io
    >>> from honesteval.entities import read_table
    >>> table = read_table(io.StringIO("id,smiles,y\n007,CCO,1.5\nNA,CC,NA\n"))
    >>> table["id"].tolist(), table["y"].tolist()
    (['007', 'NA'], [1.5, nan])
    """
    if format is not None:
        check_option(format, "format", TABLE_FORMATS)
    if delimiter is not None and (not isinstance(delimiter, str) or len(delimiter) != 1):
        raise ValueError(f"delimiter must be one character. Got {delimiter!r}.")
    if isinstance(as_text, str):
        raise ValueError(f"as_text must be a list of column names. Got {as_text!r}.")
    opened = open_source(source)
    known = format or _FORMAT_OF_SUFFIX.get(opened.suffix)
    if known == "parquet" or (known is None and opened.content.startswith(_PARQUET)):
        return _read_parquet(opened)
    text = opened.text(encoding)
    if "\0" in text:
        raise ValueError(f"{opened.name} is not a text file: it holds zero bytes.")
    kind = known or _guess_format(text)
    if kind == "smi":
        return read_smi(text, opened.name)
    if kind == "sdf":
        return read_sdf(text, opened.name)
    if kind == "fasta":
        return read_fasta(text, opened.name)
    if delimiter is None:
        delimiter = {"csv": ",", "tsv": "\t"}.get(kind) or guess_delimiter(text)
    return read_delimited(text, opened.name, delimiter=delimiter, as_text=as_text)


def _guess_format(text: str) -> str:
    """Return the format of a text by its content; "delimited" leaves the delimiter open."""
    if text.lstrip().startswith(">"):
        return "fasta"
    if is_sdf(text):
        return "sdf"
    return "delimited"


def _read_parquet(source: TableSource) -> pd.DataFrame:
    import_optional("pyarrow", extra="parquet", purpose="Reading Parquet")
    import pandas as pd
    from pyarrow import ArrowException

    try:
        frame = pd.read_parquet(io.BytesIO(source.content), engine="pyarrow")
    except (ArrowException, OSError) as error:
        raise ValueError(f"{source.name} cannot be read as Parquet: {error}") from error
    if frame.columns.has_duplicates:
        repeated = frame.columns[frame.columns.duplicated()].unique().tolist()
        raise ValueError(f"{source.name} has more than one column called {repeated}.")
    if frame.empty:
        raise ValueError(f"{source.name} has no rows.")
    return frame.reset_index(drop=isinstance(frame.index, pd.RangeIndex))
