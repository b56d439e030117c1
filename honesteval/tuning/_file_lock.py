"""A lock on a file that the operating system gives back when its holder dies.

Optuna's own journal locks are files. A process that is killed while it holds one leaves it behind,
and whoever comes next waits for it: half a minute, or for ever, depending on the version.
"""

from __future__ import annotations

from typing import IO, Any


class KernelFileLock:
    """An exclusive ``flock`` on ``path + ".flock"``.

    Parameters
    ----------
    path : str
    """

    def __init__(self, path: str) -> None:
        self._path = f"{path}.flock"
        self._stream: IO[bytes] | None = None

    def acquire(self) -> bool:
        """Wait for the lock and take it."""
        import fcntl

        stream = open(self._path, "ab")  # noqa: SIM115  (held until release)
        fcntl.flock(stream, fcntl.LOCK_EX)
        self._stream = stream
        return True

    def release(self) -> None:
        """Give the lock back."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def __getstate__(self) -> dict[str, Any]:
        return {"_path": self._path, "_stream": None}


def journal_lock(path: str) -> KernelFileLock | None:
    """Return the lock for a journal, or None (Optuna's own) where there is no ``flock``."""
    try:
        import fcntl  # noqa: F401
    except ImportError:
        return None
    return KernelFileLock(path)
