"""The command line: parse, call, print.

Exit codes: 0 when all went well; 1 when ``audit --fail-on`` found what it was told to fail on;
2 when the input cannot be used, with one sentence on standard error that says why; 3 when
honesteval itself failed, with a traceback.
"""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import pandas as pd

    from honesteval.report import AuditReport, EvaluationReport

__all__ = ["app", "main"]

LEAKAGE_FOUND, BAD_INPUT, OWN_FAILURE = 1, 2, 3

#: Set to 1 to see the traceback of an error.
TRACEBACK_VARIABLE = "HONESTEVAL_TRACEBACK"

EXIT_CODES = """Exit codes: 0 all well; 1 audit --fail-on found what it was told to fail on;
2 the input cannot be used (one sentence on standard error says why); 3 honesteval itself failed."""

app = typer.Typer(
    name="honesteval",
    help="How good is the model really? Splits without near relatives, audits, honest scores.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Source = Annotated[
    str, typer.Argument(help="Table: CSV, TSV, SMI, SDF or Parquet, or - for standard input.")
]
SmilesColumn = Annotated[
    str | None, typer.Option("--smiles", help="Column of SMILES; guessed, and said, without it.")
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON, and nothing else.")]
Seed = Annotated[int, typer.Option("--random-state", help="Seed of everything random.")]
Jobs = Annotated[int, typer.Option("--jobs", help="Work at a time; -1 is every core.")]
Folds = Annotated[int, typer.Option("--n-splits", help="Number of folds.")]


def main() -> None:
    """Run the command line."""
    try:
        app(prog_name="honesteval")
    except Exception:
        traceback.print_exc()
        typer.echo("honesteval failed. Please report this with the lines above.", err=True)
        sys.exit(OWN_FAILURE)


@app.command()
def demo(
    output: Annotated[Path, typer.Option(help="Where the report goes.")] = Path(
        "honesteval-demo.html"
    ),
    jobs: Jobs = -1,
) -> None:
    """Judge a model on a real assay that comes along (1,017 molecules), and write the report.

    Example: honesteval demo --output report.html
    """
    from honesteval.datasets import load_nav17
    from honesteval.report import EvaluationReport, evaluate

    with plain_errors():
        _check_outputs([output])
        assay = load_nav17()
        found = evaluate(
            assay.data, assay.target, target_names=["pIC50"], estimator="linear", n_trials=10,
            n_permutations=999, n_jobs=jobs, say=_say,
            title="Sodium-channel blockers (CHEMBL2321810)",
        )  # fmt: skip
        _show(EvaluationReport(found), [output], as_json=False)


@app.command()
def evaluate(
    source: Source,
    *,
    target: Annotated[list[str], typer.Option(help="Column of labels; may be repeated.")],
    smiles: SmilesColumn = None,
    output: Annotated[
        list[Path] | None,
        typer.Option(help="Report to write: .html, .md or .json; may be repeated."),
    ] = None,
    deploy: Annotated[
        str | None,
        typer.Option(help="Table of molecules that the model will be used on, without labels."),
    ] = None,
    task: Annotated[str, typer.Option(help="auto, classification or regression.")] = "auto",
    positive: Annotated[str | None, typer.Option(help="The positive one of two classes.")] = None,
    model: Annotated[str, typer.Option(help="random_forest or linear.")] = "random_forest",
    metric: Annotated[str, typer.Option(help="What to tune for: auto, roc_auc, mae ...")] = "auto",
    n_splits: Folds = 5,
    n_trials: Annotated[int, typer.Option(help="Settings tried in each outer fold.")] = 6,
    n_permutations: Annotated[int, typer.Option(help="Permutations of the labels.")] = 20,
    errors: Annotated[
        str, typer.Option(help="Unreadable rows and rows without label: drop (and list) or raise.")
    ] = "drop",
    random_state: Seed = 0,
    jobs: Jobs = -1,
    as_json: Json = False,
) -> None:
    """Judge a model on your molecules: random folds beside folds without near relatives.

    Example: honesteval evaluate assay.csv --smiles smiles --target active --output report.html
    """
    from honesteval.entities import require_columns
    from honesteval.report import EvaluationReport
    from honesteval.report import evaluate as evaluate_model

    with plain_errors():
        _check_outputs(output)
        table = _read(source)
        column = _smiles_column(table, smiles)
        found = evaluate_model(
            table[column], table[require_columns(table, target)], similarity="molecule",
            deployment=None if deploy is None else _molecules_of(deploy),
            estimator=model, task=task,
            positive=positive, metric=metric, n_splits=n_splits, n_trials=n_trials,
            n_permutations=n_permutations, errors=errors, title=_title(source),  # type: ignore[arg-type]
            random_state=random_state, n_jobs=jobs, say=_say,
        )  # fmt: skip
        _show(EvaluationReport(found), output, as_json)


@app.command()
def split(
    source: Source,
    *,
    output: Annotated[str, typer.Option(help="CSV to write, or - for standard output.")] = "-",
    smiles: SmilesColumn = None,
    target: Annotated[
        str | None, typer.Option(help="Column of classes to balance over the folds.")
    ] = None,
    n_splits: Folds = 5,
    column: Annotated[str, typer.Option(help="Name of the new column.")] = "fold",
    random_state: Seed = 0,
) -> None:
    """Cut molecules into folds without near relatives in different folds; add them as a column.

    Rows that cannot be read get an empty fold and are listed on standard error.

    Example: honesteval split assay.csv --smiles smiles --n-splits 5 --output folds.csv
    """
    from honesteval.report import similarity_folds

    with plain_errors():
        table = _read(source)
        if column in table.columns:
            raise ValueError(f"The table has a column {column!r} already: name another --column.")
        labels = None if target is None else _column(table, target)
        folds = similarity_folds(
            table[_smiles_column(table, smiles)], labels, n_splits=n_splits, errors="drop",
            random_state=random_state,
        )  # fmt: skip
        written = table.assign(**{column: folds.column()})
        written.to_csv(sys.stdout if output == "-" else output, index=False)
        typer.echo(folds.summary(), err=True)


@app.command()
def audit(
    source: Source,
    *,
    split: Annotated[str, typer.Option(help="Column of folds, or of train and test.")],
    smiles: SmilesColumn = None,
    target: Annotated[str | None, typer.Option(help="Column of labels.")] = None,
    output: Annotated[
        list[Path] | None,
        typer.Option(help="Report to write: .html, .md, .json or .sarif; may be repeated."),
    ] = None,
    fail_on: Annotated[
        str | None,
        typer.Option(help="Exit with 1 on findings of this severity or worse: warning, error."),
    ] = None,
    errors: Annotated[
        str, typer.Option(help="Unreadable rows: drop (and list) or raise.")
    ] = "drop",
    as_json: Json = False,
) -> None:
    """Say what leaks across somebody's split, and show it.

    Example: honesteval audit assay.csv --smiles smiles --split split --fail-on error
    """
    from honesteval.checks import audit_split
    from honesteval.report import AuditReport

    with plain_errors():
        _check_outputs(output, (".sarif",))
        if fail_on not in (None, "error", "warning", "info"):
            raise ValueError(f"--fail-on takes error, warning or info. Got {fail_on!r}.")
        table = _read(source)
        column = _smiles_column(table, smiles)
        _say("Auditing the split")
        found = audit_split(
            table[column], None if target is None else _column(table, target),
            _column(table, split), errors=errors,  # type: ignore[arg-type]
        )  # fmt: skip
        report = AuditReport(
            found, smiles=table[column], target_name=target or "label", title=_title(source)
        )
        _show(report, output, as_json)
        grave = () if fail_on is None else found.found(fail_on)  # type: ignore[arg-type]
    if grave:
        raise typer.Exit(LEAKAGE_FOUND)


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn errors of input into one sentence and exit code 2, and warnings into one line each."""
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        try:
            yield
        except (ValueError, OSError, ImportError) as error:
            if os.environ.get(TRACEBACK_VARIABLE) == "1":
                raise
            typer.echo(f"Error: {' '.join(str(error).split())}", err=True)
            raise typer.Exit(BAD_INPUT) from None


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    typer.echo(f"Note: {' '.join(str(message).split())}", err=True)


def _say(sentence: str) -> None:
    """Show a step, on a terminal only."""
    if sys.stderr.isatty():
        typer.secho(f"{sentence} ...", err=True, dim=True)


def _read(source: str) -> pd.DataFrame:
    from honesteval.entities import read_table

    return read_table(source)


def _title(source: str) -> str:
    return "standard input" if source == "-" else Path(source).name


def _smiles_column(table: pd.DataFrame, name: str | None) -> str:
    from honesteval.entities import guess_smiles_column, require_columns

    if name is not None:
        return str(require_columns(table, name)[0])
    guess = guess_smiles_column(table)
    typer.echo(guess.summary(), err=True)
    return str(guess.column)


def _molecules_of(source: str) -> pd.Series:
    table = _read(source)
    return table[_smiles_column(table, None)]


def _column(table: pd.DataFrame, name: str) -> Any:
    from honesteval.entities import require_columns

    return table[require_columns(table, name)[0]]


def _check_outputs(outputs: list[Path] | None, more: tuple[str, ...] = ()) -> None:
    """Refuse before a long run a report that could not be written after it."""
    from honesteval.report import check_report_path

    for path in outputs or []:
        check_report_path(path, (".html", ".md", ".json", *more))


def _show(
    report: EvaluationReport | AuditReport, outputs: list[Path] | None, as_json: bool
) -> None:
    """Write the reports, then print what was found; the verdict comes last."""
    for path in outputs or []:
        report.write(path)
        typer.echo(f"Report: {path}", err=as_json)
    typer.echo(report.to_json() if as_json else report.text())
