"""Compare small-sample estimates of a score by their distance to the full-data score.

Mean absolute distance of four estimates, made from n rows alone, to the score of the same
model cross-validated on all rows: a plain hold-out, the adaptive score, repeated
cross-validation, and the extrapolated learning curve. Run: ``python benchmarks/adaptive_score.py``.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import LinearRegression
from sklearn.metrics import accuracy_score, mean_absolute_percentage_error
from sklearn.model_selection import (
    RepeatedKFold,
    RepeatedStratifiedKFold,
    cross_val_score,
    train_test_split,
)
from sklearn.naive_bayes import GaussianNB

from honesteval.stats import adaptive_score, learning_curve_extrapolation


class Task(NamedTuple):
    """A data set, a model and its score."""

    X: Any
    y: Any
    model: Any
    metric: Callable[[Any, Any], float]
    scoring: str
    offset: float
    loss: str
    classifier: bool


def diabetes() -> Task:
    X, y = load_diabetes(return_X_y=True)

    def one_minus_mape(y: Any, predicted: Any) -> float:
        return 1 - mean_absolute_percentage_error(y, predicted)

    scoring = "neg_mean_absolute_percentage_error"
    return Task(
        X, y, LinearRegression(), one_minus_mape, scoring, 1.0, "absolute_percentage", False
    )


def breast_cancer() -> Task:
    X, y = load_breast_cancer(return_X_y=True)
    return Task(X, y, GaussianNB(), accuracy_score, "accuracy", 0.0, "zero_one", True)


def full_score(task: Task) -> float:
    return _cross_validated(task, task.X, task.y)


def estimates(task: Task, n: int, seed: int) -> dict[str, float]:
    stratify = task.y if task.classifier else None
    X, _, y, _ = train_test_split(
        task.X, task.y, train_size=n, stratify=stratify, random_state=seed
    )
    train, test, y_train, y_test = train_test_split(
        X, y, test_size=0.25, stratify=y if task.classifier else None, random_state=seed
    )
    fitted = clone(task.model).fit(train, y_train)
    settings = {"metric": task.metric, "random_state": seed}
    adaptive = adaptive_score(task.model, X, y, n_controls=5, **settings)
    of_hold_out = adaptive_score(task.model, X, y, predictions="hold_out", n_controls=1, **settings)
    curve = learning_curve_extrapolation(
        task.model, X, y, target_size=0.8 * len(task.y), loss=task.loss, n_resamples=10,
        n_repeats=3, random_state=seed,
    )  # fmt: skip
    return {
        "hold-out": task.metric(y_test, fitted.predict(test)),
        "adaptive score": adaptive.score,
        "adaptive, hold-out": of_hold_out.score,
        "repeated CV": _cross_validated(task, X, y),
        "learning curve": 1 - curve.predicted_error,
        "adaptive score, permuted labels": adaptive.control,
    }


def mean_distances(task: Task, sizes: list[int], n_samples: int) -> pd.DataFrame:
    truth = full_score(task)
    rows = {}
    for n in sizes:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table = pd.DataFrame([estimates(task, n, seed) for seed in range(n_samples)])
        control = table.pop("adaptive score, permuted labels").mean()
        rows[n] = {
            **(table - truth).abs().mean(),
            "adaptive score itself": table["adaptive score"].mean(),
            "on permuted labels": control,
        }
    return pd.DataFrame(rows).T.rename_axis("n")


def _cross_validated(task: Task, X: Any, y: Any) -> float:
    kind = RepeatedStratifiedKFold if task.classifier else RepeatedKFold
    cv = kind(n_splits=5, n_repeats=5, random_state=0)
    return float(
        task.offset + cross_val_score(task.model, X, y, cv=cv, scoring=task.scoring).mean()
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=30)
    parser.add_argument("--json", type=Path, help="write the tables here")
    arguments = parser.parse_args()
    n_samples, stored = arguments.samples, []
    for make in (diabetes, breast_cancer):
        task = make()
        print(f"\n{make.__name__}: full-data score {full_score(task):.3f}")
        print("mean distance to it over", n_samples, "random samples of n rows")
        table = mean_distances(task, [40, 80, 160, 320], n_samples)
        print(table.round(3).to_string())
        rows = json.loads(table.reset_index().to_json(orient="records"))
        stored += [{"data": make.__name__.replace("_", " "), **row} for row in rows]
    if arguments.json:
        found = {"samples": n_samples, "rows": stored}
        arguments.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
