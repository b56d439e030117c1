"""A real set of fingerprints, grown to any size."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from honesteval._validation import check_number

__all__ = ["grow_fingerprints"]

_ROWS_AT_ONCE = 20_000


def grow_fingerprints(
    packed: ArrayLike,
    n_samples: int,
    *,
    exchanged: float = 0.3,
    random_state: int = 0,
) -> NDArray[np.uint8]:
    """Grow a set of fingerprints by analogues, to try out sizes for which no real set is at hand.

    The first rows are the set itself. Every further one is a made-up analogue: a random member
    (the parent) in which each set bit is given up with a probability drawn for this row from 0 to
    ``exchanged``, and as many bits, on average, are taken over from another random member. So
    each has relatives at all distances, and unrelated rows are as alike as they are in the set.

    Parameters
    ----------
    packed : array-like of uint8 of shape (n, n_bytes)
        Fingerprints, eight bits a byte, as of :meth:`honesteval.entities.Molecules.fingerprints`.
    n_samples : int >= n
        Rows wanted.
    exchanged : float in [0, 1], default=0.3
        Largest share of its bits that an analogue exchanges.
    random_state : int, default=0
        Seed of :func:`numpy.random.default_rng`; the same seed gives the same rows, and a smaller
        ``n_samples`` the first of them.

    Returns
    -------
    grown : ndarray of uint8 of shape (n_samples, n_bytes)

    Examples
    --------
    >>> from honesteval.datasets import grow_fingerprints, load_nav17
    >>> from honesteval.entities import parse_molecules
    >>> real = parse_molecules(load_nav17().data).fingerprints()
    >>> grown = grow_fingerprints(real, 5_000)
    >>> grown.shape, bool((grown[: len(real)] == real).all())
    ((5000, 256), True)
    """
    packed = np.asarray(packed, dtype=np.uint8)
    n, n_bytes = packed.shape
    check_number(n_samples, "n_samples", low=n, integer=True)
    check_number(exchanged, "exchanged", low=0, high=1)
    grown = np.empty((n_samples, n_bytes), dtype=np.uint8)
    grown[:n] = packed
    for start in range(n, n_samples, _ROWS_AT_ONCE):
        # a seed per chunk, and whole chunks: the rows do not depend on how many are wanted
        rng = np.random.default_rng([random_state, start])
        parent, donor = rng.integers(n, size=(2, _ROWS_AT_ONCE))
        share = np.sqrt(rng.random((_ROWS_AT_ONCE, 1), dtype=np.float32)) * exchanged
        change = np.packbits(
            rng.random((_ROWS_AT_ONCE, 8 * n_bytes), dtype=np.float32) < share, axis=1
        )
        children = (packed[parent] & ~change) | (packed[donor] & change)
        stop = min(start + _ROWS_AT_ONCE, n_samples)
        grown[start:stop] = children[: stop - start]
    return grown
