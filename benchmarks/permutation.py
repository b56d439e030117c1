"""How much faster all permutations at once are than refitting on each, side by side in one run.

    python benchmarks/permutation.py [--permutations 1000] [--loop 40]

Both ways use the same learner, folds and score on one thread. Scikit-learn's loop is timed on a
part of the permutations and scaled up; the scores of that many permutations are first compared
one by one with those of refitting.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import KFold, permutation_test_score
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from honesteval.stats import permutation_test

LEARNERS = (
    (LinearRegression(), "r2"),
    (Ridge(), "r2"),
    (make_pipeline(StandardScaler(), Ridge()), "r2"),
    (KernelRidge(kernel="rbf"), "r2"),
    (KNeighborsRegressor(1), "neg_mean_absolute_error"),
    (KNeighborsRegressor(5, weights="distance"), "r2"),
    (KNeighborsClassifier(1), "accuracy"),
    (KNeighborsClassifier(5), "balanced_accuracy"),
)


def cpu_seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def make_data(n: int, p: int) -> tuple[Any, Any]:
    random = np.random.default_rng(0)
    X = random.normal(size=(n, p))
    return X, X[:, 0] + random.normal(size=n)


def compare(
    model: Any, scoring: str, n: int, n_permutations: int, n_loop: int
) -> tuple[str, float, float]:
    """Return the learner's name, and CPU seconds of all at once and of scikit-learn's loop."""
    X, y = make_data(n, 20)
    if isinstance(model, KNeighborsClassifier):
        y = (y > 0).astype(int)
    options = {"cv": KFold(5), "scoring": scoring, "random_state": 0}
    fast, slow = (
        permutation_test(model, X, y, n_permutations=n_loop, engine=engine, **options)
        for engine in ("linear", "loop")
    )
    np.testing.assert_allclose(fast.permuted_scores, slow.permuted_scores, rtol=1e-8, atol=1e-12)
    at_once, _ = cpu_seconds(
        lambda: permutation_test(model, X, y, n_permutations=n_permutations, **options)
    )
    looped, _ = cpu_seconds(
        lambda: permutation_test_score(model, X, y, n_permutations=n_loop, **options)
    )
    looped *= n_permutations / n_loop
    name = model.steps[-1][1] if hasattr(model, "steps") else model
    return str(name), at_once, looped


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--permutations", type=int, default=1000)
    parser.add_argument("--loop", type=int, default=40)
    options = parser.parse_args()
    print(f"CPU seconds for {options.permutations} permutations, 5 folds, 20 features")
    print(f"{'learner':55} {'n':>5} {'at once':>9} {'loop':>9} {'ratio':>7}")
    for n in (100, 400):
        for model, scoring in LEARNERS:
            name, fast, loop = compare(model, scoring, n, options.permutations, options.loop)
            print(f"{name:55.55} {n:>5} {fast:>9.3f} {loop:>9.1f} {loop / fast:>7.0f}")


if __name__ == "__main__":
    main()
