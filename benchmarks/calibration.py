"""Do intervals cover and tests reject as often as they say? Simulated in one run.

    python benchmarks/calibration.py [--simulations 400] [--only NAME ...] [--json FILE]

coverage      95 % intervals of ROC-AUC: binormal scores of known AUC.
groups        The same with rows in groups: resampling rows against resampling groups.
permutation   Type-I error at .05 of permutation tests with labels of groups, on noise.
comparison    Type-I error and power at .05 of tests between two models.
intervals     90 % intervals of the error of a model: plain and nested cross-validation.
procedures    Error of nearest neighbours on pure noise after selecting features outside and
              inside the folds.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.stats import norm
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from honesteval.stats import (
    bootstrap_ci,
    bootstrap_difference,
    corrected_t_test,
    delong_ci,
    delong_test,
    five_by_two_test,
    mcnemar_test,
    permutation_test,
)
from honesteval.tuning import nested_cv_interval

Row = dict[str, Any]
ALPHA = 0.05
N_GROUPS, GROUP_ROWS = 24, 8


def simulate(n: int, one: Callable[[int], Any]) -> pd.DataFrame:
    """Run ``one(seed)`` for n seeds and return its columns."""

    def quiet(seed: int) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return one(seed)

    return pd.DataFrame(Parallel(n_jobs=-1)(delayed(quiet)(seed) for seed in range(n)))


def shares(found: pd.DataFrame, fixed: Row, column: str) -> list[Row]:
    """Return one row per column of hits, with the binomial standard error."""
    rows = []
    for name in found:
        hits = found[name].dropna()
        share = float(hits.mean())
        error = float(np.sqrt(share * (1 - share) / len(hits)))
        rows.append({**fixed, "method": name, column: share, "standard error": error})
    return rows


def coverage(n: int) -> list[Row]:
    rows = []
    for auc, positives, negatives in ((0.8, 10, 30), (0.96, 10, 30), (0.8, 30, 300)):

        def one(
            seed: int, auc: float = auc, positives: int = positives, negatives: int = negatives
        ) -> dict[str, bool]:
            rng = np.random.default_rng(seed)
            y = np.r_[np.zeros(negatives), np.ones(positives)]
            score = rng.normal(size=len(y)) + np.sqrt(2) * norm.ppf(auc) * y
            same = {"n_resamples": 999, "random_state": seed}
            found = {
                "DeLong, Wald": delong_ci(y, score, method="wald"),
                "DeLong, logit (default)": delong_ci(y, score),
                "bootstrap percentile": bootstrap_ci(y, score, method="percentile", **same),
                "bootstrap percentile, stratified": bootstrap_ci(
                    y, score, method="percentile", stratify=True, **same
                ),
                "bootstrap BCa (default)": bootstrap_ci(y, score, **same),
            }
            return {name: ci.low <= auc <= ci.high for name, ci in found.items()}

        case = {"AUC": auc, "positives": positives, "negatives": negatives}
        rows += shares(simulate(n, one), case, "coverage")
    return rows


def groups(n: int) -> list[Row]:
    """24 groups of 8: the label and much of the score belong to the group."""
    separation, between = 1.2, 1.0
    auc = float(norm.cdf(separation / np.sqrt(2 * (1 + between**2))))

    def one(seed: int) -> dict[str, bool]:
        rng = np.random.default_rng(seed)
        of = np.repeat(np.arange(N_GROUPS), GROUP_ROWS)
        y = (np.arange(N_GROUPS) % 2)[of]
        score = separation * y + between * rng.normal(size=N_GROUPS)[of] + rng.normal(size=len(of))
        same = {"n_resamples": 999, "random_state": seed}
        found = {
            "resampling rows": bootstrap_ci(y, score, method="percentile", **same),
            "resampling groups": bootstrap_ci(y, score, method="percentile", groups=of, **same),
            "resampling groups, BCa": bootstrap_ci(y, score, groups=of, **same),
        }
        return {name: ci.low <= auc <= ci.high for name, ci in found.items()}

    return shares(simulate(n, one), {"AUC": round(auc, 3)}, "coverage")


def permutation(n: int) -> list[Row]:
    rows = []
    splitters = {"grouped folds": GroupKFold(4), "leaky folds": KFold(4, shuffle=True)}
    for folds, splitter in splitters.items():

        def one(seed: int, splitter: Any = splitter) -> dict[str, bool]:
            rng = np.random.default_rng(seed)
            of = np.repeat(np.arange(N_GROUPS), GROUP_ROWS)
            y = rng.permutation(np.arange(N_GROUPS) % 2)[of]
            X = rng.normal(size=(N_GROUPS, 5))[of] + 0.3 * rng.normal(size=(len(of), 5))
            if isinstance(splitter, KFold):
                splitter = KFold(4, shuffle=True, random_state=seed)
            splits = list(splitter.split(X, y, of))
            p = {
                name: permutation_test(
                    KNeighborsClassifier(3), X, y, groups=given, cv=splits, n_permutations=99,
                    random_state=seed,
                ).p_value
                for name, given in (("permuting rows", None), ("permuting groups", of))
            }  # fmt: skip
            return {name: value <= ALPHA for name, value in p.items()}

        rows += shares(simulate(n, one), {"folds": folds}, "type-I error")
    return rows


class TwoModels:
    """Labels of 300 rows and two disjoint feature sets that tell about them."""

    def __init__(self, seed: int, difference: float) -> None:
        rng = np.random.default_rng(seed)
        n, each = 300, 5
        X = rng.normal(size=(n, 2 * each))
        weight = np.r_[np.full(each, 0.5 * (1 + difference)), np.full(each, 0.5 * (1 - difference))]
        self.y = (X @ weight + rng.normal(size=n) > 0).astype(int)
        self.parts = X[:, :each], X[:, each:]

    def scores(self, model: int, train: Any, test: Any) -> np.ndarray:
        """Return what ridge regression on the labels says of test rows."""
        A = np.column_stack([self.parts[model], np.ones(len(self.y))])
        target = 2.0 * self.y - 1
        gram = A[train].T @ A[train] + np.eye(A.shape[1])
        return A[test] @ np.linalg.solve(gram, A[train].T @ target[train])

    def accuracies(self, splits: list[Any]) -> np.ndarray:
        """Return the accuracy of both models in every fold, of shape (2, n_folds)."""
        return np.array(
            [[np.mean((self.scores(m, a, b) > 0) == self.y[b]) for a, b in splits] for m in (0, 1)]
        )


def comparison(n: int) -> list[Row]:
    rows = []
    for difference in (0.0, 0.25):

        def one(seed: int, difference: float = difference) -> dict[str, bool]:
            task = TwoModels(seed, difference)
            y, p = task.y, {}
            for k, repeats in ((5, 5), (10, 10), (10, 1)):
                cv = RepeatedStratifiedKFold(n_splits=k, n_repeats=repeats, random_state=seed)
                splits = list(cv.split(y, y))
                a, b = task.accuracies(splits)
                sizes = {"n_train": len(y) * (k - 1) // k, "n_test": len(y) // k}
                label = f"{repeats} x {k} folds"
                p[f"Nadeau-Bengio t, {label}"] = corrected_t_test(a, b, **sizes).p_value
                if repeats > 1:
                    naive = corrected_t_test(a, b, **sizes, correction=None)
                    p[f"uncorrected t, {label}"] = naive.p_value
            halves = RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=seed)
            a, b = task.accuracies(list(halves.split(y, y)))
            five = five_by_two_test(a.reshape(5, 2), b.reshape(5, 2))
            p["5 x 2 F"], p["5 x 2 t"] = five.f_p_value, five.t_p_value
            train, test = next(StratifiedKFold(5, shuffle=True, random_state=seed).split(y, y))
            held = [task.scores(m, train, test) for m in (0, 1)]
            p["DeLong, 20 % hold-out"] = delong_test(y[test], *held).p_value
            pooled = np.zeros((2, len(y)))
            for train, test in StratifiedKFold(5, shuffle=True, random_state=seed).split(y, y):
                pooled[:, test] = [task.scores(m, train, test) for m in (0, 1)]
            p["DeLong, pooled folds"] = delong_test(y, *pooled).p_value
            p["paired bootstrap, pooled folds"] = bootstrap_difference(
                y, *pooled, n_resamples=499, random_state=seed
            ).p_value
            p["McNemar mid-p, pooled folds"] = mcnemar_test(y, *(pooled > 0).astype(int)).p_value
            return {name: value <= ALPHA for name, value in p.items()}

        kind = "type I" if difference == 0 else "power"
        rows += shares(simulate(n, one), {"rate": kind}, "rejected")
    return rows


def intervals(n: int) -> list[Row]:
    """Bates, Hastie and Tibshirani (2024): n = 100, p = 20, 10 folds, 20 repeats, nominal 90 %."""

    def one(seed: int) -> dict[str, float]:
        rng = np.random.default_rng(seed)
        weight = np.r_[np.ones(4), np.zeros(16)]
        X = rng.normal(size=(5100, 20))
        y = (rng.random(5100) < 1 / (1 + np.exp(-X @ weight))).astype(int)
        model = LinearDiscriminantAnalysis()
        found = nested_cv_interval(
            model, X[:100], y[:100], n_splits=10, n_repeats=20, confidence_level=0.9,
            random_state=seed,
        )  # fmt: skip
        truth = 1 - model.fit(X[:100], y[:100]).score(X[100:], y[100:])
        return {
            "cross-validation, naive": found.naive_low <= truth <= found.naive_high,
            "nested (default)": found.low <= truth <= found.high,
            "width ratio": (found.high - found.low) / (found.naive_high - found.naive_low),
        }

    found = simulate(max(n // 4, 10), one)
    ratio = float(found.pop("width ratio").mean())
    rows = shares(found, {"nominal": 0.9}, "coverage")
    return [{**row, "width": width} for row, width in zip(rows, (1.0, ratio), strict=True)]


def procedures(n: int) -> list[Row]:
    """Elements of Statistical Learning 7.10.2: N = 50, 5,000 noise features, 100 best, 1-NN."""

    def one(seed: int) -> dict[str, float]:
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(50, 5000)), rng.permutation(np.arange(50) % 2)
        best = SelectKBest(f_classif, k=100)
        outside = cross_val_score(KNeighborsClassifier(1), best.fit_transform(X, y), y, cv=5)
        inside = cross_val_score(make_pipeline(best, KNeighborsClassifier(1)), X, y, cv=5)
        return {"selected outside the folds": 1 - outside.mean(), "inside": 1 - inside.mean()}

    found = simulate(max(n // 8, 10), one)
    return [
        {
            "features": name,
            "error": float(found[name].mean()),
            "standard error": float(found[name].std(ddof=1) / np.sqrt(len(found))),
        }
        for name in found
    ]


TABLES = {
    "coverage": coverage,
    "groups": groups,
    "permutation": permutation,
    "comparison": comparison,
    "intervals": intervals,
    "procedures": procedures,
}


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=400)
    parser.add_argument("--only", nargs="*", choices=list(TABLES), default=list(TABLES))
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    stored: dict[str, Any] = {"simulations": arguments.simulations, "tables": {}}
    for name in arguments.only:
        start = time.perf_counter()
        rows = TABLES[name](arguments.simulations)
        stored["tables"][name] = rows
        print(f"\n{name}, {time.perf_counter() - start:.0f} s")
        print(pd.DataFrame(rows).round(3).to_string(index=False), flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
