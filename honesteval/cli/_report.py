"""The command that makes the report of a saved evaluation again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from honesteval.cli._errors import plain_errors
from honesteval.cli._show import check_outputs, show


def report(
    context: typer.Context,
    source: Annotated[
        Path, typer.Argument(help="JSON that evaluate, compare or demo wrote (--output x.json).")
    ],
    *,
    output: Annotated[
        list[Path] | None,
        typer.Option("--output", help="Report to write: .html, .md or .json; may be repeated."),
    ] = None,
    methods: Annotated[
        bool, typer.Option("--methods", help="Print the methods paragraph, and nothing else.")
    ] = False,
) -> None:
    """Make the report of a saved evaluation again, without computing anything anew.

    The report is the same, to the letter, as the one that was written with the JSON.

    Example: honesteval report evaluation.json --output report.html

    Example: honesteval report evaluation.json --methods >> paper.txt
    """
    from honesteval.report import EvaluationReport

    with plain_errors(context):
        check_outputs(output)
        found = EvaluationReport.from_json(source)
        if methods:
            typer.echo(found.methods)
            return
        show(found, output, as_json=False)
