"""What a check found, in a form that a person can act on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any, Literal

import numpy as np
import pandas as pd

from honesteval.checks._evidence_words import name_evidence

__all__ = ["SEVERITIES", "CheckInfo", "Concern", "Finding", "Severity", "Status", "plain"]

Severity = Literal["error", "warning", "info"]
Status = Literal["found", "passed", "not_applicable", "skipped"]
Concern = Literal["leakage", "reliability"]

#: From the gravest.
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")

#: Lines of evidence that a finding keeps; the gravest come first, all are counted.
EVIDENCE_ROWS = 1000

DOCS_FOLDER = "checks"


@dataclass(frozen=True)
class CheckInfo:
    """What is the same for every finding of a check.

    Attributes
    ----------
    code : str
        Stable code, ``"HE101"``.
    name : str
        Name in a few words joined by hyphens.
    title : str
        What the check looks for.
    why : str
        Why it matters.
    advice : str
        What to do when it is found.
    concerns : {"leakage", "reliability"}, default="leakage"
        Whether it makes scores too good, or tells what a score can say.
    """

    code: str
    name: str
    title: str
    why: str
    advice: str
    concerns: Concern = "leakage"

    @property
    def docs(self) -> str:
        """Place in the documentation, relative to its root."""
        return f"{DOCS_FOLDER}/{self.code.lower()}.html"

    def found(
        self,
        severity: Severity,
        message: str,
        *,
        measured: Mapping[str, Any] | None = None,
        evidence: pd.DataFrame | None = None,
    ) -> Finding:
        """Return a finding with its evidence (the gravest lines first)."""
        return self._finding("found", message, measured, severity=severity, evidence=evidence)

    def passed(self, message: str, *, measured: Mapping[str, Any] | None = None) -> Finding:
        """Return that it was looked for and not found."""
        return self._finding("passed", message, measured)

    def not_applicable(self, reason: str) -> Finding:
        """Return that there is nothing to look at, with the reason."""
        return self._finding("not_applicable", reason)

    def skipped(self, reason: str) -> Finding:
        """Return that it could not be looked for, with the reason."""
        return self._finding("skipped", reason)

    def _finding(
        self,
        status: Status,
        message: str,
        measured: Mapping[str, Any] | None = None,
        *,
        severity: Severity | None = None,
        evidence: pd.DataFrame | None = None,
    ) -> Finding:
        table = pd.DataFrame() if evidence is None else evidence.reset_index(drop=True)
        return Finding(
            code=self.code,
            name=self.name,
            title=self.title,
            status=status,
            severity=severity,
            message=message,
            measured={key: plain(value) for key, value in (measured or {}).items()},
            evidence=table.head(EVIDENCE_ROWS),
            n_evidence=len(table),
            why=self.why,
            advice=self.advice,
            docs=self.docs,
            concerns=self.concerns,
        )


@dataclass(frozen=True, eq=False)
class Finding:
    """The outcome of one check.

    Attributes
    ----------
    code : str
        Stable code of the check, ``"HE101"``.
    name : str
        Name of the check, ``"identical-entity"``.
    title : str
        What the check looks for.
    status : {"found", "passed", "not_applicable", "skipped"}
    severity : {"error", "warning", "info"} or None
        How grave it is; None unless found.
    message : str
        What was measured, or why nothing was, in one or two sentences.
    measured : dict
        The numbers, of plain types.
    evidence : DataFrame
        Up to 1,000 lines, the gravest first; row pairs have the columns ``split``,
        ``test_row``, ``train_row``, ``similarity``. Rows are positions in the input.
    n_evidence : int
        Lines there are in all.
    why : str
        Why it matters.
    advice : str
        What to do.
    docs : str
        Place in the documentation, relative to its root.
    concerns : {"leakage", "reliability"}
        Whether what it looks for makes scores too good, or tells what a score can say.
    """

    code: str
    name: str
    title: str
    status: Status
    severity: Severity | None
    message: str
    measured: dict[str, Any]
    evidence: pd.DataFrame = field(repr=False)
    n_evidence: int
    why: str = field(repr=False)
    advice: str = field(repr=False)
    docs: str = field(repr=False)
    concerns: Concern = field(repr=False)

    def __bool__(self) -> bool:
        """Whether something was found."""
        return self.status == "found"

    def summary(self) -> str:
        """Return the finding in a line; where something was found also rows and advice."""
        mark = {
            "found": (self.severity or "found").upper(),
            "passed": "ok",
            "not_applicable": "not applicable",
            "skipped": "skipped",
        }[self.status]
        lines = [f"{self.code} {self.title}: {mark}. {self.message}"]
        if self:
            rows = self.first_rows()
            lines += [f"      For example {rows}."] if rows else []
            lines.append(f"      {self.advice}")
        return "\n".join(lines)

    def first_rows(self) -> str:
        """Return the rows (or features) of the first lines of evidence in words."""
        return name_evidence(self.evidence, self.n_evidence)

    def to_frame(self) -> pd.DataFrame:
        """Return the evidence."""
        return self.evidence.copy()

    def to_dict(self, *, max_evidence: int | None = None) -> dict[str, Any]:
        """Return everything as plain types (``json.dumps`` takes it).

        Parameters
        ----------
        max_evidence : int or None, default=None
            Lines of evidence; None is all that are kept.
        """
        table = self.evidence if max_evidence is None else self.evidence.head(max_evidence)
        return {
            "code": self.code,
            "name": self.name,
            "title": self.title,
            "status": self.status,
            "severity": self.severity,
            "message": self.message,
            "measured": self.measured,
            "evidence": [
                {str(key): plain(value) for key, value in line.items()}
                for line in table.to_dict("records")
            ],
            "n_evidence": self.n_evidence,
            "why": self.why,
            "advice": self.advice,
            "docs": self.docs,
            "concerns": self.concerns,
        }

    def _repr_html_(self) -> str:
        lines = "<br>".join(escape(line) for line in self.summary().splitlines())
        table = self.evidence.head(10)
        shown = table.to_html(index=False) if len(table) else ""
        return f"<p>{lines}</p>{shown}"


def plain(value: Any) -> Any:
    """Return a value of JSON's types: NaN and infinity become None, other things text."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(entry) for entry in value]
    return str(value)
