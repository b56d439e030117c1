"""The command line: parse, call, print.

Exit codes: 0 when all went well; 1 when ``audit --fail-on`` found what it was told to fail on;
2 when the input cannot be used, with one sentence on standard error that says why; 3 when
honesteval itself failed, with a traceback; 130 when interrupted.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tomllib
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import pandas as pd

    from honesteval.checks import SplitFiles
    from honesteval.report import AuditReport, EvaluationReport

__all__ = ["app", "main"]

LEAKAGE_FOUND, BAD_INPUT, OWN_FAILURE, INTERRUPTED = 1, 2, 3, 130

#: What the name of a table to write may end in.
TABLE_SUFFIXES = (".csv", ".tsv", ".parquet")

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
Targets = Annotated[list[str], typer.Option("--target", help="Column of labels; may be repeated.")]
Outputs = Annotated[
    list[Path] | None,
    typer.Option("--output", help="Report to write: .html, .md or .json; may be repeated."),
]
Predictions = Annotated[
    Path | None,
    typer.Option("--predictions", help="Table of out-of-fold predictions to write (CSV ...)."),
]
Deploy = Annotated[
    str | None,
    typer.Option("--deploy", help="Table of molecules that the model will be used on."),
]
Metric = Annotated[
    str, typer.Option("--metric", help="What to tune for: auto, roc_auc, mae, r2 ...")
]
Trials = Annotated[int, typer.Option("--n-trials", help="Settings tried in each outer fold.")]
Permutations = Annotated[
    int, typer.Option("--n-permutations", help="Permutations of the labels; 0 for none.")
]
Errors = Annotated[
    str, typer.Option("--errors", help="Rows that cannot be used: drop (and list) or raise.")
]
Encoding = Annotated[
    str, typer.Option("--encoding", help="Encoding of text files: utf-8, cp1252, latin-1 ...")
]


def _use_run_file(context: typer.Context, path: Path | None) -> Path | None:
    """Take the values of a TOML file for options that are not on the command line."""
    if path is not None and not context.resilient_parsing:
        with plain_errors():
            context.default_map = _read_run_file(path, context)
    return path


RunFile = Annotated[
    Path | None,
    typer.Option(
        "--run", help="TOML file with the options of a whole run.", is_eager=True,
        callback=_use_run_file,
    ),
]  # fmt: skip
SaveRun = Annotated[
    Path | None, typer.Option("--save-run", help="Write the options of this run as TOML.")
]


def main() -> None:
    """Run the command line."""
    signal.signal(signal.SIGTERM, _interrupt)
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
        _check_numbers(jobs, 0)
        assay = load_nav17()
        found = evaluate(
            assay.data, assay.target, target_names=["pIC50"], estimator="linear", n_trials=10,
            n_permutations=999, n_jobs=jobs, say=_say,
            title="Sodium-channel blockers (CHEMBL2321810)",
        )  # fmt: skip
        _show(EvaluationReport(found), [output], as_json=False)


@app.command()
def evaluate(
    context: typer.Context,
    source: Source,
    *,
    target: Targets,
    smiles: SmilesColumn = None,
    output: Outputs = None,
    predictions: Predictions = None,
    deploy: Deploy = None,
    task: Annotated[str, typer.Option(help="auto, classification or regression.")] = "auto",
    positive: Annotated[str | None, typer.Option(help="The positive one of two classes.")] = None,
    model: Annotated[str, typer.Option(help="random_forest or linear.")] = "random_forest",
    metric: Metric = "auto",
    n_splits: Folds = 5,
    n_trials: Trials = 6,
    n_permutations: Permutations = 20,
    errors: Errors = "drop",
    encoding: Encoding = "utf-8",
    random_state: Seed = 0,
    jobs: Jobs = -1,
    run: RunFile = None,
    save_run: SaveRun = None,
    as_json: Json = False,
) -> None:
    """Judge a model on your molecules: random folds beside folds without near relatives.

    Example: honesteval evaluate assay.csv --smiles smiles --target active --output report.html
    """
    with plain_errors():
        _judge(
            source, target, smiles, (output, predictions), save_run and (context, save_run),
            as_json=as_json, encoding=encoding,
            deployment=deploy, estimator=model, task=task, positive=positive, metric=metric,
            n_splits=n_splits, n_trials=n_trials, n_permutations=n_permutations, errors=errors,
            random_state=random_state, n_jobs=jobs,
        )  # fmt: skip


@app.command()
def compare(
    context: typer.Context,
    source: Source,
    *,
    target: Targets,
    model: Annotated[
        list[str] | None,
        typer.Option(help="Model to compare, at least two; default random_forest and linear."),
    ] = None,
    smiles: SmilesColumn = None,
    output: Outputs = None,
    predictions: Predictions = None,
    metric: Metric = "auto",
    n_splits: Folds = 5,
    n_trials: Trials = 6,
    errors: Errors = "drop",
    encoding: Encoding = "utf-8",
    random_state: Seed = 0,
    jobs: Jobs = -1,
    run: RunFile = None,
    save_run: SaveRun = None,
    as_json: Json = False,
) -> None:
    """Compare models on the same folds without near relatives, with the test valid for that.

    Example: honesteval compare assay.csv --target active --model random_forest --model linear
    """
    with plain_errors():
        first, *others = context.params["model"] = model or ["random_forest", "linear"]
        if not others:
            raise ValueError("compare needs two models or more: repeat --model.")
        _judge(
            source, target, smiles, (output, predictions), save_run and (context, save_run),
            as_json=as_json, encoding=encoding,
            estimator=first, other_models=others, metric=metric, n_splits=n_splits,
            n_trials=n_trials, n_permutations=0, errors=errors, random_state=random_state,
            n_jobs=jobs,
        )  # fmt: skip


@app.command()
def split(
    source: Source,
    *,
    output: Annotated[
        str, typer.Option(help="CSV, TSV or Parquet file to write, or - for standard output.")
    ] = "-",
    smiles: SmilesColumn = None,
    target: Annotated[
        str | None, typer.Option(help="Column of classes to balance over the folds.")
    ] = None,
    n_splits: Folds = 5,
    column: Annotated[str, typer.Option(help="Name of the new column.")] = "fold",
    errors: Errors = "drop",
    encoding: Encoding = "utf-8",
    random_state: Seed = 0,
) -> None:
    """Cut molecules into folds without near relatives in different folds; add them as a column.

    Rows that cannot be read get an empty fold and are listed on standard error.

    Example: honesteval split assay.csv --smiles smiles --n-splits 5 --output folds.csv
    """
    from honesteval.report import similarity_folds

    with plain_errors():
        _check_table_path(None if output == "-" else Path(output))
        _check_numbers(1, random_state)
        table = _read(source, encoding)
        if column in table.columns:
            raise ValueError(f"The table has a column {column!r} already: name another --column.")
        labels = None if target is None else _column(table, target)
        folds = similarity_folds(
            table[_smiles_column(table, smiles)], labels, n_splits=n_splits,
            errors=errors, random_state=random_state,  # type: ignore[arg-type]
        )  # fmt: skip
        written = table.assign(**{column: folds.column()})
        if output == "-":
            written.to_csv(sys.stdout, index=False)
        else:
            _write_table(written, Path(output))
        typer.echo(folds.summary(), err=True)


@app.command()
def audit(
    sources: Annotated[
        list[str],
        typer.Argument(
            help="Table with a column of parts, or one file per part (train.csv test.csv): CSV, "
            "TSV, SMI, SDF, FASTA or Parquet."
        ),
    ],
    *,
    split: Annotated[
        str | None, typer.Option(help="Column of folds, or of train and test.")
    ] = None,
    smiles: SmilesColumn = None,
    sequence: Annotated[
        str | None, typer.Option(help="Column of protein or nucleic acid sequences instead.")
    ] = None,
    pair: Annotated[
        list[str] | None,
        typer.Option(help="Column of an entity where rows are pairs; give it twice or more."),
    ] = None,
    target: Annotated[str | None, typer.Option(help="Column of labels.")] = None,
    group: Annotated[str | None, typer.Option(help="Column of groups not to be parted.")] = None,
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
    as_json: Json = False,
) -> None:
    """Say what leaks across somebody's split, and show it.

    Example: honesteval audit assay.csv --smiles smiles --split split --fail-on error

    Example: honesteval audit train.csv valid.csv test.csv --target active
    """
    from honesteval.checks import audit_split
    from honesteval.report import AuditReport

    with plain_errors():
        _check_outputs(output, (".sarif",))
        _check_numbers(1, random_state)
        if fail_on not in (None, "error", "warning", "info"):
            raise ValueError(f"--fail-on takes error, warning or info. Got {fail_on!r}.")
        table, parts, files = _read_split(sources, split, encoding)
        entities, similarity = _entities(table, smiles, sequence, pair)

        def column(name: str | None) -> Any:
            return None if name is None else _column(table, name)

        _say("Auditing the split")
        found = audit_split(
            entities, column(target), parts, similarity=similarity,
            errors=errors,  # type: ignore[arg-type]
            groups=column(group), time=column(time), levels=column(level),
            pairs=_columns(table, pair), features=_columns(table, feature),
            y_pred={name: column(name) for name in prediction} if prediction else None,
            random_state=random_state,
        )  # fmt: skip
        title = _title(sources[0]) if files is None else f"{len(sources)} files of a split"
        report = AuditReport(found, target_name=target or "label", title=title, files=files)
        _show(report, output, as_json)
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
        with _options_for_arguments():
            files = read_split_files(sources, encoding=encoding)
        return files.table, files.part, files
    table = _read(sources[0], encoding)
    if split is None:
        raise ValueError("Name the column of the parts with --split, or give one file per part.")
    return table, _column(table, split), None


def _entities(
    table: pd.DataFrame, smiles: str | None, sequence: str | None, pair: list[str] | None
) -> tuple[Any, str]:
    """Return what is compared, and how."""
    if len([name for name in (smiles, sequence, pair) if name]) > 1:
        raise ValueError("Give one of --smiles, --sequence and --pair.")
    if pair:
        if len(pair) < 2:
            raise ValueError("--pair is to be given for each of two columns or more.")
        return None, "auto"
    if sequence is None and smiles is None and "sequence" in table.columns:
        sequence = "sequence"
        typer.echo("Column 'sequence' is taken for the sequences.", err=True)
    if sequence is not None:
        return _column(table, sequence), "kmer"
    return table[_smiles_column(table, smiles)], "molecule"


def _columns(table: pd.DataFrame, names: list[str] | None) -> pd.DataFrame | None:
    from honesteval.entities import require_columns

    return table[require_columns(table, names)] if names else None


def _judge(
    source: str, target: list[str], smiles: str | None,
    outputs: tuple[list[Path] | None, Path | None],
    save_run: Any, *, as_json: bool, encoding: str, deployment: str | None = None,
    **options: Any,
) -> None:  # fmt: skip
    """Read the table, evaluate, write and print."""
    from honesteval.entities import require_columns
    from honesteval.report import EvaluationReport
    from honesteval.report import evaluate as evaluate_model

    output, predictions = outputs
    _check_outputs(output)
    _check_table_path(predictions)
    _check_numbers(options["n_jobs"], options["random_state"])
    table = _read(source, encoding)
    column = _smiles_column(table, smiles)
    if save_run:
        _write_run_file(*save_run)
    found = evaluate_model(
        table[column],
        table[require_columns(table, target)],
        similarity="molecule",
        deployment=None if deployment is None else _molecules_of(deployment, encoding),
        title=_title(source),
        say=_say,
        **options,
    )
    if predictions is not None:
        _write_table(found.predictions_frame(), predictions)
    _show(EvaluationReport(found), output, as_json)


def _read_run_file(path: Path, context: typer.Context) -> dict[str, Any]:
    from honesteval._validation import check_option

    if not path.is_file():
        raise FileNotFoundError(f"There is no file {str(path)!r}.")
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is no TOML file: {error}.") from error
    written_by = found.pop("honesteval", None)
    if written_by not in (None, metadata.version("honesteval")):
        typer.echo(f"Note: {path} was written by honesteval {written_by}.", err=True)
    name_of = {
        spelling.lstrip("-").replace("-", "_"): parameter.name
        for parameter in context.command.params
        for spelling in (*parameter.opts, str(parameter.name))
    }
    values = {}
    for key, value in found.items():
        name = check_option(key.replace("-", "_"), f"An entry of {path}", sorted(name_of))
        values[str(name_of[name])] = value
    return values


def _write_run_file(context: typer.Context, path: Path) -> None:
    """Write every option that has a value; lists, texts and numbers are the same in JSON."""
    lines = [f"honesteval = {json.dumps(metadata.version('honesteval'))}"]
    for name, value in context.params.items():
        if value is None or name in ("run", "save_run"):
            continue
        plain = [str(item) for item in value] if isinstance(value, list) else value
        plain = str(plain) if isinstance(plain, Path) else plain
        lines.append(f"{name} = {json.dumps(plain, ensure_ascii=False)}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn errors of input into one sentence and exit code 2, and warnings into one line each."""
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        try:
            yield
        except KeyboardInterrupt:
            _stop_workers()
            typer.echo("Interrupted.", err=True)
            raise typer.Exit(INTERRUPTED) from None
        except (ValueError, OSError, ImportError) as error:
            if os.environ.get(TRACEBACK_VARIABLE) == "1":
                raise
            typer.echo(f"Error: {' '.join(str(error).split())}", err=True)
            raise typer.Exit(BAD_INPUT) from None


