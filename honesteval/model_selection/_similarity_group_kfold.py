"""K-fold cross-validation in which similar samples share a fold."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import BaseCrossValidator

from honesteval._validation import check_number, check_option
from honesteval.exceptions import HonestevalWarning
from honesteval.model_selection._classes import STRATIFY_OPTIONS, class_table
from honesteval.model_selection._entities_of import entities_and_groups
from honesteval.model_selection._seeds import seed_of
from honesteval.partition import Effort, Partition, solve_partition
from honesteval.similarity import Similarity, resolve_similarity

__all__ = ["SimilarityGroupKFold"]


class SimilarityGroupKFold(BaseCrossValidator):
    """K-fold splitter that keeps similar samples on the same side.

    A random split puts near copies of training samples into the test fold, and the score says
    how well the model remembers. This splitter chooses the folds so that as little similarity as
    possible crosses between them (the DataSAIL problem), within bounds on their sizes and on the
    classes in each.

    Identical entities and samples of the same group always share a fold; with ``threshold`` so
    do all chains of samples at least that similar, so that no test sample has a training sample
    that similar.

    Parameters
    ----------
    n_splits : int >= 2, default=5
    similarity : str, callable or Similarity, default="auto"
        How alike two samples are; see :func:`honesteval.similarity.resolve_similarity`.
        ``"auto"`` takes strings for SMILES and 0/1 rows for fingerprints.
    on : str, default="X"
        Where the entities are: ``"X"``, ``"groups"`` (so that ``groups=smiles`` travels through
        any scikit-learn tool), or the name of a column of X.
    threshold : float in (0, 1] or None, default=None
        Similarity that no pair of samples from different folds may reach.
    size_tolerance : float >= 0, default=0.1
        A fold may be this much larger or smaller than n / n_splits, relatively.
    stratify : {"auto", "classes", "quantiles", None}, default="auto"
        Classes to spread over the folds. ``"auto"``: those of a binary, multiclass or multilabel
        y (NaN: not measured), as far as possible, with a warning on a shortfall; a continuous y
        is left alone. ``"classes"``: bounds are hard. ``"quantiles"``: five bins of y.
    class_tolerance : float in [0, 1], default=0.1
        A fold may hold this much less than its share of a class, relatively.
    n_init : int >= 1, default=6
        Annealing runs from different starts; the best is kept.
    time_limit : float or None, default=None
        Seconds for each integer programme. Without it the effort is counted in iterations, and
        the same seed gives the same folds on any machine load.
    random_state : int, RandomState instance or None, default=None
        Seed of the search. None is a fixed seed: the folds are the same in every call, as those
        of ``KFold`` without shuffling. Folds do not depend on the order of the rows.
    n_jobs : int or None, default=None
        As in joblib, for more than 12,000 samples; the folds do not depend on it.

    Raises
    ------
    InfeasibleSplitError
        From :meth:`split`, if no folds are within the bounds; the message names the binding ones.
    InvalidEntityError
        From :meth:`split`, if rows cannot be read; the message lists them.

    See Also
    --------
    sklearn.model_selection.GroupKFold : Keeps given groups together, whatever is in them.

    References
    ----------
    R. Joeres, D. B. Blumenthal, O. V. Kalinina, "Data splitting to avoid information leakage
    with DataSAIL", Nat. Commun. 16 (2025), doi:10.1038/s41467-025-58606-8.

    Examples
    --------
    Alcohols, amines and acids, six of each: plain folds mix them, these do not.

    >>> from honesteval import SimilarityGroupKFold
    >>> smiles = [c * n + end for end in ("O", "N", "C(=O)O") for n in range(3, 9) for c in "C"]
    >>> cv = SimilarityGroupKFold(n_splits=3)
    >>> for train, test in cv.split(smiles):
    ...     print("".join("T" if i in test else "-" for i in range(18)))
    ------------TTTTTT
    ------TTTTTT------
    TTTTTT------------
    >>> cv.partition(smiles).status
    'optimal'
    """

    # with metadata routing enabled, groups reach split without a request of the caller's
    __metadata_request__split = {"groups": True}  # noqa: RUF012

    def __init__(
        self,
        n_splits: int = 5,
        *,
        similarity: str | Callable[[Any, Any], Any] | Similarity = "auto",
        on: str = "X",
        threshold: float | None = None,
        size_tolerance: float = 0.1,
        stratify: str | None = "auto",
        class_tolerance: float = 0.1,
        n_init: int = 6,
        time_limit: float | None = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_splits = int(check_number(n_splits, "n_splits", low=2, integer=True))
        self.similarity = similarity
        self.on = on
        if threshold is not None:
            check_number(threshold, "threshold", low=0, high=1, closed="right")
        self.threshold = threshold
        self.size_tolerance = check_number(size_tolerance, "size_tolerance", low=0)
        self.stratify = check_option(stratify, "stratify", STRATIFY_OPTIONS)
        self.class_tolerance = check_number(class_tolerance, "class_tolerance", low=0, high=1)
        self.n_init = check_number(n_init, "n_init", low=1, integer=True)
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs

    @property
    def shuffle(self) -> bool:
        """Whether another call to :meth:`split` may give other folds (as scikit-learn asks)."""
        return isinstance(self.random_state, np.random.RandomState)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds.

        Parameters
        ----------
        X, y, groups : object
            Ignored.

        Returns
        -------
        n_splits : int
        """
        return self.n_splits

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Yield training and test rows of each fold.

        Parameters
        ----------
        X : array-like of shape (n_samples,) or (n_samples, n_features)
            SMILES, Mol objects, fingerprints, a table, or a square matrix with
            ``similarity="precomputed"``.
        y : array-like of shape (n_samples,) or (n_samples, n_tasks), optional
            For class balance only.
        groups : array-like of shape (n_samples,), optional
            Samples that must stay together; or the entities, with ``on="groups"``.

        Yields
        ------
        train, test : ndarray of int
        """
        labels = self.partition(X, y, groups).labels
        rows = np.arange(len(labels))
        for fold in range(self.n_splits):
            yield rows[labels != fold], rows[labels == fold]

    def get_groups(self, X: Any, groups: Any = None) -> NDArray[np.intp]:
        """Return the must-link groups: samples with equal labels share a fold.

        Parameters
        ----------
        X : array-like
            As for :meth:`split`.
        groups : array-like of shape (n_samples,), optional

        Returns
        -------
        labels : ndarray of int of shape (n_samples,)
        """
        return self.partition(X, None, groups).groups

    def partition(self, X: Any, y: Any = None, groups: Any = None) -> Partition:
        """Return the folds with everything measured about them.

        Parameters
        ----------
        X, y, groups : array-like
            As for :meth:`split`.

        Returns
        -------
        partition : Partition
        """
        shares = np.full(self.n_splits, 1 / self.n_splits)
        return self._partition_into(shares, X, y, groups)

    def _partition_into(
        self, shares: NDArray[np.float64], X: Any, y: Any, groups: Any, *, given: str = "n_splits"
    ) -> Partition:
        """Return a partition into subsets of any shares, by the rules of this splitter."""
        entities, must_link = entities_and_groups(X, groups, self.on, type(self).__name__)
        similarity = resolve_similarity(entities, self.similarity)
        if similarity.n_items < len(shares):
            raise ValueError(
                f"{given}={len(shares)} is more than the {similarity.n_items} samples. "
                f"Lower {given}."
            )
        partition = solve_partition(
            similarity,
            shares=shares,
            must_link=() if must_link is None else (must_link,),
            threshold=self.threshold,
            size_tolerance=self.size_tolerance,
            classes=class_table(y, similarity.n_items, self.stratify),
            class_tolerance=self.class_tolerance,
            effort=Effort(n_init=self.n_init),
            time_limit=self.time_limit,
            random_state=seed_of(self.random_state),
            n_jobs=self.n_jobs,
        )
        if partition.shortfalls:
            listed = "; ".join(str(shortfall) for shortfall in partition.shortfalls[:4])
            warnings.warn(
                f"{len(partition.shortfalls)} class bounds cannot be met with these groups and "
                f"sizes, and are met as far as possible: {listed}. The whole list is in "
                f"partition(X, y, groups).shortfalls.",
                HonestevalWarning,
                stacklevel=3,
            )
        return partition
