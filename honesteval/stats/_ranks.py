"""Comparison of models over many data sets: Friedman, Iman-Davenport, Nemenyi."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import chi2, rankdata, studentized_range, wilcoxon
from scipy.stats import f as fisher_f

from honesteval._validation import as_numbers, check_number

DEFAULT_ALPHA = 0.05
"""Level of the critical difference."""


@dataclass(frozen=True)
class FriedmanTest:
    """Result of :func:`friedman_test`.

    Attributes
    ----------
    models : tuple of str
    mean_ranks : ndarray of shape (n_models,)
        Mean over data sets of the rank; 1 is best, ties share their mean rank.
    n_datasets : int
    chi2, chi2_p_value : float
        Friedman's statistic (not corrected for ties) with n_models - 1 degrees of freedom.
    f_statistic, p_value : float
        Iman and Davenport's less conservative form; its p-value is the one to use.
    critical_difference : float
        Nemenyi: mean ranks that differ by at least this much differ at level ``alpha``.
    alpha : float
    """

    models: tuple[str, ...]
    mean_ranks: NDArray[np.float64]
    n_datasets: int
    chi2: float
    chi2_p_value: float
    f_statistic: float
    p_value: float
    critical_difference: float
    alpha: float
    ranks: NDArray[np.float64] = field(repr=False)

    @property
    def groups(self) -> list[tuple[str, ...]]:
        """Largest sets of models whose mean ranks do not differ, from the best on."""
        order = np.argsort(self.mean_ranks, kind="stable")
        sorted_ranks = self.mean_ranks[order]
        groups: list[tuple[str, ...]] = []
        last_end = 0
        for start in range(len(order)):
            within = sorted_ranks < sorted_ranks[start] + self.critical_difference
            end = int(within.sum())
            if end > last_end and end - start > 1:
                groups.append(tuple(self.models[i] for i in order[start:end]))
            last_end = max(last_end, end)
        return groups

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair: difference of mean ranks (a - b) and Nemenyi p-value."""
        pairs = list(combinations(range(len(self.models)), 2))
        differences = np.array([self.mean_ranks[a] - self.mean_ranks[b] for a, b in pairs])
        return pd.DataFrame(
            {
                "a": [self.models[a] for a, _ in pairs],
                "b": [self.models[b] for _, b in pairs],
                "rank_difference": differences,
                "p_adjusted": nemenyi_p_values(differences, len(self.models), self.n_datasets),
                "differ": np.abs(differences) >= self.critical_difference,
            }
        )

    def summary(self) -> str:
        """Return the omnibus test, mean ranks and groups in a few lines."""
        order = np.argsort(self.mean_ranks, kind="stable")
        ranked = ", ".join(f"{self.models[i]} {self.mean_ranks[i]:.3f}" for i in order)
        grouped = "; ".join(" = ".join(group) for group in self.groups) or "none"
        return (
            f"Friedman over {self.n_datasets} data sets: chi2 = {self.chi2:.4f} "
            f"(p = {self.chi2_p_value:.4g}), Iman-Davenport F = {self.f_statistic:.4f} "
            f"(p = {self.p_value:.4g})\n"
            f"Mean ranks: {ranked}\n"
            f"Nemenyi critical difference {self.critical_difference:.4f} at "
            f"{self.alpha:g}; not different: {grouped}"
        )

    def _repr_html_(self) -> str:
        return str(self.to_frame().to_html(index=False, float_format="{:.4g}".format))


def friedman_test(
    scores: Any,
    *,
    models: Any = None,
    greater_is_better: bool = True,
    alpha: float = DEFAULT_ALPHA,
) -> FriedmanTest:
    """Compare several models over independent data sets (tasks) by their ranks.

    One score per model and data set: the rows are the replicates. Folds of one data set are
    not, because they share their training rows; compare those with
    :func:`corrected_t_test` or :func:`repeated_measures_tukey`.

    Parameters
    ----------
    scores : array-like or data frame of shape (n_datasets, n_models)
        One score each; its columns name the models of a data frame.
    models : sequence of str, default=None
        Names of the models.
    greater_is_better : bool, default=True
        Whether the highest score has rank 1.
    alpha : float in (0, 1), default=0.05
        Level of the critical difference.

    Returns
    -------
    result : FriedmanTest

    Raises
    ------
    ValueError
        If there are fewer than 2 models or data sets, or a score is not finite.

    References
    ----------
    J. Demsar, "Statistical comparisons of classifiers over multiple data sets", Journal of
    Machine Learning Research 7 (2006) 1-30, section 3.2.

    R. L. Iman and J. M. Davenport, "Approximations of the critical region of the Friedman
    statistic", Communications in Statistics A9 (1980) 571-595.

    Examples
    --------
    >>> from honesteval.stats import friedman_test
    >>> scores = [[.80, .82, .79], [.71, .74, .70], [.90, .93, .92], [.65, .66, .61]]
    >>> result = friedman_test(scores, models=["svm", "forest", "tree"])
    >>> result.mean_ranks.tolist(), round(result.critical_difference, 3)
    ([2.25, 1.0, 2.75], 1.657)
    """
    check_number(alpha, "alpha", low=0, high=1, closed="neither")
    table, names = _score_table(scores, models)
    ranks = rankdata(-table if greater_is_better else table, axis=1)
    return friedman_from_ranks(
        ranks.mean(axis=0), len(table), models=names, alpha=alpha, ranks=ranks
    )


