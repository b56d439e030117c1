"""The score a test set would give if it were as similar to training as the molecules to come."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from honesteval._validation import check_1d, check_same_length, name_rows
from honesteval.exceptions import HonestevalWarning
from honesteval.stats import Metric, Sample, bootstrap_statistics, get_metric

__all__ = ["ReweightedScore", "reweighted_score"]

FloatArray = NDArray[np.float64]

# Bins of equal test counts within which the deployment set is matched.
MATCHING_BINS = 10

# Above this share of deployment items beyond all test similarities the score extrapolates.
MAX_SHARE_BEYOND = 0.1


@dataclass(frozen=True)
class ReweightedScore:
    """A score reweighted to the similarities of a deployment set.

    Attributes
    ----------
    estimate : float
        The reweighted score.
    low, high : float
        Limits of its interval, for molecules with the similarities of the deployment set.
    standard_error : float
    unweighted : float
        The score of the test rows as they are.
    effective_n : float
        Number of equally weighted rows the reweighted score is worth.
    share_beyond : float
        Share of deployment items less or more similar than every test row.
    n, n_deployment : int
        Test rows and deployment items.
    metric, label : str
        Name of the metric, and the name shown.
    method : str
    n_resamples, n_undefined : int
        Resamples drawn, and those left out because the metric was undefined on them.
    confidence_level : float
    """

    estimate: float
    low: float
    high: float
    standard_error: float
    unweighted: float
    effective_n: float
    share_beyond: float
    n: int
    n_deployment: int
    metric: str
    label: str
    method: str
    n_resamples: int
    n_undefined: int
    confidence_level: float

    def summary(self) -> str:
        """Return both scores and what the reweighted one rests on."""
        return (
            f"{self.label} {self.estimate:.3f}, {self.confidence_level:.0%} interval "
            f"[{self.low:.3f}, {self.high:.3f}], at the similarities of {self.n_deployment} "
            f"deployment items (as tested: {self.unweighted:.3f}); worth {self.effective_n:.0f} "
            f"of {self.n} rows, {self.share_beyond:.0%} of the items beyond what was tested"
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row with every field."""
        return pd.DataFrame([vars(self)])

    def _repr_html_(self) -> str:
        return self.to_frame().to_html(index=False, float_format="{:.4g}".format)


