"""The command that says what leaks across a split."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from honesteval.cli._errors import LEAKAGE_FOUND, plain_errors
from honesteval.cli._options import (
    Encoding,
    Errors,
    Group,
    Json,
    RunFile,
    SaveRun,
    Seed,
    SequenceColumn,
    SmilesColumn,
    check_numbers,
)
from honesteval.cli._progress import working
from honesteval.cli._run_file import check_run_path
from honesteval.cli._run_file import save_run as write_run
from honesteval.cli._show import check_outputs, show
from honesteval.cli._source import (
    column,
    columns,
    entity_column,
    optional_column,
    options_for_arguments,
    read,
    title_of,
)

if TYPE_CHECKING:
    import pandas as pd

    from honesteval.checks import SplitFiles


def audit(
    context: typer.Context,
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            help="Table with a column of parts, or one file per part (train.csv test.csv): CSV, "
            "TSV, SMI, SDF, FASTA or Parquet; - is standard input."
        ),
    ] = None,
    *,
    split: Annotated[
        str | None, typer.Option(help="Column of folds, or of train and test.")
    ] = None,
    smiles: SmilesColumn = None,
    sequence: SequenceColumn = None,
    pair: Annotated[
        list[str] | None,
        typer.Option(help="Column of an entity where rows are pairs; give it twice or more."),
    ] = None,
    target: Annotated[str | None, typer.Option(help="Column of labels.")] = None,
    group: Group = None,
    time: Annotated[str | None, typer.Option(help="Column of dates or numbers.")] = None,
    level: Annotated[str | None, typer.Option(help="Column of assay, site or batch.")] = None,
    feature: Annotated[
        list[str] | None, typer.Option(help="Column the model learns from; may be repeated.")
    ] = None,
    prediction: Annotated[
        list[str] | None, typer.Option(help="Column of a model's predictions; may be repeated.")
    ] = None,
    output: Annotated[
        list[Path] | None,
        typer.Option(help="Report to write: .html, .md, .json or .sarif; may be repeated."),
    ] = None,
    fail_on: Annotated[
        str | None,
        typer.Option(help="Exit with 1 on findings of this severity or worse: warning, error."),
    ] = None,
    errors: Errors = "drop",
    encoding: Encoding = "utf-8",
    random_state: Seed = 0,
    run: RunFile = None,
    save_run: SaveRun = None,
    as_json: Json = False,
) -> None:
    """Say what leaks across somebody's split, and show it.

    Example: honesteval audit assay.csv --smiles smiles --split split --fail-on error

    Example: honesteval audit train.csv valid.csv test.csv --target active
    """
    from honesteval.checks import audit_split
    from honesteval.report import AuditReport

    with plain_errors(context):
        check_outputs(output, (".sarif",))
        check_run_path(save_run)
        check_numbers(1, random_state)
        # older versions of click look for what a run file says of options only
        sources = context.params["sources"] = sources or context.lookup_default("sources")
        if not sources:
            raise ValueError("Name the table to audit, or one file per part.")
        if fail_on not in (None, "error", "warning", "info"):
            raise ValueError(f"--fail-on takes error, warning or info. Got {fail_on!r}.")
        table, parts, files = _read_split(sources, split, encoding)
        entities, similarity = _entities(table, smiles, sequence, pair, feature)
        write_run(context, save_run, sources)
        with working("Auditing the split"):
            found = audit_split(
                entities, optional_column(table, target), parts, similarity=similarity,
                errors=errors,  # type: ignore[arg-type]
                groups=optional_column(table, group), time=optional_column(table, time),
                levels=optional_column(table, level),
                pairs=columns(table, pair) if pair else None,
                features=columns(table, feature) if feature else None,
                y_pred={name: column(table, name) for name in prediction} if prediction else None,
                random_state=random_state,
            )  # fmt: skip
        title = title_of(sources[0]) if files is None else f"{len(sources)} files of a split"
        report = AuditReport(found, target_name=target or "label", title=title, files=files)
        show(report, output, as_json=as_json)
        grave = () if fail_on is None else found.found(fail_on)  # type: ignore[arg-type]
    if grave:
        raise typer.Exit(LEAKAGE_FOUND)


def _read_split(
    sources: list[str], split: str | None, encoding: str
) -> tuple[pd.DataFrame, Any, SplitFiles | None]:
    """Return the rows, their parts, and the files where there are several."""
    from honesteval.checks import read_split_files

    if len(sources) > 1:
        if split is not None:
            raise ValueError("--split names a column of one file; several files are the parts.")
        with options_for_arguments():
            files = read_split_files(sources, encoding=encoding)
        return files.table, files.part, files
    table = read(sources[0], encoding)
    if split is None:
        raise ValueError("Name the column of the parts with --split, or give one file per part.")
    return table, column(table, split), None


def _entities(
    table: pd.DataFrame, smiles: str | None, sequence: str | None, pair: list[str] | None,
    feature: list[str] | None,
) -> tuple[Any, str]:  # fmt: skip
    """Return what is compared, and how: features alone where there is nothing else."""
    if pair:
        if smiles or sequence:
            raise ValueError("Give one of --smiles, --sequence and --pair.")
        if len(pair) < 2:
            raise ValueError("--pair is to be given for each of two columns or more.")
        return None, "auto"
    if not (smiles or sequence or _holds_entities(table)):
        if feature:
            typer.echo("No molecules or sequences: the features are looked at alone.", err=True)
            return columns(table, feature), "auto"
        raise ValueError(
            "No column reads as SMILES. Name the one that holds molecules or sequences, or the "
            "features of a table without (--feature, repeated)."
        )
    name, measure = entity_column(table, smiles, sequence)
    return table[name], measure


def _holds_entities(table: pd.DataFrame) -> bool:
    from honesteval.entities import looks_like_smiles

    texts = (table[name] for name in table.columns if table[name].dtype.kind == "O")
    return "sequence" in table.columns or any(looks_like_smiles(text) for text in texts)
