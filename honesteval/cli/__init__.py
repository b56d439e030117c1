"""The command line: parse, call, print.

Exit codes: 0 when all went well; 1 when ``audit --fail-on`` found what it was told to fail on;
2 when the input cannot be used, with one sentence on standard error that says why; 3 when
honesteval itself failed, with a traceback; 130 when interrupted.
"""

from __future__ import annotations

import signal
import sys
import traceback

import typer

from honesteval.cli._app import app
from honesteval.cli._audit import audit
from honesteval.cli._errors import BAD_INPUT, INTERRUPTED, LEAKAGE_FOUND, OWN_FAILURE, interrupt
from honesteval.cli._evaluate import compare, demo, evaluate
from honesteval.cli._report import report
from honesteval.cli._split import split

__all__ = ["BAD_INPUT", "INTERRUPTED", "LEAKAGE_FOUND", "OWN_FAILURE", "app", "main"]

for _command in (demo, split, audit, evaluate, compare, report):
    app.command()(_command)


def main() -> None:
    """Run the command line."""
    signal.signal(signal.SIGTERM, interrupt)
    try:
        app(prog_name="honesteval")
    except Exception:
        traceback.print_exc()
        typer.echo("honesteval failed. Please report this with the lines above.", err=True)
        sys.exit(OWN_FAILURE)
