"""The same entity on both sides of the split, and labels that contradict each other."""

from __future__ import annotations

import numpy as np
import pandas as pd

from honesteval.checks._code_matches import compare_codes
from honesteval.checks._data import AuditData
from honesteval.checks._finding import CheckInfo, Finding
from honesteval.checks._labels import LabelColumn

__all__ = [
    "check_conflicting_labels",
    "check_flat_structures",
    "check_identical",
    "check_repeats",
]

#: Share of the repeated entities whose labels differ from which on it is a warning.
CONFLICT_WARNING_SHARE = 0.05
#: Numbers that differ by less than this many standard deviations of all labels are repeats with
#: noise, not conflicts.
CONFLICT_STANDARD_DEVIATIONS = 0.5

IDENTICAL = CheckInfo(
    code="HE101",
    name="identical-entity",
    title="The same entity on both sides",
    why=(
        "A model has seen the answer for a test row that repeats a training row; its score on "
        "such rows says nothing about new ones."
    ),
    advice=(
        "Merge repeated rows before splitting, or keep them in one fold "
        "(SimilarityGroupKFold does); audit.clean_split() lists the rows to leave out."
    ),
)

FLAT = CheckInfo(
    code="HE102",
    name="same-flat-structure",
    title="The same molecule but for salt, stereo or isotopes",
    why=(
        "Fingerprints without stereo cannot tell such forms apart, and their measured values are "
        "mostly alike, so that the test row is known from training."
    ),
    advice=(
        "Pass groups=molecules.keys('flat') to a splitter. Alone, SimilarityGroupKFold keeps "
        "stereoisomers together at any threshold= (their fingerprints are equal), salts only if "
        "their similarity reaches it."
    ),
)

CONFLICTS = CheckInfo(
    code="HE104",
    name="conflicting-labels",
    title="Repeated entities whose labels differ",
    why=(
        "No model can be right on both rows: the conflict bounds the best possible score, and "
        "often marks mixed assays, units or stereoisomers."
    ),
    advice="Average or remove repeats that disagree, and find out why they do.",
    concerns="reliability",
)

REPEATS = CheckInfo(
    code="HE105",
    name="repeats-within-a-side",
    title="Entities repeated within training or within the test set",
    why=(
        "Repeated training rows weigh more, and folds cut from them leak; repeated test rows "
        "count an easy or a hard case several times, and shorten intervals."
    ),
    advice="Merge repeats, or keep them together in inner folds and in bootstraps (groups=).",
    concerns="reliability",
)


def check_identical(data: AuditData) -> Finding:
    """Look for test rows that repeat a training row."""
    if data.entity_codes is None:
        return IDENTICAL.not_applicable(
            f"Identity is not defined for this similarity ({data.no_similarity or 'precomputed'})."
        )
    return compare_codes(
        data, IDENTICAL, data.entity_codes, severity="error", what=f"the same {data.entity_name}"
    )


def check_flat_structures(data: AuditData) -> Finding:
    """Look for test molecules that are training molecules but for salt, stereo or isotopes."""
    if data.molecules is None:
        return FLAT.not_applicable("The entities are not molecules.")
    keys = data.molecules.keys("flat")[data.position]
    flat = np.asarray(pd.factorize(keys)[0], dtype=np.intp)
    return compare_codes(
        data,
        FLAT,
        flat,
        severity="warning",
        what="the same flat structure",
        without=data.entity_codes,
    )


def check_conflicting_labels(data: AuditData) -> Finding:
    """Look for identical entities with different labels, wherever they are."""
    if data.entity_codes is None or not data.labels:
        what = "Identity is not defined here" if data.labels else "There are no labels"
        return CONFLICTS.not_applicable(f"{what}.")
    lines, n_repeated = [], 0
    for labels in data.labels:
        rows = np.flatnonzero(labels.measured)
        table = pd.DataFrame(
            {"code": data.entity_codes[rows], "label": labels.values[rows], "row": data.rows[rows]}
        )
        table = table[table.duplicated("code", keep=False)]
        grouped = table.groupby("code", sort=True)
        n_repeated += grouped.ngroups
        ranges = grouped["label"].max() - grouped["label"].min()
        in_sd = ranges / _scale(labels)
        least = CONFLICT_STANDARD_DEVIATIONS if labels.kind == "continuous" else 0.0
        for code in ranges.index[(ranges > 0) & (in_sd >= least)]:
            members = table.loc[table["code"] == code, "row"].tolist()
            lines.append((str(labels.name), members, ranges[code], in_sd[code]))
    if n_repeated == 0:
        return CONFLICTS.passed("No labelled entity is repeated.")
    share = len(lines) / n_repeated
    measured = {"n_repeated": n_repeated, "n_conflicting": len(lines), "share": share}
    if not lines:
        return CONFLICTS.passed(
            f"The labels of all {n_repeated:,} repeated entities agree.", measured=measured
        )
    evidence = pd.DataFrame(lines, columns=["label", "rows", "difference", "in_sd"])
    evidence = evidence.sort_values("in_sd", ascending=False, kind="stable")
    size = ""
    if any(labels.kind == "continuous" for labels in data.labels):
        measured["median_in_sd"] = float(evidence["in_sd"].median())
        size = f", by {measured['median_in_sd']:.2g} standard deviations in the median"
    return CONFLICTS.found(
        "warning" if share >= CONFLICT_WARNING_SHARE else "info",
        f"{len(lines):,} of {n_repeated:,} repeated entities ({share:.1%}) have labels that "
        f"differ{size}.",
        measured=measured,
        evidence=evidence,
    )


def _scale(labels: LabelColumn) -> float:
    """Return the standard deviation of the labels; 1 for classes."""
    known = labels.values[labels.measured]
    return float(known.std()) or 1.0 if labels.kind == "continuous" and len(known) else 1.0


def check_repeats(data: AuditData) -> Finding:
    """Count rows that repeat an earlier row of their own side."""
    if data.entity_codes is None:
        return REPEATS.not_applicable("Identity is not defined for this similarity.")
    tables, counts = [], {"training": 0, "test": 0}
    for comparison in data.final:
        for side, rows in (("training", comparison.train), ("test", comparison.test)):
            _, first, group = np.unique(
                data.entity_codes[rows], return_index=True, return_inverse=True
            )
            later = np.flatnonzero(first[group] != np.arange(len(rows)))
            counts[side] += len(later)
            tables.append(
                pd.DataFrame(
                    {
                        "split": comparison.name,
                        "side": side,
                        "row": data.rows[rows[later]],
                        "repeats_row": data.rows[rows[first[group[later]]]],
                    }
                )
            )
    measured = {f"n_repeats_{side}": count for side, count in counts.items()}
    if not any(counts.values()):
        return REPEATS.passed(f"No {data.entity_name} is repeated on a side.", measured=measured)
    over = "" if len(data.final) == 1 else " (summed over the folds)"
    return REPEATS.found(
        "info",
        f"{counts['training']:,} training rows and {counts['test']:,} test rows repeat an earlier "
        f"row of their side{over}.",
        measured=measured,
        evidence=pd.concat(tables, ignore_index=True),
    )
