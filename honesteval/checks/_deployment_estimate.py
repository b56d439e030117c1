"""The score that a model will get on the entities it will meet, estimated without their labels."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import special, stats

from honesteval._validation import check_number, check_same_length, n_rows
from honesteval.checks._deployment_folds import (
    KINDS_OF_FOLDS,
    OutOfFoldRows,
    fold_labels,
    predict_on_folds,
)
from honesteval.checks._deployment_weights import Surroundings, rake
from honesteval.checks._estimate_input import compared, require_instance, require_rows
from honesteval.checks._labels import complete_label_column
from honesteval.exceptions import HonestevalWarning
from honesteval.model_selection._deployment_similarity import (
    nearest_to_deployment,
    similarity_with_deployment,
)
from honesteval.model_selection._entities_of import group_labels
from honesteval.model_selection._seeds import seed_of
from honesteval.partition import MatchedFolds
from honesteval.stats import Metric, get_metric

__all__ = ["DeploymentEstimate", "deployment_estimate"]

#: The metric for each kind of label, where none is named.
DEPLOYMENT_METRICS = {"binary": "roc_auc", "classes": "accuracy", "continuous": "rmse"}
#: Above this share of entities beyond all tested similarities, the estimate extrapolates.
MOST_BEYOND = 0.1
#: Scores are kept this far from the ends of their range, where its scale ends.
SMALLEST = 1e-6


@dataclass(frozen=True)
class DeploymentEstimate:
    """The expected score on the entities to be met, and what it rests on.

    Attributes
    ----------
    estimate : float
        The expected score: that of the rows tested on all kinds of folds, weighted to the
        entities to be met.
    low, high : float
        Interval for the score that will be seen there.
    confidence_level : float
    matched : float
        Score on the matched folds.
    reweighted : float
        Score on random folds, rows weighted to the entities to be met.
    random, hardest : float
        Score on random folds, and on those with the least similarity across.
    metric, label : str
        Name of the metric, and the name shown.
    effective_n : float
        Number of equally weighted rows the estimate is worth.
    share_beyond : float
        Share of the entities to be met that are less or more similar to the data than every
        tested row to its training rows.
    n, n_deploy : int
        Samples and entities to be met.
    folds : MatchedFolds
        The matched folds and how well they match.
    scores : DataFrame
        One line per kind of folds (``random``, ``matched``, ``hardest``, ``together``):
        ``as_tested``, ``reweighted``, ``mean_similarity``, ``effective_n``.
    rows : DataFrame
        One line per kind of folds and sample: ``folds``, ``fold``, ``row``, ``y``,
        ``prediction``, ``similarity``, ``disagreement``, ``weight``.
    """

    estimate: float
    low: float
    high: float
    confidence_level: float
    matched: float
    reweighted: float
    random: float
    hardest: float
    metric: str
    label: str
    effective_n: float
    share_beyond: float
    n: int
    n_deploy: int
    folds: MatchedFolds = field(repr=False, compare=False)
    scores: pd.DataFrame = field(repr=False, compare=False)
    rows: pd.DataFrame = field(repr=False, compare=False)
    _metric: Metric = field(repr=False, compare=False)

    def interval(self, confidence_level: float) -> tuple[float, float]:
        """Return the limits of the interval for the score to be seen, at another level.

        Parameters
        ----------
        confidence_level : float in (0, 1)

        Returns
        -------
        low, high : float
        """
        check_number(confidence_level, "confidence_level", low=0, high=1, closed="neither")
        return _interval(self.estimate, self.rows, self._metric, confidence_level)

    def summary(self) -> str:
        """Return the estimate, what simpler folds say, and how well the folds match."""
        return "\n".join(
            [
                f"{self.label} expected on the {self.n_deploy} entities to be met: "
                f"{self.estimate:.3f}, {self.confidence_level:.0%} interval for the score that "
                f"will be seen [{self.low:.3f}, {self.high:.3f}]",
                f"  random folds {self.random:.3f} (reweighted {self.reweighted:.3f}), matched "
                f"folds {self.matched:.3f}, hardest folds {self.hardest:.3f}",
                f"  worth {self.effective_n:.0f} rows; {self.share_beyond:.0%} of the entities "
                f"are beyond what was tested",
                f"  {self.folds.verdict}",
            ]
        )

    def to_frame(self) -> pd.DataFrame:
        """Return the scores by kind of folds."""
        return self.scores

    def _repr_html_(self) -> str:
        import html

        table = self.scores.to_html(float_format="{:.4g}".format)
        return f"<pre>{html.escape(self.summary())}</pre>{table}"


def deployment_estimate(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    X_deploy: Any,
    *,
    entities: Any = None,
    similarity: Any = "auto",
    metric: str | Metric = "auto",
    groups: ArrayLike | None = None,
    n_splits: int = 5,
    n_moves: int = 4000,
    confidence_level: float = 0.95,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
) -> DeploymentEstimate:
    """Estimate the score of a model on the entities it will meet, without labels of theirs.

    The model is fitted on three kinds of folds: random ones, folds matched to the deployment
    (:class:`honesteval.model_selection.DeploymentKFold`) and those with the least similarity
    across. Each tested row has a similarity to its training rows, and the labels of its nearest
    training rows agree more or less. The entities to be met have both as well. The tested rows
    of all folds, weighted so that both distributions are those of the deployment, give the
    estimate.

    Parameters
    ----------
    estimator : estimator
        Not modified; 3 n_splits clones are fitted.
    X : array-like of shape (n_samples, ...)
        What the estimator is fitted on.
    y : array-like of shape (n_samples,)
        Labels: numbers, or classes.
    X_deploy : array-like of shape (n_deploy, ...)
        Entities to be met, of the kind of ``entities`` if these are given, else of X.
    entities : array-like of shape (n_samples,), default=None
        What is compared (for example SMILES); by default X itself.
    similarity : str or callable, default="auto"
        See :func:`honesteval.similarity.resolve_similarity`; nothing precomputed.
    metric : str or Metric, default="auto"
        A named metric (:func:`honesteval.stats.metric_names`). ``"auto"``: ROC-AUC for two
        classes, accuracy for more, root mean squared error for numbers.
    groups : array-like of shape (n_samples,), default=None
        Samples that stay together in all folds.
    n_splits : int >= 2, default=5
    n_moves : int, default=4000
        Moves of the search for matched folds.
    confidence_level : float in (0, 1), default=0.95
    random_state : int, RandomState instance or None, default=None
        Seed of all folds; None is a fixed seed. The estimator keeps its own.
    n_jobs : int or None, default=None
        Fits run in parallel, as in joblib.

    Returns
    -------
    result : DeploymentEstimate

    Raises
    ------
    ValueError
        If labels are missing, lengths differ, or the metric takes no weights.
    InvalidEntityError
        If rows of the entities or of X_deploy cannot be read.

    Warns
    -----
    HonestevalWarning
        If the folds do not match, or more than 10 % of the entities are less or more similar
        to the data than every tested row: then the estimate extrapolates.

    Notes
    -----
    The matched folds are so many trials of the deployment. The interval is the prediction
    interval of the next trial, ``t(k - 1) s sqrt(1 + 1/k)`` around the estimate with s the
    standard deviation of the folds' scores, on a log scale for errors and a logit scale for
    scores in [0, 1].

    Rankings (ROC-AUC ...) are computed for each fitted model and averaged with the number of
    weighted pairs they compare, since what will be seen is the ranking of one model; other
    scores are computed from all rows.

    What similarity and the labels around do not tell (another assay, another question asked of
    the molecules) is not in the estimate, and only in the interval as far as it varies between
    folds.

    Examples
    --------
    An error that grows with the distance from the data, and a deployment that is far:

    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> from honesteval.checks import deployment_estimate
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(30, 2)).repeat(8, axis=0) + 0.1 * rng.normal(size=(240, 2))
    >>> y = np.sin(3 * X[:, 0])
    >>> result = deployment_estimate(
    ...     KNeighborsRegressor(3), X, y, 0.9 * rng.normal(size=(100, 2)), similarity="rbf")
    >>> bool(result.random < result.estimate)
    True
    """
    check_same_length(X=X, y=y, entities=entities, groups=groups)
    require_instance(estimator)
    require_rows(y)
    check_number(n_splits, "n_splits", low=2, high=n_rows(y), integer=True)
    check_number(confidence_level, "confidence_level", low=0, high=1, closed="neither")
    n = n_rows(y)
    labels = complete_label_column(y, n)
    chosen = get_metric(DEPLOYMENT_METRICS[labels.kind] if metric == "auto" else metric)
    if chosen.wrapped is not None or chosen.integer_weights_only:
        raise ValueError(
            f"Rows are weighted, which {chosen.name} does not take. Use a named metric "
            f"(honesteval.stats.metric_names)."
        )
    joint = compared(
        entities, X,
        lambda rows: similarity_with_deployment(rows, X_deploy, similarity, "deployment_estimate"),
    )  # fmt: skip
    must_link = None if groups is None else group_labels(groups)
    folds, matched = fold_labels(
        joint.take(np.arange(n)), nearest_to_deployment(joint, n), labels, must_link,
        n_splits=n_splits, n_moves=n_moves, random_state=seed_of(random_state),
    )  # fmt: skip
    tested = predict_on_folds(estimator, X, labels, joint, folds, chosen, n_jobs=n_jobs)
    result = estimate_from_rows(tested, matched, chosen, confidence_level=confidence_level)
    for message in _warnings(result):
        warnings.warn(message, HonestevalWarning, stacklevel=2)
    return result


def estimate_from_rows(
    tested: OutOfFoldRows, matched: MatchedFolds, metric: Metric, *, confidence_level: float
) -> DeploymentEstimate:
    """Return the estimate that tested rows give; see :func:`deployment_estimate`."""
    table = tested.table.copy()
    table["weight"] = rake(tested.surroundings, tested.met)
    lines = {kind: _score(table[table["folds"] == kind], tested.met, metric)
             for kind in KINDS_OF_FOLDS}  # fmt: skip
    lines["together"] = _score(table, tested.met, metric)
    scores = pd.DataFrame(lines).T.rename_axis("folds")
    estimate = float(scores.loc["together", "reweighted"])
    if not np.isfinite(estimate):
        raise ValueError(
            f"{metric.label} is undefined on the weighted rows: "
            f"{metric.why_undefined(metric.sample(table['y'], table['prediction']))}."
        )
    low, high = _interval(estimate, table, metric, confidence_level)
    near, met = table["similarity"], tested.met.similarity
    return DeploymentEstimate(
        estimate=estimate,
        low=low,
        high=high,
        confidence_level=confidence_level,
        matched=float(scores.loc["matched", "as_tested"]),
        reweighted=float(scores.loc["random", "reweighted"]),
        random=float(scores.loc["random", "as_tested"]),
        hardest=float(scores.loc["hardest", "as_tested"]),
        metric=metric.name,
        label=metric.label,
        effective_n=float(scores.loc["together", "effective_n"]) / len(KINDS_OF_FOLDS),
        share_beyond=float(np.mean((met < near.min()) | (met > near.max()))),
        n=len(matched.labels),
        n_deploy=len(met),
        folds=matched,
        scores=scores,
        rows=table,
        _metric=metric,
    )


def _score(table: pd.DataFrame, met: Surroundings, metric: Metric) -> dict[str, float]:
    here = Surroundings(table["similarity"].to_numpy(), table["disagreement"].to_numpy())
    weights = rake(here, met)
    return {
        "as_tested": _weighted(table, np.ones(len(table)), metric),
        "reweighted": _weighted(table, weights, metric),
        "mean_similarity": float(here.similarity.mean()),
        "effective_n": float(weights.sum() ** 2 / (weights**2).sum()),
    }


def _weighted(table: pd.DataFrame, weights: NDArray[np.float64], metric: Metric) -> float:
    """Return the score of weighted rows; a ranking is that of the rows of one model."""
    y, prediction = table["y"].to_numpy(), table["prediction"].to_numpy()
    if metric.prediction != "ranking":
        return metric(y, prediction, sample_weight=weights)
    total = share = 0.0
    for rows in table.reset_index().groupby(["folds", "fold"]).indices.values():
        score = metric(y[rows], prediction[rows], sample_weight=weights[rows])
        if np.isfinite(score):
            pairs = weights[rows].sum() ** 2
            if metric.target == "binary":
                pairs = weights[rows][y[rows] == 1].sum() * weights[rows][y[rows] == 0].sum()
            total, share = total + pairs * score, share + pairs
    return float(total / share) if share > 0 else float("nan")


def _interval(
    estimate: float, table: pd.DataFrame, metric: Metric, confidence_level: float
) -> tuple[float, float]:
    """Return the prediction interval of the next trial, from the scores of the matched folds."""
    trials = [
        metric(fold["y"].to_numpy(), fold["prediction"].to_numpy())
        for _, fold in table[table["folds"] == "matched"].groupby("fold")
    ]
    scores = _to_scale(np.array([score for score in trials if np.isfinite(score)]), metric)
    k = len(scores)
    if k < 2:
        return float("nan"), float("nan")
    quantile = stats.t.ppf((1 + confidence_level) / 2, k - 1)
    half = quantile * scores.std(ddof=1) * np.sqrt(1 + 1 / k)
    centre = _to_scale(np.array([estimate]), metric)[0]
    low, high = _from_scale(np.array([centre - half, centre + half]), metric)
    return float(low), float(high)


def _to_scale(score: NDArray[np.float64], metric: Metric) -> NDArray[np.float64]:
    low, high = metric.limits
    if np.isfinite(low) and np.isfinite(high):
        share = np.clip((score - low) / (high - low), SMALLEST, 1 - SMALLEST)
        return np.asarray(special.logit(share))
    if np.isfinite(low):
        return np.log(np.maximum(score - low, SMALLEST))
    if np.isfinite(high):
        return -np.log(np.maximum(high - score, SMALLEST))
    return score


def _from_scale(value: NDArray[np.float64], metric: Metric) -> NDArray[np.float64]:
    low, high = metric.limits
    if np.isfinite(low) and np.isfinite(high):
        return np.asarray(low + (high - low) * special.expit(value))
    if np.isfinite(low):
        return low + np.exp(value)
    if np.isfinite(high):
        return high - np.exp(-value)
    return value


def _warnings(result: DeploymentEstimate) -> list[str]:
    found = []
    if not result.folds.is_matched:
        found.append(result.folds.verdict)
    if result.share_beyond > MOST_BEYOND:
        found.append(
            f"{result.share_beyond:.0%} of the entities to be met are less or more similar to "
            f"the data than every tested row: there the estimate extrapolates."
        )
    if not np.isfinite(result.low):
        found.append(
            f"{result.label} is defined on fewer than two matched folds: there is no interval. "
            f"Lower n_splits."
        )
    return found
