"""What tuning hides, and what looking at it honestly costs: five tables in one run.

    python benchmarks/nesting.py [--simulations 20] [--seconds 20] [--only bias,cases,...]
        [--json FILE]

bias        Bias and RMSE of four estimates of a tuned model's ROC-AUC, on noise and on signal.
selection   Varma and Simon (2006): how often the best setting looks good on noise. Ambroise and
            McLachlan (2002): features chosen outside the folds and inside.
peers       Nested scores beside GridSearchCV in cross_val_score (equal, and the time of each) and
            the search of optuna-integration, where it is installed.
cases       Correctness: groups, weights, failing trials, in this package and in the peers.
cost        Time of the harness over the bare fits, shared preprocessing, two workers.
"""

from __future__ import annotations

import argparse
import json
import logging
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin, clone
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import Ridge
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import (
    BaseCrossValidator,
    GridSearchCV,
    GroupKFold,
    KFold,
    ParameterGrid,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from honesteval.tuning import (
    OptunaSearchCV,
    bbc_cv,
    nested_cross_validate,
    tibshirani_correction,
)

GRID = {
    "select__k": [2, 5, 10, 20, 50, 200],
    "svc__C": [0.1, 1.0, 10.0],
    "svc__gamma": ["scale", 1e-3],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=20, help="data sets per row of a table")
    parser.add_argument("--seconds", type=float, default=20, help="length of the timed runs")
    parser.add_argument("--only", default="bias,selection,peers,cases,cost")
    parser.add_argument("--json", type=Path, help="write the tables here")
    arguments = parser.parse_args()
    tables: dict[str, Callable[[], pd.DataFrame]] = {
        "bias": lambda: bias(arguments.simulations),
        "selection": lambda: selection(arguments.simulations),
        "peers": peers,
        "cases": cases,
        "cost": lambda: cost(arguments.seconds),
    }
    logging.disable(logging.CRITICAL)
    stored: dict[str, Any] = {}
    for name in arguments.only.split(","):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table = tables[name]()
        print(f"\n{name}\n{table.to_string(index=False)}", flush=True)
        stored[name] = json.loads(table.to_json(orient="records"))
    if arguments.json:
        found = {"simulations": arguments.simulations, "tables": stored}
        arguments.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


# -- bias of the estimates ---------------------------------------------------------------------


def pipeline() -> Pipeline:
    return Pipeline(
        [("scale", StandardScaler()), ("select", SelectKBest(f_classif)), ("svc", SVC())]
    )


def draw(rng: np.random.Generator, effect: float, n_rows: int) -> tuple[Any, Any]:
    """200 features of which 10 differ by the effect between the classes."""
    y = np.arange(n_rows) % 2
    X = rng.normal(size=(n_rows, 200))
    X[:, :10] += effect * (y[:, None] - 0.5)
    return X, y


def bias(n_simulations: int) -> pd.DataFrame:
    rows = []
    for effect in (0.0, 0.35, 0.5):
        found = Parallel(n_jobs=-1)(delayed(estimates)(s, effect) for s in range(n_simulations))
        truth = np.array([one["truth"] for one in found])
        for name in ("best CV score", "Tibshirani", "BBC-CV", "nested 5x5"):
            errors = np.array([one[name] for one in found]) - truth
            rows.append(
                {
                    "effect": effect,
                    "truth": truth.mean(),
                    "estimate": name,
                    "bias": errors.mean(),
                    "standard error": errors.std(ddof=1) / np.sqrt(n_simulations),
                    "RMSE": np.sqrt(np.mean(errors**2)),
                }
            )
    return pd.DataFrame(rows).round(3)


def estimates(seed: int, effect: float) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    X, y = draw(rng, effect, 80)
    folds = list(StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y))
    search = GridSearchCV(pipeline(), GRID, cv=folds, scoring="roc_auc").fit(X, y)
    table = np.column_stack(
        [
            cross_val_predict(
                pipeline().set_params(**params), X, y, cv=folds, method="decision_function"
            )
            for params in ParameterGrid(GRID)
        ]
    )
    nested = nested_cross_validate(
        GridSearchCV(pipeline(), GRID, cv=StratifiedKFold(5), scoring="roc_auc"), X, y,
        outer_cv=folds,
    )  # fmt: skip
    fresh_X, fresh_y = draw(rng, effect, 2000)
    return {
        "best CV score": search.best_score_,
        "Tibshirani": tibshirani_correction(search).estimate,
        "BBC-CV": bbc_cv(table, y, n_resamples=500, random_state=seed).estimate,
        "nested 5x5": float(nested.outer_scores.mean()),
        "truth": roc_auc_score(fresh_y, search.decision_function(fresh_X)),
    }


