"""Bit vectors full of duplicates and near duplicates, with a linear target."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from honesteval._validation import check_number

_DESCRIPTION = """\
Bit vectors with near duplicates
--------------------------------
{n_samples:,} vectors of {n_bits} bits, each one of {n_cores} random cores with up to
{max_extra_bits} more bits switched on, so that many vectors are equal or nearly so. The target
is linear in the bits, with standard normal weights and normal noise of standard deviation
{noise:g}. The first {n_test:,} of a random permutation are the test set, the others the
training set: a random split, with near duplicates across it.
"""


def make_near_duplicates(
    n_samples: int = 1500,
    *,
    n_bits: int = 64,
    n_cores: int = 120,
    density: float = 0.12,
    max_extra_bits: int = 2,
    noise: float = 0.1,
    n_test: int = 500,
    random_state: int | np.random.Generator | None = 0,
) -> Any:
    """Make bit vectors full of near duplicates, to see what a random split hides.

    Each row is a core, drawn with replacement, with 0 to ``max_extra_bits`` bits switched on at
    random positions (some may be on already). A model that memorises does well on test rows
    with a near duplicate among the training rows, and on no others.

    Parameters
    ----------
    n_samples : int, default=1500
    n_bits : int, default=64
        Length of the vectors.
    n_cores : int, default=120
        Number of cores.
    density : float, default=0.12
        Probability in [0, 1] that a bit of a core is on.
    max_extra_bits : int, default=2
        Largest number of bits added to a core, 0 to ``n_bits``.
    noise : float, default=0.1
        Standard deviation of the noise in the target.
    n_test : int, default=500
        Number of test rows, 1 to ``n_samples - 1``.
    random_state : int, numpy.random.Generator or None, default=0
        Seed of :func:`numpy.random.default_rng`. The draws are, in this order: the cores as one
        array; row by row the core, the number of extra bits and their positions; the weights;
        the noise; the permutation.

    Returns
    -------
    data : sklearn.utils.Bunch
        With the attributes

        - data : ndarray of bool, shape (n_samples, n_bits)
        - target : ndarray of float, shape (n_samples,)
        - train, test : ndarray of int, shapes (n_samples - n_test,) and (n_test,);
          row indices of the two parts, in the order of the permutation
        - core : ndarray of int, shape (n_samples,); index of the core of each row
        - coef : ndarray of float, shape (n_bits,); weights of the bits in the target
        - DESCR : str

    Examples
    --------
    >>> import numpy as np
    >>> from honesteval.datasets import make_near_duplicates
    >>> made = make_near_duplicates()
    >>> made.data.shape, len(made.train), len(made.test)
    ((1500, 64), 1000, 500)
    >>> len(np.unique(made.data, axis=0))
    1003
    """
    from sklearn.utils import Bunch

    for value, name in ((n_samples, "n_samples"), (n_bits, "n_bits"), (n_cores, "n_cores")):
        check_number(value, name, low=2 if name == "n_samples" else 1, integer=True)
    check_number(density, "density", low=0, high=1)
    check_number(max_extra_bits, "max_extra_bits", low=0, high=n_bits, integer=True)
    check_number(noise, "noise", low=0)
    check_number(n_test, "n_test", low=1, high=n_samples - 1, integer=True)
    rng = np.random.default_rng(random_state)
    cores = rng.random((n_cores, n_bits)) < density
    X, core = _vary(cores, n_samples, max_extra_bits, rng)
    coef = rng.normal(0.0, 1.0, n_bits)
    y = X @ coef + noise * rng.normal(size=n_samples)
    permutation = rng.permutation(n_samples)
    return Bunch(
        data=X,
        target=y,
        train=permutation[n_test:],
        test=permutation[:n_test],
        core=core,
        coef=coef,
        DESCR=_DESCRIPTION.format(
            n_samples=n_samples,
            n_bits=n_bits,
            n_cores=n_cores,
            max_extra_bits=max_extra_bits,
            noise=noise,
            n_test=n_test,
        ),
    )


def _vary(
    cores: NDArray[np.bool_], n_samples: int, max_extra_bits: int, rng: np.random.Generator
) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Draw rows: a core, how many bits to switch on, and which."""
    n_cores, n_bits = cores.shape
    X = np.zeros((n_samples, n_bits), dtype=bool)
    core = np.zeros(n_samples, dtype=np.intp)
    for row in range(n_samples):
        core[row] = rng.integers(n_cores)
        X[row] = cores[core[row]]
        X[row, rng.choice(n_bits, rng.integers(0, max_extra_bits + 1), replace=False)] = True
    return X, core
