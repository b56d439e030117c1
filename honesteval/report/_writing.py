"""Write a report in the form that the name of the file asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any


def written(text: str, path: str | Path | None) -> str:
    """Return the text, and write it if told where."""
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text


def check_suffix(path: str | Path, suffixes: Mapping[str, Any]) -> str:
    """Return the suffix of a path if a report can be written that way."""
    suffix = Path(path).suffix.lower()
    if suffix not in suffixes:
        allowed = ", ".join(suffixes)
        raise ValueError(f"A report ends in {allowed}. Got {str(path)!r}.")
    return suffix


def write_as(path: str | Path, writers: Mapping[str, Callable[[Path], str]]) -> None:
    """Call the writer for the suffix of the path."""
    writers[check_suffix(path, writers)](Path(path))
