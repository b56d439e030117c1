"""An audit as Markdown, and as SARIF for code review."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import pandas as pd

from honesteval.checks._finding import Finding

__all__ = ["as_markdown", "as_sarif"]

_SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_SARIF_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_MARKDOWN_ROWS = 5
_SARIF_ROWS = 10


def as_markdown(title: str, heading: Iterable[str], findings: Iterable[Finding]) -> str:
    """Return a heading, a table of all checks, and a section for each that found something."""
    findings = list(findings)
    lines = [f"# {_escaped(title)}", "", *(f"{_escaped(line)}  " for line in heading), ""]
    lines += ["| code | check | outcome | measured |", "|---|---|---|---|"]
    lines += [
        f"| {finding.code} | {_escaped(finding.title)} | {_outcome(finding)} | "
        f"{_escaped(finding.message)} |"
        for finding in findings
    ]
    for finding in findings:
        if finding:
            lines += ["", f"## {finding.code} {_escaped(finding.title)}", "",
                      _escaped(finding.message), "", f"{finding.why}", "",
                      f"**What to do.** {finding.advice}"]  # fmt: skip
            lines += _table(finding)
    return "\n".join(lines) + "\n"


def _outcome(finding: Finding) -> str:
    return f"**{finding.severity}**" if finding else finding.status.replace("_", " ")


def _table(finding: Finding) -> list[str]:
    table = finding.evidence.head(_MARKDOWN_ROWS)
    if len(table) == 0:
        return []
    lines = ["", "| " + " | ".join(_escaped(str(name)) for name in table.columns) + " |",
             "|" + "---|" * table.shape[1]]  # fmt: skip
    lines += [
        "| " + " | ".join(_escaped(_cell(value)) for value in line) + " |"
        for line in table.itertuples(index=False)
    ]
    more = finding.n_evidence - len(table)
    return [*lines, "", f"and {more:,} more"] if more > 0 else lines


def _cell(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _escaped(text: str) -> str:
    """Escape what Markdown or HTML would read as markup."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_{}\[\]#|])", r"\\\1", text.replace("\n", " "))


def as_sarif(
    findings: Iterable[Finding],
    *,
    place: Callable[[int], tuple[str, int | None]],
    version: str,
) -> dict[str, Any]:
    """Return a SARIF 2.1.0 log with one result per finding.

    Parameters
    ----------
    findings : iterable of Finding
    place : callable
        ``place(row)`` gives the path of the file that holds a row, relative to the repository,
        and its line (None where rows are no lines).
    version : str
        Version of honesteval.
    """
    findings = list(findings)
    return {
        "$schema": _SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "honesteval",
                        "version": version,
                        "rules": [_rule(finding) for finding in findings],
                    }
                },
                "results": [_result(finding, place) for finding in findings if finding],
            }
        ],
    }


def _rule(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.code,
        "name": finding.name,
        "shortDescription": {"text": finding.title},
        "fullDescription": {"text": finding.why},
        "help": {"text": finding.advice},
    }


def _result(finding: Finding, place: Callable[[int], tuple[str, int | None]]) -> dict[str, Any]:
    places = [_location(*place(row)) for row in _rows(finding.evidence)]
    return {
        "ruleId": finding.code,
        "level": _SARIF_LEVELS[finding.severity or "info"],
        "message": {"text": f"{finding.message} {finding.advice}"},
        "locations": places[:1] or [_location(place(0)[0], None)],
        "relatedLocations": places[1:],
        "properties": finding.measured,
    }


def _location(path: str, line: int | None) -> dict[str, Any]:
    region = {} if line is None else {"region": {"startLine": line}}
    return {"physicalLocation": {"artifactLocation": {"uri": path}, **region}}


def _rows(evidence: pd.DataFrame) -> list[int]:
    """Return the first different rows that the evidence names."""
    columns = [name for name in ("test_row", "row", "train_row") if name in evidence]
    found: dict[int, None] = {}
    for line in evidence[columns].head(_SARIF_ROWS).itertuples(index=False):
        found.update(dict.fromkeys(int(row) for row in line))
    return list(found)[:_SARIF_ROWS]
