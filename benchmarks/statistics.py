"""How much faster the resampling is than the usual ways, measured side by side in one run.

    python benchmarks/statistics.py [--quick] [--only NAME ...] [--json PATH]

Every comparison first checks that both ways give the same numbers, then prints CPU seconds and
their ratio. Loops are timed on a part of the resamples and scaled up.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from permutation import LEARNERS, compare
from scipy import stats
from sklearn.metrics import average_precision_score, roc_auc_score

from honesteval.stats import (
    bootstrap_ci,
    bootstrap_differences,
    bootstrap_metrics,
    delong_covariance,
)

Line = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the work")
    parser.add_argument("--only", nargs="*", choices=list(COMPARISONS), help="comparisons to run")
    parser.add_argument("--json", help="write the lines to this file too")
    options = parser.parse_args()
    y, a, b = _two_models(n=100)
    bootstrap_differences(y, a, b, n_resamples=39)  # what is imported on first use is not timed
    lines = []
    for name in options.only or COMPARISONS:
        for line in COMPARISONS[name](0.1 if options.quick else 1.0):
            lines.append({"comparison": name, **line})
            print(_shown(lines[-1]), flush=True)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(lines, file, indent=1)


def _shown(line: Line) -> str:
    facts = ", ".join(f"{key} {value}" for key, value in line.items() if key != "comparison")
    return f"{line['comparison']}: {facts}"


def cpu_seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """Run once and return CPU seconds of this process, with the value."""
    start = time.process_time()
    value = work()
    return time.process_time() - start, value


def ratio_line(case: str, ours: float, theirs: float, **facts: Any) -> Line:
    return {
        "case": case,
        "honesteval_seconds": round(ours, 3),
        "other_seconds": round(theirs, 3),
        "ratio": round(theirs / ours, 1),
        **facts,
    }


# -- bootstrap ---------------------------------------------------------------------------------


def _two_models(n: int = 5_000, prevalence: float = 0.1) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(0)
    y = (rng.random(n) < prevalence).astype(int)
    return y, y + rng.normal(size=n), 0.9 * y + rng.normal(size=n)


def _rows_drawn(n: int, n_resamples: int) -> np.ndarray:
    return np.random.default_rng(1).integers(0, n, size=(n_resamples, n))


def bootstrap_against_sklearn_loop(scale: float) -> Iterator[Line]:
    """ROC-AUC and average precision, n = 5,000, 10,000 resamples: one model and a difference."""
    n_resamples, n_loop = round(10_000 * scale), round(300 * scale)
    y, a, b = _two_models()
    settings = {"method": "percentile", "n_resamples": n_resamples, "random_state": 1}
    rows = _rows_drawn(len(y), n_loop)
    scorers = (roc_auc_score, average_precision_score)

    ours, results = cpu_seconds(lambda: bootstrap_metrics(y, a, **settings))
    loop, values = cpu_seconds(
        lambda: np.array([[score(y[i], a[i]) for score in scorers] for i in rows])
    )
    apart = max(
        np.abs(result.distribution[:n_loop] - values[:, k]).max()
        for k, result in enumerate(results)
    )
    theirs = loop * n_resamples / n_loop
    yield ratio_line("one model, AUC and AP", ours, theirs, largest_difference=float(apart))

    ours, results = cpu_seconds(lambda: bootstrap_differences(y, a, b, **settings))
    loop, values = cpu_seconds(
        lambda: np.array(
            [[score(y[i], a[i]) - score(y[i], b[i]) for score in scorers] for i in rows]
        )
    )
    apart = max(
        np.abs(result.distribution[:n_loop] - values[:, k]).max()
        for k, result in enumerate(results)
    )
    theirs = loop * n_resamples / n_loop
    yield ratio_line("difference, AUC and AP", ours, theirs, largest_difference=float(apart))


def _auc_along_axis(y: np.ndarray, score: np.ndarray, axis: int = -1) -> np.ndarray:
    n_positive = y.sum(axis=axis)
    ranks = stats.rankdata(score, axis=axis)
    above = (ranks * y).sum(axis=axis) - n_positive * (n_positive + 1) / 2
    return above / (n_positive * (y.shape[axis] - n_positive))


def _ap_along_axis(y: np.ndarray, score: np.ndarray, axis: int = -1) -> np.ndarray:
    """Average precision of untied scores; rows repeated by a resample are tied."""
    order = np.argsort(-score, axis=axis, kind="stable")
    labels = np.take_along_axis(y, order, axis=axis)
    ranked = np.take_along_axis(score, order, axis=axis)
    last = np.ones(ranked.shape, dtype=bool)
    last[..., :-1] = ranked[..., 1:] != ranked[..., :-1]
    true = np.cumsum(labels, axis=axis)
    precision = true / np.arange(1, y.shape[axis] + 1)
    at_last = np.where(last, true, 0)
    before = np.maximum.accumulate(at_last, axis=axis)
    gain = np.where(
        last, true - np.concatenate([np.zeros_like(before[..., :1]), before[..., :-1]], axis=-1), 0
    )
    return (gain * precision).sum(axis=axis) / labels.sum(axis=axis)


def bootstrap_against_scipy(scale: float) -> Iterator[Line]:
    """Compare with ``scipy.stats.bootstrap`` and statistics vectorised over resamples."""
    n_resamples, n_part = round(10_000 * scale), round(1_000 * scale)
    y, a, b = _two_models()
    settings = {"method": "percentile", "n_resamples": n_resamples, "random_state": 1}

    def of_scipy(statistic: Callable[..., Any], *data: Any) -> Any:
        return stats.bootstrap(
            data, statistic, paired=True, vectorized=True, batch=50, method="percentile",
            n_resamples=n_part, random_state=np.random.default_rng(1),
        )  # fmt: skip

    ours, results = cpu_seconds(lambda: bootstrap_metrics(y, a, **settings))
    part, values = cpu_seconds(
        lambda: [of_scipy(statistic, y, a) for statistic in (_auc_along_axis, _ap_along_axis)]
    )
    apart = max(
        np.abs(result.distribution[:n_part] - value.bootstrap_distribution).max()
        for result, value in zip(results, values, strict=True)
    )
    theirs = part * n_resamples / n_part
    yield ratio_line("one model, AUC and AP", ours, theirs, largest_difference=float(apart))

    ours, results = cpu_seconds(lambda: bootstrap_differences(y, a, b, **settings))
    part, values = cpu_seconds(
        lambda: [
            of_scipy(lambda y, a, b, axis=-1, of=of: of(y, a, axis) - of(y, b, axis), y, a, b)
            for of in (_auc_along_axis, _ap_along_axis)
        ]
    )
    apart = max(
        np.abs(result.distribution[:n_part] - value.bootstrap_distribution).max()
        for result, value in zip(results, values, strict=True)
    )
    theirs = part * n_resamples / n_part
    yield ratio_line("difference, AUC and AP", ours, theirs, largest_difference=float(apart))


def bootstrap_default_interval(scale: float) -> Iterator[Line]:
    """Compare the default BCa interval with SciPy's, n = 1,000, from the same draws."""
    y, a, _ = _two_models(n=1_000)
    n_resamples = round(10_000 * scale)
    ours, result = cpu_seconds(lambda: bootstrap_ci(y, a, n_resamples=n_resamples, random_state=1))
    theirs, other = cpu_seconds(
        lambda: stats.bootstrap(
            (y, a), _auc_along_axis, paired=True, vectorized=True, batch=50, method="BCa",
            n_resamples=n_resamples, random_state=np.random.default_rng(1),
        )
    )  # fmt: skip
    apart = max(
        abs(result.low - other.confidence_interval.low),
        abs(result.high - other.confidence_interval.high),
    )
    yield ratio_line("BCa, AUC, n = 1,000", ours, theirs, largest_difference=float(apart))


