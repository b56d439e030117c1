"""Test rows whose code (an entity, a group) is also the code of a training row."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from honesteval.checks._data import AuditData, pooled
from honesteval.checks._finding import CheckInfo, Finding, Severity
from honesteval.checks._split_rows import Comparison

__all__ = ["compare_codes"]

Codes = NDArray[np.intp]


def compare_codes(
    data: AuditData,
    info: CheckInfo,
    codes: Codes,
    *,
    severity: Severity,
    what: str,
    without: Codes | None = None,
) -> Finding:
    """Compare codes across every comparison; ``without``: codes reported by another check."""
    tables, n_found, n_test, expected = [], 0, 0, 0.0
    for comparison in data.comparisons:
        table = _matches(data, comparison, codes, without)
        tables.append(table)
        if comparison.is_final:
            n_found += len(table)
            n_test += len(comparison.test)
            expected += _expected_matches(codes, comparison, without)
    evidence = pooled(tables)
    measured = {
        "n_test_rows": n_found,
        "share_of_test_rows": n_found / n_test,
        "expected_by_random_split": expected,
        "n_pairs_of_parts": len(evidence),
    }
    if len(evidence) == 0:
        return info.passed(
            f"None of the {n_test:,} test rows has {what} as a training row (a random split would "
            f"leave {expected:.1f}).",
            measured=measured,
        )
    elsewhere = ""
    if n_found == 0:  # only between other parts: choices are made on known rows, scores are not
        counts = evidence["split"].value_counts()
        elsewhere = "".join(f" In {name!r} it is {count:,}." for name, count in counts.items())
    return info.found(
        severity if n_found or severity != "error" else "warning",
        f"{n_found:,} of {n_test:,} test rows ({n_found / n_test:.1%}) have {what} as a training "
        f"row; a random split would leave {expected:.1f}.{elsewhere}",
        measured=measured,
        evidence=evidence,
    )


def _matches(
    data: AuditData, comparison: Comparison, codes: Codes, without: Codes | None
) -> pd.DataFrame:
    """Return each test row whose code is in training, with the first such training row."""
    wanted, first = np.unique(codes[comparison.train], return_index=True)
    position = np.searchsorted(wanted, codes[comparison.test])
    position[position == len(wanted)] = 0
    hit = wanted[position] == codes[comparison.test]
    if without is not None:
        hit &= ~np.isin(without[comparison.test], without[comparison.train])
    test = comparison.test[hit]
    return data.pairs(comparison, test, comparison.train[first[position[hit]]])


def _expected_matches(codes: Codes, comparison: Comparison, without: Codes | None) -> float:
    """Return the expected number of matching test rows under a random split of these rows."""
    expected = _expected_of(codes, comparison)
    return expected if without is None else max(expected - _expected_of(without, comparison), 0.0)


def _expected_of(codes: Codes, comparison: Comparison) -> float:
    """Return n_test times the chance that a row's copies are not all in the test set with it."""
    n_test, n = len(comparison.test), len(comparison.test) + len(comparison.train)
    counts = np.bincount(np.unique(codes[comparison.rows], return_inverse=True)[1])
    expected = 0.0
    for size, n_groups in zip(*np.unique(counts, return_counts=True), strict=True):
        others = np.arange(1, size)
        all_in_test = np.prod(np.maximum(n_test - others, 0) / (n - others))
        expected += n_groups * size * n_test / n * (1 - all_in_test)
    return float(expected)
