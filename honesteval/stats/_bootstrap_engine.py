"""Evaluate statistics on resamples and hand them over as what intervals are made from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honesteval._validation import check_number, check_option
from honesteval.stats._bootstrap_resampling import ResamplingPlan
from honesteval.stats._intervals import ResampledStatistic

__all__ = ["BootstrapSettings", "resample"]

METHODS = ("bca", "percentile", "basic", "studentized")

# Resamples drawn from each resample to find its standard error, for the studentised interval.
NESTED_RESAMPLES = 50

Evaluate = Callable[[NDArray[Any]], NDArray[np.float64]]
Generator = np.random.Generator | np.random.RandomState


@dataclass(frozen=True)
class BootstrapSettings:
    """How to resample and which interval to make; checked on construction."""

    method: str
    n_resamples: int
    confidence_level: float

    def __post_init__(self) -> None:
        check_option(self.method, "method", METHODS)
        check_number(self.n_resamples, "n_resamples", low=1, integer=True)
        check_number(self.confidence_level, "confidence_level", low=0, high=1, closed="neither")


def resample(
    evaluate: Evaluate, plan: ResamplingPlan, settings: BootstrapSettings, generator: Generator
) -> list[ResampledStatistic]:
    """Evaluate k statistics on the data and on every resample.

    Parameters
    ----------
    evaluate : callable
        Takes row weights of shape (b, n_rows), returns values of shape (k, b), NaN where a
        statistic is undefined.
    plan : ResamplingPlan
    settings : BootstrapSettings
    generator : Generator or RandomState

    Returns
    -------
    statistics : list of ResampledStatistic, of length k
        With the values of the resamples on which each is defined, and the number of others.
    """
    estimates = evaluate(np.ones((1, plan.n_rows), dtype=np.int64))[:, 0]
    values, errors = [], []
    for counts in plan.unit_counts(settings.n_resamples, generator):
        values.append(evaluate(plan.to_rows(counts)))
        if settings.method == "studentized":
            errors.append(_standard_errors(evaluate, plan, counts, generator))
    all_values = np.concatenate(values, axis=1)
    all_errors = np.concatenate(errors, axis=1) if errors else None
    left_out, strata = None, None
    if settings.method == "bca":
        blocks, strata = plan.jackknife(generator)
        left_out = np.concatenate([evaluate(weights) for weights in blocks], axis=1)
    statistics = []
    for k, estimate in enumerate(estimates):
        defined = np.isfinite(all_values[k])
        statistics.append(
            ResampledStatistic(
                float(estimate),
                all_values[k][defined],
                int(np.sum(~defined)),
                None if left_out is None else left_out[k],
                strata,
                None if all_errors is None else all_errors[k][defined],
            )
        )
    return statistics


def _standard_errors(
    evaluate: Evaluate, plan: ResamplingPlan, counts: NDArray[np.int64], generator: Generator
) -> NDArray[np.float64]:
    errors = []
    for line in counts:
        nested = plan.nested_counts(line, NESTED_RESAMPLES, generator)
        values = evaluate(plan.to_rows(nested))
        finite = np.isfinite(values)
        n_finite = finite.sum(axis=1)
        filled = np.where(finite, values, 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = filled.sum(axis=1) / n_finite
            squares = np.where(finite, (values - mean[:, None]) ** 2, 0.0).sum(axis=1)
            errors.append(np.sqrt(squares / (n_finite - 1)))
    return np.nan_to_num(np.array(errors).T, nan=0.0, posinf=0.0)
