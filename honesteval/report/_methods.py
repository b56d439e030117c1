"""The methods paragraph: what was done, ready to paste into a paper."""

from __future__ import annotations

from typing import Any

from honesteval.report._metrics import ranks
from honesteval.report._words import entity_count


def methods_paragraph(summary: dict[str, Any]) -> str:
    """Return in sentences what an evaluation did.

    Parameters
    ----------
    summary : dict
        As :func:`summarise` returns it.
    """
    settings, data, versions = (
        summary["settings"], summary["data"], summary["provenance"]["versions"]
    )  # fmt: skip
    first = summary["tasks"][0]
    models = " and ".join(dict.fromkeys(task["model"] for task in summary["tasks"]))
    drawn = ", drawn by molecule where molecules repeat" if data["entities"] == "molecules" else ""
    sentences = [
        f"{data['n_rows']:,} of {data['n_input']:,} rows could be used ({entity_count(data)}).",
        f"A {models} on {data['features']} was judged by nested cross-validation with "
        f"{settings['n_splits']} outer and {settings['n_inner_splits']} inner folds; in each outer "
        f"fold {settings['n_trials']} settings were tried with Optuna, and every step was refitted "
        "in every fold.",
        "Folds were drawn at random, and again by SimilarityGroupKFold, which minimises the "
        f"similarity between folds ({data['similarity']}) and keeps repeats of "
        f"{'a molecule' if data['entities'] == 'molecules' else 'a row'} together; inner folds "
        "were of the same kind as the outer ones.",
        f"{first['metrics'][0]['label']} was {_computed(first['metric'])}, with "
        f"{100 * settings['confidence_level']:g} % BCa bootstrap intervals "
        f"({settings['n_resamples']:,} resamples{drawn}).",
        "Baselines were the mean label of the most similar training rows and "
        + (
            f"the model with its most frequent settings refitted on {settings['n_permutations']} "
            "permutations of the labels."
            if settings["n_permutations"]
            else "the score of a predictor that has learned nothing."
        ),
        f"Computed with honesteval {versions['honesteval']}, scikit-learn "
        f"{versions['scikit-learn']}, RDKit {versions['rdkit']} and Optuna {versions['optuna']}; "
        f"random seed {settings['random_state']}.",
    ]
    return " ".join(sentences)


def _computed(metric: str) -> str:
    if ranks(metric):
        return "averaged over the outer folds, each ranked by its own model"
    return "computed over all out-of-fold predictions"
