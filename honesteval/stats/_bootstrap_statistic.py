"""Bootstrap of anything that can be computed from row weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from honesteval._validation import check_number
from honesteval.stats._bootstrap_engine import BootstrapRun, BootstrapSettings
from honesteval.stats._bootstrap_resampling import RandomState, make_generator, resampling_plan
from honesteval.stats._bootstrap_result import BootstrapResult

__all__ = ["bootstrap_statistics"]


def bootstrap_statistics(
    evaluate: Callable[[NDArray[Any]], NDArray[np.float64]],
    n: int,
    *,
    names: Sequence[str] = ("statistic",),
    groups: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    method: str = "bca",
    n_resamples: int = 9999,
    confidence_level: float = 0.95,
    random_state: RandomState = None,
) -> list[BootstrapResult]:
    """Bootstrap intervals of any statistics that are functions of row weights.

    A resample is handed over as how often each row was drawn, many resamples at a time. That
    is what makes means over tasks that share rows, scores within bins, or ratios of scores
    quick to resample, and their intervals right.

    Parameters
    ----------
    evaluate : callable
        Takes weights of shape (b, n), returns values of shape (k, b): k statistics on each of
        b resamples, NaN where one is undefined.
    n : int
        Number of rows.
    names : sequence of str of length k, default=("statistic",)
        Names of the statistics, for the results.
    groups : array-like of shape (n,), default=None
        Rows that belong together; whole groups are drawn.
    strata : array-like of shape (n,), default=None
        Rows are drawn within each stratum, whose size stays that of the data.
    method, n_resamples, confidence_level, random_state
        As in :func:`bootstrap_ci`.

    Returns
    -------
    results : list of BootstrapResult, of length k

    Raises
    ------
    ValueError
        If ``evaluate`` returns another shape, or a statistic is undefined on the data.

    Examples
    --------
    The ratio of two means:

    >>> import numpy as np
    >>> from honesteval.stats import bootstrap_statistics
    >>> a, b = np.array([2., 4., 5., 3., 6., 4.]), np.array([1., 2., 2., 1., 3., 3.])
    >>> result, = bootstrap_statistics(
    ...     lambda weights: ((weights @ a) / (weights @ b))[None, :], 6,
    ...     names=["ratio"], random_state=0,
    ... )
    >>> round(result.estimate, 3), result.low < 2 < result.high
    (2.0, True)
    """
    check_number(n, "n", low=1, integer=True)
    run = BootstrapRun(
        resampling_plan(n, groups=groups, strata=strata),
        BootstrapSettings(method, n_resamples, confidence_level),
    )
    values = np.asarray(evaluate(np.ones((1, n), dtype=np.int64)))
    if values.shape != (len(names), 1):
        raise ValueError(
            f"evaluate must return values of shape (k, b) for weights of shape (b, n), with one "
            f"line for each of the {len(names)} names. Got {values.shape} for weights (1, {n})."
        )
    undefined = [name for name, value in zip(names, values[:, 0], strict=True) if np.isnan(value)]
    if undefined:
        raise ValueError(f"Undefined on the data itself: {', '.join(undefined)}.")
    statistics = run.resample(evaluate, make_generator(random_state))
    return [
        run.result(statistic, name, name) for statistic, name in zip(statistics, names, strict=True)
    ]
