"""The result of a partition: labels, what crosses, and how near the optimum it is."""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from honesteval.partition._bound import bound_within
from honesteval.partition._feasibility import Shortfall
from honesteval.partition._leakage import Leakage
from honesteval.partition._objective import DENSE_ITEMS, dense_objective
from honesteval.partition._problem import PartitionProblem
from honesteval.partition._semidefinite import SEMIDEFINITE_ITEMS, semidefinite_within
from honesteval.similarity import Similarity

__all__ = ["Partition"]

#: Subgradient steps on the diagonal of the bound, by number of items.
_BOUND_STEPS = ((600, 120), (2_500, 40), (DENSE_ITEMS, 8))

#: Up to so many items the semidefinite bound costs next to nothing.
_SMALL_ITEMS = 200
_SMALL_ITERATIONS = 60

Status = Literal["optimal", "heuristic", "time_limit"]


@dataclass(frozen=True)
class Partition:
    """Folds of samples and everything measured about them.

    Attributes
    ----------
    labels : ndarray of int of shape (n_samples,)
        Fold of each sample; -1 for a dropped one.
    shares : ndarray of shape (n_folds,)
        Target shares.
    fold_sizes : ndarray of int of shape (n_folds,)
    groups : ndarray of int of shape (n_samples,)
        Must-link group of each sample; -1 for a dropped one.
    leakage : Leakage
        Similarity across folds; exact unless ``leakage_error`` says otherwise.
    leakage_error : float or None
        Standard error of ``leakage.scaled`` where it is estimated from sketches, else None.
    status : {"optimal", "heuristic", "time_limit"}
        ``"optimal"``: proven to be the minimum. ``"heuristic"``: see ``lower_bound`` for how far
        it can be from it. ``"time_limit"``: the caller's limit ended the search.
    similarity_name : str
        The measure in words.
    shortfalls : tuple of Shortfall
        Class bounds that no partition could meet, and what was reached.
    threshold : float or None
        No pair of samples in different folds is this similar or more (but see ``violations``).
    violations : DataFrame
        Cross-fold pairs that reach the threshold all the same (``on_oversize="cut"``).
    dropped : ndarray of int
        Rows in no fold (``on_oversize="drop"``).
    """

    labels: NDArray[np.intp]
    shares: NDArray[np.float64]
    fold_sizes: NDArray[np.intp]
    groups: NDArray[np.intp]
    leakage: Leakage
    status: Status
    similarity_name: str
    leakage_error: float | None = None
    shortfalls: tuple[Shortfall, ...] = ()
    threshold: float | None = None
    violations: pd.DataFrame = field(default_factory=pd.DataFrame)
    dropped: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    _similarity: Similarity | None = field(default=None, repr=False, compare=False)
    _problem: PartitionProblem | None = field(default=None, repr=False, compare=False)

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return len(self.shares)

    @property
    def n_groups(self) -> int:
        """Number of groups of samples that had to stay together, single ones included."""
        return len(np.unique(self.groups[self.groups >= 0]))

    @property
    def fold_weights(self) -> NDArray[np.float64]:
        """Sum of the sample weights of each fold: its size, when all weights are 1."""
        if self._problem is None:
            return self.fold_sizes.astype(np.float64)
        kept = self.labels >= 0
        return np.bincount(self.labels[kept], self._problem.sample_weight, self.n_folds)

    @property
    def scaled_leakage(self) -> float:
        """L divided by the sum of similarity over all pairs."""
        return self.leakage.scaled

    @property
    def relative_leakage(self) -> float:
        """Scaled L relative to a random split of the same sizes (1 = random)."""
        return self.leakage.relative

    @cached_property
    def lower_bound(self) -> float | None:
        """No partition within the size bounds has a smaller scaled L; computed on first use.

        None where it would need a matrix above the stated size, or L is only estimated.
        """
        if self.status == "optimal":
            return self.scaled_leakage
        if self._similarity is None or self._problem is None or self.leakage.total <= 0:
            return None
        if self._problem.n_items > DENSE_ITEMS or self.leakage_error is not None:
            return None
        m = self._problem.n_items
        steps = next(steps for limit, steps in _BOUND_STEPS if m <= limit)
        if m <= _SMALL_ITEMS:
            return self._bound_by(_eigenvalues(steps), _semidefinite(_SMALL_ITERATIONS))
        return self._bound_by(_eigenvalues(steps))

    def tighten_bound(self, n_iterations: int = 60) -> float:
        """Raise ``lower_bound`` (and with it ``efficiency``) by a semidefinite programme.

        For folds of about equal sizes this is much nearer to the optimum than the eigenvalues (for
        very unequal ones it gains little), and dearer: each iteration decomposes a matrix of all
        items, about half a second for 1,000 of them. Small problems (up to 200 items) need not ask.

        Parameters
        ----------
        n_iterations : int, default=60
            The bound holds after any number.

        Returns
        -------
        lower_bound : float

        Raises
        ------
        ValueError
            If L is only estimated, or there are more than 4,000 items.
        """
        known = self.lower_bound
        if known is None or (self._problem and self._problem.n_items > SEMIDEFINITE_ITEMS):
            raise ValueError(
                f"The semidefinite bound needs exact similarities of at most "
                f"{SEMIDEFINITE_ITEMS:,} items (must-link groups)."
            )
        if self.status != "optimal" and self._similarity is not None and self.leakage.total > 0:
            known = max(known, self._bound_by(_semidefinite(n_iterations)))
        self.__dict__["lower_bound"] = known  # as cached_property stores it
        return known

    def _bound_by(self, *bounds: Callable[..., float]) -> float:
        """Return the best bound on the scaled L that bounds on what folds keep give."""
        assert self._similarity is not None
        assert self._problem is not None
        problem = self._problem
        order = np.argsort(problem.item_of, kind="stable")
        objective = dense_objective(
            self._similarity,
            order,
            problem.item_of[order],
            problem.n_items,
            weight=problem.sample_weight[order] / problem.unit,
        )
        with threadpool_limits(1, user_api="blas"):  # many small products
            within = min(
                bound(
                    objective.values,
                    problem.weights / problem.unit,
                    problem.lower[:, 0] / problem.unit,
                    problem.upper[:, 0] / problem.unit,
                )
                for bound in bounds
            )
        crossing = (objective.rounded_total - within * objective.unit) * problem.unit**2
        return max(0.0, float(crossing / self.leakage.total))

    @property
    def efficiency(self) -> float | None:
        """Share of the possible reduction of L that was reached, at least.

        ``(L_random - L) / (L_random - L_bound)``; 1 when the bound is reached.
        """
        if self.lower_bound is None:
            return None
        possible = self.leakage.cross_share - self.lower_bound
        if possible <= 0:
            return 1.0
        return (self.leakage.cross_share - self.scaled_leakage) / possible

    @cached_property
    def nearest_similarity(self) -> NDArray[np.float64]:
        """Highest similarity of each sample to any other fold, of shape (n_samples,).

        NaN for dropped samples. Recomputed from the entities, not from the optimisation.
        """
        nearest = np.full(len(self.labels), np.nan)
        if self._similarity is None:
            return nearest
        kept = np.flatnonzero(self.labels >= 0)  # these, in order, are what is compared
        labels = self.labels[kept]
        for fold in range(self.n_folds):
            here, others = np.flatnonzero(labels == fold), np.flatnonzero(labels != fold)
            if len(here) and len(others):
                nearest[kept[here]] = self._similarity.nearest(here, others)[0]
        return nearest

    @property
    def highest_cross_similarity(self) -> float:
        """Highest similarity of any two samples in different folds."""
        return float(np.nanmax(self.nearest_similarity))

    @property
    def mean_nearest_similarity(self) -> float:
        """Mean over samples of the highest similarity to another fold."""
        return float(np.nanmean(self.nearest_similarity))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per fold: size, share and target."""
        n = self.fold_sizes.sum()
        return pd.DataFrame(
            {
                "size": self.fold_sizes,
                "share": self.fold_sizes / n,
                "target_share": self.shares,
            },
            index=pd.RangeIndex(self.n_folds, name="fold"),
        )

    def summary(self) -> str:
        """Return what a reader needs to know, in a few lines."""
        sizes = ", ".join(str(size) for size in self.fold_sizes)
        error = "" if self.leakage_error is None else f" (estimated, +- {self.leakage_error:.1g})"
        lines = [
            f"{len(self.labels)} samples in {self.n_folds} folds of {sizes}",
            f"{self.n_groups} groups that stay together; {self.similarity_name}",
            f"scaled L {self.scaled_leakage:.4f}{error}, random split "
            f"{self.leakage.cross_share:.4f} ({self.relative_leakage:.3f} of random); "
            f"{self.status}",
        ]
        if self.threshold is not None:
            lines.append(
                f"no cross-fold pair reaches {self.threshold:g}"
                if self.violations.empty
                else f"{len(self.violations)} cross-fold pairs reach {self.threshold:g}"
            )
        if len(self.dropped):
            lines.append(f"{len(self.dropped)} samples are in no fold")
        lines += [str(shortfall) for shortfall in self.shortfalls]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain types."""
        return {
            "n_samples": len(self.labels),
            "n_folds": self.n_folds,
            "fold_sizes": [int(size) for size in self.fold_sizes],
            "n_groups": self.n_groups,
            "similarity": self.similarity_name,
            "scaled_leakage": self.scaled_leakage,
            "scaled_leakage_error": self.leakage_error,
            "random_leakage": self.leakage.cross_share,
            "relative_leakage": self.relative_leakage,
            "status": self.status,
            "threshold": self.threshold,
            "n_violations": len(self.violations),
            "n_dropped": len(self.dropped),
        }

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.summary())}</pre>"


def _eigenvalues(n_iterations: int) -> Callable[..., float]:
    return lambda *problem: bound_within(*problem, n_iterations=n_iterations).within


def _semidefinite(n_iterations: int) -> Callable[..., float]:
    return lambda *problem: semidefinite_within(*problem, n_iterations=n_iterations)


def spread_kept(partition: Partition, kept: NDArray[np.intp], n_samples: int) -> Partition:
    """Return the partition of some rows as one of all, with the other rows dropped."""
    labels = np.full(n_samples, -1, dtype=np.intp)
    groups = labels.copy()
    labels[kept], groups[kept] = partition.labels, partition.groups
    return replace(
        partition,
        labels=labels,
        groups=groups,
        dropped=np.setdiff1d(np.arange(n_samples), kept),
    )
