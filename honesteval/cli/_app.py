"""The program with its help; the commands are in modules of their own."""

from __future__ import annotations

from importlib import metadata
from typing import Annotated

import typer

EXIT_CODES = """Exit codes: 0 all well; 1 audit --fail-on found what it was told to fail on;
2 the input cannot be used (one sentence on standard error says why); 3 honesteval itself failed;
130 interrupted."""

app = typer.Typer(
    name="honesteval",
    help="How good is the model really? Splits without near relatives, audits, honest scores.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(*, wanted: bool) -> None:
    if wanted:
        typer.echo(f"honesteval {metadata.version('honesteval')}")
        raise typer.Exit


@app.callback()
def _program(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", is_eager=True,
            callback=lambda value: _show_version(wanted=value),
        ),
    ] = False,
) -> None:  # fmt: skip
    pass
