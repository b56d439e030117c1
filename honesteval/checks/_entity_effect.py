"""Whether the labels of all rows go with an entity, or with how often it occurs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

__all__ = ["EntityEffect", "effect_of_degrees", "effect_of_entities"]

#: Permutations from which mean and variance of the statistic are taken.
N_PERMUTATIONS = 199
#: Rows that are looked at, drawn at random from more.
MOST_ROWS = 100_000

Codes = NDArray[np.intp]


@dataclass(frozen=True)
class EntityEffect:
    """What an entity explains of the labels of all rows.

    Attributes
    ----------
    explained : float
        Share of the variance of the labels, without what chance explains; can be negative.
    p_value : float
        Of an explained share as large in labels that have nothing to do with the entities.
    """

    explained: float
    p_value: float


NO_EFFECT = EntityEffect(0.0, 1.0)


def effect_of_entities(codes: Codes, y: NDArray[np.float64], seed: int) -> EntityEffect:
    """Compare the variance between entities with that of permuted labels.

    The tail beyond the permutations is that of the scaled chi-square distribution with their mean
    and variance.
    """
    rng = np.random.default_rng(seed)
    rows = np.flatnonzero(codes >= 0)
    if len(rows) > MOST_ROWS:
        rows = rng.choice(rows, MOST_ROWS, replace=False)
    if len(rows) == 0:
        return NO_EFFECT
    entity, centred = np.unique(codes[rows], return_inverse=True)[1], y[rows] - y[rows].mean()
    count, total = np.bincount(entity), float(centred @ centred)

    def between(values: NDArray[np.float64]) -> float:
        return float((np.bincount(entity, weights=values) ** 2 / count).sum())

    drawn = np.array([between(rng.permutation(centred)) for _ in range(N_PERMUTATIONS)])
    mean, variance = float(drawn.mean()), float(drawn.var(ddof=1))
    if variance <= (1e-9 * total) ** 2:  # every entity once, or one entity, or one label
        return NO_EFFECT
    observed = between(centred)
    scale, freedom = variance / (2 * mean), 2 * mean**2 / variance
    return EntityEffect(
        (observed - mean) / (total - mean), float(stats.chi2.sf(observed / scale, freedom))
    )


def effect_of_degrees(codes: Codes, y: NDArray[np.float64]) -> EntityEffect:
    """Correlate the labels with the number of other rows of the same entity, by ranks."""
    rows = np.flatnonzero(codes >= 0)
    entity = np.unique(codes[rows], return_inverse=True)[1]
    degree = np.bincount(entity, minlength=1)[entity]
    if len(rows) == 0 or np.ptp(degree) == 0 or np.ptp(y[rows]) == 0:
        return NO_EFFECT
    found = stats.spearmanr(degree, y[rows])
    return EntityEffect(float(found.statistic) ** 2, float(found.pvalue))
