"""Protein, DNA and RNA sequences from strings and FASTA files."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from honesteval._notebook import ShownInNotebook
from honesteval._validation import check_option
from honesteval.entities._excluded import ExcludedRows
from honesteval.entities._rows import as_rows, is_missing, show_value
from honesteval.entities._table_source import open_source
from honesteval.exceptions import InvalidEntityError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SequenceKind", "Sequences", "parse_sequences", "read_fasta"]

SequenceKind = Literal["protein", "nucleotide"]

NUCLEOTIDES = frozenset("ACGT")
AMBIGUOUS_NUCLEOTIDES = frozenset("NRYKMSWBDHV")
AMINO_ACIDS = frozenset("ACDEFGHIKLMNPQRSTVWY")
#: Selenocysteine and pyrrolysine are read as what they are made from.
RARE_AMINO_ACIDS = {"U": "C", "O": "K"}
AMBIGUOUS_AMINO_ACIDS = frozenset("XBZJ")
#: At least this share of letters must be A, C, G, T, U or N for sequences to be nucleotides.
NUCLEOTIDE_SHARE = 0.9


@dataclass(frozen=True, eq=False)
class Sequences(ShownInNotebook):
    """Sequences that were read, and the rows that were not.

    Returned by :func:`parse_sequences`.

    Parameters
    ----------
    values : ndarray of str, shape (n_sequences,), dtype object
        Upper case, without white space; nucleotides with T for U.
    kind : {"protein", "nucleotide"}
    rows : ndarray of int, shape (n_sequences,)
        Zero-based position of each in the input, ascending.
    excluded : ExcludedRows
        The rows that were left out, with reasons.
    n_ambiguous : int
        Sequences with letters that stand for several residues.
    """

    values: NDArray[np.object_]
    kind: SequenceKind
    rows: NDArray[np.intp]
    excluded: ExcludedRows
    n_ambiguous: int

    def __len__(self) -> int:
        return len(self.values)

    def summary(self) -> str:
        """Return how many sequences were read and which rows were left out, in words."""
        lengths = [len(value) for value in self.values]
        text = (
            f"{len(self):,} {self.kind} sequences of {min(lengths):,} to {max(lengths):,} residues"
            f"; {self.n_ambiguous:,} with ambiguous residues."
        )
        return f"{text} {self.excluded.summary()}" if len(self.excluded) else text


def parse_sequences(
    values: Any,
    *,
    kind: Literal["auto", "protein", "nucleotide"] = "auto",
    errors: Literal["raise", "drop"] = "raise",
) -> Sequences:
    """Read one sequence per row.

    Lower case is the same as upper case, U the same as T in nucleotides, white space and one
    ``*`` at the end of a protein are ignored. Ambiguity codes (X, B, Z, J; N, R, Y ...) are kept.

    Parameters
    ----------
    values : array-like of str, shape (n_rows,)
    kind : {"auto", "protein", "nucleotide"}, default="auto"
        ``"auto"``: nucleotides if at least 90 % of all letters are A, C, G, T, U or N and all
        are nucleotide codes.
    errors : {"raise", "drop"}, default="raise"
        What to do with rows that are empty, missing, or hold other characters.

    Returns
    -------
    sequences : Sequences

    Raises
    ------
    InvalidEntityError
        If rows cannot be read (``errors="raise"``), or none can.

    Examples
    --------
    >>> from honesteval.entities import parse_sequences
    >>> sequences = parse_sequences(["acgu", "ACGTN"])
    >>> sequences.kind, sequences.values.tolist()
    ('nucleotide', ['ACGT', 'ACGTN'])
    >>> parse_sequences(["MKV-LA", "MKVLA"])
    Traceback (most recent call last):
        ...
    honesteval.exceptions.InvalidEntityError: 1 of 2 values cannot be read as a protein sequence
    (row numbers count from 0): row 0, 'MKV-LA': '-' is no residue. Correct the values, or pass
    errors='drop' to leave these rows out.
    """
    check_option(kind, "kind", ("auto", "protein", "nucleotide"))
    check_option(errors, "errors", ("raise", "drop"))
    listed = as_rows(values, "sequences")
    texts = ["" if not isinstance(v, str) else "".join(v.split()).upper() for v in listed]
    chosen: SequenceKind = _guess(texts) if kind == "auto" else kind
    read = [_normalised(text, chosen) for text in texts]
    reasons = [_why_not(value, text, chosen) for value, text in zip(listed, read, strict=True)]
    kept = [row for row, reason in enumerate(reasons) if not reason]
    left_out = [row for row, reason in enumerate(reasons) if reason]
    excluded = ExcludedRows(
        rows=np.array(left_out, dtype=np.intp),
        values=tuple(listed[row] for row in left_out),
        reasons=tuple(reasons[row] for row in left_out),
    )
    if not kept or (left_out and errors == "raise"):
        raise _invalid(excluded, len(listed), chosen)
    found = np.empty(len(kept), dtype=object)
    found[:] = [read[row] for row in kept]
    ambiguous = AMBIGUOUS_NUCLEOTIDES if chosen == "nucleotide" else AMBIGUOUS_AMINO_ACIDS
    return Sequences(
        values=found,
        kind=chosen,
        rows=np.array(kept, dtype=np.intp),
        excluded=excluded,
        n_ambiguous=sum(1 for text in found if not ambiguous.isdisjoint(text)),
    )


def _guess(texts: list[str]) -> SequenceKind:
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(text)
    letters = sum(counts.values())
    all_codes = set(counts) <= NUCLEOTIDES | AMBIGUOUS_NUCLEOTIDES | {"U"}
    common = sum(counts[letter] for letter in "ACGTUN")
    return "nucleotide" if letters and all_codes and common >= NUCLEOTIDE_SHARE * letters else (
        "protein"
    )  # fmt: skip


def _normalised(text: str, kind: SequenceKind) -> str:
    return text.replace("U", "T") if kind == "nucleotide" else text.removesuffix("*")


def _why_not(value: Any, text: str, kind: SequenceKind) -> str:
    if is_missing(value):
        return "missing value"
    if not isinstance(value, str):
        return f"a {type(value).__name__}, not a string"
    if not text:
        return "empty sequence"
    known = NUCLEOTIDES | AMBIGUOUS_NUCLEOTIDES
    if kind == "protein":
        known = AMINO_ACIDS | AMBIGUOUS_AMINO_ACIDS | RARE_AMINO_ACIDS.keys()
    strange = sorted(set(text) - known)
    if not strange:
        return ""
    shown = ", ".join(repr(letter) for letter in strange[:3])
    return f"{shown} {'is no residue' if len(strange) == 1 else 'are no residues'}"


def _invalid(excluded: ExcludedRows, n_rows: int, kind: SequenceKind) -> InvalidEntityError:
    if n_rows == 0:
        return InvalidEntityError("There are no values: at least one sequence is needed.")
    return InvalidEntityError(
        f"{len(excluded):,} of {n_rows:,} values cannot be read as a {kind} sequence (row numbers "
        f"count from 0): {excluded.described()}. Correct the values, or pass errors='drop' to "
        f"leave these rows out.",
        rows=excluded.rows.tolist(),
    )


def read_fasta(source: Any) -> pd.DataFrame:
    r"""Read FASTA records as a table.

    Parameters
    ----------
    source : path, open file or ``"-"``
        Compressed files (gzip, bzip2, xz) are recognised by their content.

    Returns
    -------
    table : DataFrame
        One line per record: ``id`` (the header up to the first white space), ``description``
        (the whole header), ``sequence`` (as written, lines joined).

    Raises
    ------
    ValueError
        If the file does not begin with a header.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from honesteval.entities import read_fasta
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "two.fasta"
    ...     _ = path.write_text(">a first\nMKV\nLA\n>b\nMRV\n")
    ...     read_fasta(path)[["id", "sequence"]].values.tolist()
    [['a', 'MKVLA'], ['b', 'MRV']]
    """
    import pandas as pd

    opened = open_source(source)
    headers: list[str] = []
    parts: list[list[str]] = []
    for number, line in enumerate(opened.text("utf-8").splitlines(), start=1):
        text = line.strip()
        if text.startswith(">"):
            headers.append(text[1:].strip())
            parts.append([])
        elif text and not text.startswith(";"):
            if not headers:
                raise ValueError(
                    f"{opened.name}, line {number}: a FASTA file begins with a header line "
                    f"('>'). Got {show_value(text)}."
                )
            parts[-1].append(text)
    if not headers:
        raise ValueError(f"{opened.name} holds no FASTA record.")
    return pd.DataFrame(
        {
            "id": [header.split(None, 1)[0] if header else "" for header in headers],
            "description": headers,
            "sequence": ["".join(lines) for lines in parts],
        }
    )
