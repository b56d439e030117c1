"""Write reports and print what was found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from honesteval.cli._errors import spoken

if TYPE_CHECKING:
    from honesteval.report import AuditReport, EvaluationReport


def check_outputs(outputs: Sequence[Path] | None, more: tuple[str, ...] = ()) -> None:
    """Refuse before a long run a report that could not be written after it."""
    from honesteval.report import check_report_path

    for path in outputs or []:
        check_report_path(path, (".html", ".md", ".json", *more))


def show(
    report: EvaluationReport | AuditReport, outputs: Sequence[Path] | None, *, as_json: bool
) -> None:
    """Write the reports, then print what was found; the verdict comes last."""
    for path in outputs or []:
        report.write(path)
        typer.echo(f"Report: {path}", err=as_json)
    typer.echo(report.to_json() if as_json else _text(report))


def _text(report: EvaluationReport | AuditReport) -> str:
    """Return the report for a terminal; its notes name options of the command."""
    lines = report.text().splitlines()
    return "\n".join(spoken(line) if line.startswith("Note: ") else line for line in lines)
