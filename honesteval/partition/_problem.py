"""The numbers of a partition problem: items, what they use, and the bounds of every fold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from honesteval._validation import as_numbers, check_number, check_option, name_rows
from honesteval.partition._programme import SOLVERS

__all__ = ["PartitionProblem", "build_problem", "size_bounds", "size_range", "size_steps"]

_ROUNDING = 1e-9
#: Range of the mean weight: smaller ones drown in the tolerances of integer programmes.
_MEAN_WEIGHTS = (1e-3, 1e9)


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
    floor : ndarray of shape (n_folds, n_resources)
        How far ``lower`` may be lowered where it cannot be met; equal to it where it is hard.
    sample_weight : ndarray of shape (n_samples,)
        What a sample counts in sizes and in L; usually 1.
    solver : {"highs", "gurobi", "auto"}, default="highs"
        Of its integer programmes.
    """

    item_of: NDArray[np.intp]
    usage: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    shares: NDArray[np.float64]
    resource_names: tuple[str, ...]
    pinned: NDArray[np.intp]
    floor: NDArray[np.float64]
    sample_weight: NDArray[np.float64]
    solver: str = "highs"

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
        """Samples (or their weight) per item, of shape (n_items,)."""
        return self.usage[:, 0]

    @property
    def soft(self) -> NDArray[np.bool_]:
        """Resources with a bound that may be lowered, of shape (n_resources,)."""
        return (self.floor < self.lower).any(axis=0)

    @property
    def unit(self) -> float:
        """Mean weight of a sample: with it as the unit, L is of the size of a count of pairs."""
        return float(self.sample_weight.mean())

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
        return replace(self, lower=lower, upper=upper, floor=np.minimum(self.floor, lower))

    def without_classes(self) -> PartitionProblem:
        """Return the problem with the bounds on sizes and the pins only."""
        return replace(
            self,
            usage=self.usage[:, :1],
            lower=self.lower[:, :1],
            upper=self.upper[:, :1],
            resource_names=self.resource_names[:1],
            floor=self.floor[:, :1],
        )


