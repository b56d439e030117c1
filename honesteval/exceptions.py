"""Errors and warnings that honesteval raises itself.

Every message says what was wrong, where (which rows), and what to do about it.
All errors are also ``ValueError`` (or ``ImportError``), so that code written for
scikit-learn catches them.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = [
    "HonestevalWarning",
    "InfeasibleSplitError",
    "InvalidEntityError",
    "LeakageError",
    "MissingDependencyError",
]


class InfeasibleSplitError(ValueError):
    """No partition satisfies the constraints; the message names the binding one."""


class InvalidEntityError(ValueError):
    """Some rows cannot be read as the entity they should be.

    Parameters
    ----------
    message : str
        The whole sentence shown to the user.
    rows : sequence of int, default=()
        Zero-based positions of the offending rows in the input.
    """

    def __init__(self, message: str, rows: Sequence[int] = ()) -> None:
        super().__init__(message)
        self.rows = tuple(int(row) for row in rows)


class LeakageError(ValueError):
    """A split leaks and the caller asked for an exception."""


class MissingDependencyError(ImportError):
    """An optional package is needed; the message names the extra that installs it."""


class HonestevalWarning(UserWarning):
    """Something the user should know about a result that was computed all the same."""
