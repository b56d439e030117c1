"""Seeds derived from one number, so that work can be resumed and spread in any order."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

_MAX_SEED = 2**31 - 1


def base_seed(random_state: Any) -> int:
    """Return one integer drawn from ``random_state``; an integer is returned as it is."""
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool):
        return int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(_MAX_SEED))
    return int(check_random_state(random_state).randint(_MAX_SEED))


def derive_seed(seed: int, *keys: int) -> int:
    """Return a seed in [0, 2**31 - 1) made of ``seed`` and every key, and of nothing else."""
    words = np.random.SeedSequence([abs(int(seed)), *(int(key) for key in keys)])
    return int(words.generate_state(1, np.uint32)[0]) % _MAX_SEED


def with_seeds(estimator: Any, seed: int | None) -> Any:
    """Give every random part of an estimator that has no seed one of its own; return it.

    Parameters
    ----------
    estimator : estimator
        Its parameters named ``random_state`` that are None are set, those of its parts as well.
    seed : int or None
        None leaves them alone.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> with_seeds(RandomForestClassifier(), 0).random_state is None
    False
    >>> with_seeds(RandomForestClassifier(random_state=7), 0).random_state
    7
    """
    if seed is None or not hasattr(estimator, "get_params"):
        return estimator
    unseeded = {
        name: derive_seed(seed, zlib.crc32(name.encode()))
        for name, value in estimator.get_params(deep=True).items()
        if value is None and name.rpartition("__")[2] == "random_state"
    }
    return estimator.set_params(**unseeded) if unseeded else estimator
