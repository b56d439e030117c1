"""Compare models with the test that is valid for the design at hand."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from itertools import combinations
from typing import Any

import pandas as pd

from honesteval._validation import check_number, check_option, check_same_length
from honesteval.exceptions import HonestevalWarning
from honesteval.stats._fold_scores import FoldScores, read_fold_scores
from honesteval.stats._kernels_registry import get_metric
from honesteval.stats._model_comparison import ModelComparison
from honesteval.stats._multiplicity import ADJUSTMENTS, adjust_p_values
from honesteval.stats._order_statistics import expected_maximum
from honesteval.stats._paired_folds import DEFAULT_CONFIDENCE_LEVEL
from honesteval.stats._pairwise_tests import (
    PairRow,
    Pairs,
    Settings,
    corrected_t_rows,
    friedman_rows,
    hold_out_rows,
    hold_out_test,
    tukey_rows,
    wilcoxon_rows,
)
from honesteval.stats._tukey import greenhouse_geisser

DEFAULT_MARGIN = 0.01
"""Margin of practical equivalence for scores between 0 and 1."""

MIN_SPHERICITY = 0.75
"""Below this Greenhouse-Geisser epsilon one error for all pairs does not fit."""

FEW_FOLDS = 10
"""With at most so many fold scores a note says that the test has little power."""

MIN_TASKS = 5
"""Fewer tasks than this cannot be compared by ranks."""

FOLD_TESTS = ("corrected_t", "tukey", "paired_t")
TASK_TESTS = ("wilcoxon", "friedman")
TESTS = ("auto", *FOLD_TESTS, *TASK_TESTS)


def compare_models(
    results: Mapping[str, Any] | pd.DataFrame,
    *,
    n_train: Any = None,
    n_test: Any = None,
    y: Any = None,
    groups: Any = None,
    metric: Any = None,
    margin: float = DEFAULT_MARGIN,
    reference: str | None = None,
    test: str = "auto",
    adjust: str = "holm",
    greater_is_better: bool | None = None,
    confidence_level: float = DEFAULT_CONFIDENCE_LEVEL,
    random_state: Any = None,
) -> ModelComparison:
    """Compare models pair by pair, with the test that is valid for how they were scored.

    ==========================================  ==============================================
    what ``results`` hold per model             test that ``"auto"`` takes
    ==========================================  ==============================================
    scores of the same folds, two models        corrected resampled t-test (Nadeau, Bengio)
    scores of the same folds, more models       repeated-measures Tukey with that variance; or,
                                                where some pairs vary far more than others (or
                                                with a ``reference``), the corrected t-test
    one score per task (a mapping), two models  Wilcoxon signed ranks
    one score per task, more models             Friedman, Iman-Davenport and Nemenyi
    predictions for one hold-out set ``y``      DeLong (``"roc_auc"``), McNemar mid-p
                                                (``"accuracy"``), else the paired bootstrap
    ==========================================  ==============================================

    Refused are models scored on different folds, and scores of several tasks pooled as if they
    were folds: in both cases no test is valid.

    Parameters
    ----------
    results : mapping of str to result, or DataFrame
        Name of each model and its scores: an array of fold scores; what scikit-learn's
        ``cross_validate(..., return_indices=True)`` returns; what ``nested_cross_validate``
        returns; a mapping (or Series) of task to score; or, with ``y``, predictions. A data
        frame has a column per model, and as rows folds, tasks (named by the index) or, with
        ``y``, the rows of the hold-out set.
    n_train, n_test : float or array-like, default=None
        Rows in the training and test part of one fold; needed for plain arrays.
    y : array-like of shape (n,), default=None
        Labels of one hold-out set; ``results`` then hold predictions for its rows.
    groups : array-like of shape (n,), default=None
        Rows of the hold-out set that belong together; the bootstrap draws whole groups.
    metric : str or callable, default=None
        Which score, where a result holds several; with ``y``, any metric of
        :func:`bootstrap_difference` or ``"accuracy"`` (``"roc_auc"`` by default).
    margin : float, default=0.01
        Differences up to this size do not matter in practice, in units of the score. 0.01 suits
        scores between 0 and 1: set it for errors.
    reference : str, default=None
        Compare every other model with this one, instead of all pairs.
    test : str, default="auto"
        ``"corrected_t"``, ``"tukey"`` or ``"paired_t"`` (naive, with a warning) for folds,
        ``"wilcoxon"`` or ``"friedman"`` for tasks.
    adjust : {"holm", "bh"}, default="holm"
        Adjustment of p-values for the number of pairs, where the test has none of its own.
    greater_is_better : bool, default=None
        False for errors. By default that of a named ``metric`` with ``y``, else True, as
        scikit-learn's scorers are.
    confidence_level : float in (0, 1), default=0.95
    random_state : int, Generator, RandomState or None, default=None
        For the bootstrap.

    Returns
    -------
    result : ModelComparison
        ``to_frame()`` has one row per pair: difference, interval, p, adjusted p, probability of
        practical equivalence, effect size, conclusion. ``test`` and ``reason`` say what was done.

    Raises
    ------
    ValueError
        If folds differ between models, tasks are pooled, sizes are needed and missing, or a test
        does not fit the design.

    Notes
    -----
    The conclusion of a pair is ``"equivalent"`` when the probability of practical equivalence
    reaches the confidence level, otherwise it names the better model when the adjusted p-value
    allows, otherwise it is ``"undecided"``: a large p-value is no evidence of equality.

    References
    ----------
    C. Nadeau and Y. Bengio, "Inference for the generalization error", Machine Learning 52
    (2003) 239-281.

    J. Demsar, "Statistical comparisons of classifiers over multiple data sets", Journal of
    Machine Learning Research 7 (2006) 1-30.

    A. Benavoli, G. Corani, J. Demsar and M. Zaffalon, "Time for a change", Journal of Machine
    Learning Research 18 (2017) 77.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from honesteval.stats import compare_models
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> cv = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0)
    >>> results = {
    ...     name: cross_validate(model, X, y, cv=cv, scoring="roc_auc", return_indices=True)
    ...     for name, model in [("bayes", GaussianNB()), ("neighbours", KNeighborsClassifier())]
    ... }
    >>> comparison = compare_models(results)
    >>> comparison.test
    'Corrected resampled t-test'
    >>> comparison.to_frame()[["a", "b", "difference", "conclusion"]].round(3)
           a           b  difference    conclusion
    0  bayes  neighbours       0.02...  bayes better
    """
    results = _by_model(results)
    check_number(margin, "margin", low=0)
    check_number(confidence_level, "confidence_level", low=0, high=1, closed="neither")
    check_option(test, "test", TESTS)
    check_option(adjust, "adjust", ADJUSTMENTS)
    better = True if greater_is_better is None else greater_is_better
    settings = Settings(margin, confidence_level, adjust, better, reference)
    if y is not None:
        if test != "auto":
            raise ValueError(f"test={test!r} needs scores of folds or tasks. With y use 'auto'.")
        metric = "roc_auc" if metric is None else metric
        if greater_is_better is None:
            settings = settings._replace(greater_is_better=_is_greater_better(metric))
        return _compare_predictions(
            results, y, settings, metric=metric, groups=groups, random_state=random_state
        )
    if groups is not None:
        raise ValueError("groups belong to the rows of a hold-out set: give y and predictions.")
    scores = read_fold_scores(results, n_train=n_train, n_test=n_test, metric=metric)
    return _compare_scores(scores, test, settings._replace(ratio=scores.ratio))


def _by_model(results: Any) -> Any:
    """Return the columns of a data frame by name; anything else as it is."""
    if not hasattr(results, "columns"):
        return results
    names = [str(name) for name in results.columns]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"Columns {twice} of results occur more than once. Name each model once.")
    return dict(zip(names, (results[name] for name in results.columns), strict=True))


def _compare_scores(scores: FoldScores, test: str, settings: Settings) -> ModelComparison:
    pairs = _pairs(list(scores.table.columns), settings.reference)
    test, reason = _choose(scores, settings.reference, test)
    omnibus: Any = None
    if test == "tukey":
        rows, omnibus = tukey_rows(scores.table, pairs, settings)
        settings = settings._replace(adjust="Tukey, all pairs")
    elif test == "friedman":
        rows, omnibus = friedman_rows(scores.table, pairs, settings)
        settings = settings._replace(adjust="Nemenyi, all pairs")
    elif test == "wilcoxon":
        rows = wilcoxon_rows(scores.table, pairs, settings)
    else:
        correction = None if test == "paired_t" else "nadeau-bengio"
        rows = corrected_t_rows(scores.table, pairs, settings, correction=correction)
    return _comparison(
        rows, settings, test=_NAMES[test], reason=reason, unit=scores.unit,
        n_units=len(scores.table), scores=scores.table,
        notes=scores.notes + _notes_on_power(scores), omnibus=omnibus,
    )  # fmt: skip


def _comparison(rows: list[PairRow], settings: Settings, **described: Any) -> ModelComparison:
    return ModelComparison(
        table=_table(rows, described["test"], settings),
        ratio=settings.ratio,
        margin=settings.margin,
        adjustment=settings.adjust,
        confidence_level=settings.confidence_level,
        greater_is_better=settings.greater_is_better,
        **described,
    )


_NAMES = {
    "corrected_t": "Corrected resampled t-test",
    "tukey": "Repeated-measures Tukey with corrected variance",
    "paired_t": "Naive paired t-test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "friedman": "Friedman test with Nemenyi's comparison",
}


def _choose(scores: FoldScores, reference: str | None, test: str) -> tuple[str, str]:
    """Return the test and the reason for it."""
    if scores.unit == "tasks":
        return _choose_for_tasks(scores.table, test)
    if len(scores.table) < 2:
        raise ValueError(
            f"A comparison over folds needs at least 2 folds with defined scores. Got "
            f"{len(scores.table)}. For one hold-out set give y and predictions."
        )
    if test in TASK_TESTS:
        raise ValueError(
            f"test={test!r} takes folds for independent data sets, which they are not: they share "
            "training rows. Use 'auto', 'corrected_t' or 'tukey'."
        )
    if test == "paired_t":
        warnings.warn(
            "The naive paired t-test over folds rejects equal models far too often (about 50 % at "
            "a nominal 5 %). Use test='auto'.",
            HonestevalWarning,
            stacklevel=5,
        )
    if test != "auto":
        return test, "asked for"
    shared = "fold scores share training rows, so their variance is corrected for the overlap"
    if scores.table.shape[1] == 2:
        return "corrected_t", shared
    if reference is not None:
        return "corrected_t", f"{shared}; each model is compared with {reference}"
    sphericity = greenhouse_geisser(scores.table.to_numpy())
    if sphericity < MIN_SPHERICITY:
        return "corrected_t", (
            f"{shared}; some pairs vary far more from fold to fold than others (sphericity "
            f"{sphericity:.2f} < {MIN_SPHERICITY}), so each pair has its own error"
        )
    return "tukey", (
        f"{shared}; {scores.table.shape[1]} models are compared at once with one error "
        f"(sphericity {sphericity:.2f})"
    )


def _choose_for_tasks(table: pd.DataFrame, test: str) -> tuple[str, str]:
    if test in FOLD_TESTS:
        raise ValueError(
            f"test={test!r} compares fold scores of one data set; results hold one score per task. "
            "Use 'auto', 'wilcoxon' or 'friedman'."
        )
    if len(table) < MIN_TASKS:
        raise ValueError(
            f"Only {len(table)} tasks have a score for every model; ranks over fewer than "
            f"{MIN_TASKS} cannot show a difference. Compare each task by itself."
        )
    if test != "auto":
        return test, "asked for"
    reason = f"one score for each of {len(table)} tasks, which differ in difficulty"
    if table.shape[1] == 2:
        return "wilcoxon", f"{reason}: signed ranks of the differences"
    return "friedman", f"{reason}: ranks within each task"


def _notes_on_power(scores: FoldScores) -> tuple[str, ...]:
    notes = []
    n_units, n_models = scores.table.shape
    if scores.unit == "folds" and n_units <= FEW_FOLDS:
        notes.append(
            f"{n_units} fold scores give the test little power: in simulations it found a real "
            "difference in 22 % of cases over 1 x 10 folds and in 44 % over 5 x 5"
        )
    if n_models > 2:
        notes.append(
            f"the best of {n_models} equally good models scores on average "
            f"{expected_maximum(n_models):.2f} standard errors too high, by chance alone"
        )
    return tuple(notes)


def _compare_predictions(
    predictions: Mapping[str, Any], y: Any, settings: Settings, *, metric: Any, groups: Any,
    random_state: Any,
) -> ModelComparison:  # fmt: skip
    if not isinstance(predictions, Mapping) or len(predictions) < 2:
        raise ValueError("results must map the names of at least 2 models to their predictions.")
    named = {str(name): values for name, values in predictions.items()}
    n = check_same_length(y=y, groups=groups, **named)
    rows = hold_out_rows(
        named, y, _pairs(list(named), settings.reference), settings, metric=metric,
        groups=groups, random_state=random_state,
    )  # fmt: skip
    scores = {row.a: row.score_a for row in rows} | {row.b: row.score_b for row in rows}
    drawn = "rows" if groups is None else "groups of rows"
    return _comparison(
        rows, settings, test=hold_out_test(metric, groups),
        reason=f"predictions of the same independent {drawn} of one hold-out set",
        unit="rows", n_units=n, scores=pd.DataFrame([scores])[list(named)],
        notes=("one hold-out set: the conclusion is about these fitted models",), omnibus=None,
    )  # fmt: skip


def _is_greater_better(metric: Any) -> bool:
    return bool(get_metric(metric).greater_is_better)


def _pairs(models: list[str], reference: str | None) -> Pairs:
    if reference is None:
        return list(combinations(models, 2))
    check_option(reference, "reference", models)
    return [(model, reference) for model in models if model != reference]


def _table(rows: list[PairRow], test: str, settings: Settings) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=list(PairRow._fields))
    if settings.adjust in ADJUSTMENTS:
        table["p_adjusted"] = adjust_p_values(table["p_value"], method=settings.adjust)
    conclusions = []
    for row in table.itertuples():
        better = row.a if (row.difference > 0) == settings.greater_is_better else row.b
        if row.p_equivalent >= settings.confidence_level:
            conclusions.append("equivalent")
        elif row.p_adjusted <= 1 - settings.confidence_level:
            conclusions.append(f"{better} better")
        else:
            conclusions.append("undecided")
    return table.assign(conclusion=conclusions, test=test)
