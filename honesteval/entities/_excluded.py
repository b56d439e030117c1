"""The rows that could not be read: which, what they held, and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from honesteval._validation import name_rows
from honesteval.entities._rows import show_value

if TYPE_CHECKING:
    import pandas as pd

_SHOWN_REASONS = 5


def _no_rows() -> NDArray[np.intp]:
    return np.empty(0, dtype=np.intp)


@dataclass(frozen=True, eq=False)
class ExcludedRows:
    """Rows of the input that were left out.

    Parameters
    ----------
    rows : ndarray of int, shape (n_excluded,)
        Zero-based positions in the input, ascending.
    values : tuple, length n_excluded
        What the rows held.
    reasons : tuple of str, length n_excluded
        Why each row was left out, in words.

    Examples
    --------
    >>> from honesteval.entities import parse_molecules
    >>> excluded = parse_molecules(["CCO", "C1CC", None], errors="drop").excluded
    >>> len(excluded)
    2
    >>> print(excluded.summary())
    2 rows were left out (row numbers count from 0):
      ring closure 1 is opened and never closed: row 1
      missing value: row 2
    """

    rows: NDArray[np.intp] = field(default_factory=_no_rows)
    values: tuple[Any, ...] = ()
    reasons: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        rows = np.array(self.rows, dtype=np.intp)
        if not len(rows) == len(self.values) == len(self.reasons):
            raise ValueError(
                "ExcludedRows needs as many values and reasons as rows. Got "
                f"{len(rows)} rows, {len(self.values)} values, {len(self.reasons)} reasons."
            )
        rows.setflags(write=False)
        object.__setattr__(self, "rows", rows)

    def __len__(self) -> int:
        return len(self.rows)

    def summary(self) -> str:
        """Return the rows in words, grouped by reason, the most frequent reason first."""
        if not len(self):
            return "No rows were left out."
        word = "row was" if len(self) == 1 else "rows were"
        lines = [f"{len(self):,} {word} left out (row numbers count from 0):"]
        frequent = Counter(self.reasons).most_common()
        for reason, _ in frequent[:_SHOWN_REASONS]:
            rows = [row for row, why in zip(self.rows, self.reasons, strict=True) if why == reason]
            lines.append(f"  {reason}: {name_rows(rows)}")
        if len(frequent) > _SHOWN_REASONS:
            rest = sum(count for _, count in frequent[_SHOWN_REASONS:])
            lines.append(f"  {len(frequent) - _SHOWN_REASONS} other reasons: {rest:,} rows")
        return "\n".join(lines)

    def described(self) -> str:
        """Return the first rows with their values and reasons, for the message of an error."""
        shown = [
            f"row {row}, {show_value(value)}: {reason}"
            for row, value, reason in zip(
                self.rows[:_SHOWN_REASONS], self.values, self.reasons, strict=False
            )
        ]
        more = len(self) - _SHOWN_REASONS
        return "; ".join([*shown, *([f"and {more:,} more"] if more > 0 else [])])

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame with the columns ``row``, ``value`` and ``reason``."""
        import pandas as pd

        values = np.empty(len(self), dtype=object)
        values[:] = self.values
        return pd.DataFrame({"row": self.rows, "value": values, "reason": list(self.reasons)})

    def _repr_html_(self) -> str:
        first = self.summary().splitlines()[0].removesuffix(":")
        return f"<p>{first}</p>" + (self.to_frame().to_html(index=False) if len(self) else "")
