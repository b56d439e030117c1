"""Seeds derived from one number, so that work can be resumed and spread in any order."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

_MAX_SEED = 2**31 - 1


def base_seed(random_state: Any) -> int:
    """Return one integer drawn from ``random_state``; an integer is returned as it is."""
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool):
        return int(random_state)
    return int(check_random_state(random_state).randint(_MAX_SEED))


def derive_seed(seed: int, *keys: int) -> int:
    """Return a seed in [0, 2**31 - 1) made of ``seed`` and every key, and of nothing else."""
    words = np.random.SeedSequence([abs(int(seed)), *(int(key) for key in keys)])
    return int(words.generate_state(1, np.uint32)[0]) % _MAX_SEED
