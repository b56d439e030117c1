"""Which metric of ``honesteval.stats`` a scikit-learn scorer's name means."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from honesteval.stats import Metric, get_metric, metric_names

_NAMES = {
    "neg_mean_absolute_error": "mae",
    "neg_root_mean_squared_error": "rmse",
    "neg_brier_score": "brier",
    "neg_log_loss": "log_loss",
    "matthews_corrcoef": "mcc",
}


@dataclass(frozen=True)
class ScorerMetric:
    """A metric, and the sign that makes it the scorer."""

    metric: Metric
    sign: int

    @property
    def limits(self) -> tuple[float, float]:
        """Lowest and highest value of the scorer."""
        low, high = sorted(self.sign * limit for limit in self.metric.limits)
        return low, high


def scorer_metric(name: str) -> ScorerMetric | None:
    """Return the metric that a scorer's name means, or None.

    Examples
    --------
    >>> scorer_metric("neg_mean_absolute_error").limits
    (-inf, -0.0)
    >>> scorer_metric("my_score") is None
    True
    """
    if name in _NAMES:
        found = get_metric(_NAMES[name])
        return ScorerMetric(found, -1 if name.startswith("neg_") else 1)
    if name in metric_names() and name != "within_tolerance":
        return ScorerMetric(get_metric(name), 1)
    return None


def scorer_limits(name: str) -> tuple[float, float]:
    """Return the lowest and highest value that a scorer can take; infinite where not known."""
    known = scorer_metric(name)
    return (-np.inf, np.inf) if known is None else known.limits


def scorers_of(metric: str) -> list[str]:
    """Return the scorers whose metric :mod:`honesteval.stats` calls so.

    Examples
    --------
    >>> scorers_of("mae"), scorers_of("my_score")
    (['neg_mean_absolute_error'], [])
    """
    return [scorer for scorer, name in _NAMES.items() if name == metric]
