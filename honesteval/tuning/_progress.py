"""A progress bar with the remaining time, on a terminal only."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any


class FitProgress:
    """Count finished fits on standard error.

    Parameters
    ----------
    total : int or None
        Expected number of fits; None when it is not known.
    description : str
        What the fits are for.
    show : bool or None, default=None
        None shows the bar on a terminal only.
    """

    def __init__(self, total: int | None, description: str, show: bool | None = None) -> None:
        self.total = total
        self.description = description
        self.show = sys.stderr.isatty() if show is None else show
        self.n_done = 0
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> FitProgress:
        if self.show:
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                MofNCompleteColumn,
                Progress,
                TextColumn,
                TimeElapsedColumn,
                TimeRemainingColumn,
            )

            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("fits, elapsed"),
                TimeElapsedColumn(),
                TextColumn("left"),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._bar.start()
            self._task = self._bar.add_task(self.description, total=self.total)
        return self

    def advance(self, n_fits: int = 1) -> None:
        """Count fits that have finished."""
        self.n_done += n_fits
        if self._bar is not None:
            self._bar.advance(self._task, n_fits)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
