"""Problems too large for a matrix: a sample is solved, extended, and ascended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from honesteval.partition._assignment import assign
from honesteval.partition._leakage import (
    Leakage,
    leakage_from_sums,
    measure_leakage,
)
from honesteval.partition._objective import dense_objective
from honesteval.partition._oversize import LINK_BONUS
from honesteval.partition._prices import FoldPrices
from honesteval.partition._problem import PartitionProblem
from honesteval.partition._search import Draw, Effort, sample_problem, search
from honesteval.similarity import MinHashSketch, Similarity

__all__ = ["EXACT_SAMPLES", "LargeResult", "search_large"]

#: Items of the sample that is solved with a dense matrix.
DENSE_SAMPLE = 6_000
#: Up to this many samples the ascent ends with exact similarities and L is exact.
EXACT_SAMPLES = 150_000
#: Hashes of a sketch.
N_HASHES = 128
#: Linearised steps on sketches, and exact ones, at the most.
SKETCHED_ASCENTS = 8
EXACT_ASCENTS = 6
#: An ascent on a sketch that gains relatively less than this is the last.
SMALLEST_ASCENT = 1e-6


@dataclass(frozen=True)
class LargeResult:
    """An assignment of the items of a large problem.

    Attributes
    ----------
    labels : ndarray of int of shape (n_items,)
    leakage : Leakage
    leakage_error : float or None
        Standard error of the scaled L where it is estimated, else None.
    """

    labels: NDArray[np.intp]
    leakage: Leakage
    leakage_error: float | None


def search_large(
    similarity: Similarity,
    problem: PartitionProblem,
    by_item: NDArray[np.intp],
    rng: np.random.Generator,
    effort: Effort,
    draw: Draw,
    *,
    n_jobs: int | None = None,
    links: sparse.csr_array | None = None,
) -> LargeResult:
    """Search without a matrix of all items.

    A random sample of the items is solved with its dense matrix; every other item then goes by
    its similarity to the sample (the linearised programme). From there the assignment ascends on
    sketches, in time linear in n, and up to ``EXACT_SAMPLES`` samples on exact similarities, of
    which only those to items that changed fold are computed again.

    Parameters
    ----------
    similarity : Similarity
    problem : PartitionProblem
    by_item : ndarray of int of shape (n_samples,)
        Samples in the order of their items.
    rng : numpy.random.Generator
    effort : Effort
    draw : callable
        What ``feasible_labels`` returned for the problem.
    n_jobs : int, optional
        As in joblib, for the sketches.
    links : sparse array of shape (n_items, n_items), optional
        Weight of pairs that should not be cut, in the unit of the problem.

    Returns
    -------
    result : LargeResult
    """
    seeds = [int(seed) for seed in rng.integers(2**31, size=2)]
    labels = _extend(similarity, problem, by_item, rng, effort, draw, links)
    sketch = similarity.sketch(N_HASHES, seeds[0], n_jobs=n_jobs)
    if sketch is not None:
        labels = _ascend_on_sketch(sketch, problem, labels, n_jobs, links)
    if problem.n_samples <= EXACT_SAMPLES or sketch is None:
        labels, sums = _ascend_exactly(similarity, problem, labels, links)
        leakage = measure_leakage(
            similarity, labels[problem.item_of], sums=sums, sample_weight=problem.sample_weight
        )
        return LargeResult(labels, leakage, None)
    # a sketch that the search has not seen, so that the estimate is not flattered by it
    fresh = similarity.sketch(N_HASHES, seeds[1], n_jobs=n_jobs)
    leakage, error = _estimate(fresh, problem, labels, n_jobs)
    return LargeResult(labels, leakage, error)


def _extend(
    similarity: Similarity,
    problem: PartitionProblem,
    by_item: NDArray[np.intp],
    rng: np.random.Generator,
    effort: Effort,
    draw: Draw,
    links: sparse.csr_array | None,
) -> NDArray[np.intp]:
    chosen = np.sort(rng.permutation(problem.n_items)[:DENSE_SAMPLE])
    part = sample_problem(problem, chosen)
    place = np.full(problem.n_items, -1, dtype=np.intp)
    place[chosen] = np.arange(len(chosen))
    item_of = place[problem.item_of[by_item]]
    members, item_of = by_item[item_of >= 0], item_of[item_of >= 0]
    weight = problem.sample_weight[members]
    objective = dense_objective(
        similarity, members, item_of, len(chosen), weight=weight / problem.unit
    ).values
    if links is not None:
        objective += (LINK_BONUS * links[chosen][:, chosen]).toarray().astype(np.float32)
    try:
        found = search(objective, part, rng, effort)
    except ValueError:  # the sample cannot be split in proportion: any start will do
        return draw(rng)
    one_hot = np.eye(problem.n_folds)[found.labels[item_of]] * weight[:, None]
    sums = similarity.fold_sums(one_hot, columns=members)
    scale = problem.sample_weight.sum() / weight.sum()
    gains = _per_item(sums * scale, problem)
    if links is not None:
        bonus = LINK_BONUS * problem.unit**2
        gains += bonus * (links[:, chosen] @ np.eye(problem.n_folds)[found.labels])
    labels = assign(gains, problem)
    return draw(rng) if labels is None else labels


def _per_item(sums: NDArray[np.float64], problem: PartitionProblem) -> NDArray[np.float64]:
    """Add the samples' similarities up to those of their items."""
    sums = sums * problem.sample_weight[:, None]
    if problem.n_items == problem.n_samples:
        gains = np.empty_like(sums)
        gains[problem.item_of] = sums
        return gains
    return np.stack(
        [np.bincount(problem.item_of, column, problem.n_items) for column in sums.T], axis=1
    )


