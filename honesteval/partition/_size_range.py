"""What bounds on the sizes of the folds allow of their squares and their spread."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["SizeRange"]


class SizeRange:
    """What the bounds on the sizes allow."""

    def __init__(self, lower: NDArray[np.float64], upper: NDArray[np.float64], n: float) -> None:
        self.n, self.k = n, len(lower)
        upper = np.minimum(upper, n)
        # sizes of the largest folds, largest first: no i-th largest size exceeds these
        self.largest = np.sort(upper)[::-1]
        self.most_squares = _most_squares(lower, upper, n)
        self.least_squares = _least_squares(lower, upper, n)
        self.spread = _largest_spread(lower, upper, n)


def _most_squares(lower: NDArray[np.float64], upper: NDArray[np.float64], n: float) -> float:
    """Bound sum n_f^2 by its secants, a knapsack solved greedily."""
    sizes, left = lower.copy(), n - lower.sum()
    for f in np.argsort(-(lower + upper), kind="stable"):
        sizes[f] += min(left, upper[f] - lower[f])
        left = n - sizes.sum()
    return float(((lower + upper) * sizes - lower * upper).sum())


def _least_squares(lower: NDArray[np.float64], upper: NDArray[np.float64], n: float) -> float:
    """Return the smallest sum n_f^2: equal sizes as far as the bounds allow (water-filling)."""
    low, high = 0.0, float(upper.max())
    for _ in range(60):
        level = (low + high) / 2
        if np.clip(level, lower, upper).sum() < n:
            low = level
        else:
            high = level
    return float((np.clip(low, lower, upper) ** 2).sum())


def _largest_spread(lower: NDArray[np.float64], upper: NDArray[np.float64], n: float) -> float:
    """Bound the standard deviation of the size of the fold that a random sample is in."""
    centre = float((((lower + upper) / 2) ** 2).sum()) / n

    def term(sizes: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(sizes * (sizes - centre) ** 2)

    # where the term is largest between 0 and the centre
    inside = np.clip(np.full_like(lower, centre / 3), lower, upper)
    most = np.maximum(np.maximum(term(lower), term(upper)), term(inside))
    return float(np.sqrt(most.sum() / n))
