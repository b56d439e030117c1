"""Features that give the target away, identifiers, row order, and missing values that tell."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from honesteval.checks._data import AuditData
from honesteval.checks._evidence_words import p_in_words
from honesteval.checks._features import FeatureTable, feature_table
from honesteval.checks._finding import CheckInfo, Finding
from honesteval.checks._labels import LabelColumn
from honesteval.checks._test_size import compare_labels
from honesteval.stats import get_metric

__all__ = [
    "check_identifiers",
    "check_missingness",
    "check_row_order",
    "check_suspicious_features",
]

#: A feature is suspicious when it alone explains this much of the labels,
SUSPICIOUS = 0.8
#: and leaves this part, at most, of what all other features together leave unexplained.
PART_OF_REST = 0.25
#: From here on it gives the target away.
GIVEAWAY = 0.98
#: Features with the strongest association that are looked at beside all others.
MOST_CANDIDATES = 5
#: Features, chosen by correlation, whose strength is measured at all.
MOST_SCREENED = 20
#: Rank correlation above which two features are versions of one.
SAME_FEATURE = 0.98
FEWEST_ROWS = 30
#: Rows of a side that the trees see, drawn at random from more.
MOST_ROWS = 20_000
#: Labels follow the order of the rows below this p-value and above this correlation.
ORDER_P_VALUE = 1e-3
ORDER_CORRELATION = 0.3
#: Missing values tell the label below this p-value (over all features) and above this effect.
MISSING_P_VALUE = 0.01
MISSING_EFFECT = 0.5
FEWEST_MISSING = 3
#: From this share of distinct values on a column is an identifier.
IDENTIFIER_SHARE = 0.99
#: Whole numbers, each met once, that leave at most half of their range unused are given numbers.
DENSE_RANGE = 2.0
GIVEN_NUMBER = "a number given to each row"

Rows = NDArray[np.intp]

FEATURE = CheckInfo(
    code="HE301",
    name="suspicious-feature",
    title="One feature that knows the target",
    why=(
        "A feature that predicts the label better than all others together is often made from "
        "it, or measured after it. It will not be there when the model is used."
    ),
    advice="Find out how and when the feature is made; leave it out if it comes after the label.",
)

ORDER = CheckInfo(
    code="HE302",
    name="row-order",
    title="Labels that follow the order of the rows",
    why=(
        "Folds cut without shuffling then differ in their labels, and an index or an identifier "
        "that grows with the rows is a feature that knows them."
    ),
    advice="Shuffle before cutting folds (unless the order is time), and drop row numbers from X.",
)

IDENTIFIER = CheckInfo(
    code="HE303",
    name="identifier-feature",
    title="Identifiers among the features",
    why="A model can look a row up by its identifier, and learns nothing that holds for new rows.",
    advice="Drop identifiers and row numbers from the features.",
)

MISSINGNESS = CheckInfo(
    code="HE304",
    name="telling-missing-values",
    title="Missing values that tell the label",
    why=(
        "Where a value is missing because of the outcome (not measured in patients who died), "
        "imputation does not hide it, and the model learns the reporting."
    ),
    advice="Find out why values are missing; leave the feature out if the reason comes later.",
)


def check_suspicious_features(data: AuditData) -> Finding:
    """Compare what each feature alone explains of the test labels with all others together."""
    table = data.once(feature_table)
    if isinstance(table, str):
        return FEATURE.not_applicable(table)
    if len(data.labels) == 0:
        return FEATURE.not_applicable("There are no labels.")
    comparison = data.final[0]
    lines: list[dict[str, Any]] = []
    for labels in data.labels:
        train, test = (rows[labels.measured[rows]] for rows in (comparison.train, comparison.test))
        train, test = (_some(rows, data.seed) for rows in (train, test))
        if min(len(train), len(test)) >= FEWEST_ROWS and len(np.unique(labels.values[train])) > 1:
            lines += _explained(table, labels, train=train, test=test, seed=data.seed)
    if not lines:
        return FEATURE.not_applicable(f"Fewer than {FEWEST_ROWS} labelled rows on a side.")
    evidence = pd.DataFrame(lines).sort_values("alone", ascending=False, kind="stable")
    suspicious = evidence[
        (evidence["alone"] >= SUSPICIOUS)
        & (1 - evidence["alone"] <= PART_OF_REST * (1 - evidence["others"].clip(lower=0)))
    ]
    shown = (suspicious if len(suspicious) else evidence).iloc[0]
    measured = {str(key): value for key, value in shown.items()}
    text = f"Feature {shown['feature']!r} alone explains {shown['alone']:.1%} of {shown['label']}"
    if not np.isnan(shown["others"]):
        text += f", all others together {shown['others']:.1%}"
    text += f" (test rows of {comparison.name!r})."
    if len(suspicious) == 0:
        return FEATURE.passed(text, measured=measured)
    grave = (suspicious["alone"] >= GIVEAWAY).any()
    return FEATURE.found(
        "error" if grave else "warning", text, measured=measured, evidence=suspicious
    )


def _some(rows: Rows, seed: int) -> Rows:
    if len(rows) <= MOST_ROWS:
        return rows
    return np.sort(np.random.default_rng(seed).choice(rows, MOST_ROWS, replace=False))


def _explained(
    table: FeatureTable, labels: LabelColumn, *, train: Rows, test: Rows, seed: int
) -> list[dict[str, Any]]:
    """Return what the strongest features explain of the test labels, alone and without them.

    What the others explain is computed for features that are strong by themselves; of the test
    rows and of a half of the training rows, what speaks less against the feature counts.
    """
    missing = np.isnan(table.values)
    filled = np.where(missing, table.values[~missing].min(initial=0.0) - 1, table.values)
    candidates = _most_associated(filled[train], labels.values[train])
    alone = np.array(
        [
            _strength(_tree(labels, seed), filled[:, [column]], labels, train, test)
            for column in candidates
        ]
    )
    lines: list[dict[str, Any]] = []
    for position in np.argsort(-alone, kind="stable")[:MOST_CANDIDATES]:
        column, by_itself, others = candidates[position], alone[position], np.nan
        is_strong = by_itself >= SUSPICIOUS
        if is_strong:
            within = _within_training(_tree(labels, seed), filled[:, [column]], labels, train, seed)
            by_itself = min(by_itself, within)
            if labels.kind == "continuous":  # steps of a tree never reach a function of the label
                both = np.concatenate([train, test])
                rank = stats.spearmanr(filled[both, column], labels.values[both]).statistic
                by_itself = max(by_itself, float(rank) ** 2)
            kept = [
                other for other in range(filled.shape[1])
                if not _same_order(filled[train, other], filled[train, column])
            ]  # fmt: skip
            others = 0.0
            if kept:
                forest, rest = _forest(labels, seed), filled[:, kept]
                others = max(_strength(forest, rest, labels, train, test),
                             _within_training(forest, rest, labels, train, seed))  # fmt: skip
        lines.append(
            {"feature": table.names[column], "label": str(labels.name),
             "alone": float(by_itself), "others": float(others)}
        )  # fmt: skip
        if not is_strong:
            break
    return lines


def _within_training(
    model: Any, X: NDArray[np.float64], labels: LabelColumn, train: Rows, seed: int
) -> float:
    """Return the strength on the one half of the training rows after fitting to the other.

    A test set with few rows of a class can be told by a feature by luck; both have to show it.
    """
    ranked = train[np.random.default_rng(seed).permutation(len(train))]
    ranked = ranked[np.argsort(labels.values[ranked], kind="stable")]  # halves of equal labels
    learn, score = ranked[::2], ranked[1::2]
    if len(np.unique(labels.values[learn])) < 2:
        return 0.0
    return _strength(model, X, labels, learn, score)


def _most_associated(X: NDArray[np.float64], y: NDArray[np.float64]) -> Rows:
    """Return the columns most correlated with the labels, by rank or by squared rank."""
    ranks = stats.rankdata(X, axis=0)
    ranks -= ranks.mean(axis=0)
    squared = ranks**2
    squared -= squared.mean(axis=0)
    centred = y - y.mean()
    strength = np.zeros(X.shape[1])
    for values in (ranks, squared):
        scale = np.linalg.norm(values, axis=0) * np.linalg.norm(centred)
        with np.errstate(divide="ignore", invalid="ignore"):
            strength = np.fmax(strength, np.abs(centred @ values) / scale)
    return np.argsort(-strength, kind="stable")[:MOST_SCREENED]


def _same_order(first: NDArray[np.float64], second: NDArray[np.float64]) -> bool:
    """Whether two features are nearly the same up to a monotone function."""
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return False
    return abs(float(stats.spearmanr(first, second).statistic)) > SAME_FEATURE


def _tree(labels: LabelColumn, seed: int) -> Any:
    kind = DecisionTreeRegressor if labels.kind == "continuous" else DecisionTreeClassifier
    return kind(min_samples_leaf=5, random_state=seed)


def _forest(labels: LabelColumn, seed: int) -> Any:
    kind = RandomForestRegressor if labels.kind == "continuous" else RandomForestClassifier
    return kind(n_estimators=100, min_samples_leaf=2, max_features=0.5, random_state=seed)


def _strength(
    model: Any, X: NDArray[np.float64], labels: LabelColumn, train: Rows, test: Rows
) -> float:
    """Return R2, 2 AUC - 1, or accuracy above that of the commonest class, on the test rows."""
    y = labels.values
    fitted = model.fit(X[train], y[train])
    truth = y[test]
    if len(np.unique(truth)) < 2:
        return 0.0
    if labels.kind == "continuous":
        return get_metric("r2")(truth, fitted.predict(X[test]))
    if labels.kind == "binary":
        share = fitted.predict_proba(X[test])
        positive = share[:, list(fitted.classes_).index(1.0)]
        return 2 * get_metric("roc_auc")(truth, positive) - 1
    commonest = np.bincount(truth.astype(int)).max() / len(truth)
    right = float((fitted.predict(X[test]) == truth).mean())
    return (right - commonest) / (1 - commonest)


def check_row_order(data: AuditData) -> Finding:
    """Correlate the labels with the position of their rows."""
    if not data.labels:
        return ORDER.not_applicable("There are no labels.")
    lines = []
    for labels in data.labels:
        rows = np.flatnonzero(labels.measured)
        if labels.kind == "classes" or len(rows) < FEWEST_ROWS:
            continue
        if len(np.unique(labels.values[rows])) < 2:
            continue
        found = stats.spearmanr(data.rows[rows], labels.values[rows])
        lines.append({"label": str(labels.name), "correlation": float(found.statistic),
                      "p_value": float(found.pvalue)})  # fmt: skip
    if not lines:
        return ORDER.not_applicable(f"No numbers or two classes with {FEWEST_ROWS} labelled rows.")
    table = pd.DataFrame(lines)
    table["p_value"] = np.minimum(table["p_value"] * len(table), 1.0)
    table = table.sort_values("correlation", key=np.abs, ascending=False, kind="stable")
    worst = table.iloc[0]
    measured = {str(key): value for key, value in worst.items()}
    text = (
        f"Rank correlation of {worst['label']} with the position of the row: "
        f"{worst['correlation']:+.2f} ({p_in_words(worst['p_value'], len(table))})."
    )
    ordered = table[
        (table["p_value"] <= ORDER_P_VALUE) & (table["correlation"].abs() >= ORDER_CORRELATION)
    ]
    if len(ordered) == 0:
        return ORDER.passed(text, measured=measured)
    return ORDER.found("warning", text, measured=measured, evidence=ordered)


def check_identifiers(data: AuditData) -> Finding:
    """Look for features that number the rows, or name each of them."""
    table = data.once(feature_table)
    if isinstance(table, str):
        return IDENTIFIER.not_applicable(table)
    lines = []
    for column, name in enumerate(table.names):
        values = table.values[:, column]
        present = values[~np.isnan(values)]
        whole = bool((present == np.round(present)).all())
        distinct = len(np.unique(present)) / max(len(values), 1)
        if not whole or distinct < IDENTIFIER_SHARE or len(values) < FEWEST_ROWS:
            continue
        steady = bool((np.diff(present) > 0).all() or (np.diff(present) < 0).all())
        dense = len(present) > 0 and np.ptp(present) < DENSE_RANGE * len(present)
        if table.is_text[column] or steady or dense:
            kind = "text that differs in every row" if table.is_text[column] else "a row number"
            kind = kind if steady or table.is_text[column] else GIVEN_NUMBER
            lines.append({"feature": name, "kind": kind, "distinct": distinct})
    if not lines:
        return IDENTIFIER.passed(f"None of the {len(table.names)} features numbers the rows.")
    first = lines[0]
    sure = any(line["kind"] != GIVEN_NUMBER for line in lines)  # a given number may be a rank
    return IDENTIFIER.found(
        "warning" if sure else "info",
        f"Feature {first['feature']!r} is {first['kind']} ({len(lines)} such features).",
        measured={"n_features": len(lines)},
        evidence=pd.DataFrame(lines),
    )


def check_missingness(data: AuditData) -> Finding:
    """Compare the labels of rows with and without a value, feature by feature."""
    table = data.once(feature_table)
    if isinstance(table, str):
        return MISSINGNESS.not_applicable(table)
    if not data.labels:
        return MISSINGNESS.not_applicable("There are no labels.")
    missing = np.isnan(table.values)
    n = len(missing)
    columns = [
        column for column in range(missing.shape[1])
        if FEWEST_MISSING <= missing[:, column].sum() <= n - FEWEST_MISSING
    ]  # fmt: skip
    if not columns:
        return MISSINGNESS.not_applicable("No feature has enough missing values.")
    lines = []
    for column in columns:
        for labels in data.labels:
            line = compare_labels(
                labels, labels.values[missing[:, column]], labels.values[~missing[:, column]]
            )
            if line is not None:
                lines.append({"feature": table.names[column], "label": str(labels.name),
                              "n_missing": int(missing[:, column].sum()), **line})  # fmt: skip
    if not lines:
        return MISSINGNESS.not_applicable("Too few labelled rows with missing values.")
    compared = pd.DataFrame(lines).rename(columns={"first": "missing", "second": "present"})
    compared["p_value"] = np.minimum(compared["p_value"] * len(compared), 1.0)
    compared = compared.sort_values("effect", ascending=False, kind="stable")
    worst = compared.iloc[0]
    text = (
        f"Where {worst['feature']!r} is missing, the {worst['measure']} of {worst['label']} is "
        f"{worst['missing']:.3g}, elsewhere {worst['present']:.3g} (effect {worst['effect']:.2f}, "
        f"{p_in_words(worst['p_value'], len(compared))})."
    )
    measured = {str(key): value for key, value in worst.items()}
    telling = compared[
        (compared["p_value"] <= MISSING_P_VALUE) & (compared["effect"] >= MISSING_EFFECT)
    ]
    if len(telling) == 0:
        return MISSINGNESS.passed(text, measured=measured)
    return MISSINGNESS.found("warning", text, measured=measured, evidence=telling)
