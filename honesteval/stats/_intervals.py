"""Intervals and p-values from a bootstrap distribution: percentile, basic, BCa, studentised."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

__all__ = ["ResampledStatistic", "fractional_binomial_interval"]

FloatArray = NDArray[np.float64]

# Two values of a statistic closer than this, relative to its size, are the same value.
_SAME_VALUE = 1e-12


@dataclass(frozen=True)
class ResampledStatistic:
    """A statistic with its values under resampling; what every interval is made from.

    Attributes
    ----------
    estimate : float
        Value on the data.
    values : ndarray of shape (n_defined,)
        Values on the resamples on which it is defined.
    n_undefined : int
        Number of resamples on which it is not.
    jackknife : ndarray of shape (n_units,)
        Values with one unit (row or group) left out, for BCa.
    stratum_of_unit : ndarray of shape (n_units,)
        Stratum of the unit left out.
    standard_errors : ndarray of shape (n_defined,) or None
        Standard error within each resample, for the studentised interval.
    """

    estimate: float
    values: FloatArray
    n_undefined: int = 0
    jackknife: FloatArray | None = None
    stratum_of_unit: NDArray[np.intp] | None = None
    standard_errors: FloatArray | None = None

    @property
    def standard_error(self) -> float:
        """Standard deviation over the resamples."""
        return float(np.std(self.values, ddof=1)) if len(self.values) > 1 else 0.0

    @property
    def is_constant(self) -> bool:
        """Whether no resample differs from the estimate."""
        return not len(self.values) or bool(np.all(self._same(self.values, self.estimate)))

    def interval(self, method: str, confidence_level: float) -> tuple[float, float]:
        """Return the two-sided interval; ``method`` is one of the four names."""
        tails = np.array([(1 - confidence_level) / 2, (1 + confidence_level) / 2])
        if method == "bca":
            tails = self._bca_tails(special.ndtri(tails))
        if method == "studentized":
            low, high = np.quantile(self._studentized(), tails) * self.standard_error
            return float(self.estimate - high), float(self.estimate - low)
        low, high = np.quantile(self.values, tails)
        if method == "basic":
            low, high = 2 * self.estimate - high, 2 * self.estimate - low
        return float(low), float(high)

    def p_value(self, method: str, null: float = 0.0) -> float:
        """Return the two-sided p-value: the level at which the interval just reaches ``null``."""
        if method == "studentized":
            ratio = (self.estimate - null) / self.standard_error
            at_most, at_least = self._tails(self._studentized(), ratio)
        elif method == "basic":
            at_most, at_least = self._tails(self.values, 2 * self.estimate - null)
        else:
            at_most, at_least = self._tails(self.values, null)
        if method == "bca":
            at_most, at_least = self._bca_share(at_most), 1 - self._bca_share(1 - at_least)
        smallest = 1 / (len(self.values) + 1)
        return float(np.clip(2 * min(at_most, at_least), smallest, 1.0))

    def _tails(self, values: FloatArray, point: float) -> tuple[float, float]:
        same = self._same(values, point)
        n = len(values)
        at_most = (np.sum((values < point) | same) + 1) / (n + 1)
        at_least = (np.sum((values > point) | same) + 1) / (n + 1)
        return float(at_most), float(at_least)

    def _same(self, values: FloatArray, point: float) -> NDArray[np.bool_]:
        return np.abs(values - point) <= _SAME_VALUE * max(1.0, abs(self.estimate), abs(point))

    def _studentized(self) -> FloatArray:
        if self.standard_errors is None:
            raise ValueError("The studentised interval needs standard errors.")
        usable = self.standard_errors > 0
        if not usable.any():
            raise ValueError(
                "The studentised interval needs a spread within resamples, and there is none on "
                "so few rows. Use method='bca'."
            )
        return (self.values[usable] - self.estimate) / self.standard_errors[usable]

    def _bias(self) -> float:
        """Return z0, from the share of resamples below the estimate, ties counting one half."""
        same = self._same(self.values, self.estimate)
        below = np.sum((self.values < self.estimate) & ~same) + 0.5 * np.sum(same)
        half = 0.5 / len(self.values)
        return float(special.ndtri(np.clip(below / len(self.values), half, 1 - half)))

    def _acceleration(self) -> float:
        """Return a = sum u^3 / (6 (sum u^2)^1.5) over the influence u of the units."""
        if self.jackknife is None or self.stratum_of_unit is None:
            raise ValueError("The BCa interval needs jackknife values.")
        cubes = squares = 0.0
        for stratum in np.unique(self.stratum_of_unit):
            left_out = self.jackknife[self.stratum_of_unit == stratum]
            left_out = left_out[np.isfinite(left_out)]
            if len(left_out) < 2:
                continue
            scale = (len(left_out) - 1) / len(left_out)
            influence = scale * (left_out.mean() - left_out)
            cubes += float(np.sum(influence**3))
            squares += float(np.sum(influence**2))
        return cubes / (6 * squares**1.5) if squares > 0 else 0.0

    def _bca_tails(self, z: FloatArray) -> FloatArray:
        bias, acceleration = self._bias(), self._acceleration()
        shifted = bias + z
        with np.errstate(divide="ignore", over="ignore"):
            adjusted = bias + shifted / (1 - acceleration * shifted)
        # Past the pole of the correction the limit is the end of the distribution.
        adjusted = np.where(acceleration * shifted >= 1, np.sign(shifted) * np.inf, adjusted)
        return special.ndtr(adjusted)

    def _bca_share(self, share: float) -> float:
        """Invert the BCa correction: the nominal tail whose limit falls on this share."""
        if share in {0.0, 1.0}:
            return share
        bias, acceleration = self._bias(), self._acceleration()
        shifted = special.ndtri(share) - bias
        denominator = 1 + acceleration * shifted
        if denominator <= 0:
            return 0.0 if shifted < 0 else 1.0
        return float(special.ndtr(shifted / denominator - bias))


def fractional_binomial_interval(
    mean: float, n: float, confidence_level: float
) -> tuple[float, float]:
    """Return Clopper-Pearson limits for the mean of n independent values in [0, 1].

    For 0/1 values this is the exact binomial interval; for values in between the number of
    successes ``n * mean`` need not be whole. It never has zero width and stays in [0, 1].
    """
    tail = (1 - confidence_level) / 2
    successes, failures = n * mean, n * (1 - mean)
    low = 0.0 if successes <= 0 else float(special.betaincinv(successes, failures + 1, tail))
    high = 1.0 if failures <= 0 else float(special.betaincinv(successes + 1, failures, 1 - tail))
    return min(low, mean), max(high, mean)
