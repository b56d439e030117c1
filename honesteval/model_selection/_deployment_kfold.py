"""K-fold cross-validation as hard as the deployment, no more and no less."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from honesteval._validation import check_number, check_option, n_rows
from honesteval.exceptions import HonestevalWarning
from honesteval.model_selection._classes import STRATIFY_OPTIONS, class_table
from honesteval.model_selection._deployment_similarity import (
    nearest_to_deployment,
    similarity_with_deployment,
)
from honesteval.model_selection._entities_of import entities_and_groups
from honesteval.model_selection._seeds import seed_of
from honesteval.model_selection._similarity_cache import cached_similarity
from honesteval.model_selection._splitter import Splitter, rows_of_fold
from honesteval.partition import MatchedFolds, match_nearest
from honesteval.similarity import Similarity

__all__ = ["DeploymentKFold"]


class DeploymentKFold(Splitter):
    """K-fold splitter whose test folds are as far from training as the deployment is from X.

    Random folds put near copies of training samples into the test fold and are too easy where
    the model will meet new series; folds that keep all relatives together are too hard where it
    will meet near copies. This splitter takes the entities that the model will meet (no labels
    of theirs) and chooses folds for which the similarity of test samples to their nearest
    training sample is distributed as that of the new entities to their nearest sample in X. The
    Wasserstein distance between the two distributions is the objective; :meth:`partition`
    reports it before and after the search and for random folds, with a bound that no folds beat.

    Parameters
    ----------
    X_deploy : array-like of shape (n_deploy,) or (n_deploy, n_features), default=None
        The entities to be met, of the kind that is compared in X (see ``on``). For
        ``on="<column>"`` a data frame with that column, or the entities themselves.
    n_splits : int >= 2, default=5
    deploy_similarity : array-like of shape (n_deploy,), default=None
        In place of ``X_deploy``: the highest similarity of each entity to be met to the samples
        of X, in [0, 1].
    similarity : str, callable or Similarity, default="auto"
        How alike two samples are; see :func:`honesteval.similarity.resolve_similarity`. A
        precomputed one goes with ``deploy_similarity``.
    on : str, default="X"
        Where the entities are: ``"X"``, ``"groups"``, or the name of a column of X.
    size_tolerance : float >= 0, default=0.1
        A fold may be this much larger or smaller than n / n_splits, relatively.
    stratify : {"auto", "classes", "quantiles", None}, default="auto"
        Classes to spread over the folds, as in :class:`SimilarityGroupKFold`.
    class_tolerance : float in [0, 1], default=0.1
        A fold may hold this much less than its share of a class, relatively.
    n_moves : int >= 0, default=4000
        Moves of the search.
    random_state : int, RandomState instance or None, default=None
        Seed of the search; None is a fixed seed. Folds do not depend on the order of the rows.

    Raises
    ------
    InfeasibleSplitError
        From :meth:`split`, if no folds are within the bounds.
    InvalidEntityError
        If rows of X or X_deploy cannot be read.

    Warns
    -----
    HonestevalWarning
        From :meth:`split`, if the folds do not match: the distance is above 0.03. The message
        says on which side they are and whether a match is proven to be impossible.

    See Also
    --------
    SimilarityGroupKFold : Folds as far from each other as the data allow.
    honesteval.checks.deployment_estimate : The expected score on X_deploy with its interval.

    Notes
    -----
    Used on a part of X (an inner loop), the deployment is compared with that part. At most
    12,000 samples.

    References
    ----------
    C. Mila, J. Mateu, E. Pebesma, H. Meyer, "Nearest neighbour distance matching leave-one-out
    cross-validation for map validation", Methods Ecol. Evol. 13 (2022) 1304-1316,
    doi:10.1111/2041-210X.13851.

    Examples
    --------
    Sulfonamides of a real assay, and a deployment of molecules unlike them:

    >>> from honesteval.datasets import load_nav17
    >>> from honesteval.model_selection import DeploymentKFold
    >>> smiles = load_nav17().data
    >>> cv = DeploymentKFold(smiles[200:260], n_splits=3, n_moves=1000)
    >>> folds = cv.partition(smiles[:120])
    >>> folds.distance < folds.distance_random, folds.is_matched
    (True, True)
    >>> [len(test) for train, test in cv.split(smiles[:120])] == folds.fold_sizes.tolist()
    True
    """

    def __init__(
        self,
        X_deploy: Any = None,
        n_splits: int = 5,
        *,
        deploy_similarity: ArrayLike | None = None,
        similarity: str | Callable[[Any, Any], Any] | Similarity = "auto",
        on: str = "X",
        size_tolerance: float = 0.1,
        stratify: str | None = "auto",
        class_tolerance: float = 0.1,
        n_moves: int = 4000,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        if (X_deploy is None) == (deploy_similarity is None):
            raise ValueError(
                "DeploymentKFold needs either X_deploy (the entities that will be met) or "
                "deploy_similarity (the highest similarity of each to the samples). "
                f"Got {'neither' if X_deploy is None else 'both'}."
            )
        self.X_deploy = X_deploy
        self.n_splits = int(check_number(n_splits, "n_splits", low=2, integer=True))
        self.deploy_similarity = deploy_similarity
        self.similarity = similarity
        self.on = on
        self.size_tolerance = check_number(size_tolerance, "size_tolerance", low=0)
        self.stratify = check_option(stratify, "stratify", STRATIFY_OPTIONS)
        self.class_tolerance = check_number(class_tolerance, "class_tolerance", low=0, high=1)
        self.n_moves = check_number(n_moves, "n_moves", low=0, integer=True)
        self.random_state = random_state

    def __repr__(self) -> str:
        met = "deploy_similarity" if self.X_deploy is None else "X_deploy"
        shown = self.deploy_similarity if self.X_deploy is None else self.X_deploy
        return (
            f"DeploymentKFold({met}=<{n_rows(shown)} entities>, n_splits={self.n_splits}, "
            f"similarity={self.similarity!r}, on={self.on!r}, random_state={self.random_state!r})"
        )

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Yield training and test rows of each fold.

        Parameters
        ----------
        X : array-like of shape (n_samples,) or (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_tasks), optional
            For class balance only.
        groups : array-like of shape (n_samples,), optional
            Samples that must stay together; or the entities, with ``on="groups"``.

        Yields
        ------
        train, test : ndarray of int
        """
        folds = self.partition(X, y, groups)
        if not folds.is_matched:
            warnings.warn(folds.verdict, HonestevalWarning, stacklevel=2)
        for fold in range(self.n_splits):
            yield rows_of_fold(folds.labels, fold)

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

    def partition(self, X: Any, y: Any = None, groups: Any = None) -> MatchedFolds:
        """Return the folds with how well they match.

        Parameters
        ----------
        X, y, groups : array-like
            As for :meth:`split`.

        Returns
        -------
        folds : MatchedFolds
        """
        entities, must_link = entities_and_groups(X, groups, self.on, type(self).__name__)
        n = n_rows(entities)
        if n < self.n_splits:
            raise ValueError(
                f"n_splits={self.n_splits} is more than the {n} samples. Lower n_splits."
            )
        if self.X_deploy is None:
            similarity = cached_similarity(entities, self.similarity)
            target = np.asarray(self.deploy_similarity, dtype=np.float64)
        else:
            joint = similarity_with_deployment(
                entities, self._met(), self.similarity, type(self).__name__
            )
            similarity, target = joint.take(np.arange(n)), nearest_to_deployment(joint, n)
        return match_nearest(
            similarity,
            target,
            n_folds=self.n_splits,
            must_link=() if must_link is None else (must_link,),
            size_tolerance=self.size_tolerance,
            classes=class_table(y, n, self.stratify),
            class_tolerance=self.class_tolerance,
            n_moves=self.n_moves,
            random_state=seed_of(self.random_state),
        )

    def _met(self) -> Any:
        columns = getattr(self.X_deploy, "columns", None)
        if self.on in ("X", "groups") or columns is None:
            return self.X_deploy
        if self.on not in list(columns):
            raise ValueError(f"X_deploy has no column {self.on!r}: it has {list(columns)}.")
        return self.X_deploy[self.on]
