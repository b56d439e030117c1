"""Whether a classifier can tell test from training rows by their features."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.ensemble import RandomForestClassifier

from honesteval.checks._data import AuditData
from honesteval.checks._evidence_words import p_in_words
from honesteval.checks._features import FeatureTable, feature_table
from honesteval.checks._finding import CheckInfo, Finding
from honesteval.checks._split_rows import Comparison

__all__ = ["check_classifier_shift"]

N_PERMUTATIONS = 199
#: Rows that the classifier sees, drawn at random from more.
MOST_ROWS = 4000
FEWEST_ROWS = 30
#: A shift is reported below this p-value and above this ROC-AUC.
SHIFT_P_VALUE = 0.01
SHIFT_AUC = 0.6

INFO = CheckInfo(
    code="HE603",
    name="classifier-two-sample-test",
    title="A classifier tells test from training rows",
    why=(
        "Where features tell on which side a row is, test and training rows are not draws from "
        "one distribution: the score is of other rows than those learned from."
    ),
    advice="Look at the features named; say what the test set stands for.",
    concerns="reliability",
)


def check_classifier_shift(data: AuditData) -> Finding:
    """Learn the side from one half of the rows, and score it on the other half.

    The AUC is compared with sides dealt anew to the held-out rows (Lopez-Paz and Oquab 2017);
    with groups, whole groups are kept in one half and dealt together.
    """
    table = data.once(feature_table)
    if isinstance(table, str):
        return INFO.not_applicable(table)
    lines = [
        line
        for comparison in data.final
        if (line := _tell_apart(data, table, comparison)) is not None
    ]
    if not lines:
        return INFO.not_applicable(f"Fewer than {FEWEST_ROWS} rows on a side.")
    found = pd.DataFrame(lines)
    found["p_value"] = np.minimum(found["p_value"] * len(found), 1.0)
    found = found.sort_values("auc", ascending=False, kind="stable")
    worst = found.iloc[0]
    measured = {str(key): value for key, value in worst.items()}
    text = (
        f"{worst['split']}: a forest tells the side of held-out rows with ROC-AUC "
        f"{worst['auc']:.3f} ({p_in_words(worst['p_value'], len(found))}); by {worst['feature']!r} "
        "first of all."
    )
    shifted = found[(found["p_value"] <= SHIFT_P_VALUE) & (found["auc"] >= SHIFT_AUC)]
    if len(shifted) == 0:
        return INFO.passed(text, measured=measured)
    return INFO.found("info", text, measured=measured, evidence=shifted)


def _tell_apart(
    data: AuditData, table: FeatureTable, comparison: Comparison
) -> dict[str, object] | None:
    rng = np.random.default_rng(data.seed)
    if min(len(comparison.test), len(comparison.train)) < FEWEST_ROWS:
        return None
    rows = rng.permutation(comparison.rows)[:MOST_ROWS]
    side = np.isin(rows, comparison.test)
    units = np.arange(len(rows))
    if data.groups is not None:
        units = pd.factorize(data.groups[rows])[0]
        missing = units < 0
        units[missing] = units.max(initial=-1) + 1 + np.arange(missing.sum())
    dealt = rng.permutation(units.max() + 1) < (units.max() + 1) / 2
    learn = dealt[units]
    if min(len(np.unique(side[learn])), len(np.unique(side[~learn]))) < 2:
        return None
    values = np.nan_to_num(table.values[rows], nan=-1e9)
    forest = RandomForestClassifier(
        100, min_samples_leaf=3, random_state=data.seed, class_weight="balanced"
    ).fit(values[learn], side[learn])
    scores = forest.predict_proba(values[~learn])[:, 1]
    truth, held_out = side[~learn], np.unique(units[~learn], return_inverse=True)[1]
    auc = _auc(truth, scores)
    drawn = np.array([_auc(_dealt(truth, held_out, rng), scores) for _ in range(N_PERMUTATIONS)])
    reached = int((np.nan_to_num(drawn, nan=1.0) >= auc - 1e-12).sum())
    return {
        "split": comparison.name,
        "auc": auc,
        "p_value": (1 + reached) / (N_PERMUTATIONS + 1),
        "feature": table.names[int(forest.feature_importances_.argmax())],
        "n_held_out": len(truth),
        "n_units": int(held_out.max() + 1),
    }


def _dealt(
    side: NDArray[np.bool_], units: NDArray[np.intp], rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Deal the sides anew, whole units together."""
    first = np.unique(units, return_index=True)[1]
    return side[first][rng.permutation(len(first))][units]


def _auc(side: NDArray[np.bool_], scores: NDArray[np.float64]) -> float:
    n_test = int(side.sum())
    if n_test in (0, len(side)):
        return float("nan")
    ranks = rankdata(scores)[side].sum()
    return float((ranks - n_test * (n_test + 1) / 2) / (n_test * (len(side) - n_test)))
