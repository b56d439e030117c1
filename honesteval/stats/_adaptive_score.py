"""The dataset-adaptive normalised score, with every factor and a control beside it."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import clone, is_classifier
from sklearn.metrics import (
    accuracy_score,
    confusion_matrix,
    mean_absolute_percentage_error,
    normalized_mutual_info_score,
    silhouette_score,
)
from sklearn.model_selection import cross_val_predict, train_test_split
from sklearn.utils import _safe_indexing

from honesteval._validation import check_number, check_option, check_same_length, n_rows
from honesteval.stats._exchangeability import plan_label_permutation
from honesteval.stats._permutation_procedure import relabelled
from honesteval.stats._random_state import RandomState, as_random_state, draw_seed

Predictions = Literal["out_of_fold", "hold_out", "training"]
PREDICTIONS: tuple[Predictions, ...] = ("out_of_fold", "hold_out", "training")
Labelled = tuple[Any, Any]
TASKS = ("auto", "classification", "regression", "clustering")

SIZE_CONSTANT = 0.05
"""k of the size factor: it is 1 from 1/k = 20 rows per feature on."""

SNR_KNOTS_DB = (0.0, 10.0, 15.0, 25.0, 40.0)
SNR_BONUSES = (0.0, 0.125, 0.25, 0.375, 0.5)
"""Signal-to-noise ratios in decibels and what each adds to the factor 1, linear in between."""


@dataclass(frozen=True)
class AdaptiveScore:
    """Result of :func:`adaptive_score`: ``min(1, metric * f * g / h)`` with every factor.

    Attributes
    ----------
    score : float
        The normalised score, at most 1.
    uncapped : float
        The product before it is cut at 1.
    metric : float
        The plain metric, before any factor.
    metric_name : str
    size_factor : float
        f, from 1 to 1.5; it *raises* the score when rows are few for the features.
    snr_db : float
        Signal-to-noise ratio of the predictions in decibels; NaN for clustering.
    snr_factor : float
        g, from 1 to 1.5.
    imbalance_ratio : float
        Largest over smallest class; for clusters the inverse mean size relative to the largest.
    imbalance_factor : float
        h, at least 1; it lowers the score.
    n_samples, n_features : int
        Of the training set; without the rows held out.
    task : {"binary", "multiclass", "regression", "clustering"}
    predictions : {"out_of_fold", "hold_out", "training"}
        Which predictions the metric was computed from.
    control_scores : ndarray of shape (n_controls,)
        The same score of the same model on permuted labels (for clustering without labels: on
        columns permuted one by one). It should be far below ``score``.
    """

    score: float
    uncapped: float
    metric: float
    metric_name: str
    size_factor: float
    snr_db: float
    snr_factor: float
    imbalance_ratio: float
    imbalance_factor: float
    n_samples: int
    n_features: int
    task: str
    predictions: str
    control_scores: NDArray[np.float64] = field(repr=False)

    @property
    def control(self) -> float:
        """Mean score on permuted labels."""
        return float(np.mean(self.control_scores))

    @property
    def beats_control(self) -> bool:
        """Whether the score is above every one on permuted labels."""
        return bool(self.score > np.max(self.control_scores))

    def to_frame(self) -> pd.DataFrame:
        """Return one row with the score, every factor and the control."""
        hidden = ("control_scores",)
        row = {name: value for name, value in vars(self).items() if name not in hidden}
        return pd.DataFrame([row | {"control": self.control, "beats_control": self.beats_control}])

    def summary(self) -> str:
        """Return the score as the product it is, with the control beside it."""
        lines = [
            f"Adaptive score {self.score:.3f} = min(1, {self.metric_name} {self.metric:.3f} x size "
            f"{self.size_factor:.3f} x signal {self.snr_factor:.3f} / imbalance "
            f"{self.imbalance_factor:.3f}) of {self.predictions.replace('_', '-')} predictions, "
            f"{self.n_samples} rows, {self.n_features} features",
            f"The same model on permuted labels: {self.control:.3f} "
            f"(highest of {len(self.control_scores)}: {self.control_scores.max():.3f})",
        ]
        if not self.beats_control:
            lines.append("It does not beat permuted labels: it says nothing about this model.")
        if self.uncapped >= 1:
            lines.append("It is cut at 1: models above that cannot be told apart.")
        lines.append("A diagnostic to read with its factors, not an estimate of performance.")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return str(self.to_frame().to_html(index=False, float_format="{:.4g}".format))


def adaptive_score(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    task: str = "auto",
    metric: Callable[[Any, Any], float] | None = None,
    predictions: Predictions = "out_of_fold",
    cv: Any = 5,
    test_size: float = 0.25,
    n_features: int | None = None,
    n_controls: int = 10,
    random_state: RandomState = None,
) -> AdaptiveScore:
    """Dataset-adaptive normalised score of a model, from its training set alone.

    ``min(1, metric * f(d, N) * g(SNR) / h(CIR))`` with a size factor for N rows of d features,
    a signal-to-noise factor and a class-imbalance factor.

    It is offered as a diagnostic, to be read with its factors and its control; never report it as
    the performance of a model. What it does, measured:

    - The size factor *raises* the score of small samples. Diabetes, least squares, 1 - MAPE (.603
      on all rows), mean distance to that from 40/80/160/320 rows over 30 samples: this score
      .168/.210/.098/.067, with ``predictions="hold_out"`` .276/.289/.161/.077; the plain hold-out
      score .151/.096/.059/.039; repeated cross-validation .127/.055/.025/.009;
      :func:`learning_curve_extrapolation` .086/.036/.021/.008. An independent measurement gives
      .297/.291/.212/.070 for this score and .156/.103/.045/.036 for the hold-out score.
    - It is cut at 1, which almost any model reaches on easy data: naive Bayes on breast cancer
      has an accuracy of .938, and this score is 1.000 at every one of those sizes.
    - With ``predictions="training"``, a model that memorises scores 1.000 on permuted labels.
      That is what ``control_scores`` are for: the same model, labels without information.

    Parameters
    ----------
    estimator : estimator
        Classifier with ``predict_proba``, regressor, or clusterer with ``fit_predict``.
    X : array-like with n rows
        Training set.
    y : array-like of shape (n,), default=None
        Labels; for clustering optional true clusters.
    task : {"auto", "classification", "regression", "clustering"}, default="auto"
    metric : callable, default=None
        ``metric(y, predicted) -> float``, at most 1. By default the accuracy, 1 - mean absolute
        percentage error, or normalised mutual information; for clustering without ``y`` the
        silhouette, and then the call is ``metric(X, clusters)``.
    predictions : {"out_of_fold", "hold_out", "training"}, default="out_of_fold"
        What the metric is computed from: predictions by cross-validation inside the training
        set; of rows held out, with every factor from the others alone; or of the training rows
        themselves. The publication leaves these readings open. The signal-to-noise ratio is that
        of the same predictions, for ``"hold_out"`` that of out-of-fold predictions of the rows
        that are not held out.
    cv : int, splitter or iterable, default=5
        Folds for out-of-fold predictions; each row must be in one test part.
    test_size : float in (0, 1), default=0.25
        Share of the rows held out, stratified for a classifier, with ``"hold_out"``.
    n_features : int, default=None
        d, where it is not the number of columns of X.
    n_controls : int, default=10
        Permuted copies of the labels to score.
    random_state : int, Generator, RandomState or None, default=None
        Of the permutations, and of the rows held out.

    Returns
    -------
    result : AdaptiveScore

    Raises
    ------
    ValueError
        If a classifier has no ``predict_proba``, labels are missing, or an argument is out of
        range.

    Notes
    -----
    ``f = 1 + max(0, sigmoid(d/(0.05 N) - 1) - 1/2)``, so f = 1 from N = 20 d on.
    ``h = 1 + ln(CIR)``; 1 for regression. ``g = 1 + b`` with b linear from 0 at 0 dB to .125 at
    10 dB, .25 at 15 dB, .375 at 25 dB and .5 from 40 dB on; 1 for clustering.
    SNR in decibels is ``10 log10`` of sum y^2 / sum (predicted - y)^2 for regression, correct /
    sum (1 - p_predicted)^2 for two classes, and sum M_ii^2 / sum ||p - onehot||^2 with the
    confusion matrix M for more.

    References
    ----------
    S. Ossenov, "Developing a Dataset-Adaptive, Normalized Metric for Machine Learning Model
    Assessment: Integrating Size, Complexity, and Class Imbalance", arXiv:2412.07244 (2024).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import Ridge
    >>> from honesteval.stats import adaptive_score
    >>> X, y = load_diabetes(return_X_y=True)
    >>> result = adaptive_score(Ridge(0.01), X[:40], y[:40], random_state=0)
    >>> round(result.metric, 2), round(result.size_factor, 3), round(result.snr_factor, 3)
    (0.63, 1.482, 1.105)
    >>> bool(result.score > result.metric)
    True
    """
    check_option(task, "task", TASKS)
    check_option(predictions, "predictions", PREDICTIONS)
    check_number(n_controls, "n_controls", low=1, integer=True)
    check_number(test_size, "test_size", low=0, high=1, closed="neither")
    if n_features is not None:
        check_number(n_features, "n_features", low=1, integer=True)
    check_same_length(X=X, y=y)
    task = _find_task(estimator, y, task)
    random = as_random_state(random_state)
    generator = np.random.default_rng(draw_seed(random))
    rows = np.arange(n_rows(X)), None
    if predictions == "hold_out" and task != "clustering":
        rows = train_test_split(
            rows[0], test_size=test_size, stratify=None if task == "regression" else y,
            random_state=draw_seed(random),
        )  # fmt: skip
    recipe = _Recipe(
        estimator, task, metric, predictions, cv, *rows,
        n_features=_count_features(X) if n_features is None else n_features,
    )  # fmt: skip
    parts = recipe.parts(X, y)
    controls = [recipe.control(X, y, generator) for _ in range(n_controls)]
    return AdaptiveScore(
        **parts,
        metric_name=_metric_name(metric, task, y),
        n_samples=len(recipe.training),
        n_features=recipe.n_features,
        task=task,
        predictions="training" if task == "clustering" else predictions,
        control_scores=np.array(controls),
    )


def size_factor(n_features: int, n_samples: int) -> float:
    """Return f(d, N): 1 from 20 rows per feature on, up to 1.5 below."""
    ratio = n_features / (SIZE_CONSTANT * n_samples)
    return float(1 + max(0.0, expit(ratio - 1) - 0.5))


def snr_factor(snr_db: float) -> float:
    """Return g: 1 plus the bonus of a signal-to-noise ratio in decibels."""
    return float(1 + np.interp(snr_db, SNR_KNOTS_DB, SNR_BONUSES))


def regression_snr(y: Any, predicted: Any) -> float:
    """Return the signal-to-noise ratio of predicted values in decibels."""
    true, predicted = np.asarray(y, dtype=float), np.asarray(predicted, dtype=float)
    return _decibels(float((true**2).sum()), float(((predicted - true) ** 2).sum()))


def classification_snr(y: Any, probabilities: Any, classes: Any) -> float:
    """Return the signal-to-noise ratio of predicted probabilities in decibels."""
    chances = np.asarray(probabilities, dtype=float)
    codes = np.searchsorted(classes, y)
    predicted = chances.argmax(axis=1)
    if len(classes) == 2:
        doubt = 1 - chances[np.arange(len(codes)), predicted]
        return _decibels(float((predicted == codes).sum()), float((doubt**2).sum()))
    matrix = confusion_matrix(codes, predicted, labels=np.arange(len(classes)))
    distance = ((chances - np.eye(len(classes))[codes]) ** 2).sum()
    return _decibels(float((np.diag(matrix).astype(float) ** 2).sum()), float(distance))


def _decibels(signal: float, noise: float) -> float:
    if noise == 0:
        return math.inf
    return 10 * math.log10(signal / noise) if signal > 0 else -math.inf


@dataclass(frozen=True)
class _Recipe:
    """How one score is computed; the same for the labels and for their permutations."""

    estimator: Any
    task: str
    metric: Callable[[Any, Any], float] | None
    predictions: str
    cv: Any
    training: NDArray[np.intp]
    held_out: NDArray[np.intp] | None
    n_features: int

    def parts(self, X: Any, y: Any) -> dict[str, float]:
        """Return the score and its factors."""
        if self.task == "regression":
            value, snr, ratio = self._regression(X, y)
        elif self.task == "clustering":
            value, snr, ratio = self._clustering(X, y)
        else:
            value, snr, ratio = self._classification(X, y)
        f = size_factor(self.n_features, len(self.training))
        g = 1.0 if math.isnan(snr) else snr_factor(snr)
        h = 1 + math.log(ratio)
        uncapped = value * f * g / h
        return {
            "score": min(1.0, uncapped), "uncapped": uncapped, "metric": value, "size_factor": f,
            "snr_db": snr, "snr_factor": g, "imbalance_ratio": ratio, "imbalance_factor": h,
        }  # fmt: skip

    def control(self, X: Any, y: Any, random: np.random.Generator) -> float:
        """Return the score of the same model where labels carry no information."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self.parts(*_without_information(X, y, random))["score"]

    def _regression(self, X: Any, y: Any) -> tuple[float, float, float]:
        metric = self.metric or _one_minus_mape
        scored, factors = self._predict(X, y, "predict")
        return float(metric(*scored)), regression_snr(*factors), 1.0

    def _classification(self, X: Any, y: Any) -> tuple[float, float, float]:
        metric = self.metric or accuracy_score
        (true, chances), factors = self._predict(X, y, "predict_proba")
        classes, counts = np.unique(np.asarray(factors[0]), return_counts=True)
        predicted = classes[chances.argmax(axis=1)]
        snr = classification_snr(*factors, classes)
        return float(metric(true, predicted)), snr, float(counts.max() / counts.min())

    def _clustering(self, X: Any, y: Any) -> tuple[float, float, float]:
        clusters = clone(self.estimator).fit_predict(X)
        default = silhouette_score if y is None else normalized_mutual_info_score
        metric = self.metric or default
        sizes = np.unique(clusters, return_counts=True)[1]
        ratio = float(1 / (sizes / sizes.max()).mean())
        return float(metric(X if y is None else y, clusters)), math.nan, ratio

    def _predict(self, X: Any, y: Any, method: str) -> tuple[Labelled, Labelled]:
        """Return labels and predictions for the metric, and those for the factors."""
        if self.held_out is None:
            predicted = self._of_training(X, y, method)
            return (y, predicted), (y, predicted)
        X, y, X_test, y_test = (
            _safe_indexing(part, rows) for rows in (self.training, self.held_out) for part in (X, y)
        )
        predicted = getattr(clone(self.estimator).fit(X, y), method)(X_test)
        return (y_test, predicted), (y, self._of_training(X, y, method))

    def _of_training(self, X: Any, y: Any, method: str) -> Any:
        if self.predictions == "training":
            return getattr(clone(self.estimator).fit(X, y), method)(X)
        return cross_val_predict(self.estimator, X, y, cv=self.cv, method=method)


