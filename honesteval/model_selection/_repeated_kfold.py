"""Repeated K-fold cross-validation in which similar samples share a fold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honesteval._validation import check_number
from honesteval.model_selection._repeats import DIVERSITY, RepeatedPartition, repeat_partition
from honesteval.model_selection._shared_parameters import (
    adopt_parameters,
    rebuild,
    takes_parameters_of,
)
from honesteval.model_selection._similarity_group_kfold import SimilarityGroupKFold
from honesteval.model_selection._splitter import Splitter, rows_of_fold

__all__ = ["RepeatedSimilarityGroupKFold"]


class RepeatedSimilarityGroupKFold(Splitter):
    """Repeat :class:`SimilarityGroupKFold` with folds that differ from repeat to repeat.

    A search for the best folds finds nearly the same folds from every seed, and repeats of it
    would average nothing. Here a pair of samples that shared a fold in earlier repeats counts
    less, so that later repeats cut elsewhere. What that costs in similarity across folds is in
    :meth:`partitions`.

    Parameters
    ----------
    n_splits : int >= 2, default=5
    n_repeats : int >= 1, default=10
    diversity : float in [0, 1], default=0.25
        How much less the similarity of a pair counts once it has shared a fold in all earlier
        repeats. 0: only the seeds differ. Sets of more than 12,000 samples are searched from a
        random part of them, and only the seeds differ in any case.
    random_state : int, RandomState instance or None, default=None
        Seed; None is a fixed seed. The first repeat is the partition of
        :class:`SimilarityGroupKFold` with the same integer (or None).
    **parameters
        Of :class:`SimilarityGroupKFold`: ``similarity``, ``on``, ``threshold``,
        ``size_tolerance``, ``stratify``, ...

    See Also
    --------
    SimilarityGroupShuffleSplit : Any number of splits with test sets of a chosen size.

    Examples
    --------
    >>> from honesteval.datasets import load_nav17
    >>> from honesteval.model_selection import RepeatedSimilarityGroupKFold
    >>> smiles = load_nav17().data[:90]
    >>> cv = RepeatedSimilarityGroupKFold(n_splits=3, n_repeats=2, n_init=1)
    >>> sum(1 for train, test in cv.split(smiles))
    6
    >>> table = cv.partitions(smiles).to_frame()
    >>> bool(table.loc[1, "highest_agreement"] < 0.9)
    True
    """

    @takes_parameters_of(SimilarityGroupKFold, without=())
    def __init__(
        self,
        n_splits: int = 5,
        *,
        n_repeats: int = 10,
        diversity: float = DIVERSITY,
        random_state: int | np.random.RandomState | None = None,
        **parameters: Any,
    ) -> None:
        self.n_repeats = int(check_number(n_repeats, "n_repeats", low=1, integer=True))
        self.diversity = check_number(diversity, "diversity", low=0, high=1)
        self.random_state = random_state
        adopt_parameters(self, SimilarityGroupKFold(n_splits, **parameters))

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits, ``n_splits * n_repeats``; X, y and groups are ignored."""
        return self.n_splits * self.n_repeats

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Yield training and test rows of each fold of each repeat.

        Parameters
        ----------
        X, y, groups : array-like
            As for :meth:`SimilarityGroupKFold.split`.

        Yields
        ------
        train, test : ndarray of int
        """
        for labels in self.partitions(X, y, groups).labels:
            for fold in range(self.n_splits):
                yield rows_of_fold(labels, fold)

    def partitions(self, X: Any, y: Any = None, groups: Any = None) -> RepeatedPartition:
        """Return the folds of all repeats and what they give up to differ.

        Parameters
        ----------
        X, y, groups : array-like
            As for :meth:`split`.

        Returns
        -------
        partitions : RepeatedPartition
        """
        shares = np.full(self.n_splits, 1 / self.n_splits)
        return repeat_partition(
            rebuild(SimilarityGroupKFold, self), shares, self.n_repeats,
            diversity=self.diversity, X=X, y=y, groups=groups,
        )  # fmt: skip
