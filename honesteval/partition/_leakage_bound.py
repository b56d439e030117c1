"""The least similarity that any split of given sizes lets cross, also for many rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from honesteval._validation import check_number
from honesteval.partition._bound import bound_within
from honesteval.similarity import Similarity, row_blocks

__all__ = ["LeakageBound", "leakage_bound"]

#: Samples of rows over which the bound of larger data is averaged.
N_SAMPLES = 2
#: Sizes within a sample differ from their share by more than this many standard deviations with a
#: probability below 1 in 15,000 per fold.
STANDARD_DEVIATIONS = 4.0
BEYOND = 6.4e-5


@dataclass(frozen=True)
class LeakageBound:
    """Result of :func:`leakage_bound`.

    Attributes
    ----------
    scaled : float
        No split of these sizes has a smaller scaled leakage.
    standard_error : float
        0 where all rows were used; otherwise ``scaled`` is the mean of a bound over random
        samples of rows, with this error.
    n_sampled : int
        Rows of a sample, or all rows.
    """

    scaled: float
    standard_error: float
    n_sampled: int


def leakage_bound(
    similarity: Similarity,
    sizes: ArrayLike,
    *,
    max_rows: int = 4000,
    n_iterations: int = 5,
    random_state: int | np.random.RandomState | None = 0,
) -> LeakageBound:
    """Bound the scaled leakage of every split into folds of these sizes from below.

    The bound is that of the projected eigenvalues (Donath and Hoffman 1973; Rendl and Wolkowicz
    1995), which needs the matrix of all similarities. For more than ``max_rows`` rows it is the
    mean over two random samples of rows: a split of all rows splits every sample too, into sizes
    close to their shares, and what crosses in a sample is on average its share of what crosses in
    all. This mean is lower than the bound of all rows would be, most so for small samples.

    Parameters
    ----------
    similarity : Similarity
        Of n rows.
    sizes : array-like of shape (n_folds,)
        Rows of each fold, positive, with the sum n.
    max_rows : int, default=4000
        Memory is 4 bytes times its square.
    n_iterations : int, default=5
        Steps that tighten the bound; each takes as long as the plain bound.
    random_state : int, RandomState instance or None, default=0
        Draws the samples.

    Returns
    -------
    bound : LeakageBound

    Raises
    ------
    ValueError
        If there are fewer than two sizes, one is not positive, or they do not add up to n.

    Examples
    --------
    >>> import numpy as np
    >>> from honesteval.partition import leakage_bound
    >>> from honesteval.similarity import PrecomputedSimilarity
    >>> pairs = np.kron(np.eye(4), np.ones((2, 2)))  # four pairs of equal rows
    >>> round(leakage_bound(PrecomputedSimilarity(pairs), [4, 4]).scaled, 3)
    0.0
    >>> alike = np.full((8, 8), 0.5) + 0.5 * np.eye(8)  # 16 of 28 pairs cross whatever is done
    >>> round(leakage_bound(PrecomputedSimilarity(alike), [4, 4]).scaled, 2)
    0.5
    """
    n = similarity.n_items
    whole = np.asarray(sizes)
    if whole.ndim != 1 or len(whole) < 2 or (whole <= 0).any() or whole.sum() != n:
        raise ValueError(
            f"sizes must be two or more positive numbers of rows with the sum {n}. Got {sizes!r}."
        )
    check_number(max_rows, "max_rows", low=10, integer=True)
    check_number(n_iterations, "n_iterations", low=0, integer=True)
    shares = whole.astype(np.float64)
    if n <= max_rows:
        return LeakageBound(_bound(similarity, np.arange(n), shares, shares, n_iterations), 0.0, n)
    shares *= max_rows / n
    spread = np.sqrt(shares * (1 - whole / n) * (n - max_rows) / (n - 1))
    low = np.maximum(shares - STANDARD_DEVIATIONS * spread, 0.0)
    high = np.minimum(shares + STANDARD_DEVIATIONS * spread, np.minimum(whole, max_rows))
    random = check_random_state(random_state)
    found = [
        _bound(similarity, np.sort(random.choice(n, max_rows, replace=False)), low, high,
               n_iterations)
        for _ in range(N_SAMPLES)
    ]  # fmt: skip
    mean = float(np.mean(found)) - BEYOND * len(whole)
    return LeakageBound(
        max(0.0, mean), float(np.std(found, ddof=1) / np.sqrt(N_SAMPLES)), int(max_rows)
    )


def _bound(
    similarity: Similarity,
    rows: NDArray[np.intp],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    n_iterations: int,
) -> float:
    matrix = np.empty((len(rows), len(rows)), dtype=np.float32)
    for piece in row_blocks(len(rows), len(rows)):
        matrix[piece] = similarity.block(rows[piece], rows, dtype=np.float32)
    np.fill_diagonal(matrix, 0)
    total = float(matrix.sum(dtype=np.float64)) / 2
    if total <= 0:
        return 0.0
    with threadpool_limits(1, user_api="blas"):  # many small products
        within = bound_within(matrix, np.ones(len(rows)), low, high, n_iterations=n_iterations)
    return max(0.0, 1 - within.within / total)
