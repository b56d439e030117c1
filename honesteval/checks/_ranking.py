"""Whether models rank otherwise on the test rows without a near duplicate."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from honesteval.checks._data import AuditData
from honesteval.checks._finding import CheckInfo, Finding
from honesteval.checks._memorized import FEWEST_ROWS, pooled_nearest, predictions_of_rows
from honesteval.checks._model_scores import DEFAULT_METRICS
from honesteval.stats import bootstrap_difference, get_metric

__all__ = ["check_ranking"]

N_RESAMPLES = 999

INFO = CheckInfo(
    code="HE123",
    name="ranking-of-models",
    title="Order of the models on the clean rows",
    why=(
        "Near duplicates reward the model that remembers best. Where the order of two models "
        "turns round on the rows without one, the split chooses the wrong model."
    ),
    advice="Choose between models by their scores on the clean rows, or on a similarity split.",
)


def check_ranking(data: AuditData) -> Finding:
    """Compare the differences of every two predictors on all test rows and on the clean ones.

    The nearest neighbour is one of the predictors.
    """
    if data.similarity is None:
        return INFO.not_applicable(data.no_similarity)
    if not data.predictions or len(data.labels) != 1:
        return INFO.not_applicable("No model or predictions were given.")
    table = _differences(data)
    if isinstance(table, str):
        return INFO.skipped(table)
    turned = table[table["turns_round"]]
    first = (turned if len(turned) else table).iloc[0]
    measured: dict[str, Any] = {
        "n_predictors": len(data.predictions) + 1,
        "n_turned_round": len(turned),
        "n_surely_turned_round": int(turned["is_sure"].sum()),
        **{str(key): value for key, value in first.items()},
    }
    text = (
        f"{first['a']} minus {first['b']}: {first['metric']} {first['all']:+.3f} "
        f"[{first['all_low']:+.3f}, {first['all_high']:+.3f}] on all test rows, "
        f"{first['clean']:+.3f} [{first['clean_low']:+.3f}, {first['clean_high']:+.3f}] on the "
        f"{first['n_clean']:,} clean ones."
    )
    if len(turned) == 0:
        return INFO.passed(f"No two predictors change places. {text}", measured=measured)
    sure = bool(turned["is_sure"].any())
    what = "change places" if sure else "change places, within what chance explains"
    return INFO.found(
        "warning" if sure else "info",
        f"{len(turned)} of {len(table)} pairs of predictors {what}. {text}",
        measured=measured,
        evidence=turned,
    )


def _differences(data: AuditData) -> pd.DataFrame | str:
    """Return one line per pair of predictors, those that turn round surely first."""
    labels = data.labels[0]
    nearest = pooled_nearest(data, labels)
    if nearest is None:
        return "No test row has a label."
    metric = get_metric(DEFAULT_METRICS[labels.kind])
    rows = nearest.rows
    predictions: dict[str, NDArray[np.float64]] = {
        "nearest neighbour": nearest.prediction(metric.prediction == "classes"),
        **predictions_of_rows(data, nearest),
    }
    known = ~np.any([np.isnan(values) for values in predictions.values()], axis=0)
    clean = known & (nearest.similarity < data.threshold)
    if min(clean.sum(), (known & ~clean).sum()) < FEWEST_ROWS:
        return (
            f"{int(clean.sum()):,} clean rows and {int((known & ~clean).sum()):,} near duplicates: "
            "too few to compare models on."
        )
    y = labels.values[rows]
    guess = predictions["nearest neighbour"]
    if any(np.isnan(metric(y[where], guess[where])) for where in (known, clean)):
        return "The clean rows have one label only, on which no model can be better."
    pairs = list(combinations(predictions, 2))
    lines = []
    for a, b in pairs:
        line: dict[str, Any] = {"a": a, "b": b, "metric": metric.name, "n_clean": int(clean.sum())}
        for part, where in (("all", known), ("clean", clean)):
            found = bootstrap_difference(
                y[where], predictions[a][where], predictions[b][where], metric=metric,
                groups=rows[where] if len(np.unique(rows)) < len(rows) else None,
                n_resamples=N_RESAMPLES, random_state=data.seed,
                confidence_level=1 - 0.05 / (2 * len(pairs)),
            )  # fmt: skip
            line |= {part: found.estimate, f"{part}_low": found.low, f"{part}_high": found.high}
        lines.append(line)
    table = pd.DataFrame(lines)
    table["turns_round"] = table["all"] * table["clean"] < 0
    sure = {part: table[f"{part}_low"] * table[f"{part}_high"] > 0 for part in ("all", "clean")}
    table["is_sure"] = table["turns_round"] & sure["clean"]
    return table.sort_values(["is_sure", "turns_round"], ascending=False, kind="stable")
