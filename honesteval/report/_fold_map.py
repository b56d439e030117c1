"""A flat map on which similar rows lie close together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honesteval.similarity import Similarity

#: Rows on the map; of more, this many are drawn at random.
MAX_ROWS = 1200

#: With fewer rows there is no map.
FEWEST_ROWS = 10

PERPLEXITY = 30.0


@dataclass(frozen=True, eq=False)
class FoldMap:
    """Places of rows on a map.

    Parameters
    ----------
    rows : ndarray of int, shape (n_shown,)
        Positions among the evaluated rows, ascending.
    x, y : ndarray of shape (n_shown,)
        Places in [0, 1].
    """

    rows: NDArray[np.intp]
    x: NDArray[np.float64]
    y: NDArray[np.float64]


def make_map(similarity: Similarity, *, random_state: int) -> FoldMap | None:
    """Lay out the rows by t-SNE of one minus the similarity [1]_.

    Distances on the map say who is close to whom, not how far apart groups are.

    Parameters
    ----------
    similarity : Similarity
    random_state : int

    Returns
    -------
    map : FoldMap or None
        None when there are fewer than 10 rows, or all are alike.

    References
    ----------
    .. [1] van der Maaten L., Hinton G., J. Mach. Learn. Res. 2008, 9, 2579.
    """
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    n = similarity.n_items
    if n < FEWEST_ROWS:
        return None
    rows = np.arange(n)
    if n > MAX_ROWS:
        rows = np.sort(np.random.default_rng(random_state).choice(n, MAX_ROWS, replace=False))
    distance = np.clip(1.0 - similarity.block(rows, rows, dtype=np.float32), 0.0, 1.0)
    np.fill_diagonal(distance, 0.0)
    if not distance.any():
        return None
    layout = TSNE(
        metric="precomputed", init="random", perplexity=min(PERPLEXITY, (len(rows) - 1) / 3),
        random_state=random_state,
    )  # fmt: skip
    # Threads add up forces in any order, and the layout would differ from run to run.
    with threadpool_limits(limits=1):
        places = layout.fit_transform(distance)
    low, high = places.min(axis=0), places.max(axis=0)
    scaled = (places - low) / np.maximum(high - low, 1e-12)
    return FoldMap(rows, scaled[:, 0].astype(np.float64), scaled[:, 1].astype(np.float64))
