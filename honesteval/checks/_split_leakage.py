"""The sum of similarity across the split, beside that of random splits of the same sizes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from honesteval.checks._data import AuditData
from honesteval.checks._finding import CheckInfo, Finding
from honesteval.partition import LeakageBound, leakage_bound, scaled_leakage

__all__ = ["LeakageOfSplit", "check_split_leakage", "leakage_of_split"]

#: Up to this many rows the sums run over all pairs; above, over the pairs of sampled rows.
EXACT_ROWS = 20_000
#: Rows whose bound is computed, from the matrix of their similarities; of more, samples.
BOUND_ROWS = 3000
#: Within this many standard deviations of random splits counts as random.
RANDOM_STANDARD_DEVIATIONS = 3.0
#: Smaller relative differences from random do not matter, however sure they are.
SMALL_DIFFERENCE = 0.005

INFO = CheckInfo(
    code="HE113",
    name="split-leakage",
    title="Similarity that crosses the split",
    why=(
        "Scaled leakage L is the share of all similarity that lies between test and training "
        "rows. A split that ignores similarity has L equal to the share of the pairs across it."
    ),
    advice="Minimise it under the sizes you need: SimilarityGroupKFold.",
)


@dataclass(frozen=True)
class LeakageOfSplit:
    """Scaled leakage of a split beside random splits of the same sizes.

    Attributes
    ----------
    scaled : float
        Similarity across the split over the similarity of all pairs (each pair once, without
        the diagonal), in [0, 1].
    standard_error : float
        0 when all pairs were summed (up to 20,000 rows).
    random : float
        Expected value for a random split of the same sizes: the share of pairs across.
    random_sd : float
        Standard deviation over random splits.
    bound : float or None
        No split of the same sizes has a smaller scaled leakage (eigenvalue bound); None where the
        comparisons are no partition.
    bound_standard_error : float
        0 up to 3,000 rows; above, the bound is a mean over samples of rows
        (:func:`honesteval.partition.leakage_bound`).
    """

    scaled: float
    standard_error: float
    random: float
    random_sd: float
    bound: float | None = None
    bound_standard_error: float = 0.0

    @property
    def efficiency(self) -> float | None:
        """Share of the possible way from random to the bound, ``(random - L) / (random - bound)``.

        1 is proven best; negative for splits that leak more than random ones.
        """
        if self.bound is None or self.random <= self.bound:
            return None
        return (self.random - self.scaled) / (self.random - self.bound)

    @property
    def relative(self) -> float:
        """``scaled / random``: 1 for a split that ignores similarity."""
        return self.scaled / self.random


def leakage_of_split(data: AuditData) -> LeakageOfSplit | None:
    """Measure the scaled leakage; None without a similarity."""
    if data.similarity is None:
        return None
    reference = data.reference
    scaled, error = reference.leakage, reference.leakage_standard_error
    if error > 0 and data.n_rows <= EXACT_ROWS:
        scaled, error = _exact(data), 0.0
    bound = _bound(data)
    return LeakageOfSplit(
        scaled,
        error,
        reference.random_leakage,
        reference.random_leakage_sd,
        None if bound is None else bound.scaled,
        0.0 if bound is None else bound.standard_error,
    )


def _bound(data: AuditData) -> LeakageBound | None:
    """Return what no split of the same sizes can go below; None for what is no partition."""
    assert data.similarity is not None
    if data.split.kind == "folds" and data.part is not None and len(data.final) > 1:
        rows, sizes = np.arange(data.n_rows), np.bincount(data.part)
    elif len(data.final) == 1:
        (comparison,) = data.final
        rows, sizes = comparison.rows, np.array([len(comparison.test), len(comparison.train)])
    else:
        return None
    part = data.similarity if len(rows) == data.n_rows else data.similarity.take(rows)
    return leakage_bound(part, sizes[sizes > 0], max_rows=BOUND_ROWS, random_state=data.seed)


def _exact(data: AuditData) -> float:
    """Sum over all pairs: once for folds, else the mean over the final comparisons."""
    assert data.similarity is not None
    if data.split.kind == "folds" and data.part is not None:
        return scaled_leakage(data.similarity, data.part)
    values = []
    for comparison in data.final:
        rows = comparison.rows
        part = data.similarity if len(rows) == data.n_rows else data.similarity.take(rows)
        values.append(scaled_leakage(part, np.isin(rows, comparison.test)))
    return float(np.mean(values))


def check_split_leakage(data: AuditData) -> Finding:
    """Compare the scaled leakage with random splits of the same sizes."""
    leakage = data.once(leakage_of_split)
    if leakage is None:
        return INFO.not_applicable(data.no_similarity)
    measured = {
        "scaled": leakage.scaled,
        "standard_error": leakage.standard_error,
        "random": leakage.random,
        "random_sd": leakage.random_sd,
        "relative": leakage.relative,
        "bound": leakage.bound,
        "bound_standard_error": leakage.bound_standard_error,
        "efficiency": leakage.efficiency,
    }
    estimated = f" +- {leakage.standard_error:.4f} (estimated)" if leakage.standard_error else ""
    text = (
        f"Scaled L {leakage.scaled:.4f}{estimated}; random splits of these sizes "
        f"{leakage.random:.4f}; relative {leakage.relative:.3f}"
    )
    if leakage.bound is not None:
        text += f"; no split of these sizes has less than {leakage.bound:.4f}"
        if leakage.bound_standard_error:
            text += f" +- {leakage.bound_standard_error:.4f} (estimated)"
    noise = np.hypot(RANDOM_STANDARD_DEVIATIONS * leakage.random_sd, 3 * leakage.standard_error)
    margin = max(float(noise), SMALL_DIFFERENCE * leakage.random)
    if leakage.scaled > leakage.random + margin:
        return INFO.found("warning", f"{text}: more than random.", measured=measured)
    if leakage.scaled >= leakage.random - margin:
        return INFO.found("info", f"{text}: as much as random.", measured=measured)
    return INFO.passed(f"{text}.", measured=measured)
