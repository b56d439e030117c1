"""Measurement levels (assays, sites, batches): do labels shift with them, what does mixing cost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from honesteval.checks._data import AuditData
from honesteval.checks._distribution_shift import MOST_ROWS, N_NEIGHBORS, nearest_others
from honesteval.checks._finding import CheckInfo, Finding
from honesteval.checks._labels import LabelColumn
from honesteval.checks._model_scores import DEFAULT_METRICS, predict_for
from honesteval.checks._nearest_label import nearest_labels
from honesteval.checks._split_rows import Comparison
from honesteval.stats import Metric, bootstrap_difference, get_metric

__all__ = ["check_levels"]

#: Levels with fewer labelled training rows (per comparison) or test rows are not scored.
FEWEST_ROWS = 10
#: Labels shift with the level below this p-value and above this share of explained variance.
SHIFT_P_VALUE = 1e-3
SHIFT_SHARE = 0.02
N_RESAMPLES = 999

Rows = NDArray[np.intp]

INFO = CheckInfo(
    code="HE205",
    name="mixed-levels",
    title="Measurement levels mixed in one training set",
    why=(
        "Values of different assays, sites or batches differ by offsets that no feature knows. A "
        "model trained on the mix predicts between the levels, and one that can tell the level "
        "from the features scores on the offset."
    ),
    advice="Model one level at a time, give the level as a feature, or correct the offset first.",
    concerns="reliability",
)


def check_levels(data: AuditData) -> Finding:
    """Measure the label shift between levels, and what mixing them costs on each level."""
    if data.levels is None:
        return INFO.not_applicable("No levels were given.")
    codes, names = pd.factorize(data.levels, sort=True)
    codes = np.asarray(codes, dtype=np.intp)
    if len(names) < 2:
        return INFO.not_applicable("There is one level only.")
    if not data.labels:
        return INFO.not_applicable("There are no labels.")
    if data.similarity is None and data.estimator is None:
        return INFO.not_applicable(f"{data.no_similarity} Nor was an estimator given.")
    lines = [
        line for labels in data.labels for line in _cost_of_mixing(data, labels, codes, list(names))
    ]
    shifts = [(str(labels.name), *_explained(labels, codes)) for labels in data.labels]
    label, share, p_value = max(shifts, key=lambda entry: entry[1])
    measured: dict[str, Any] = {
        "n_levels": len(names), "label": label, "share_explained": share, "p_value": p_value,
        "n_scored": len(lines),
    }  # fmt: skip
    text = (
        f"The level explains {share:.1%} of the variance of {label} (p = {p_value:.2g}) over "
        f"{len(names)} levels."
    )
    known = _known_from_neighbours(data, codes)
    if known is not None:
        measured |= known
        text += (
            f" {known['same_level']:.1%} of the nearest rows are of the row's own level, "
            f"{known['same_level_by_chance']:.1%} by chance."
        )
    if lines:
        table = pd.DataFrame(lines).sort_values("cost", ascending=False, kind="stable")
        worst = table.iloc[0]
        measured |= {str(key): value for key, value in worst.items()}
        text += (
            f" On level {worst['level']}, {worst['metric']} is {worst['mixed']:.3f} learned from "
            f"all levels and {worst['alone']:.3f} from this one alone."
        )
        hurt = table[table["mixing_hurts"]]
        if len(hurt):
            return INFO.found("warning", text, measured=measured, evidence=hurt)
    if p_value <= SHIFT_P_VALUE and share >= SHIFT_SHARE:
        return INFO.found("info", text, measured=measured)
    return INFO.passed(text, measured=measured)


def _known_from_neighbours(data: AuditData, codes: Rows) -> dict[str, float] | None:
    """Return how often the nearest rows are of one level: whether features tell the level."""
    if data.similarity is None or data.n_rows <= N_NEIGHBORS:
        return None
    rng = np.random.default_rng(data.seed)
    rows = np.arange(data.n_rows)
    sample = np.sort(rng.permutation(data.n_rows)[:MOST_ROWS])
    near = nearest_others(data.similarity, rows, sample, N_NEIGHBORS)
    same = float((codes[near] == codes[sample][:, None]).mean())
    known = codes[codes >= 0]
    shares = np.bincount(known) / len(known)
    return {"same_level": same, "same_level_by_chance": float((shares**2).sum())}


def _cost_of_mixing(
    data: AuditData, labels: LabelColumn, codes: Rows, names: list[Any]
) -> list[dict[str, Any]]:
    """Score each level learned from all levels and from itself alone, pooled over comparisons."""
    metric = get_metric(DEFAULT_METRICS[labels.kind])
    pooled: dict[int, list[NDArray[np.float64]]] = {}
    for comparison in data.final:
        for code, columns in _of_comparison(data, labels, codes, comparison, metric).items():
            pooled.setdefault(code, []).append(columns)
    lines = []
    for code, parts in sorted(pooled.items()):
        y, mixed, alone = np.concatenate(parts, axis=1)
        undefined = np.isnan([metric(y, mixed), metric(y, alone)]).any()
        if len(y) < FEWEST_ROWS or undefined:
            continue
        difference = bootstrap_difference(
            y, mixed, alone, metric=metric, n_resamples=N_RESAMPLES, random_state=data.seed,
            confidence_level=1 - 0.05 / (len(names) * len(data.labels)),
        )  # fmt: skip
        sign = -1 if metric.greater_is_better else 1
        worse = difference.high < 0 if metric.greater_is_better else difference.low > 0
        lines.append(
            {"label": str(labels.name), "level": names[code], "metric": metric.name,
             "n_test": len(y), "mixed": difference.estimate_a, "alone": difference.estimate_b,
             "cost": sign * difference.estimate, "low": difference.low, "high": difference.high,
             "mixing_hurts": bool(worse)}
        )  # fmt: skip
    return lines


def _of_comparison(
    data: AuditData, labels: LabelColumn, codes: Rows, comparison: Comparison, metric: Metric
) -> dict[int, NDArray[np.float64]]:
    """Return, by level, rows of labels, mixed predictions and predictions of the level alone."""
    train = comparison.train[labels.measured[comparison.train]]
    test = comparison.test[labels.measured[comparison.test]]
    if len(train) == 0 or len(test) == 0:
        return {}
    mixed = _predict(data, labels, train, test, metric)
    found = {}
    for code in np.unique(codes[test]):
        own, here = train[codes[train] == code], codes[test] == code
        if code < 0 or len(own) < FEWEST_ROWS:
            continue
        if labels.kind != "continuous" and len(np.unique(labels.values[own])) < 2:
            continue
        alone = _predict(data, labels, own, test[here], metric)
        found[int(code)] = np.stack([labels.values[test[here]], mixed[here], alone])
    return found


def _predict(
    data: AuditData, labels: LabelColumn, train: Rows, test: Rows, metric: Metric
) -> NDArray[np.float64]:
    """Predict with the model, or without one from the nearest training rows."""
    if data.estimator is not None:
        return predict_for(
            data.estimator, data.features, labels, train=train, test=test, metric=metric
        )
    assert data.similarity is not None
    nearest = nearest_labels(data.similarity, labels, train, test)
    return nearest.prediction(metric.prediction == "classes")


def _explained(labels: LabelColumn, codes: Rows) -> tuple[float, float]:
    """Return the share of the variance of the labels between levels, and its p-value.

    For numbers eta squared with the Kruskal-Wallis test; for classes Cramer's V squared with
    the chi-squared test.
    """
    rows = labels.measured & (codes >= 0)
    values, level = labels.values[rows], codes[rows]
    if len(np.unique(level)) < 2 or len(np.unique(values)) < 2:
        return 0.0, 1.0
    if labels.kind == "continuous":
        groups = [values[level == code] for code in np.unique(level)]
        between = sum(len(group) * (group.mean() - values.mean()) ** 2 for group in groups)
        return float(between / (len(values) * values.var())), float(stats.kruskal(*groups).pvalue)
    counts = pd.crosstab(level, values).to_numpy()
    chi2, p_value, *_ = stats.chi2_contingency(counts, correction=False)
    return float(chi2 / (counts.sum() * (min(counts.shape) - 1))), float(p_value)
