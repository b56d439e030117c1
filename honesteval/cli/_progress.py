"""What is being done, on a terminal only; pipes and files get nothing of it."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import typer


def say(sentence: str) -> None:
    """Show a step of a long run, on a terminal only."""
    if sys.stderr.isatty():
        typer.secho(f"{sentence} ...", err=True, dim=True)


@contextmanager
def working(sentence: str) -> Iterator[None]:
    """Show that something goes on while it does, and how long it took, on a terminal only."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    start = time.monotonic()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        progress.add_task(f"{sentence} ...", total=None)
        yield
    typer.secho(f"{sentence}: {time.monotonic() - start:.1f} s", err=True, dim=True)
