"""How much of the score of this split a lookup of the nearest training row explains."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from honesteval.checks._data import AuditData
from honesteval.checks._finding import CheckInfo, Finding
from honesteval.checks._labels import LabelColumn
from honesteval.checks._memorization import MemorizationResult, compare_parts
from honesteval.checks._model_scores import DEFAULT_METRICS
from honesteval.checks._nearest_label import NearestLabel, nearest_labels
from honesteval.stats import get_metric
from honesteval.stats._fold_means import ranks_within_folds

__all__ = [
    "check_beats_nearest",
    "check_memorization",
    "memorization_of_split",
    "pooled_nearest",
    "predictions_of_rows",
]

#: Error on the clean rows over error on all from which on it is grave.
GRAVE_INFLATION = 1.2
#: Smaller inflations do not matter, however sure they are.
SMALL_INFLATION = 1.02
#: Fewer clean or near rows than this say nothing about an inflation.
FEWEST_ROWS = 10
N_RESAMPLES = 999

INFLATION = CheckInfo(
    code="HE121",
    name="memorisation",
    title="Score explained by near duplicates",
    why=(
        "The label of the nearest training row is a prediction without any model. Where its "
        "error is larger on the test rows without a near duplicate, the split rewards memory, "
        "and every model's score on it is inflated."
    ),
    advice="Report scores on the clean rows, or split by similarity (SimilarityGroupKFold).",
)

BEATS = CheckInfo(
    code="HE122",
    name="beats-nearest-neighbour",
    title="Model against nearest neighbour on the clean rows",
    why="A model that does not beat a lookup on rows without near duplicates has learned little.",
    advice="Report the nearest neighbour beside the model, and look for what the model has to add.",
    concerns="reliability",
)


def memorization_of_split(data: AuditData) -> dict[str, MemorizationResult]:
    """Score the nearest neighbour (and predictions, if any) on every label column.

    Test rows of all final comparisons are pooled. Columns with too few rows are left out. With
    several columns the intervals are widened (Bonferroni), so that any one may be pointed at.
    """
    if data.similarity is None:
        return {}
    usable = {}
    for labels in data.labels:
        nearest = pooled_nearest(data, labels)
        if nearest is not None and len(np.unique(labels.values[nearest.rows])) > 1:
            usable[str(labels.name)] = (labels, nearest)
    with warnings.catch_warnings():  # what is undefined is said by the findings
        warnings.filterwarnings("ignore", "Degrees of freedom", RuntimeWarning)
        return _compared(data, usable)


def _compared(
    data: AuditData, usable: dict[str, tuple[LabelColumn, NearestLabel]]
) -> dict[str, MemorizationResult]:
    assert data.similarity is not None
    return {
        name: compare_parts(
            nearest,
            labels,
            _complete_predictions(data, nearest),
            metric="auto",
            similarity=data.similarity,
            n_train=max(int(labels.measured[c.train].sum()) for c in data.final),
            n_unlabelled=int((~labels.measured).sum()),
            threshold=data.threshold,
            n_resamples=N_RESAMPLES,
            confidence_level=1 - 0.05 / len(usable),
            random_state=data.seed,
        )
        for name, (labels, nearest) in usable.items()
    }


def pooled_nearest(data: AuditData, labels: LabelColumn) -> NearestLabel | None:
    assert data.similarity is not None
    measured = labels.measured
    parts = []
    for comparison in data.final:
        train = comparison.train[measured[comparison.train]]
        test = comparison.test[measured[comparison.test]]
        if len(train) and len(test):
            parts.append(nearest_labels(data.similarity, labels, train, test))
    if not parts:
        return None
    return NearestLabel(
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.similarity for part in parts]),
        np.concatenate([part.n_tied for part in parts]),
        np.concatenate([part.values for part in parts]),
        np.repeat(np.arange(len(parts)), [len(part.rows) for part in parts]),
    )


def predictions_of_rows(data: AuditData, nearest: NearestLabel) -> dict[str, NDArray[np.float64]]:
    """Return what each model predicts for the test rows, in a form that is scored together.

    Rankings of several folds come from models that need not share a scale: each is replaced by
    the ranks within its fold.
    """
    found = {name: values[nearest.rows] for name, values in data.predictions.items()}
    fold = nearest.fold
    metric = get_metric(DEFAULT_METRICS[data.labels[0].kind])
    if fold is None or metric.prediction != "ranking" or fold.max(initial=0) == 0:
        return found
    return {
        name: np.where(np.isnan(values), np.nan, ranks_within_folds(values, fold))
        for name, values in found.items()
    }


def _complete_predictions(data: AuditData, nearest: NearestLabel) -> dict[str, NDArray[np.float64]]:
    """Return the predictions without a gap; only where there is one label column."""
    if len(data.labels) != 1:
        return {}
    return {
        name: values
        for name, values in predictions_of_rows(data, nearest).items()
        if not np.isnan(values).any()
    }


def check_memorization(data: AuditData) -> Finding:
    """Judge the inflation of the nearest neighbour's error on the clean rows."""
    results = data.once(memorization_of_split)
    reason = _why_not(data, results)
    if reason:
        return INFLATION.not_applicable(reason)
    table = pd.concat(
        [result.to_frame().head(1).assign(label=name, n_near=result.n_near)
         for name, result in results.items()]
    )  # fmt: skip
    enough = (table["n_clean"] >= FEWEST_ROWS) & (table["n_near"] >= FEWEST_ROWS)
    judged = table[enough & np.isfinite(table["inflation_low"])]
    n_near = int(table["n_near"].sum())
    if len(judged) == 0:
        text = f"{n_near} of {int(table['n_all'].sum())} labelled test rows have a near duplicate"
        if n_near < FEWEST_ROWS:
            return INFLATION.passed(f"{text}: too few to inflate a score.")
        return INFLATION.skipped(f"{text}; on the other rows the score is undefined.")
    judged = judged.sort_values("inflation", ascending=False, kind="stable")
    worst = judged.iloc[0]
    inflated = judged[(judged["inflation_low"] > 1) & (judged["inflation"] >= SMALL_INFLATION)]
    measured = {
        "metric": worst["metric"],
        "nearest_all": worst["all"],
        "nearest_clean": worst["clean"],
        "inflation": worst["inflation"],
        "inflation_low": worst["inflation_low"],
        "inflation_high": worst["inflation_high"],
        "n_all": worst["n_all"],
        "n_clean": worst["n_clean"],
        "n_labels": len(judged),
        "n_inflated": len(inflated),
    }
    of_label = f" ({worst['label']}, the worst of {len(judged)})" if len(judged) > 1 else ""
    text = (
        f"Nearest neighbour{of_label}: {worst['metric']} {worst['all']:.3f} on all "
        f"{worst['n_all']:,} test rows, {worst['clean']:.3f} on the {worst['n_clean']:,} clean "
        f"ones; error x{worst['inflation']:.2f} [{worst['inflation_low']:.2f}, "
        f"{worst['inflation_high']:.2f}]."
    )
    if len(inflated) == 0:
        return INFLATION.passed(text, measured=measured)
    grave = (inflated["inflation"] >= GRAVE_INFLATION).any()
    columns = ["label", "metric", "all", "clean", "inflation", "inflation_low", "inflation_high"]
    return INFLATION.found(
        "error" if grave else "warning", text, measured=measured, evidence=inflated[columns]
    )


