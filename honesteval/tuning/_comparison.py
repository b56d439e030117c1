"""Several models on the same folds."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from honesteval._validation import check_option
from honesteval.stats import CorrectedTTest, corrected_t_test
from honesteval.tuning._nested_setup import NestedSetup
from honesteval.tuning._progress import FitProgress
from honesteval.tuning._result import NestedCVResult

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class NestedCVComparison(Mapping[str, NestedCVResult]):
    """Results of several models on the same outer folds, by name.

    Parameters
    ----------
    results : dict of str to NestedCVResult
    """

    results: dict[str, NestedCVResult]

    def __getitem__(self, name: str) -> NestedCVResult:
        return self.results[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    @property
    def metric(self) -> str:
        """The score that was maximised."""
        return next(iter(self.results.values())).metric

    @property
    def task_names(self) -> tuple[str, ...]:
        """Names of the tasks."""
        return next(iter(self.results.values())).task_names

    def to_frame(self) -> pd.DataFrame:
        """Return one row per model and task: mean score, interval, optimism, seconds."""
        import pandas as pd

        parts = []
        for name, result in self.results.items():
            frame = result.task_frame()
            frame.insert(0, "model", name)
            parts.append(frame.assign(seconds=result.seconds))
        return pd.concat(parts, ignore_index=True)

    def difference(
        self, first: str, second: str, *, metric: str | None = None, task: str | None = None
    ) -> CorrectedTTest:
        """Test the score of one model minus that of another, over the same folds.

        Parameters
        ----------
        first, second : str
            Names of models.
        metric : str, default=None
            None is the maximised one.
        task : str, default=None
            Needed where there are several tasks.

        Returns
        -------
        test : CorrectedTTest
            Of Nadeau and Bengio; folds without a score in both models are left out.
        """
        for name in (first, second):
            check_option(name, "model", tuple(self.results))
        one, other = self.results[first], self.results[second]
        if task is not None:
            one, other = one.task(task), other.task(task)
        elif one.n_tasks > 1:
            raise ValueError(f"Name one task of {', '.join(one.task_names)}.")
        a, b = one.scores_of(metric or self.metric), other.scores_of(metric or self.metric)
        known = np.isfinite(a) & np.isfinite(b)
        return corrected_t_test(
            a[known], b[known], n_train=one.train_sizes[known], n_test=one.test_sizes[known]
        )

    def summary(self) -> str:
        """Return the models in order of their score, and each pair's difference."""
        lines = []
        for task in self.task_names:
            start = f"{task}: " if len(self.task_names) > 1 else ""
            means = {n: r.task(task).interval() for n, r in self.results.items()}
            ordered = sorted(means, key=lambda n: -np.nan_to_num(means[n].estimate, nan=-np.inf))
            lines += [f"{start}{name}: {self.metric} {means[name].summary()}" for name in ordered]
            for first, second in combinations(ordered, 2):
                test = self.difference(first, second, task=task)
                lines.append(f"{start}{first} - {second}: {test.summary()}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        lines = "<br>".join(escape(line) for line in self.summary().splitlines())
        frame = self.to_frame().to_html(index=False, float_format="{:.3f}".format)
        return f"<p>{lines}</p>{frame}"


def nested_cross_validate_models(
    models: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    search_spaces: Mapping[str, Any] | None = None,
    progress: bool | None = None,
    **arguments: Any,
) -> NestedCVComparison:
    """Judge several models on the same outer (and inner) folds in one call.

    Parameters
    ----------
    models : dict of str to estimator or search
    X, y
        As in :func:`nested_cross_validate`.
    search_spaces : dict of str to space, default=None
        What to tune, for those models that are no search themselves. A model that is not named
        here has nothing to tune.
    progress : bool, default=None
    **arguments
        The other keywords of :func:`nested_cross_validate`. ``n_trials`` holds for the models of
        ``search_spaces``; with ``checkpoint`` each model has a folder of its own within it.

    Returns
    -------
    comparison : NestedCVComparison

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> comparison = nested_cross_validate_models(
    ...     {"logistic": LogisticRegression(max_iter=1000), "majority": DummyClassifier()},
    ...     X, y, outer_cv=4, random_state=0)
    >>> bool(comparison.difference("logistic", "majority").difference > 0.5)
    True
    """
    if not models:
        raise ValueError("models is empty: name at least one.")
    spaces = dict(search_spaces or {})
    for name in spaces:
        check_option(name, "search_spaces", tuple(models))
    setups = _share_folds(models, X, y, spaces, arguments)
    results = {}
    for name, setup in setups.items():
        started = time.perf_counter()
        with FitProgress(setup.n_fits().total, name, progress) as shown:
            folds = setup.run(shown)
        results[name] = setup.result(folds, seconds=time.perf_counter() - started)
    return NestedCVComparison(results)


def _share_folds(
    models: Mapping[str, Any], X: Any, y: Any, spaces: dict[str, Any], arguments: dict[str, Any]
) -> dict[str, NestedSetup]:
    """Set all models up before the first fit, on the folds of the first one."""
    from pathlib import Path

    setups: dict[str, NestedSetup] = {}
    for name, model in models.items():
        own = dict(arguments)
        if name not in spaces:
            own.pop("n_trials", None)
        if own.get("checkpoint") is not None:
            own["checkpoint"] = Path(own["checkpoint"]) / name
        setups[name] = NestedSetup(
            model, X, y, search_space=spaces.get(name), like=list(setups.values()), **own
        )
    return setups