def _stop_workers() -> None:
    """End the processes that joblib started, which would go on and complain without us."""
    from joblib.externals.loky import get_reusable_executor

    get_reusable_executor().shutdown(wait=True, kill_workers=True)


def _interrupt(*_: Any) -> None:
    """Treat a request to terminate as an interruption, so that the work is cleaned up."""
    raise KeyboardInterrupt


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    typer.echo(f"Note: {' '.join(str(message).split())}", err=True)


def _say(sentence: str) -> None:
    """Show a step, on a terminal only."""
    if sys.stderr.isatty():
        typer.secho(f"{sentence} ...", err=True, dim=True)


def _read(source: str, encoding: str) -> pd.DataFrame:
    from honesteval.entities import read_table

    with _options_for_arguments():
        return read_table(source, encoding=encoding)


@contextmanager
def _options_for_arguments() -> Iterator[None]:
    """Advise options of the command line where the reader advises its arguments."""
    try:
        yield
    except ValueError as error:
        raise ValueError(str(error).replace("encoding='", "--encoding '")) from error


def _check_numbers(jobs: int, random_state: int) -> None:
    if jobs == 0:
        raise ValueError("--jobs is the number of works at a time, or -1 for every core. Got 0.")
    if not 0 <= random_state < 2**32:
        raise ValueError(f"--random-state must be from 0 to {2**32 - 1}. Got {random_state}.")


def _check_table_path(path: Path | None) -> None:
    """Refuse before a long run a table that could not be written after it."""
    from honesteval.report import check_report_path

    if path is not None:
        check_report_path(path, TABLE_SUFFIXES)


def _write_table(table: pd.DataFrame, path: Path) -> None:
    if path.suffix.lower() == ".parquet":
        table.to_parquet(path, index=False)
    else:
        table.to_csv(path, index=False, sep="," if path.suffix.lower() == ".csv" else "\t")


def _title(source: str) -> str:
    return "standard input" if source == "-" else Path(source).name


def _smiles_column(table: pd.DataFrame, name: str | None) -> str:
    from honesteval.entities import guess_smiles_column, require_columns

    if name is not None:
        return str(require_columns(table, name)[0])
    guess = guess_smiles_column(table)
    typer.echo(guess.summary(), err=True)
    return str(guess.column)


def _molecules_of(source: str, encoding: str) -> pd.Series:
    table = _read(source, encoding)
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
