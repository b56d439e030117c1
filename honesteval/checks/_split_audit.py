"""The result of an audit: findings, tables, and every form in which they are written."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from honesteval._validation import check_number, check_option
from honesteval.checks._clean_split import CleanSplit, clean_split
from honesteval.checks._data import AuditData
from honesteval.checks._finding import SEVERITIES, Finding, Severity
from honesteval.checks._memorization import MemorizationResult
from honesteval.checks._memorized import memorization_of_split
from honesteval.checks._nearest_similarity import nearest_table
from honesteval.checks._split_files import SplitFiles
from honesteval.checks._split_leakage import LeakageOfSplit, leakage_of_split
from honesteval.checks._split_rows import Comparison, SplitRows
from honesteval.checks._written import as_markdown, as_sarif
from honesteval.entities import ExcludedRows
from honesteval.exceptions import LeakageError

__all__ = ["SplitAudit", "audit_schema"]

SCHEMA = "honesteval/split-audit"
SCHEMA_VERSION = "1.1"


def audit_schema() -> dict[str, Any]:
    """Return the JSON schema of what :meth:`SplitAudit.to_json` writes.

    Returns
    -------
    schema : dict
        JSON Schema, draft 2020-12. It is the file ``honesteval/checks/audit.schema.json``.

    Examples
    --------
    >>> from honesteval.checks import audit_schema
    >>> audit_schema()["$id"]
    'honesteval/split-audit/1.1'
    """
    text = resources.files("honesteval.checks").joinpath("audit.schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


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
    rows : ndarray of int
        Positions in the input of the rows that were looked at.
    settings : dict
        What the audit was asked to do, of plain types.
    manifest : dict
        SHA-256 hashes of entities, labels and split, and the versions of packages.
    """

    findings: tuple[Finding, ...]
    split: SplitRows = field(repr=False)
    excluded: ExcludedRows = field(repr=False)
    similarity_name: str | None
    rows: NDArray[np.intp] = field(repr=False)
    settings: dict[str, Any]
    manifest: dict[str, Any] = field(repr=False)
    _data: AuditData = field(repr=False)

    @cached_property
    def nearest(self) -> pd.DataFrame:
        """The nearest training row of every test row of each comparison.

        Columns ``split``, ``test_row``, ``train_row`` (the most similar one), ``similarity``;
        with one label column also ``test_label`` and ``train_label``. Rows are positions in the
        input. Empty without a similarity.
        """
        return nearest_table(self._data)

    @cached_property
    def random_nearest(self) -> NDArray[np.float64]:
        """Similarities to the nearest training row under random splits of the same sizes."""
        if self._data.similarity is None:
            return np.empty(0)
        return self._data.reference.nearest

    @property
    def entity_kind(self) -> str:
        """What an entity is: ``"molecule"``, ``"sequence"``, ``"feature vector"`` ..."""
        return self._data.entity_name

    def entity(self, row: int) -> str | None:
        """Return the canonical SMILES or the sequence of a row of the input; None without one."""
        data = self._data
        place = int(np.searchsorted(data.rows, row))
        if place == len(data.rows) or data.rows[place] != row:
            return None
        if data.molecules is not None:
            return str(data.molecules.smiles[data.position[place]])
        return None if data.sequences is None else str(data.sequences[place])

    @property
    def leakage(self) -> LeakageOfSplit | None:
        """Scaled leakage of the split and of random ones; None without a similarity."""
        return self._data.once(leakage_of_split)

    @property
    def memorization(self) -> dict[str, MemorizationResult]:
        """The nearest neighbour's (and the model's) scores, by label column.

        Row numbers in its tables are positions in ``rows``.
        """
        return self._data.once(memorization_of_split)

    def __iter__(self) -> Iterator[Finding]:
        """Go through the findings in the order of their codes."""
        return iter(self.findings)

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
        first, *more = self._heading()
        lines = [first, *(f"  {line}" for line in more)]
        lines += [f"  {finding.summary()}" for finding in self.found()]
        for status in ("passed", "skipped"):
            lines += [f"  {one.summary()}" for one in self.findings if one.status == status]
        return "\n".join(
            [*lines, *(f"  Not applicable: {line}" for line in self._not_applicable())]
        )

    def _not_applicable(self) -> list[str]:
        """Return the checks that had nothing to look at, one line per reason."""
        by_reason: dict[str, list[str]] = {}
        for finding in self.findings:
            if finding.status == "not_applicable":
                by_reason.setdefault(finding.message, []).append(finding.code)
        return [f"{', '.join(codes)}. {reason}" for reason, codes in by_reason.items()]

    def _heading(self) -> list[str]:
        """Return what was audited and how much was found, in a few lines."""
        counts = Counter(finding.severity for finding in self.findings if finding)
        shown = ", ".join(f"{counts[level]} {level}" for level in SEVERITIES if counts[level])
        sizes = "; ".join(_sizes(comparison) for comparison in self.split.comparisons[:3])
        more = len(self.split.comparisons) - 3
        lines = [
            f"Audit of a split of {self.split.n_rows:,} rows (numbered from 0): "
            f"{shown or 'nothing found'}.",
            f"{sizes}{f'; and {more} more' if more > 0 else ''}",
        ]
        if self.similarity_name:
            lines.append(f"Similarity: {self.similarity_name}")
        if len(self.excluded):
            rows = _counted(len(self.excluded), "row")
            lines.append(f"Left out because they hold no readable entity: {rows}.")
        return lines

    def to_dict(self, *, max_evidence: int | None = None) -> dict[str, Any]:
        """Return everything as plain types, as :func:`audit_schema` describes them.

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
            "entity": self.entity_kind,
            "similarity": self.similarity_name,
            "comparisons": [
                {"name": c.name, "n_train": len(c.train), "n_test": len(c.test),
                 "is_final": c.is_final}
                for c in self.split.comparisons
            ],
            "settings": self.settings,
            "manifest": self.manifest,
            "severity": self.severity,
            "findings": [finding.to_dict(max_evidence=max_evidence) for finding in self.findings],
        }  # fmt: skip

    def to_json(self, path: str | Path | None = None, *, max_evidence: int | None = None) -> str:
        """Return :meth:`to_dict` as JSON text, and write it to a file when a path is given."""
        text = json.dumps(self.to_dict(max_evidence=max_evidence), indent=2, allow_nan=False)
        if path is not None:
            Path(path).write_text(text + "\n", encoding="utf-8")
        return text

    def to_markdown(self, path: str | Path | None = None) -> str:
        """Return the audit as Markdown, and write it to a file when a path is given."""
        text = as_markdown("Audit of a split", self._heading(), self.findings)
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    def to_sarif(
        self,
        path: str | Path | None = None,
        *,
        artifact: str = "data.csv",
        first_line: int = 2,
        files: SplitFiles | None = None,
    ) -> str:
        """Return the findings as SARIF 2.1.0, the format of code review tools.

        Parameters
        ----------
        path : str or Path, default=None
            File to write.
        artifact : str, default="data.csv"
            Path of the file with the rows, relative to the root of the repository.
        first_line : int, default=2
            Line of row 0 in that file; 2 after a header.
        files : SplitFiles, default=None
            The files that the rows come from, instead of one ``artifact``.

        Returns
        -------
        text : str
            JSON.
        """
        check_number(first_line, "first_line", low=1, integer=True)
        log = as_sarif(
            self.findings,
            place=files.place if files is not None else lambda row: (artifact, row + first_line),
            version=str(self.manifest["versions"]["honesteval"]),
        )
        text = json.dumps(log, indent=2, allow_nan=False)
        if path is not None:
            Path(path).write_text(text + "\n", encoding="utf-8")
        return text

    def clean_split(self, *, remove: Literal["train", "test"] = "train") -> CleanSplit:
        """Return the split without the rows that leak, and which rows left, for what reason.

        Rows leave that are the same entity, the same flat structure, a near duplicate or of the
        same group as a row on the other side, or later than the first test row (where groups or
        times were given).

        Parameters
        ----------
        remove : {"train", "test"}, default="train"
            The side they leave. Taking them from training keeps the test set comparable with
            published scores; taking them from the test set leaves the model as it is.

        Returns
        -------
        split : CleanSplit

        Raises
        ------
        ValueError
            If a side would be left without rows.
        """
        check_option(remove, "remove", ("train", "test"))
        return clean_split(self._data, remove)

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
            leaks = any(f.concerns == "leakage" and f.severity != "info" for f in grave)
            what = "The split leaks" if leaks else "The audit found what it was told to fail on"
            raise LeakageError(f"{what} ({_counted(len(grave), 'finding')}). {listed}")

    def _repr_html_(self) -> str:
        lines = "<br>".join(escape(line) for line in self._heading())
        return f"<p>{lines}</p>" + self.to_frame().to_html(index=False)


def _sizes(comparison: Comparison) -> str:
    """Return how many rows are compared, each part by its own name: ``valid`` is no test set."""
    n_test, n_train = len(comparison.test), len(comparison.train)
    test, against, train = comparison.name.partition(" against ")
    if against:
        return f"{n_test:,} {test} rows against {n_train:,} {train} rows"
    return f"{comparison.name}: {n_test:,} test, {n_train:,} training rows"


def _counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
