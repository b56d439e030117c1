"""What was found, in plain words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from honesteval._notebook import ShownInNotebook
from honesteval.report._evaluation import SPLITS, Evaluation, TaskEvaluation
from honesteval.stats import (
    BootstrapDifference,
    BootstrapResult,
    PermutationTestResult,
    get_metric,
)

VerdictKind = Literal["no_signal", "guesses", "copies", "overstated", "sound"]

#: A model counts as better than permuted labels below this p-value.
SIGNAL_LEVEL = 0.05

HEADLINES: dict[VerdictKind, str] = {
    "no_signal": "There is no evidence that the model has learned anything",
    "guesses": "On new {new} the model does no better than {guess}",
    "copies": (
        "On new {new} the model does no better than copying the label of the most similar "
        "training row"
    ),
    "overstated": (
        "The model has learned something; for {new} unlike its training data a random split "
        "overstates how much"
    ),
    "sound": "The model has learned something, and its score does not hang on the split",
}

#: Instead, where no permutation test has shown that anything was learned.
UNTESTED_HEADLINES: dict[VerdictKind, str] = {
    "overstated": "For {new} unlike its training data a random split overstates the model",
    "sound": "The score of the model does not hang on the split",
}

#: Instead, where it is known what the model will meet; the second one untested.
DEPLOYMENT_HEADLINE = (
    "The model has learned something; for the deployment set expect about {label} {value}"
)
UNTESTED_DEPLOYMENT_HEADLINE = "For the deployment set expect about {label} {value}"

#: Scores in the unit of the label, which may be small.
ERRORS = ("mae", "rmse")

_PHRASES = {
    "mae": "is off by {value} on average",
    "rmse": "has a root-mean-square error of {value}",
    "r2": "has an R2 of {value}",
    "roc_auc": "has a ROC-AUC of {value}",
    "average_precision": "has an average precision of {value}",
    "balanced_accuracy": "has a balanced accuracy of {value}",
    "accuracy": "has an accuracy of {value}",
    "mcc": "has a Matthews correlation of {value}",
}


@dataclass(frozen=True)
class Verdict(ShownInNotebook):
    """What was found about one task.

    Parameters
    ----------
    kind : {"no_signal", "guesses", "copies", "overstated", "sound"}
    headline : str
        One clause without full stop.
    sentences : tuple of str
        What it rests on, with numbers.
    """

    kind: VerdictKind
    headline: str
    sentences: tuple[str, ...]

    def text(self) -> str:
        """Return one paragraph."""
        return " ".join([f"{self.headline}.", *self.sentences])

    def summary(self) -> str:
        """Return one paragraph, as :meth:`text` does."""
        return self.text()


def verdict_of(task: TaskEvaluation, evaluation: Evaluation) -> Verdict:
    """Return the verdict on one task of an evaluation."""
    kind = _kind(task)
    sentences = [
        _answer(task),
        _promise(task),
        _which_to_expect(task, evaluation),
        _guessing(task),
        _copying(task),
        _chance(task),
        _deployment(task, evaluation),
        *_comparisons(task),
    ]
    new = "chemistry" if evaluation.smiles is not None else "data"
    headline = HEADLINES[kind]
    if not _is_signal(task.permutation):
        headline = UNTESTED_HEADLINES.get(kind, headline)
    if kind in ("overstated", "sound") and task.for_deployment is not None:
        headline = _expected_there(task)
    return Verdict(
        kind,
        headline.format(new=new, guess=_guess(task.metric)),
        tuple(sentence for sentence in sentences if sentence),
    )


def show_score(value: float, metric: str) -> str:
    """Return a score with the digits that a reader can use."""
    size = abs(value)
    if metric not in ERRORS:
        return f"{value:.3f}"
    if 0 < size < 0.01:
        return f"{value:.3g}"
    decimals = 3 if size < 1 else 2 if size < 10 else 1 if size < 100 else 0
    return f"{value:,.{decimals}f}"


def _kind(task: TaskEvaluation) -> VerdictKind:
    if _chance_reaches(task.permutation):
        return "no_signal"
    if not _beats_guesses(task):
        return "guesses"
    if not _better(task.over_nearest["similarity"], task.metric):
        return "copies"
    return "overstated" if _better(task.between_splits, task.metric) else "sound"


def _chance_reaches(result: PermutationTestResult | None) -> bool:
    """Whether permuted labels do as well; too few permutations alone do not say so."""
    return result is not None and result.n_exceeding > 0 and result.p_value > SIGNAL_LEVEL


def _is_signal(result: PermutationTestResult | None) -> bool:
    """Whether a permutation test has shown that something was learned."""
    return result is not None and result.p_value <= SIGNAL_LEVEL


def _better(difference: BootstrapDifference, metric: str) -> bool:
    """Whether the interval says that the first of two scores is better."""
    if get_metric(metric).greater_is_better:
        return bool(difference.low > 0)
    return bool(difference.high < 0)


def _worse(difference: BootstrapDifference, metric: str) -> bool:
    if get_metric(metric).greater_is_better:
        return bool(difference.high < 0)
    return bool(difference.low > 0)


def _with_interval(result: BootstrapResult) -> str:
    low, high = (show_score(limit, result.metric) for limit in (result.low, result.high))
    value = show_score(result.estimate, result.metric)
    return f"{value} ({100 * result.confidence_level:g} % interval {low} to {high})"


def _answer(task: TaskEvaluation) -> str:
    found = task.of("model", "similarity").scores[task.metric]
    phrase = _PHRASES[task.metric].format(value=_with_interval(found))
    return (
        f"Tested on folds unlike its training data, the {task.model_label} for "
        f"{task.target.name} {phrase}."
    )


def _promise(task: TaskEvaluation) -> str:
    promised = task.of("model", "random").scores[task.metric]
    value = _with_interval(promised)
    if _better(task.between_splits, task.metric):
        return f"A random split would have promised {value}, {_how_much_better(task)}."
    if _worse(task.between_splits, task.metric):
        return f"On a random split it does worse, {value}."
    return f"A random split says about the same, {value}."


def _how_much_better(task: TaskEvaluation) -> str:
    random, similarity = (task.of("model", name).scores[task.metric].estimate for name in SPLITS)
    if not get_metric(task.metric).greater_is_better and random > 0:
        return f"but on such folds the error is {100 * (similarity / random - 1):.0f} % larger"
    return f"which is {show_score(random - similarity, task.metric)} more"


def guess_words(metric: str) -> str:
    """Return what the best constant guess by a metric is."""
    if get_metric(metric).prediction in ("ranking", "probability"):
        return "the same for every row"
    if metric in ("mae", "rmse", "r2"):
        return f"the {'median' if metric == 'mae' else 'mean'} of the training labels"
    return "the most frequent class of the training rows"


def _guess(metric: str) -> str:
    if get_metric(metric).prediction in ("ranking", "probability"):
        return "a random ranking"
    return f"always guessing {guess_words(metric)}"


def _beats_guesses(task: TaskEvaluation) -> bool:
    """Whether the model is better than a constant guess; where that has no score, it is."""
    difference = task.over_nothing.get("similarity")
    return difference is None or _better(difference, task.metric)


def _guessing(task: TaskEvaluation) -> str:
    """Return how far a constant guess gets, where the model does not beat it."""
    if _beats_guesses(task):
        return ""
    phrase = _PHRASES[task.metric].format(
        value=show_score(task.chance["similarity"][task.metric], task.metric)
    )
    worse = _worse(task.over_nothing["similarity"], task.metric)
    outcome = "which beats the model" if worse else "which is not clearly worse than the model"
    start = _guess(task.metric)
    return f"{start[:1].upper()}{start[1:]} {phrase}, {outcome}."


def _which_to_expect(task: TaskEvaluation, evaluation: Evaluation) -> str:
    """Return what the two scores stand for, where they differ and nobody said what will be met."""
    if evaluation.deployment is not None or not _better(task.between_splits, task.metric):
        return ""
    random, similarity = (
        float(evaluation.split(name).nearest_similarity[task.rows].mean()) for name in SPLITS
    )
    what = "molecules" if evaluation.smiles is not None else "rows"
    return (
        f"Which of the two to expect depends on the {what} it will meet: as close to its training "
        f"data as random test rows (highest similarity {random:.2f} on average), or as far from "
        f"it as these folds ({similarity:.2f})."
    )


def _copying(task: TaskEvaluation) -> str:
    nearest = task.of("nearest", "similarity").scores[task.metric]
    phrase = _PHRASES[task.metric].format(value=show_score(nearest.estimate, task.metric))
    difference = task.over_nearest["similarity"]
    start = f"Copying the label of the most similar training row {phrase}"
    if _better(difference, task.metric):
        return f"{start}, which the model beats."
    if _worse(difference, task.metric):
        return f"{start}, which beats the model."
    return f"{start}, which is not clearly worse than the model."


def _chance(task: TaskEvaluation) -> str:
    result = task.permutation
    if result is None:
        return ""
    times = f"{result.n_permutations} permutations of the labels"
    if result.n_exceeding:
        return (
            f"In {times}, {result.n_exceeding} gave a score as good as the real one "
            f"(p = {result.p_value:.2g})."
        )
    too_few = "" if _is_signal(result) else ": too few to show that anything was learned"
    return (
        f"In {times}, none gave a score as good as the real one (p = {result.p_value:.2g}, the "
        f"smallest that so many can give{too_few})."
    )


def _deployment(task: TaskEvaluation, evaluation: Evaluation) -> str:
    if evaluation.deployment is None or task.for_deployment is None:
        return ""
    split, found = task.for_deployment
    value, low, high = (
        show_score(number, task.metric) for number in (found.estimate, found.low, found.high)
    )
    mean = float(evaluation.deployment.nearest_similarity.mean())
    beyond = ""
    if found.share_beyond > 0:
        beyond = (
            f" {100 * found.share_beyond:.0f} % of it lie beyond the similarities that were tested."
        )
    return (
        f"For the deployment set ({found.n_deployment:,} rows, highest similarity to the data "
        f"{mean:.2f} on average) the {split} split says {found.label} {value} ({low} to {high}), "
        f"from as much data as {found.effective_n:.0f} rows.{beyond} That is the interval of a "
        "mean; the score that will be seen varies more: deployment_estimate gives limits for it."
    )


def _expected_there(task: TaskEvaluation) -> str:
    """Return the headline where it is known what the model will meet."""
    assert task.for_deployment is not None
    _, found = task.for_deployment
    tested = _is_signal(task.permutation)
    headline = DEPLOYMENT_HEADLINE if tested else UNTESTED_DEPLOYMENT_HEADLINE
    return headline.format(label=found.label, value=show_score(found.estimate, task.metric))


def _comparisons(task: TaskEvaluation) -> list[str]:
    """Return what is known of the model against each other one, on the same folds."""
    if task.comparison is None:
        return []
    sentences = []
    for row in task.comparison.to_frame().itertuples():
        if task.model_label not in (row.a, row.b):
            continue
        other = row.b if row.a == task.model_label else row.a
        found = task.others[other].scores[task.metric]
        outcome = {
            "undecided": "which of the two is better is undecided",
            "equivalent": "no difference that matters",
        }.get(row.conclusion, f"{row.conclusion} by the test of the folds")
        sentences.append(
            f"On the same folds unlike their training data, {other} has {found.label} "
            f"{_with_interval(found)}: {outcome} (adjusted p = {row.p_adjusted:.2g})."
        )
    return sentences
