"""What random splits of the same sizes would give: the yardstick of every similarity check."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from honesteval.similarity import Similarity

__all__ = ["RandomReference", "random_reference"]

Rows = NDArray[np.intp]

#: Up to this many rows all are looked at; of more rows, this many at random stand for all.
REFERENCE_ROWS = 4000
#: Random splits that are drawn.
N_RANDOM_SPLITS = 199
#: Random splits for the sums of similarity, which cost more.
N_RANDOM_SUMS = 20
#: Random splits whose similarities are kept for the histogram.
N_KEPT_SPLITS = 5
#: Chance that none of the neighbours kept for a row is in a random training set.
_MISSED = 1e-5

_BLOCK_ELEMENTS = 2**22
#: Similarities this close to a threshold are it, in single precision.
_FLOAT32_SPACING = 2.0**-24
#: Training sides within which near duplicates are counted, of more folds.
MOST_TRAINING_SIDES = 20


@dataclass(frozen=True, eq=False)
class RandomReference:
    """Random splits of the same sizes, and the similarity of the rows at large.

    Attributes
    ----------
    n_sampled : int
        Rows looked at; all of them unless there are more than 4,000.
    mean_nearest : ndarray of shape (199,)
        Mean similarity of test rows to their nearest training row, per random split.
    share_near : ndarray of shape (199,)
        Share of test rows with a near duplicate in training, per random split.
    nearest : ndarray of shape (m,)
        Similarities to the nearest training row under some random splits, for a histogram.
    within_train : float
        Share of the training rows that have a near duplicate among the other training rows, the
        mean over training sides.
    share_pairs_near : float
        Share of all pairs of rows that are near duplicates.
    total : float
        Sum of the similarities of each sampled row to all other rows.
    leakage : float
        Scaled leakage of the split: similarity across the split over that of all pairs.
    leakage_standard_error : float
        Of the leakage, because rows were sampled; 0 when all rows were looked at.
    random_leakage : float
        Expected scaled leakage of a random split of the same sizes: the share of the pairs that
        lie across it.
    random_leakage_sd : float
        Standard deviation of it over random splits.
    """

    n_sampled: int
    mean_nearest: NDArray[np.float64] = field(repr=False)
    share_near: NDArray[np.float64] = field(repr=False)
    nearest: NDArray[np.float64] = field(repr=False)
    within_train: float
    share_pairs_near: float
    total: float
    leakage: float
    leakage_standard_error: float
    random_leakage: float
    random_leakage_sd: float


@dataclass(frozen=True, eq=False)
class _Neighbours:
    """The nearest other rows of the sampled rows, and sums over all other rows."""

    sample: Rows
    index: Rows
    similarity: NDArray[np.float64]
    n_near: NDArray[np.intp]
    sums: NDArray[np.float64]


def random_reference(
    similarity: Similarity,
    comparisons: Sequence[tuple[Rows, Rows]],
    folds: Rows | None,
    *,
    threshold: float,
    seed: int,
) -> RandomReference:
    """Compare the rows of a sample with all rows, once, and draw random splits from that.

    Parameters
    ----------
    similarity : Similarity
    comparisons : sequence of (test, train)
        The comparisons that random splits imitate.
    folds : ndarray of int of shape (n,), or None
        The folds, when the comparisons are those of a K-fold partition of all rows.
    threshold : float
    seed : int

    Returns
    -------
    reference : RandomReference
    """
    rng = np.random.default_rng(seed)
    n = similarity.n_items
    sample = np.arange(n)
    if n > REFERENCE_ROWS:
        sample = np.sort(rng.choice(n, REFERENCE_ROWS, replace=False))
    sides = [folds] if folds is not None else [_sides(pair, n) for pair in comparisons]
    drawn = [[_permuted(side, rng) for _ in range(N_RANDOM_SUMS)] for side in sides]
    smallest_share = min(len(train) for _, train in comparisons) / n
    neighbours = _compare_sample(
        similarity,
        sample,
        [labels for side, others in zip(sides, drawn, strict=True) for labels in (side, *others)],
        n_kept=_n_kept(smallest_share, n),
        threshold=threshold,
    )
    is_folds = folds is not None
    mean_nearest, share_near, nearest = _random_nearest(
        neighbours, sides, is_folds=is_folds, threshold=threshold, rng=rng
    )
    leakages = [
        _leakage(neighbours, side, position * (1 + N_RANDOM_SUMS))
        for position, side in enumerate(sides)
    ]
    random_sums = [
        _leakage(neighbours, labels, position * (1 + N_RANDOM_SUMS) + 1 + number)[0]
        for position, others in enumerate(drawn)
        for number, labels in enumerate(others)
    ]
    by_draw = np.array(random_sums).reshape(len(sides), N_RANDOM_SUMS).mean(axis=0)
    return RandomReference(
        n_sampled=len(sample),
        mean_nearest=mean_nearest,
        share_near=share_near,
        nearest=nearest,
        within_train=_within_train(neighbours, comparisons, n, threshold),
        share_pairs_near=float(neighbours.n_near.sum() / (len(sample) * max(n - 1, 1))),
        total=float(neighbours.sums[:, 0].sum()),
        leakage=float(np.mean([value for value, _ in leakages])),
        leakage_standard_error=float(np.mean([error for _, error in leakages])),
        random_leakage=float(np.mean([_cross_share(side) for side in sides])),
        random_leakage_sd=float(by_draw.std(ddof=1)),
    )


def _sides(pair: tuple[Rows, Rows], n: int) -> Rows:
    """Return 0 for test rows, 1 for training rows, -1 for rows on no side."""
    side = np.full(n, -1)
    side[pair[0]], side[pair[1]] = 0, 1
    return side


def _permuted(side: Rows, rng: np.random.Generator) -> Rows:
    """Deal the sides anew among the rows that are on one."""
    dealt = side.copy()
    on_one = side >= 0
    dealt[on_one] = rng.permutation(side[on_one])
    return dealt


def _cross_share(side: Rows) -> float:
    sizes = np.bincount(side[side >= 0]).astype(np.float64)
    n = sizes.sum()
    return float(1 - (sizes * (sizes - 1)).sum() / (n * (n - 1)))


def _n_kept(share: float, n: int) -> int:
    """Return how many neighbours to keep so that one is in training almost surely."""
    if share >= 1 - 1e-9:
        return min(n - 1, 16)
    return int(min(n - 1, max(16, np.ceil(np.log(_MISSED) / np.log1p(-share)))))


def _compare_sample(
    similarity: Similarity, sample: Rows, sides: Sequence[Rows], *, n_kept: int, threshold: float
) -> _Neighbours:
    """Compare sampled rows with all rows in blocks; sum similarities by side."""
    n = similarity.n_items
    everything = np.arange(n)
    n_sides = [int(side.max()) + 1 for side in sides]
    indicator = np.concatenate(
        [(side[:, None] == np.arange(k)) for side, k in zip(sides, n_sides, strict=True)], axis=1
    ).astype(np.float64)
    index = np.empty((len(sample), n_kept), dtype=np.intp)
    value = np.empty((len(sample), n_kept))
    n_near = np.empty(len(sample), dtype=np.intp)
    sums = np.empty((len(sample), 1 + 2 * len(sides)))
    starts = np.cumsum([0, *n_sides])
    is_sample = len(sample) < n
    dtype = np.float32 if is_sample else np.float64
    indicator = indicator.astype(dtype)

    def look(piece: slice) -> None:
        rows = sample[piece]
        block = similarity.block(rows, everything, dtype=dtype)
        line = np.arange(len(rows))
        block[line, rows] = 0
        sums[piece, 0] = block.sum(axis=1)
        by_side = block @ indicator
        for number, (side, k) in enumerate(zip(sides, n_sides, strict=True)):
            part = by_side[:, starts[number] : starts[number] + k]
            own = part[line, np.maximum(side[rows], 0)]
            on_a_side = side[rows] >= 0
            sums[piece, 1 + 2 * number] = np.where(on_a_side, part.sum(axis=1), 0)
            sums[piece, 2 + 2 * number] = np.where(on_a_side, part.sum(axis=1) - own, 0)
        np.negative(block, out=block)
        block[line, rows] = 1
        n_near[piece] = (block <= dtype(-threshold)).sum(axis=1)
        kept = np.argpartition(block, n_kept - 1, axis=1)[:, :n_kept]
        found = np.take_along_axis(block, kept, axis=1)
        order = np.lexsort((kept, found), axis=1)
        index[piece] = np.take_along_axis(kept, order, axis=1)
        value[piece] = -np.take_along_axis(found, order, axis=1)

    step = max(1, _BLOCK_ELEMENTS // n)
    pieces = [slice(start, start + step) for start in range(0, len(sample), step)]
    with ThreadPoolExecutor() as pool:
        list(pool.map(look, pieces))
    if is_sample:
        value[np.abs(value - threshold) < _FLOAT32_SPACING] = threshold
    return _Neighbours(sample, index, value, n_near, sums)


def _leakage(neighbours: _Neighbours, side: Rows, position: int) -> tuple[float, float]:
    """Return the ratio of the sum across sides to the whole sum, with its standard error.

    Sampled rows stand for the rows of their own side, so that it does not matter how many of
    each side were drawn.
    """
    whole = neighbours.sums[:, 1 + 2 * position]
    across = neighbours.sums[:, 2 + 2 * position]
    own = side[neighbours.sample]
    sizes = np.bincount(side[side >= 0]).astype(np.float64)
    sampled = np.bincount(own[own >= 0], minlength=len(sizes))
    weight = np.where(own >= 0, (sizes / np.maximum(sampled, 1))[np.maximum(own, 0)], 0.0)
    total = float((weight * whole).sum())
    if total == 0:
        return _cross_share(side), 0.0
    ratio = float((weight * across).sum()) / total
    variance = 0.0
    residual = across - ratio * whole
    for number, (size, n_sampled) in enumerate(zip(sizes, sampled, strict=True)):
        if 1 < n_sampled < size:
            spread = residual[own == number].var(ddof=1)
            variance += size * (size - n_sampled) * spread / n_sampled
    return ratio, float(np.sqrt(variance)) / total


def _random_nearest(
    neighbours: _Neighbours,
    sides: Sequence[Rows],
    *,
    is_folds: bool,
    threshold: float,
    rng: np.random.Generator,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Draw random splits; return the mean, the share near, and some of the similarities."""
    mean, share = np.empty(N_RANDOM_SPLITS), np.empty(N_RANDOM_SPLITS)
    kept: list[NDArray[np.float64]] = []
    for draw in range(N_RANDOM_SPLITS):
        values = np.concatenate(
            [_nearest_under(neighbours, _permuted(side, rng), is_folds=is_folds) for side in sides]
        )
        mean[draw] = values.mean() if len(values) else np.nan
        share[draw] = (values >= threshold).mean() if len(values) else np.nan
        if draw < N_KEPT_SPLITS:
            kept.append(values)
    return mean, share, np.concatenate(kept)


def _nearest_under(neighbours: _Neighbours, side: Rows, *, is_folds: bool) -> NDArray[np.float64]:
    """Return the similarity of sampled test rows to their nearest training row."""
    own = side[neighbours.sample]
    tested = slice(None) if is_folds else own == 0
    other = side[neighbours.index[tested]]
    in_training = other != own[:, None] if is_folds else other == 1
    first = in_training.argmax(axis=1)
    first[~in_training.any(axis=1)] = in_training.shape[1] - 1
    similarity = neighbours.similarity[tested]
    return np.asarray(similarity[np.arange(len(first)), first])


def _within_train(
    neighbours: _Neighbours, comparisons: Sequence[tuple[Rows, Rows]], n: int, threshold: float
) -> float:
    """Return the mean over training sides; of very many, over some of them."""
    shares = []
    for _, train in comparisons[:: -(-len(comparisons) // MOST_TRAINING_SIDES)]:
        in_train = np.zeros(n, dtype=bool)
        in_train[train] = True
        rows = in_train[neighbours.sample]
        if rows.any():
            near = in_train[neighbours.index[rows]] & (neighbours.similarity[rows] >= threshold)
            shares.append(float(near.any(axis=1).mean()))
    return float(np.mean(shares)) if shares else float("nan")
