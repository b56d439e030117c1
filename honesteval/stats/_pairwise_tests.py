"""The rows of a comparison table: one function per test, all pairs of models at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import norm

from honesteval.stats._bayesian_t import correlated_posterior
from honesteval.stats._bootstrap_difference import bootstrap_difference
from honesteval.stats._corrected_t import corrected_difference
from honesteval.stats._delong import delong_test
from honesteval.stats._mcnemar import mcnemar_test
from honesteval.stats._paired_folds import column_differences, spread_of, standardised
from honesteval.stats._ranks import FriedmanTest, friedman_test, signed_rank_p_value
from honesteval.stats._tukey import RepeatedMeasuresTukey, tukey_of_table

Pairs = Sequence[tuple[str, str]]


class PairRow(NamedTuple):
    """One pair of models, before p-values are adjusted."""

    a: str
    b: str
    score_a: float
    score_b: float
    difference: float
    low: float
    high: float
    p_value: float
    p_adjusted: float
    p_equivalent: float
    effect_size: float


class Settings(NamedTuple):
    """What all tests need to know."""

    margin: float
    confidence_level: float
    adjust: str
    greater_is_better: bool
    reference: str | None
    ratio: float = 0.0


def corrected_t_rows(
    table: pd.DataFrame, pairs: Pairs, settings: Settings, *, correction: str | None
) -> list[PairRow]:
    """Compare each pair over folds by the (corrected) t-test."""
    rows = []
    for a, b in pairs:
        differences = _differences(table, a, b)
        test = corrected_difference(
            differences, settings.ratio, confidence_level=settings.confidence_level,
            correction=correction,
        )  # fmt: skip
        rows.append(
            PairRow(
                a, b, table[a].mean(), table[b].mean(), test.difference, test.low, test.high,
                test.p_value, np.nan, _p_equivalent(differences, settings), test.effect_size,
            )
        )  # fmt: skip
    return rows


def tukey_rows(
    table: pd.DataFrame, pairs: Pairs, settings: Settings
) -> tuple[list[PairRow], RepeatedMeasuresTukey]:
    """Compare all pairs over folds at once."""
    test = tukey_of_table(
        table.to_numpy(), tuple(table.columns), settings.ratio,
        confidence_level=settings.confidence_level,
    )  # fmt: skip
    frame = _both_ways(test.to_frame())
    rows = []
    for a, b in pairs:
        row, differences = frame.loc[(a, b)], _differences(table, a, b)
        rows.append(
            PairRow(
                a, b, table[a].mean(), table[b].mean(), row.difference, row.low, row.high,
                row.p_value, row.p_adjusted, _p_equivalent(differences, settings),
                standardised(differences.mean(), spread_of(differences)),
            )
        )  # fmt: skip
    return rows, test


def wilcoxon_rows(table: pd.DataFrame, pairs: Pairs, settings: Settings) -> list[PairRow]:
    """Compare pairs over independent tasks by signed ranks."""
    rows = []
    for row in corrected_t_rows(table, pairs, settings, correction=None):
        differences = _differences(table, row.a, row.b)
        rows.append(row._replace(p_value=signed_rank_p_value(differences)))
    return rows


def friedman_rows(
    table: pd.DataFrame, pairs: Pairs, settings: Settings
) -> tuple[list[PairRow], FriedmanTest]:
    """Compare all pairs over independent tasks by mean ranks."""
    test = friedman_test(
        table,
        greater_is_better=settings.greater_is_better,
        alpha=1 - settings.confidence_level,
    )
    frame = _both_ways(test.to_frame())
    k = len(test.models)
    standard_error = np.sqrt(k * (k + 1) / (6 * test.n_datasets))
    rows = []
    for row in corrected_t_rows(table, pairs, settings, correction=None):
        ranked = frame.loc[(row.a, row.b)]
        single = 2 * norm.sf(abs(ranked.rank_difference) / standard_error)
        rows.append(row._replace(p_value=float(single), p_adjusted=float(ranked.p_adjusted)))
    return rows, test


def hold_out_test(metric: Any, groups: Any) -> str:
    """Return the name of the test for one hold-out set."""
    if groups is None and metric == "roc_auc":
        return "DeLong"
    if groups is None and metric == "accuracy":
        return "McNemar mid-p"
    return "Paired bootstrap"


def hold_out_rows(
    predictions: dict[str, Any], y: Any, pairs: Pairs, settings: Settings, *, metric: Any,
    groups: Any, random_state: Any,
) -> list[PairRow]:  # fmt: skip
    """Compare pairs by their predictions for the same independent rows."""
    name = hold_out_test(metric, groups)
    rows = []
    for a, b in pairs:
        first, second = predictions[a], predictions[b]
        if name == "DeLong":
            row = _delong_row(y, first, second, settings)
        elif name == "McNemar mid-p":
            row = _mcnemar_row(y, first, second, settings)
        else:
            row = _bootstrap_row(
                y, first, second, settings, metric=metric, groups=groups, random_state=random_state
            )
        rows.append(row._replace(a=a, b=b))
    return rows


def _delong_row(y: Any, first: Any, second: Any, settings: Settings) -> PairRow:
    test = delong_test(y, first, second, confidence_level=settings.confidence_level)
    inside = _normal_share(test.estimate, test.standard_error, settings.margin)
    return PairRow(
        "", "", test.estimate_a, test.estimate_b, test.estimate, test.low, test.high,
        test.p_value, np.nan, inside, np.nan,
    )  # fmt: skip


def _mcnemar_row(y: Any, first: Any, second: Any, settings: Settings) -> PairRow:
    test = mcnemar_test(y, first, second, confidence_level=settings.confidence_level)
    n = test.n_only_a + test.n_only_b + test.n_both + test.n_neither
    discordant = (test.n_only_a + test.n_only_b) / n
    standard_error = np.sqrt(max(discordant - test.difference**2, 0) / n)
    inside = _normal_share(test.difference, float(standard_error), settings.margin)
    return PairRow(
        "", "", (test.n_only_a + test.n_both) / n, (test.n_only_b + test.n_both) / n,
        test.difference, test.low, test.high, test.p_value, np.nan, inside, np.nan,
    )  # fmt: skip


def _bootstrap_row(
    y: Any, first: Any, second: Any, settings: Settings, *, metric: Any, groups: Any,
    random_state: Any,
) -> PairRow:  # fmt: skip
    test = bootstrap_difference(
        y, first, second, metric=metric, groups=groups,
        confidence_level=settings.confidence_level, random_state=random_state,
    )  # fmt: skip
    inside = float(np.mean(np.abs(test.distribution) <= settings.margin))
    return PairRow(
        "", "", test.estimate_a, test.estimate_b, test.estimate, test.low, test.high,
        test.p_value, np.nan, inside, np.nan,
    )  # fmt: skip


def _normal_share(difference: float, standard_error: float, margin: float) -> float:
    """Return the share of a normal distribution within the margin."""
    if not standard_error > 0:
        return float(abs(difference) <= margin)
    limits: Callable[[float], Any] = norm(difference, standard_error).cdf
    return float(limits(margin) - limits(-margin))


def _both_ways(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs of a test in both orders, by name; what has a sign changes it."""
    signed = [name for name in ("difference", "rank_difference", "low", "high") if name in frame]
    flipped = frame.rename(columns={"a": "b", "b": "a", "low": "high", "high": "low"})
    flipped[signed] = -flipped[signed]
    return pd.concat([frame, flipped[frame.columns]]).set_index(["a", "b"])


def _differences(table: pd.DataFrame, a: str, b: str) -> Any:
    return column_differences(table[[a, b]].to_numpy(), 0, 1)


def _p_equivalent(differences: Any, settings: Settings) -> float:
    posterior = correlated_posterior(
        differences, settings.ratio, rope=settings.margin,
        credible_level=settings.confidence_level,
    )  # fmt: skip
    return posterior.p_equivalent