def _find_task(estimator: Any, y: Any, task: str) -> str:
    if task == "auto":
        clusters = not hasattr(estimator, "predict_proba") and hasattr(estimator, "fit_predict")
        task = "clustering" if y is None or (clusters and not is_classifier(estimator)) else (
            "classification" if is_classifier(estimator) else "regression"
        )  # fmt: skip
    if task == "clustering":
        if not hasattr(estimator, "fit_predict"):
            raise ValueError(
                f"Without y the estimator must be a clusterer with fit_predict, and "
                f"{type(estimator).__name__} is none. Pass the labels as y."
            )
        return task
    if y is None:
        raise ValueError(f"task={task!r} needs labels. Got y=None.")
    if task == "regression":
        return task
    if not hasattr(estimator, "predict_proba"):
        raise ValueError(
            f"The signal-to-noise ratio of a classifier needs probabilities, and "
            f"{type(estimator).__name__} has no predict_proba. Wrap it in CalibratedClassifierCV."
        )
    n_classes = len(np.unique(np.asarray(y)))
    if n_classes < 2:
        raise ValueError("y has one class only.")
    return "binary" if n_classes == 2 else "multiclass"


def _without_information(X: Any, y: Any, random: np.random.Generator) -> tuple[Any, Any]:
    """Return the data with permuted labels; without labels, with columns permuted singly."""
    if y is not None:
        return X, relabelled(y, plan_label_permutation(y).draw(random))
    return random.permuted(np.asarray(X), axis=0), None


def _one_minus_mape(y: Any, predicted: Any) -> float:
    return 1 - float(mean_absolute_percentage_error(y, predicted))


def _metric_name(metric: Any, task: str, y: Any) -> str:
    if metric is not None:
        return str(getattr(metric, "__name__", type(metric).__name__))
    if task == "regression":
        return "1 - MAPE"
    if task == "clustering":
        return "silhouette" if y is None else "NMI"
    return "accuracy"


def _count_features(X: Any) -> int:
    shape = getattr(X, "shape", None)
    if shape is None:
        shape = np.asarray(X).shape
    if len(shape) != 2:
        raise ValueError(
            f"The number of features is not the number of columns of X (shape {shape}). Give it "
            "as n_features."
        )
    return int(shape[1])
