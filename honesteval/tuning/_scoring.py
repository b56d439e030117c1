"""Scorers: one or several, resolved by scikit-learn, always answering with a dictionary."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from numbers import Number
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.metrics import check_scoring, get_scorer_names
from sklearn.utils.metadata_routing import get_routing_for_object

from honesteval._validation import check_option
from honesteval.tuning._scorer_metric import scorers_of

DEFAULT_NAME = "score"


@dataclass(frozen=True)
class Scoring:
    """What to compute on a test fold.

    Parameters
    ----------
    scorer : callable
        ``scorer(estimator, X, y)`` returning a number or a dictionary of numbers.
    single : dict of str to callable
        The scorers one by one; empty where a callable decides by itself what it returns.
    weighted : frozenset of str
        Names of the scorers that take ``sample_weight``.
    """

    scorer: Callable[..., Any]
    single: Mapping[str, Callable[..., Any]]
    weighted: frozenset[str]

    @property
    def is_multimetric(self) -> bool:
        """Whether several named scores were asked for."""
        return set(self.single) != {DEFAULT_NAME}

    @property
    def uses_predictions_alone(self) -> bool:
        """Whether every scorer is scikit-learn's own and sees nothing but predictions."""
        return all(
            type(value).__module__ == "sklearn.metrics._scorer" for value in self.single.values()
        )

    @property
    def needs_two_classes(self) -> bool:
        """Whether a score is undefined on rows of one class (ROC-AUC)."""
        return any(_is_roc_auc(scorer) for scorer in self.single.values())

    def evaluate(
        self, estimator: Any, X: Any, y: Any, params: Mapping[str, Any], *, routed: bool
    ) -> dict[str, float]:
        """Return the scores by name; whatever a scorer raises goes through."""
        undefined = self.needs_two_classes and len(np.unique(y)) < 2
        if not undefined and (routed or not params):
            return _as_numbers(self.scorer(estimator, X, y, **params))
        scores = {}
        for name, scorer in self.single.items():
            if undefined and _is_roc_auc(scorer):
                scores[name] = float("nan")
                continue
            takes = routed or name in self.weighted
            value = scorer(estimator, X, y, **(params if takes else {}))
            scores.update(value if isinstance(value, Mapping) else {name: value})
        return _as_numbers(scores)


def resolve_scoring(estimator: Any, scoring: Any) -> Scoring:
    """Return the scorers that ``scoring`` means for this estimator."""
    _check_names(scoring)
    scorer = check_scoring(estimator, scoring)
    if scoring is None or isinstance(scoring, str) or callable(scoring):
        single = {DEFAULT_NAME: scorer}
    else:
        names = scoring.keys() if isinstance(scoring, Mapping) else scoring
        values = scoring.values() if isinstance(scoring, Mapping) else scoring
        single = {
            str(name): check_scoring(estimator, value)
            for name, value in zip(names, values, strict=True)
        }
    weighted = frozenset(name for name, value in single.items() if takes_weights(value))
    return Scoring(scorer=scorer, single=single, weighted=weighted)


def _check_names(scoring: Any) -> None:
    values = scoring.values() if isinstance(scoring, Mapping) else scoring
    named = [values] if isinstance(values, str) or not isinstance(values, Iterable) else values
    known = get_scorer_names()
    for name in named:
        if isinstance(name, str) and name not in known:
            near = scorers_of(name) or get_close_matches(name, known, n=1, cutoff=0.5)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise ValueError(
                f"scoring names {name!r}, which is none of scikit-learn's scorers.{hint} "
                "sklearn.metrics.get_scorer_names() lists them; a function (estimator, X, y) -> "
                "number is taken as well."
            )


def check_refit(refit: Any, given: Any, scoring: Scoring, *, always: bool = False) -> None:
    """Raise when ``refit`` does not say which setting is the best one.

    Parameters
    ----------
    refit : object
    given : object
        What the user passed as ``scoring``; a function may return scores of any names.
    scoring : Scoring
    always : bool, default=False
        Whether a best setting is needed even where ``refit`` is False.
    """
    several = scoring.is_multimetric
    if callable(refit):
        return
    if isinstance(refit, str):
        if several:
            check_option(refit, "refit", tuple(scoring.single))
        elif not callable(given):
            check_option(refit, "refit", (True, False, given or DEFAULT_NAME))
        return
    if isinstance(refit, bool | np.bool_) and not (several and (refit or always)):
        return
    rule = "True, False"
    if several:
        rule = f"the name of the score to maximise ({', '.join(scoring.single)})"
    raise ValueError(f"refit must be {rule} or a function of cv_results_. Got {refit!r}.")


def takes_weights(scorer: Any) -> bool:
    """Whether the scorer's function has a parameter ``sample_weight``."""
    function = getattr(scorer, "_score_func", None)
    if function is None:
        estimator = getattr(scorer, "_estimator", None)
        function = scorer if estimator is None else getattr(estimator, "score", None)
    try:
        return "sample_weight" in inspect.signature(function).parameters  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False


def shown_name(estimator: Any, scoring: Any) -> str:
    """Return the name a person would give the score: ``"roc_auc"``, ``"accuracy"``, ``"r2"``."""
    if isinstance(scoring, str):
        return scoring
    if scoring is None:
        if is_classifier(estimator):
            return "accuracy"
        return "r2" if is_regressor(estimator) else DEFAULT_NAME
    return str(getattr(scoring, "__name__", DEFAULT_NAME))


def consumes_groups(router: Any, method: str) -> bool:
    """Whether an object's metadata routing asks for ``groups`` in ``method``."""
    return "groups" in get_routing_for_object(router).consumes(method, ["groups"])


def short_error(error: BaseException) -> str:
    """Return ``"ValueError: what it said"`` in one line: the first, of a text of several."""
    lines = [" ".join(line.split()) for line in str(error).splitlines() if line.strip()]
    said = lines[0] if lines else "no message"
    return f"{type(error).__name__}: {said}{' [...]' if len(lines) > 1 else ''}"


def long_error(error: BaseException) -> str:
    """Return the whole traceback."""
    return "".join(traceback.format_exception(error))


def _is_roc_auc(scorer: Any) -> bool:
    function = getattr(scorer, "_score_func", None)
    return getattr(function, "__name__", "") == "roc_auc_score"


def _as_numbers(scores: Any) -> dict[str, float]:
    named = scores if isinstance(scores, Mapping) else {DEFAULT_NAME: scores}
    numbers = {}
    for name, score in named.items():
        value = score.item() if isinstance(score, np.ndarray | np.generic) else score
        if not isinstance(value, Number) or isinstance(value, complex):
            raise ValueError(f"scoring must return a number. The scorer {name!r} gave {score!r}.")
        numbers[str(name)] = float(value)  # type: ignore[arg-type]
    return numbers
