"""Do two samples come from the same distribution? Ask a classifier to tell them apart."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import issparse
from scipy.sparse import vstack as sparse_vstack
from scipy.stats import binom, mannwhitneyu, norm
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GroupShuffleSplit, StratifiedShuffleSplit

from honesteval._validation import check_number, check_same_length, n_rows
from honesteval.stats._random_state import RandomState, as_random_state, draw_seed

DEFAULT_TREES = 200
SMALLEST_SAMPLE = 4
"""Rows that each sample needs at least."""


@dataclass(frozen=True)
class ClassifierTwoSampleTest:
    """Result of :func:`classifier_two_sample_test`.

    Attributes
    ----------
    auc : float
        ROC-AUC of telling held-out rows of b from those of a; about 0.5 for equal distributions.
    auc_null_sd : float
        Its standard deviation if they are equal: ``sqrt((n1 + n0 + 1) / (12 n1 n0))``.
    p_value : float
        One-sided, of the AUC (Mann-Whitney, exact for small samples without ties).
    accuracy : float
        On an equal number of held-out rows of both.
    accuracy_null_sd : float
        ``1 / (2 sqrt(n))`` with n those rows.
    accuracy_p_value : float
        One-sided, exact binomial.
    n_test_a, n_test_b : int
        Held-out rows of each sample.
    test_rows_a, test_rows_b : ndarray of int
        Their positions.
    scores_a, scores_b : ndarray of float
        Predicted probability of belonging to b; rows of b with high values are unlike a.
    """

    auc: float
    auc_null_sd: float
    p_value: float
    accuracy: float
    accuracy_null_sd: float
    accuracy_p_value: float
    n_test_a: int
    n_test_b: int
    test_rows_a: NDArray[np.intp] = field(repr=False)
    test_rows_b: NDArray[np.intp] = field(repr=False)
    scores_a: NDArray[np.float64] = field(repr=False)
    scores_b: NDArray[np.float64] = field(repr=False)

    def to_frame(self) -> pd.DataFrame:
        """Return one row with the numbers of the test."""
        return pd.DataFrame([{k: v for k, v in vars(self).items() if np.ndim(v) == 0}])

    def summary(self) -> str:
        """Return the test in one line."""
        return (
            f"A classifier tells the samples apart with AUC {self.auc:.3f} (0.5 +- "
            f"{self.auc_null_sd:.3f} if they are alike; p = {self.p_value:.3g}) on "
            f"{self.n_test_a} + {self.n_test_b} held-out rows"
        )

    def _repr_html_(self) -> str:
        return str(self.to_frame().to_html(index=False, float_format="{:.4g}".format))


def classifier_two_sample_test(
    X_a: Any,
    X_b: Any,
    *,
    estimator: Any = None,
    groups_a: Any = None,
    groups_b: Any = None,
    test_size: float = 0.5,
    random_state: RandomState = None,
) -> ClassifierTwoSampleTest:
    """Test whether two samples (training and test, two batches) have the same distribution.

    A classifier learns on one part of both to say which sample a row is from; how well it does
    on the other part is the statistic. A high AUC says that the samples differ, and
    ``scores_b`` which rows make them differ.

    Parameters
    ----------
    X_a, X_b : array-like, data frame or sparse matrix
        Rows of the two samples, same columns, at least 4 rows each.
    estimator : classifier, default=None
        With ``predict_proba`` or ``decision_function``; a random forest by default.
    groups_a, groups_b : array-like, default=None
        Rows that belong together stay in one part; the same name in both samples is one group.
        The p-values still take rows for independent.
    test_size : float in (0, 1), default=0.5
        Share of rows held out.
    random_state : int, Generator, RandomState or None, default=None

    Returns
    -------
    result : ClassifierTwoSampleTest

    Raises
    ------
    ValueError
        If the samples do not fit together, are too small, or only one has groups.

    References
    ----------
    D. Lopez-Paz and M. Oquab, "Revisiting classifier two-sample tests", ICLR 2017, section 3.

    Examples
    --------
    >>> import numpy as np
    >>> from honesteval.stats import classifier_two_sample_test
    >>> random = np.random.default_rng(0)
    >>> alike, shifted = random.normal(size=(2, 200, 3)), random.normal(1, 1, size=(200, 3))
    >>> bool(classifier_two_sample_test(*alike, random_state=0).p_value > 0.05)
    True
    >>> bool(classifier_two_sample_test(alike[0], shifted, random_state=0).p_value < 0.001)
    True
    """
    check_number(test_size, "test_size", low=0, high=1, closed="neither")
    random = as_random_state(random_state)
    X, origin = _stack(X_a, X_b)
    groups = _stack_groups(X_a, X_b, groups_a, groups_b)
    train, test = _hold_out(origin, groups, test_size, random)
    model = _seeded(estimator, random).fit(X[train], origin[train])
    scores = _scores(model, X[test])
    n_a = n_rows(X_a)
    in_a = origin[test] == 0
    return ClassifierTwoSampleTest(
        **two_sample_statistics(scores[in_a], scores[~in_a]),
        test_rows_a=test[in_a],
        test_rows_b=test[~in_a] - n_a,
        scores_a=scores[in_a],
        scores_b=scores[~in_a],
    )


def two_sample_statistics(
    scores_a: NDArray[np.float64], scores_b: NDArray[np.float64]
) -> dict[str, Any]:
    """Return both statistics, what chance gives, and p-values from held-out scores in [0, 1]."""
    n_a, n_b = len(scores_a), len(scores_b)
    test = mannwhitneyu(scores_b, scores_a, alternative="greater")
    n = min(n_a, n_b)
    n_right = int((scores_a[:n] < 0.5).sum() + (scores_b[:n] >= 0.5).sum())
    return {
        "auc": float(test.statistic / (n_a * n_b)),
        "auc_null_sd": auc_null_sd(n_a, n_b),
        "p_value": float(test.pvalue),
        "accuracy": n_right / (2 * n),
        "accuracy_null_sd": accuracy_null_sd(2 * n),
        "accuracy_p_value": float(binom.sf(n_right - 1, 2 * n, 0.5)),
        "n_test_a": n_a,
        "n_test_b": n_b,
    }


def auc_null_sd(n_a: int, n_b: int) -> float:
    """Return the standard deviation of the AUC between equal distributions (no ties)."""
    return float(np.sqrt((n_a + n_b + 1) / (12 * n_a * n_b)))


def accuracy_null_sd(n_test: int) -> float:
    """Return the standard deviation of the accuracy between equal distributions."""
    return float(np.sqrt(1 / (4 * n_test)))


def _stack(X_a: Any, X_b: Any) -> tuple[Any, NDArray[np.intp]]:
    parts = [X if issparse(X) else np.asarray(X) for X in (X_a, X_b)]
    for name, part in zip(("X_a", "X_b"), parts, strict=True):
        if part.ndim != 2 or part.shape[0] < SMALLEST_SAMPLE:
            raise ValueError(
                f"{name} must be two-dimensional with at least {SMALLEST_SAMPLE} rows. "
                f"Got shape {part.shape}."
            )
    if parts[0].shape[1] != parts[1].shape[1]:
        raise ValueError(
            f"X_a has {parts[0].shape[1]} columns, X_b {parts[1].shape[1]}: both samples need "
            "the same features."
        )
    sparse = issparse(parts[0]) or issparse(parts[1])
    stacked = sparse_vstack(parts, format="csr") if sparse else np.concatenate(parts)
    return stacked, np.repeat([0, 1], [part.shape[0] for part in parts])


def _stack_groups(X_a: Any, X_b: Any, groups_a: Any, groups_b: Any) -> Any:
    if (groups_a is None) != (groups_b is None):
        raise ValueError("Give groups of both samples, or of none.")
    if groups_a is None:
        return None
    check_same_length(X_a=X_a, groups_a=groups_a)
    check_same_length(X_b=X_b, groups_b=groups_b)
    return np.concatenate([np.asarray(groups_a), np.asarray(groups_b)])


def _hold_out(
    origin: NDArray[np.intp], groups: Any, test_size: float, random: np.random.RandomState
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    seed = draw_seed(random)
    kind = StratifiedShuffleSplit if groups is None else GroupShuffleSplit
    splitter = kind(n_splits=1, test_size=test_size, random_state=seed)
    train, test = next(splitter.split(np.zeros(len(origin)), origin, groups))
    for part, rows in {"training": train, "held-out": test}.items():
        if len(np.unique(origin[rows])) < 2:
            raise ValueError(
                f"The {part} part holds rows of one sample only. Give finer groups or another "
                "test_size."
            )
    return random.permutation(train), random.permutation(test)


def _seeded(estimator: Any, random: np.random.RandomState) -> Any:
    if estimator is not None:
        return clone(estimator)
    return RandomForestClassifier(
        DEFAULT_TREES, min_samples_leaf=3, class_weight="balanced",
        random_state=draw_seed(random),
    )  # fmt: skip


def _scores(model: Any, X: Any) -> NDArray[np.float64]:
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X)[:, 1], dtype=np.float64)
    return np.asarray(norm.cdf(model.decision_function(X)), dtype=np.float64)
