"""Whether test and training rows are draws from one distribution."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from honesteval.checks._data import AuditData
from honesteval.checks._evidence_words import p_in_words
from honesteval.checks._finding import CheckInfo, Finding
from honesteval.checks._labels import LabelColumn
from honesteval.checks._split_rows import Comparison
from honesteval.similarity import Similarity

__all__ = ["ave_bias", "check_ave_bias", "check_covariate_shift", "nearest_others"]

#: Nearest other rows whose side is looked at.
N_NEIGHBORS = 10
#: Random assignments of the sides.
N_PERMUTATIONS = 499
#: Rows whose neighbours are looked at.
MOST_ROWS = 2000
#: A shift is reported below this p-value and above this size.
SHIFT_P_VALUE = 0.01
SHIFT_SIZE = 0.05
#: AVE bias from which on nearest neighbours give the classes away, and how much more than random.
AVE_BIASED = 0.1
AVE_STANDARD_DEVIATIONS = 3.0
N_RANDOM_SPLITS = 10
MOST_AVE_ROWS = 6000
MOST_AVE_LABELS = 5
FEWEST_PER_CLASS = 5

Rows = NDArray[np.intp]

SHIFT = CheckInfo(
    code="HE601",
    name="covariate-shift",
    title="Test rows drawn from elsewhere than training rows",
    why=(
        "Where neighbours lie on the same side more often than by chance, test and training rows "
        "are not draws from one distribution: the score is of extrapolation (which may be meant)."
    ),
    advice="Say what the test set stands for; compare with the data the model will meet.",
    concerns="reliability",
)

AVE = CheckInfo(
    code="HE602",
    name="ave-bias",
    title="Classes that cluster across the split (AVE bias)",
    why=(
        "Positive AVE bias means that test actives are near training actives and test inactives "
        "near training inactives: a nearest neighbour ranks them without learning."
    ),
    advice="Compare with the nearest neighbour's score; draw decoys that resemble the actives.",
)


def check_covariate_shift(data: AuditData) -> Finding:
    """Test whether similar rows share a side more often than when sides are dealt at random.

    Two statistics, each with half of the error: the share of the ten nearest rows on the row's
    own side (Schilling 1986) sees many small islands, the similarity within the sides less that
    across (maximum mean discrepancy with the similarity as kernel, Gretton et al. 2012) sees a
    drift of the whole. With groups, whole groups are dealt.
    """
    if data.similarity is None:
        return SHIFT.not_applicable(data.no_similarity)
    lines = [_shift_test(data, comparison) for comparison in data.final]
    table = pd.DataFrame(lines)
    n_tests = 2 * len(table)
    for name in ("p_neighbors", "p_kernel"):
        table[name] = np.minimum(table[name] * n_tests, 1.0)
    table = table.sort_values("size", ascending=False, kind="stable")
    by_neighbors = (table["p_neighbors"] <= SHIFT_P_VALUE) & (table["size"] >= SHIFT_SIZE)
    shifted = table[by_neighbors | (table["p_kernel"] <= SHIFT_P_VALUE)]
    worst = (shifted if len(shifted) else table).iloc[0]
    measured = {str(key): value for key, value in worst.items()}
    text = (
        f"{worst['split']}: {worst['same_side']:.1%} of the {worst['n_neighbors']} nearest rows "
        f"are on the row's own side, {worst['expected']:.1%} by chance "
        f"({p_in_words(worst['p_neighbors'], n_tests)}); mean similarity within the sides "
        f"{worst['within']:.4f}, across {worst['across']:.4f} "
        f"({p_in_words(worst['p_kernel'], n_tests)})."
    )
    if len(shifted) == 0:
        return SHIFT.passed(text, measured=measured)
    return SHIFT.found("info", text, measured=measured, evidence=shifted)


def _shift_test(data: AuditData, comparison: Comparison) -> dict[str, object]:
    assert data.similarity is not None
    rng = np.random.default_rng(data.seed)
    rows = comparison.rows
    side = np.isin(rows, comparison.test)
    sample = np.arange(len(rows))
    if len(rows) > MOST_ROWS:
        sample = np.sort(rng.choice(len(rows), MOST_ROWS, replace=False))
    n_neighbors = min(N_NEIGHBORS, len(rows) - 1)
    near = nearest_others(data.similarity, rows, sample, n_neighbors)
    units = None if data.groups is None else pd.factorize(data.groups[rows])[0]
    sampled = np.empty((N_PERMUTATIONS + 1, len(sample)), dtype=bool)
    same = np.empty(N_PERMUTATIONS + 1)
    for number in range(N_PERMUTATIONS + 1):  # the observed sides first
        dealt = _deal(side, units, rng) if number else side
        sampled[number] = dealt[sample]
        same[number] = (dealt[near] == sampled[number][:, None]).mean()
    within, across = _mean_similarities(data.similarity, rows[sample], sampled)
    expected = float(same[1:].mean())
    return {
        "split": comparison.name,
        "same_side": same[0],
        "expected": expected,
        "size": (same[0] - expected) / max(1 - expected, 1e-12),
        "p_neighbors": _p_value(same),
        "within": within[0],
        "across": across[0],
        "p_kernel": _p_value(within - across),
        "n_neighbors": n_neighbors,
        "n_rows_sampled": len(sample),
    }


def _p_value(values: NDArray[np.float64]) -> float:
    """Return the share of all values that reach the first, which is the observed one.

    Without an observed value there is nothing to say; deals without one count as reaching it.
    """
    if np.isnan(values[0]):
        return 1.0
    return float((np.nan_to_num(values, nan=np.inf) >= values[0] - 1e-12).mean())


def _mean_similarities(
    similarity: Similarity, rows: Rows, dealt: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return, for every deal, the mean similarity within the sides (equally weighed) and across.

    NaN where a side has fewer than two rows.
    """
    block = similarity.block(rows, rows).astype(np.float64)
    np.fill_diagonal(block, 0.0)
    test = dealt.T.astype(np.float64)
    n_test = test.sum(axis=0)
    n_train = len(rows) - n_test
    to_test = block @ test
    in_test = (test * to_test).sum(axis=0)
    across = to_test.sum(axis=0) - in_test
    in_train = block.sum() - in_test - 2 * across
    with np.errstate(divide="ignore", invalid="ignore"):
        within = in_test / (n_test * (n_test - 1)) + in_train / (n_train * (n_train - 1))
        between = across / (n_test * n_train)
    known = np.minimum(n_test, n_train) >= 2
    return np.where(known, within / 2, np.nan), np.where(known, between, np.nan)


