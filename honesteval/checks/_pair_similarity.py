"""Entities of test pairs that are new, but near duplicates of known ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from honesteval.checks._data import AuditData
from honesteval.checks._finding import CheckInfo, Finding
from honesteval.checks._pair_entities import EntityColumn, entity_columns
from honesteval.checks._split_rows import Comparison

__all__ = ["check_pair_similarity"]

#: Share of the test rows with a new entity that has a near duplicate, from which on it is a
#: warning.
WARNING_SHARE = 0.05

INFO = CheckInfo(
    code="HE135",
    name="entity-near-duplicates",
    title="New entities that are near duplicates of known ones",
    why=(
        "A pair is called new because its drug or its target is not in training. Where a near "
        "duplicate of it is, the pair is not new."
    ),
    advice="Split entities by similarity, not by identity (near duplicates in one fold).",
)


def check_pair_similarity(data: AuditData) -> Finding:
    """Compare entities that are in test pairs only with those of training, column by column."""
    if data.pairs_of is None:
        return INFO.not_applicable("No pairs were given.")
    columns = [column for column in data.once(entity_columns) if column.similarity is not None]
    if not columns:
        return INFO.not_applicable("No column of the pairs holds molecules or sequences.")
    tables, lines = [], []
    for column in columns:
        for comparison in data.final:
            line, table = _new_entities(data, column, comparison)
            lines.append(line)
            tables.append(table)
    counts = pd.DataFrame(lines)
    by_column = counts.groupby("entity", sort=False)[["n_test", "n_new", "n_near"]].sum()
    highest = counts.groupby("entity", sort=False)["highest"].max()
    text = "; ".join(
        f"{name}: {row.n_new:,} of {row.n_test:,} test rows hold a new one, {row.n_near:,} of them "
        f"a near duplicate of a known one (highest similarity {highest[name]:.2f})"
        if row.n_new
        else f"{name}: all known"
        for name, row in zip(by_column.index, by_column.itertuples(), strict=True)
    )
    measured: dict[str, Any] = {
        str(name): {**{str(k): int(v) for k, v in row.items()}, "highest": highest[name]}
        for name, row in by_column.to_dict("index").items()
    }
    evidence = pd.concat(tables, ignore_index=True)
    if len(evidence) == 0:
        return INFO.passed(f"{text}.", measured=measured)
    shares = by_column["n_near"] / by_column["n_new"].clip(lower=1)
    evidence = evidence.sort_values("similarity", ascending=False, kind="stable")
    return INFO.found(
        "warning" if (shares >= WARNING_SHARE).any() else "info",
        f"{text}.",
        measured=measured,
        evidence=evidence,
    )


def _new_entities(
    data: AuditData, column: EntityColumn, comparison: Comparison
) -> tuple[dict[str, Any], pd.DataFrame]:
    """Count new entities and near duplicates; return the pairs of rows that hold such."""
    codes = pd.Index(column.distinct).get_indexer(pd.Index(column.text, dtype=object))
    train, test = codes[comparison.train], codes[comparison.test]
    known, first_row = np.unique(train, return_index=True)
    new = np.setdiff1d(test[test >= 0], known)
    line: dict[str, Any] = {
        "entity": column.name, "n_test": len(test), "n_new": int(np.isin(test, new).sum()),
        "n_near": 0, "highest": float("nan"),
    }  # fmt: skip
    empty = data.pairs(comparison, [], [], similarity=[], entity=[])
    usable = known >= 0
    known, first_row = known[usable], first_row[usable]
    if len(new) == 0 or len(known) == 0:
        return line, empty
    assert column.similarity is not None
    similarity, nearest = column.similarity.nearest(new, known)
    line["highest"] = float(similarity.max())
    near = similarity >= data.threshold
    place = np.full(len(column.distinct), -1)
    place[new[near]] = np.flatnonzero(near)
    hit = np.flatnonzero((test >= 0) & (place[np.maximum(test, 0)] >= 0))
    line["n_near"] = len(hit)
    of_entity = place[test[hit]]
    rows: NDArray[np.intp] = first_row[np.searchsorted(known, nearest[of_entity])]
    return line, data.pairs(
        comparison,
        comparison.test[hit],
        comparison.train[rows],
        similarity=similarity[of_entity],
        entity=column.name,
    )
