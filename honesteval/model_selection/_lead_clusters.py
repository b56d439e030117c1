"""Leads and their analogues: clusters that a training set knows by one member only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

__all__ = ["LeadCluster", "LeadRules", "find_clusters"]


@dataclass(frozen=True)
class LeadCluster:
    """A lead that trains and its analogues that are tested.

    Attributes
    ----------
    lead : int
    analogues : ndarray of int
    left_out : ndarray of int
        Entities near the analogues, which must not train.
    """

    lead: int
    analogues: NDArray[np.intp]
    left_out: NDArray[np.intp]


@dataclass(frozen=True)
class LeadRules:
    """What clusters are taken."""

    smallest: int
    n_clusters: int | None
    n_tested: float
    n_left_out: float


def find_clusters(
    near: sparse.csr_array,
    weight: NDArray[np.float64],
    order: NDArray[np.intp],
    may_test: NDArray[np.bool_],
    rules: LeadRules,
    is_informative: Callable[[NDArray[np.intp]], bool] | None = None,
) -> list[LeadCluster]:
    """Take one cluster after the other, first those that leave out least for what they test.

    Parameters
    ----------
    near : sparse array of shape (n, n)
        1 where two different entities are near each other.
    weight : ndarray of shape (n,)
        Samples of each entity.
    order : ndarray of int of shape (n,)
        Entities in the order in which equal ones are preferred.
    may_test : ndarray of bool of shape (n,)
        Entities that may be tested.
    rules : LeadRules
    is_informative : callable, optional
        Whether a set of analogues is worth testing.

    Returns
    -------
    clusters : list of LeadCluster
        No analogue is near any entity that trains, but for its lead.
    """
    n = near.shape[0]
    trains = np.ones(n, dtype=bool)  # may still train
    leads = np.zeros(n, dtype=bool)
    clusters: list[LeadCluster] = []
    room, spare = rules.n_tested, rules.n_left_out
    while rules.n_clusters is None or len(clusters) < rules.n_clusters:
        best: tuple[float, LeadCluster] | None = None
        free = trains & ~leads
        near_leads = (near @ leads.astype(np.int8)) > 0
        can_test = free & may_test & ~near_leads
        sizes = near @ (can_test * weight)
        for lead in order[free[order]]:
            if sizes[lead] < rules.smallest:
                continue
            neighbours = near.indices[near.indptr[lead] : near.indptr[lead + 1]]
            analogues = neighbours[can_test[neighbours]]
            tests = weight[analogues].sum()
            if tests > room or (is_informative is not None and not is_informative(analogues)):
                continue
            around = np.unique(near[analogues].indices)
            around = around[trains[around] & (around != lead)]
            left_out = np.setdiff1d(around, analogues)
            if leads[left_out].any():
                continue
            lost = weight[left_out].sum()
            if lost > spare:
                continue
            cost = (lost + 1) / tests
            if best is None or cost < best[0]:
                best = cost, LeadCluster(int(lead), analogues, left_out)
        if best is None:
            break
        found = best[1]
        clusters.append(found)
        leads[found.lead] = True
        trains[found.analogues] = trains[found.left_out] = False
        room -= weight[found.analogues].sum()
        spare -= weight[found.left_out].sum()
    return clusters