def nearest_others(similarity: Similarity, rows: Rows, sample: Rows, k: int) -> Rows:
    """Return, for sampled rows, the positions in ``rows`` of their k nearest other rows.

    Among rows equally near the order is random; ties at the k-th place would otherwise favour
    the rows listed first.
    """
    noise = np.random.default_rng(0).random(len(rows)) * 1e-7
    near = np.empty((len(sample), k), dtype=np.intp)
    step = max(1, 2**22 // len(rows))
    for start in range(0, len(sample), step):
        some = sample[start : start + step]
        block = similarity.block(rows[some], rows) + noise
        block[np.arange(len(some)), some] = -1.0
        near[start : start + len(some)] = np.argpartition(-block, k - 1, axis=1)[:, :k]
    return near


def _deal(
    side: NDArray[np.bool_], units: Rows | None, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Deal the sides at random to rows; to whole groups, each with the side of most its rows."""
    if units is None:
        return rng.permutation(side)
    share = np.bincount(units[units >= 0], weights=side[units >= 0]) / np.bincount(
        units[units >= 0]
    )
    dealt = rng.permutation(share > 0.5)
    return np.where(units >= 0, dealt[np.maximum(units, 0)], rng.permutation(side))


def ave_bias(
    similarity: Similarity,
    positive: NDArray[np.bool_],
    *,
    train: Rows,
    test: Rows,
) -> float:
    """Return the asymmetric validation embedding bias of a split of two classes.

    ``B = [H(VA, TA) - H(VA, TI)] + [H(VI, TI) - H(VI, TA)]``, where V and T are test and
    training rows, A and I actives and inactives, and H(V, T) the mean over d in 0, 0.01, ..., 1
    of the share of V whose distance to the nearest of T is below d.

    Parameters
    ----------
    similarity : Similarity
        Distance is 1 - similarity.
    positive : ndarray of bool of shape (n_items,)
    train, test : ndarray of int
        Both must hold both classes.

    Returns
    -------
    bias : float in [-2, 2]
        0 when classes are alike in their distances; positive when test rows are nearer to
        training rows of their own class.

    References
    ----------
    I. Wallach and A. Heifets, "Most ligand-based classification benchmarks reward memorization
    rather than generalization", J. Chem. Inf. Model. 58 (2018) 916-932, equations 1 to 4.
    """
    actives, inactives = (train[positive[train]], train[~positive[train]])
    to_actives = 1 - similarity.nearest(test, actives)[0]
    to_inactives = 1 - similarity.nearest(test, inactives)[0]
    is_active = positive[test]
    own = _below(to_actives[is_active]) - _below(to_inactives[is_active])
    other = _below(to_inactives[~is_active]) - _below(to_actives[~is_active])
    return own + other


def _below(distance: NDArray[np.float64]) -> float:
    """Return the mean over thresholds 0, 0.01, ..., 1 of the share below the threshold."""
    thresholds = np.round(np.arange(101) / 100, 2)
    return float(np.searchsorted(np.sort(distance), thresholds, side="left").mean() / len(distance))


def check_ave_bias(data: AuditData) -> Finding:
    """Compare the AVE bias with that of random splits of the same sizes and classes."""
    if data.similarity is None:
        return AVE.not_applicable(data.no_similarity)
    binary = [labels for labels in data.labels if labels.kind == "binary"]
    if not binary:
        return AVE.not_applicable("There are no labels of two classes.")
    lines = [
        line
        for labels in binary[:MOST_AVE_LABELS]
        if (line := _ave_line(data, labels, data.final[0])) is not None
    ]
    if not lines:
        return AVE.not_applicable(f"Fewer than {FEWEST_PER_CLASS} rows of a class on a side.")
    table = pd.DataFrame(lines).sort_values("bias", ascending=False, kind="stable")
    worst = table.iloc[0]
    measured = {str(key): value for key, value in worst.items()}
    text = (
        f"AVE bias {worst['bias']:+.3f} of {worst['label']}; random splits give "
        f"{worst['random']:+.3f} (SD {worst['random_sd']:.3f})."
    )
    biased = table[table["bias"] >= AVE_BIASED]
    if len(biased) == 0:
        return AVE.passed(text, measured=measured)
    excess = biased["bias"] - biased["random"] > AVE_STANDARD_DEVIATIONS * biased["random_sd"]
    return AVE.found(
        "warning" if excess.any() else "info", text, measured=measured, evidence=biased
    )


def _ave_line(
    data: AuditData, labels: LabelColumn, comparison: Comparison
) -> dict[str, object] | None:
    assert data.similarity is not None
    positive = labels.values == 1
    rng = np.random.default_rng(data.seed)
    train, test = (
        _some(rows[labels.measured[rows]], share, rng)
        for rows, share in ((comparison.train, 0.75), (comparison.test, 0.25))
    )
    counts = [
        int((positive[rows] == side).sum()) for rows in (train, test) for side in (True, False)
    ]
    if min(counts) < FEWEST_PER_CLASS:
        return None
    observed = ave_bias(data.similarity, positive, train=train, test=test)
    drawn = np.array(
        [
            ave_bias(data.similarity, positive, **_dealt_by_class(train, test, positive, rng))
            for _ in range(N_RANDOM_SPLITS)
        ]
    )
    return {
        "label": str(labels.name),
        "bias": observed,
        "random": float(drawn.mean()),
        "random_sd": float(drawn.std(ddof=1)),
        "n_train": len(train),
        "n_test": len(test),
    }


def _some(rows: Rows, share: float, rng: np.random.Generator) -> Rows:
    most = int(share * MOST_AVE_ROWS)
    return rows if len(rows) <= most else np.sort(rng.choice(rows, most, replace=False))


def _dealt_by_class(
    train: Rows, test: Rows, positive: NDArray[np.bool_], rng: np.random.Generator
) -> dict[str, Rows]:
    """Deal rows to two sides anew, with the numbers of each class that the sides have."""
    sides: dict[str, list[Rows]] = {"train": [], "test": []}
    for is_positive in (True, False):
        own_test = test[positive[test] == is_positive]
        rows = np.concatenate([own_test, train[positive[train] == is_positive]])
        rows = rng.permutation(rows)
        sides["test"].append(rows[: len(own_test)])
        sides["train"].append(rows[len(own_test) :])
    return {name: np.sort(np.concatenate(parts)) for name, parts in sides.items()}
