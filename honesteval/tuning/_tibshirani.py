"""The correction of Tibshirani and Tibshirani: from the fold scores alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honesteval._notebook import ShownInNotebook
from honesteval._validation import check_option


@dataclass(frozen=True)
class TibshiraniCorrection(ShownInNotebook):
    """The best configuration's cross-validation score, corrected.

    Parameters
    ----------
    estimate : float
        The corrected score.
    best_index : int
        Configuration with the best mean score.
    best_score : float
        Its mean score: what would have been reported.
    bias : float
        Mean over folds of the score of the fold's own best configuration minus that of the
        overall best one; at least 0.
    n_configurations : int
        Configurations with a score in every fold.
    n_left_out : int
        Configurations without (failed or pruned trials).
    n_folds : int
    """

    estimate: float
    best_index: int
    best_score: float
    bias: float
    n_configurations: int
    n_left_out: int
    n_folds: int

    def summary(self) -> str:
        """Return the correction in words."""
        text = (
            f"Tibshirani correction: {self.estimate:.3f} in place of the best of "
            f"{self.n_configurations} configurations over {self.n_folds} folds, "
            f"{self.best_score:.3f}"
        )
        if self.n_left_out:
            text += f"; {self.n_left_out} configurations without all folds left out"
        return text


def tibshirani_correction(
    search: Any, *, metric: str | None = None, greater_is_better: bool = True
) -> TibshiraniCorrection:
    """Correct the best cross-validation score by how much each fold alone would have gained.

    With errors e: corrected = CV(best) + mean over folds of [e_k(best) - e_k(best_k)], where
    ``best_k`` is the best configuration in fold k alone. No further fit and no predictions are
    needed. On null data (80 rows, 200 features, 36 configurations) it left a bias of .029 of the
    .103 that the best score had.

    Parameters
    ----------
    search : fitted search, or array-like of shape (n_configurations, n_folds)
        Any scikit-learn search with ``cv_results_``, or the scores themselves.
    metric : str, default=None
        Which score of a search with several; None is the one that was refitted.
    greater_is_better : bool, default=True
        False for an array of errors. Scores of a search are always better when greater.

    Returns
    -------
    result : TibshiraniCorrection

    References
    ----------
    Tibshirani and Tibshirani, "A bias correction for the minimum error rate in cross-validation",
    Annals of Applied Statistics 3 (2009), equation 2.

    Examples
    --------
    >>> scores = [[0.7, 0.9], [0.8, 0.6]]
    >>> result = tibshirani_correction(scores)
    >>> result.best_index, round(result.best_score, 2), round(result.estimate, 2)
    (0, 0.8, 0.75)
    """
    scores = _fold_scores(search, metric)
    sign = 1.0 if greater_is_better else -1.0
    kept = np.flatnonzero(np.isfinite(scores).all(axis=1))
    if len(kept) == 0:
        raise ValueError("No configuration has a score in every fold.")
    table = sign * scores[kept]
    best = int(np.argmax(table.mean(axis=1)))
    bias = float(np.mean(table.max(axis=0) - table[best]))
    best_score = float(table[best].mean())
    return TibshiraniCorrection(
        estimate=sign * (best_score - bias),
        best_index=int(kept[best]),
        best_score=sign * best_score,
        bias=bias,
        n_configurations=len(kept),
        n_left_out=len(scores) - len(kept),
        n_folds=table.shape[1],
    )


def _fold_scores(search: Any, metric: str | None) -> NDArray[np.float64]:
    if not hasattr(search, "cv_results_"):
        table = np.asarray(search, dtype=np.float64)
        if table.ndim != 2:
            raise ValueError(
                "Pass a fitted search, or scores of shape (n_configurations, n_folds). "
                f"Got shape {table.shape}."
            )
        return table
    results = search.cv_results_
    names = [key.removeprefix("mean_test_") for key in results if key.startswith("mean_test_")]
    if metric is None:
        refit = getattr(search, "refit", None)
        metric = refit if isinstance(refit, str) else names[0]
    check_option(metric, "metric", names)
    n_folds = int(search.n_splits_)
    return np.column_stack([results[f"split{fold}_test_{metric}"] for fold in range(n_folds)])
