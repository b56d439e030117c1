"""BBC-CV: correct the best of many cross-validation scores without a single further fit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from honesteval._notebook import ShownInNotebook
from honesteval._validation import check_1d, check_groups, check_n_resamples, check_same_length
from honesteval.stats import Metric, get_metric
from honesteval.stats._kernels import RowWeights

_CHUNK = 256


@dataclass(frozen=True, eq=False)
class BBCResult(ShownInNotebook):
    """The best configuration's score, corrected for having been chosen.

    Parameters
    ----------
    estimate : float
        Mean out-of-bag score of the configuration chosen in the bag: the corrected score.
    low, high : float
        Percentile interval of it.
    confidence_level : float
    best_index : int
        Configuration with the best score on all rows.
    best_score : float
        That score: what would have been reported.
    optimism : float
        How much better ``best_score`` is than ``estimate``, in the metric's own direction.
    metric : str
    n_configurations : int
        Configurations compared.
    n_left_out : int
        Configurations without a prediction for every row (failed or pruned trials).
    n_resamples, n_undefined : int
        Bootstraps drawn, and those left out because the metric was undefined.
    distribution : ndarray of shape (n_resamples - n_undefined,)
    """

    estimate: float
    low: float
    high: float
    confidence_level: float
    best_index: int
    best_score: float
    optimism: float
    metric: str
    n_configurations: int
    n_left_out: int
    n_resamples: int
    n_undefined: int
    distribution: NDArray[np.float64] = field(repr=False)

    def summary(self) -> str:
        """Return the correction in words."""
        text = (
            f"BBC-CV: {self.metric} {self.estimate:.3f} [{self.low:.3f}, {self.high:.3f}] "
            f"({100 * self.confidence_level:g} %) in place of the best score of "
            f"{self.n_configurations} configurations, {self.best_score:.3f}"
        )
        if self.n_left_out:
            text += f"; {self.n_left_out} configurations without all predictions left out"
        if self.n_undefined:
            text += f"; {self.n_undefined} of {self.n_resamples} bootstraps undefined"
        return text


def bbc_cv(
    predictions: Any,
    y: ArrayLike,
    *,
    metric: Any = "roc_auc",
    groups: ArrayLike | None = None,
    n_resamples: int = 1000,
    confidence_level: float = 0.95,
    random_state: Any = None,
) -> BBCResult:
    """Estimate the score of "take the best configuration" from the predictions of all of them.

    In each bootstrap the configuration with the best score on the drawn rows is scored on the
    rows that were not drawn. It costs no fit. It is less biased than the best score and a little
    more than nested cross-validation: on null data (80 rows, 200 features, 36 configurations)
    the best score was .103 too high, this .033, nested cross-validation .008.

    Parameters
    ----------
    predictions : array-like of shape (n_rows, n_configurations), or fitted OptunaSearchCV
        Out-of-fold predictions of each configuration. Of a search the ``oof_predictions_``, for
        which it needs ``store_predictions=True``.
    y : array-like of shape (n_rows,)
    metric : str, Metric or callable, default="roc_auc"
        As in :func:`honesteval.stats.bootstrap_ci`. A callable ``metric(y, prediction)`` must be
        larger for better predictions.
    groups : array-like of shape (n_rows,), default=None
        Whole groups are drawn.
    n_resamples : int, default=1000
    confidence_level : float, default=0.95
    random_state : int, RandomState, Generator or None, default=None

    Returns
    -------
    result : BBCResult

    Raises
    ------
    ValueError
        If no configuration has predictions for every row, or no bootstrap allows the metric.

    References
    ----------
    Tsamardinos, Greasidou and Borboudakis, "Bootstrapping the out-of-sample predictions for
    efficient and accurate cross-validation", Machine Learning 107 (2018), algorithm 4.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=80)
    >>> guesses = rng.normal(size=(80, 36))
    >>> result = bbc_cv(guesses, y, random_state=0)
    >>> bool(result.best_score > 0.58), bool(abs(result.estimate - 0.5) < 0.07)
    (True, True)
    """
    check_n_resamples(n_resamples, confidence_level)
    table = _prediction_table(predictions)
    check_same_length(predictions=table, y=y, groups=groups)
    labels = np.asarray(y)
    kept = np.flatnonzero(np.isfinite(table).all(axis=0))
    if len(kept) == 0:
        raise ValueError("No configuration has a prediction for every row.")
    measure = get_metric(metric)
    sign = 1.0 if measure.greater_is_better else -1.0
    samples = [measure.sample(labels, table[:, column]) for column in kept]
    whole = _scores(measure, samples, np.ones((1, len(labels)), dtype=np.int64))[:, 0]
    if not np.isfinite(whole).any():
        raise ValueError(f"{measure.label} is undefined here: {measure.why_undefined(samples[0])}.")
    drawn: list[NDArray[np.float64]] = []
    for counts in _bootstrap_counts(len(labels), groups, n_resamples, random_state):
        inside = _scores(measure, samples, counts)
        outside = _scores(measure, samples, (counts == 0).astype(np.int64))
        chosen = np.argmax(np.where(np.isnan(inside), -np.inf, sign * inside), axis=0)
        scores = outside[chosen, np.arange(len(counts))]
        drawn.append(np.where(np.isfinite(inside).any(axis=0), scores, np.nan))
    values = np.concatenate(drawn)
    known = values[np.isfinite(values)]
    if len(known) == 0:
        raise ValueError(f"{measure.label} is undefined on the rows left out of every bootstrap.")
    best = int(np.nanargmax(sign * whole))
    tail = (1 - confidence_level) / 2
    low, high = np.quantile(known, [tail, 1 - tail])
    estimate = float(known.mean())
    return BBCResult(
        estimate=estimate,
        low=float(low),
        high=float(high),
        confidence_level=confidence_level,
        best_index=int(kept[best]),
        best_score=float(whole[best]),
        optimism=float(sign * (whole[best] - estimate)),
        metric=measure.label,
        n_configurations=len(kept),
        n_left_out=table.shape[1] - len(kept),
        n_resamples=n_resamples,
        n_undefined=n_resamples - len(known),
        distribution=known,
    )


def _prediction_table(predictions: Any) -> NDArray[np.float64]:
    if hasattr(predictions, "fit"):
        if not hasattr(predictions, "oof_predictions_"):
            raise ValueError(
                f"{type(predictions).__name__} has no out-of-fold predictions. Fit an "
                "OptunaSearchCV with store_predictions=True, or pass a matrix of shape "
                "(n_rows, n_configurations)."
            )
        predictions = predictions.oof_predictions_
    table = np.asarray(predictions)
    if table.ndim != 2:
        raise ValueError(
            "predictions must have shape (n_rows, n_configurations): one number per row and "
            f"configuration. Got shape {table.shape}."
        )
    try:
        return table.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            "predictions must be numbers. Code the classes as 0 and 1 (or use scores)."
        ) from None


def _scores(measure: Metric, samples: list[Any], counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the metric of each configuration under each line of counts, NaN where undefined."""
    weights = RowWeights(counts)
    return np.array([measure.evaluate(sample.weighted(weights)) for sample in samples])


def _bootstrap_counts(
    n_rows: int, groups: ArrayLike | None, n_resamples: int, random_state: Any
) -> Any:
    """Yield how often each row (or the group it is in) was drawn, in chunks of lines."""
    generator = np.random.default_rng(
        random_state if isinstance(random_state, int | np.random.Generator) or random_state is None
        else random_state.randint(2**31 - 1)
    )  # fmt: skip
    units = np.arange(n_rows)
    if groups is not None:
        labels = check_groups(check_1d(groups, "groups"), n_rows)
        units = np.unique(labels, return_inverse=True)[1].ravel()
    n_units = int(units.max()) + 1
    for start in range(0, n_resamples, _CHUNK):
        size = min(_CHUNK, n_resamples - start)
        draws = generator.integers(n_units, size=(size, n_units))
        counts = np.stack([np.bincount(line, minlength=n_units) for line in draws])
        yield counts[:, units]
