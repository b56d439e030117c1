"""Similarities between rows of a numeric table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from scipy import sparse

from honesteval._validation import check_number, name_rows
from honesteval.similarity._base import Similarity

__all__ = [
    "CallableSimilarity",
    "CosineSimilarity",
    "CountTanimotoSimilarity",
    "IdentitySimilarity",
    "RBFSimilarity",
]

_BANDWIDTH_SAMPLE = 1000
_LARGEST = 1e150


class _TableSimilarity(Similarity):
    """What the measures on a dense numeric table share."""

    def __init__(self, X: Any) -> None:
        self._X = _numeric_table(X)
        self.n_items = len(self._X)

    def content_keys(self) -> list[bytes]:
        return [row.tobytes() for row in self._X + 0.0]  # -0.0 becomes 0.0

    def _copy_with(self, indices: NDArray[np.intp]) -> Any:
        part = object.__new__(type(self))
        part.__dict__.update(self.__dict__)
        part._X = self._X[indices]
        part.n_items = len(indices)
        return part

    def take(self, indices: ArrayLike) -> Any:
        return self._copy_with(np.asarray(indices, dtype=np.intp))


class CosineSimilarity(_TableSimilarity):
    """Cosine of the angle between two rows, with negative cosines counted as 0.

    ``max(0, x.y / (|x| |y|))``; a row of zeros has similarity 0 to everything.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
        Finite numbers.

    Examples
    --------
    >>> from honesteval.similarity import CosineSimilarity
    >>> CosineSimilarity([[1.0, 0.0], [1.0, 1.0], [-1.0, 0.0]]).block([0], [0, 1, 2]).round(4)
    array([[1.    , 0.7071, 0.    ]])
    """

    name = "cosine"

    def __init__(self, X: Any) -> None:
        super().__init__(X)
        norms = np.linalg.norm(self._X, axis=1)
        self._unit = self._X / np.where(norms > 0, norms, 1)[:, None]

    def _copy_with(self, indices: NDArray[np.intp]) -> Any:
        part = super()._copy_with(indices)
        part._unit = self._unit[indices]
        return part

    def block(
        self, rows: ArrayLike, columns: ArrayLike, *, dtype: DTypeLike = np.float64
    ) -> NDArray[Any]:
        cosine = self._unit[np.asarray(rows, np.intp)] @ self._unit[np.asarray(columns, np.intp)].T
        return np.clip(cosine, 0, 1).astype(dtype)


class CountTanimotoSimilarity(_TableSimilarity):
    """Tanimoto coefficient of counts: the sum of minima divided by the sum of maxima.

    For 0/1 columns this is the binary Tanimoto coefficient. Two rows of zeros have 0.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, n_features)
        Numbers of at least 0.

    Raises
    ------
    ValueError
        If a count is negative, NaN or infinite.

    Examples
    --------
    >>> from honesteval.similarity import CountTanimotoSimilarity
    >>> CountTanimotoSimilarity([[2, 1, 0], [1, 1, 1]]).block([0], [1])
    array([[0.5]])
    """

    name = "Tanimoto of counts"
    is_positive_semidefinite = True

    def __init__(self, X: Any) -> None:
        super().__init__(X)
        negative = np.flatnonzero((self._X < 0).any(axis=1))
        if len(negative):
            raise ValueError(
                f"Tanimoto needs counts of at least 0: negative values in {name_rows(negative)}. "
                f"For general numbers use similarity='cosine' or 'rbf'."
            )

    def block(
        self, rows: ArrayLike, columns: ArrayLike, *, dtype: DTypeLike = np.float64
    ) -> NDArray[Any]:
        from scipy.spatial.distance import cdist

        first = self._X[np.asarray(rows, np.intp)]
        second = self._X[np.asarray(columns, np.intp)]
        differing = cdist(first, second, "cityblock")
        both = first.sum(axis=1)[:, None] + second.sum(axis=1)
        return ((both - differing) / np.where(both > 0, both + differing, 1)).astype(dtype)


class RBFSimilarity(_TableSimilarity):
    """Gaussian kernel ``exp(-|x - y|^2 / (2 h^2))`` on the rows of a table, as it is scaled.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
        Finite numbers. Columns with larger units weigh more: standardise them first.
    bandwidth : float > 0 or None, default=None
        Length h. By default the median distance between different rows (of at most 1,000 rows,
        chosen by their content), the median heuristic.

    Examples
    --------
    >>> from honesteval.similarity import RBFSimilarity
    >>> RBFSimilarity([[0.0], [1.0], [3.0]], bandwidth=1.0).block([0], [0, 1, 2]).round(4)
    array([[1.    , 0.6065, 0.0111]])
    """

    is_positive_semidefinite = True

    def __init__(self, X: Any, bandwidth: float | None = None) -> None:
        super().__init__(X)
        if bandwidth is None:
            bandwidth = _median_distance(self._X)
        self.bandwidth = float(check_number(bandwidth, "bandwidth", low=0, closed="neither"))
        self.name = f"Gaussian kernel (bandwidth {self.bandwidth:.4g})"

    def block(
        self, rows: ArrayLike, columns: ArrayLike, *, dtype: DTypeLike = np.float64
    ) -> NDArray[Any]:
        from scipy.spatial.distance import cdist

        squared = cdist(
            self._X[np.asarray(rows, np.intp)], self._X[np.asarray(columns, np.intp)], "sqeuclidean"
        )
        return np.exp(-squared / (2 * self.bandwidth**2)).astype(dtype)


class IdentitySimilarity(Similarity):
    """1 for the same label, 0 otherwise.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Anything hashable.
    name : str, default="identity"

    Examples
    --------
    >>> from honesteval.similarity import IdentitySimilarity
    >>> IdentitySimilarity(["a", "b", "a"]).block([0], [0, 1, 2])
    array([[1., 0., 1.]])
    """

    is_positive_semidefinite = True

    def __init__(self, labels: Any, *, name: str = "identity") -> None:
        self._keys = [repr(label).encode() for label in list(labels)]
        self._codes = np.unique(np.array(self._keys), return_inverse=True)[1]
        self.n_items = len(self._keys)
        self.name = name

    def content_keys(self) -> list[bytes]:
        return self._keys

    def take(self, indices: ArrayLike) -> IdentitySimilarity:
        part = object.__new__(IdentitySimilarity)
        chosen = np.asarray(indices, dtype=np.intp)
        part._keys = [self._keys[i] for i in chosen]
        part._codes = self._codes[chosen]
        part.n_items, part.name = len(chosen), self.name
        return part

    def block(
        self, rows: ArrayLike, columns: ArrayLike, *, dtype: DTypeLike = np.float64
    ) -> NDArray[Any]:
        rows, columns = np.asarray(rows, np.intp), np.asarray(columns, np.intp)
        return (self._codes[rows][:, None] == self._codes[columns]).astype(dtype)

    def fold_sums(
        self, indicator: NDArray[Any], columns: ArrayLike | None = None
    ) -> NDArray[np.float64]:
        chosen = self._codes if columns is None else self._codes[np.asarray(columns, np.intp)]
        totals = np.zeros((self._codes.max(initial=-1) + 1, indicator.shape[1]))
        np.add.at(totals, chosen, indicator)
        return totals[self._codes]


class CallableSimilarity(Similarity):
    """A function of the caller's on two blocks of entities.

    Parameters
    ----------
    X : sequence or array of n entities
    function : callable
        ``function(A, B)`` returns an array of shape (len(A), len(B)) with values in [0, 1], where
        A and B are selections of X. It must be symmetric; this is checked on a sample of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from honesteval.similarity import CallableSimilarity
    >>> def closeness(a, b):
    ...     return 1 / (1 + np.abs(a[:, None] - b))
    >>> CallableSimilarity(np.array([0.0, 1.0, 3.0]), closeness).block([0], [1, 2])
    array([[0.5 , 0.25]])
    """

    merges_identical = False

    def __init__(self, X: Any, function: Callable[[Any, Any], Any]) -> None:
        self._X = X
        self._function = function
        self.n_items = X.shape[0] if hasattr(X, "shape") else len(X)
        self.name = getattr(function, "__name__", type(function).__name__)
        self._check_sample()

    def _check_sample(self) -> None:
        some = np.unique(np.linspace(0, self.n_items - 1, min(self.n_items, 20)).astype(np.intp))
        block = self.block(some, some)
        if not np.allclose(block, block.T, atol=1e-6):
            i, j = np.unravel_index(np.abs(block - block.T).argmax(), block.shape)
            raise ValueError(
                f"The similarity {self.name} is not symmetric: rows {some[i]} and {some[j]} give "
                f"{block[i, j]:g} one way and {block[j, i]:g} the other."
            )

    def content_keys(self) -> list[bytes]:
        """Return a digest of each entity's pickled form, the same in any order of the rows."""
        import pickle

        everything = range(self.n_items)
        return [pickle.dumps(_select(self._X, np.array([i]))) for i in everything]

    def take(self, indices: ArrayLike) -> CallableSimilarity:
        part = object.__new__(CallableSimilarity)
        chosen = np.asarray(indices, dtype=np.intp)
        part._X, part._function = _select(self._X, chosen), self._function
        part.n_items, part.name = len(chosen), self.name
        return part

    def block(
        self, rows: ArrayLike, columns: ArrayLike, *, dtype: DTypeLike = np.float64
    ) -> NDArray[Any]:
        rows, columns = np.asarray(rows, np.intp), np.asarray(columns, np.intp)
        values = np.asarray(self._function(_select(self._X, rows), _select(self._X, columns)))
        if values.shape != (len(rows), len(columns)):
            raise ValueError(
                f"The similarity {self.name} must return an array of shape "
                f"({len(rows)}, {len(columns)}). Got {values.shape}."
            )
        bad = ~((values >= -1e-6) & (values <= 1 + 1e-6))
        if bad.any():
            i, j = (int(at[0]) for at in np.nonzero(bad))
            raise ValueError(
                f"The similarity {self.name} must return numbers in [0, 1]. Rows {rows[i]} and "
                f"{columns[j]} give {values[i, j]}."
            )
        return np.clip(values, 0, 1).astype(dtype)


