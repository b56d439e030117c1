"""How much of a score a lookup of the most similar training row explains."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from honesteval._validation import check_1d, check_number, check_option, name_rows
from honesteval.checks._labels import LabelColumn, single_label_column
from honesteval.checks._model_scores import DEFAULT_METRICS
from honesteval.checks._nearest_label import NearestLabel, nearest_labels
from honesteval.checks._score_parts import ScoreOnParts, score_parts
from honesteval.checks._split_rows import check_parts
from honesteval.exceptions import HonestevalWarning
from honesteval.similarity import Similarity, resolve_similarity
from honesteval.stats import BootstrapDifference, bootstrap_difference, get_metric
from honesteval.stats._bootstrap_engine import METHODS

__all__ = [
    "NEAR_DUPLICATE_SIMILARITY",
    "MemorizationResult",
    "memorization_check",
]

#: Test rows with a training row at least this similar are near duplicates of it.
NEAR_DUPLICATE_SIMILARITY = 0.9


@dataclass(frozen=True, eq=False)
class MemorizationResult:
    """Result of :func:`memorization_check`.

    Attributes
    ----------
    metric, label : str
        Name of the metric, and the name shown.
    greater_is_better : bool
    similarity : str
        The measure in words.
    near_duplicate_threshold : float
        Test rows with a training row at least this similar are near duplicates.
    n_train, n_test : int
        Labelled rows compared.
    n_near, n_clean : int
        Test rows with and without a near duplicate in training.
    n_unlabelled : int
        Rows of either part left out because their label is missing.
    neighbor : ScoreOnParts
        The mean label of the most similar training rows as the prediction.
    models : dict of str to ScoreOnParts
        The same for the predictions given.
    differences : dict of str to BootstrapDifference
        Score of the nearest neighbour minus that of each model on the clean rows.
    rows : DataFrame
        One line per test row: ``test_row``, ``similarity`` (highest to training), ``n_tied``,
        ``near_duplicate``, ``label``, ``nearest_label``.
    """

    metric: str
    label: str
    greater_is_better: bool
    similarity: str
    near_duplicate_threshold: float
    n_train: int
    n_test: int
    n_near: int
    n_clean: int
    n_unlabelled: int
    neighbor: ScoreOnParts
    models: dict[str, ScoreOnParts]
    differences: dict[str, BootstrapDifference]
    rows: pd.DataFrame = field(repr=False)

    @property
    def share_near(self) -> float:
        """Share of the test rows with a near duplicate in training."""
        return self.n_near / self.n_test

    @property
    def ranking_changes(self) -> bool:
        """Whether the order of the models (nearest neighbour included) differs between parts."""
        scores = [self.neighbor, *self.models.values()]
        if any(np.isnan([score.all, score.clean]).any() for score in scores):
            return False
        everything = np.argsort([score.all for score in scores], kind="stable")
        clean = np.argsort([score.clean for score in scores], kind="stable")
        return not np.array_equal(everything, clean)

    def to_frame(self) -> pd.DataFrame:
        """Return one line per predictor with its scores on both parts."""
        scores = {"nearest neighbour": self.neighbor, **self.models}
        return pd.DataFrame(
            [
                {
                    "predictor": name,
                    "metric": self.metric,
                    "all": score.all,
                    "clean": score.clean,
                    "inflation": score.inflation,
                    "inflation_low": score.inflation_low,
                    "inflation_high": score.inflation_high,
                    "n_all": self.n_test,
                    "n_clean": self.n_clean,
                }
                for name, score in scores.items()
            ]
        )

    def summary(self) -> str:
        """Return the result in a few lines of text."""
        lines = [
            f"{self.n_near} of {self.n_test} test rows ({self.share_near:.0%}) have a training "
            f"row at similarity {self.near_duplicate_threshold:g} or more ({self.similarity}).",
            _line("Nearest neighbour", self.label, self.neighbor),
            *(_line(name, self.label, score) for name, score in self.models.items()),
        ]
        for name, difference in self.differences.items():
            lines.append(
                f"On the {self.n_clean} clean rows, nearest neighbour minus {name}: "
                f"{difference.estimate:+.3f} [{difference.low:+.3f}, {difference.high:+.3f}]."
            )
        if self.ranking_changes:
            lines.append("The order of the predictors changes on the clean rows.")
        if self.n_unlabelled:
            lines.append(f"{self.n_unlabelled} rows without a label were left out.")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        lines = "<br>".join(escape(line) for line in self.summary().splitlines())
        return f"<p>{lines}</p>" + self.to_frame().to_html(
            index=False, float_format="{:.3f}".format
        )


def _line(name: str, label: str, score: ScoreOnParts) -> str:
    text = f"{name}: {label} {score.all:.3f} on all test rows, {score.clean:.3f} on the clean ones"
    if np.isnan(score.inflation):
        return text + "."
    return (
        f"{text}; error x{score.inflation:.2f} "
        f"[{score.inflation_low:.2f}, {score.inflation_high:.2f}]."
    )


def memorization_check(
    X: Any,
    y: Any,
    *,
    train: Any,
    test: Any,
    similarity: Any = "auto",
    y_pred: Any = None,
    metric: Any = "auto",
    near_duplicate_threshold: float = NEAR_DUPLICATE_SIMILARITY,
    method: str = "bca",
    n_resamples: int = 1999,
    confidence_level: float = 0.95,
    random_state: int | np.random.Generator | np.random.RandomState | None = None,
) -> MemorizationResult:
    """Score a lookup of the most similar training row, with and without near duplicates.

    A model that only remembers its training set scores well on test rows that repeat training
    rows, and says nothing about new ones. The prediction "the label of the most similar training
    row" is such a model. How well it does, and how much worse on the test rows without a near
    duplicate, tells how much of a score the split gives away. A useful model beats it on the
    clean rows.

    Parameters
    ----------
    X : array-like of n rows
        What is compared: SMILES, molecules, fingerprints, or whatever ``similarity`` takes.
    y : array-like of shape (n,)
        Labels: numbers, two or more classes, text. Rows with a missing label are left out.
    train, test : array-like of int or bool
        Row positions (or boolean masks) of the two parts.
    similarity : str, callable or Similarity, default="auto"
        As in :func:`honesteval.similarity.resolve_similarity`.
    y_pred : array-like of shape (n_test,), or mapping of such, default=None
        Predictions of a model (or of several, by name) for the rows of ``test``, in that order:
        values, scores of the positive class (the greater label), or class labels, as the metric
        takes them.
    metric : str, Metric or callable, default="auto"
        ``"auto"`` is ROC-AUC for two classes, accuracy for more, and MAE for numbers.
    near_duplicate_threshold : float in (0, 1], default=0.9
        Test rows with a training row at least this similar are near duplicates.
    method : {"bca", "percentile", "basic", "studentized"}, default="bca"
        Bootstrap interval of the difference between nearest neighbour and model.
    n_resamples : int, default=1999
    confidence_level : float in (0, 1), default=0.95
    random_state : int, Generator, RandomState or None, default=None

    Returns
    -------
    result : MemorizationResult

    Raises
    ------
    ValueError
        If a part is empty, the parts overlap, no row has a label, all labels are equal, or an
        argument does not fit.

    Warns
    -----
    HonestevalWarning
        If the test rows have one label only.

    Notes
    -----
    Labels of all training rows tied for nearest (within 1e-9) are averaged, so that the result
    does not depend on the order of the rows. The inflation is bootstrapped over test rows; the
    training set is taken as it is.

    References
    ----------
    I. Wallach and A. Heifets, "Most ligand-based classification benchmarks reward memorization
    rather than generalization", J. Chem. Inf. Model. 58 (2018) 916-932.

    Examples
    --------
    >>> from honesteval.checks import memorization_check
    >>> from honesteval.datasets import make_near_duplicates
    >>> made = make_near_duplicates()
    >>> result = memorization_check(
    ...     made.data, made.target, train=made.train, test=made.test, random_state=0
    ... )
    >>> result.n_near, round(result.neighbor.all, 3), round(result.neighbor.clean, 3)
    (284, 0.518, 0.848)
    """
    check_number(
        near_duplicate_threshold, "near_duplicate_threshold", low=0, high=1, closed="right"
    )
    check_option(method, "method", METHODS)
    check_number(n_resamples, "n_resamples", low=1, integer=True)
    check_number(confidence_level, "confidence_level", low=0, high=1, closed="neither")
    measure = resolve_similarity(X, similarity)
    labels = single_label_column(y, measure.n_items)
    train_rows, test_rows = check_parts(train, test, measure.n_items)
    predictions = _predictions(y_pred, len(test_rows), labels)
    labelled = labels.measured[test_rows]
    train_labelled = train_rows[labels.measured[train_rows]]
    n_unlabelled = len(train_rows) - len(train_labelled) + int((~labelled).sum())
    nearest = nearest_labels(measure, labels, train_labelled, test_rows[labelled])
    used = np.concatenate([train_labelled, test_rows[labelled]])
    if len(np.unique(labels.values[used])) < 2:
        raise ValueError("All labels of the two parts are equal: there is nothing to predict.")
    if metric == "auto" and len(np.unique(labels.values[test_rows[labelled]])) < 2:
        warnings.warn(
            "The test rows have one label only, on which ROC-AUC and the like are undefined.",
            HonestevalWarning,
            stacklevel=2,
        )
    return compare_parts(
        nearest,
        labels,
        {name: values[labelled] for name, values in predictions.items()},
        metric=metric,
        similarity=measure,
        n_train=len(train_labelled),
        n_unlabelled=n_unlabelled,
        threshold=float(near_duplicate_threshold),
        method=method,
        n_resamples=int(n_resamples),
        confidence_level=float(confidence_level),
        random_state=random_state,
    )


def compare_parts(
    nearest: NearestLabel,
    labels: LabelColumn,
    predictions: Mapping[str, NDArray[Any]],
    *,
    metric: Any,
    similarity: Similarity,
    n_train: int,
    n_unlabelled: int,
    threshold: float,
    method: str = "bca",
    n_resamples: int = 1999,
    confidence_level: float = 0.95,
    random_state: Any = None,
) -> MemorizationResult:
    """Score the nearest neighbour and other predictions on all test rows and the clean ones.

    Rows may repeat (a row tested in several folds); they are then drawn together.
    """
    chosen = get_metric(DEFAULT_METRICS[labels.kind] if metric == "auto" else metric)
    y = labels.values[nearest.rows]
    near = nearest.similarity >= threshold
    clean = ~near
    guess = nearest.prediction(chosen.prediction == "classes")
    bootstrap = {
        "method": method,
        "n_resamples": n_resamples,
        "confidence_level": confidence_level,
        "random_state": random_state,
    }
    scores = score_parts(
        chosen, y, [guess, *predictions.values()], near, rows=nearest.rows, bootstrap=bootstrap
    )
    differences = {}
    if not np.isnan(scores[0].clean):
        groups = _repeated(nearest.rows[clean])
        differences = {
            name: bootstrap_difference(
                y[clean], guess[clean], values[clean], metric=chosen, groups=groups, **bootstrap
            )
            for name, values in predictions.items()
        }
    return MemorizationResult(
        metric=chosen.name,
        label=chosen.label,
        greater_is_better=chosen.greater_is_better,
        similarity=similarity.name,
        near_duplicate_threshold=threshold,
        n_train=n_train,
        n_test=len(y),
        n_near=int(near.sum()),
        n_clean=int(clean.sum()),
        n_unlabelled=n_unlabelled,
        neighbor=scores[0],
        models=dict(zip(predictions, scores[1:], strict=True)),
        differences=differences,
        rows=nearest.to_frame(y, threshold),
    )


def _predictions(y_pred: Any, n_test: int, labels: LabelColumn) -> dict[str, NDArray[Any]]:
    """Return named predictions; class labels become the codes used for y."""
    if y_pred is None:
        return {}
    named = y_pred if isinstance(y_pred, Mapping) else {"model": y_pred}
    return {str(name): _prediction(values, n_test, labels) for name, values in named.items()}


def _prediction(values: Any, n_test: int, labels: LabelColumn) -> NDArray[np.float64]:
    array = check_1d(values, "y_pred")
    if len(array) != n_test:
        raise ValueError(
            f"y_pred needs one prediction per row of test, in its order: {n_test} rows, "
            f"got {len(array)}."
        )
    if array.dtype.kind in "OUS" and labels.classes and isinstance(labels.classes[0], str):
        position = {name: code for code, name in enumerate(labels.classes)}
        unknown = np.flatnonzero([str(value) not in position for value in array])
        if len(unknown):
            raise ValueError(
                f"y_pred holds labels that y does not have in {name_rows(unknown)}: "
                f"{array[unknown[0]]!r} is none of {', '.join(map(repr, labels.classes[:5]))}."
            )
        return np.array([position[str(value)] for value in array], dtype=np.float64)
    numbers = check_1d(array, "y_pred", numeric=True)
    missing = np.flatnonzero(np.isnan(numbers))
    if len(missing):
        raise ValueError(f"y_pred holds NaN in {name_rows(missing)} of the test rows.")
    if labels.kind == "classes":
        numbers = np.searchsorted(labels.classes, numbers).astype(np.float64)
    return numbers


def _repeated(rows: NDArray[np.intp]) -> NDArray[np.intp] | None:
    return rows if len(np.unique(rows)) < len(rows) else None
