"""Rows that are pairs of entities (drug and protein, two proteins): what each side gives away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from honesteval.checks._data import AuditData
from honesteval.checks._entity_effect import EntityEffect, effect_of_degrees, effect_of_entities
from honesteval.checks._evidence_words import p_in_words
from honesteval.checks._finding import CheckInfo, Finding, Severity
from honesteval.checks._labels import LabelColumn
from honesteval.checks._pair_entities import entity_columns
from honesteval.checks._split_rows import Comparison
from honesteval.stats import get_metric, hanley_mcneil_standard_error
from honesteval.stats._fold_means import ranks_within_folds

__all__ = ["check_degrees", "check_label_rates", "check_pair_coverage", "check_repeated_pairs"]

#: A label-rate or degree predictor is reported above this ROC-AUC
TELLING_AUC = 0.6
#: or this R2 of numbers.
TELLING_R2 = 0.1
#: It is grave above this ROC-AUC
GRAVE_AUC = 0.8
#: or this R2.
GRAVE_R2 = 0.5
#: It has to be above chance by this many standard errors.
STANDARD_ERRORS = 3.0
#: Over all rows an entity is reported below this p-value
EFFECT_P_VALUE = 0.001
#: and above this share of the variance of the labels.
EFFECT_SIZE = 0.02
#: Fewer test rows whose entity is in training gain nothing from it.
FEWEST_KNOWN_SHARE = 0.1
#: Weight of the overall mean in the label rate of an entity, in rows.
PRIOR_ROWS = 1.0
FEWEST_ROWS = 30
#: Numbers that differ by less are the same but for rounding.
_ROUNDING = 1e-12

Codes = NDArray[np.intp]

COVERAGE = CheckInfo(
    code="HE131",
    name="pair-coverage",
    title="Which entities of the test pairs are known from training",
    why=(
        "Predicting new pairs of known entities, pairs with one new entity and pairs of two new "
        "ones are tasks of very different difficulty. One score over all hides which was solved."
    ),
    advice="Report the score for each kind by itself; split by entity for the task you have.",
    concerns="reliability",
)

RATES = CheckInfo(
    code="HE132",
    name="entity-label-rates",
    title="Labels predicted from how often an entity is positive",
    why=(
        "Where each entity is mostly positive or mostly negative, its mean training label "
        "predicts its test pairs without any knowledge of the partner: the model need not learn "
        "an interaction."
    ),
    advice="Balance labels per entity, or test on entities that are not in training.",
)

DEGREES = CheckInfo(
    code="HE133",
    name="entity-degrees",
    title="Labels predicted from how often an entity occurs",
    why=(
        "Random negatives of a network have other degrees than its edges. The number of "
        "training pairs of an entity then predicts the label."
    ),
    advice="Draw negatives with the degrees of the positives.",
)

REPEATED = CheckInfo(
    code="HE134",
    name="repeated-pairs",
    title="The same pair on both sides, also mirrored; an entity paired with itself",
    why=(
        "A pair that is in training, in either order, has a known answer. An entity paired with "
        "itself is mostly a special case: self pairs of one label are known without a model."
    ),
    advice="Sort the two entities of symmetric pairs and merge repeats before splitting.",
)

_NO_PAIRS = "No pairs were given."


def pair_codes(data: AuditData) -> tuple[list[str], Codes]:
    """Return the names of the entity columns and their codes, shape (n, n_columns).

    Columns that share entities share codes, so that a pair and its mirror image can be told.
    """
    columns = data.once(entity_columns)
    codes = pd.factorize(np.concatenate([column.text for column in columns]))[0]
    return [column.name for column in columns], np.asarray(
        codes.reshape(len(columns), -1).T, dtype=np.intp
    )


def check_pair_coverage(data: AuditData) -> Finding:
    """Count test pairs by which of their entities are in training."""
    if data.pairs_of is None:
        return COVERAGE.not_applicable(_NO_PAIRS)
    names, codes = data.once(pair_codes)
    kinds: list[pd.Series] = []
    for comparison in data.final:
        known = np.column_stack(
            [
                np.isin(codes[comparison.test, column], codes[comparison.train, column])
                for column in range(len(names))
            ]
        )
        kinds.append(pd.Series([_kind(line, names) for line in known]))
    counts = pd.concat(kinds).value_counts()
    n_test = int(counts.sum())
    none = int(counts.get(_kind([False] * len(names), names), 0))
    evidence = pd.DataFrame(
        {"known": counts.index, "n_test_rows": counts.to_numpy(),
         "share": counts.to_numpy() / n_test}
    )  # fmt: skip
    text = "; ".join(f"{kind}: {count / n_test:.1%}" for kind, count in counts.items())
    measured = {str(kind): int(count) for kind, count in counts.items()}
    if none == n_test:
        return COVERAGE.passed(f"Of {n_test:,} test pairs, {text}.", measured=measured)
    return COVERAGE.found(
        "info", f"Of {n_test:,} test pairs, {text}.", measured=measured, evidence=evidence
    )


def _kind(known: Sequence[bool] | NDArray[np.bool_], names: list[str]) -> str:
    seen = [name for name, is_known in zip(names, known, strict=True) if is_known]
    if len(seen) == len(names):
        return "all entities known"
    return f"only {' and '.join(seen)} known" if seen else "no entity known"


def check_label_rates(data: AuditData) -> Finding:
    """Score the mean training label of each entity as a predictor of the test labels.

    Where the test rows are too few to show it, all rows are asked whether labels go with the
    entity (and the test rows whether their entities are known).
    """

    def over_all(codes: Codes, y: NDArray[np.float64]) -> EntityEffect:
        return effect_of_entities(codes, y, data.seed)

    return _check_predictor(data, RATES, _rates, "mean training label", over_all)


def check_degrees(data: AuditData) -> Finding:
    """Score the number of training pairs of each entity as a predictor of the test labels."""
    return _check_predictor(data, DEGREES, _degrees, "number of training pairs", effect_of_degrees)


def _check_predictor(
    data: AuditData, info: CheckInfo, predictor: Any, what: str, over_all: Any
) -> Finding:
    if data.pairs_of is None:
        return info.not_applicable(_NO_PAIRS)
    usable = [labels for labels in data.labels if labels.kind != "classes"]
    if not usable:
        return info.not_applicable("There are no numeric labels, nor labels of two classes.")
    names, codes = data.once(pair_codes)
    lines = [line for labels in usable for line in _scores(data, labels, names, codes, predictor)]
    if not lines:
        return info.not_applicable(f"Fewer than {FEWEST_ROWS} labelled test rows, or one class.")
    table = pd.DataFrame(lines).sort_values("score", ascending=False, kind="stable")
    worst = table.iloc[0]
    measured = {str(key): value for key, value in worst.items()}
    text = (
        f"The {what} of {worst['entity']} alone predicts {worst['label']} of the test rows with "
        f"{worst['metric']} {worst['score']:.3f} ({worst['n_test']:,} rows)."
    )
    telling = table[table["telling"]].drop(columns="telling")
    if len(telling):
        grave = GRAVE_AUC if worst["metric"] == "roc_auc" else GRAVE_R2
        severity: Severity = "error" if worst["score"] >= grave else "warning"
        return info.found(severity, text, measured=measured, evidence=telling)
    effects = _effects(data, usable, names, codes, over_all)
    if len(effects) == 0:
        return info.passed(text, measured=measured)
    first = effects.iloc[0]
    measured |= {"explained_over_all_rows": first["explained"], "p_value": first["p_value"]}
    return info.found(
        "info",
        f"{text} Too few to tell by themselves; over all rows {first['entity']} explains "
        f"{first['explained']:.1%} of {first['label']} in this way "
        f"({p_in_words(first['p_value'], len(usable) * len(names))}).",
        measured=measured,
        evidence=effects,
    )


def _effects(
    data: AuditData, usable: list[LabelColumn], names: list[str], codes: Codes, over_all: Any
) -> pd.DataFrame:
    """Return the entity columns that go with the labels of all rows and are known in training."""
    lines = []
    for labels in usable:
        rows = np.flatnonzero(labels.measured)
        for column, name in enumerate(names):
            known = np.mean(
                np.concatenate(
                    [np.isin(codes[c.test, column], codes[c.train, column]) for c in data.final]
                )
            )
            effect = over_all(codes[rows, column], labels.values[rows])
            lines.append({"entity": name, "label": str(labels.name), "known": float(known),
                          "explained": effect.explained, "p_value": effect.p_value})  # fmt: skip
    table = pd.DataFrame(lines)
    table["p_value"] = np.minimum(table["p_value"] * len(table), 1.0)
    found = table[
        (table["p_value"] <= EFFECT_P_VALUE)
        & (table["explained"] >= EFFECT_SIZE)
        & (table["known"] >= FEWEST_KNOWN_SHARE)
    ]
    return found.sort_values("explained", ascending=False, kind="stable")


def _scores(
    data: AuditData, labels: LabelColumn, names: list[str], codes: Codes, predictor: Any
) -> list[dict[str, Any]]:
    """Score each entity column, and their sum, within the final comparisons.

    What is compared between folds would be their shares of positives: a training part has more
    where its test part has fewer.
    """
    truths, predictions = [], []
    for comparison in data.final:
        test = comparison.test[labels.measured[comparison.test]]
        train = comparison.train[labels.measured[comparison.train]]
        if len(test) == 0 or len(train) == 0:
            continue
        truths.append(labels.values[test])
        predictions.append(
            np.stack(
                [
                    predictor(codes[train, column], codes[test, column], labels.values[train])
                    for column in range(len(names))
                ]
            )
        )
    if not truths:
        return []
    y, by_column = np.concatenate(truths), np.concatenate(predictions, axis=1)
    if len(y) < FEWEST_ROWS or len(np.unique(y)) < 2:
        return []
    fold = np.repeat(np.arange(len(truths)), [len(some) for some in truths])
    candidates = dict(zip(names, by_column, strict=True))
    if len(names) > 1:
        candidates[" and ".join(names)] = by_column.sum(axis=0)
    return [
        {"entity": entity, "label": str(labels.name), **_score(labels, y, values, fold)}
        for entity, values in candidates.items()
    ]


def _score(
    labels: LabelColumn,
    y: NDArray[np.float64],
    values: NDArray[np.float64],
    fold: NDArray[np.intp],
) -> dict[str, Any]:
    if labels.kind == "binary":
        auc = get_metric("roc_auc")(y, ranks_within_folds(values, fold))
        auc = max(auc, 1 - auc)
        n_positive = int(y.sum())
        error = hanley_mcneil_standard_error(0.5, n_positive, len(y) - n_positive)
        telling = auc >= TELLING_AUC and auc - 0.5 > STANDARD_ERRORS * error
        return {"metric": "roc_auc", "score": auc, "n_test": len(y), "telling": bool(telling)}
    values, y = _centred(values, fold), _centred(y, fold)
    constant = np.ptp(values) < _ROUNDING or np.ptp(y) < _ROUNDING
    correlation = 0.0 if constant else float(np.corrcoef(y, values)[0, 1])
    explained = correlation**2
    telling = explained >= TELLING_R2 and abs(correlation) > STANDARD_ERRORS / np.sqrt(len(y))
    return {"metric": "r2", "score": explained, "n_test": len(y), "telling": bool(telling)}


def _rates(train: Codes, test: Codes, y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean label of each test entity in training, drawn to the overall mean."""
    n_codes = int(max(train.max(), test.max())) + 2
    total = np.bincount(train[train >= 0], weights=y[train >= 0], minlength=n_codes)
    count = np.bincount(train[train >= 0], minlength=n_codes)
    rate = (total + PRIOR_ROWS * y.mean()) / (count + PRIOR_ROWS)
    return np.where(test >= 0, rate[np.maximum(test, 0)], y.mean())