def size_bounds(
    weight: NDArray[np.float64], shares: NDArray[np.float64], tolerance: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the smallest and largest size of each fold, in whole samples.

    ``(1 - eps) s n`` rounded up to ``(1 + eps) s n`` rounded down, widened where no whole number
    lies between to the whole numbers next to ``s n``; never below one sample. Weights of which
    some are no whole numbers are not rounded, and a fold gets the smallest of them at least.
    """
    n, (is_whole, smallest) = float(weight.sum()), size_steps(weight)
    bounds = [
        size_range(float(share) * n, tolerance, is_whole=is_whole, smallest=smallest)
        for share in shares
    ]
    low, high = np.array(bounds, dtype=np.float64).T
    return low, high


def size_steps(weight: NDArray[np.float64]) -> tuple[bool, float]:
    """Tell whether all weights are whole numbers, as counts are, and the least a fold can hold."""
    is_whole = bool((weight % 1 == 0).all())
    return is_whole, 1.0 if is_whole else float(weight.min())


def size_range(
    ideal: float, tolerance: float, *, is_whole: bool, smallest: float
) -> tuple[float, float]:
    """Return the smallest and largest size of one fold: see :func:`size_bounds`."""
    least, most = (1 - tolerance) * ideal, (1 + tolerance) * ideal
    if not is_whole:
        return max(least, smallest), max(most, smallest)
    least = min(math.ceil(least - _ROUNDING), math.floor(ideal + _ROUNDING))
    most = max(math.floor(most + _ROUNDING), math.ceil(ideal - _ROUNDING))
    return max(least, smallest), max(most, smallest)


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
    sample_weight: NDArray[np.float64] | None = None,
    solver: str = "highs",
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
        Class bounds may be lowered where they cannot be met, down to ``class_minimum`` (sizes
        never).
    pinned : ndarray of int of shape (n_samples,), optional
        Fold of a sample, or -1.
    sample_weight : ndarray of shape (n_samples,), optional
        Positive; by default 1 each. Classes count samples all the same.
    solver : {"highs", "gurobi", "auto"}, default="highs"

    Returns
    -------
    problem : PartitionProblem
    """
    check_number(size_tolerance, "size_tolerance", low=0, high=np.inf, closed="left")
    check_number(class_tolerance, "class_tolerance", low=0, high=1)
    wanted = as_numbers(shares, "shares")
    if wanted.ndim != 1 or len(wanted) < 2 or not (wanted > 0).all():
        raise ValueError(f"Shares must be at least two positive numbers. Got {wanted.tolist()}.")
    share = wanted / wanted.sum()
    n, n_items = len(item_of), int(item_of.max(initial=-1)) + 1
    counts = np.zeros((n, 0)) if class_counts is None else class_counts
    if counts.shape != (n, len(class_names)) or not np.isfinite(counts).all():
        raise ValueError(
            f"The table of classes must hold numbers for {n} samples and the {len(class_names)} "
            f"classes that are named. Got shape {counts.shape}, with "
            f"{int((~np.isfinite(counts)).sum())} values missing or infinite."
        )
    weight = np.ones(n) if sample_weight is None else _check_weights(sample_weight, n)
    usage = np.zeros((n_items, 1 + counts.shape[1]))
    np.add.at(usage, item_of, np.column_stack([weight, counts]))
    low, high = size_bounds(weight, share, size_tolerance)
    lower = np.column_stack([low, _class_bounds(counts.sum(axis=0), share, class_tolerance)])
    floor = lower.copy()
    floor[:, 1:] = 0.0 if classes_are_soft else lower[:, 1:]
    if class_minimum is not None:
        lower[:, 1:] = np.maximum(lower[:, 1:], class_minimum)
        floor[:, 1:] = np.maximum(floor[:, 1:], class_minimum)
    upper = np.full_like(lower, np.inf)
    upper[:, 0] = high
    unit_name = "samples" if sample_weight is None else "weight"
    return PartitionProblem(
        item_of=item_of,
        usage=usage,
        lower=lower,
        upper=upper,
        shares=share,
        resource_names=(unit_name, *class_names),
        pinned=_pinned_items(item_of, n_items, _check_pins(pinned, n, len(share))),
        floor=floor,
        sample_weight=weight,
        solver=check_option(solver, "solver", SOLVERS),
    )


def _check_weights(sample_weight: ArrayLike, n: int) -> NDArray[np.float64]:
    weight = as_numbers(sample_weight, "sample_weight")
    if weight.shape != (n,):
        raise ValueError(f"sample_weight has shape {weight.shape}, but there are {n} samples.")
    bad = np.flatnonzero(~((weight > 0) & np.isfinite(weight)))
    if len(bad):
        raise ValueError(
            f"Weights must be positive and finite. Not so in {name_rows(bad)}: "
            f"{weight[bad[:3]].tolist()}. Leave such samples out, or give them a weight."
        )
    low, high = _MEAN_WEIGHTS
    if not low <= weight.mean() <= high:
        raise ValueError(
            f"Weights must have a mean from {low:g} to {high:g}, or sizes are not kept exactly. "
            f"Got {weight.mean():g}. Divide the weights by it."
        )
    return weight


def _class_bounds(
    n_c: NDArray[np.float64], shares: NDArray[np.float64], tolerance: float
) -> NDArray[np.float64]:
    ideal = shares[:, None] * n_c
    return np.minimum(np.ceil((1 - tolerance) * ideal - _ROUNDING), np.floor(ideal + _ROUNDING))


def _check_pins(pinned: ArrayLike | None, n: int, n_folds: int) -> NDArray[np.intp] | None:
    if pinned is None:
        return None
    pins = as_numbers(pinned, "pinned")
    if pins.shape != (n,):
        raise ValueError(f"pinned has shape {pins.shape}, but there are {n} samples.")
    bad = np.flatnonzero(~((pins >= -1) & (pins < n_folds) & (pins == np.rint(pins))))
    if len(bad):
        raise ValueError(
            f"pinned must be a fold, 0 to {n_folds - 1}, or -1 for any. Got {pins[bad[0]]:g} in "
            f"{name_rows(bad)}."
        )
    return pins.astype(np.intp)


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
