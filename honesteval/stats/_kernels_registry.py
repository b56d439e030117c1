"""The named metrics: what each needs, where it is defined, and how it is called."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from numbers import Real
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from honesteval._validation import (
    check_1d,
    check_number,
    check_option,
    check_same_length,
    n_rows,
    name_rows,
)
from honesteval.stats import _kernels_ranking as ranking
from honesteval.stats import _kernels_rows as rows
from honesteval.stats._kernels import RowWeights, Sample, WeightedSample

__all__ = ["Metric", "available_metrics", "get_metric", "metric_names"]

Target = Literal["binary", "classes", "continuous", "any"]
Prediction = Literal["ranking", "probability", "classes", "continuous", "any"]


@dataclass(frozen=True)
class Metric:
    """A score of predictions against labels, ready for resampling.

    Made by :func:`get_metric`; callable like a function of scikit-learn.

    Attributes
    ----------
    name : str
        Name by which :func:`get_metric` finds it.
    label : str
        Name as shown to people, with its parameters.
    target : {"binary", "classes", "continuous", "any"}
        What ``y`` must be. Binary labels are 0/1, -1/1 or bool.
    prediction : {"ranking", "probability", "classes", "continuous", "any"}
        What ``score`` must be.
    greater_is_better : bool
    limits : tuple of float
        Lowest and highest value it can take.
    """

    name: str
    label: str
    target: Target
    prediction: Prediction
    greater_is_better: bool
    limits: tuple[float, float]
    function: Callable[[WeightedSample], NDArray[np.float64]] = field(repr=False)
    integer_weights_only: bool = False
    wrapped: Callable[[Any, Any], float] | None = field(default=None, repr=False)

    def __call__(
        self, y: ArrayLike, score: ArrayLike, *, sample_weight: ArrayLike | None = None
    ) -> float:
        """Return the value on one sample; NaN where it is undefined."""
        sample = self.sample(y, score)
        if self.wrapped is not None and sample_weight is None:
            return _as_number(self.wrapped(sample.y, sample.score), self.name)
        weights = check_weights(sample_weight, len(sample), self)
        return float(self.evaluate(sample.weighted(RowWeights(weights[None, :])))[0])

    def evaluate(self, sample: WeightedSample) -> NDArray[np.float64]:
        """Return the value under every line of weights, NaN where it is undefined."""
        return self.function(sample)

    def on_resamples(self, sample: Sample, weights: NDArray[Any]) -> NDArray[np.float64]:
        """Return the value of a prepared sample under each line of weights (b, n).

        An integer weight w is the same as the row repeated w times; NaN where undefined.
        """
        return self.evaluate(sample.weighted(RowWeights(weights)))

    def sample(self, y: ArrayLike, score: ArrayLike, *, score_name: str = "score") -> Sample:
        """Check labels and predictions and return them as a prepared sample."""
        check_same_length(**{"y": y, score_name: score})
        if n_rows(y, "y") == 0:
            raise ValueError(f"{self.label} needs at least one row. Got none.")
        return Sample(_check_target(y, self), _check_prediction(score, self, score_name))

    def why_undefined(self, sample: Sample) -> str:
        """Return in words why the metric is NaN on this sample."""
        n = len(sample)
        if self.target == "binary":
            n_positive = int(np.sum(sample.y == 1))
            if n_positive in (0, n):
                return f"one class only ({n_positive} positives of {n} rows)"
        if n < 2:
            return f"{n} row only"
        if len(np.unique(sample.y)) == 1:
            return f"all {n} labels are equal"
        if len(np.unique(sample.score)) == 1:
            return f"all {n} predictions are equal"
        return f"{self.label} is not defined for these {n} rows"


def check_weights(sample_weight: ArrayLike | None, n: int, metric: Metric) -> NDArray[np.float64]:
    """Return row weights as floats: one each without ``sample_weight``."""
    if sample_weight is None:
        return np.ones(n)
    weights = check_1d(sample_weight, "sample_weight", numeric=True)
    if len(weights) != n:
        raise ValueError(f"sample_weight needs one weight per row: {n} rows, got {len(weights)}.")
    bad = np.flatnonzero(~np.isfinite(weights) | (weights < 0))
    if len(bad):
        raise ValueError(f"sample_weight must be finite and not negative: see {name_rows(bad)}.")
    if metric.integer_weights_only and np.any(weights != np.floor(weights)):
        raise ValueError(
            f"{metric.label} takes whole-number weights only (a weight w repeats a row w times)."
        )
    return weights


def _check_target(y: ArrayLike, metric: Metric) -> NDArray[Any]:
    if metric.target == "any":
        return np.asarray(y)
    if metric.target == "classes":
        values = check_1d(y, "y")
        _refuse_missing(values, "y")
        return values
    if metric.target == "binary":
        return check_binary(y)
    values = check_1d(y, "y", numeric=True)
    _refuse_missing(values, "y")
    return values


def check_binary(y: ArrayLike, name: str = "y") -> NDArray[np.float64]:
    """Return binary labels as 0.0 and 1.0; 0/1, -1/1 and bool are understood."""
    values = check_1d(y, name)
    _refuse_missing(values, name)
    if values.dtype.kind in "OUS" and not all(isinstance(v, Real | np.bool_) for v in values):
        shown = ", ".join(repr(value) for value in sorted(set(map(str, values)))[:3])
        raise ValueError(
            f"{name} must hold 0 and 1 (or -1 and 1, or bool), so that it is clear which class "
            f"is the positive one. Got {shown}. Pass for example {name} == 'active'."
        )
    values = values.astype(np.float64)
    found = set(np.unique(values))
    if not (found <= {0.0, 1.0} or found <= {-1.0, 1.0}):
        shown = ", ".join(f"{value:g}" for value in sorted(found)[:5])
        raise ValueError(
            f"{name} must hold 0 and 1 (or -1 and 1, or bool). Got the values {shown}. "
            f"Pass for example {name} > {float(np.median(values)):g}."
        )
    return (values > 0).astype(np.float64)


def _check_prediction(score: ArrayLike, metric: Metric, name: str) -> NDArray[Any]:
    if metric.prediction == "any":
        return np.asarray(score)
    if metric.prediction == "classes" and metric.target == "classes":
        values = check_1d(score, name)
        _refuse_missing(values, name)
        return values
    if metric.prediction == "classes":
        return check_binary(score, name)
    if np.ndim(score) == 2 and np.shape(score)[1] > 1:
        raise ValueError(
            f"{metric.label} takes one {name} per row. Got shape {np.shape(score)}: pass the "
            f"column of the positive class, for example {name}[:, 1]."
        )
    values = check_1d(score, name, numeric=True)
    _refuse_missing(values, name, infinite=metric.prediction == "ranking")
    if metric.prediction == "probability":
        bad = np.flatnonzero((values < 0) | (values > 1))
        if len(bad):
            raise ValueError(
                f"{metric.label} needs probabilities in [0, 1]: {name} holds "
                f"{values[bad[0]]:g} in {name_rows(bad)}."
            )
    return values


def _refuse_missing(values: NDArray[Any], name: str, *, infinite: bool = False) -> None:
    missing = np.flatnonzero(pd.isna(values))
    if len(missing):
        raise ValueError(
            f"{name} holds NaN in {name_rows(missing)}. Leave those rows out first "
            "(task_report masks missing labels per task by itself)."
        )
    if values.dtype.kind == "f" and not infinite:
        bad = np.flatnonzero(np.isinf(values))
        if len(bad):
            raise ValueError(f"{name} holds infinite values in {name_rows(bad)}.")


# -- the table of names ------------------------------------------------------------------------

ENRICHMENT_FRACTION = 0.01
BEDROC_ALPHA = 20.0
CALIBRATION_BINS = 10


def _ranking(name: str, label: str, function: Any, high: float = 1.0, low: float = 0.0) -> Metric:
    return Metric(name, label, "binary", "ranking", True, (low, high), function)


def _enrichment_factor(fraction: float = ENRICHMENT_FRACTION) -> Metric:
    check_number(fraction, "fraction", low=0, high=1, closed="right")
    function = partial(ranking.enrichment_factor, fraction=float(fraction))
    label = f"enrichment factor at {fraction:.3g}"
    return _ranking("enrichment_factor", label, function, np.inf)


def _bedroc(alpha: float = BEDROC_ALPHA) -> Metric:
    check_number(alpha, "alpha", low=0, closed="neither")
    function = partial(ranking.bedroc, alpha=float(alpha))
    return _ranking("bedroc", f"BEDROC (alpha {alpha:g})", function)


def _rie(alpha: float = BEDROC_ALPHA) -> Metric:
    check_number(alpha, "alpha", low=0, closed="neither")
    function = partial(ranking.robust_initial_enhancement, alpha=float(alpha))
    return _ranking("rie", f"RIE (alpha {alpha:g})", function, np.inf)


def _expected_calibration_error(n_bins: int = CALIBRATION_BINS) -> Metric:
    check_number(n_bins, "n_bins", low=1, integer=True)
    function = partial(rows.expected_calibration_error, n_bins=int(n_bins))
    label = f"expected calibration error ({n_bins} bins)"
    return Metric("ece", label, "binary", "probability", False, (0.0, 1.0), function)


def _within_tolerance(tolerance: float) -> Metric:
    check_number(tolerance, "tolerance", low=0)
    function = partial(rows.within_tolerance, tolerance=float(tolerance))
    label = f"share within {tolerance:g}"
    return Metric("within_tolerance", label, "continuous", "continuous", True, (0.0, 1.0), function)


def _plain(metric: Metric) -> Callable[[], Metric]:
    return lambda: metric


def _error(name: str, label: str, function: Any) -> Metric:
    return Metric(name, label, "continuous", "continuous", False, (0.0, np.inf), function)


def _agreement(name: str, label: str, function: Any, low: float = -1.0) -> Metric:
    return Metric(name, label, "continuous", "continuous", True, (low, 1.0), function)


def _classes(name: str, label: str, function: Any, low: float = 0.0) -> Metric:
    return Metric(name, label, "classes", "classes", True, (low, 1.0), function)


def _decision(name: str, label: str, function: Any) -> Metric:
    return Metric(name, label, "binary", "classes", True, (0.0, 1.0), function)


_FIXED = (
    _ranking("roc_auc", "ROC-AUC", ranking.roc_auc),
    _ranking("average_precision", "average precision", ranking.average_precision),
    _ranking("trapezoid_pr_area", "trapezoid PR area", ranking.trapezoid_pr_area),
    Metric("brier", "Brier score", "binary", "probability", False, (0.0, 1.0), rows.brier_score),
    Metric("log_loss", "log loss", "binary", "probability", False, (0.0, np.inf), rows.log_loss),
    _classes("accuracy", "accuracy", rows.accuracy),
    _classes("balanced_accuracy", "balanced accuracy", rows.balanced_accuracy),
    _classes("mcc", "Matthews correlation", rows.matthews_corrcoef, -1.0),
    _decision("precision", "precision", rows.precision),
    _decision("recall", "recall", rows.recall),
    _decision("specificity", "specificity", rows.specificity),
    _decision("f1", "F1", rows.f1),
    _error("mae", "MAE", rows.mean_absolute_error),
    _error("rmse", "RMSE", rows.root_mean_squared_error),
    _agreement("r2", "R2", rows.r2, -np.inf),
    _agreement("pearson", "Pearson correlation", rows.pearson),
    _agreement("spearman", "Spearman correlation", rows.spearman),
    _agreement("kendall", "Kendall tau-b", rows.kendall),
)

_FACTORIES: dict[str, Callable[..., Metric]] = {
    **{metric.name: _plain(metric) for metric in _FIXED},
    "enrichment_factor": _enrichment_factor,
    "bedroc": _bedroc,
    "rie": _rie,
    "ece": _expected_calibration_error,
    "within_tolerance": _within_tolerance,
}

# scikit-learn's longer names for the same things.
_ALIASES = {
    "mean_absolute_error": "mae",
    "root_mean_squared_error": "rmse",
    "brier_score": "brier",
    "brier_score_loss": "brier",
    "matthews_corrcoef": "mcc",
    "expected_calibration_error": "ece",
}


def metric_names() -> tuple[str, ...]:
    """Return the names that :func:`get_metric` and every ``metric=`` parameter understand.

    Returns
    -------
    names : tuple of str

    Examples
    --------
    >>> from honesteval.stats import metric_names
    >>> "average_precision" in metric_names()
    True
    """
    return tuple(_FACTORIES)


def get_metric(metric: str | Metric | Callable[[Any, Any], float], **parameters: Any) -> Metric:
    """Return a metric by name, or wrap a function ``f(y, score) -> float``.

    Parameters
    ----------
    metric : str, Metric or callable
        A name of :func:`metric_names`; scikit-learn's longer names are understood too. A
        callable is called on the rows of every resample, one resample at a time.
    **parameters
        Parameters of a named metric: ``fraction`` (default 0.01) of ``"enrichment_factor"``,
        ``alpha`` (20.0) of ``"bedroc"`` and ``"rie"``, ``n_bins`` (10) of ``"ece"``,
        ``tolerance`` (required) of ``"within_tolerance"``.

    Returns
    -------
    metric : Metric
        Callable on ``(y, score)``, and accepted wherever a metric's name is.

    Raises
    ------
    ValueError
        If the name is unknown or a parameter does not fit.

    Examples
    --------
    >>> from honesteval.stats import get_metric
    >>> get_metric("roc_auc")([0, 0, 1, 0, 1], [.3, .6, .7, .8, .9])
    0.8333333333333334
    >>> get_metric("enrichment_factor", fraction=0.4)([0, 0, 1, 0, 1], [.3, .6, .7, .8, .9])
    1.25
    """
    if isinstance(metric, Metric):
        return metric
    if callable(metric):
        return _from_callable(metric)
    name = _ALIASES.get(metric, metric) if isinstance(metric, str) else metric
    if isinstance(name, str) and name.startswith("neg_"):
        error = _ALIASES.get(name.removeprefix("neg_"), name.removeprefix("neg_"))
        if error in _FACTORIES:
            raise ValueError(
                f"metric={name!r} is a name of scikit-learn's scorers (scoring=), which count "
                f"errors as negative. The metric is called {error!r}; less of it is better."
            )
    check_option(name, "metric", list(_FACTORIES))
    try:
        return _FACTORIES[name](**parameters)
    except TypeError as error:
        raise ValueError(f"metric={name!r} with parameters {parameters}: {error}.") from error


def available_metrics() -> pd.DataFrame:
    """Return a table of the named metrics: what they need and the values they take.

    Returns
    -------
    table : DataFrame indexed by name
        Columns label, y, score, greater_is_better, lowest, highest.

    Examples
    --------
    >>> from honesteval.stats import available_metrics
    >>> available_metrics().loc["bedroc", ["y", "score"]].tolist()
    ['binary', 'ranking']
    """
    metrics = [
        _FACTORIES[name](**({"tolerance": 1.0} if name == "within_tolerance" else {}))
        for name in _FACTORIES
    ]
    return pd.DataFrame(
        {
            "label": [metric.label for metric in metrics],
            "y": [metric.target for metric in metrics],
            "score": [metric.prediction for metric in metrics],
            "greater_is_better": [metric.greater_is_better for metric in metrics],
            "lowest": [metric.limits[0] for metric in metrics],
            "highest": [metric.limits[1] for metric in metrics],
        },
        index=pd.Index(list(_FACTORIES), name="metric"),
    )


def _from_callable(function: Callable[[Any, Any], float]) -> Metric:
    name = getattr(function, "__name__", type(function).__name__)
    return Metric(
        name,
        name,
        "any",
        "any",
        True,
        (-np.inf, np.inf),
        partial(_call_per_resample, function=function),
        integer_weights_only=True,
        wrapped=function,
    )


def _call_per_resample(
    sample: WeightedSample, function: Callable[[Any, Any], float]
) -> NDArray[np.float64]:
    rows_of_sample = np.arange(len(sample.y))
    values = np.empty(len(sample.weights))
    for k, weights in enumerate(sample.weights.values):
        drawn = np.repeat(rows_of_sample, weights.astype(np.intp))
        values[k] = _call(function, sample.y[drawn], sample.score[drawn])
    return values


def _call(function: Callable[[Any, Any], float], y: Any, score: Any) -> float:
    """Call a user's metric; a resample it cannot score (one class, say) is NaN and counted."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = function(y, score)
        except ValueError:
            return np.nan
    return _as_number(value, getattr(function, "__name__", type(function).__name__))


def _as_number(value: Any, name: str) -> float:
    """Return what a user's metric gave, if it is one number."""
    single = isinstance(value, np.ndarray | np.generic) and value.size == 1
    number = value.item() if single else value
    if not isinstance(number, Real):
        raise ValueError(
            f"The metric {name} must return one number for (y, score). Got {value!r:.80}."
        )
    return float(number)
