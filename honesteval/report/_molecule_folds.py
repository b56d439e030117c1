"""A fold for every molecule of a table, with the rows that could not be read left without one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from honesteval._validation import check_number
from honesteval.entities import ExcludedRows, parse_molecules
from honesteval.report._rows import EvaluatedRows, numbered
from honesteval.report._splits import make_split
from honesteval.report._summarise import excluded_rows
from honesteval.report._target import resolve_target
from honesteval.report._text import excluded_lines
from honesteval.similarity import molecule_similarity


@dataclass(frozen=True, eq=False)
class MoleculeFolds:
    """Folds without near relatives in different folds.

    Returned by :func:`similarity_folds`.

    Parameters
    ----------
    fold : ndarray of int, shape (n_rows,)
        Fold of each row of the input, from 0; -1 for rows that were left out.
    sizes : ndarray of int, shape (n_splits,)
    scaled_leakage, relative_leakage : float
        Similarity between folds over that of all pairs, and the same relative to folds that
        know nothing of similarity.
    mean_nearest_similarity : float
        Mean over rows of the highest similarity to a row of another fold.
    similarity_name : str
    excluded : ExcludedRows
    """

    fold: NDArray[np.intp]
    sizes: NDArray[np.intp]
    scaled_leakage: float
    relative_leakage: float
    mean_nearest_similarity: float
    similarity_name: str
    excluded: ExcludedRows

    def column(self) -> pd.Series:
        """Return the folds as a nullable column, missing for rows that were left out."""
        return pd.Series(self.fold, dtype="Int64").mask(self.fold < 0)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per fold with its size."""
        return pd.DataFrame({"fold": np.arange(len(self.sizes)), "n_rows": self.sizes})

    def summary(self) -> str:
        """Return the folds in a few lines of text."""
        sizes = ", ".join(f"{size:,}" for size in self.sizes)
        lines = [
            f"{len(self.sizes)} folds of {sizes} rows.",
            f"Mean highest similarity to another fold {self.mean_nearest_similarity:.3f}; scaled "
            f"leakage {self.scaled_leakage:.3f}, {self.relative_leakage:.3f} of that of random "
            f"folds ({self.similarity_name}).",
        ]
        lines += excluded_lines(excluded_rows(self.excluded))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from html import escape

        lines = "<br>".join(escape(line) for line in self.summary().splitlines())
        return f"<p>{lines}</p>{self.to_frame().to_html(index=False)}"


def similarity_folds(
    molecules: Any,
    y: Any = None,
    *,
    n_splits: int = 5,
    errors: Literal["raise", "drop"] = "raise",
    random_state: int = 0,
) -> MoleculeFolds:
    """Give every molecule a fold, with as little similarity between folds as can be found.

    The splitter is :class:`honesteval.model_selection.SimilarityGroupKFold`; this is it for a
    whole table, unreadable rows included. Repeats, salts and stereoisomers of a molecule share a
    fold.

    Parameters
    ----------
    molecules : array-like of str or rdkit.Chem.Mol, shape (n_rows,)
    y : array-like of shape (n_rows,), default=None
        Classes to balance over the folds; missing ones are allowed. Values are not used.
    n_splits : int, default=5
    errors : {"raise", "drop"}, default="raise"
        What to do about rows that hold no molecule.
    random_state : int, default=0

    Returns
    -------
    folds : MoleculeFolds

    Raises
    ------
    InvalidEntityError
        If rows cannot be read and ``errors="raise"``.
    ValueError
        If there are fewer different molecules than folds.

    Examples
    --------
    >>> from honesteval.report import similarity_folds
    >>> folds = similarity_folds(["CCO", "CCCO", "c1ccccc1", "Cc1ccccc1", "nonsense"],
    ...                          n_splits=2, errors="drop")
    >>> folds.fold[0] == folds.fold[1], folds.fold[2] == folds.fold[3], folds.fold[4]
    (np.True_, np.True_, np.int64(-1))
    """
    check_number(n_splits, "n_splits", low=2, integer=True)
    read = parse_molecules(molecules, errors=errors)
    targets = () if y is None else (resolve_target(y).take(read.rows),)
    groups = numbered(read.keys("flat"))
    n_different = len(np.unique(groups))
    if n_different < n_splits:
        raise ValueError(
            f"{n_splits} folds need at least {n_splits} different molecules; there are "
            f"{n_different}. Take fewer folds."
        )
    data = EvaluatedRows(
        features=None,
        similarity=molecule_similarity(read),
        targets=targets,
        groups=groups,
        smiles=read.smiles,
        entities=read,
        rows=read.rows,
        excluded=read.excluded,
        n_input=len(read) + len(read.excluded),
    )
    split = make_split("similarity", data, n_splits=n_splits, random_state=random_state)
    fold = np.full(data.n_input, -1, dtype=np.intp)
    fold[read.rows] = split.fold
    return MoleculeFolds(
        fold=fold,
        sizes=np.bincount(split.fold, minlength=n_splits),
        scaled_leakage=split.scaled_leakage,
        relative_leakage=split.relative_leakage,
        mean_nearest_similarity=float(split.nearest_similarity.mean()),
        similarity_name=data.similarity.name,
        excluded=read.excluded,
    )
