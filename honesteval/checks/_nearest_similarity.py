"""How similar test rows are to their nearest training row, against random splits."""

from __future__ import annotations

import numpy as np
import pandas as pd

from honesteval.checks._data import AuditData, pooled
from honesteval.checks._finding import CheckInfo, Finding

__all__ = ["check_nearest_similarity", "nearest_table"]

#: A mean similarity within this many standard deviations of random splits counts as random.
RANDOM_STANDARD_DEVIATIONS = 3.0
#: Smaller differences from random do not matter, however sure they are.
SMALL_DIFFERENCE = 0.01

INFO = CheckInfo(
    code="HE112",
    name="nearest-neighbour-similarity",
    title="Similarity of test rows to their nearest training row",
    why=(
        "Models do well near their training rows. The score of a split holds for new data that "
        "is as close to the training set as the test set is."
    ),
    advice=(
        "Compare with the similarity of the data the model will meet. If that is farther away, "
        "split by similarity (SimilarityGroupKFold)."
    ),
)


def check_nearest_similarity(data: AuditData) -> Finding:
    """Compare the mean nearest-neighbour similarity with that of random splits."""
    if data.similarity is None:
        return INFO.not_applicable(data.no_similarity)
    values = np.concatenate([data.nearest[c.name].similarity for c in data.final])
    reference = data.reference
    mean, random = float(values.mean()), float(np.nanmean(reference.mean_nearest))
    deviation = float(np.nanstd(reference.mean_nearest, ddof=1))
    margin = max(RANDOM_STANDARD_DEVIATIONS * deviation, SMALL_DIFFERENCE)
    measured = {
        "mean": mean,
        "median": float(np.median(values)),
        "quantile_90": float(np.quantile(values, 0.9)),
        "highest": float(values.max()),
        "mean_of_random_splits": random,
        "sd_of_random_splits": deviation,
        "n_rows_sampled": reference.n_sampled,
    }
    text = (
        f"Mean similarity {mean:.3f}, highest {values.max():.3f}; random splits give {random:.3f}"
    )
    if mean > random + margin:
        return INFO.found(
            "warning", f"{text}: this split is closer than random.", measured=measured
        )
    if mean >= random - margin:
        return INFO.found(
            "info", f"{text}: this split separates no more than a random one.", measured=measured
        )
    return INFO.passed(f"{text}.", measured=measured)


def nearest_table(data: AuditData) -> pd.DataFrame:
    """Return one line per test row of each comparison: its nearest training row."""
    if data.similarity is None:
        return pd.DataFrame(columns=["split", "test_row", "train_row", "similarity"])
    return pooled(
        [
            data.pairs(
                comparison,
                comparison.test,
                data.nearest[comparison.name].train_row,
                similarity=data.nearest[comparison.name].similarity,
            )
            for comparison in data.comparisons
        ]
    )