def reweighted_score(
    y: ArrayLike,
    score: ArrayLike,
    similarity: ArrayLike,
    deployment_similarity: ArrayLike,
    *,
    metric: str | Metric = "roc_auc",
    groups: ArrayLike | None = None,
    method: str = "bca",
    n_resamples: int = 1999,
    confidence_level: float = 0.95,
    random_state: int | np.random.Generator | np.random.RandomState | None = None,
) -> ReweightedScore:
    """Reweight a score to the similarities of the molecules the model will be used on.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels of the test rows.
    score : array-like of shape (n,)
        Predictions, by models that were not trained on the row they predict.
    similarity : array-like of shape (n,)
        Highest similarity of each test row to the training rows of its model, in [0, 1].
    deployment_similarity : array-like of shape (m,)
        Highest similarity of each molecule the model will be used on to the data the final
        model is trained on. No labels are needed.
    metric : str or Metric, default="roc_auc"
        A named metric (see :func:`honesteval.stats.metric_names`).
    groups, method, n_resamples, confidence_level, random_state
        As in :func:`honesteval.stats.bootstrap_ci`, 1999 resamples by default.

    Returns
    -------
    result : ReweightedScore

    Raises
    ------
    ValueError
        If a similarity leaves [0, 1], or the metric is undefined.

    Warns
    -----
    HonestevalWarning
        If more than 10 % of the deployment set is less or more similar than every test row:
        their share goes to the nearest bin, and the score extrapolates.

    Notes
    -----
    The rows of each of ten bins of similarity (of equal test counts) get the share of the
    deployment set in that bin. This is right if the score depends on molecules through their
    similarity to training only; another property range, say, is not accounted for. The
    deployment set is taken as given, the test rows are resampled.

    Examples
    --------
    >>> import numpy as np
    >>> from honesteval.metrics import reweighted_score
    >>> rng = np.random.default_rng(0)
    >>> similarity = rng.uniform(0.3, 1.0, 400)
    >>> y = rng.normal(size=400)
    >>> prediction = y + (1.3 - similarity) * rng.normal(size=400)
    >>> result = reweighted_score(
    ...     y, prediction, similarity, rng.uniform(0.3, 0.6, 200), metric="rmse", random_state=0
    ... )
    >>> round(result.unweighted, 2), round(result.estimate, 2)
    (0.64, 0.84)
    """
    chosen, sample, nearest = prepare(metric, y, score, similarity)
    deployment = check_similarity(deployment_similarity, "deployment_similarity")
    edges = matching_edges(nearest)
    wanted = shares(deployment, edges)
    bin_of_row = np.searchsorted(edges[1:-1], nearest, side="right")
    members = np.eye(len(wanted))[bin_of_row]

    def evaluate(weights: NDArray[Any]) -> FloatArray:
        found = weights @ members
        ratio = np.divide(wanted * weights.sum(axis=1, keepdims=True), found,
                          out=np.zeros_like(found), where=found > 0)  # fmt: skip
        return chosen.on_resamples(sample, weights * ratio[:, bin_of_row])[None, :]

    row_weights = (wanted / members.mean(axis=0))[bin_of_row]
    beyond = float(np.mean((deployment < nearest.min()) | (deployment > nearest.max())))
    _warn_beyond(beyond)
    (result,) = bootstrap_statistics(
        evaluate, len(sample), names=[chosen.label], groups=groups, method=method,
        n_resamples=n_resamples, confidence_level=confidence_level, random_state=random_state,
    )  # fmt: skip
    return ReweightedScore(
        estimate=result.estimate,
        low=result.low,
        high=result.high,
        standard_error=result.standard_error,
        unweighted=chosen(sample.y, sample.score),
        effective_n=float(row_weights.sum() ** 2 / (row_weights**2).sum()),
        share_beyond=beyond,
        n=len(sample),
        n_deployment=len(deployment),
        metric=chosen.name,
        label=chosen.label,
        method=result.method,
        n_resamples=result.n_resamples,
        n_undefined=result.n_undefined,
        confidence_level=result.confidence_level,
    )


def prepare(
    metric: str | Metric, y: ArrayLike, score: ArrayLike, similarity: ArrayLike
) -> tuple[Metric, Sample, FloatArray]:
    """Check labels, predictions and similarities for a metric that takes row weights."""
    chosen = get_metric(metric)
    if chosen.wrapped is not None:
        raise ValueError(
            f"Rows are weighted by similarity, which the function {chosen.name} does not take. "
            "Use a named metric (honesteval.stats.metric_names)."
        )
    check_same_length(y=y, score=score, similarity=similarity)
    return chosen, chosen.sample(y, score), check_similarity(similarity, "similarity")


def check_similarity(values: ArrayLike, name: str) -> FloatArray:
    """Return similarities as floats, all in [0, 1]."""
    similarity = check_1d(values, name, numeric=True)
    if not len(similarity):
        raise ValueError(f"{name} is empty.")
    bad = np.flatnonzero(~((similarity >= 0) & (similarity <= 1)))
    if len(bad):
        raise ValueError(
            f"{name} must lie in [0, 1]. Got {similarity[bad[0]]:g} in {name_rows(bad)}."
        )
    return similarity


def matching_edges(similarity: FloatArray) -> FloatArray:
    """Return edges of bins of about equal counts; a bin without rows joins the one below."""
    edges = np.unique(np.quantile(similarity, np.linspace(0, 1, MATCHING_BINS + 1)))
    inner = edges[1:-1]
    occupied = shares(similarity, edges)[1:] > 0
    return np.concatenate([edges[:1], inner[occupied], edges[-1:]])


def shares(similarity: FloatArray, edges: FloatArray) -> FloatArray:
    """Return the share of items per bin; what lies beyond the edges goes to the nearest bin."""
    inner = edges[1:-1]
    bins = np.searchsorted(inner, similarity, side="right")
    return np.bincount(bins, minlength=len(inner) + 1) / len(similarity)


def _warn_beyond(share: float) -> None:
    if share > MAX_SHARE_BEYOND:
        warnings.warn(
            f"{share:.0%} of the deployment set is less or more similar to its training data "
            "than every test row: there the reweighted score extrapolates.",
            HonestevalWarning,
            stacklevel=3,
        )
