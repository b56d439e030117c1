"""Which labels may be exchanged under the null hypothesis, and how to draw such an exchange."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import gammaln

from honesteval._validation import check_1d, check_groups, check_option, n_rows

Permute = Literal["auto", "rows", "groups", "within"]
PERMUTE_OPTIONS: tuple[Permute, ...] = ("auto", "rows", "groups", "within")

MAX_COUNTED_RELABELLINGS = 1e15
"""More distinct relabellings than this are reported as infinitely many."""


@dataclass(frozen=True)
class LabelPermutation:
    """How labels are exchanged: which units move, and how many distinct outcomes there are.

    Attributes
    ----------
    how : {"rows", "groups", "within"}
        Rows exchange labels freely, whole groups exchange their one label, or rows exchange
        labels inside their group.
    n_units : int
        Number of rows (``"rows"``), groups (``"groups"``), or groups in which labels vary
        (``"within"``).
    n_distinct : float
        Number of distinct relabellings, the observed one included; ``inf`` above 1e15.
    why : str
        The reason in one sentence.
    """

    how: Literal["rows", "groups", "within"]
    n_units: int
    n_distinct: float
    why: str
    _codes: NDArray[np.intp] = field(repr=False)

    def draw(self, random: np.random.Generator) -> NDArray[np.intp]:
        """Return row positions, shape (n,): the permuted labels are ``y[positions]``."""
        n = len(self._codes)
        if self.how == "rows":
            return random.permutation(n)
        by_group = np.argsort(self._codes, kind="stable")
        if self.how == "within":
            positions = np.empty(n, dtype=np.intp)
            positions[by_group] = np.lexsort((random.random(n), self._codes))
            return positions
        first = by_group[np.searchsorted(self._codes[by_group], np.arange(self.n_units))]
        return first[random.permutation(self.n_units)][self._codes]


def plan_label_permutation(
    y: Any, groups: Any = None, *, permute: Permute = "auto"
) -> LabelPermutation:
    """Decide what may be exchanged, or refuse with an explanation.

    Parameters
    ----------
    y : array-like of shape (n,) or (n, n_outputs)
        Labels; the rows of a two-dimensional ``y`` move as a whole.
    groups : array-like of shape (n,), default=None
        Which rows belong together.
    permute : {"auto", "rows", "groups", "within"}, default="auto"
        ``"auto"`` exchanges rows when there are no groups, and the labels of whole groups
        when ``y`` is constant inside each group. ``"within"`` has to be asked for.

    Returns
    -------
    plan : LabelPermutation

    Raises
    ------
    ValueError
        If the exchange asked for is not valid, or not possible, for these groups.
    """
    check_option(permute, "permute", PERMUTE_OPTIONS)
    labels = label_codes(y)
    if labels.max(initial=0) == 0:
        raise ValueError("y is constant: no permutation of it differs from the observed labels.")
    if groups is None:
        if permute in ("groups", "within"):
            raise ValueError(f"permute={permute!r} needs groups. Got groups=None.")
        return _exchange_rows(labels, "no groups: rows are exchangeable")
    codes = _group_codes(groups, labels)
    n_groups = int(codes.max()) + 1
    if n_groups == len(codes):
        return _exchange_rows(labels, "every group has one row: rows are exchangeable")
    varies = _varies_inside(codes, labels, n_groups)
    if permute == "rows":
        raise ValueError(
            f"permute='rows' ignores the {n_groups} groups: rows of one group are not independent, "
            "and a test that exchanges them singly rejects far too often. Use permute='groups' or "
            "'within'; if rows really are exchangeable, leave groups out and give the folds "
            "as a list of (train, test) indices in cv."
        )
    if permute == "within":
        return _exchange_within(labels, codes, varies)
    return _exchange_groups(labels, codes, varies)


def label_codes(y: Any) -> NDArray[np.intp]:
    """Return the number of each row among the distinct rows of ``y``; NaN equals NaN."""
    if n_rows(y) == 0:
        raise ValueError("y is empty.")
    values = y if isinstance(y, pd.DataFrame | pd.Series) else np.asarray(y)
    frame = pd.DataFrame(values).reset_index(drop=True)
    frame.columns = pd.RangeIndex(frame.shape[1])
    numbers = frame.groupby(list(frame.columns), dropna=False, sort=False).ngroup()
    return np.asarray(numbers, dtype=np.intp)


def _group_codes(groups: Any, labels: NDArray[np.intp]) -> NDArray[np.intp]:
    codes = pd.factorize(check_groups(check_1d(groups, "groups"), len(labels)))[0]
    return codes.astype(np.intp)


def _varies_inside(
    codes: NDArray[np.intp], labels: NDArray[np.intp], n_groups: int
) -> NDArray[np.bool_]:
    low = np.full(n_groups, len(labels))
    high = np.full(n_groups, -1)
    np.minimum.at(low, codes, labels)
    np.maximum.at(high, codes, labels)
    return low < high


def _exchange_rows(labels: NDArray[np.intp], why: str) -> LabelPermutation:
    return LabelPermutation("rows", len(labels), _n_relabellings(labels), why, labels)


def _exchange_groups(
    labels: NDArray[np.intp], codes: NDArray[np.intp], varies: NDArray[np.bool_]
) -> LabelPermutation:
    if varies.any():
        raise ValueError(
            f"y varies inside {int(varies.sum())} of {len(varies)} groups, so that whole groups "
            "have no label to exchange. Rows of different groups are not exchangeable either. "
            "If rows are exchangeable inside their group (no order, no drift, no replicates of "
            "one item), ask for permute='within'. Otherwise there is no valid permutation test "
            "of these labels: give coarser groups or one label per group."
        )
    first = np.unique(codes, return_index=True)[1]
    why = f"y is constant inside each of {len(varies)} groups: whole groups exchange labels"
    return LabelPermutation("groups", len(varies), _n_relabellings(labels[first]), why, codes)


def _exchange_within(
    labels: NDArray[np.intp], codes: NDArray[np.intp], varies: NDArray[np.bool_]
) -> LabelPermutation:
    if not varies.any():
        raise ValueError(
            "permute='within' exchanges nothing: y is constant inside every group, so that each "
            "permutation equals the observed labels and p is always 1. Use permute='groups'."
        )
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes))[:-1]
    n_distinct = math.prod(_n_relabellings(part) for part in np.split(labels[order], ends))
    if n_distinct > MAX_COUNTED_RELABELLINGS:
        n_distinct = math.inf
    n_varying = int(varies.sum())
    why = (
        f"asked for: rows exchange labels inside their group; y varies in {n_varying} "
        f"of {len(varies)} groups"
    )
    return LabelPermutation("within", n_varying, n_distinct, why, codes)


def _n_relabellings(labels: NDArray[np.intp]) -> float:
    """Count the distinct arrangements of the labels: n! / prod(n_c!)."""
    counts = np.unique(labels, return_counts=True)[1]
    logarithm = gammaln(len(labels) + 1) - gammaln(counts + 1).sum()
    if logarithm > math.log(MAX_COUNTED_RELABELLINGS):
        return math.inf
    left, total = len(labels), 1
    for count in sorted(counts.tolist(), reverse=True):
        total *= math.comb(left, count)
        left -= count
    return float(total)