def _select(X: Any, indices: NDArray[np.intp]) -> Any:
    from sklearn.utils import _safe_indexing

    return _safe_indexing(X, indices)


def _numeric_table(X: Any) -> NDArray[np.float64]:
    dense = X.toarray() if sparse.issparse(X) else np.asarray(X)
    if dense.ndim == 1:
        dense = dense[:, None]
    try:
        table = dense.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"This similarity needs a table of numbers: {error}.") from error
    bad = np.flatnonzero(~np.isfinite(table).all(axis=1))
    if len(bad):
        raise ValueError(
            f"This similarity needs finite numbers: NaN or infinity in {name_rows(bad)}. "
            f"Impute or drop them first."
        )
    huge = np.flatnonzero((np.abs(table) > _LARGEST).any(axis=1))
    if len(huge):
        raise ValueError(
            f"This similarity needs numbers up to {_LARGEST:g}, whose squares can be summed: "
            f"larger ones in {name_rows(huge)}. Rescale the columns first."
        )
    return table


def _median_distance(X: NDArray[np.float64]) -> float:
    from scipy.spatial.distance import pdist

    rows = np.unique(X, axis=0)
    chosen = np.unique(np.linspace(0, len(rows) - 1, min(len(rows), _BANDWIDTH_SAMPLE)).astype(int))
    distances = pdist(rows[chosen])
    median = float(np.median(distances)) if len(distances) else 1.0
    if not 0 < median < np.inf:
        raise ValueError(
            f"The median distance between the rows of X is {median:g}, from which no bandwidth "
            "follows. Rescale the features (StandardScaler), or give a bandwidth."
        )
    return median
