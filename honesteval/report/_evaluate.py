"""Evaluate a model on random folds and on similarity folds, beside its baselines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np

from honesteval._validation import check_number
from honesteval.report._audits import audited
from honesteval.report._by_similarity import model_by_similarity
from honesteval.report._comparison import compare_with
from honesteval.report._deployment import Deployment, read_deployment
from honesteval.report._evaluation import SPLITS, Evaluation, FoldedSplit, TaskEvaluation
from honesteval.report._fold_map import make_map
from honesteval.report._metrics import choose_metrics, score_of_nothing
from honesteval.report._models import Model, resolve_model
from honesteval.report._notes import collect_notes
from honesteval.report._predictors import (
    Effort,
    TaskRows,
    compare,
    compare_with_guesses,
    guesses,
    permute_labels,
    score_model,
    score_nearest,
    task_rows,
)
from honesteval.report._provenance import provenance
from honesteval.report._rows import EvaluatedRows, prepare_rows
from honesteval.report._splits import make_split
from honesteval.report._target import Target

Say = Callable[[str], None]


def evaluate(
    X: Any,
    y: Any,
    *,
    estimator: Any = "random_forest",
    search_space: Any = None,
    other_models: Mapping[str, Any] | Sequence[str] = (),
    features: Any = None,
    similarity: Any = "auto",
    deployment: Any = None,
    task: str = "auto",
    positive: Any = None,
    target_names: Sequence[str] | None = None,
    metric: str = "auto",
    n_splits: int = 5,
    n_inner_splits: int = 3,
    n_trials: int = 6,
    n_permutations: int = 20,
    n_resamples: int = 1999,
    confidence_level: float = 0.95,
    errors: Literal["raise", "drop"] = "raise",
    title: str = "Evaluation",
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
    say: Say | None = None,
) -> Evaluation:
    """Judge a model honestly: random folds beside similarity folds, baselines, intervals.

    The model is tuned inside each outer fold (nested cross-validation), once on random folds
    and once on folds with little similarity between them, with inner folds of the same kind.
    Scores of rankings are means over the outer folds, those of predictions are over all rows.
    Beside it stand the label of the most similar training row (how far does copying get?) and
    the same model on permuted labels (how far does chance get?).

    Parameters
    ----------
    X : array-like of shape (n_rows,) or (n_rows, n_features)
        SMILES strings or Mol objects, sequences (with ``similarity="kmer"`` or ``"sequence"``),
        or a table of numbers. Repeats of a molecule are kept and share a fold of the similarity
        split.
    y : array-like or DataFrame of shape (n_rows,) or (n_rows, n_tasks)
        Labels: numbers, booleans or text. Rows without any label are left out and listed.
    estimator : {"random_forest", "linear"} or estimator, default="random_forest"
        A name stands for a pipeline with its own search space.
    search_space : dict or callable, default=None
        What to tune in an estimator of yours, as in
        :func:`honesteval.tuning.nested_cross_validate`. None tunes nothing.
    other_models : sequence of names, or mapping of name to model, default=()
        Models to compare with the first, on the same similarity folds: each a name, an
        estimator, or a pair of estimator and search space.
    features : array-like of shape (n_rows, n_features), default=None
        What the model learns from. None takes ECFP4 fingerprints (2,048 bits) of molecules, the
        shares of short words of sequences, else ``X`` itself.
    similarity : str, callable or Similarity, default="auto"
        As in :func:`honesteval.similarity.resolve_similarity`.
    deployment : array-like of the form of ``X``, default=None
        Entities that the model will be used on, without labels: the score is then reweighted to
        how close they are to the data (:func:`honesteval.metrics.reweighted_score`).
    task : {"auto", "classification", "regression"}, default="auto"
    positive : scalar, default=None
        The positive one of two classes. See :func:`resolve_target` for both.
    target_names : sequence of str, default=None
        Names of the columns of ``y``.
    metric : str, default="auto"
        What the model is tuned for and what sentences quote: "roc_auc", "average_precision",
        "balanced_accuracy" or "mcc" of two classes; "balanced_accuracy", "accuracy" or "mcc" of
        more; "mae", "rmse" or "r2" of values. "auto" takes the first of each.
    n_splits : int, default=5
        Outer folds.
    n_inner_splits : int, default=3
        Inner folds, of each outer training part.
    n_trials : int, default=6
        Settings that each inner search tries.
    n_permutations : int, default=20
        Permutations of the labels; 0 leaves that control out.
    n_resamples : int, default=1999
        Bootstrap resamples of each interval.
    confidence_level : float in (0, 1), default=0.95
    errors : {"raise", "drop"}, default="raise"
        What to do about rows without a readable entity or without a label: raise one error that
        names them, or leave them out and list them in ``excluded``.
    title : str, default="Evaluation"
        Name of the data in the report.
    random_state : int, default=0
        Seed of folds, searches, permutations and resamples.
    n_jobs : int or None, default=None
        Fits at a time; the result does not depend on it.
    progress : bool, default=None
        Whether to show the progress of the fits; None shows it on a terminal.
    say : callable, default=None
        Called with a sentence at the start of each step.

    Returns
    -------
    evaluation : Evaluation
        ``summary()``, ``to_frame()``, and the input of :class:`EvaluationReport`.

    Raises
    ------
    InvalidEntityError
        If rows cannot be read and ``errors="raise"``.
    ValueError
        If the labels cannot be learnt, or there are fewer rows, entities or members of a class
        than folds.

    References
    ----------
    .. [1] Joeres R., Blumenthal D. B., Kalinina O. V., Nat. Commun. 2025, 16, 3337.
           :doi:`10.1038/s41467-025-58606-8`
    .. [2] Varma S., Simon R., BMC Bioinformatics 2006, 7, 91. :doi:`10.1186/1471-2105-7-91`

    Examples
    --------
    >>> from honesteval.report import evaluate
    >>> smiles = [chain + end for end in ("O", "N", "Cl", "C#N") for chain in map("C".__mul__,
    ...           range(2, 12))]
    >>> found = evaluate(smiles, [len(s) for s in smiles], estimator="linear", n_splits=2,
    ...                  n_inner_splits=2, n_trials=1, n_permutations=0, n_resamples=99,
    ...                  target_names=["length"])
    >>> found.n_rows, [split.name for split in found.splits]
    (40, ['random', 'similarity'])
    """
    effort = Effort(
        n_trials=n_trials, n_inner_splits=n_inner_splits, n_permutations=n_permutations,
        n_resamples=n_resamples, confidence_level=confidence_level, random_state=random_state,
        n_jobs=n_jobs, progress=progress,
    )  # fmt: skip
    check_number(n_splits, "n_splits", low=2, integer=True)
    tell: Say = (lambda _: None) if say is None else say
    tell("Reading entities and labels")
    data = prepare_rows(
        X, y, target_names=target_names, task=task, positive=positive, features=features,
        similarity=similarity, errors=errors,
    )  # fmt: skip
    for target in data.targets:
        choose_metrics(target.kind, metric)
        _check_enough(data, target, n_splits, n_inner_splits)
    met = None
    if deployment is not None:
        tell("Comparing the deployment set with the data")
        met = read_deployment(deployment, X, data, similarity, errors)
    notes: list[str] = []
    with collect_notes(notes):
        splits = _make_splits(data, n_splits, random_state, tell)
    tasks = []
    for target in data.targets:
        model, *others = _models(
            estimator, search_space, other_models, target, random_state,
            bits=features is None and data.smiles is not None,
        )  # fmt: skip
        rows = task_rows(data, target, choose_metrics(target.kind, metric))
        with collect_notes(notes, about=target.name):
            found = _evaluate_task(rows, splits, model, effort, deployment=met, tell=tell)
            tasks.append(_compared(found, rows, splits[1], others, effort, tell=tell))
    tell("Auditing the folds, and drawing the map")
    splits = tuple(audited(split, data, tasks, random_state=random_state) for split in splits)
    settings = {
        "n_splits": n_splits, "n_inner_splits": n_inner_splits, "n_trials": n_trials,
        "n_permutations": n_permutations, "n_resamples": n_resamples,
        "confidence_level": confidence_level, "random_state": random_state,
        "features": data.feature_name if features is None else "features of the caller",
    }  # fmt: skip
    return Evaluation(
        title=title,
        tasks=tuple(tasks),
        splits=splits,
        n_input=data.n_input,
        rows=data.rows,
        excluded=data.excluded,
        smiles=data.smiles,
        groups=data.groups,
        similarity_name=data.similarity.name,
        settings=settings,
        provenance=provenance(data, splits),
        map=make_map(data.similarity, random_state=random_state),
        notes=tuple(notes),
        deployment=met,
    )


def _check_enough(data: EvaluatedRows, target: Target, n_splits: int, n_inner_splits: int) -> None:
    """Refuse before the long run what the folds cannot hold."""
    labelled = target.labelled
    n_entities = len(np.unique(data.groups[labelled]))
    needed = n_splits * n_inner_splits
    what = "molecules" if data.smiles is not None else "distinct rows"
    if n_entities < n_splits:
        raise ValueError(
            f"{n_splits} folds need at least {n_splits} {what} with a value of {target.name}; "
            f"there {'is' if n_entities == 1 else 'are'} {n_entities}. Take fewer folds."
        )
    if n_entities < needed:
        raise ValueError(
            f"{n_splits} folds with {n_inner_splits} inner folds each need at least {needed} "
            f"{what} with a value of {target.name}; there are {n_entities}. Take fewer folds."
        )
    for name, count in target.counts().items():
        if count < n_splits + 1:
            raise ValueError(
                f"The class {name!r} of {target.name} has {count} "
                f"{'row' if count == 1 else 'rows'}, which cannot be spread over {n_splits} folds "
                "and still be learnt. Take fewer folds, or leave the class out."
            )


def _make_splits(
    data: EvaluatedRows, n_splits: int, random_state: int, tell: Say
) -> tuple[FoldedSplit, ...]:
    made = []
    for name in SPLITS:
        tell(f"Cutting {len(data):,} rows into {n_splits} {name} folds")
        made.append(make_split(name, data, n_splits=n_splits, random_state=random_state))
    return tuple(made)


def _models(
    estimator: Any, search_space: Any, others: Mapping[str, Any] | Sequence[str], target: Target,
    random_state: int, *, bits: bool,
) -> list[Model]:  # fmt: skip
    """Return the model that is judged, and those that are compared with it."""
    first = resolve_model(
        estimator, search_space, target.kind, random_state=random_state, bits=bits
    )
    named = others.items() if isinstance(others, Mapping) else [(None, name) for name in others]
    models = [
        first,
        *(
            resolve_model(
                model, None, target.kind, random_state=random_state, bits=bits, label=label
            )
            for label, model in named
        ),
    ]
    labels = [model.label for model in models]
    if len(set(labels)) < len(labels):
        raise ValueError(f"Models to compare need different names. Got {', '.join(labels)}.")
    return models


def _evaluate_task(
    task: TaskRows, splits: tuple[FoldedSplit, ...], model: Model, effort: Effort,
    *, deployment: Deployment | None, tell: Say,
) -> TaskEvaluation:  # fmt: skip
    predictors = []
    for split in splits:
        tell(f"{task.target.name}: tuning the {model.label} inside each {split.name} fold")
        predictors.append(score_model(task, split, model, effort))
        predictors.append(score_nearest(task, split, effort))
    random_model, random_nearest, similarity_model, similarity_nearest = predictors
    similarity_split = splits[1]
    if effort.n_permutations:
        tell(f"{task.target.name}: refitting on {effort.n_permutations} permutations of the labels")
    return TaskEvaluation(
        target=task.target,
        rows=task.rows,
        model_label=model.label,
        metrics=task.metrics,
        predictors=tuple(predictors),
        between_splits=compare(task, random_model, similarity_model, effort),
        over_nearest={
            "random": compare(task, random_model, random_nearest, effort),
            "similarity": compare(task, similarity_model, similarity_nearest, effort),
        },
        permutation=permute_labels(task, similarity_split, model, similarity_model, effort),
        over_nothing={
            split.name: difference
            for split, scores in zip(splits, (random_model, similarity_model), strict=True)
            if (difference := compare_with_guesses(task, scores, split, effort)) is not None
        },
        chance={
            split.name: score_of_nothing(task.target, partial(guesses, task, split))
            for split in splits
        },
        by_similarity={
            split.name: model_by_similarity(task, split, model_scores, effort, deployment)
            for split, model_scores in zip(splits, (random_model, similarity_model), strict=True)
        },
    )


def _compared(
    found: TaskEvaluation, task: TaskRows, split: FoldedSplit, others: Sequence[Model],
    effort: Effort, *, tell: Say,
) -> TaskEvaluation:  # fmt: skip
    """Return the evaluation with other models beside it, on the same folds."""
    if not others:
        return found
    scores = {}
    for model in others:
        tell(f"{task.target.name}: tuning the {model.label} inside each {split.name} fold")
        scores[model.label] = score_model(task, split, model, effort)
    comparison = compare_with(found.of("model", "similarity"), found, scores)
    return replace(found, others=scores, comparison=comparison)