def check_beats_nearest(data: AuditData) -> Finding:
    """Judge the model against the nearest neighbour on the clean rows."""
    results = data.once(memorization_of_split)
    reason = _why_not(data, results)
    if reason:
        return BEATS.not_applicable(reason)
    if not data.predictions:
        return BEATS.not_applicable("No model or predictions were given.")
    table = _against_nearest(results)
    if len(table) == 0:
        return BEATS.skipped("The clean rows have no defined score, or no predictions.")
    first = table.iloc[0]
    text = (
        f"{first['model']}: {first['metric']} {first['score']:.3f} on the clean rows, nearest "
        f"neighbour {first['nearest']:.3f} (nearest minus model {first['difference']:+.3f} "
        f"[{first['low']:+.3f}, {first['high']:+.3f}])."
    )
    measured = {str(key): value for key, value in first.items()}
    if table["better"].all():
        return BEATS.passed(text, measured=measured)
    return BEATS.found("warning", text, measured=measured, evidence=table)


def _against_nearest(results: dict[str, MemorizationResult]) -> pd.DataFrame:
    """Return one line per label column and model, scored on the clean rows."""
    return pd.DataFrame(
        [
            {
                "label": label,
                "model": name,
                "metric": result.metric,
                "nearest": difference.estimate_a,
                "score": difference.estimate_b,
                "difference": difference.estimate,
                "low": difference.low,
                "high": difference.high,
                "better": difference.high < 0 if result.greater_is_better else difference.low > 0,
            }
            for label, result in results.items()
            for name, difference in result.differences.items()
        ]
    )


def _why_not(data: AuditData, results: dict[str, MemorizationResult]) -> str:
    if data.similarity is None:
        return data.no_similarity
    if not data.labels:
        return "There are no labels."
    if not results:
        return "No label column has labelled training and test rows of two values."
    return ""