# -- selection on noise ------------------------------------------------------------------------


def selection(n_simulations: int) -> pd.DataFrame:
    found = Parallel(n_jobs=-1)(delayed(varma_simon)(seed) for seed in range(n_simulations))
    best, nested = np.array(found).T
    chosen = Parallel(n_jobs=-1)(delayed(ambroise_mclachlan)(s) for s in range(n_simulations))
    outside, inside = np.array(chosen).T
    return pd.DataFrame(
        [
            ("Varma and Simon", "best setting's CV error", best.mean(), np.mean(best < 0.3)),
            ("Varma and Simon", "nested CV error", nested.mean(), np.mean(nested < 0.3)),
            ("Ambroise and McLachlan", "chosen outside", outside.mean(), np.mean(outside < 0.3)),
            ("Ambroise and McLachlan", "chosen inside", inside.mean(), np.mean(inside < 0.3)),
        ],
        columns=["experiment", "error of", "mean (truth .5)", "share below .3"],
    ).round(3)


def varma_simon(seed: int) -> tuple[float, float]:
    """Shrunken centroids on 40 rows and 1,000 genes of noise."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 1000)), np.arange(40) % 2
    folds = StratifiedKFold(10, shuffle=True, random_state=seed)
    shrink = {"shrink_threshold": [None, *np.linspace(0.25, 2.5, 10)]}
    search = GridSearchCV(NearestCentroid(), shrink, cv=folds).fit(X, y)
    result = nested_cross_validate(
        GridSearchCV(NearestCentroid(), shrink, cv=folds), X, y, outer_cv=folds
    )
    return 1 - search.best_score_, 1 - float(result.outer_scores.mean())


def ambroise_mclachlan(seed: int) -> tuple[float, float]:
    """1-NN on the 100 features with the highest correlation, of 5,000 noise features."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(50, 5000)), np.arange(50) % 2
    select, model = SelectKBest(f_classif, k=100), KNeighborsClassifier(1)
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    outside = cross_val_score(model, select.fit_transform(X, y), y, cv=folds).mean()
    inside = nested_cross_validate(make_pipeline(clone(select), model), X, y, outer_cv=folds)
    return 1 - outside, 1 - float(inside.outer_scores.mean())


# -- beside the peers --------------------------------------------------------------------------


def peers() -> pd.DataFrame:
    X, y = make_classification(600, 20, n_informative=5, random_state=0)
    outer = StratifiedKFold(3, shuffle=True, random_state=0)
    inner = StratifiedKFold(3, shuffle=True, random_state=1)
    forest = RandomForestClassifier(n_estimators=30, random_state=0)
    space = {"max_depth": [1, 2, 3, 4, 5, 6, 8, 10]}
    rows = []
    reference = None
    for name, call in _peer_calls(forest, space, X, y, outer, inner):
        started = time.perf_counter()
        scores = call()
        seconds = time.perf_counter() - started
        reference = seconds if reference is None else reference
        rows.append((name, scores.mean(), 3 * 8 * 3 + 3, seconds, seconds / reference))
    return pd.DataFrame(
        rows, columns=["tool", "mean outer score", "fits", "seconds", "ratio to the first"]
    ).round(3)


def _peer_calls(
    forest: Any, space: dict[str, list[int]], X: Any, y: Any, outer: Any, inner: Any
) -> Iterator[tuple[str, Callable[[], Any]]]:
    grid = GridSearchCV(forest, space, cv=inner)
    yield "cross_val_score(GridSearchCV)", lambda: cross_val_score(grid, X, y, cv=outer)
    yield (
        "nested_cross_validate(GridSearchCV)",
        lambda: nested_cross_validate(grid, X, y, outer_cv=outer).outer_scores,
    )
    ours = OptunaSearchCV(forest, space, n_trials=8, cv=inner, random_state=0)
    yield (
        "nested_cross_validate(OptunaSearchCV)",
        lambda: nested_cross_validate(ours, X, y, outer_cv=outer, random_state=0).outer_scores,
    )
    theirs = integration_search()
    if theirs is not None:
        search = theirs(forest, space, n_trials=8, cv=inner, random_state=0)
        yield (
            "cross_val_score(optuna-integration)",
            lambda: cross_val_score(search, X, y, cv=outer),
        )


