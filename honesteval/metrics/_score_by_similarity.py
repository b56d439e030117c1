"""Does the score belong to the molecules you will meet? Score against similarity to training."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from honesteval._validation import check_1d, check_number, name_rows
from honesteval.exceptions import HonestevalWarning
from honesteval.metrics._reweighted_score import ReweightedScore, prepare, reweighted_score, shares
from honesteval.stats import BootstrapResult, Metric, Sample, bootstrap_statistics, delong_ci

__all__ = ["ScoreBySimilarity", "score_by_similarity"]

FloatArray = NDArray[np.float64]

# Points at which the smoothed curve is evaluated.
CURVE_POINTS = 15

# Smallest bandwidth of the smoothing, in units of similarity.
MIN_BANDWIDTH = 0.02


@dataclass(frozen=True)
class ScoreBySimilarity:
    """A score as a function of the similarity of test items to training items.

    Attributes
    ----------
    overall : BootstrapResult
        The score of all rows.
    bins : DataFrame
        One row per bin of similarity: ``similarity_from``, ``similarity_to``,
        ``mean_similarity``, ``n``, ``estimate``, ``low``, ``high``, ``n_undefined`` (resamples
        left out), ``reason`` (why a score is undefined), and with a deployment set
        ``test_share`` and ``deployment_share``.
    curve : DataFrame
        The same smoothly: ``similarity``, ``estimate``, ``low``, ``high``, ``effective_n``
        (rows that carry the point).
    bandwidth : float
        Standard deviation of the Gaussian weights of the curve, in units of similarity.
    trend : BootstrapResult or None
        Score of the most similar bin minus that of the least similar one, from the same
        resamples; None with one defined bin.
    deployment : ReweightedScore or None
        The score reweighted to the similarities of the deployment set.
    """

    overall: BootstrapResult
    bins: pd.DataFrame = field(repr=False, compare=False)
    curve: pd.DataFrame = field(repr=False, compare=False)
    bandwidth: float
    trend: BootstrapResult | None
    deployment: ReweightedScore | None

    def summary(self) -> str:
        """Return the score overall, from bin to bin, and on the deployment set."""
        lines = [self.overall.summary(), "By similarity to training:"]
        for line in self.bins.itertuples():
            value = line.reason or f"{line.estimate:.3f} [{line.low:.3f}, {line.high:.3f}]"
            lines.append(
                f"  {line.similarity_from:.2f} to {line.similarity_to:.2f} ({line.n} rows): {value}"
            )
        if self.trend is not None:
            trend = self.trend
            lines.append(
                f"Most minus least similar bin: {trend.estimate:+.3f} "
                f"[{trend.low:+.3f}, {trend.high:+.3f}]"
            )
        if self.deployment is not None:
            lines.append(self.deployment.summary())
        return "\n".join(lines)

    def to_frame(self) -> pd.DataFrame:
        """Return the table of bins."""
        return self.bins

    def _repr_html_(self) -> str:
        return self.bins.to_html(index=False, float_format="{:.4g}".format)


def score_by_similarity(
    y: ArrayLike,
    score: ArrayLike,
    similarity: ArrayLike,
    *,
    metric: str | Metric = "roc_auc",
    bins: int | Sequence[float] = 5,
    deployment_similarity: ArrayLike | None = None,
    bandwidth: float | None = None,
    groups: ArrayLike | None = None,
    method: str = "bca",
    n_resamples: int = 1999,
    confidence_level: float = 0.95,
    random_state: int | np.random.Generator | np.random.RandomState | None = None,
) -> ScoreBySimilarity:
    """Score as a function of similarity to training, and for the molecules to come.

    A test set holds some near relatives of training molecules and some strangers. If the score
    depends on which, then the overall score describes the mixture in the test set and no other.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels of the test rows.
    score : array-like of shape (n,)
        Predictions, by models that were not trained on the row they predict.
    similarity : array-like of shape (n,)
        Highest similarity of each test row to the training rows of its model, in [0, 1].
    metric : str or Metric, default="roc_auc"
        A named metric (see :func:`honesteval.stats.metric_names`); a plain function cannot be
        reweighted.
    bins : int or sequence of float, default=5
        Number of bins with equal counts, or their edges, which must cover all similarities.
    deployment_similarity : array-like of shape (m,), default=None
        Highest similarity of each molecule the model will be used on to the data the final
        model is trained on; see :func:`reweighted_score`.
    bandwidth : float, default=None
        Standard deviation of the smoothing weights; by default ``0.9 sd n^(-1/5)``, at least
        0.02.
    groups : array-like of shape (n,), default=None
        Rows that belong together; intervals draw whole groups.
    method, n_resamples, confidence_level, random_state
        As in :func:`honesteval.stats.bootstrap_ci`, 1999 resamples by default. The limits of
        the curve are percentile intervals, point by point.

    Returns
    -------
    result : ScoreBySimilarity

    Raises
    ------
    ValueError
        If a similarity leaves [0, 1] or the bins, or the metric is undefined on all rows.

    Warns
    -----
    HonestevalWarning
        If more than 10 % of the deployment set is less or more similar than every test row.

    Examples
    --------
    An error that falls with similarity, and a deployment set of strangers:

    >>> import numpy as np
    >>> from honesteval.metrics import score_by_similarity
    >>> rng = np.random.default_rng(0)
    >>> similarity = rng.uniform(0.3, 1.0, 400)
    >>> y = rng.normal(size=400)
    >>> prediction = y + (1.3 - similarity) * rng.normal(size=400)
    >>> result = score_by_similarity(
    ...     y, prediction, similarity, metric="rmse", bins=3,
    ...     deployment_similarity=rng.uniform(0.3, 0.6, 200), random_state=0,
    ... )
    >>> result.bins[["similarity_from", "n", "estimate"]].round(2)
       similarity_from    n  estimate
    0             0.30  133      0.90
    1             0.57  133      0.52
    2             0.80  134      0.37
    >>> round(result.overall.estimate, 2), round(result.deployment.estimate, 2)
    (0.64, 0.84)
    """
    chosen, sample, nearest = prepare(metric, y, score, similarity)
    settings: dict[str, Any] = {
        "groups": groups, "method": method, "n_resamples": n_resamples,
        "confidence_level": confidence_level, "random_state": random_state,
    }  # fmt: skip
    table, members = _bins(chosen, sample, nearest, bins)
    defined = np.flatnonzero(table["reason"] == "")
    results = _resample_bins(chosen, sample, [members[k] for k in defined], settings)
    for k, result in zip(defined, results[1:], strict=False):
        limits = _limits(chosen, sample, members[k], result)
        table.loc[k, ["estimate", "low", "high"]] = [result.estimate, *limits]
        table.loc[k, "n_undefined"] = result.n_undefined
    width = _bandwidth(nearest, bandwidth)
    deployment = None
    if deployment_similarity is not None:
        deployment = reweighted_score(
            y, score, similarity, deployment_similarity, metric=chosen, **settings
        )
        edges = np.r_[table["similarity_from"], table["similarity_to"].iloc[-1]]
        table["test_share"] = table["n"] / len(sample)
        table["deployment_share"] = shares(np.asarray(deployment_similarity, float), edges)
    return ScoreBySimilarity(
        overall=results[0],
        bins=table,
        curve=_curve(chosen, sample, nearest, width, settings),
        bandwidth=width,
        trend=results[-1] if len(defined) > 1 else None,
        deployment=deployment,
    )


def _bins(
    metric: Metric, sample: Sample, nearest: FloatArray, bins: int | Sequence[float]
) -> tuple[pd.DataFrame, list[NDArray[np.bool_]]]:
    """Return the table of bins without scores, and the rows of each."""
    if isinstance(bins, int | np.integer):
        check_number(bins, "bins", low=1, integer=True)
        edges = np.unique(np.quantile(nearest, np.linspace(0, 1, bins + 1)))
        edges = edges if len(edges) > 1 else np.repeat(edges, 2)
    else:
        edges = check_1d(bins, "bins", numeric=True)
        if len(edges) < 2 or np.any(np.diff(edges) <= 0):
            raise ValueError(f"bins must be a number or increasing edges. Got {list(edges)}.")
        outside = np.flatnonzero((nearest < edges[0]) | (nearest > edges[-1]))
        if len(outside):
            raise ValueError(
                f"bins from {edges[0]:g} to {edges[-1]:g} leave out the similarity of "
                f"{name_rows(outside)}. Widen the first or last edge."
            )
    bin_of_row = np.searchsorted(edges[1:-1], nearest, side="right")
    members = [bin_of_row == k for k in range(len(edges) - 1)]
    lines = [
        {
            "similarity_from": edges[k],
            "similarity_to": edges[k + 1],
            "mean_similarity": float(nearest[part].mean()) if part.any() else np.nan,
            "n": int(part.sum()),
            "estimate": np.nan,
            "low": np.nan,
            "high": np.nan,
            "n_undefined": 0,
            "reason": _why_undefined(metric, sample, part),
        }
        for k, part in enumerate(members)
    ]
    return pd.DataFrame(lines), members


def _why_undefined(metric: Metric, sample: Sample, part: NDArray[np.bool_]) -> str:
    if not part.any():
        return "no rows"
    inside = Sample(sample.y[part], sample.score[part])
    value = metric.on_resamples(inside, np.ones((1, len(inside)), dtype=np.int64))[0]
    return "" if np.isfinite(value) else metric.why_undefined(inside)


def _resample_bins(
    metric: Metric, sample: Sample, members: list[NDArray[np.bool_]], settings: dict[str, Any]
) -> list[BootstrapResult]:
    """Return results for all rows, for each bin, and for the last minus the first bin."""
    parts = [(np.flatnonzero(part), Sample(sample.y[part], sample.score[part])) for part in members]

    def evaluate(weights: NDArray[Any]) -> FloatArray:
        values = [metric.on_resamples(sample, weights)]
        values += [metric.on_resamples(part, weights[:, rows]) for rows, part in parts]
        if len(parts) > 1:
            values.append(values[-1] - values[1])
        return np.array(values)

    names = [metric.label] * (1 + len(parts))
    if len(parts) > 1:
        names.append(f"difference in {metric.label}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HonestevalWarning)  # counted in n_undefined
        return bootstrap_statistics(evaluate, len(sample), names=names, **settings)


def _limits(
    metric: Metric, sample: Sample, part: NDArray[np.bool_], result: BootstrapResult
) -> tuple[float, float]:
    """Return the limits of a bin: exact ones where it separates the classes perfectly."""
    if metric.name == "roc_auc" and result.estimate in {0.0, 1.0}:
        exact = delong_ci(
            sample.y[part], sample.score[part], method="exact",
            confidence_level=result.confidence_level,
        )  # fmt: skip
        return exact.low, exact.high
    return result.low, result.high


def _bandwidth(nearest: FloatArray, bandwidth: float | None) -> float:
    if bandwidth is not None:
        return float(check_number(bandwidth, "bandwidth", low=0, closed="neither"))
    return float(max(MIN_BANDWIDTH, 0.9 * nearest.std() * len(nearest) ** -0.2))


def _curve(
    metric: Metric, sample: Sample, nearest: FloatArray, width: float, settings: dict[str, Any]
) -> pd.DataFrame:
    """Return the score under Gaussian weights around each point, with percentile limits."""
    first, last = np.quantile(nearest, [0.02, 0.98])
    points = np.linspace(first, last, CURVE_POINTS)
    weights_at = np.exp(-0.5 * ((nearest[None, :] - points[:, None]) / width) ** 2)

    def evaluate(weights: NDArray[Any]) -> FloatArray:
        return np.array([metric.on_resamples(sample, weights * of_row) for of_row in weights_at])

    table = pd.DataFrame({"similarity": points, "estimate": np.nan, "low": np.nan, "high": np.nan})
    table["effective_n"] = weights_at.sum(axis=1) ** 2 / (weights_at**2).sum(axis=1)
    values = evaluate(np.ones((1, len(sample))))[:, 0]
    defined = np.isfinite(values)
    weights_at = weights_at[defined]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HonestevalWarning)  # at the ends few rows carry a point
        results = bootstrap_statistics(
            evaluate, len(sample), names=[metric.label] * len(weights_at),
            **{**settings, "method": "percentile"},
        )  # fmt: skip
    for name in ("estimate", "low", "high"):
        table.loc[defined, name] = [getattr(result, name) for result in results]
    return table
