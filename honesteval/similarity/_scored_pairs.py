"""Similarity from tables of scored pairs, as sequence and structure tools write them."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import sparse

from honesteval._validation import check_1d, check_number, check_option, name_rows
from honesteval.entities._table_source import open_source
from honesteval.similarity._matrix import PrecomputedSimilarity
from honesteval.similarity._scored_table import read_scored_table

__all__ = ["ScoredPairs", "read_scored_pairs", "scored_pair_similarity"]

PairFormat = Literal["auto", "m8", "cd-hit", "mash", "scores"]

FORMATS = ("auto", "m8", "cd-hit", "mash", "scores")
#: Columns of BLAST's tabular output, which DIAMOND, MMseqs2 and Foldseek share.
M8_COLUMNS = (
    "query", "target", "identity", "length", "mismatches", "gap_openings", "query_start",
    "query_end", "target_start", "target_end", "evalue", "bits",
)  # fmt: skip
MASH_COLUMNS = ("query", "target", "distance", "p_value", "shared")

_CLUSTER_MEMBER = re.compile(r">(\S+?)(?:\.\.\.)?\s+(?:\*|at\s+(?:[\d:]+/)?(?:[+-]/)?([\d.]+)%)")
_SHARED_HASHES = re.compile(r"^\d+/\d+$")
_SHOWN = 5


@dataclass(frozen=True)
class ScoredPairs:
    """Scored pairs as read from a file.

    Attributes
    ----------
    table : DataFrame
        ``first``, ``second`` (identifiers), ``similarity`` in [0, 1].
    format : str
        How the file was read.
    note : str
        What the score is and how it was scaled.
    """

    table: pd.DataFrame = field(repr=False)
    format: str
    note: str

    def summary(self) -> str:
        """Return what was read, in words."""
        n = len(pd.unique(self.table[["first", "second"]].to_numpy().ravel()))
        return f"{len(self.table):,} scored pairs of {n:,} entities ({self.format}); {self.note}"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.summary())}</pre>"


def read_scored_pairs(
    source: Any,
    *,
    format: PairFormat = "auto",
    score: str | int | None = None,
    is_distance: bool = False,
) -> ScoredPairs:
    r"""Read a table of scored pairs.

    Parameters
    ----------
    source : path, open file or ``"-"``
        Text; compressed files (gzip, bzip2, xz) are recognised by their content.
    format : {"auto", "m8", "cd-hit", "mash", "scores"}, default="auto"
        - ``"m8"``: tabular output of BLAST, DIAMOND, MMseqs2 or Foldseek, with or without a
          header; the score is the identity (column 3) unless ``score`` says otherwise;
        - ``"cd-hit"``: a ``.clstr`` file; members have their identity to the representative;
        - ``"mash"``: output of ``mash dist``; similarity is 1 - distance;
        - ``"scores"``: two identifiers and a score per line, with or without a header;
        - ``"auto"``: told by the content.
    score : str or int, optional
        Column of the score, by its name in the header or its position from 0.
    is_distance : bool, default=False
        The score is a distance in [0, 1]; similarity is 1 - distance.

    Returns
    -------
    pairs : ScoredPairs

    Raises
    ------
    ValueError
        If the format is not known, or scores are missing or out of range.

    Notes
    -----
    Scores above 1 anywhere are taken for percent: all are divided by 100. An identity in an m8
    table is that of a local alignment; a short one can be high. Filter by length or coverage
    where the table is made.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from honesteval.similarity import read_scored_pairs
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "hits.tsv"
    ...     _ = path.write_text("a b 0.9\nb c 0.4\n".replace(" ", "\t"))
    ...     read_scored_pairs(path).table.values.tolist()
    [['a', 'b', 0.9], ['b', 'c', 0.4]]
    """
    check_option(format, "format", FORMATS)
    opened = open_source(source)
    text, file = opened.text("utf-8"), opened.name
    if format == "cd-hit" or (format == "auto" and text.startswith(">Cluster")):
        return _read_clusters(text, file)
    table, has_header = read_scored_table(text, file)
    if format == "auto":
        format = _guess(table)
    names = {"m8": M8_COLUMNS, "mash": MASH_COLUMNS}.get(format, ())
    if not has_header:
        table.columns = [
            names[i] if i < len(names) else f"column {i}" for i in range(table.shape[1])
        ]
    position = 2 if score is None else _position(table, score, file)
    values = pd.to_numeric(table.iloc[:, position], errors="coerce")
    bad = np.flatnonzero(values.isna())
    if len(bad):
        raise ValueError(
            f"{file}: column {table.columns[position]!r} holds no number in line "
            f"{table.index[bad[0]]} ({table.iloc[bad[0], position]!r}; {len(bad)} such lines). "
            f"Correct these lines, or name the column of the score with score=."
        )
    similarity, note = _scaled(
        values, is_distance or format == "mash", str(table.columns[position]), file
    )
    found = pd.DataFrame(
        {
            "first": table.iloc[:, 0].to_numpy(),
            "second": table.iloc[:, 1].to_numpy(),
            "similarity": similarity,
        }
    )
    return ScoredPairs(found, format, note)


def _guess(table: pd.DataFrame) -> PairFormat:
    if table.shape[1] == len(MASH_COLUMNS) and table.iloc[:, 4].str.match(_SHARED_HASHES).all():
        return "mash"
    return "m8" if table.shape[1] >= len(M8_COLUMNS) else "scores"


def _position(table: pd.DataFrame, score: str | int, file: str) -> int:
    columns = list(table.columns)
    if isinstance(score, str):
        if score not in columns:
            raise ValueError(f"{file} has no column {score!r}: it has {columns}.")
        return columns.index(score)
    high = len(columns) - 1
    return int(check_number(score, "score (a position, or a name)", low=0, high=high, integer=True))


def _scaled(scores: pd.Series, is_distance: bool, column: str, file: str) -> tuple[Any, str]:
    values, note = scores.to_numpy(np.float64), f"the score is {column!r}"
    if not is_distance and values.max(initial=0) > 1:
        values, note = values / 100, note + " in percent, divided by 100"
    bad = np.flatnonzero(~((values >= 0) & (values <= 1)))
    if len(bad):
        raise ValueError(
            f"{file}: scores must lie in [0, 1] or be percent, and {len(bad)} are not, the first "
            f"in line {scores.index[bad[0]]} ({scores.iloc[bad[0]]:g}). Rescale column "
            f"{column!r}, or name another with score=."
        )
    if is_distance:
        return 1 - values, note + ", a distance; similarity is 1 - distance"
    return values, note


def _read_clusters(text: str, file: str) -> ScoredPairs:
    rows: list[tuple[str, str, float]] = []
    members: list[tuple[str, str | None]] = []

    def finish() -> None:
        head = [name for name, share in members if share is None]
        if members and not head:
            raise ValueError(f"{file}: a cluster with {members[0][0]!r} has no line with '*'.")
        rows.extend(
            (head[0], name, float(share) / 100) for name, share in members if share is not None
        )
        rows.extend((name, name, 1.0) for name in head)

    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith(">Cluster"):
            finish()
            members = []
        elif line.strip():
            found = _CLUSTER_MEMBER.search(line)
            if found is None:
                raise ValueError(
                    f"{file}, line {number} is no line of a CD-HIT cluster: {line.strip()[:60]!r}."
                )
            if found[2] is not None and not float(found[2]) <= 100:
                raise ValueError(f"{file}, line {number}: an identity of {found[2]}% is above 100.")
            members.append((found[1], found[2]))
    finish()
    return ScoredPairs(
        pd.DataFrame(rows, columns=["first", "second", "similarity"]),
        "cd-hit",
        "the score is the identity to the representative of the cluster",
    )


def scored_pair_similarity(
    pairs: ScoredPairs | pd.DataFrame,
    ids: Sequence[Any],
    *,
    unknown: Literal["raise", "drop"] = "raise",
) -> PrecomputedSimilarity:
    """Make the similarity of entities from a table of scored pairs.

    Pairs that are not in the table have similarity 0, an entity has 1 with itself and with rows
    of the same identifier, and of several scores of a pair (both directions, several hits) the
    highest counts.

    Parameters
    ----------
    pairs : ScoredPairs or DataFrame
        From :func:`read_scored_pairs`, or a table with ``first``, ``second`` and ``similarity``.
    ids : sequence of length n
        Identifier of each row of X, in its order.
    unknown : {"raise", "drop"}, default="raise"
        What to do with pairs that name an identifier that is not among ``ids``. How many were
        left out is in the name of the similarity.

    Returns
    -------
    similarity : PrecomputedSimilarity
        Goes wherever ``similarity=`` is taken, for example
        ``SimilarityGroupKFold(similarity=...)``, with any X of n rows.

    Raises
    ------
    ValueError
        If identifiers are not known, or similarities out of range.

    Examples
    --------
    >>> import pandas as pd
    >>> from honesteval.similarity import scored_pair_similarity
    >>> hits = pd.DataFrame({"first": ["a", "b"], "second": ["b", "a"], "similarity": [0.7, 0.8]})
    >>> scored_pair_similarity(hits, ["a", "b", "c"]).block([0], [0, 1, 2])
    array([[1. , 0.8, 0. ]])
    """
    check_option(unknown, "unknown", ("raise", "drop"))
    table = pairs.table if isinstance(pairs, ScoredPairs) else pairs
    if not isinstance(table, pd.DataFrame):
        raise TypeError(
            f"pairs must be what read_scored_pairs returns, or a DataFrame with the columns first, "
            f"second and similarity. Got a {type(table).__name__}."
        )
    missing = [name for name in ("first", "second", "similarity") if name not in table]
    if missing:
        raise ValueError(f"The table of scored pairs has no column {missing[0]!r}.")
    given = pd.Series(check_1d(ids, "ids"), dtype=object)
    for what, values in (("ids", given), ("first", table["first"]), ("second", table["second"])):
        unnamed = np.flatnonzero(values.isna())
        if len(unnamed):
            raise ValueError(
                f"{what} holds no identifier in {name_rows(unnamed)}. Give every row one, or leave "
                f"these rows out."
            )
    names = [str(value) for value in given]
    codes, unique = pd.factorize(np.array(names, dtype=object))
    position = {name: i for i, name in enumerate(unique)}
    first = table["first"].astype(str).map(position).to_numpy(np.float64)
    second = table["second"].astype(str).map(position).to_numpy(np.float64)
    scores = pd.to_numeric(table["similarity"], errors="coerce")
    value = scores.to_numpy(np.float64, na_value=np.nan)
    strange = np.isnan(first) | np.isnan(second)
    if strange.any() and unknown == "raise":
        ends = pd.unique(table.loc[strange, ["first", "second"]].astype(str).to_numpy().ravel())
        shown = ", ".join(repr(name) for name in [n for n in ends if n not in position][:_SHOWN])
        raise ValueError(
            f"{int(strange.sum())} of {len(table)} scored pairs name entities that are not among "
            f"ids ({shown}, ...). Add these, or pass unknown='drop' to leave the pairs out."
        )
    bad = np.flatnonzero(~((value >= 0) & (value <= 1)))
    if len(bad):
        raise ValueError(
            f"similarity must lie in [0, 1], and does not in {name_rows(bad)} of the table: there "
            f"it is {table['similarity'].tolist()[bad[0]]!r}. Rescale it, or leave these rows out."
        )
    keep = ~strange & (first != second)
    a, b = first[keep].astype(np.intp), second[keep].astype(np.intp)
    n = len(unique)
    best = pd.Series(value[keep]).groupby(np.minimum(a, b) * n + np.maximum(a, b)).max()
    low, high = best.index.to_numpy() // n, best.index.to_numpy() % n
    upper = sparse.coo_array((best.to_numpy(), (low, high)), shape=(n, n))
    matrix = sparse.csr_array(upper + upper.T + sparse.eye_array(n))
    result = PrecomputedSimilarity(matrix[codes][:, codes])
    result.name = f"{len(best):,} scored pairs of {n:,} entities"
    if strange.any():
        result.name += f" ({int(strange.sum()):,} pairs of others left out)"
    return result
