"""The command that divides a table into parts without near relatives in different parts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from honesteval.cli._errors import plain_errors
from honesteval.cli._options import (
    Deploy,
    Encoding,
    Errors,
    Folds,
    Group,
    Jobs,
    Json,
    RunFile,
    SaveRun,
    Seed,
    SequenceColumn,
    SmilesColumn,
    Source,
    check_numbers,
)
from honesteval.cli._progress import working
from honesteval.cli._run_file import check_run_path
from honesteval.cli._run_file import save_run as write_run
from honesteval.cli._source import (
    column as take_column,
)
from honesteval.cli._source import (
    columns,
    entities_like,
    entity_column,
    optional_column,
    read,
)
from honesteval.cli._tables import (
    PART,
    check_table_path,
    format_like,
    print_table,
    write_table,
)

if TYPE_CHECKING:
    import pandas as pd

    from honesteval.report import TableFolds

#: Share of the training part where only that of the test part is given.
WHOLE = 1.0


def split(
    context: typer.Context,
    source: Source,
    *,
    output: Annotated[
        str,
        typer.Option(
            help="CSV, TSV, SMI, SDF, FASTA or Parquet file to write, or - for standard output "
            "(in the format of the input). With {part} in its name, a file for each part."
        ),
    ] = "-",
    smiles: SmilesColumn = None,
    sequence: SequenceColumn = None,
    similarity: Annotated[
        str,
        typer.Option(
            help="How entities are compared: auto, molecule, scaffold, kmer (shared words of "
            "sequences), sequence (aligned identity) ..."
        ),
    ] = "auto",
    target: Annotated[
        list[str] | None,
        typer.Option(help="Column of classes to balance over the parts; may be repeated."),
    ] = None,
    n_splits: Folds = 5,
    sizes: Annotated[
        str | None,
        typer.Option(help="Named parts in place of folds, as train=0.8,valid=0.1,test=0.1."),
    ] = None,
    test_size: Annotated[
        float | None, typer.Option(help="Share of the part test; the rest is train.")
    ] = None,
    repeats: Annotated[
        int, typer.Option(help="Divide so many times, as differently as the data allow.")
    ] = 1,
    threshold: Annotated[
        float | None,
        typer.Option(help="Similarity that no two rows of different parts may reach."),
    ] = None,
    on_oversize: Annotated[
        str,
        typer.Option(
            help="When a chain of rows at the threshold fits into no part: raise, cut (and count "
            "the pairs) or drop rows (and list them)."
        ),
    ] = "raise",
    size_tolerance: Annotated[
        float, typer.Option(help="A part may be this much larger or smaller, relatively.")
    ] = 0.1,
    group: Group = None,
    time: Annotated[
        str | None,
        typer.Option(help="Column of dates or numbers: folds are blocks of time instead."),
    ] = None,
    deploy: Deploy = None,
    column: Annotated[
        str | None,
        typer.Option(help="Name of the new column: fold, or split for named parts."),
    ] = None,
    errors: Errors = "drop",
    encoding: Encoding = "utf-8",
    random_state: Seed = 0,
    jobs: Jobs = -1,
    run: RunFile = None,
    save_run: SaveRun = None,
    as_json: Json = False,
) -> None:
    """Divide a table into parts without near relatives in different parts.

    The parts are added as a column (SDF: a data field, FASTA: a tag in the header), or written
    to a file each. Rows that cannot be read get no part and are listed on standard error.

    Example: honesteval split assay.csv --smiles smiles --n-splits 5 --output folds.csv

    Example: honesteval split assay.sdf --sizes train=0.8,valid=0.1,test=0.1 --output {part}.sdf

    Example: honesteval split proteins.fasta --test-size 0.2 --threshold 0.4 > split.fasta
    """
    with plain_errors(context):
        check_table_path(output)
        check_run_path(save_run)
        check_numbers(jobs, random_state)
        shares = _shares(sizes, test_size)
        _check_together(output, shares, time, deploy, threshold, repeats, as_json=as_json)
        table = read(source, encoding)
        name = column or ("split" if shares else "fold")
        _check_new(table, name, repeats)
        entity, measure = _entity(table, smiles, sequence, similarity, time)
        if threshold is not None and similarity == "auto" and measure == "kmer":
            measure = "sequence"  # shared words are no identity, which a threshold is about
            typer.echo("With --threshold sequences are compared by aligned identity.", err=True)
        write_run(context, save_run, [source] if deploy is None else [source, deploy])
        with working("Dividing the table"):
            if time is not None:
                found = _in_time(table, time, n_splits, group)
            else:
                from honesteval.report import similarity_folds

                found = similarity_folds(
                    table[entity], columns(table, target) if target else None,
                    n_splits=n_splits, sizes=shares, n_repeats=repeats, similarity=measure,
                    groups=optional_column(table, group), threshold=threshold,
                    deployment=None if deploy is None else entities_like(deploy, encoding, measure),
                    on_oversize=on_oversize, size_tolerance=size_tolerance,
                    errors=errors,  # type: ignore[arg-type]
                    random_state=random_state, n_jobs=jobs,
                )  # fmt: skip
        _write(table, found, name, output, entity, source, as_json=as_json)
        if as_json:
            typer.echo(json.dumps(found.to_dict(), indent=1, ensure_ascii=False))
        else:
            typer.echo(found.summary(), err=True)


def _shares(sizes: str | None, test_size: float | None) -> dict[str, float] | None:
    """Return the named parts with their shares, in order; None for folds."""
    if sizes is not None and test_size is not None:
        raise ValueError("Give one of --sizes and --test-size.")
    if test_size is not None:
        if not 0 < test_size < WHOLE:
            raise ValueError(f"--test-size is a share between 0 and 1. Got {test_size:g}.")
        return {"train": WHOLE - test_size, "test": test_size}
    if sizes is None:
        return None
    shares: dict[str, float] = {}
    for entry in sizes.split(","):
        name, _, size = (word.strip() for word in entry.partition("="))
        try:
            share = float(size)
        except ValueError:
            share = 0.0
        if not name or name in shares or share <= 0:
            raise ValueError(
                "--sizes takes names with shares that add up to 1, or with whole numbers, as "
                f"train=0.8,valid=0.1,test=0.1. Got {sizes!r}."
            )
        shares[name] = share
    return shares


def _check_together(
    output: str, shares: Any, time: str | None, deploy: str | None, threshold: float | None,
    repeats: int, *, as_json: bool,
) -> None:  # fmt: skip
    """Refuse options that contradict each other."""
    if time is not None and (shares or deploy or threshold is not None or repeats != 1):
        raise ValueError(
            "--time cuts blocks of time, --n-splits of them: it does not go with --sizes, "
            "--test-size, --deploy, --threshold or --repeats."
        )
    if as_json and output == "-":
        raise ValueError("--json prints the result on standard output: name a file with --output.")
    if repeats > 1 and PART in output:
        raise ValueError(f"--repeats writes a column for each repeat: leave out the {PART}.")


def _check_new(table: pd.DataFrame, name: str, repeats: int) -> None:
    new = [name] if repeats == 1 else [f"{name}_{number + 1}" for number in range(repeats)]
    taken = [one for one in new if one in table.columns]
    if taken:
        raise ValueError(f"The table has a column {taken[0]!r} already: name another --column.")


def _entity(
    table: pd.DataFrame, smiles: str | None, sequence: str | None, similarity: str,
    time: str | None,
) -> tuple[str | None, str]:  # fmt: skip
    """Return the column of what is compared and the measure; blocks of time need neither."""
    if time is not None and smiles is None and sequence is None:
        for name in ("molblock", "smiles", "sequence"):
            if name in table.columns:
                return name, ""
        return None, ""
    entity, measure = entity_column(table, smiles, sequence)
    return entity, measure if similarity == "auto" else similarity


def _in_time(table: pd.DataFrame, time: str, n_splits: int, group: str | None) -> TableFolds:
    from honesteval.report import time_folds

    return time_folds(
        take_column(table, time), n_splits=n_splits, groups=optional_column(table, group)
    )


def _write(
    table: pd.DataFrame, found: TableFolds, name: str, output: str, entity: str | None,
    source: str, *, as_json: bool,
) -> None:  # fmt: skip
    """Write the table with its parts, or a file for each part."""
    if PART in output:
        for part in found.parts:
            path = Path(output.replace(PART, part))
            write_table(table.iloc[found.rows_of(part)], path, entity=entity)
            typer.echo(f"{part}: {path}", err=True)
        return
    new = found.columns(name)
    written = table.assign(**new)
    if output == "-":
        _print(written, format_like(source, table), entity, list(new))
    else:
        write_table(written, Path(output), entity=entity, new=list(new))


def _print(table: pd.DataFrame, kind: str, entity: str | None, new: Sequence[str]) -> None:
    if entity is None:
        kind = "csv" if kind != "tsv" else kind
    print_table(table, kind, entity=entity or "", new=new)
