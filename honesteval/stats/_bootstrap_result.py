"""What the bootstrap returns: one score, or one difference, with its interval."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

__all__ = ["BootstrapDifference", "BootstrapResult"]


class _Shown:
    """How both results turn into a table and a line of text."""

    n: int
    n_groups: int | None
    n_resamples: int
    n_undefined: int
    method: str

    def to_frame(self) -> pd.DataFrame:
        """Return one row with every field but the distribution."""
        return pd.DataFrame(
            [{name: value for name, value in vars(self).items() if name != "distribution"}]
        )

    def _repr_html_(self) -> str:
        return self.to_frame().to_html(index=False, float_format="{:.4g}".format)

    def _how(self) -> str:
        drawn = f"{self.n} rows"
        if self.n_groups is not None:
            drawn = f"{self.n_groups} groups of {self.n} rows"
        text = f"({self.method}, {self.n_resamples} resamples of {drawn})"
        if self.n_undefined:
            text += f"\n{self.n_undefined} resamples were undefined and left out."
        return text


@dataclass(frozen=True)
class BootstrapResult(_Shown):
    """A score with its bootstrap interval.

    Attributes
    ----------
    estimate : float
        The score on the data.
    low, high : float
        Limits of the interval.
    standard_error : float
        Standard deviation of the score over the resamples.
    method : str
        Interval used. ``"exact"`` when the ROC-AUC is the same on every resample (perfect
        separation), where no resampling interval exists.
    n_resamples : int
        Resamples drawn.
    n_undefined : int
        Resamples on which the metric is undefined; they are left out of the interval.
    confidence_level : float
    metric : str
        Name of the metric.
    label : str
        Name of the metric as shown.
    n : int
        Number of rows.
    n_groups : int or None
        Number of groups that were drawn, None when rows were drawn.
    distribution : ndarray of shape (n_resamples - n_undefined,)
        The score on every resample on which it is defined.
    """

    estimate: float
    low: float
    high: float
    standard_error: float
    method: str
    n_resamples: int
    n_undefined: int
    confidence_level: float
    metric: str
    label: str
    n: int
    n_groups: int | None
    distribution: NDArray[np.float64] = field(repr=False, compare=False)

    def summary(self) -> str:
        """Return the score, its interval and how it was found, in one or two lines."""
        return (
            f"{self.label} {self.estimate:.3f}, {self.confidence_level:.0%} interval "
            f"[{self.low:.3f}, {self.high:.3f}] {self._how()}"
        )


@dataclass(frozen=True)
class BootstrapDifference(_Shown):
    """The difference of two models' scores on the same rows, with its interval and p-value.

    Attributes
    ----------
    estimate : float
        Score of model a minus score of model b.
    low, high : float
        Limits of the interval of the difference.
    p_value : float
        Two-sided: the level at which the interval just reaches zero, at least
        1/(n_resamples + 1); 1.0 for identical models.
    estimate_a, estimate_b : float
        The two scores.
    standard_error : float
        Standard deviation of the difference over the resamples.
    method : str
        Interval used.
    n_resamples, n_undefined : int
        Resamples drawn, and those on which the metric is undefined and which are left out.
    confidence_level : float
    metric, label : str
        Name of the metric, and the name shown.
    n : int
        Number of rows.
    n_groups : int or None
        Number of groups that were drawn, None when rows were drawn.
    greater_is_better : bool
        Whether a positive difference favours model a. Taken as True for a callable metric.
    distribution : ndarray of shape (n_resamples - n_undefined,)
        The difference on every resample on which it is defined.
    """

    estimate: float
    low: float
    high: float
    p_value: float
    estimate_a: float
    estimate_b: float
    standard_error: float
    method: str
    n_resamples: int
    n_undefined: int
    confidence_level: float
    metric: str
    label: str
    n: int
    n_groups: int | None
    greater_is_better: bool
    distribution: NDArray[np.float64] = field(repr=False, compare=False)

    def summary(self) -> str:
        """Return the difference, its interval and p-value, in one or two lines."""
        return (
            f"{self.label}: {self.estimate_a:.3f} (a) minus {self.estimate_b:.3f} (b) = "
            f"{self.estimate:+.3f}, {self.confidence_level:.0%} interval "
            f"[{self.low:+.3f}, {self.high:+.3f}], p = {self.p_value:.2g} {self._how()}"
        )
