"""Test sets too small to tell, folds without both classes, labels that shift."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from honesteval.checks._data import AuditData
from honesteval.checks._evidence_words import p_in_words
from honesteval.checks._finding import CheckInfo, Finding
from honesteval.checks._labels import LabelColumn
from honesteval.stats import auc_resolution, hanley_mcneil_standard_error

__all__ = ["check_class_presence", "check_label_shift", "check_test_size", "compare_labels"]

#: Interval widths are quoted for a model of this quality.
TYPICAL_AUC = 0.8
TYPICAL_CORRELATION = 0.7
TYPICAL_ACCURACY = 0.8
#: Half widths above which differences between models can hardly be told.
WIDE = 0.1
#: A shift of the labels is reported below this p-value (over all parts) and above these sizes.
SHIFT_P_VALUE = 0.01
SHIFT_SMALL = 0.2
SHIFT_LARGE = 0.5
#: Expected counts below which the chi-square distribution is not one of theirs.
FEWEST_EXPECTED = 10

_NORMAL_95 = 1.959963984540054

SIZE = CheckInfo(
    code="HE501",
    name="test-set-size",
    title="Can the test set tell models apart?",
    why=(
        "The score of a small test set moves by more than the differences between models. A "
        "ranking of models on it is mostly luck."
    ),
    advice="Test on more rows: cross-validate, repeat the split, or pool out-of-fold predictions.",
    concerns="reliability",
)

CLASSES = CheckInfo(
    code="HE502",
    name="missing-class",
    title="Parts without every class",
    why=(
        "Without both classes in a test fold its ROC-AUC does not exist; without a class in "
        "training it cannot be learned. Means over the remaining folds are of other data."
    ),
    advice="Stratify, or use fewer folds; SimilarityGroupKFold balances classes per fold.",
    concerns="reliability",
)

SHIFT = CheckInfo(
    code="HE503",
    name="label-shift",
    title="Labels differ between test and training",
    why=(
        "Where the share of positives or the level of the labels differs, calibration, "
        "precision and error of the test set are not those of the training population."
    ),
    advice="Report it beside the score; stratify if the shift is not meant.",
    concerns="reliability",
)


def check_test_size(data: AuditData) -> Finding:
    """Compute how wide a 95 % interval of the score on all test rows has to be."""
    if not data.labels:
        return SIZE.not_applicable("There are no labels.")
    tested = np.unique(np.concatenate([comparison.test for comparison in data.final]))
    lines = [_expected_width(labels, labels.values[tested]) for labels in data.labels]
    table = pd.DataFrame(lines)
    wide = table[~(table["half_width"] <= WIDE)].sort_values("half_width", ascending=False)
    worst = table.sort_values("half_width", ascending=False, na_position="first").iloc[0]
    measured = {key: value for key, value in worst.items() if key != "label"}
    measured |= {"n_labels": len(table), "n_wide": len(wide)}
    of_label = f" ({worst['label']}, the widest of {len(table)})" if len(table) > 1 else ""
    if np.isnan(worst["half_width"]):
        text = f"{worst['n_test']} labelled test rows{of_label}: no interval can be given."
    else:
        text = (
            f"{worst['n_test']} labelled test rows{of_label}: a 95 % interval of {worst['of']} is "
            f"about +-{worst['half_width']:.3f}"
        )
        steps = f", in steps of {worst['resolution']:.2g}." if worst["resolution"] else "."
        text += steps
    if len(wide) == 0:
        return SIZE.passed(text, measured=measured)
    return SIZE.found("warning", text, measured=measured, evidence=wide)


def _expected_width(labels: LabelColumn, values: NDArray[np.float64]) -> dict[str, Any]:
    values = values[~np.isnan(values)]
    n = len(values)
    line: dict[str, Any] = {"label": str(labels.name), "n_test": n, "half_width": np.nan,
                            "resolution": None, "of": ""}  # fmt: skip
    if labels.kind == "binary":
        n_positive = int(values.sum())
        line |= {"of": f"a ROC-AUC of {TYPICAL_AUC:g}", "n_positive": n_positive}
        if 0 < n_positive < n:
            error = hanley_mcneil_standard_error(TYPICAL_AUC, n_positive, n - n_positive)
            line["half_width"] = _NORMAL_95 * error
            line["resolution"] = auc_resolution(n_positive, n - n_positive)
    elif labels.kind == "classes":
        line["of"] = f"an accuracy of {TYPICAL_ACCURACY:g}"
        if n:
            line["half_width"] = _NORMAL_95 * np.sqrt(TYPICAL_ACCURACY * (1 - TYPICAL_ACCURACY) / n)
            line["resolution"] = 1 / n
    else:
        line["of"] = f"a correlation of {TYPICAL_CORRELATION:g}"
        if n > 3:
            z, width = np.arctanh(TYPICAL_CORRELATION), _NORMAL_95 / np.sqrt(n - 3)
            line["half_width"] = (np.tanh(z + width) - np.tanh(z - width)) / 2
    return line


def check_class_presence(data: AuditData) -> Finding:
    """Look for sides of comparisons that lack a class."""
    columns = [labels for labels in data.labels if labels.kind != "continuous"]
    if not columns:
        return CLASSES.not_applicable("There are no classes.")
    lines, n_sides = [], 0
    for labels in columns:
        present = set(labels.values[labels.measured].astype(int).tolist())
        for comparison in data.final:
            for name, rows in (("test", comparison.test), ("training", comparison.train)):
                n_sides += 1
                values = labels.values[rows]
                here = set(values[~np.isnan(values)].astype(int).tolist())
                lines += [
                    {"split": comparison.name, "side": name, "label": str(labels.name),
                     "class": labels.classes[code], "n_labelled": int((~np.isnan(values)).sum())}
                    for code in sorted(present - here)
                ]  # fmt: skip
    measured = {"n_sides": n_sides, "n_missing": len(lines)}
    if not lines:
        return CLASSES.passed(f"All {n_sides:,} sides hold every class.", measured=measured)
    evidence = pd.DataFrame(lines)
    first = lines[0]
    return CLASSES.found(
        "warning",
        f"{len(evidence[['split', 'side', 'label']].drop_duplicates()):,} of {n_sides:,} sides "
        f"lack a class; the {first['side']} side of {first['split']!r} has no {first['class']!r} "
        f"of {first['label']}.",
        measured=measured,
        evidence=evidence,
    )


def check_label_shift(data: AuditData) -> Finding:
    """Compare the labels of the two sides of every final comparison."""
    if not data.labels:
        return SHIFT.not_applicable("There are no labels.")
    lines = []
    for labels in data.labels:
        for comparison in data.final:
            test, train = labels.values[comparison.test], labels.values[comparison.train]
            line = compare_labels(labels, test, train)
            if line is not None:
                lines.append({"split": comparison.name, "label": str(labels.name), **line})
    table = pd.DataFrame(lines).rename(columns={"first": "test", "second": "training"})
    if len(table) == 0:
        return SHIFT.not_applicable("No comparison has labelled rows on both sides.")
    table["p_value"] = np.minimum(table["p_value"] * len(table), 1.0)
    table = table.sort_values("effect", ascending=False, kind="stable")
    shifted = table[(table["p_value"] <= SHIFT_P_VALUE) & (table["effect"] >= SHIFT_SMALL)]
    worst = (shifted if len(shifted) else table).iloc[0]
    measured = {str(key): value for key, value in worst.items()}
    text = (
        f"{worst['label']} in {worst['split']!r}: {worst['measure']} {worst['test']:.3g} in test, "
        f"{worst['training']:.3g} in training (effect {worst['effect']:.2f}, "
        f"{p_in_words(worst['p_value'], len(table))})."
    )
    if len(shifted) == 0:
        return SHIFT.passed(text, measured=measured)
    large = (shifted["effect"] >= SHIFT_LARGE).any()
    return SHIFT.found("warning" if large else "info", text, measured=measured, evidence=shifted)


def compare_labels(
    labels: LabelColumn, first: NDArray[np.float64], second: NDArray[np.float64]
) -> dict[str, Any] | None:
    """Return the effect size (Cohen's d, h or w) and p-value of a difference of two samples.

    None where one of them has fewer than two labels.
    """
    first, second = first[~np.isnan(first)], second[~np.isnan(second)]
    if len(first) < 2 or len(second) < 2:
        return None
    line = {"measure": "mean", "first": float(first.mean()), "second": float(second.mean())}
    if labels.kind == "continuous":
        spread = np.sqrt((first.var(ddof=1) + second.var(ddof=1)) / 2)
        effect = abs(first.mean() - second.mean()) / spread if spread > 0 else 0.0
        p_value = stats.mannwhitneyu(first, second).pvalue if spread > 0 else 1.0
        return line | {"effect": float(effect), "p_value": float(p_value)}
    counts = np.array(
        [np.bincount(side.astype(int), minlength=len(labels.classes)) for side in (first, second)]
    )
    counts = counts[:, counts.sum(axis=0) > 0]
    p_value = _p_of_counts(counts)
    if labels.kind == "binary":
        angles = 2 * np.arcsin(np.sqrt([first.mean(), second.mean()]))
        line["measure"] = "share of positives"
        return line | {"effect": float(abs(angles[0] - angles[1])), "p_value": float(p_value)}
    shares = counts / counts.sum(axis=1, keepdims=True)
    overall = counts.sum(axis=0) / counts.sum()
    widest = int(np.abs(shares[0] - shares[1]).argmax())
    return {
        "measure": "share of the class that differs most",
        "first": float(shares[0, widest]),
        "second": float(shares[1, widest]),
        "effect": float(np.sqrt(((shares[0] - shares[1]) ** 2 / overall).sum())),
        "p_value": float(p_value),
    }


def _p_of_counts(counts: NDArray[np.int_]) -> float:
    """Return the p-value of two rows of counts: exact for two classes of which one is rare."""
    if counts.shape[1] < 2:
        return 1.0
    expected = stats.contingency.expected_freq(counts)
    if counts.shape == (2, 2) and expected.min() < FEWEST_EXPECTED:
        return float(stats.fisher_exact(counts).pvalue)
    return float(stats.chi2_contingency(counts).pvalue)
