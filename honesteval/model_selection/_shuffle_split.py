"""Splits with a test set of a chosen size that is far from its training set."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honesteval._validation import check_number, n_rows
from honesteval.model_selection._repeats import DIVERSITY, RepeatedPartition, repeat_partition
from honesteval.model_selection._shared_parameters import (
    adopt_parameters,
    rebuild,
    takes_parameters_of,
)
from honesteval.model_selection._similarity_group_kfold import SimilarityGroupKFold
from honesteval.model_selection._splitter import Splitter, rows_of_fold

__all__ = ["SimilarityGroupShuffleSplit"]

_ROUNDING = 1e-9


class SimilarityGroupShuffleSplit(Splitter):
    """Any number of splits whose test set has few relatives in training.

    The test sets are taken from partitions into as many of them as fit: with ``test_size=0.2``
    the first five splits test different samples, the next five again, from another partition
    (see ``diversity``). A single split is the best one of its size.

    Parameters
    ----------
    n_splits : int >= 1, default=5
    test_size : float in (0, 1) or int >= 1, default=0.2
        Share or number of the samples in each test set, within ``size_tolerance``. All others
        train.
    diversity : float in [0, 1], default=0.25
        How much less the similarity of a pair counts once it has been on the same side in all
        earlier partitions; 0: only the seeds differ.
    random_state : int, RandomState instance or None, default=None
        Seed; None is a fixed seed.
    **parameters
        Of :class:`SimilarityGroupKFold`: ``similarity``, ``on``, ``threshold``,
        ``size_tolerance``, ``stratify``, ...

    See Also
    --------
    similarity_split : Arrays of named subsets instead of rows.

    Examples
    --------
    >>> from honesteval.model_selection import SimilarityGroupShuffleSplit
    >>> smiles = [c * n + end for end in ("O", "N", "C(=O)O") for n in range(3, 9) for c in "C"]
    >>> cv = SimilarityGroupShuffleSplit(n_splits=2, test_size=1 / 3)
    >>> for train, test in cv.split(smiles):
    ...     print("".join("T" if i in test else "-" for i in range(18)))
    ------------TTTTTT
    ------TTTTTT------
    """

    @takes_parameters_of(SimilarityGroupKFold, without=("n_splits",))
    def __init__(
        self,
        n_splits: int = 5,
        *,
        test_size: float = 0.2,
        diversity: float = DIVERSITY,
        random_state: int | np.random.RandomState | None = None,
        **parameters: Any,
    ) -> None:
        self.n_splits = int(check_number(n_splits, "n_splits", low=1, integer=True))
        if isinstance(test_size, int | np.integer):
            check_number(test_size, "test_size as a number of samples", low=1, integer=True)
        else:
            check_number(test_size, "test_size", low=0, high=1, closed="neither")
        self.test_size = test_size
        self.diversity = check_number(diversity, "diversity", low=0, high=1)
        self.random_state = random_state
        adopt_parameters(self, SimilarityGroupKFold(**parameters))

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Yield training and test rows of each split.

        Parameters
        ----------
        X, y, groups : array-like
            As for :meth:`SimilarityGroupKFold.split`.

        Yields
        ------
        train, test : ndarray of int
        """
        all_labels = self.partitions(X, y, groups).labels
        per_round = min(self._tests_that_fit(all_labels.shape[1]), self.n_splits)
        for split in range(self.n_splits):
            yield rows_of_fold(all_labels[split // per_round], split % per_round)

    def partitions(self, X: Any, y: Any = None, groups: Any = None) -> RepeatedPartition:
        """Return the partitions that the test sets come from, and what they give up to differ.

        Parameters
        ----------
        X, y, groups : array-like
            As for :meth:`split`.

        Returns
        -------
        partitions : RepeatedPartition
            The first folds of each are the test sets, a last one the samples that only train.
        """
        n = n_rows(groups if X is None else X)
        per_round = min(self._tests_that_fit(n), self.n_splits)
        share = self._share(n)
        rest = 1 - per_round * share
        if per_round == 1 and rest * n < 1 - _ROUNDING:
            raise ValueError(
                f"test_size={self.test_size} leaves nothing of {n} samples to train on. Lower it."
            )
        shares = np.array([share] * per_round + ([rest] if rest * n >= 1 - _ROUNDING else []))
        return repeat_partition(
            rebuild(SimilarityGroupKFold, self, n_splits=2), shares / shares.sum(),
            math.ceil(self.n_splits / per_round),
            diversity=self.diversity, X=X, y=y, groups=groups,
        )  # fmt: skip

    def _share(self, n: int) -> float:
        share = (
            self.test_size / n if isinstance(self.test_size, int | np.integer) else self.test_size
        )
        if not share < 1:
            raise ValueError(
                f"test_size={self.test_size} leaves nothing of {n} samples to train on. Lower it."
            )
        return float(share)

    def _tests_that_fit(self, n: int) -> int:
        return int(1 / self._share(n) + _ROUNDING)
