"""Must-link groups: samples that have to share a fold become one item."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

__all__ = ["content_order", "join_groups", "order_items"]


def join_groups(*labelings: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the finest grouping in which samples that share a label anywhere are together.

    Parameters
    ----------
    *labelings : ndarray of int of shape (n,)
        Each a grouping of the same samples; equal labels must stay together.

    Returns
    -------
    groups : ndarray of int of shape (n,)
        Consecutive from 0.

    Examples
    --------
    >>> import numpy as np
    >>> join_groups(np.array([0, 0, 1, 2]), np.array([5, 6, 6, 7])).tolist()
    [0, 0, 0, 1]
    """
    n = len(labelings[0])
    offset, rows, columns = n, [], []
    for labels in labelings:
        if np.shape(labels) != (n,):
            raise ValueError(
                f"A grouping of samples that must stay together has shape {np.shape(labels)}, but "
                f"there are {n} samples. Pass a sequence of groupings with a label per sample."
            )
        codes = np.unique(labels, return_inverse=True)[1]
        rows.append(np.arange(n))
        columns.append(codes + offset)
        offset += int(codes.max(initial=-1)) + 1
    row, column = np.concatenate(rows), np.concatenate(columns)
    graph = coo_array((np.ones(len(row), dtype=np.int8), (row, column)), shape=(offset, offset))
    components = connected_components(graph, directed=False)[1][:n]
    return np.unique(components, return_inverse=True)[1].astype(np.intp)


def content_order(keys: list[bytes]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return samples sorted by content, and a label per sample that is equal for equal content.

    Parameters
    ----------
    keys : list of bytes of length n

    Returns
    -------
    order : ndarray of int of shape (n,)
        ``keys[order[0]] <= keys[order[1]] <= ...``; equal keys keep their order.
    same : ndarray of int of shape (n,)
        Rank of the key among the distinct keys.
    """
    order = np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.intp)
    same = np.empty(len(keys), dtype=np.intp)
    rank = -1
    previous: ArrayLike | None = None
    for position in order:
        if keys[position] != previous:
            rank += 1
            previous = keys[position]
        same[position] = rank
    return order, same


def order_items(groups: NDArray[np.intp], order: ArrayLike) -> NDArray[np.intp]:
    """Renumber groups by their first member in a given order of the samples.

    With an order by content, the numbers do not depend on the order of the rows.
    """
    order = np.asarray(order, dtype=np.intp)
    seen, first = np.unique(groups[order], return_index=True)
    number = np.empty(int(seen.max(initial=-1)) + 1, dtype=np.intp)
    number[seen[np.argsort(first)]] = np.arange(len(seen))
    return number[groups]
