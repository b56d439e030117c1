"""Traces of features that were selected by their labels over training and test rows together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from honesteval.checks._data import AuditData
from honesteval.checks._features import feature_table
from honesteval.checks._finding import CheckInfo, Finding

__all__ = ["check_selected"]

#: Fewer features show no edge.
FEWEST_FEATURES = 20
FEWEST_ROWS = 30
#: Every feature is associated with the label over all rows by at least this many standard errors,
EDGE = 2.0
#: and this share of the features by no more than one standard error above the weakest,
PILE = 0.3
#: while this share falls below that edge over the training rows.
SOFT = 0.04

INFO = CheckInfo(
    code="HE404",
    name="selected-before-split",
    title="Features selected by the labels of training and test rows",
    why=(
        "Features chosen because they go with the labels of all rows go with those of the test "
        "rows by choice: noise scores above chance."
    ),
    advice=(
        "Put the selection into a Pipeline, so that it sees training labels only; "
        "permutation_check of the whole procedure shows what it was worth."
    ),
)


def check_selected(data: AuditData) -> Finding:
    """Look for a sharp lower edge of the associations over all rows that training does not have.

    A filter that keeps the best features leaves a sharp edge in the associations of the rows it
    has seen, and a soft one in those of a part of them. Where the labels are much better
    predicted by the kept features than by chance, the edge is hidden among strong features.
    """
    table = data.once(feature_table)
    if isinstance(table, str):
        return INFO.not_applicable(table)
    comparison = data.final[0]
    found = []
    for labels in data.labels:
        if labels.kind == "classes":
            continue
        rows, train = (side[labels.measured[side]] for side in (comparison.rows, comparison.train))
        if min(len(train), len(rows) - len(train)) < FEWEST_ROWS:
            continue
        line = _edge(table.values, labels.values, rows, train)
        if line is not None:
            found.append({"label": str(labels.name), **line})
    if not found:
        return INFO.not_applicable(
            f"Fewer than {FEWEST_FEATURES} features that vary, or {FEWEST_ROWS} labelled rows."
        )
    worst = max(found, key=lambda line: (line["is_selected"], line["edge"]))
    measured = {key: value for key, value in worst.items() if key != "is_selected"}
    text = (
        f"The weakest of {worst['n_features']} features goes with {worst['label']} by "
        f"{worst['edge']:.1f} standard errors over all rows; {worst['share_at_edge']:.0%} are "
        f"within one of that, and over the training rows {worst['share_below_in_training']:.0%} "
        "fall below it."
    )
    if not worst["is_selected"]:
        return INFO.passed(text, measured=measured)
    return INFO.found("warning", f"{text} A choice by all labels leaves such an edge.",
                      measured=measured)  # fmt: skip


def _edge(
    values: NDArray[np.float64], y: NDArray[np.float64], rows: NDArray[np.intp],
    train: NDArray[np.intp],
) -> dict[str, Any] | None:  # fmt: skip
    everything = _associations(values[rows], y[rows])
    training = _associations(values[train], y[train])
    usable = ~np.isnan(everything) & ~np.isnan(training)
    if usable.sum() < FEWEST_FEATURES:
        return None
    everything, training = everything[usable], training[usable]
    edge = float(everything.min())
    expected = edge * np.sqrt(len(train) / len(rows))
    at_edge, below = float((everything <= edge + 1).mean()), float((training < expected).mean())
    return {
        "n_features": int(usable.sum()),
        "edge": edge,
        "share_at_edge": at_edge,
        "share_below_in_training": below,
        "is_selected": edge >= EDGE and at_edge >= PILE and below >= SOFT,
    }


def _associations(X: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Fisher's z of the correlation of each column with the labels, in standard errors."""
    known = ~np.isnan(X)
    n = known.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        x = np.where(known, X - np.nanmean(np.where(n > 0, X, 0.0), axis=0), 0.0)
        centred = np.where(known, y[:, None] - (known * y[:, None]).sum(axis=0) / n, 0.0)
        r = (x * centred).sum(axis=0) / np.sqrt((x**2).sum(axis=0) * (centred**2).sum(axis=0))
        z = np.abs(np.arctanh(np.clip(r, -1 + 1e-12, 1 - 1e-12))) * np.sqrt(np.maximum(n - 3, 0))
    return np.asarray(np.where(n > 3, z, np.nan))
