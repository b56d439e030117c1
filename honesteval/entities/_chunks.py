"""Apply a function to chunks of a long list, in processes where that pays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

Result = TypeVar("Result")

CHUNK = 1000

# Below this many items a process pool costs more than it saves.
PARALLEL_FROM = 10_000


def map_chunks(
    function: Callable[..., Result],
    items: Sequence[Any],
    *,
    n_jobs: int | None = None,
    **options: Any,
) -> list[Result]:
    """Return ``function(chunk, **options)`` for consecutive chunks of ``items``.

    Parameters
    ----------
    function : callable
        Importable by name, so that other processes find it.
    items : sequence
        Anything with a length and slices.
    n_jobs : int or None, default=None
        Number of processes (joblib's rules); one below ``PARALLEL_FROM`` items.
    **options : Any
        Passed on.

    Returns
    -------
    results : list, length ceil(len(items) / CHUNK)
    """
    chunks = (items[start : start + CHUNK] for start in range(0, len(items), CHUNK))
    if len(items) < PARALLEL_FROM:
        return [function(chunk, **options) for chunk in chunks]
    from joblib import Parallel, delayed

    return list(Parallel(n_jobs=n_jobs)(delayed(function)(chunk, **options) for chunk in chunks))
