"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from honesteval.cli._run_file import use_run_file

Source = Annotated[
    str,
    typer.Argument(help="Table: CSV, TSV, SMI, SDF, FASTA or Parquet, or - for standard input."),
]
SmilesColumn = Annotated[
    str | None, typer.Option("--smiles", help="Column of SMILES; guessed, and said, without it.")
]
SequenceColumn = Annotated[
    str | None,
    typer.Option("--sequence", help="Column of protein or nucleic acid sequences instead."),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON, and nothing else.")]
Seed = Annotated[int, typer.Option("--random-state", help="Seed of everything random.")]
Jobs = Annotated[int, typer.Option("--jobs", help="Work at a time; -1 is every core.")]
Folds = Annotated[int, typer.Option("--n-splits", help="Number of folds.")]
Group = Annotated[str | None, typer.Option("--group", help="Column of groups not to be parted.")]
Errors = Annotated[
    str, typer.Option("--errors", help="Rows that cannot be used: drop (and list) or raise.")
]
Encoding = Annotated[
    str, typer.Option("--encoding", help="Encoding of text files: utf-8, cp1252, latin-1 ...")
]
Deploy = Annotated[
    str | None,
    typer.Option("--deploy", help="Table of molecules that the model will be used on."),
]
RunFile = Annotated[
    Path | None,
    typer.Option(
        "--run", help="TOML or YAML file with the options of a whole run.", is_eager=True,
        callback=use_run_file,
    ),
]  # fmt: skip
SaveRun = Annotated[
    Path | None,
    typer.Option("--save-run", help="Write the options of this run as TOML (or YAML)."),
]


def check_numbers(jobs: int, random_state: int) -> None:
    """Refuse numbers that no command can use."""
    if jobs == 0:
        raise ValueError("--jobs is the number of works at a time, or -1 for every core. Got 0.")
    if not 0 <= random_state < 2**32:
        raise ValueError(f"--random-state must be from 0 to {2**32 - 1}. Got {random_state}.")
