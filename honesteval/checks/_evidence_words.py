"""Evidence in words: the first rows that a finding rests on."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

__all__ = ["in_order", "name_evidence", "p_in_words"]

#: Lines of evidence that are named.
N_NAMED = 3
#: Rows of one line (the repeats of one entity) that are named.
N_ROWS = 5


def name_evidence(evidence: pd.DataFrame, n_evidence: int) -> str:
    """Return the rows or features of the first lines in words; empty where there are none.

    Parameters
    ----------
    evidence : DataFrame
        As in :class:`Finding`.
    n_evidence : int
        Lines there are in all.
    """
    named = list(_named(evidence.head(N_NAMED)))
    if not named:
        return ""
    more = n_evidence - len(named)
    return f"{'; '.join(named)}{f'; and {more:,} more' if more > 0 else ''}"


def _named(evidence: pd.DataFrame) -> Iterator[str]:
    columns = set(evidence.columns)
    for line in evidence.to_dict("records"):
        if {"test_row", "train_row"} <= columns:
            yield f"test row {line['test_row']} and training row {line['train_row']}"
        elif "rows" in columns:
            yield f"rows {in_order(line['rows'])}"
        elif {"row", "repeats_row"} <= columns:
            yield f"{line['side']} row {line['row']} repeats row {line['repeats_row']}"
        elif "row" in columns or "train_row" in columns:
            yield f"row {line['row']}" if "row" in columns else f"training row {line['train_row']}"
        elif "feature" in columns:
            yield f"feature {line['feature']!r}"


def in_order(rows: list[int]) -> str:
    """Return a few row numbers: ``3, 8 and 9``."""
    shown = [str(row) for row in rows[:N_ROWS]]
    if len(rows) > N_ROWS:
        return f"{', '.join(shown)} and {len(rows) - N_ROWS:,} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else shown[0]


def p_in_words(p_value: float, n_tests: int) -> str:
    """Return a p-value, and that it was multiplied by the number of tests where it was."""
    corrected = f", corrected for {n_tests:,} comparisons" if n_tests > 1 else ""
    return f"p = {p_value:.2g}{corrected}"
