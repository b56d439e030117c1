"""The folds of the entities on every side of a table of pairs, and what they cost."""

from __future__ import annotations

import html
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from honesteval.partition import Leakage, Shortfall

__all__ = ["PairPartition"]


@dataclass(frozen=True)
class PairPartition:
    """Folds of entities, the splits of their pairs, and everything measured about both.

    Attributes
    ----------
    entity_folds : dict of str to Series
        For every unseen type, the fold of each entity (the index).
    splits : tuple of (ndarray, ndarray)
        Training and test rows of each split.
    blocks : tuple of tuple of int
        The folds that are tested in each split, one for each unseen column.
    leakage : dict of str to Leakage
        L of every unseen type, entities weighted by the number of their pairs.
    nearest_similarity : dict of str to ndarray
        For every unseen type, the highest similarity of each entity to one of another fold, in
        the order of ``entity_folds``.
    row_entities : dict of str to ndarray of shape (n_rows, n_columns)
        Position of the entities of each row in ``entity_folds``.
    n_rows : int
        Number of pairs.
    shortfalls : tuple of Shortfall
        Class bounds that the folds of the entities could not meet, and what was reached.
    """

    entity_folds: dict[str, pd.Series]
    splits: tuple[tuple[NDArray[np.intp], NDArray[np.intp]], ...]
    blocks: tuple[tuple[int, ...], ...]
    leakage: dict[str, Leakage]
    nearest_similarity: dict[str, NDArray[np.float64]]
    row_entities: dict[str, NDArray[np.intp]]
    n_rows: int
    shortfalls: tuple[Shortfall, ...] = ()

    @cached_property
    def never_tested(self) -> NDArray[np.intp]:
        """Rows that no split tests, since their entities are in different folds."""
        tested = np.zeros(self.n_rows, dtype=bool)
        for _, test in self.splits:
            tested[test] = True
        return np.flatnonzero(~tested)

    @property
    def tested_share(self) -> float:
        """Share of the rows that are tested in some split."""
        return 1 - len(self.never_tested) / self.n_rows

    def left_out(self, split: int) -> NDArray[np.intp]:
        """Return the rows that neither train nor are tested in a split."""
        train, test = self.splits[split]
        return np.setdiff1d(np.arange(self.n_rows), np.concatenate([train, test]))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per split: its block, and how many rows train, test, are left out."""
        sizes = np.array([[len(train), len(test)] for train, test in self.splits])
        return pd.DataFrame(
            {
                "block": self.blocks,
                "n_train": sizes[:, 0],
                "n_test": sizes[:, 1],
                "n_left_out": self.n_rows - sizes.sum(axis=1),
            },
            index=pd.RangeIndex(len(sizes), name="split"),
        )

    def entity_frame(self) -> pd.DataFrame:
        """Return one row per unseen type: entities, L, similarity to the nearest in training.

        ``mean_nearest_similarity`` is a mean over the tested pairs (of the highest similarity of
        their entity to an entity of another fold), ``highest_nearest_similarity`` over entities.
        """
        tested = np.ones(self.n_rows, dtype=bool)
        tested[self.never_tested] = False
        rows = {}
        for name, folds in self.entity_folds.items():
            nearest, leakage = self.nearest_similarity[name], self.leakage[name]
            rows[name] = {
                "n_entities": len(folds),
                "scaled_leakage": leakage.scaled,
                "relative_leakage": leakage.relative,
                "mean_nearest_similarity": nearest[self.row_entities[name][tested]].mean(),
                "highest_nearest_similarity": nearest.max(),
            }
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("entities")

    def summary(self) -> str:
        """Return what a reader needs to know, in a few lines."""
        table = self.to_frame()
        lines = [
            f"{self.n_rows} pairs in {len(self.splits)} splits; {self.tested_share:.1%} are "
            f"tested, {len(self.never_tested)} in no split",
            f"on average {table['n_train'].mean():.0f} train, {table['n_test'].mean():.0f} are "
            f"tested, {table['n_left_out'].mean():.0f} are left out",
        ]
        for name, row in self.entity_frame().iterrows():
            lines.append(
                f"{row['n_entities']:.0f} entities in {name}: scaled L "
                f"{row['scaled_leakage']:.4f} ({row['relative_leakage']:.3f} of random), nearest "
                f"similarity {row['mean_nearest_similarity']:.3f} on average"
            )
        lines += [str(shortfall) for shortfall in self.shortfalls]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.summary())}</pre>{self.entity_frame().to_html()}"
