"""One seed from whatever the caller gives as ``random_state``."""

from __future__ import annotations

from numbers import Integral

import numpy as np

__all__ = ["seed_of"]


def seed_of(random_state: int | np.random.RandomState | None) -> int:
    """Return an integer seed; None is 0, so that splitters repeat themselves by default."""
    if random_state is None:
        return 0
    if isinstance(random_state, Integral) and random_state < 0:
        raise ValueError(f"random_state must be at least 0. Got {random_state}.")
    if isinstance(random_state, Integral):
        return int(random_state)
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    raise ValueError(
        f"random_state must be an int, a numpy RandomState or None. Got {random_state!r}."
    )