def _degrees(train: Codes, test: Codes, y: NDArray[np.float64]) -> NDArray[np.float64]:
    n_codes = int(max(train.max(), test.max())) + 2
    count = np.bincount(train[train >= 0], minlength=n_codes).astype(np.float64)
    return np.where(test >= 0, count[np.maximum(test, 0)], 0.0)


def check_repeated_pairs(data: AuditData) -> Finding:
    """Look for test pairs that are in training in the same order or mirrored; count self pairs."""
    if data.pairs_of is None:
        return REPEATED.not_applicable(_NO_PAIRS)
    _, codes = data.once(pair_codes)
    unordered = np.sort(codes, axis=1)
    keys = np.asarray(pd.factorize(pd.MultiIndex.from_arrays(list(unordered.T)))[0], dtype=np.intp)
    tables = [_repeats(data, comparison, codes, keys) for comparison in data.final]
    evidence = pd.concat(tables, ignore_index=True)
    n_test = sum(len(comparison.test) for comparison in data.final)
    n_mirrored = int(evidence["mirrored"].sum()) if len(evidence) else 0
    n_self = int(((codes == codes[:, :1]) & (codes >= 0)).all(axis=1).sum())
    measured = {"n_repeated": len(evidence), "n_mirrored": n_mirrored, "n_self_pairs": n_self}
    selves = f" {n_self:,} rows pair an entity with itself." if n_self else ""
    if len(evidence) == 0:
        text = f"None of the {n_test:,} test pairs is in training.{selves}"
        if not n_self:
            return REPEATED.passed(text, measured=measured)
        rows = data.rows[((codes == codes[:, :1]) & (codes >= 0)).all(axis=1)]
        return REPEATED.found("info", text, measured=measured, evidence=pd.DataFrame({"row": rows}))
    return REPEATED.found(
        "error",
        f"{len(evidence):,} of {n_test:,} test pairs are in training, {n_mirrored:,} of them "
        f"mirrored.{selves}",
        measured=measured,
        evidence=evidence,
    )


def _repeats(data: AuditData, comparison: Comparison, codes: Codes, keys: Codes) -> pd.DataFrame:
    seen, first = np.unique(keys[comparison.train], return_index=True)
    position = np.minimum(np.searchsorted(seen, keys[comparison.test]), len(seen) - 1)
    complete = (codes[comparison.test] >= 0).all(axis=1)
    hit = complete & (seen[position] == keys[comparison.test])
    test, train = comparison.test[hit], comparison.train[first[position[hit]]]
    mirrored = (codes[test] != codes[train]).any(axis=1)
    return data.pairs(comparison, test, train, mirrored=mirrored)


def _centred(values: NDArray[np.float64], fold: NDArray[np.intp]) -> NDArray[np.float64]:
    return values - (np.bincount(fold, values) / np.bincount(fold))[fold]
