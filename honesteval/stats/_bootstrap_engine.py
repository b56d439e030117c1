"""Evaluate statistics on resamples and hand them over as what intervals are made from."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from honesteval._validation import check_n_resamples, check_option
from honesteval.exceptions import HonestevalWarning
from honesteval.stats._bootstrap_resampling import ResamplingPlan
from honesteval.stats._bootstrap_result import BootstrapResult
from honesteval.stats._intervals import ResampledStatistic, fractional_binomial_interval
from honesteval.stats._kernels import RowWeights, Sample
from honesteval.stats._kernels_registry import Metric

__all__ = [
    "BootstrapRun",
    "BootstrapSettings",
    "evaluate_all",
    "require_defined",
    "samples_of",
    "strata_of",
]

METHODS = ("bca", "percentile", "basic", "studentized")

# Resamples drawn from each resample to find its standard error, for the studentised interval.
NESTED_RESAMPLES = 50

# Above this share of undefined resamples the interval no longer describes the data at hand.
MAX_UNDEFINED_SHARE = 0.05

# More values of y than this are no classes to stratify by.
MAX_STRATA = 100

Evaluate = Callable[[NDArray[Any]], NDArray[np.float64]]
Generator = np.random.Generator | np.random.RandomState
MetricLike = str | Metric | Callable[[Any, Any], float]


@dataclass(frozen=True)
class BootstrapSettings:
    """How to resample and which interval to make; checked on construction."""

    method: str
    n_resamples: int
    confidence_level: float

    def __post_init__(self) -> None:
        check_option(self.method, "method", METHODS)
        check_n_resamples(self.n_resamples, self.confidence_level)


@dataclass(frozen=True)
class BootstrapRun:
    """What to draw and how to conclude: from an evaluation to results with intervals."""

    plan: ResamplingPlan
    settings: BootstrapSettings

    @property
    def n_groups(self) -> int | None:
        """Number of groups that are drawn, None when rows are."""
        return None if self.plan.unit_of_row is None else self.plan.n_units

    def resample(self, evaluate: Evaluate, generator: Generator) -> list[ResampledStatistic]:
        """Evaluate k statistics on the data and on every resample.

        Parameters
        ----------
        evaluate : callable
            Takes row weights of shape (b, n_rows), returns values of shape (k, b), NaN where a
            statistic is undefined.
        generator : Generator or RandomState

        Returns
        -------
        statistics : list of ResampledStatistic, of length k
            With the values of the resamples on which each is defined, and the number of others.
        """
        plan, studentized = self.plan, self.settings.method == "studentized"
        estimates = evaluate(np.ones((1, plan.n_rows), dtype=np.int64))[:, 0]
        values, errors = [], []
        for counts in plan.unit_counts(self.settings.n_resamples, generator):
            values.append(evaluate(plan.to_rows(counts)))
            if studentized:
                errors.append(_standard_errors(evaluate, plan, counts, generator))
        all_values = np.concatenate(values, axis=1)
        all_errors = np.concatenate(errors, axis=1) if studentized else None
        left_out, strata = None, None
        if self.settings.method == "bca":
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

    def result(
        self,
        statistic: ResampledStatistic,
        name: str,
        label: str,
        *,
        smaller_class: int | None = None,
    ) -> BootstrapResult:
        """Return the statistic with its interval, as the user sees it.

        ``smaller_class`` is the number of independent units of the smaller class of a ranking.
        With one of them, or under perfect separation, a ROC-AUC has exact limits instead.
        """
        exact = name == "roc_auc"
        if exact and (smaller_class == 1 or (smaller_class and statistic.estimate in {0.0, 1.0})):
            limits = fractional_binomial_interval(
                statistic.estimate, smaller_class, self.settings.confidence_level
            )
            low, high, used = *limits, "exact"
        else:
            low, high = self.interval(statistic, label)
            used = self.settings.method
            if smaller_class == 1:
                _warn(
                    f"{label}: one class has a single row (or group), so no resample shows how "
                    "such rows differ. The interval is too short."
                )
        return BootstrapResult(
            estimate=statistic.estimate,
            low=low,
            high=high,
            standard_error=statistic.standard_error,
            method=used,
            n_resamples=self.settings.n_resamples,
            n_undefined=statistic.n_undefined,
            confidence_level=self.settings.confidence_level,
            metric=name,
            label=label,
            n=self.plan.n_rows,
            n_groups=self.n_groups,
            distribution=statistic.values,
        )

    def interval(
        self, statistic: ResampledStatistic, label: str, *, may_be_constant: bool = False
    ) -> tuple[float, float]:
        """Return the limits; warn where they say little."""
        self._warn_undefined(statistic, label)
        low = high = statistic.estimate
        if not statistic.is_constant:
            low, high = statistic.interval(self.settings.method, self.settings.confidence_level)
        if low == high and not may_be_constant:
            share = "every" if statistic.is_constant else "nearly every"
            _warn(
                f"{label} is the same on {share} resample, so resampling cannot tell its "
                "uncertainty: the two limits are equal. So it is with few rows, and where every "
                "row is predicted alike (one class for all, say)."
            )
        return low, high

    def _warn_undefined(self, statistic: ResampledStatistic, label: str) -> None:
        n_undefined, n_resamples = statistic.n_undefined, self.settings.n_resamples
        if n_undefined == n_resamples:
            raise ValueError(f"{label} is undefined on every resample. Pass stratify=True.")
        if n_undefined > MAX_UNDEFINED_SHARE * n_resamples:
            _warn(
                f"{label} is undefined on {n_undefined} of {n_resamples} resamples, which are "
                "left out. Pass stratify=True to keep the class counts of the data in every "
                "resample."
            )


def _warn(message: str) -> None:
    warnings.warn(message, HonestevalWarning, stacklevel=5)


def samples_of(
    metrics: Sequence[Metric], y: ArrayLike, score: ArrayLike, *, score_name: str = "score"
) -> list[Sample]:
    """Return a sample per metric, the same object where labels and predictions read alike."""
    by_kind: dict[tuple[str, bool], Sample] = {}
    samples = []
    for metric in metrics:
        checked = metric.sample(y, score, score_name=score_name)
        kind = (metric.target, metric.prediction == "classes")
        samples.append(by_kind.setdefault(kind, checked))
    return samples


def evaluate_all(
    metrics: Sequence[Metric], samples: Sequence[Sample], weights: RowWeights
) -> NDArray[np.float64]:
    """Return the values of k metrics on b resamples, shape (k, b), sharing what can be shared."""
    shared = {id(sample): sample.weighted(weights) for sample in samples}
    pairs = zip(metrics, samples, strict=True)
    return np.array([metric.evaluate(shared[id(sample)]) for metric, sample in pairs])


def require_defined(metric: Metric, sample: Sample, weights: NDArray[np.float64] | None) -> float:
    """Return the metric on the data, or explain why there is nothing to resample."""
    value = metric(sample.y, sample.score, sample_weight=weights)
    if not np.isfinite(value):
        raise ValueError(
            f"{metric.label} is {value:g} on this data: {metric.why_undefined(sample)}. "
            "There is nothing to resample."
        )
    return value


def strata_of(stratify: bool | ArrayLike, y: NDArray[Any]) -> ArrayLike | None:
    """Return the strata to draw from: none, the classes of y, or those given."""
    if not isinstance(stratify, bool | np.bool_):
        return stratify
    if stratify and len(np.unique(y)) > MAX_STRATA:
        raise ValueError(
            f"stratify=True draws every class of y by itself, and y has more than {MAX_STRATA} "
            "values. Pass an array of strata, for example quantile bins of y."
        )
    return y if stratify else None


def _standard_errors(
    evaluate: Evaluate, plan: ResamplingPlan, counts: NDArray[np.int64], generator: Generator
) -> NDArray[np.float64]:
    lines = max(1, plan.chunk_size // NESTED_RESAMPLES)
    errors = []
    for start in range(0, len(counts), lines):
        block = counts[start : start + lines]
        nested = plan.nested_counts(block, NESTED_RESAMPLES, generator)
        values = evaluate(plan.to_rows(nested))
        values = values.reshape(len(values), len(block), NESTED_RESAMPLES)
        errors.append(_standard_deviation(values))
    return np.concatenate(errors, axis=1)


def _standard_deviation(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the standard deviation over the last axis, 0.0 where fewer than two are defined."""
    defined = np.isfinite(values)
    n_defined = defined.sum(axis=-1)
    mean = np.where(defined, values, 0.0).sum(axis=-1) / np.maximum(n_defined, 1)
    squares = np.where(defined, values - mean[..., None], 0.0) ** 2
    return np.sqrt(squares.sum(axis=-1) / np.maximum(n_defined - 1, 1))
