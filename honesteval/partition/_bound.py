"""A certificate: no partition within the size bounds crosses less similarity than this."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator, eigsh

from honesteval.partition._size_range import SizeRange

__all__ = ["WithinBound", "bound_within"]

#: Below this many items all eigenvalues are computed densely.
_DENSE_EIGENVALUES = 400
#: Eigenvalues are raised by this relative margin, the accuracy asked of the iterative solver.
_MARGIN = 1e-6


@dataclass(frozen=True)
class WithinBound:
    """Largest similarity that folds can keep inside, pairs counted once.

    Attributes
    ----------
    within : float
        The bound.
    diagonal : ndarray of shape (n_items,)
        The diagonal shift with which it was found.
    """

    within: float
    diagonal: NDArray[np.float64]


def bound_within(
    objective: NDArray[np.float32],
    weights: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    *,
    n_iterations: int = 0,
) -> WithinBound:
    r"""Bound the similarity inside folds by eigenvalues, for all sizes within the bounds.

    With items scaled by the square roots of their weights the folds are orthogonal vectors
    :math:`z_f` of squared length :math:`n_f` that add up to a fixed vector u. For any diagonal d,
    :math:`\sum_f z_f' (M + \mathrm{diag}\, d) z_f` is the similarity inside folds plus a constant.
    Split along u and orthogonal to it, it is at most

    .. math:: \frac{u'Mu}{n} \frac{\sum n_f^2}{n} + \frac{2}{\sqrt n} \|PMu\| \,\sigma(n_f)
              + \sum_{i<k} \mu_i \lambda_i(PMP)

    where P projects out u, :math:`\sigma` is the spread of the sizes, and the :math:`\mu_i`
    (non-negative, each at most the i-th largest size, with sum :math:`n - \sum n_f^2/n`) weigh
    the k - 1 largest eigenvalues. The right side is maximised over everything the size bounds
    allow, and minimised over d by subgradient steps.

    Parameters
    ----------
    objective : ndarray of float32 of shape (n_items, n_items)
        Sums of similarity between items; zero diagonal.
    weights : ndarray of shape (n_items,)
        Samples per item.
    lower, upper : ndarray of shape (n_folds,)
        Bounds on the sizes.
    n_iterations : int, default=0
        Subgradient steps on the diagonal; each costs as much as the plain bound.

    Returns
    -------
    bound : WithinBound

    References
    ----------
    W. E. Donath, A. J. Hoffman, "Lower bounds for the partitioning of graphs", IBM J. Res. Dev.
    17 (1973) 420-425. F. Rendl, H. Wolkowicz, "A projection technique for partitioning the nodes
    of a graph", Ann. Oper. Res. 58 (1995) 155-179.
    """
    sizes = SizeRange(lower, upper, float(weights.sum()))
    root = np.sqrt(weights)
    diagonal = np.zeros(len(weights))
    best = WithinBound(float(np.triu(objective, 1).sum(dtype=np.float64)), diagonal)
    start: NDArray[np.float64] | None = None
    for iteration in range(n_iterations + 1):
        value, slope, start = _evaluate(objective, root, diagonal, sizes, start)
        if value < best.within:
            best = WithinBound(value, diagonal.copy())
        # Polyak's step towards a target a little below the best value
        target = best.within - max(abs(best.within), 1.0) * 0.02 / (1 + iteration / 10)
        norm = float(slope @ slope)
        if norm <= 0:
            break
        diagonal = diagonal - (value - target) / norm * slope
    return best


def _evaluate(
    objective: NDArray[np.float32],
    root: NDArray[np.float64],
    diagonal: NDArray[np.float64],
    sizes: SizeRange,
    start: NDArray[np.float64] | None,
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Return the bound for a diagonal, a subgradient, and a start for the next eigenvectors.

    The diagonal d is that of the scaled matrix M; it adds sum_a d_a w_a to the objective.
    """
    m, n = len(root), sizes.n
    unit = root / np.sqrt(n)

    def times(v: NDArray[np.float64]) -> NDArray[np.float64]:
        scaled = (v / root).astype(np.float64)
        return np.asarray(_product(objective, scaled) / root + diagonal * v)

    def projected(v: NDArray[np.float64]) -> NDArray[np.float64]:
        v = v.reshape(-1)
        v = v - unit * (unit @ v)
        image = times(v)
        return image - unit * (unit @ image)

    n_values = min(sizes.k - 1, m - 1)
    values, vectors = _largest_eigenpairs(projected, m, n_values, start)
    along = times(unit)
    mean_part = float(unit @ along)
    across = along - unit * mean_part
    squares, mu = _worst_sizes(mean_part, values, sizes)
    cross = 2 * float(np.linalg.norm(across)) * sizes.spread
    value = mean_part * squares / n + cross + float(mu @ values) - float(diagonal @ root**2)
    slope = unit**2 * squares / n + (vectors**2) @ mu - root**2
    length = float(np.linalg.norm(across))
    if length > 0:
        slope = slope + cross / length * (across / length) * unit
    return value / 2, slope / 2, vectors.sum(axis=1)


def _product(objective: NDArray[np.float32], v: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return objective @ v in float64 without a float64 copy of the matrix."""
    result = np.empty(len(v))
    for first in range(0, len(v), 1024):
        result[first : first + 1024] = objective[first : first + 1024].astype(np.float64) @ v
    return result


def _worst_sizes(
    mean_part: float, values: NDArray[np.float64], sizes: SizeRange
) -> tuple[float, NDArray[np.float64]]:
    """Return sum n_f^2 and the weights mu of the eigenvalues that make the bound largest.

    For given squares the weights fill up from the largest eigenvalue; the total is concave and
    piecewise linear in the squares, so that its maximum is at a corner.
    """
    caps = sizes.largest[: len(values)]
    corners = sizes.n * (sizes.n - np.concatenate([[0.0], np.cumsum(caps)]))
    inside = (corners > sizes.least_squares) & (corners < sizes.most_squares)
    candidates = [sizes.least_squares, sizes.most_squares, *corners[inside]]
    best = (-np.inf, 0.0, np.zeros(len(values)))
    for squares in candidates:
        budget = sizes.n - squares / sizes.n
        before = np.concatenate([[0.0], np.cumsum(caps)[:-1]])
        mu = np.clip(budget - before, 0.0, caps)
        total = mean_part * squares / sizes.n + float(mu @ values)
        if total > best[0]:
            best = (total, squares, mu)
    return best[1], best[2]


def _largest_eigenpairs(
    projected: object, m: int, n_values: int, start: NDArray[np.float64] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the largest eigenvalues, raised to be safely above, and their vectors."""
    operator = LinearOperator((m, m), matvec=projected, dtype=np.float64)
    if m <= _DENSE_EIGENVALUES:
        matrix = operator @ np.eye(m)
        values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
        values, vectors = values[::-1][:n_values], vectors[:, ::-1][:, :n_values]
    else:
        v0 = np.linspace(-1.0, 1.0, m) ** 3 + 0.1 if start is None else start
        values, vectors = eigsh(operator, k=n_values, which="LA", tol=_MARGIN / 10, v0=v0)
        order = np.argsort(-values)
        values, vectors = values[order], vectors[:, order]
    return values + _MARGIN * np.abs(values), vectors