def friedman_from_ranks(
    mean_ranks: Any,
    n_datasets: int,
    *,
    models: tuple[str, ...],
    alpha: float = DEFAULT_ALPHA,
    ranks: NDArray[np.float64] | None = None,
) -> FriedmanTest:
    """Return the tests for mean ranks as published (Demsar 2006, page 11)."""
    means = np.asarray(mean_ranks, dtype=np.float64)
    k, n = len(means), n_datasets
    statistic = 12 * n / (k * (k + 1)) * float((means**2).sum() - k * (k + 1) ** 2 / 4)
    statistic = max(statistic, 0.0)
    room = n * (k - 1) - statistic
    # All data sets agree: the F form has no finite value, the exact p-value is known.
    smallest = math.exp(-(n - 1) * math.lgamma(k + 1))
    f_statistic = (n - 1) * statistic / room if room > 1e-9 * n else math.inf
    tiny = float(np.finfo(np.float64).tiny)
    p_value = float(fisher_f.sf(f_statistic, k - 1, (k - 1) * (n - 1)))
    return FriedmanTest(
        models=models,
        mean_ranks=means,
        n_datasets=n,
        chi2=statistic,
        chi2_p_value=max(float(chi2.sf(statistic, k - 1)), tiny),
        f_statistic=f_statistic,
        p_value=max(p_value, smallest, tiny),
        critical_difference=nemenyi_critical_difference(k, n, alpha),
        alpha=alpha,
        ranks=np.empty((0, k)) if ranks is None else ranks,
    )


def nemenyi_critical_difference(n_models: int, n_datasets: int, alpha: float) -> float:
    """Return the difference of mean ranks that is significant: q / sqrt(2) sqrt(k(k+1)/6N)."""
    q = float(studentized_range.isf(alpha, n_models, np.inf))
    return q * math.sqrt(n_models * (n_models + 1) / (12 * n_datasets))


def nemenyi_p_values(
    rank_differences: NDArray[np.float64], n_models: int, n_datasets: int
) -> NDArray[np.float64]:
    """Return p-values of differences of mean ranks, adjusted for all pairs."""
    q = np.abs(rank_differences) / math.sqrt(n_models * (n_models + 1) / (12 * n_datasets))
    p_values = np.clip(studentized_range.sf(q, n_models, np.inf), np.finfo(float).tiny, 1.0)
    return np.where(q == 0, 1.0, p_values)


MAX_EXACT_SIGNED_RANKS = 50
"""Up to this many differences the signed-rank p-value is exact, ties included."""


def signed_rank_p_value(differences: NDArray[np.float64]) -> float:
    """Return the two-sided Wilcoxon signed-rank p-value; zeros are left out, ties averaged.

    References
    ----------
    F. Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1 (1945) 80-83.
    """
    nonzero = differences[differences != 0]
    if len(nonzero) == 0:
        return 1.0
    if len(nonzero) > MAX_EXACT_SIGNED_RANKS:
        return float(wilcoxon(nonzero).pvalue)
    # Doubled ranks are integers; each is added or not with probability one half.
    ranks = np.rint(2 * rankdata(np.abs(nonzero))).astype(int)
    chances = np.ones(1)
    for rank in ranks:
        grown = np.zeros(len(chances) + rank)
        grown[: len(chances)] += chances / 2
        grown[rank:] += chances / 2
        chances = grown
    observed = int(ranks[nonzero > 0].sum())
    smaller = min(observed, int(ranks.sum()) - observed)
    return float(min(1.0, 2 * chances[: smaller + 1].sum()))


def _score_table(scores: Any, models: Any) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    names = models if models is not None else getattr(scores, "columns", None)
    table = as_numbers(scores, "scores")
    if table.ndim != 2 or min(table.shape) < 2:
        raise ValueError(
            "scores must have shape (n_datasets, n_models) with at least 2 of each. "
            f"Got shape {table.shape}."
        )
    bad = np.argwhere(~np.isfinite(table))
    if bad.size:
        raise ValueError(
            f"scores must be finite. Got {table[tuple(bad[0])]} in row {bad[0][0]}, column "
            f"{bad[0][1]}: leave that data set out, or the model that has no score there."
        )
    if names is None:
        names = [f"model {number}" for number in range(table.shape[1])]
    named = tuple(str(name) for name in names)
    if len(named) != table.shape[1] or len(set(named)) != len(named):
        raise ValueError(f"models must be {table.shape[1]} different names. Got {named}.")
    return table, named
