"""Splits that ask what lead optimisation asks: to rank analogues of a molecule that is known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from honesteval._validation import check_1d, check_number, check_same_length, name_rows
from honesteval.exceptions import InfeasibleSplitError
from honesteval.model_selection._entities_of import entities_and_groups
from honesteval.model_selection._lead_clusters import LeadCluster, LeadRules, find_clusters
from honesteval.model_selection._seeds import seed_of
from honesteval.model_selection._similarity_cache import cached_similarity
from honesteval.model_selection._splitter import Splitter
from honesteval.similarity import Similarity

__all__ = ["LeadOptimizationSplit"]


class LeadOptimizationSplit(Splitter):
    """Test clusters of analogues of which training holds the lead at most.

    In lead optimisation one member of a series is known, and its analogues are to be ranked. A
    test cluster here is what lies within ``threshold`` of a lead; the lead trains, its analogues
    are tested, and no other training sample is that similar to any of them: what would be is left
    out, counted and listed in :meth:`cluster_frame`. Clusters are taken in order of how little
    they leave out. Identical entities count as one.

    Parameters
    ----------
    n_splits : int >= 1, default=1
        Splits, each with clusters of samples that no other split tests.
    similarity : str, callable or Similarity, default="auto"
        As in :class:`SimilarityGroupKFold`.
    on : str, default="X"
        Where the entities are: ``"X"``, ``"groups"``, or a column of X.
    threshold : float in (0, 1], default=0.4
        Samples at least this similar to a lead are its analogues.
    min_cluster_size : int >= 1, default=5
        Analogues of a lead at the least; a ranking of fewer says little.
    max_clusters : int or None, default=None
        Clusters in each split at the most.
    test_size : float in (0, 1), default=0.2
        Share of the samples tested in each split at the most.
    max_left_out : float in [0, 1), default=0.2
        Share of the samples left out of each split at the most.
    min_spread : float or None, default=None
        Standard deviation of y within a cluster at the least (in the unit of y), so that there is
        more to rank than error of measurement. Needs y.
    random_state : int, RandomState instance or None, default=None
        Decides between clusters of equal merit; None: by their content.

    Raises
    ------
    InfeasibleSplitError
        From :meth:`split`, if there is no such cluster (for one of the splits).

    References
    ----------
    S. Steshin, "Lo-Hi: practical ML drug discovery benchmark", NeurIPS Datasets and Benchmarks
    (2023), arXiv:2310.06399.

    Examples
    --------
    >>> from honesteval import LeadOptimizationSplit
    >>> acids = ["C" * n + "C(=O)O" for n in range(3, 9)]
    >>> others = ["c1ccccc1", "c1ccncc1", "C1CCOC1", "N#CCC#N", "OB(O)O", "FC(F)F", "ClC=C"]
    >>> cv = LeadOptimizationSplit(threshold=0.5, test_size=0.5)
    >>> (train, test), = cv.split(acids + others)
    >>> test.tolist(), cv.cluster_frame(acids + others)["lead"].tolist()
    ([1, 2, 3, 4, 5], [0])
    """

    def __init__(
        self,
        n_splits: int = 1,
        *,
        similarity: Any = "auto",
        on: str = "X",
        threshold: float = 0.4,
        min_cluster_size: int = 5,
        max_clusters: int | None = None,
        test_size: float = 0.2,
        max_left_out: float = 0.2,
        min_spread: float | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_splits = int(check_number(n_splits, "n_splits", low=1, integer=True))
        self.similarity = similarity
        self.on = on
        self.threshold = check_number(threshold, "threshold", low=0, high=1, closed="right")
        self.min_cluster_size = check_number(
            min_cluster_size, "min_cluster_size", low=1, integer=True
        )
        if max_clusters is not None:
            check_number(max_clusters, "max_clusters", low=1, integer=True)
        self.max_clusters = max_clusters
        self.test_size = check_number(test_size, "test_size", low=0, high=1, closed="neither")
        self.max_left_out = check_number(max_left_out, "max_left_out", low=0, high=1, closed="left")
        if min_spread is not None:
            check_number(min_spread, "min_spread", low=0)
        self.min_spread = min_spread
        self.random_state = random_state

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Yield training and test rows of each split.

        Parameters
        ----------
        X : array-like
            As for :meth:`SimilarityGroupKFold.split`.
        y : array-like of shape (n_samples,), optional
            For ``min_spread`` only.
        groups : array-like of shape (n_samples,), optional
            Rows of a group that is tested do not train, the lead included; or the entities, with
            ``on="groups"``.

        Yields
        ------
        train, test : ndarray of int
        """
        for train, labels, _ in self._splits(X, y, groups):
            yield train, np.flatnonzero(labels >= 0)

    def cluster_labels(self, X: Any, y: Any = None, groups: Any = None) -> NDArray[np.intp]:
        """Return the cluster of each tested row, to score a ranking within clusters.

        Parameters
        ----------
        X, y, groups : array-like
            As for :meth:`split`.

        Returns
        -------
        labels : ndarray of int of shape (n_splits, n_samples)
            -1 for rows that are not tested.
        """
        return np.stack([labels for _, labels, _ in self._splits(X, y, groups)])

    def cluster_frame(self, X: Any, y: Any = None, groups: Any = None) -> pd.DataFrame:
        """Return one row per cluster: its lead, analogues, and rows left out because of it.

        Parameters
        ----------
        X, y, groups : array-like
            As for :meth:`split`.

        Returns
        -------
        table : DataFrame
            Columns ``split``, ``cluster``, ``lead`` (row), ``analogues`` and ``left_out`` (lists
            of rows).
        """
        return pd.DataFrame(
            [
                {"split": split, "cluster": number, **cluster}
                for split, (_, _, clusters) in enumerate(self._splits(X, y, groups))
                for number, cluster in enumerate(clusters)
            ]
        )

    def _splits(
        self, X: Any, y: Any, groups: Any
    ) -> list[tuple[NDArray[np.intp], NDArray[np.intp], list[dict[str, Any]]]]:
        entities, row_groups = entities_and_groups(X, groups, self.on, type(self).__name__)
        similarity = cached_similarity(entities, self.similarity)
        n = similarity.n_items
        entity_of, near, order = self._neighbours(similarity)
        weight = np.bincount(entity_of).astype(np.float64)
        allowed = self._informative(y, n)
        rules = LeadRules(
            self.min_cluster_size, self.max_clusters, self.test_size * n, self.max_left_out * n
        )
        may_test, splits = np.ones(len(weight), dtype=bool), []
        for split in range(self.n_splits):
            clusters = self._clusters(near, weight, order, may_test, rules, allowed, entity_of)
            if not clusters:
                raise InfeasibleSplitError(
                    f"No cluster of at least {self.min_cluster_size} analogues can be tested in "
                    f"split {split} within the limits test_size={self.test_size:g} and "
                    f"max_left_out={self.max_left_out:g}. Raise threshold (now "
                    f"{self.threshold:g}) or these limits, or lower min_cluster_size, min_spread "
                    f"or n_splits."
                )
            labels, trains = np.full(n, -1, dtype=np.intp), np.ones(n, dtype=bool)
            shown = []
            for number, cluster in enumerate(clusters):
                may_test[cluster.analogues] = False
                analogues = np.flatnonzero(np.isin(entity_of, cluster.analogues))
                left_out = np.flatnonzero(np.isin(entity_of, cluster.left_out))
                labels[analogues] = number
                trains[analogues] = trains[left_out] = False
                lead = int(np.flatnonzero(entity_of == cluster.lead)[0])
                shown.append(
                    {"lead": lead, "analogues": analogues.tolist(), "left_out": left_out.tolist()}
                )
            if row_groups is not None:
                trains &= ~np.isin(row_groups, row_groups[labels >= 0])
                if not trains.any():
                    raise InfeasibleSplitError(
                        f"Split {split} leaves no row to train on: all belong to groups that are "
                        f"tested. Pass finer groups, or lower test_size (now {self.test_size:g})."
                    )
            splits.append((np.flatnonzero(trains), labels, shown))
        return splits

    def _neighbours(
        self, similarity: Similarity
    ) -> tuple[NDArray[np.intp], sparse.csr_array, NDArray[np.intp]]:
        """Return the entity of each row, which entities are near, and their order by content."""
        keys = similarity.content_keys()
        if not similarity.merges_identical:
            keys = [key + b"%d" % row for row, key in enumerate(keys)]
        distinct, first, entity_of = np.unique(
            np.array(keys, dtype=object), return_index=True, return_inverse=True
        )
        one, other, _ = similarity.take(first).pairs_at_least(self.threshold)
        near = sparse.coo_array(
            (np.ones(2 * len(one), dtype=np.int8), (np.r_[one, other], np.r_[other, one])),
            shape=(len(distinct), len(distinct)),
        ).tocsr()
        order = np.arange(len(distinct))
        if self.random_state is not None:
            order = np.random.default_rng(seed_of(self.random_state)).permutation(order)
        return entity_of.reshape(-1).astype(np.intp), near, order

    def _informative(self, y: Any, n: int) -> NDArray[np.float64] | None:
        if self.min_spread is None:
            return None
        if y is None:
            raise ValueError("min_spread needs y. Pass y to split, or set min_spread=None.")
        check_same_length(X=np.empty(n), y=y)
        values = check_1d(y, "y", numeric=True)
        infinite = np.flatnonzero(np.isinf(values))
        if len(infinite):
            raise ValueError(
                f"y is infinite in {name_rows(infinite)}. Write NaN where it was not measured."
            )
        return values

    def _clusters(
        self,
        near: sparse.csr_array,
        weight: NDArray[np.float64],
        order: NDArray[np.intp],
        may_test: NDArray[np.bool_],
        rules: LeadRules,
        values: NDArray[np.float64] | None,
        entity_of: NDArray[np.intp],
    ) -> list[LeadCluster]:
        def is_informative(analogues: NDArray[np.intp]) -> bool:
            assert values is not None
            return float(np.nanstd(values[np.isin(entity_of, analogues)])) >= (self.min_spread or 0)

        return find_clusters(
            near, weight, order, may_test, rules, None if values is None else is_informative
        )
