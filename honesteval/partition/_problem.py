"""The numbers of a partition problem: items, what they use, and the bounds of every fold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from honesteval._validation import check_number

__all__ = ["PartitionProblem", "build_problem", "size_bounds"]

_ROUNDING = 1e-9


@dataclass(frozen=True)
class PartitionProblem:
    """Assign items to folds so that each fold's use of each resource stays within bounds.

    Resource 0 is the size; the others count the samples of a class (of a task).

    Parameters
    ----------
    item_of : ndarray of int of shape (n_samples,)
        Item (must-link group) of each sample, from 0.
    usage : ndarray of shape (n_items, n_resources)
        What an item uses of each resource; column 0 is its number of samples.
    lower, upper : ndarray of shape (n_folds, n_resources)
        Bounds of a fold's total use; ``upper`` may be infinite.
    shares : ndarray of shape (n_folds,)
        Target shares; they sum to 1.
    resource_names : tuple of str
        For messages: ``"samples"``, ``"class 'active'"``.
    pinned : ndarray of int of shape (n_items,)
        Fold an item must go to, or -1.
    """

    item_of: NDArray[np.intp]
    usage: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    shares: NDArray[np.float64]
    resource_names: tuple[str, ...]
    pinned: NDArray[np.intp]
    soft: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.item_of)

    @property
    def n_items(self) -> int:
        """Number of items."""
        return len(self.usage)

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return len(self.shares)

    @property
    def weights(self) -> NDArray[np.float64]:
        """Samples per item, of shape (n_items,)."""
        return self.usage[:, 0]

    @property
    def is_single(self) -> bool:
        """True when every item is one sample."""
        return self.n_items == self.n_samples and bool((self.weights == 1).all())

    def totals(self, labels: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return each fold's use of each resource, of shape (n_folds, n_resources)."""
        totals = np.zeros_like(self.lower)
        np.add.at(totals, labels, self.usage)
        return totals

    def is_feasible(self, labels: NDArray[np.intp]) -> bool:
        """Tell whether an assignment of the items keeps all bounds and pins."""
        totals = self.totals(labels)
        within = (totals >= self.lower - _ROUNDING) & (totals <= self.upper + _ROUNDING)
        pins = (self.pinned < 0) | (self.pinned == labels)
        return bool(within.all() and pins.all())

    def with_bounds(
        self, lower: NDArray[np.float64], upper: NDArray[np.float64]
    ) -> PartitionProblem:
        """Return the same problem with other bounds."""
        return replace(self, lower=lower, upper=upper)

    def without_classes(self) -> PartitionProblem:
        """Return the problem with the bounds on sizes and the pins only."""
        return replace(
            self,
            usage=self.usage[:, :1],
            lower=self.lower[:, :1],
            upper=self.upper[:, :1],
            resource_names=self.resource_names[:1],
            soft=self.soft[:1],
        )


def size_bounds(
    n: float, shares: NDArray[np.float64], tolerance: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the smallest and largest size of each fold, in whole samples.

    ``(1 - eps) s n`` rounded up to ``(1 + eps) s n`` rounded down, widened where no whole number
    lies between to the whole numbers next to ``s n``; never below one sample.
    """
    ideal = shares * n
    low = np.minimum(np.ceil((1 - tolerance) * ideal - _ROUNDING), np.floor(ideal + _ROUNDING))
    high = np.maximum(np.floor((1 + tolerance) * ideal + _ROUNDING), np.ceil(ideal - _ROUNDING))
    return np.maximum(low, 1.0), np.maximum(high, 1.0)


def build_problem(
    item_of: NDArray[np.intp],
    *,
    shares: ArrayLike,
    size_tolerance: float = 0.1,
    class_counts: NDArray[np.float64] | None = None,
    class_names: Sequence[str] = (),
    class_tolerance: float = 0.1,
    class_minimum: NDArray[np.float64] | None = None,
    classes_are_soft: bool = False,
    pinned: NDArray[np.intp] | None = None,
) -> PartitionProblem:
    """Build a problem from samples.

    Parameters
    ----------
    item_of : ndarray of int of shape (n_samples,)
        Item of each sample, numbered from 0 without gaps.
    shares : array-like of shape (n_folds,)
        Target shares; divided by their sum.
    size_tolerance : float >= 0, default=0.1
        ``eps``: a fold may be this much smaller or larger than its share, relatively.
    class_counts : ndarray of shape (n_samples, n_classes), optional
        1 where a sample is of a class (of a task), else 0.
    class_names : sequence of str
        One name per column of ``class_counts``.
    class_tolerance : float in [0, 1], default=0.1
        ``delta``: a fold holds at least ``(1 - delta) s n_c`` samples of class c, rounded up, or
        the whole number below ``s n_c`` where that is less.
    class_minimum : ndarray of shape (n_classes,), optional
        Hard minimum in every fold, on top.
    classes_are_soft : bool, default=False
        Class bounds may be lowered where they cannot be met (sizes never).
    pinned : ndarray of int of shape (n_samples,), optional
        Fold of a sample, or -1.

    Returns
    -------
    problem : PartitionProblem
    """
    check_number(size_tolerance, "size_tolerance", low=0, high=np.inf, closed="left")
    check_number(class_tolerance, "class_tolerance", low=0, high=1)
    wanted = np.asarray(shares, dtype=np.float64)
    if wanted.ndim != 1 or len(wanted) < 2 or not (wanted > 0).all():
        raise ValueError(f"Shares must be at least two positive numbers. Got {wanted.tolist()}.")
    share = wanted / wanted.sum()
    n, n_items = len(item_of), int(item_of.max(initial=-1)) + 1
    counts = np.zeros((n, 0)) if class_counts is None else class_counts
    usage = np.zeros((n_items, 1 + counts.shape[1]))
    np.add.at(usage, item_of, np.column_stack([np.ones(n), counts]))
    low, high = size_bounds(n, share, size_tolerance)
    lower = np.column_stack([low, _class_bounds(counts.sum(axis=0), share, class_tolerance)])
    if class_minimum is not None:
        lower[:, 1:] = np.maximum(lower[:, 1:], class_minimum)
    upper = np.full_like(lower, np.inf)
    upper[:, 0] = high
    soft = np.zeros(usage.shape[1], dtype=bool)
    soft[1:] = classes_are_soft
    return PartitionProblem(
        item_of=item_of,
        usage=usage,
        lower=lower,
        upper=upper,
        shares=share,
        resource_names=("samples", *class_names),
        pinned=_pinned_items(item_of, n_items, pinned),
        soft=soft,
    )


def _class_bounds(
    n_c: NDArray[np.float64], shares: NDArray[np.float64], tolerance: float
) -> NDArray[np.float64]:
    ideal = shares[:, None] * n_c
    return np.minimum(np.ceil((1 - tolerance) * ideal - _ROUNDING), np.floor(ideal + _ROUNDING))


def _pinned_items(
    item_of: NDArray[np.intp], n_items: int, pinned: NDArray[np.intp] | None
) -> NDArray[np.intp]:
    result = np.full(n_items, -1, dtype=np.intp)
    if pinned is None:
        return result
    chosen = np.flatnonzero(pinned >= 0)
    result[item_of[chosen]] = pinned[chosen]
    clash = chosen[result[item_of[chosen]] != pinned[chosen]]
    if len(clash):
        row = int(clash[0])
        other = int(chosen[item_of[chosen] == item_of[row]][-1])
        raise ValueError(
            f"Row {row} is pinned to fold {int(pinned[row])}, but row {other} is pinned to fold "
            f"{int(pinned[other])} and must stay together with it. Pin both to the same fold."
        )
    return result
