"""The two ways of cutting the rows into folds that an evaluation sets side by side."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import BaseCrossValidator, KFold, StratifiedKFold

from honesteval.exceptions import HonestevalWarning
from honesteval.model_selection import SimilarityGroupKFold
from honesteval.partition import measure_leakage
from honesteval.report._evaluation import FoldedSplit, SplitName
from honesteval.report._rows import EvaluatedRows
from honesteval.report._target import Target
from honesteval.similarity import Similarity

#: Starts of the search for inner folds, which need to be good rather than the best.
INNER_STARTS = 1

Split = tuple[NDArray[np.intp], NDArray[np.intp]]


class SimilarityOfRowsKFold(BaseCrossValidator):
    """Similarity folds of a part of the rows, which travel as ``groups``.

    Inner folds of a nested cross-validation see a part of the rows only; their similarity is
    then a part of what was computed once.

    Parameters
    ----------
    n_splits : int
    similarity : Similarity
        Between all rows.
    together : ndarray of int, shape (n_items,)
        Rows with the same number share a fold.
    random_state : int
    """

    def __init__(
        self, n_splits: int, *, similarity: Similarity, together: NDArray[np.intp],
        random_state: int,
    ) -> None:  # fmt: skip
        self.n_splits = n_splits
        self.similarity = similarity
        self.together = together
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds."""
        return self.n_splits

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """Yield training and test positions; ``groups`` holds positions among all rows."""
        rows = np.asarray(groups, dtype=np.intp)
        folds = SimilarityGroupKFold(
            self.n_splits, similarity=self.similarity.take(rows), n_init=INNER_STARTS,
            random_state=self.random_state,
        )  # fmt: skip
        with warnings.catch_warnings():
            # A class that cannot be spread evenly over inner folds does not touch the outer score.
            warnings.simplefilter("ignore", HonestevalWarning)
            splits = list(folds.split(rows, y, self.together[rows]))
        yield from splits


def inner_folds(
    name: SplitName, data: EvaluatedRows, *, is_classifier: bool, n_splits: int, random_state: int
) -> BaseCrossValidator:
    """Return the splitter of the same kind for the inner loop."""
    if name == "similarity":
        return SimilarityOfRowsKFold(
            n_splits,
            similarity=data.similarity,
            together=data.groups,
            random_state=random_state,
        )
    folds = StratifiedKFold if is_classifier else KFold
    return folds(n_splits, shuffle=True, random_state=random_state)


def make_split(
    name: SplitName, data: EvaluatedRows, *, n_splits: int, random_state: int
) -> FoldedSplit:
    """Cut the rows into folds and measure what leaks between them."""
    fold = _fold_of_row(name, data, n_splits, random_state)
    leakage = measure_leakage(data.similarity, fold)
    nearest_similarity, nearest_row = _nearest_training_rows(data.similarity, fold)
    return FoldedSplit(
        name=name,
        description=_description(name, n_splits),
        fold=fold,
        nearest_similarity=nearest_similarity,
        nearest_row=nearest_row,
        scaled_leakage=leakage.scaled,
        relative_leakage=leakage.relative,
    )


def _description(name: SplitName, n_splits: int) -> str:
    if name == "random":
        return f"{n_splits} folds drawn at random, row by row"
    return (
        f"{n_splits} folds with as little similarity between them as could be found "
        "(SimilarityGroupKFold)"
    )


def _fold_of_row(
    name: SplitName, data: EvaluatedRows, n_splits: int, random_state: int
) -> NDArray[np.intp]:
    n = len(data)
    labels = labels_to_balance(data.targets)
    if name == "similarity":
        splitter = SimilarityGroupKFold(
            n_splits, similarity=data.similarity, random_state=random_state
        )
        return splitter.partition(np.arange(n), labels, data.groups).labels
    folds: Iterator[Split]
    if len(data.targets) == 1 and not data.targets[0].is_regression:
        folds = StratifiedKFold(n_splits, shuffle=True, random_state=random_state).split(
            np.zeros((n, 1)), labels
        )
    else:
        folds = KFold(n_splits, shuffle=True, random_state=random_state).split(np.zeros((n, 1)))
    fold = np.empty(n, dtype=np.intp)
    for number, (_, test) in enumerate(folds):
        fold[test] = number
    return fold


def labels_to_balance(targets: Sequence[Target]) -> NDArray[Any] | None:
    """Return the classes of every classification target, NaN where not measured."""
    chosen = [target for target in targets if not target.is_regression]
    if not chosen:
        return None
    if len(chosen) > 1:
        return np.column_stack([target.values for target in chosen])
    values = chosen[0].values
    return values.astype(np.intp) if chosen[0].labelled.all() else values


def _nearest_training_rows(
    similarity: Similarity, fold: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    value = np.empty(len(fold))
    row = np.empty(len(fold), dtype=np.intp)
    for number in np.unique(fold):
        test, train = np.flatnonzero(fold == number), np.flatnonzero(fold != number)
        value[test], row[test] = similarity.nearest(test, train)
    return value, row