def _indicator(labels: NDArray[np.intp], problem: PartitionProblem) -> NDArray[np.float64]:
    one_hot = np.eye(problem.n_folds)[labels[problem.item_of]]
    return np.asarray(one_hot * problem.sample_weight[:, None])


def _linked(
    links: sparse.csr_array | None, labels: NDArray[np.intp], problem: PartitionProblem
) -> Any:
    """Return what the links add to the gains."""
    if links is None:
        return 0.0
    return LINK_BONUS * problem.unit**2 * (links @ np.eye(problem.n_folds)[labels])


def _kept(gains: NDArray[np.float64], labels: NDArray[np.intp]) -> float:
    return float(gains[np.arange(len(labels)), labels].sum())


def _ascend_on_sketch(
    sketch: MinHashSketch,
    problem: PartitionProblem,
    labels: NDArray[np.intp],
    n_jobs: int | None,
    links: sparse.csr_array | None,
) -> NDArray[np.intp]:
    best, best_kept = labels, -np.inf
    prices: FoldPrices | None = None
    for _ in range(SKETCHED_ASCENTS + 1):
        one_hot = _indicator(labels, problem)
        gains = _per_item(sketch.fold_sums(one_hot, n_jobs=n_jobs), problem)
        gains += _linked(links, labels, problem)
        kept = _kept(gains, labels)
        if kept <= best_kept * (1 + SMALLEST_ASCENT):
            break
        best, best_kept = labels, kept
        prices = prices or _first_prices(gains, problem)
        better = assign(gains, problem, prices)
        if better is None:
            break
        labels = better
    return best


def _first_prices(gains: NDArray[np.float64], problem: PartitionProblem) -> FoldPrices:
    prices = FoldPrices(problem)
    prices.start_from(gains)
    spread = float(gains.std())
    prices.cool_down(gains, spread, 0.01 * spread)
    return prices


def _ascend_exactly(
    similarity: Similarity,
    problem: PartitionProblem,
    labels: NDArray[np.intp],
    links: sparse.csr_array | None,
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Ascend on exact similarities; return labels and the samples' sums to their folds."""
    eye = np.eye(problem.n_folds)
    sums = similarity.fold_sums(_indicator(labels, problem))
    prices: FoldPrices | None = None
    for _ in range(EXACT_ASCENTS):
        gains = _per_item(sums, problem) + _linked(links, labels, problem)
        prices = prices or _first_prices(gains, problem)
        better = assign(gains, problem, prices)
        if better is None:
            break
        moved = np.flatnonzero((better != labels)[problem.item_of])
        if len(moved) == 0:
            break
        items = problem.item_of[moved]
        change = (eye[better[items]] - eye[labels[items]]) * problem.sample_weight[moved, None]
        new_sums = sums + similarity.fold_sums(change, columns=moved)
        new_gains = _per_item(new_sums, problem) + _linked(links, better, problem)
        if _kept(new_gains, better) <= _kept(gains, labels):
            break
        labels, sums = better, new_sums
    return labels, sums


def _estimate(
    sketch: MinHashSketch,
    problem: PartitionProblem,
    labels: NDArray[np.intp],
    n_jobs: int | None,
) -> tuple[Leakage, float]:
    """Estimate L and the standard error of its scaled form (ratio of means over hashes)."""
    per_sample = labels[problem.item_of]
    total, within = sketch.pair_sums(_indicator(labels, problem), n_jobs=n_jobs)
    leakage = leakage_from_sums(
        per_sample, float((total - within).mean()), float(total.mean()), problem.sample_weight
    )
    residual = (total - within) - leakage.scaled * total
    error = float(residual.std(ddof=1) / np.sqrt(len(total)) / total.mean())
    return leakage, error
