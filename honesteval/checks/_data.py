"""What an audit looks at: rows numbered anew, and what several checks share, computed once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from honesteval.checks._labels import LabelColumn
from honesteval.checks._random_reference import RandomReference, random_reference
from honesteval.checks._split_rows import Comparison, SplitRows
from honesteval.entities import Molecules
from honesteval.similarity import Similarity

__all__ = ["AuditData", "Nearest", "pooled"]

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Nearest:
    """The most similar training row of every test row of a comparison."""

    similarity: NDArray[np.float64]
    train_row: NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class AuditData:
    """Everything that checks read.

    Rows in no part, and rows that hold no entity, are left out here; those that remain are
    numbered anew from 0. ``rows`` leads back to the positions in the input.

    Attributes
    ----------
    rows : ndarray of int of shape (n,)
        Position in the input of each row.
    comparisons : tuple of Comparison
        In the new numbers.
    part : ndarray of int of shape (n,), or None
        Part or fold of each row, when the split is a partition of the rows.
    split : SplitRows
        The split as given, in positions of the input.
    labels : tuple of LabelColumn
    similarity : Similarity or None
    no_similarity : str
        Why there is none.
    molecules : Molecules or None
        Only where the entities are molecules; also those in no part.
    sequences : ndarray of str of shape (n,), or None
        In capitals, where the entities are sequences.
    position : ndarray of int of shape (n,)
        Where each row is in ``molecules``.
    entity_codes : ndarray of int of shape (n,), or None
        Equal exactly for identical entities; None where identity is not defined.
    entity_name : str
        What an entity is, in the singular.
    features : array-like with n rows, or None
    groups, levels : ndarray of shape (n,), or None
    time : ndarray of float of shape (n, 1) or (n, 2), or None
        Moments, or start and end of windows; NaN where missing.
    pairs_of : DataFrame of shape (n, n_entities), or None
        The entities that each row pairs.
    estimators : dict of str to estimator
    predictions : dict of str to ndarray of shape (n,)
        NaN in rows without a prediction.
    threshold : float
        Similarity from which on two rows are near duplicates.
    seed : int
    n_jobs : int or None
    """

    rows: NDArray[np.intp]
    comparisons: tuple[Comparison, ...]
    part: NDArray[np.intp] | None
    split: SplitRows
    labels: tuple[LabelColumn, ...]
    similarity: Similarity | None
    no_similarity: str
    molecules: Molecules | None
    sequences: NDArray[np.object_] | None
    position: NDArray[np.intp]
    entity_codes: NDArray[np.intp] | None
    entity_name: str
    features: Any
    groups: NDArray[np.object_] | None
    levels: NDArray[np.object_] | None
    time: NDArray[np.float64] | None
    pairs_of: pd.DataFrame | None
    estimators: dict[str, Any]
    predictions: dict[str, NDArray[np.float64]] = field(repr=False)
    threshold: float
    seed: int
    n_jobs: int | None
    _computed: dict[Any, Any] = field(default_factory=dict, repr=False)

    @property
    def estimator(self) -> Any:
        """The first estimator, None without one."""
        return next(iter(self.estimators.values()), None)

    @property
    def n_rows(self) -> int:
        """Number of rows that are looked at."""
        return len(self.rows)

    @property
    def final(self) -> list[Comparison]:
        """Comparisons on which the final score is computed."""
        return [comparison for comparison in self.comparisons if comparison.is_final]

    @cached_property
    def nearest(self) -> dict[str, Nearest]:
        """The most similar training row of every test row, by comparison."""
        assert self.similarity is not None
        return {
            comparison.name: Nearest(*self.similarity.nearest(comparison.test, comparison.train))
            for comparison in self.comparisons
        }

    @cached_property
    def reference(self) -> RandomReference:
        """What random splits of the same sizes would give."""
        assert self.similarity is not None
        return random_reference(
            self.similarity,
            [(comparison.test, comparison.train) for comparison in self.final],
            self.part if self.split.kind == "folds" else None,
            threshold=self.threshold,
            seed=self.seed,
        )

    def once(self, compute: Callable[[AuditData], T]) -> T:
        """Return ``compute(self)``, computed the first time only."""
        if compute not in self._computed:
            self._computed[compute] = compute(self)
        result: T = self._computed[compute]
        return result

    def pairs(
        self,
        comparison: Comparison,
        test: Sequence[int] | NDArray[np.intp],
        train: Sequence[int] | NDArray[np.intp],
        **columns: Any,
    ) -> pd.DataFrame:
        """Return a table of row pairs in positions of the input, with the labels of both."""
        test, train = np.asarray(test, dtype=np.intp), np.asarray(train, dtype=np.intp)
        table = pd.DataFrame(
            {
                "split": comparison.name,
                "test_row": self.rows[test],
                "train_row": self.rows[train],
                **columns,
            }
        )
        if len(self.labels) == 1:
            values = self.labels[0].values
            table["test_label"], table["train_label"] = values[test], values[train]
        return table


def pooled(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return the tables below each other; empty ones do not decide the types of columns."""
    filled = [table for table in tables if len(table)]
    if not filled:
        return tables[0] if tables else pd.DataFrame()
    return pd.concat(filled, ignore_index=True)