def integration_search() -> Callable[..., Any] | None:
    """Return a maker of optuna-integration's search, if it is installed."""
    try:
        import optuna
        from optuna.distributions import CategoricalDistribution
        from optuna_integration.sklearn import OptunaSearchCV as IntegrationSearchCV
    except ImportError:
        return None
    optuna.logging.set_verbosity(optuna.logging.CRITICAL)

    def make(estimator: Any, space: dict[str, list[Any]], **arguments: Any) -> Any:
        distributions = {name: CategoricalDistribution(values) for name, values in space.items()}
        return IntegrationSearchCV(estimator, distributions, **arguments)

    return make


# -- correctness cases -------------------------------------------------------------------------


class GroupsSeen(BaseCrossValidator):
    """Splits by group, and fails when the groups do not belong to the rows (column 0 of X)."""

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return 3."""
        return 3

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Any]:
        """Split by group."""
        if groups is None or not np.array_equal(groups, X[:, 0]):
            raise ValueError("the groups do not belong to the rows")
        return iter(list(GroupKFold(3).split(X, y, groups)))


class WeightsSeen(Ridge):
    """Fails when the weights do not belong to the rows (column 1 of X)."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> WeightsSeen:
        """Fit, if the weights are those of the rows."""
        if sample_weight is None or not np.array_equal(sample_weight, X[:, 1]):
            raise ValueError("the weights do not belong to the rows")
        return super().fit(X, y, sample_weight)


class AlwaysFails(ClassifierMixin, BaseEstimator):
    """Fails unless its parameter has its default value."""

    def __init__(self, value: int = 0) -> None:
        self.value = value

    def fit(self, X: Any, y: Any) -> AlwaysFails:
        """Fit with the default value only."""
        if self.value:
            raise ValueError("this setting does not work")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        """Return labels that look like some."""
        return np.resize(self.classes_, len(X))


def cases() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    X = np.column_stack([np.arange(60) % 12, np.arange(60) + 1.0, rng.normal(size=60)])
    y, groups, weights = rng.normal(size=60), X[:, 0], X[:, 1]
    labels = np.arange(60) % 2
    ridge = {"alpha": [0.1, 10.0]}

    def nested(model: Any, space: dict[str, list[Any]], target: Any = y, **columns: Any) -> Any:
        return nested_cross_validate(
            model, X, target, search_space=space, n_trials=3, outer_cv=3, random_state=0, **columns
        ).outer_scores

    theirs = integration_search()
    integration = None if theirs is None else lambda m, s, **a: theirs(m, s, n_trials=3, **a)
    tools: dict[str, dict[str, Callable[[], Any]]] = {
        "honesteval": {
            "groups": lambda: nested(Ridge(), ridge, groups=groups, inner_cv=GroupsSeen()),
            "weights": lambda: nested(WeightsSeen(), ridge, sample_weight=weights),
            "failing": lambda: nested(AlwaysFails(), {"value": [1, 2]}, labels),
        }
    }
    for name, make in (("GridSearchCV", GridSearchCV), ("optuna-integration", integration)):
        if make is not None:
            tools[name] = {
                "groups": lambda make=make: tuned_by_groups(
                    make(Ridge(), ridge, cv=GroupsSeen()), X, y, groups
                ),
                "weights": lambda make=make: make(WeightsSeen(), ridge, cv=KFold(3)).fit(
                    X, y, sample_weight=weights
                ),
                "failing": lambda make=make: cross_val_score(
                    make(AlwaysFails(), {"value": [1, 2]}, cv=3), X, labels, cv=3
                ),
            }  # fmt: skip
    return pd.DataFrame(
        [
            {
                "tool": tool,
                "groups in the inner loop": outcome(calls["groups"]),
                "weights in the inner loop": outcome(calls["weights"]),
                "when all trials fail": outcome(calls["failing"], score="a normal-looking score"),
            }
            for tool, calls in tools.items()
        ]
    )


def tuned_by_groups(search: Any, X: Any, y: Any, groups: Any) -> Any:
    """Return nested scores; an error if an untuned model (alpha = 1) was scored in silence."""
    found = cross_validate(
        search, X, y, groups=groups, cv=GroupKFold(3), error_score="raise", return_estimator=True
    )
    if any(fitted.best_estimator_.alpha == 1.0 for fitted in found["estimator"]):
        raise RuntimeError("the untuned model was scored, without a word")
    return found["test_score"]


