"""Write a report in the form that the name of the file asks for."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

#: What the name of a report ends in.
SUFFIXES = (".html", ".md", ".json")


def written(text: str, path: str | Path | None) -> str:
    """Return the text, and write it if told where."""
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text


def check_report_path(path: str | Path, suffixes: tuple[str, ...] = SUFFIXES) -> None:
    """Raise if no report can be written there: to be called before a long run.

    Parameters
    ----------
    path : str or Path
    suffixes : tuple of str, default=(".html", ".md", ".json")
        What the name may end in.

    Raises
    ------
    ValueError
        If the name ends otherwise.
    FileNotFoundError
        If there is no such folder.
    IsADirectoryError
        If the path is a folder.
    PermissionError
        If the file or its folder may not be written to.
    """
    _suffix_of(path, suffixes)
    folder = Path(path).absolute().parent
    if not folder.is_dir():
        raise FileNotFoundError(f"There is no folder {str(folder)!r} to write {str(path)!r} to.")
    if Path(path).is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder, not a file to write to.")
    if not os.access(path if Path(path).exists() else folder, os.W_OK):
        raise PermissionError(f"{str(path)!r} may not be written to.")


def write_as(path: str | Path, writers: Mapping[str, Callable[[Path], str]]) -> None:
    """Call the writer for the suffix of the path."""
    writers[_suffix_of(path, tuple(writers))](Path(path))


def _suffix_of(path: str | Path, suffixes: tuple[str, ...]) -> str:
    suffix = Path(path).suffix.lower()
    if suffix not in suffixes:
        allowed = ", ".join(suffixes)
        raise ValueError(f"The name of the file must end in {allowed}. Got {str(path)!r}.")
    return suffix
