"""The label of the most similar training row, as a prediction."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from honesteval.checks._labels import LabelColumn
from honesteval.similarity import Similarity

__all__ = ["TIE_TOLERANCE", "NearestLabel", "nearest_labels"]

#: Training rows this close to the highest similarity are tied; their labels are averaged.
TIE_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class NearestLabel:
    """The nearest training rows of some test rows, and what they predict.

    Attributes
    ----------
    rows : ndarray of int of shape (n_test,)
        Test rows; a row may repeat (tested in several folds).
    similarity : ndarray of shape (n_test,)
        Highest similarity to a training row.
    n_tied : ndarray of int of shape (n_test,)
        Training rows tied for it.
    values : ndarray of shape (n_test,) or (n_test, n_classes)
        Mean label of the tied rows; for more than two classes the share of each class.
    fold : ndarray of int of shape (n_test,), optional
        Number of the comparison, where several are taken together.
    """

    rows: NDArray[np.intp]
    similarity: NDArray[np.float64]
    n_tied: NDArray[np.intp]
    values: NDArray[np.float64] = field(repr=False)
    fold: NDArray[np.intp] | None = field(default=None, repr=False)

    def prediction(self, as_classes: bool) -> NDArray[np.float64]:
        """Return one number per row: the mean label, or the class most of the tied rows have."""
        if self.values.ndim == 2:
            return self.values.argmax(axis=1).astype(np.float64)
        return (self.values >= 0.5).astype(np.float64) if as_classes else self.values

    def to_frame(self, y: NDArray[np.float64], threshold: float) -> pd.DataFrame:
        """Return one line per test row."""
        return pd.DataFrame(
            {
                "test_row": self.rows,
                "similarity": self.similarity,
                "n_tied": self.n_tied,
                "near_duplicate": self.similarity >= threshold,
                "label": y,
                "nearest_label": self.prediction(as_classes=False),
            }
        )


def nearest_labels(
    similarity: Similarity,
    labels: LabelColumn,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
) -> NearestLabel:
    """Predict the mean label of the most similar training rows.

    Parameters
    ----------
    similarity : Similarity
    labels : LabelColumn
    train, test : ndarray of int
        Labelled rows.

    Returns
    -------
    nearest : NearestLabel

    Raises
    ------
    ValueError
        If one of the parts has no labelled row.
    """
    for name, rows in {"training": train, "test": test}.items():
        if len(rows) == 0:
            raise ValueError(f"No {name} row has a label {labels.name!r}.")
    values = labels.values[train]
    if labels.kind == "classes":
        values = (values[:, None] == np.arange(len(labels.classes))).astype(np.float64)
    highest, mean, n_tied = similarity.nearest_mean(
        test, train, values, tie_tolerance=TIE_TOLERANCE
    )
    return NearestLabel(test, highest, n_tied, mean)
