"""Find the columns somebody asks for, and guess the one that holds SMILES."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from honesteval._notebook import ShownInNotebook
from honesteval.entities._smiles_column import looks_like_smiles

if TYPE_CHECKING:
    import pandas as pd

_SHOWN_COLUMNS = 12


def require_columns(frame: pd.DataFrame, names: Sequence[Any] | str) -> list[Any]:
    """Return the names if the table has all these columns, else say which it has.

    Parameters
    ----------
    frame : pandas.DataFrame
    names : str or sequence of str
        Names are compared exactly.

    Returns
    -------
    names : list

    Raises
    ------
    ValueError
        Naming the columns that are missing, the nearest one that is there, and all there are.

    Examples
    --------
    >>> import pandas as pd
    >>> from honesteval.entities import require_columns
    >>> table = pd.DataFrame({"smiles": ["CCO"], "pIC50": [6.1]})
    >>> require_columns(table, ["SMILES", "pIC50"])
    Traceback (most recent call last):
        ...
    ValueError: The table has no column 'SMILES' (did you mean 'smiles'?). Its columns are
    'smiles', 'pIC50'.
    """
    wanted = [names] if isinstance(names, str) else list(names)
    present = list(frame.columns)
    absent = [name for name in wanted if name not in present]
    if not absent:
        return wanted
    described = ", ".join(f"{name!r}{_nearest(name, present)}" for name in absent)
    word = "column" if len(absent) == 1 else "columns"
    shown = ", ".join(repr(name) for name in present[:_SHOWN_COLUMNS])
    more = f", ... ({len(present)} in all)" if len(present) > _SHOWN_COLUMNS else ""
    raise ValueError(f"The table has no {word} {described}. Its columns are {shown}{more}.")


def _nearest(name: Any, present: Sequence[Any]) -> str:
    """Return a question that names the nearest column, or an empty string."""
    plain = {_plain(column): column for column in reversed(present)}
    near = get_close_matches(_plain(name), plain, n=1)
    return f" (did you mean {plain[near[0]]!r}?)" if near else ""


def _plain(name: Any) -> str:
    return re.sub(r"[\W_]+", " ", str(name)).strip().casefold()


@dataclass(frozen=True)
class ColumnGuess(ShownInNotebook):
    """A column that was chosen by guessing.

    Parameters
    ----------
    column : str
        Its name.
    reason : str
        Why this one.
    others : tuple of str
        Columns that would have done as well.
    """

    column: Any
    reason: str
    others: tuple[Any, ...] = ()

    def summary(self) -> str:
        """Return one sentence that says what was guessed and why."""
        others = ", ".join(repr(other) for other in self.others)
        passed = f" Not taken: {others}." if others else ""
        return f"Column {self.column!r} is taken for the molecules: {self.reason}.{passed}"

    def __str__(self) -> str:
        return self.summary()


def guess_smiles_column(frame: pd.DataFrame) -> ColumnGuess:
    """Find the column that holds the molecules.

    A column can be it if it holds text that reads as SMILES (or mol blocks); see
    :func:`looks_like_smiles`. If there are several, the one whose name contains "smiles".

    Parameters
    ----------
    frame : pandas.DataFrame

    Returns
    -------
    guess : ColumnGuess
        Print it, so that the user sees what was guessed.

    Raises
    ------
    ValueError
        If no column holds SMILES, or if several do and the names do not decide.

    Examples
    --------
    >>> import pandas as pd
    >>> from honesteval.entities import guess_smiles_column
    >>> table = pd.DataFrame({"name": ["ethanol", "aspirin"],
    ...                       "structure": ["CCO", "CC(=O)Oc1ccccc1C(=O)O"]})
    >>> print(guess_smiles_column(table))
    Column 'structure' is taken for the molecules: it is the only one that reads as SMILES.
    """
    candidates = [
        column
        for place, column in enumerate(frame.columns)
        if frame.dtypes.iloc[place].kind == "O" and looks_like_smiles(frame.iloc[:, place])
    ]
    named = [column for column in candidates if "smiles" in _plain(column).replace(" ", "")]
    if len(candidates) == 1:
        return ColumnGuess(candidates[0], "it is the only one that reads as SMILES")
    if len(named) == 1:
        others = tuple(column for column in candidates if column != named[0])
        return ColumnGuess(named[0], "it reads as SMILES and its name says so", others)
    if candidates:
        shown = ", ".join(repr(column) for column in candidates)
        raise ValueError(f"Several columns read as SMILES: {shown}. Name the one to use.")
    shown = ", ".join(repr(column) for column in list(frame.columns)[:_SHOWN_COLUMNS])
    raise ValueError(
        f"No column reads as SMILES (columns: {shown}). Name the one that holds the molecules."
    )
