"""K-fold cross-validation of pairs whose entities are new on one side or on all."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from honesteval._validation import check_number, check_option, check_same_length, n_rows
from honesteval.exceptions import HonestevalWarning, InfeasibleSplitError
from honesteval.model_selection._classes import class_table
from honesteval.model_selection._entities_of import as_pandas, group_labels
from honesteval.model_selection._pair_entities import EntityType, read_types, type_specs
from honesteval.model_selection._pair_options import (
    cross_matrix,
    cross_types,
    thresholds_of,
    unseen_types,
)
from honesteval.model_selection._pair_partition import PairPartition
from honesteval.model_selection._pair_search import PairRules, TypeFolds, folds_of_types
from honesteval.model_selection._seeds import seed_of
from honesteval.model_selection._splitter import Splitter
from honesteval.partition import Effort, measure_leakage

__all__ = ["SimilarityPairKFold"]

Split = tuple[NDArray[np.intp], NDArray[np.intp]]


class SimilarityPairKFold(Splitter):
    """K-fold splitter for pairs (drug and target, two proteins) and higher-order measurements.

    The entities of every side are divided into folds so that little similarity crosses between
    them, as :class:`SimilarityGroupKFold` does for samples; an entity counts as many times as it
    has pairs. A pair is tested with its entities new: none of those on the sides named in
    ``unseen`` has a pair in training, on either side where both hold the same type.

    Parameters
    ----------
    n_splits : int >= 2, default=5
        Folds on each side. With ``coverage="full"`` and R unseen columns the grid of folds has
        ``n_splits ** R`` blocks, each tested once.
    entities : dict
        Which columns hold what, and how alike two are: ``{"drug": "molecule", "target":
        "identity"}``. A tuple of columns holds one type of entity, whose folds are shared:
        ``{("protein a", "protein b"): ...}``. Columns are named, or numbered where X has no
        names. The similarity is anything that :func:`honesteval.similarity.resolve_similarity`
        takes for the different entities, or a square DataFrame of similarities with the entities
        as its index, a pair of a measure and a DataFrame of features with them as its index, or a
        matrix or :class:`~honesteval.similarity.Similarity` whose positions the column holds.
        ``"identity"`` is the classic split by entity.
    unseen : "all", or name or tuple of names, default="all"
        Columns whose entities are new in the test set.
    coverage : {"full", "diagonal"}, default="full"
        What to do with pairs whose entities are in different folds, where several columns are
        unseen. ``"full"``: every block of the grid is tested, and the pairs without an entity in
        the block's folds train, so that each pair is tested once. ``"diagonal"``: only pairs whose
        entities are all in the same fold are tested; the others never are, with a warning.
    pair_loss_weight : float >= 0, default=1.0
        What losing all pairs costs beside the scaled L of the types (each between 0 and 1) where
        ``coverage="diagonal"`` loses some. Larger: more pairs kept, more similarity across.
    threshold : float in (0, 1], dict of them by column, or None, default=None
        Similarity that no two entities of different folds may reach.
    cross_similarity : dict, default=None
        Similarity between entities of different types, for example
        ``{("peptide", "protein"): function}``: ``function(A, B)`` returns values in [0, 1] of
        shape (len(A), len(B)). It counts like that within a type.
    on : {"X", "groups"}, default="X"
        Whether the columns are those of X, or of a table passed as groups.
    size_tolerance : float >= 0, default=0.2
        A fold may have this much more or fewer pairs than its share, relatively (counted by the
        entities of each side; several sides divided at once are bounded below each and above
        together). A few entities with many pairs each need more of it.
    stratify : {"auto", "classes", "quantiles", None}, default="auto"
        Classes of y to spread over the folds of the entities, as far as possible.
    class_tolerance : float in [0, 1], default=0.1
        A fold may hold this much less than its share of a class, relatively.
    n_init : int >= 1, default=8
        Annealing runs from different starts; the best is kept.
    random_state : int, RandomState instance or None, default=None
        Seed of the search; None is a fixed seed.

    Raises
    ------
    InfeasibleSplitError
        From :meth:`split`, if no folds are within the bounds.
    ValueError
        From :meth:`split`, if a column is not there or entities are missing.

    References
    ----------
    R. Joeres, D. B. Blumenthal, O. V. Kalinina, "Data splitting to avoid information leakage
    with DataSAIL", Nat. Commun. 16 (2025), doi:10.1038/s41467-025-58606-8.
    Y. Park, E. M. Marcotte, "Flaws in evaluation schemes for pair-input computational
    predictions", Nat. Methods 9 (2012) 1134-1136, doi:10.1038/nmeth.2259.

    Examples
    --------
    >>> import pandas as pd
    >>> from honesteval import SimilarityPairKFold
    >>> pairs = pd.DataFrame(
    ...     [(drug, target) for drug in ("CCO", "CCCO", "CCN", "CCCN") for target in "abcd"],
    ...     columns=["drug", "target"])
    >>> cv = SimilarityPairKFold(2, entities={"drug": "molecule", "target": "identity"})
    >>> for train, test in cv.split(pairs):
    ...     print("".join("T" if i in test else "-" if i in train else "." for i in range(16)))
    ..--..--TT..TT..
    --..--....TT..TT
    TT..TT....--..--
    ..TT..TT--..--..
    >>> cv.partition(pairs).entity_frame()["n_entities"]
    entities
    drug      4
    target    4
    Name: n_entities, dtype: int64
    """

    def __init__(
        self,
        n_splits: int = 5,
        *,
        entities: Mapping[Any, Any],
        unseen: Any = "all",
        coverage: str = "full",
        pair_loss_weight: float = 1.0,
        threshold: float | Mapping[Any, float] | None = None,
        cross_similarity: Mapping[tuple[Any, Any], Any] | None = None,
        on: str = "X",
        size_tolerance: float = 0.2,
        stratify: str | None = "auto",
        class_tolerance: float = 0.1,
        n_init: int = 8,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_splits = int(check_number(n_splits, "n_splits", low=2, integer=True))
        self.entities = entities
        self.unseen = unseen
        self.coverage = check_option(coverage, "coverage", ("full", "diagonal"))
        self.pair_loss_weight = check_number(pair_loss_weight, "pair_loss_weight", low=0)
        self.threshold = threshold
        self.cross_similarity = cross_similarity
        self.on = check_option(on, "on", ("X", "groups"))
        self.size_tolerance = check_number(size_tolerance, "size_tolerance", low=0)
        self.stratify = stratify
        self.class_tolerance = check_number(class_tolerance, "class_tolerance", low=0, high=1)
        self.n_init = check_number(n_init, "n_init", low=1, integer=True)
        self.random_state = random_state
        self._specs = type_specs(entities)
        self._unseen = unseen_types(self._specs, unseen)
        widest = max(len(self._specs[r].columns) for r in self._unseen)
        if coverage == "full" and n_splits <= widest:
            raise ValueError(
                f"n_splits={n_splits} leaves nothing to train on where {widest} columns of one "
                f"type are in as many folds. Use n_splits={widest + 1} or more, or "
                f"coverage='diagonal'."
            )
        self._thresholds = thresholds_of(self._specs, threshold)
        self._cross = cross_types(self._specs, self._unseen, cross_similarity)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits.

        Without data, the number of blocks of the grid; with data, of those that hold pairs.

        Parameters
        ----------
        X, y, groups : array-like, optional
            As for :meth:`split`.

        Returns
        -------
        n_splits : int
        """
        if self.coverage == "diagonal" or self._n_unseen_columns() == 1:
            return self.n_splits
        if (groups if self.on == "groups" else X) is not None:
            return len(self._splits(X, y, groups)[0])
        return math.prod(
            math.comb(self.n_splits + len(self._specs[r].columns) - 1, len(self._specs[r].columns))
            for r in self._unseen
        )

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """Yield training and test rows of each split.

        Parameters
        ----------
        X : array-like of shape (n_pairs, n_columns)
            With the columns that ``entities`` names, and any others.
        y : array-like of shape (n_pairs,), optional
            For class balance only.
        groups : array-like of shape (n_pairs,), optional
            Pairs of a group that is tested do not train; or, with ``on="groups"``, the table of
            entities.

        Yields
        ------
        train, test : ndarray of int
        """
        splits, *_ = self._splits(X, y, groups)
        tested = sum(len(test) for _, test in splits)
        n = n_rows(groups if self.on == "groups" else X)
        if tested < n:
            warnings.warn(
                f"{n - tested} of {n} pairs are tested in no split, since their entities are in "
                f"different folds; partition(X, y).never_tested lists them. coverage='full' tests "
                f"every pair.",
                HonestevalWarning,
                stacklevel=2,
            )
        yield from splits

    def partition(self, X: Any, y: Any = None, groups: Any = None) -> PairPartition:
        """Return the folds of the entities with everything measured about them.

        Parameters
        ----------
        X, y, groups : array-like
            As for :meth:`split`.

        Returns
        -------
        partition : PairPartition
        """
        splits, blocks, types, folds_of = self._splits(X, y, groups)
        labels = folds_of.labels
        leakage = {
            kind.name: measure_leakage(kind.similarity, folds, sample_weight=kind.n_pairs)
            for kind, folds in zip(types, labels, strict=True)
        }
        return PairPartition(
            entity_folds={
                kind.name: pd.Series(folds, index=pd.Index(kind.values, dtype=object), name="fold")
                for kind, folds in zip(types, labels, strict=True)
            },
            splits=tuple(splits),
            blocks=tuple(blocks),
            leakage=leakage,
            nearest_similarity={
                kind.name: _nearest(kind, folds)
                for kind, folds in zip(types, labels, strict=True)
            },
            row_entities={kind.name: kind.codes for kind in types},
            n_rows=n_rows(groups if self.on == "groups" else X),
            shortfalls=folds_of.shortfalls,
        )  # fmt: skip

    def _splits(
        self, X: Any, y: Any, groups: Any
    ) -> tuple[list[Split], list[tuple[int, ...]], list[EntityType], TypeFolds]:
        table = as_pandas(groups if self.on == "groups" else X)
        if table is None:
            raise ValueError(f"on={self.on!r}, but no {self.on} was passed.")
        row_groups = None
        if self.on == "groups" and X is not None:
            check_same_length(X=X, groups=table)
        if self.on == "X" and groups is not None:
            check_same_length(X=table, groups=groups)
            row_groups = group_labels(groups)
        types = read_types(table, [self._specs[r] for r in self._unseen])
        found = self._folds_of_entities(types, y, n_rows(table))
        columns = [folds[kind.codes] for kind, folds in zip(types, found.labels, strict=True)]
        splits, blocks = [], []
        for block in self._blocks(columns):
            test, touched = self._block_rows(columns, block)
            if row_groups is not None:
                touched |= np.isin(row_groups, row_groups[test])
            train = np.flatnonzero(~touched)
            if not len(train) or not test.any():
                raise InfeasibleSplitError(
                    f"The block of folds {block} has {int(test.sum())} pairs to test and "
                    f"{len(train)} to train on. Use other n_splits, or coarser groups if any."
                )
            splits.append((train, np.flatnonzero(test)))
            blocks.append(block)
        return splits, blocks, types, found

    def _folds_of_entities(self, types: list[EntityType], y: Any, n: int) -> TypeFolds:
        for kind in types:
            if len(kind.values) < self.n_splits:
                raise ValueError(
                    f"n_splits={self.n_splits} is more than the {len(kind.values)} entities in "
                    f"{kind.name}. Lower n_splits, or leave it out of unseen."
                )
        price = self.pair_loss_weight if self.coverage == "diagonal" else 0.0
        rules = PairRules(
            n_splits=self.n_splits,
            thresholds=self._thresholds,
            size_tolerance=self.size_tolerance,
            class_tolerance=self.class_tolerance,
            pair_loss_weight=price,
            effort=Effort(n_init=self.n_init),
            seed=seed_of(self.random_state),
        )
        cross = {
            pair: cross_matrix(types[pair[0]], types[pair[1]], function)
            for pair, function in self._cross.items()
        }
        return folds_of_types(types, rules, classes=class_table(y, n, self.stratify), cross=cross)

    def _blocks(self, columns: list[NDArray[np.intp]]) -> list[tuple[int, ...]]:
        n_columns = self._n_unseen_columns()
        if self.coverage == "diagonal" or n_columns == 1:
            return [(fold,) * n_columns for fold in range(self.n_splits)]
        # within a type the order of the columns does not matter
        keys = np.hstack([np.sort(folds, axis=1) for folds in columns])
        return [tuple(int(fold) for fold in key) for key in np.unique(keys, axis=0)]

    @staticmethod
    def _block_rows(
        columns: list[NDArray[np.intp]], block: tuple[int, ...]
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which pairs are in a block, and which have any entity in its folds."""
        n = len(columns[0])
        inside, touched, place = np.ones(n, dtype=bool), np.zeros(n, dtype=bool), 0
        for folds in columns:
            part = np.array(block[place : place + folds.shape[1]])
            place += folds.shape[1]
            inside &= (np.sort(folds, axis=1) == part).all(axis=1)
            touched |= np.isin(folds, part).any(axis=1)
        return inside, touched

    def _n_unseen_columns(self) -> int:
        return sum(len(self._specs[r].columns) for r in self._unseen)


def _nearest(kind: EntityType, folds: NDArray[np.intp]) -> NDArray[np.float64]:
    nearest = np.zeros(len(folds))
    for fold in np.unique(folds):
        here, others = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        if len(others):
            nearest[here] = kind.similarity.nearest(here, others)[0]
    return nearest
