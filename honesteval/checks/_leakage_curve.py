"""The score as a function of how much similarity may cross between test and training."""

from __future__ import annotations

import html
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray

from honesteval._validation import check_number, check_same_length, n_rows
from honesteval.checks._deployment_folds import class_balance, random_folds
from honesteval.checks._estimate_input import compared, require_instance, require_rows
from honesteval.checks._labels import LabelColumn, complete_label_column
from honesteval.checks._model_scores import DEFAULT_METRICS, predict_for
from honesteval.exceptions import HonestevalWarning
from honesteval.model_selection._entities_of import group_labels
from honesteval.model_selection._seeds import seed_of
from honesteval.partition import match_nearest
from honesteval.similarity import Similarity, resolve_similarity
from honesteval.stats import Metric, bootstrap_ci, get_metric

__all__ = ["LeakageCurve", "leakage_curve"]

IntArray = NDArray[np.intp]

#: Resamples of the rows for each point's interval.
N_RESAMPLES = 999


@dataclass(frozen=True)
class LeakageCurve:
    """Score against the similarity between test rows and their nearest training rows.

    Attributes
    ----------
    table : DataFrame
        One line per level: ``level`` (0: as little similarity as possible, 1: random folds),
        ``mean_similarity`` of test rows to their nearest training row, ``estimate``, ``low``,
        ``high``, ``fold_sd`` (standard deviation of the folds' scores).
    area : float
        Mean of the score over the range of similarity between both ends of the curve: the area
        under the curve divided by that range.
    drop : float
        Score on random folds minus score with as little similarity as possible.
    metric, label : str
        Name of the metric, and the name shown.
    similarity_name : str
    n : int
    rows : DataFrame
        One line per level and sample: ``level``, ``fold``, ``row``, ``y``, ``prediction``.
    """

    table: pd.DataFrame = field(repr=False, compare=False)
    area: float
    drop: float
    metric: str
    label: str
    similarity_name: str
    n: int
    rows: pd.DataFrame = field(repr=False, compare=False)

    def summary(self) -> str:
        """Return the curve in words."""
        lines = [f"{self.label} by similarity to training ({self.similarity_name}):"]
        lines += [
            f"  mean nearest similarity {line.mean_similarity:.2f}: {line.estimate:.3f} "
            f"[{line.low:.3f}, {line.high:.3f}]"
            for line in self.table.itertuples()
        ]
        return "\n".join(
            [*lines, f"area under it {self.area:.3f}; from end to end {self.drop:+.3f}"]
        )

    def to_frame(self) -> pd.DataFrame:
        """Return the table."""
        return self.table

    def _repr_html_(self) -> str:
        table = self.table.to_html(index=False, float_format="{:.4g}".format)
        return f"<pre>{html.escape(self.summary())}</pre>{table}"


def leakage_curve(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    entities: Any = None,
    similarity: Any = "auto",
    metric: str | Metric = "auto",
    groups: ArrayLike | None = None,
    n_levels: int = 5,
    n_splits: int = 5,
    n_moves: int = 2000,
    confidence_level: float = 0.95,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
) -> LeakageCurve:
    """Score a model on folds between random ones and the hardest ones the data allow.

    A flat curve: the model has learnt what also holds for strangers. A curve that falls towards
    low similarity: part of the score belongs to near relatives in training. All levels use all
    rows and training sets of the same size, so that nothing but similarity changes.

    Parameters
    ----------
    estimator : estimator
        Not modified; n_levels n_splits clones are fitted.
    X : array-like of shape (n_samples, ...)
        What the estimator is fitted on.
    y : array-like of shape (n_samples,)
        Labels: numbers, or classes.
    entities : array-like of shape (n_samples,), default=None
        What is compared (for example SMILES); by default X itself.
    similarity : str, callable or Similarity, default="auto"
        See :func:`honesteval.similarity.resolve_similarity`.
    metric : str or Metric, default="auto"
        A named metric or a function of labels and predictions. ``"auto"``: ROC-AUC for two
        classes, accuracy for more, mean absolute error for numbers.
    groups : array-like of shape (n_samples,), default=None
        Samples that stay together at all levels.
    n_levels : int >= 2, default=5
    n_splits : int >= 2, default=5
    n_moves : int, default=2000
        Moves of the search for the folds of each level.
    confidence_level : float in (0, 1), default=0.95
        Of the bootstrap interval of each point.
    random_state : int, RandomState instance or None, default=None
    n_jobs : int or None, default=None
        Fits run in parallel, as in joblib.

    Returns
    -------
    curve : LeakageCurve

    Raises
    ------
    ValueError
        If labels are missing or lengths differ.

    Notes
    -----
    The hardest folds minimise the mean similarity of test rows to their nearest training row.
    At a level between, the quantiles of these similarities are that far on the way to those of
    random folds, and folds are searched that have them
    (:func:`honesteval.partition.match_nearest`).

    References
    ----------
    Y. Ektefaie et al., "Evaluating generalizability of artificial intelligence models for
    molecular datasets", Nat. Mach. Intell. 6 (2024) 1512-1524,
    doi:10.1038/s42256-024-00931-6: the spectral performance curve and the area under it; there
    both sides shrink where less overlap is allowed.

    Examples
    --------
    A lookup of the nearest row on pairs of near copies, labels at random otherwise:

    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> from honesteval.checks import leakage_curve
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(40, 2)).repeat(3, axis=0) + 0.01 * rng.normal(size=(120, 2))
    >>> y = rng.normal(size=40).repeat(3)
    >>> curve = leakage_curve(
    ...     KNeighborsRegressor(1), X, y, similarity="rbf", n_levels=3, n_moves=300)
    >>> bool(curve.table["estimate"].iloc[0] > 2 * curve.table["estimate"].iloc[-1])
    True
    """
    check_same_length(X=X, y=y, entities=entities, groups=groups)
    require_instance(estimator)
    require_rows(y)
    check_number(n_levels, "n_levels", low=2, integer=True)
    check_number(n_splits, "n_splits", low=2, high=n_rows(y), integer=True)
    check_number(confidence_level, "confidence_level", low=0, high=1, closed="neither")
    labels = complete_label_column(y, n_rows(y))
    chosen = get_metric(DEFAULT_METRICS[labels.kind] if metric == "auto" else metric)
    measure = compared(entities, X, lambda rows: resolve_similarity(rows, similarity))
    seed = seed_of(random_state)
    fold_of, nearest = _folds_by_level(
        measure, labels, None if groups is None else group_labels(groups),
        n_levels=n_levels, n_splits=n_splits, n_moves=n_moves, random_state=seed,
    )  # fmt: skip
    rows = _predict(estimator, X, labels, fold_of, chosen, n_jobs)
    lines = [
        _point(rows[rows["level"] == level], near, chosen, groups, confidence_level, seed)
        for level, near in nearest.items()
    ]
    table = pd.DataFrame(lines)
    similarity_at, score = table["mean_similarity"].to_numpy(), table["estimate"].to_numpy()
    order = np.argsort(similarity_at, kind="stable")
    span = float(np.ptp(similarity_at))
    area = float(np.trapezoid(score[order], similarity_at[order]) / span) if span > 0 else score[-1]
    return LeakageCurve(
        table=table,
        area=float(area),
        drop=float(score[-1] - score[0]),
        metric=chosen.name,
        label=chosen.label,
        similarity_name=measure.name,
        n=len(labels.values),
        rows=rows,
    )


