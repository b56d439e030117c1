"""Test rows that nearly repeat a training row, against what a random split would leave."""

from __future__ import annotations

import numpy as np
import pandas as pd

from honesteval.checks._data import AuditData, pooled
from honesteval.checks._finding import CheckInfo, Finding, Severity

__all__ = ["check_near_duplicates"]

#: Where at least this share of all pairs are near duplicates, being one means little.
COMMON_PAIR_SHARE = 0.01
#: More than random: this many times as many, and fewer than one in a hundred random splits.
EXCESS = 1.2
EXCESS_P_VALUE = 0.01
#: Few: below this share of the test rows and this share of what a random split would leave.
FEW_SHARE = 0.01
FEW_OF_RANDOM = 0.25

INFO = CheckInfo(
    code="HE111",
    name="near-duplicates",
    title="Near duplicates across the split",
    why=(
        "A test row with a near duplicate in training is predicted by looking it up. Its score "
        "says how well the model remembers."
    ),
    advice=(
        "Split so that near duplicates share a fold (SimilarityGroupKFold with threshold=), or "
        "report the score on the clean rows beside the score on all (memorization_check)."
    ),
)


def check_near_duplicates(data: AuditData) -> Finding:
    """Count test rows with a near duplicate in training beside what random splits leave."""
    if data.similarity is None:
        return INFO.not_applicable(data.no_similarity)
    evidence = _evidence(data)
    n_test = sum(len(comparison.test) for comparison in data.final)
    final = {comparison.name for comparison in data.final}
    n_near = int(evidence["split"].isin(final).sum()) if len(evidence) else 0
    reference = data.reference
    share, expected = n_near / n_test, float(np.nanmean(reference.share_near))
    reached = int((reference.share_near >= share - 1e-12).sum())
    p_value = (reached + 1) / (len(reference.share_near) + 1)
    measured = {
        "threshold": data.threshold,
        "n_test_rows": n_near,
        "share_of_test_rows": share,
        "expected_share_by_random_split": expected,
        "p_value_more_than_random": p_value,
        "share_within_training": reference.within_train,
        "share_of_all_pairs": reference.share_pairs_near,
        "n_rows_sampled": reference.n_sampled,
    }
    counts = (
        f"{n_near:,} of {n_test:,} test rows ({share:.1%}) have a training row at similarity "
        f"{data.threshold:g} or more; a random split leaves {expected:.1%}, and "
        f"{reference.within_train:.1%} of the training rows have one among themselves."
    )
    if len(evidence) == 0:
        return INFO.passed(counts, measured=measured)
    severity, remark = _judge(share, expected, p_value, reference.share_pairs_near)
    return INFO.found(severity, f"{counts}{remark}", measured=measured, evidence=evidence)


def _judge(
    share: float, expected: float, p_value: float, pair_share: float
) -> tuple[Severity, str]:
    if p_value <= EXCESS_P_VALUE and share > EXCESS * expected:
        return "error", " That is more than chance brings: copies were spread over the split."
    if pair_share >= COMMON_PAIR_SHARE:
        return "info", (
            f" But {pair_share:.1%} of all pairs of rows are as similar as that: on this data the "
            "threshold does not tell relatives from strangers."
        )
    if share <= FEW_SHARE and share <= FEW_OF_RANDOM * expected:
        return "info", ""
    return "warning", ""


def _evidence(data: AuditData) -> pd.DataFrame:
    """Return test rows with a near duplicate and their nearest training row, nearest first."""
    tables = []
    for comparison in data.comparisons:
        nearest = data.nearest[comparison.name]
        near = np.flatnonzero(nearest.similarity >= data.threshold)
        tables.append(
            data.pairs(
                comparison,
                comparison.test[near],
                nearest.train_row[near],
                similarity=nearest.similarity[near],
            )
        )
    table = pooled(tables)
    return table.sort_values("similarity", ascending=False, kind="stable", ignore_index=True)