def outcome(call: Callable[[], Any], *, score: str = "right") -> str:
    """Return in a few words what came of a call."""
    try:
        found = call()
    except Exception as error:
        return f"{type(error).__name__}: {' '.join(str(error).split())[:48]}"
    if isinstance(found, np.ndarray) and np.isnan(found).all():
        return "NaN"
    return score


# -- cost --------------------------------------------------------------------------------------


class Waiting(ClassifierMixin, BaseEstimator):
    """A fit that takes a while and no processor: what is left is the harness."""

    def __init__(self, seconds: float = 0.02) -> None:
        self.seconds = seconds

    def fit(self, X: Any, y: Any) -> Waiting:
        """Wait."""
        time.sleep(self.seconds)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        """Return labels that look like some."""
        return np.resize(self.classes_, len(X))


class SlowFeatures(TransformerMixin, BaseEstimator):
    """A step that takes a while, as fingerprints of molecules do."""

    def fit(self, X: Any, y: Any = None) -> SlowFeatures:
        """Learn nothing."""
        return self

    def transform(self, X: Any) -> Any:
        """Wait, and return the rows."""
        time.sleep(0.02)
        return X


def cost(seconds: float) -> pd.DataFrame:
    X, y = make_classification(400, 20, n_informative=5, random_state=0)
    forest = RandomForestClassifier(n_estimators=100, random_state=0)
    single = timed(lambda: clone(forest).fit(X[:250], y[:250]).score(X[250:], y[250:]))
    n_trials = max(4, round(seconds / single / 3 / 3 - 1 / 3))
    space = {"max_depth": list(range(1, 9)), "min_samples_leaf": [1, 2, 4, 8]}
    arguments = {"search_space": space, "n_trials": n_trials, "outer_cv": 3, "inner_cv": 3,
                 "random_state": 0}  # fmt: skip
    fitted: list[float] = []

    class Timed(RandomForestClassifier):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Timed:
            started = time.perf_counter()
            super().fit(X, y, sample_weight)
            fitted.append(time.perf_counter() - started)
            return self

        def predict(self, X: Any) -> Any:
            started = time.perf_counter()
            predicted = super().predict(X)
            fitted.append(time.perf_counter() - started)
            return predicted

        def predict_proba(self, X: Any) -> Any:
            return super().predict_proba(X)

    timed_forest = Timed(n_estimators=100, random_state=0)
    whole = timed(lambda: nested_cross_validate(timed_forest, X, y, **arguments))
    bare = sum(fitted)
    nested_cross_validate(forest, X, y, n_jobs=2, search_space=space, n_trials=1, outer_cv=2)
    one = timed(lambda: nested_cross_validate(forest, X, y, **arguments))
    two = timed(lambda: nested_cross_validate(forest, X, y, n_jobs=2, **arguments))
    waiting = {**arguments, "search_space": {"seconds": [0.1, 0.101]}}
    wait_one = timed(lambda: nested_cross_validate(Waiting(), X, y, **waiting))
    wait_two = timed(lambda: nested_cross_validate(Waiting(), X, y, n_jobs=2, **waiting))
    quick = KNeighborsClassifier()
    shared = Pipeline([("features", SlowFeatures()), ("model", quick)])
    alone = Pipeline(shared.steps, memory=_NoMemory())
    neighbours = {"model__n_neighbors": list(range(1, 12))}

    def search(model: Any) -> Any:
        return OptunaSearchCV(model, neighbours, n_trials=20, cv=5, random_state=0).fit(X, y)

    with_cache, without = timed(lambda: search(shared)), timed(lambda: search(alone))
    return pd.DataFrame(
        [
            ("harness over bare fits and predictions", whole / bare - 1, f"{whole:.1f} s in all"),
            ("one worker over two workers", one / two, f"{one:.1f} s and {two:.1f} s"),
            (
                "the same with fits that only wait",
                wait_one / wait_two,
                f"{wait_one:.1f} s and {wait_two:.1f} s",
            ),
            ("shared preprocessing: without over with", without / with_cache,
             f"{without:.1f} s and {with_cache:.1f} s"),
        ],
        columns=["ratio", "value", "from"],
    ).round(3)  # fmt: skip


class _NoMemory:
    """A ``memory`` of a pipeline that remembers nothing: its steps are then not shared."""

    def cache(self, function: Any, **_: Any) -> Any:
        """Return the function itself."""
        return function


def timed(call: Callable[[], Any]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
