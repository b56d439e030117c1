"""Reporting checklists, filled as far as an evaluation can fill them.

The items are named here in a few words; the checklists themselves have the full wording.

References
----------
.. [1] Kapoor S. et al., "REFORMS: Consensus-based Recommendations for Machine-learning-based
       Science", Sci. Adv. 2024, 10, eadk3452. :doi:`10.1126/sciadv.adk3452`
.. [2] Collins G. S. et al., "TRIPOD+AI statement: updated guidance for reporting clinical
       prediction models that use regression or machine learning methods", BMJ 2024, 385,
       e078378. :doi:`10.1136/bmj-2023-078378`
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from honesteval.report._words import entity_count, score, score_of

Summary = dict[str, Any]
Answer = Callable[[Summary], str]
Item = tuple[str, str, Answer | None]


def checklists(summary: Summary) -> list[dict[str, Any]]:
    """Return the checklists with the answers that an evaluation can give.

    Parameters
    ----------
    summary : dict
        As :func:`summarise` returns it, apart from the checklists themselves.

    Returns
    -------
    checklists : list of dict
        ``name``, ``reference`` and ``items``; each item has ``item`` (its number), ``topic`` and
        ``answer`` (None where only the authors know).
    """
    return [
        {
            "name": name,
            "reference": reference,
            "items": [
                {
                    "item": item,
                    "topic": topic,
                    "answer": None if answer is None else answer(summary),
                }
                for item, topic, answer in items
            ],
        }
        for name, reference, items in (
            ("REFORMS", "https://doi.org/10.1126/sciadv.adk3452", REFORMS),
            ("TRIPOD+AI", "https://doi.org/10.1136/bmj-2023-078378", TRIPOD_AI),
        )
    ]


def _dataset(summary: Summary) -> str:
    return (
        f"{summary['title']}: {summary['data']['n_input']:,} rows; hash of entities and labels "
        f"{summary['provenance']['data_hash']}. A link or DOI is open."
    )


def _environment(summary: Summary) -> str:
    versions = summary["provenance"]["versions"]
    return ", ".join(f"{name} {version}" for name, version in versions.items()) + "."


def _outcome(summary: Summary) -> str:
    parts = []
    for task in summary["tasks"]:
        counts = ", ".join(f"{row['n']:,} {row['name']}" for row in task["classes"])
        parts.append(f"{task['reason']}{f' Counts: {counts}.' if counts else ''}")
    return " ".join(parts)


def _sample_size(summary: Summary) -> str:
    data = summary["data"]
    return f"{data['n_rows']:,} rows, {entity_count(data)}."


def _missing(summary: Summary) -> str:
    data = summary["data"]
    labelled = "; ".join(
        f"{task['name']}: {data['n_rows'] - task['n_labelled']:,} of {data['n_rows']:,} without a "
        "label, left out of that task"
        for task in summary["tasks"]
    )
    return f"{labelled}."


def _excluded(summary: Summary) -> str:
    excluded = summary["data"]["excluded"]
    if not excluded["n"]:
        return "No row was left out."
    reasons = "; ".join(f"{row['reason']} ({row['n']:,})" for row in excluded["reasons"][:5])
    more = len(excluded["reasons"]) - 5
    rest = f"; and {more} other reasons" if more > 0 else ""
    return f"{excluded['n']:,} rows were left out and are listed: {reasons}{rest}."


def _transformations(summary: Summary) -> str:
    return (
        f"Features: {summary['data']['features']}. Every step that learns from data is refitted "
        "inside each training part."
    )


def _models(summary: Summary) -> str:
    models = " and ".join(dict.fromkeys(task["model"] for task in summary["tasks"]))
    return f"{models[:1].upper()}{models[1:]}; settings of every fold are in the table of folds."


def _evaluation_method(summary: Summary) -> str:
    settings = summary["settings"]
    return (
        f"Nested cross-validation, {settings['n_splits']} outer and {settings['n_inner_splits']} "
        "inner folds; random folds, and folds with little similarity between them."
    )


def _tuning(summary: Summary) -> str:
    return (
        f"Optuna, {summary['settings']['n_trials']} settings in each outer fold, chosen on inner "
        "folds of its training part."
    )


def _baselines(summary: Summary) -> str:
    n = summary["settings"]["n_permutations"]
    permuted = f", the model on {n:,} permutations of the labels" if n else ""
    return f"Label of the most similar training row{permuted}, and a predictor without knowledge."


def _separation(summary: Summary) -> str:
    return "Tuning, preprocessing and fitting see training rows only, in every fold."


def _dependencies(summary: Summary) -> str:
    parts = [
        f"{split['name']} split: scaled leakage {split['scaled_leakage']:.3f}, mean highest "
        f"similarity to training {split['mean_nearest_similarity']:.3f}"
        for split in summary["splits"]
    ]
    return "; ".join(parts) + ". Findings of the audit are listed."


def _metrics(summary: Summary) -> str:
    labels = [metric["label"] for task in summary["tasks"] for metric in task["metrics"]]
    return ", ".join(dict.fromkeys(labels)) + ". Why these is open."


def _uncertainty(summary: Summary) -> str:
    settings = summary["settings"]
    return (
        f"{100 * settings['confidence_level']:g} % bootstrap intervals of every score, "
        f"{settings['n_resamples']:,} resamples."
    )


def _tests(summary: Summary) -> str:
    permuted = summary["settings"]["n_permutations"]
    words = "Paired bootstrap of differences on the same rows"
    return f"{words}; permutation test." if permuted else f"{words}."


def _performance(summary: Summary) -> str:
    parts = []
    for task in summary["tasks"]:
        for split in summary["splits"]:
            found = score_of(task["scores"], "model", split["name"], task["metric"])
            shown = [score(found[key], task["metric"]) for key in ("estimate", "low", "high")]
            label = task["metrics"][0]["label"]
            parts.append(
                f"{task['name']}, {split['name']} split: {label} {shown[0]} "
                f"[{shown[1]}, {shown[2]}]"
            )
    return "; ".join(parts) + "."


def _flow(summary: Summary) -> str:
    data = summary["data"]
    counted = "; ".join(
        f"{task['name']}: {task['n_labelled']:,} with a label"
        + "".join(f", {row['n']:,} {row['name']}" for row in task["classes"])
        for task in summary["tasks"]
    )
    return (
        f"{data['n_input']:,} rows read, {data['excluded']['n']:,} left out, {data['n_rows']:,} "
        f"evaluated; {counted}."
    )


def _heterogeneity(summary: Summary) -> str:
    parts = []
    for task in summary["tasks"]:
        for split in summary["splits"]:
            found = score_of(task["scores"], "model", split["name"], task["metric"])
            known = [value for value in found["fold_scores"] if value is not None]
            if known:
                low, high = (score(value, task["metric"]) for value in (min(known), max(known)))
                parts.append(f"{task['name']}, {split['name']} split: folds from {low} to {high}")
    return "; ".join(parts) + ". Scores against the similarity to training are shown."


def _balance(summary: Summary) -> str:
    classes = [task for task in summary["tasks"] if task["classes"]]
    if not classes:
        return "Does not apply: the outcome is continuous."
    return "Classes were spread evenly over the folds; nothing was resampled or weighted."


def _training_against_evaluation(summary: Summary) -> str:
    return "Similarity of test to training rows is shown for both splits, and the score against it."


REFORMS: tuple[Item, ...] = (
    ("1a", "Population or distribution of the claim", None),
    ("1b", "Why this population", None),
    ("1c", "Why machine learning", None),
    ("2a", "Data set, with a link or DOI", _dataset),
    ("2b", "Code, with version", None),
    ("2c", "Computing infrastructure", _environment),
    ("2d", "README with instructions", None),
    ("2e", "Script that reproduces all results", None),
    ("3a", "Sources of the data, annotation, dates", None),
    ("3b", "Sampling frame", None),
    ("3c", "Why the data suit the task", None),
    ("3d", "Outcome variable and its distribution", _outcome),
    ("3e", "Number of samples", _sample_size),
    ("3f", "Missing data", _missing),
    ("3g", "Is the data representative of the population", None),
    ("4a", "Excluded samples, and why", _excluded),
    ("4b", "Impossible or corrupt samples", _excluded),
    ("4c", "Transformations of the data", _transformations),
    ("5a", "Models that were trained", _models),
    ("5b", "Why these types of model", None),
    ("5c", "How models were evaluated", _evaluation_method),
    ("5d", "How the model was selected", _tuning),
    ("5e", "How hyperparameters were tuned", _tuning),
    ("5f", "Baselines", _baselines),
    ("6a", "Separation of training and test data", _separation),
    ("6b", "Dependencies and duplicates across the split", _dependencies),
    ("6c", "Are the features legitimate", None),
    ("7a", "Metrics, and why these", _metrics),
    ("7b", "Uncertainty of the results", _uncertainty),
    ("7c", "Statistical tests", _tests),
    ("8a", "Evidence of external validity", None),
    ("8b", "Where the findings are not expected to hold", None),
)

TRIPOD_AI: tuple[Item, ...] = (
    ("1", "Title", None),
    ("2", "Abstract", None),
    ("3a", "Context and rationale", None),
    ("3b", "Target population and intended use", None),
    ("3c", "Known inequalities", None),
    ("4", "Objectives", None),
    ("5a", "Sources of data", None),
    ("5b", "Dates of the data", None),
    ("6a", "Setting", None),
    ("6b", "Eligibility", None),
    ("6c", "Treatments", None),
    ("7", "Preparation of the data", _excluded),
    ("8a", "Outcome", _outcome),
    ("8b", "Outcome assessors", None),
    ("8c", "Blinding of the assessment", None),
    ("9a", "Choice of predictors", None),
    ("9b", "Definition of predictors", _transformations),
    ("9c", "Predictor assessors", None),
    ("10", "Sample size", _sample_size),
    ("11", "Missing data", _missing),
    ("12a", "How the data were used in the analysis", _evaluation_method),
    ("12b", "Handling of predictors", _transformations),
    ("12c", "Type of model, building, tuning, validation", _models),
    ("12d", "Heterogeneity between clusters", None),
    ("12e", "Measures of performance", _metrics),
    ("12f", "Updating of the model", None),
    ("12g", "How predictions are calculated", None),
    ("13", "Class imbalance", _balance),
    ("14", "Fairness", None),
    ("15", "Output of the model", None),
    ("16", "Training against evaluation data", _training_against_evaluation),
    ("17", "Ethical approval", None),
    ("18a", "Funding", None),
    ("18b", "Conflicts of interest", None),
    ("18c", "Protocol", None),
    ("18d", "Registration", None),
    ("18e", "Availability of the data", None),
    ("18f", "Availability of the code", None),
    ("19", "Involvement of patients and public", None),
    ("20a", "Flow of participants, with and without the outcome", _flow),
    ("20b", "Characteristics of the participants", None),
    ("20c", "Comparison of development and evaluation data", _dependencies),
    ("21", "Numbers in each analysis", _sample_size),
    ("22", "Specification of the model", None),
    ("23a", "Performance with intervals", _performance),
    ("23b", "Heterogeneity of performance", _heterogeneity),
    ("24", "Results of updating", None),
    ("25", "Interpretation", None),
    ("26", "Limitations", None),
    ("27a", "Input data of poor quality, or missing, in use", None),
    ("27b", "Interaction and expertise that users need", None),
    ("27c", "Next steps of research", None),
)
