"""Every form of ``random_state`` as the one that scikit-learn understands."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

RandomState = int | np.random.Generator | np.random.RandomState | None

_LARGEST_SEED = 2**31 - 1


def as_random_state(random_state: Any) -> np.random.RandomState:
    """Return a RandomState; a Generator gives the seed for one (and moves on)."""
    if isinstance(random_state, np.random.Generator):
        return np.random.RandomState(int(random_state.integers(_LARGEST_SEED)))
    return check_random_state(random_state)


def draw_seed(random: np.random.RandomState) -> int:
    """Return an integer to seed something else with."""
    return int(random.randint(_LARGEST_SEED))
