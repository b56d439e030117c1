"""Running many searches in step, so that all workers have something to do.

Each run hands out a round of independent fits, receives their outcomes, and hands out the next
round. Rounds of several runs are put together into one parallel call. Which runs share a call
changes nothing in their results: a run sees its own outcomes only, in its own order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from joblib import Parallel, effective_n_jobs
from sklearn.utils.parallel import Parallel as ConfiguredParallel
from sklearn.utils.parallel import delayed

from honesteval.tuning._fitting import FitOutcome, Task, run_task
from honesteval.tuning._progress import FitProgress


class Run(Protocol):
    """Something that hands out fits round by round."""

    def next_round(self) -> list[Task]:
        """Return the next independent fits; an empty list when there is nothing left to do."""

    def receive(self, position: int, outcome: FitOutcome) -> None:
        """Take the outcome of the fit at this position of the last round."""


def run_all(runs: Sequence[Run], *, n_jobs: int | None, progress: FitProgress) -> None:
    """Drive all runs to their end.

    At most as many runs as there are workers are under way at a time, in the order given.
    """
    waiting = iter(runs)
    active: list[Run] = []
    at_once = max(1, effective_n_jobs(n_jobs))
    with ConfiguredParallel(n_jobs=n_jobs, return_as="generator") as parallel:
        while True:
            tasks: list[tuple[Run, int, Task]] = []
            still_active = []
            for run in _candidates(active, waiting):
                fits = run.next_round()
                if fits:
                    still_active.append(run)
                    tasks.extend((run, position, fit) for position, fit in enumerate(fits))
                if len(still_active) == at_once:
                    break
            active = still_active
            if not tasks:
                return
            outcomes = _call(parallel, [task for _, _, task in tasks])
            for (run, position, _), outcome in zip(tasks, outcomes, strict=True):
                run.receive(position, outcome)
                if outcome.prepared is None:
                    progress.advance()


def _candidates(active: list[Run], waiting: Iterator[Run]) -> Iterator[Run]:
    yield from active
    yield from waiting


def _call(parallel: Parallel, tasks: Sequence[Task]) -> Any:
    return parallel(
        delayed(run_task)(
            task.data.X,
            task.data.y,
            task.data.fit_params,
            task.data.score_params,
            task.without_rows(),
        )
        for task in tasks
    )
