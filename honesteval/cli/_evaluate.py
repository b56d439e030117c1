"""The commands that judge a model: on data that come along, on yours, against others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from honesteval.cli._errors import plain_errors
from honesteval.cli._options import (
    Deploy,
    Encoding,
    Errors,
    Folds,
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
from honesteval.cli._progress import say
from honesteval.cli._run_file import check_run_path, save_run
from honesteval.cli._show import check_outputs, show
from honesteval.cli._source import (
    columns,
    entities_like,
    entity_column,
    features,
    read,
    title_of,
)
from honesteval.cli._tables import PLAIN_SUFFIXES, check_table_path, write_table

Targets = Annotated[list[str], typer.Option("--target", help="Column of labels; may be repeated.")]
Outputs = Annotated[
    list[Path] | None,
    typer.Option("--output", help="Report to write: .html, .md or .json; may be repeated."),
]
Predictions = Annotated[
    Path | None,
    typer.Option("--predictions", help="Table of out-of-fold predictions to write (CSV ...)."),
]
Features = Annotated[
    list[str] | None,
    typer.Option(
        "--feature", help="Column that the model learns from, in place of fingerprints of the "
        "molecules (or of residues and their pairs); may be repeated.",
    ),
]  # fmt: skip
Task = Annotated[str, typer.Option("--task", help="auto, classification or regression.")]
Positive = Annotated[
    str | None, typer.Option("--positive", help="The positive one of two classes.")
]
Metric = Annotated[
    str, typer.Option("--metric", help="What to tune for: auto, roc_auc, mae, r2 ...")
]
Trials = Annotated[int, typer.Option("--n-trials", help="Settings tried in each outer fold.")]
InnerFolds = Annotated[
    int, typer.Option("--n-inner-splits", help="Inner folds, on which settings are chosen.")
]
Resamples = Annotated[
    int, typer.Option("--n-resamples", help="Bootstrap resamples of each interval.")
]
Permutations = Annotated[
    int, typer.Option("--n-permutations", help="Permutations of the labels; 0 for none.")
]


def demo(
    context: typer.Context,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output", help="Report to write: .html, .md or .json; may be repeated. Default: "
            "honesteval-demo.html.",
        ),
    ] = None,
    *,
    jobs: Jobs = -1,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Judge a model on a real assay that comes along (1,017 molecules), and write the report.

    Example: honesteval demo --output report.html
    """
    from honesteval.datasets import load_nav17
    from honesteval.report import EvaluationReport
    from honesteval.report import evaluate as evaluate_model

    with plain_errors(context):
        outputs = output or [Path("honesteval-demo.html")]
        check_outputs(outputs)
        check_numbers(jobs, 0)
        assay = load_nav17()
        found = evaluate_model(
            assay.data, assay.target, target_names=["pIC50"], estimator="linear", n_trials=10,
            n_permutations=999, n_jobs=jobs, say=say,
            title="Sodium-channel blockers (CHEMBL2321810)",
        )  # fmt: skip
        show(EvaluationReport(found), outputs, as_json=as_json)


def evaluate(
    context: typer.Context,
    source: Source,
    *,
    target: Targets,
    smiles: SmilesColumn = None,
    sequence: SequenceColumn = None,
    feature: Features = None,
    output: Outputs = None,
    predictions: Predictions = None,
    deploy: Deploy = None,
    task: Task = "auto",
    positive: Positive = None,
    model: Annotated[str, typer.Option(help="random_forest or linear.")] = "random_forest",
    metric: Metric = "auto",
    n_splits: Folds = 5,
    n_inner_splits: InnerFolds = 3,
    n_trials: Trials = 6,
    n_permutations: Permutations = 20,
    n_resamples: Resamples = 1999,
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

    Example: honesteval evaluate assay.csv --target pIC50 --deploy new.csv --output result.json
    """
    with plain_errors(context):
        _judge(
            context, source, target, (smiles, sequence, feature), (output, predictions), save_run,
            as_json=as_json, encoding=encoding,
            deployment=deploy, estimator=model, task=task, positive=positive, metric=metric,
            n_splits=n_splits, n_inner_splits=n_inner_splits, n_trials=n_trials,
            n_permutations=n_permutations, n_resamples=n_resamples, errors=errors,
            random_state=random_state, n_jobs=jobs,
        )  # fmt: skip


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
    sequence: SequenceColumn = None,
    feature: Features = None,
    output: Outputs = None,
    predictions: Predictions = None,
    task: Task = "auto",
    positive: Positive = None,
    metric: Metric = "auto",
    n_splits: Folds = 5,
    n_inner_splits: InnerFolds = 3,
    n_trials: Trials = 6,
    n_resamples: Resamples = 1999,
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
    with plain_errors(context):
        first, *others = context.params["model"] = model or ["random_forest", "linear"]
        if not others:
            raise ValueError("compare needs two models or more: repeat --model.")
        _judge(
            context, source, target, (smiles, sequence, feature), (output, predictions), save_run,
            as_json=as_json, encoding=encoding,
            estimator=first, other_models=others, task=task, positive=positive, metric=metric,
            n_splits=n_splits, n_inner_splits=n_inner_splits, n_trials=n_trials,
            n_permutations=0, n_resamples=n_resamples, errors=errors, random_state=random_state,
            n_jobs=jobs,
        )  # fmt: skip


def _judge(
    context: typer.Context, source: str, target: list[str],
    named: tuple[str | None, str | None, list[str] | None],
    outputs: tuple[list[Path] | None, Path | None], run_file: Path | None, *,
    as_json: bool, encoding: str, deployment: str | None = None, **options: Any,
) -> None:  # fmt: skip
    """Read the table, evaluate, write and print."""
    from honesteval.report import EvaluationReport
    from honesteval.report import evaluate as evaluate_model

    output, predictions = outputs
    smiles, sequence, feature = named
    check_outputs(output)
    check_table_path(predictions, PLAIN_SUFFIXES)
    check_run_path(run_file)
    check_numbers(options["n_jobs"], options["random_state"])
    table = read(source, encoding)
    entity, measure = entity_column(table, smiles, sequence)
    save_run(context, run_file, [source] if deployment is None else [source, deployment])
    found = evaluate_model(
        table[entity],
        columns(table, target),
        features=None if not feature else features(table, feature),
        similarity=measure,
        deployment=None if deployment is None else entities_like(deployment, encoding, measure),
        title=title_of(source),
        say=say,
        **options,
    )
    if predictions is not None:
        write_table(found.predictions_frame(), predictions)
    show(EvaluationReport(found), output, as_json=as_json)
