"""Everything that is wrong with a split, as a list of findings."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from honesteval._validation import check_number, check_option
from honesteval.checks import (
    _classifier_shift,
    _distribution_shift,
    _groups,
    _level_shift,
    _memorized,
    _near_duplicates,
    _nearest_similarity,
    _pair_similarity,
    _pairs,
    _preprocessing,
    _ranking,
    _same_entity,
    _selected,
    _split_leakage,
    _split_structure,
    _target_leakage,
    _tautomers,
    _test_size,
    _time_order,
)
from honesteval.checks._as_table import as_table
from honesteval.checks._data import AuditData
from honesteval.checks._finding import CheckInfo, Finding
from honesteval.checks._manifest import manifest
from honesteval.checks._memorization import NEAR_DUPLICATE_SIMILARITY
from honesteval.checks._model_scores import predict_splits
from honesteval.checks._prepare import prepare, read_entities
from honesteval.checks._split_audit import SplitAudit
from honesteval.entities import require_columns
from honesteval.exceptions import HonestevalWarning

__all__ = ["audit_split", "available_checks"]

Check = Callable[[AuditData], Finding]

#: Every check, in the order of the findings.
CHECKS: tuple[tuple[CheckInfo, Check], ...] = (
    (_same_entity.IDENTICAL, _same_entity.check_identical),
    (_same_entity.FLAT, _same_entity.check_flat_structures),
    (_tautomers.INFO, _tautomers.check_tautomers),
    (_same_entity.CONFLICTS, _same_entity.check_conflicting_labels),
    (_same_entity.REPEATS, _same_entity.check_repeats),
    (_near_duplicates.INFO, _near_duplicates.check_near_duplicates),
    (_nearest_similarity.INFO, _nearest_similarity.check_nearest_similarity),
    (_split_leakage.INFO, _split_leakage.check_split_leakage),
    (_memorized.INFLATION, _memorized.check_memorization),
    (_memorized.BEATS, _memorized.check_beats_nearest),
    (_ranking.INFO, _ranking.check_ranking),
    (_pairs.COVERAGE, _pairs.check_pair_coverage),
    (_pairs.RATES, _pairs.check_label_rates),
    (_pairs.DEGREES, _pairs.check_degrees),
    (_pairs.REPEATED, _pairs.check_repeated_pairs),
    (_pair_similarity.INFO, _pair_similarity.check_pair_similarity),
    (_split_structure.OVERLAP, _split_structure.check_overlap),
    (_split_structure.ROW_USE, _split_structure.check_row_use),
    (_groups.INFO, _groups.check_groups),
    (_time_order.ORDER, _time_order.check_time_order),
    (_level_shift.INFO, _level_shift.check_levels),
    (_time_order.WINDOWS, _time_order.check_label_windows),
    (_target_leakage.FEATURE, _target_leakage.check_suspicious_features),
    (_target_leakage.ORDER, _target_leakage.check_row_order),
    (_target_leakage.IDENTIFIER, _target_leakage.check_identifiers),
    (_target_leakage.MISSINGNESS, _target_leakage.check_missingness),
    (_preprocessing.SCALED, _preprocessing.check_scaled),
    (_preprocessing.IMPUTED, _preprocessing.check_imputed),
    (_preprocessing.SYNTHETIC, _preprocessing.check_synthetic),
    (_selected.INFO, _selected.check_selected),
    (_test_size.SIZE, _test_size.check_test_size),
    (_test_size.CLASSES, _test_size.check_class_presence),
    (_test_size.SHIFT, _test_size.check_label_shift),
    (_distribution_shift.SHIFT, _distribution_shift.check_covariate_shift),
    (_distribution_shift.AVE, _distribution_shift.check_ave_bias),
    (_classifier_shift.INFO, _classifier_shift.check_classifier_shift),
)


def available_checks() -> pd.DataFrame:
    """Return the checks of :func:`audit_split`: code, name, title, why, advice.

    Returns
    -------
    table : DataFrame indexed by code

    Examples
    --------
    >>> from honesteval.checks import available_checks
    >>> available_checks().loc["HE101", "title"]
    'The same entity on both sides'
    """
    table = pd.DataFrame(
        [
            {"code": info.code, "name": info.name, "title": info.title, "why": info.why,
             "advice": info.advice, "docs": info.docs}
            for info, _ in CHECKS
        ]
    )  # fmt: skip
    return table.set_index("code")


def audit_split(
    X: Any,
    y: Any = None,
    splits: Any = None,
    *,
    similarity: Any = "auto",
    features: Any = None,
    groups: Any = None,
    levels: Any = None,
    time: Any = None,
    pairs: Any = None,
    estimator: Any = None,
    y_pred: Any = None,
    checks: Sequence[str] | None = None,
    near_duplicate_threshold: float = NEAR_DUPLICATE_SIMILARITY,
    errors: Literal["raise", "drop"] = "raise",
    random_state: int | np.random.RandomState | None = 0,
    n_jobs: int | None = None,
) -> SplitAudit:
    """Say what leaks across somebody's split, show it, and measure how much it matters.

    Parameters
    ----------
    X : array-like of n rows
        What is compared: SMILES, molecules, fingerprints, protein or nucleic acid sequences, or
        whatever ``similarity`` takes.
    y : array-like of shape (n,) or (n, n_tasks), default=None
        Labels: numbers, classes, text; NaN where not measured.
    splits : see below
        - ``(train, test)`` or ``(train, valid, test)`` row positions or boolean masks, or a
          mapping with these names;
        - one boolean per row, True for test;
        - one label per row: ``"train"``, ``"valid"``, ``"test"``, or a fold (each fold is
          tested against the others; -1 is trained on always); missing for rows in no part;
        - a list of folds ``(train, test)``;
        - a scikit-learn splitter.
    similarity : str, callable or Similarity, default="auto"
        As in :func:`honesteval.similarity.resolve_similarity`; ``"auto"`` also finds sequences
        (most values are at least 20 letters and nothing else) and compares their words, as
        ``"kmer"`` does. Checks that need a similarity are not applicable where it finds none.
    features : array-like of n rows, default=None
        What the estimator learns from; ``X`` by default.
    groups : array-like of shape (n,), default=None
        Rows that must not be parted (patient, series, source).
    levels : array-like of shape (n,), default=None
        Assay, site or batch of each row.
    time : array-like of shape (n,) or (n, 2), default=None
        When each row was measured: numbers, dates, or dates as text; or the start and the end
        of the window its label covers.
    pairs : DataFrame, array-like of shape (n, n_entities) or list of str, default=None
        The entities that each row pairs (drug and protein, two proteins), as names, SMILES or
        sequences; or a list of the names of the columns of ``X`` that hold them. ``X`` may be
        None then.
    estimator : estimator or mapping of str to estimator, default=None
        Fitted on each training side; scores are set beside the nearest neighbour's and, of
        several, beside each other's, on all test rows and on the clean ones.
    y_pred : array-like of shape (n,) or mapping of such, default=None
        Predictions for the test rows instead (NaN elsewhere), of one model or of several by name.
    checks : sequence of str, default=None
        Codes or names of the checks to run; all by default (:func:`available_checks`).
    near_duplicate_threshold : float in (0, 1], default=0.9
    errors : {"raise", "drop"}, default="raise"
        What to do about rows that hold no readable molecule or sequence.
    random_state : int, RandomState instance or None, default=0
        Seeds random splits and bootstraps.
    n_jobs : int, default=None
        Processes that read molecules (from 10,000 on). Similarities are computed in threads.

    Returns
    -------
    audit : SplitAudit

    Raises
    ------
    InvalidEntityError
        If rows hold no readable molecule or sequence and ``errors="raise"``.
    ValueError
        If the split is of no known form, a position is out of range, a side is empty, or an
        argument does not fit. Rows on both sides are a finding, not an error.

    Examples
    --------
    >>> from sklearn.model_selection import KFold
    >>> from honesteval.checks import audit_split
    >>> from honesteval.datasets import make_near_duplicates
    >>> made = make_near_duplicates()
    >>> audit = audit_split(made.data, made.target, (made.train, made.test))
    >>> audit.severity, audit["HE101"].measured["n_test_rows"]
    ('error', 202)
    >>> [finding.code for finding in audit.found("error")]
    ['HE101', 'HE121']
    """
    check_number(
        near_duplicate_threshold, "near_duplicate_threshold", low=0, high=1, closed="right"
    )
    check_option(errors, "errors", ("raise", "drop"))
    chosen = _chosen(checks)
    seed = int(check_random_state(random_state).randint(2**31 - 1))
    pairs = _pair_table(pairs, X)
    entities = read_entities(pairs if X is None else X, similarity, errors, n_jobs)
    if X is None and pairs is not None:
        entities.name = "pair"
    data = prepare(
        entities, X, y, splits,
        features=features, groups=groups, levels=levels, time=time, pairs=pairs,
        estimator=estimator, y_pred=y_pred, threshold=float(near_duplicate_threshold), seed=seed,
        n_jobs=n_jobs,
    )  # fmt: skip
    data.predictions.update(predict_splits(data))
    with warnings.catch_warnings():  # undefined resamples and the like are said by the findings
        warnings.simplefilter("ignore", HonestevalWarning)
        findings = tuple(check(data) for _, check in chosen)
    return SplitAudit(
        findings=findings,
        split=data.split,
        excluded=entities.excluded,
        similarity_name=data.similarity.name if data.similarity is not None else None,
        rows=data.rows,
        settings={
            "near_duplicate_threshold": data.threshold,
            "checks": [info.code for info, _ in chosen],
            "errors": errors,
            "seed": seed,
        },
        manifest=manifest(data),
        _data=data,
    )


def _pair_table(pairs: Any, X: Any) -> pd.DataFrame | None:
    """Return the pairs as a table; names of columns stand for these columns of X."""
    if pairs is None:
        return None
    columns = getattr(X, "columns", None)
    named = isinstance(pairs, list | tuple) and all(isinstance(name, str) for name in pairs)
    if named and columns is not None and len(pairs) != len(X):
        table = as_table(X, "X")
        return table[require_columns(table, pairs)]
    return as_table(pairs, "pairs")


def _chosen(checks: Sequence[str] | None) -> list[tuple[CheckInfo, Check]]:
    if checks is None:
        return list(CHECKS)
    if isinstance(checks, str):
        checks = [checks]
    known = [name for info, _ in CHECKS for name in (info.code, info.name)]
    for name in checks:
        check_option(name, "checks", known)
    return [(info, check) for info, check in CHECKS if {info.code, info.name} & set(checks)]
