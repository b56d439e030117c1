"""The same model tested near, as far as the deployment, and as far as the data allow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold

from honesteval.checks._deployment_weights import Surroundings, surroundings
from honesteval.checks._labels import LabelColumn
from honesteval.checks._model_scores import predict_for
from honesteval.partition import (
    ClassTable,
    Effort,
    MatchedFolds,
    match_nearest,
    solve_partition,
)
from honesteval.similarity import Similarity
from honesteval.stats import Metric

__all__ = [
    "KINDS_OF_FOLDS",
    "OutOfFoldRows",
    "class_balance",
    "fold_labels",
    "predict_on_folds",
    "random_folds",
]

IntArray = NDArray[np.intp]

KINDS_OF_FOLDS = ("random", "matched", "hardest")


@dataclass(frozen=True, eq=False)
class OutOfFoldRows:
    """Out-of-fold predictions of one model on several kinds of folds.

    Parameters
    ----------
    table : DataFrame
        One row per kind of folds and sample: ``folds``, ``fold``, ``row``, ``y``,
        ``prediction``, ``similarity`` (to the nearest training row), ``disagreement`` (of the
        labels of the nearest training rows).
    met : Surroundings
        The same of the entities to be met, among all rows.
    """

    table: pd.DataFrame
    met: Surroundings

    @property
    def surroundings(self) -> Surroundings:
        """Those of the tested rows."""
        return Surroundings(
            self.table["similarity"].to_numpy(), self.table["disagreement"].to_numpy()
        )


def fold_labels(
    similarity: Similarity,
    target: NDArray[np.float64],
    labels: LabelColumn,
    groups: IntArray | None,
    *,
    n_splits: int,
    n_moves: int,
    random_state: int,
) -> tuple[dict[str, IntArray], MatchedFolds]:
    """Return the fold of each sample for each kind of folds, and how well the matched ones match.

    Parameters
    ----------
    similarity : Similarity
        Among the samples.
    target : ndarray of shape (n_met,)
        Highest similarity of each entity to be met to a sample.
    labels : LabelColumn
        For class balance.
    groups : ndarray of int of shape (n_samples,) or None
        Samples that stay together.
    n_splits, n_moves, random_state : int
    """
    must_link = () if groups is None else (groups,)
    classes = class_balance(labels)
    matched = match_nearest(
        similarity, target, n_folds=n_splits, must_link=must_link, classes=classes,
        n_moves=n_moves, random_state=random_state,
    )  # fmt: skip
    hardest = solve_partition(
        similarity, shares=np.ones(n_splits), must_link=must_link, classes=classes,
        effort=Effort(n_init=1), random_state=random_state,
    )  # fmt: skip
    random = random_folds(labels, groups, n_splits, random_state)
    return {"random": random, "matched": matched.labels, "hardest": hardest.labels}, matched


def class_balance(labels: LabelColumn) -> ClassTable | None:
    """Return the classes to spread over the folds as far as possible; None for numbers."""
    if not labels.classes:
        return None
    names = tuple(f"class {name}" for name in labels.classes)
    return ClassTable(np.eye(len(names))[labels.values.astype(np.intp)], names)


def random_folds(
    labels: LabelColumn, groups: IntArray | None, n_splits: int, random_state: int
) -> IntArray:
    """Return plain shuffled folds: classes spread, or groups together."""
    values = labels.values
    smallest = np.unique(values, return_counts=True)[1].min() if labels.classes else 0
    if groups is not None:
        splitter: Any = GroupKFold(n_splits, shuffle=True, random_state=random_state)
    elif smallest >= n_splits:
        splitter = StratifiedKFold(n_splits, shuffle=True, random_state=random_state)
    else:
        splitter = KFold(n_splits, shuffle=True, random_state=random_state)
    found = np.empty(len(values), dtype=np.intp)
    for fold, (_, test) in enumerate(splitter.split(values[:, None], values, groups)):
        found[test] = fold
    return found


def predict_on_folds(
    estimator: Any,
    X: Any,
    labels: LabelColumn,
    joint: Similarity,
    folds: dict[str, IntArray],
    metric: Metric,
    *,
    n_jobs: int | None,
) -> OutOfFoldRows:
    """Fit the model on every training side of every kind of folds, and predict the test rows.

    Parameters
    ----------
    estimator : estimator
    X : array-like of shape (n_samples, ...)
        Features.
    labels : LabelColumn
    joint : Similarity
        Among the samples, followed by the entities to be met.
    folds : dict of str to ndarray of int
        Fold of each sample.
    metric : Metric
    n_jobs : int or None
    """
    everything = np.arange(len(labels.values))
    met = np.arange(len(everything), joint.n_items)

    def splits() -> Iterator[tuple[str, int, IntArray, IntArray]]:
        for kind, fold_of in folds.items():
            for fold in range(int(fold_of.max()) + 1):
                inside = fold_of == fold
                yield kind, fold, everything[~inside], everything[inside]

    predicted = Parallel(n_jobs=n_jobs)(
        delayed(predict_for)(estimator, X, labels, train=train, test=test, metric=metric)
        for _, _, train, test in splits()
    )
    parts = []
    for (kind, fold, train, test), prediction in zip(splits(), predicted, strict=True):
        around = surroundings(joint, test, train, labels)
        parts.append(
            pd.DataFrame(
                {
                    "folds": kind,
                    "fold": fold,
                    "row": test,
                    "y": labels.values[test],
                    "prediction": prediction,
                    "similarity": around.similarity,
                    "disagreement": around.disagreement,
                }
            )
        )
    return OutOfFoldRows(
        pd.concat(parts, ignore_index=True), surroundings(joint, met, everything, labels)
    )
