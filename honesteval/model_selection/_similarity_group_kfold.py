"""K-fold cross-validation in which similar samples share a fold."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honesteval._validation import check_number, check_option, name_rows
from honesteval.exceptions import HonestevalWarning
from honesteval.model_selection._classes import STRATIFY_OPTIONS, class_table
from honesteval.model_selection._clusters import cluster_groups
from honesteval.model_selection._entities_of import entities_and_groups
from honesteval.model_selection._seeds import seed_of
from honesteval.model_selection._similarity_cache import cached_similarity
from honesteval.model_selection._splitter import Splitter, rows_of_fold
from honesteval.partition import OVERSIZE_OPTIONS, SOLVERS, Effort, Partition, solve_partition
from honesteval.similarity import CutoffSimilarity, Similarity

__all__ = ["SimilarityGroupKFold"]


class SimilarityGroupKFold(Splitter):
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
    on_oversize : {"raise", "cut", "drop"}, default="raise"
        What to do when a chain of samples at the threshold fits into no fold. ``"cut"``: keep
        all samples and cut few pairs, listed in ``partition(...).violations``. ``"drop"``: leave
        out few samples, listed in ``partition(...).dropped``, which then neither train nor test.
        Either warns, with the count.
    clusterer : scikit-learn clusterer, callable or None, default=None
        Its clusters stay together, too: it is given fingerprint bits or
        features, or, with ``metric="precomputed"``, the distances 1 - similarity.
    objective_cutoff : float in [0, 1], default=0
        Smaller similarities count as 0 in what crosses.
    size_tolerance : float >= 0, default=0.1
        A fold may be this much larger or smaller than n / n_splits, relatively.
    stratify : {"auto", "classes", "quantiles", None}, default="auto"
        Classes to spread over the folds. ``"auto"``: those of a binary, multiclass or multilabel
        y (NaN: not measured), as far as possible, with a warning on a shortfall; a continuous y
        is left alone. ``"classes"``: bounds are hard. ``"quantiles"``: five bins of y.
    class_tolerance : float in [0, 1], default=0.1
        A fold may hold this much less than its share of a class, relatively.
    min_per_class : int >= 0, default=0
        Samples of every class (of every task) that every fold must hold, without exception.
    n_init : int >= 1, default=8
        Annealing runs from different starts; the best is kept.
    solver : {"highs", "gurobi", "auto"}, default="highs"
        Of the integer programmes. ``"gurobi"`` needs the extra of that name, whose own licence
        takes 2,000 variables; ``"auto"`` falls back on HiGHS where that is too small.
    time_limit : float or None, default=None
        Seconds for each integer programme. Without it the effort is counted in iterations, and
        the same seed gives the same folds on any machine load.
    random_state : int, RandomState instance or None, default=None
        Seed of the search. None is a fixed seed: the folds are the same in every call, as those
        of ``KFold`` without shuffling. Folds do not depend on the order of the rows
        (of a precomputed matrix only as far as its rows, sorted, differ).
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

    def __init__(
        self,
        n_splits: int = 5,
        *,
        similarity: str | Callable[[Any, Any], Any] | Similarity = "auto",
        on: str = "X",
        threshold: float | None = None,
        on_oversize: str = "raise",
        clusterer: Any = None,
        objective_cutoff: float = 0.0,
        size_tolerance: float = 0.1,
        stratify: str | None = "auto",
        class_tolerance: float = 0.1,
        min_per_class: int = 0,
        n_init: int = 8,
        solver: str = "highs",
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
        self.on_oversize = check_option(on_oversize, "on_oversize", OVERSIZE_OPTIONS)
        self.clusterer = clusterer
        self.objective_cutoff = check_number(objective_cutoff, "objective_cutoff", low=0, high=1)
        self.size_tolerance = check_number(size_tolerance, "size_tolerance", low=0)
        self.stratify = check_option(stratify, "stratify", STRATIFY_OPTIONS)
        self.class_tolerance = check_number(class_tolerance, "class_tolerance", low=0, high=1)
        self.min_per_class = check_number(min_per_class, "min_per_class", low=0, integer=True)
        self.solver = check_option(solver, "solver", SOLVERS)
        self.n_init = check_number(n_init, "n_init", low=1, integer=True)
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs

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
        for fold in range(self.n_splits):
            yield rows_of_fold(labels, fold)

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

    def partition(
        self, X: Any, y: Any = None, groups: Any = None, *, sample_weight: Any = None
    ) -> Partition:
        """Return the folds with everything measured about them.

        Parameters
        ----------
        X, y, groups : array-like
            As for :meth:`split`.
        sample_weight : array-like of shape (n_samples,), optional
            What a sample counts in the sizes of the folds; a pair counts the product in L.

        Returns
        -------
        partition : Partition
        """
        shares = np.full(self.n_splits, 1 / self.n_splits)
        return self._partition_into(shares, X, y, groups, sample_weight=sample_weight)

    def _partition_into(
        self,
        shares: NDArray[np.float64],
        X: Any,
        y: Any,
        groups: Any,
        *,
        given: str = "n_splits",
        sample_weight: Any = None,
        searched: Callable[[Similarity], Similarity] | None = None,
    ) -> Partition:
        """Return a partition into subsets of any shares, by the rules of this splitter.

        ``searched`` makes of the similarity the one whose sum over the cuts is made small.
        """
        entities, must_link = entities_and_groups(X, groups, self.on, type(self).__name__)
        similarity = cached_similarity(entities, self.similarity)
        if similarity.n_items < len(shares):
            raise ValueError(
                f"{given}={len(shares)} is more than the {similarity.n_items} samples. "
                f"Lower {given}."
            )
        must_links = [] if must_link is None else [must_link]
        if self.clusterer is not None:
            must_links.append(cluster_groups(self.clusterer, entities, similarity))
        if self.objective_cutoff > 0:
            similarity = CutoffSimilarity(similarity, self.objective_cutoff)
        if searched is not None:
            similarity = searched(similarity)
        partition = solve_partition(
            similarity,
            shares=shares,
            must_link=must_links,
            threshold=self.threshold,
            on_oversize=self.on_oversize,
            size_tolerance=self.size_tolerance,
            classes=class_table(
                y, similarity.n_items, self.stratify, min_per_class=self.min_per_class
            ),
            class_tolerance=self.class_tolerance,
            weights=sample_weight,
            solver=self.solver,
            effort=Effort(n_init=self.n_init),
            time_limit=self.time_limit,
            random_state=seed_of(self.random_state),
            n_jobs=self.n_jobs,
        )
        for message in _what_was_given_up(partition, self.threshold):
            warnings.warn(message, HonestevalWarning, stacklevel=3)
        return partition


def _what_was_given_up(partition: Partition, threshold: float | None) -> Iterator[str]:
    if partition.shortfalls:
        listed = "; ".join(str(shortfall) for shortfall in partition.shortfalls[:4])
        yield (
            f"{len(partition.shortfalls)} class bounds cannot be met with these groups and "
            f"sizes, and are met as far as possible: {listed}. The whole list is in "
            f"partition(X, y, groups).shortfalls."
        )
    if len(partition.violations):
        yield (
            f"{len(partition.violations)} pairs of samples in different folds reach "
            f"threshold={threshold:g}: their chain fits into no fold (on_oversize='cut'). They "
            f"are listed in partition(X, y, groups).violations."
        )
    if len(partition.dropped):
        yield (
            f"{len(partition.dropped)} samples are in no fold, neither to train nor to test, so "
            f"that no pair reaches threshold={threshold:g} (on_oversize='drop'): "
            f"{name_rows(partition.dropped)}. They are listed in partition(X, y, groups).dropped."
        )
