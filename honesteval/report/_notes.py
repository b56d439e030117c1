"""Warnings of a computation, kept as notes of its result."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from honesteval.exceptions import HonestevalWarning


@contextmanager
def collect_notes(notes: list[str], *, about: str = "") -> Iterator[None]:
    """Turn honesteval's warnings into notes, each once; other warnings go on as they were.

    Parameters
    ----------
    notes : list of str
        Notes are appended to it.
    about : str, default=""
        What the notes are about; they start with it.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", HonestevalWarning)
        yield
    for warning in caught:
        if not issubclass(warning.category, HonestevalWarning):
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )
            continue
        note = f"{about}: {warning.message}" if about else str(warning.message)
        if note not in notes:
            notes.append(note)
