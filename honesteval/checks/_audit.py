"""Everything that is wrong with a split, as a list of findings."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from honesteval._validation import check_number, check_option
from honesteval.checks import (
    _memorized,
    _near_duplicates,
    _nearest_similarity,
    _same_entity,
    _split_leakage,
    _split_structure,
)
from honesteval.checks._data import AuditData
from honesteval.checks._finding import SEVERITIES, CheckInfo, Finding, Severity, plain
from honesteval.checks._memorization import NEAR_DUPLICATE_SIMILARITY, MemorizationResult
from honesteval.checks._model_scores import predict_splits
from honesteval.checks._prepare import prepare, read_entities
from honesteval.checks._split_leakage import LeakageOfSplit
from honesteval.checks._split_rows import SplitRows
from honesteval.entities import ExcludedRows
from honesteval.exceptions import LeakageError

__all__ = ["SplitAudit", "audit_split", "available_checks"]

SCHEMA = "honesteval/split-audit"
SCHEMA_VERSION = "1.0"

Check = Callable[[AuditData], Finding]

#: Every check, in the order of the findings.
CHECKS: tuple[tuple[CheckInfo, Check], ...] = (
    (_same_entity.IDENTICAL, _same_entity.check_identical),
    (_same_entity.FLAT, _same_entity.check_flat_structures),
    (_same_entity.CONFLICTS, _same_entity.check_conflicting_labels),
    (_near_duplicates.INFO, _near_duplicates.check_near_duplicates),
    (_nearest_similarity.INFO, _nearest_similarity.check_nearest_similarity),
    (_split_leakage.INFO, _split_leakage.check_split_leakage),
    (_memorized.INFLATION, _memorized.check_memorization),
    (_memorized.BEATS, _memorized.check_beats_nearest),
    (_split_structure.OVERLAP, _split_structure.check_overlap),
    (_split_structure.ROW_USE, _split_structure.check_row_use),
)


@dataclass(frozen=True, eq=False)
class SplitAudit:
    """Result of :func:`audit_split`.

    Attributes
    ----------
    findings : tuple of Finding
        The outcome of every check, in the order of their codes.
    split : SplitRows
        The split in its normal form: ``split.comparisons`` holds a name, ``train`` and ``test``
        rows for each.
    excluded : ExcludedRows
        Rows that hold no readable entity, with reasons; they are on no side.
    similarity_name : str or None
        The measure in words.
    nearest : DataFrame
        One line per test row of each comparison: ``split``, ``test_row``, ``train_row`` (the
        most similar one), ``similarity``; with one label column also ``test_label`` and
        ``train_label``. Rows are positions in the input.
    random_nearest : ndarray
        The same similarities under random splits of the same sizes, for a histogram.
    leakage : LeakageOfSplit or None
        Scaled leakage of the split and of random ones.
    memorization : dict of str to MemorizationResult
        The nearest neighbour's (and the model's) scores, by label column. Row numbers in
        its tables are positions in ``rows``.
    rows : ndarray of int
        Positions in the input of the rows that were looked at.
    settings : dict
        What the audit was asked to do, of plain types.
    """

    findings: tuple[Finding, ...]
    split: SplitRows = field(repr=False)
    excluded: ExcludedRows = field(repr=False)
    similarity_name: str | None
    nearest: pd.DataFrame = field(repr=False)
    random_nearest: NDArray[np.float64] = field(repr=False)
    leakage: LeakageOfSplit | None
    memorization: dict[str, MemorizationResult] = field(repr=False)
    rows: NDArray[np.intp] = field(repr=False)
    settings: dict[str, Any]

    def __getitem__(self, code: str) -> Finding:
        """Return the finding with this code or name."""
        for finding in self.findings:
            if code in (finding.code, finding.name):
                return finding
        known = ", ".join(finding.code for finding in self.findings)
        raise KeyError(f"No finding {code!r}. There are {known}.")

    def found(self, severity: Severity = "info") -> tuple[Finding, ...]:
        """Return what was found of this severity or a graver one, the gravest first."""
        check_option(severity, "severity", SEVERITIES)
        wanted = SEVERITIES[: SEVERITIES.index(severity) + 1]
        return tuple(
            finding
            for level in wanted
            for finding in self.findings
            if finding and finding.severity == level
        )

    @property
    def severity(self) -> Severity | None:
        """The gravest severity found, None when nothing was found."""
        return next((finding.severity for finding in self.found()), None)

    def worst_pairs(self, n_pairs: int = 10) -> pd.DataFrame:
        """Return the most similar pairs of a test and a training row.

        Each pair of rows comes once, and a row comes once while there are other pairs.

        Parameters
        ----------
        n_pairs : int, default=10

        Returns
        -------
        pairs : DataFrame
            Columns of ``nearest``, most similar first.
        """
        check_number(n_pairs, "n_pairs", low=1, integer=True)
        ordered = self.nearest.sort_values("similarity", ascending=False, kind="stable")
        seen: set[int] = set()
        fresh: list[int] = []
        repeated: list[int] = []
        pairs: set[frozenset[int]] = set()
        columns = zip(ordered.index, ordered["test_row"], ordered["train_row"], strict=True)
        for position, test, train in columns:
            pair = frozenset((int(test), int(train)))
            if pair in pairs:
                continue
            pairs.add(pair)
            (repeated if seen & pair else fresh).append(position)
            seen |= pair
            if len(fresh) == n_pairs:
                break
        chosen = (fresh + repeated)[:n_pairs]
        return self.nearest.loc[chosen].reset_index(drop=True)

    def to_frame(self) -> pd.DataFrame:
        """Return one line per check: code, title, status, severity, message."""
        return pd.DataFrame(
            [
                {
                    "code": finding.code,
                    "title": finding.title,
                    "status": finding.status,
                    "severity": finding.severity,
                    "message": finding.message,
                    "n_evidence": finding.n_evidence,
                }
                for finding in self.findings
            ]
        )

    def summary(self) -> str:
        """Return what was found, the gravest first, then what passed, as text."""
        counts = Counter(finding.severity for finding in self.findings if finding)
        shown = ", ".join(f"{counts[level]} {level}" for level in SEVERITIES if counts[level])
        sizes = "; ".join(
            f"{c.name}: {len(c.test):,} test, {len(c.train):,} training rows"
            for c in self.split.comparisons[:3]
        )
        more = len(self.split.comparisons) - 3
        lines = [
            f"Audit of a split of {self.split.n_rows:,} rows: {shown or 'nothing found'}.",
            f"  {sizes}{f'; and {more} more' if more > 0 else ''}",
        ]
        if self.similarity_name:
            lines.append(f"  Similarity: {self.similarity_name}")
        if len(self.excluded):
            lines.append(f"  {len(self.excluded):,} rows hold no readable entity and are left out.")
        lines += [f"  {finding.summary()}" for finding in self.found()]
        others = [finding for finding in self.findings if not finding]
        order = ("passed", "skipped", "not_applicable")
        for finding in sorted(others, key=lambda finding: order.index(finding.status)):
            lines.append(f"  {finding.summary()}")
        return "\n".join(lines)

    def to_dict(self, *, max_evidence: int | None = None) -> dict[str, Any]:
        """Return everything as plain types (``json.dumps`` takes it).

        Parameters
        ----------
        max_evidence : int or None, default=None
            Lines of evidence per finding; None is all that are kept (up to 1,000).
        """
        return {
            "schema": SCHEMA,
            "schema_version": SCHEMA_VERSION,
            "n_rows": self.split.n_rows,
            "n_excluded": len(self.excluded),
            "similarity": self.similarity_name,
            "comparisons": [
                {"name": c.name, "n_train": len(c.train), "n_test": len(c.test),
                 "is_final": c.is_final}
                for c in self.split.comparisons
            ],
            "settings": self.settings,
            "leakage": None if self.leakage is None else {
                "scaled": plain(self.leakage.scaled),
                "standard_error": plain(self.leakage.standard_error),
                "random": plain(self.leakage.random),
                "relative": plain(self.leakage.relative),
            },
            "severity": self.severity,
            "findings": [finding.to_dict(max_evidence=max_evidence) for finding in self.findings],
        }  # fmt: skip

    def to_json(self, path: str | Path | None = None, *, max_evidence: int | None = None) -> str:
        """Return :meth:`to_dict` as JSON text, and write it to a file when a path is given."""
        text = json.dumps(self.to_dict(max_evidence=max_evidence), indent=2, allow_nan=False)
        if path is not None:
            Path(path).write_text(text + "\n", encoding="utf-8")
        return text

    def raise_for_leakage(self, severity: Severity = "error") -> None:
        """Raise :class:`honesteval.exceptions.LeakageError` if something this grave was found.

        Parameters
        ----------
        severity : {"error", "warning", "info"}, default="error"
            The mildest severity to raise for.
        """
        grave = self.found(severity)
        if grave:
            listed = " ".join(f"[{f.code}] {f.title}: {f.message}" for f in grave)
            raise LeakageError(f"The split leaks ({len(grave)} findings). {listed}")

    def _repr_html_(self) -> str:
        lines = "<br>".join(escape(line) for line in self.summary().splitlines()[:3])
        return f"<p>{lines}</p>" + self.to_frame().to_html(index=False)


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
        What is compared: SMILES, molecules, fingerprints, or whatever ``similarity`` takes.
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
        As in :func:`honesteval.similarity.resolve_similarity`. Checks that need one are not
        applicable where ``"auto"`` finds none.
    features : array-like of n rows, default=None
        What the estimator learns from; ``X`` by default.
    groups : array-like of shape (n,), default=None
        Rows that must not be parted (patient, series, source).
    levels : array-like of shape (n,), default=None
        Assay, site or batch of each row.
    time : array-like of shape (n,), default=None
        When each row was measured: numbers, dates, or dates as text.
    estimator : estimator, default=None
        Fitted on each training side; its scores are set beside the nearest neighbour's.
    y_pred : array-like of shape (n,) or mapping of such, default=None
        Predictions for the test rows instead (NaN elsewhere), of one model or of several by name.
    checks : sequence of str, default=None
        Codes or names of the checks to run; all by default (:func:`available_checks`).
    near_duplicate_threshold : float in (0, 1], default=0.9
    errors : {"raise", "drop"}, default="raise"
        What to do about rows that hold no readable molecule.
    random_state : int, RandomState instance or None, default=0
        Seeds random splits and bootstraps.
    n_jobs : int, default=None

    Returns
    -------
    audit : SplitAudit

    Raises
    ------
    InvalidEntityError
        If rows hold no readable molecule and ``errors="raise"``.
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
    entities = read_entities(X, similarity, errors)
    data = prepare(
        entities, X, y, splits,
        features=features, groups=groups, levels=levels, time=time, estimator=estimator,
        y_pred=y_pred, threshold=float(near_duplicate_threshold), seed=seed, n_jobs=n_jobs,
    )  # fmt: skip
    data.predictions.update(predict_splits(data))
    findings = tuple(check(data) for _, check in chosen)
    has_similarity = data.similarity is not None
    return SplitAudit(
        findings=findings,
        split=data.split,
        excluded=entities.excluded,
        similarity_name=data.similarity.name if data.similarity is not None else None,
        nearest=_nearest_similarity.nearest_table(data),
        random_nearest=data.reference.nearest if has_similarity else np.empty(0),
        leakage=data.once(_split_leakage.leakage_of_split),
        memorization=data.once(_memorized.memorization_of_split),
        rows=data.rows,
        settings={
            "near_duplicate_threshold": data.threshold,
            "checks": [info.code for info, _ in chosen],
            "errors": errors,
            "seed": seed,
        },
    )


def _chosen(checks: Sequence[str] | None) -> list[tuple[CheckInfo, Check]]:
    if checks is None:
        return list(CHECKS)
    if isinstance(checks, str):
        checks = [checks]
    known = [name for info, _ in CHECKS for name in (info.code, info.name)]
    for name in checks:
        check_option(name, "checks", known)
    return [(info, check) for info, check in CHECKS if {info.code, info.name} & set(checks)]