def bootstrap_of_a_million_rows(scale: float) -> Iterator[Line]:
    """Peak memory and time per resample at n = 1,000,000."""
    n = round(1_000_000 * scale)
    y, a, _ = _two_models(n=n)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds, _ = cpu_seconds(
        lambda: bootstrap_metrics(y, a, n_resamples=39, method="percentile", random_state=1)
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    kilobytes = 1 if sys.platform != "darwin" else 1 / 1024
    yield {
        "case": f"AUC and AP, n = {n:,}",
        "seconds_per_resample": round(seconds / 39, 3),
        "additional_megabytes": round(peak * kilobytes / 1024),
        "matrix_of_all_resamples_megabytes": round(n * 10_000 * 8 / 1e6),
    }


# -- DeLong ------------------------------------------------------------------------------------


def delong_against_pairs(scale: float) -> Iterator[Line]:
    """Variance from mid-ranks against the matrix of all pairs, n = 5,000."""
    y, a, b = _two_models(n=round(5_000 * max(scale, 0.4)), prevalence=0.5)

    def of_pairs() -> np.ndarray:
        placements = []
        for score in (a, b):
            difference = score[y == 1][:, None] - score[y == 0][None, :]
            wins = (difference > 0) + 0.5 * (difference == 0)
            placements.append((wins.mean(axis=1), wins.mean(axis=0)))
        positive = np.cov([of[0] for of in placements]) / np.sum(y == 1)
        return positive + np.cov([of[1] for of in placements]) / np.sum(y == 0)

    ours, (_, covariance) = cpu_seconds(lambda: delong_covariance(y, np.column_stack([a, b])))
    theirs, other = cpu_seconds(of_pairs)
    apart = float(np.abs(covariance - other).max())
    yield ratio_line("two models", ours, theirs, largest_difference=apart)


# -- permutations ------------------------------------------------------------------------------


def permutations_against_sklearn(scale: float) -> Iterator[Line]:
    """All permutations at once against ``permutation_test_score``, 1,000 permutations, n = 400."""
    n_permutations, n_loop = round(1_000 * max(scale, 0.2)), 20
    for model, scoring in LEARNERS:
        name, ours, theirs = compare(model, scoring, 400, n_permutations, n_loop)
        yield ratio_line(name, ours, theirs)


COMPARISONS: dict[str, Callable[[float], Iterator[Line]]] = {
    "bootstrap_against_sklearn_loop": bootstrap_against_sklearn_loop,
    "bootstrap_against_scipy": bootstrap_against_scipy,
    "bootstrap_default_interval": bootstrap_default_interval,
    "bootstrap_of_a_million_rows": bootstrap_of_a_million_rows,
    "delong_against_pairs": delong_against_pairs,
    "permutations_against_sklearn": permutations_against_sklearn,
}


if __name__ == "__main__":
    main()
