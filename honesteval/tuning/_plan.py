"""How many fits a nested cross-validation will do, and how long they will take."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import effective_n_jobs

from honesteval._notebook import ShownInNotebook
from honesteval.tuning._candidates import candidate_estimators
from honesteval.tuning._fit_count import FitCount, n_candidates
from honesteval.tuning._fitting import FitTask
from honesteval.tuning._nested_setup import NestedSetup

if TYPE_CHECKING:
    import pandas as pd

QUICK_FIT_SECONDS = 0.2
"""A fit quicker than this is measured a few times; the first one may be slower than the rest."""

QUICK_FIT_REPEATS = 5


@dataclass(frozen=True)
class NestedCVPlan(ShownInNotebook):
    """What a call of :func:`nested_cross_validate` would do.

    Parameters
    ----------
    n_outer, n_repeats, n_tasks : int
    n_inner : int
        Inner folds of one outer fold; 0 without a search.
    n_trials : int
        Settings that one inner search tries.
    fits : FitCount
    n_jobs : int
        Fits at a time.
    seconds_per_fit : float
        Measured on one inner training part; NaN where it was not measured.
    """

    n_outer: int
    n_repeats: int
    n_tasks: int
    n_inner: int
    n_trials: int
    fits: FitCount
    n_jobs: int
    seconds_per_fit: float

    @property
    def n_fits(self) -> int:
        """All fits."""
        return self.fits.total

    @property
    def seconds(self) -> float:
        """Estimated wall time on ``n_jobs`` workers; settings that fit slower take longer."""
        return self.seconds_per_fit * self.n_fits / self.n_jobs

    def summary(self) -> str:
        """Return the plan in words."""
        factors = [f"{self.n_outer} outer folds"]
        factors += [f"{self.n_repeats} repeats"] if self.n_repeats > 1 else []
        factors += [f"{self.n_tasks} tasks"] if self.n_tasks > 1 else []
        if self.n_inner:
            factors += [f"{self.n_trials} trials", f"{self.n_inner} inner folds"]
            text = f"{' x '.join(factors)} + {self.fits.refit} refits"
        else:
            text = f"{' x '.join(factors)}, nothing to tune"
        most = "at most " if self.fits.is_bound else ""
        text = f"{text} = {most}{self.n_fits:,} fits"
        if np.isfinite(self.seconds_per_fit):
            workers = "1 worker" if self.n_jobs == 1 else f"{self.n_jobs} workers"
            text += (
                f"; one took {shown_seconds(self.seconds_per_fit)}, so about "
                f"{shown_seconds(self.seconds)} on {workers}"
            )
        return text

    def to_frame(self) -> pd.DataFrame:
        """Return the plan as a table of one row."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "outer_folds": self.n_outer,
                    "repeats": self.n_repeats,
                    "tasks": self.n_tasks,
                    "trials": self.n_trials,
                    "inner_folds": self.n_inner,
                    "search_fits": self.fits.search,
                    "refits": self.fits.refit,
                    "fits": self.n_fits,
                    "seconds_per_fit": self.seconds_per_fit,
                    "n_jobs": self.n_jobs,
                    "seconds": self.seconds,
                }
            ]
        )


def plan(estimator: Any, X: Any, y: Any, *, measure: bool = True, **arguments: Any) -> NestedCVPlan:
    """Say what :func:`nested_cross_validate` would do, and how long it would take.

    All the checks of the real call are done; nothing but one fit is run.

    Parameters
    ----------
    estimator, X, y
        As in :func:`nested_cross_validate`.
    measure : bool, default=True
        Whether to time one fit and its scoring.
    **arguments
        The other keywords of :func:`nested_cross_validate`.

    Returns
    -------
    plan : NestedCVPlan

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> print(plan(SVC(), X, y, search_space={"C": [0.1, 1, 10]}, n_trials=10,
    ...            measure=False).summary())
    5 outer folds x 10 trials x 5 inner folds + 5 refits = 255 fits
    """
    setup = NestedSetup(estimator, X, y, **arguments)
    places = setup.places()
    inner = len(places[0].inner or ())
    return NestedCVPlan(
        n_outer=len(setup.outer_splits[0]),
        n_repeats=setup.n_repeats,
        n_tasks=len(setup.tasks),
        n_inner=inner,
        n_trials=n_candidates(setup.model)[0],
        fits=setup.n_fits(),
        n_jobs=max(1, effective_n_jobs(setup.n_jobs)),
        seconds_per_fit=_measure(setup) if measure else float("nan"),
    )


def shown_seconds(seconds: float) -> str:
    """Return a duration as a person says it.

    Examples
    --------
    >>> [shown_seconds(s) for s in (0.0123, 4.2, 95, 7300)]
    ['0.012 s', '4.2 s', '1.6 min', '2.0 h']
    """
    if seconds < 1:
        return f"{seconds:.2g} s"
    if seconds < 60:
        return f"{seconds:.1f} s"
    if seconds < 3600:
        return f"{seconds / 60:.1f} min"
    return f"{seconds / 3600:.1f} h"


def _measure(setup: NestedSetup) -> float:
    """Time one fit with its scoring, on the first training part that the search will use."""
    place = setup.places()[0]
    train, test = (place.inner or [(place.train, place.test)])[0]
    data = setup.plain_data(setup.tasks[place.task])
    model = candidate_estimators(setup.model, n_candidates=1)[0]
    task = FitTask(model, data, train, test, setup.scoring)
    taken: list[float] = []
    while not taken or (taken[-1] < QUICK_FIT_SECONDS and len(taken) < QUICK_FIT_REPEATS):
        started = time.perf_counter()
        task.run(data)
        taken.append(time.perf_counter() - started)
    return float(np.median(taken[1:] or taken))
