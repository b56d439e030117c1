"""What a comparison of several models found."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

import pandas as pd

from honesteval.stats._ranks import FriedmanTest
from honesteval.stats._tukey import RepeatedMeasuresTukey


@dataclass(frozen=True, eq=False)
class ModelComparison:
    """Result of :func:`compare_models`.

    Attributes
    ----------
    table : DataFrame
        One row per pair; see :meth:`to_frame`.
    test : str
        The test that was used.
    reason : str
        Why this one.
    unit : {"folds", "tasks", "rows"}
        What the replicates are.
    n_units : int
        How many of them.
    scores : DataFrame
        Scores per fold or task (rows) and model (columns); for one hold-out set one row.
    ratio : float
        Test rows per training row of one fold; 0 for tasks and rows.
    margin : float
        Differences up to this size do not matter in practice.
    adjustment : str
        How p-values were adjusted for the number of pairs.
    confidence_level : float
    greater_is_better : bool
    notes : tuple of str
        What was left out, could not be checked, or limits the conclusion.
    omnibus : FriedmanTest, RepeatedMeasuresTukey or None
        The test of all models at once behind the pairs, where there is one.
    """

    table: pd.DataFrame = field(repr=False)
    test: str
    reason: str
    unit: str
    n_units: int
    scores: pd.DataFrame = field(repr=False)
    ratio: float
    margin: float
    adjustment: str
    confidence_level: float
    greater_is_better: bool
    notes: tuple[str, ...]
    omnibus: FriedmanTest | RepeatedMeasuresTukey | None = field(repr=False)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair of models.

        Columns: ``a``, ``b``; their mean scores ``score_a``, ``score_b``; ``difference`` (a - b)
        with its interval ``low``, ``high``; ``p_value`` and ``p_adjusted``; ``p_equivalent``,
        the probability that the difference is at most the margin; ``effect_size``, the difference
        over its standard deviation between folds or tasks (NaN for rows); ``conclusion``; ``test``.
        """
        return self.table.copy()

    def summary(self) -> str:
        """Return test, reason and one line per pair."""
        lines = [
            f"{self.test} over {self.n_units} {self.unit}: {self.reason}",
            f"p adjusted by {self.adjustment}; margin of practical equivalence {self.margin:g}",
        ]
        lines += [
            f"  {row.a} - {row.b}: {row.difference:+.4g} [{row.low:+.4g}, {row.high:+.4g}], "
            f"p = {row.p_value:.3g}, adjusted {row.p_adjusted:.3g}, "
            f"P(equivalent) {row.p_equivalent:.2f}: {row.conclusion}"
            for row in self.table.itertuples()
        ]
        lines += [f"Note: {note}." for note in self.notes]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        notes = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        table = self.table.to_html(index=False, float_format="{:.4g}".format)
        head = f"<p><b>{escape(self.test)}</b>: {escape(self.reason)}</p>"
        return f"{head}{table}<ul>{notes}</ul>" if notes else f"{head}{table}"