def _folds_by_level(
    similarity: Similarity,
    labels: LabelColumn,
    groups: IntArray | None,
    *,
    n_levels: int,
    n_splits: int,
    n_moves: int,
    random_state: int,
) -> tuple[dict[float, IntArray], dict[float, NDArray[np.float64]]]:
    """Return the fold of each sample, and its similarity to the nearest other fold, by level."""
    classes = class_balance(labels)

    def match(target: NDArray[np.float64]) -> Any:
        return match_nearest(
            similarity, target, n_folds=n_splits, must_link=() if groups is None else (groups,),
            classes=classes, n_moves=n_moves, random_state=random_state,
        )  # fmt: skip

    hardest = match(np.zeros(1))
    random = random_folds(labels, groups, n_splits, random_state)
    at_random = _nearest_outside(similarity, random)
    low, high = np.sort(hardest.nearest_similarity), np.sort(at_random)
    folds, nearest = {0.0: hardest.labels}, {0.0: hardest.nearest_similarity}
    for level in np.linspace(0, 1, n_levels)[1:-1]:
        found = match((1 - level) * low + level * high)
        folds[float(level)], nearest[float(level)] = found.labels, found.nearest_similarity
    folds[1.0], nearest[1.0] = random, at_random
    return folds, nearest


def _nearest_outside(similarity: Similarity, fold_of: IntArray) -> NDArray[np.float64]:
    nearest = np.empty(len(fold_of))
    for fold in np.unique(fold_of):
        inside = np.flatnonzero(fold_of == fold)
        nearest[inside] = similarity.nearest(inside, np.flatnonzero(fold_of != fold))[0]
    return nearest


def _predict(
    estimator: Any,
    X: Any,
    labels: LabelColumn,
    fold_of: dict[float, IntArray],
    metric: Metric,
    n_jobs: int | None,
) -> pd.DataFrame:
    splits = [
        (level, fold, np.flatnonzero(folds != fold), np.flatnonzero(folds == fold))
        for level, folds in fold_of.items()
        for fold in np.unique(folds)
    ]
    predicted = Parallel(n_jobs=n_jobs)(
        delayed(predict_for)(estimator, X, labels, train=train, test=test, metric=metric)
        for _, _, train, test in splits
    )
    return pd.concat(
        [
            pd.DataFrame(
                {
                    "level": level,
                    "fold": fold,
                    "row": test,
                    "y": labels.values[test],
                    "prediction": prediction,
                }
            )
            for (level, fold, _, test), prediction in zip(splits, predicted, strict=True)
        ],
        ignore_index=True,
    )


def _point(
    rows: pd.DataFrame,
    nearest: NDArray[np.float64],
    metric: Metric,
    groups: Any,
    confidence_level: float,
    seed: int,
) -> dict[str, float]:
    y, prediction = rows["y"].to_numpy(), rows["prediction"].to_numpy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HonestevalWarning)  # few resamples: said in the constant
        result = bootstrap_ci(
            y, prediction, metric=metric, n_resamples=N_RESAMPLES, random_state=seed,
            groups=None if groups is None else np.asarray(groups)[rows["row"]],
            confidence_level=confidence_level,
        )  # fmt: skip
    folds = [metric(f["y"].to_numpy(), f["prediction"].to_numpy()) for _, f in rows.groupby("fold")]
    defined = [score for score in folds if np.isfinite(score)]
    return {
        "level": float(rows["level"].iloc[0]),
        "mean_similarity": float(nearest.mean()),
        "estimate": result.estimate,
        "low": result.low,
        "high": result.high,
        "fold_sd": float(np.std(defined, ddof=1)) if len(defined) > 1 else float("nan"),
    }
