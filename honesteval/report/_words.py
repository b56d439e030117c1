"""How numbers and names are written in reports: filters for the templates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from honesteval.report._metrics import ranks
from honesteval.report._verdict import show_score

PREDICTOR_WORDS = {"nearest": "nearest neighbour", "nothing": "learned nothing"}


def count(value: int) -> str:
    """Return a whole number with separated thousands."""
    return f"{value:,}"


def score(value: float | None, metric: str) -> str:
    """Return a score with the digits that a reader can use; a dash where it is undefined."""
    return "–" if value is None else show_score(value, metric).replace("-", "−")


def signed(value: float | None, metric: str) -> str:
    """Return a difference of scores with its sign."""
    if value is None:
        return "–"
    shown = show_score(abs(value), metric)
    return f"{'−' if value < 0 else '+'}{shown}"


def share(value: float | None) -> str:
    """Return a share in per cent; a dash where it is undefined."""
    return "–" if value is None else f"{100 * value:.0f} %"


def p_value(value: float | None) -> str:
    """Return a p-value; a dash where it is undefined."""
    if value is None:
        return "–"
    return "< 0.001" if value < 0.001 else f"{value:.2g}"


def label(value: Any) -> str:
    """Return a label of a row: a class, or a number."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def params(settings: dict[str, Any]) -> str:
    """Return chosen settings as ``name = value``."""
    if not settings:
        return "nothing to tune"
    return ", ".join(f"{name} = {short_number(value)}" for name, value in settings.items())


def short_number(value: Any) -> str:
    """Return a number with three digits, anything else as text."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return str(value)
    return f"{number:.3g}"


def chosen(row: dict[str, Any]) -> str:
    """Return what the folds chose for a setting: the usual value, or median and range."""
    if row["median"] is None or row["agreement"] > 0.5:
        return f"mostly {short_number(row['most_frequent'])}"
    low, median, high = (short_number(row[key]) for key in ("low", "median", "high"))
    return f"median {median}, from {low} to {high}"


def score_of(scores: list[dict[str, Any]], predictor: str, split: str, metric: str) -> Any:
    """Return the score of one predictor under one split."""
    return next(
        found
        for found in scores
        if (found["predictor"], found["split"], found["metric"]) == (predictor, split, metric)
    )


def comparison_words(found: dict[str, Any], task: dict[str, Any]) -> str:
    """Return what a difference is between."""
    a, b = found["a"], found["b"]
    name = {"model": task["model"], **PREDICTOR_WORDS}
    if a["predictor"] == b["predictor"]:
        return f"{name[a['predictor']]}: {a['split']} split minus {b['split']} split"
    return f"{a['split']} split: {name[a['predictor']]} minus {name[b['predictor']]}"


def entity_count(data: dict[str, Any]) -> str:
    """Return how many entities there are, and what counts as one."""
    n = data["n_entities"]
    if data["entities"] == "molecules":
        return f"{n:,} molecules when repeats, salts and stereoisomers count once"
    return f"{n:,} when equal rows count once"


def fold_mean(found: dict[str, Any], metric: str) -> str:
    """Return the mean of the scores of single folds, which is not the score of all rows."""
    known = [value for value in found["fold_scores"] if value is not None]
    return score(sum(known) / len(known), metric) if known else score(None, metric)


def fold_means(task: dict[str, Any], splits: list[dict[str, Any]]) -> str:
    """Return what the scores are of, and beside them the means over folds."""
    metric = task["metric"]
    if ranks(metric):
        return (
            "ROC-AUC and average precision are means over the folds, each ranked by its own "
            "model; other scores are of all out-of-fold predictions together."
        )
    means = " and ".join(
        f"{fold_mean(score_of(task['scores'], 'model', split['name'], metric), metric)} "
        f"({split['name']} split)"
        for split in splits
    )
    return (
        f"Scores are of all out-of-fold predictions together, which is not the mean over folds: "
        f"that is {means} for the {task['model']}."
    )


#: What the verdicts say of several tasks together.
KIND_WORDS = {
    "sound": "with a score that does not hang on the split",
    "overstated": "overstated by a random split",
    "copies": "no better than copying the most similar training row",
    "guesses": "no better than a constant guess",
    "no_signal": "without evidence that anything was learned",
}


def overall(tasks: list[dict[str, Any]]) -> str:
    """Return how many tasks got which verdict, in a sentence."""
    counted = [
        f"{n} {words}"
        for kind, words in KIND_WORDS.items()
        if (n := sum(task["verdict"]["kind"] == kind for task in tasks))
    ]
    return f"Of {len(tasks)} tasks, {'; '.join(counted)}."


def predictor_names(task: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the predictors of a task with their names."""
    return [("model", task["model"]), ("nearest", PREDICTOR_WORDS["nearest"])]


def status_word(finding: dict[str, Any]) -> str:
    """Return the status of a finding in words, with its severity when there is one."""
    if finding["status"] == "found":
        return str(finding["severity"]).capitalize()
    return str(finding["status"]).replace("_", " ").capitalize()


def gravest_first(findings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return findings with the gravest first, then what passed, then what was not looked for."""
    order = ["error", "warning", "info", "passed", "skipped", "not_applicable"]

    def rank(finding: dict[str, Any]) -> int:
        found = finding["status"] == "found"
        return order.index(finding["severity"] if found else finding["status"])

    return sorted(findings, key=rank)


def status_class(finding: dict[str, Any]) -> str:
    """Return the CSS class of a finding's status."""
    if finding["status"] == "found":
        severity = str(finding["severity"])
        return severity if severity in ("warning", "info") else "found"
    return "passed" if finding["status"] == "passed" else "other"


FILTERS: dict[str, Callable[..., Any]] = {
    "count": count,
    "score": score,
    "signed": signed,
    "p_value": p_value,
    "share": share,
    "label": label,
    "params": params,
    "short_number": short_number,
    "chosen": chosen,
    "score_of": score_of,
    "entity_count": entity_count,
    "fold_means": fold_means,
    "overall": overall,
    "kind_words": KIND_WORDS.__getitem__,
    "ranks": ranks,
    "comparison_words": comparison_words,
    "gravest_first": gravest_first,
    "status_word": status_word,
    "status_class": status_class,
}

#: The numbers on top of the report: predictor, split, words.
HEADLINE_SCORES = (
    ("model", "random", "A random split promises"),
    ("model", "similarity", "Unlike its training data it reaches"),
    ("nearest", "similarity", "There, copying the nearest gives"),
)
