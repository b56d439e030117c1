"""Do splits make scores honest? Score against what crosses, for splitters, models and data sets.

Run with the folder of the real data sets::

    HONESTEVAL_DATA=... python benchmarks/honest_splits.py results.jsonl [--quick]
        [--peer datasail=PYTHON] [--json FILE]

Six sets (and all twelve tasks of Tox21 with the forest), ECFP4 of 2,048 bits, five folds: plain
and stratified random, scaffolds, Butina clusters, DataSAIL (in its own environment, 300 s), and
honesteval with and without balanced classes. A random forest, gradient boosting, a support vector
machine with the Tanimoto kernel and a multilayer perceptron predict each fold from the others.
RMSE is that of all rows, with a bootstrap interval; ROC-AUC is the mean over folds (the models of
two folds need not share a scale), with DeLong's variance in each.

Every split and model is a line of the results file; a run that was interrupted goes on where it
stopped. ``--quick``: ESOL and BACE, forest and support vectors, no DataSAIL. ``--json`` writes the
table of the documentation.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from deployment import butina_clusters
from lightgbm import LGBMClassifier, LGBMRegressor
from partition import fold_labels, measure, run_script
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.svm import SVC, SVR

from honesteval import SimilarityGroupKFold, bootstrap_ci
from honesteval.entities import Molecules, parse_molecules
from honesteval.similarity import Similarity, molecule_similarity
from honesteval.stats import delong_covariance

SETS = {  # name: file, column of SMILES, label, is it of classes
    "ESOL": ("delaney-processed.csv", "smiles", "measured log solubility in mols per litre", False),
    "Lipophilicity": ("Lipophilicity.csv", "smiles", "exp", False),
    "BACE": ("bace.csv.gz", "mol", "Class", True),
    "BBBP": ("BBBP.csv", "smiles", "BBBP", True),
    "Tox21 SR-ARE": ("tox21.csv.gz", "smiles", "SR-ARE", True),
    "HIV": ("HIV.csv.gz", "smiles", "HIV_active", True),
}
ALL_TASKS = "Tox21, 12 tasks"
QUICK = ("ESOL", "BACE")
QUICK_MODELS = ("random forest", "support vectors")
#: Larger sets are drawn from, so that kernels and peers fit into memory and an evening.
MOST_MOLECULES = 4_000
N_SPLITS = 5


@dataclass(frozen=True)
class Data:
    """Molecules with a label (or a table of them), their fingerprints and similarity."""

    name: str
    molecules: Molecules
    X: np.ndarray
    y: np.ndarray
    similarity: Similarity
    is_class: bool


def load(folder: Path, name: str) -> Data:
    file, column, label, is_class = SETS["Tox21 SR-ARE" if name == ALL_TASKS else name]
    table = pd.read_csv(folder / file)
    labels: Any = label
    if name == ALL_TASKS:
        labels = [c for c in table.columns if c.startswith(("NR-", "SR-"))]
        table = table.dropna(subset=labels, how="all")
    else:
        table = table.dropna(subset=[label])
    if len(table) > MOST_MOLECULES:
        table = table.sample(MOST_MOLECULES, random_state=0)
    molecules = parse_molecules(table[column], errors="drop")
    y = table[labels].to_numpy()[molecules.rows]
    packed = molecules.fingerprints()
    bits = np.unpackbits(packed, axis=1).astype(np.float32)
    return Data(name, molecules, bits, y, molecule_similarity(molecules), is_class)


def splits(
    data: Data, datasail: str | None, seconds: int
) -> Iterator[tuple[str, Callable[[], np.ndarray]]]:
    """Yield the name of each split and what makes the fold of each molecule (-1: in none)."""
    n, one_task = len(data.y), data.y.ndim == 1
    ours = {"n_splits": N_SPLITS, "similarity": data.similarity, "random_state": 0}
    yield "random", lambda: fold_labels(KFold(N_SPLITS, shuffle=True, random_state=0), n)
    if data.is_class and one_task:
        cv = StratifiedKFold(N_SPLITS, shuffle=True, random_state=0)
        yield "random, stratified", lambda: fold_labels(cv, n, y=data.y)
    whole = GroupKFold(N_SPLITS)
    yield "scaffold", lambda: fold_labels(whole, n, groups=data.molecules.scaffolds())
    yield (
        "Butina",
        lambda: fold_labels(whole, n, groups=butina_clusters(data.similarity, reordering=True)),
    )
    if datasail:
        task = {"smiles": list(data.molecules.smiles), "shares": [1 / N_SPLITS] * N_SPLITS,
                "seconds": seconds}  # fmt: skip
        yield "DataSAIL", lambda: _peer(datasail, task)
    yield "honesteval", lambda: fold_labels(SimilarityGroupKFold(**ours, stratify=None), n)
    if data.is_class:
        cv = SimilarityGroupKFold(**ours, stratify="classes")
        yield "honesteval, stratified", lambda: fold_labels(cv, n, y=data.y)


def _peer(python: str, task: dict[str, Any]) -> np.ndarray:
    answer = run_script("datasail", python, task)
    if answer is None:
        raise RuntimeError("DataSAIL gave no split.")
    return np.array(answer["labels"])


def models(is_class: bool) -> dict[str, Any]:
    """Return the models, of fixed settings: nothing is tuned here."""
    forest = RandomForestClassifier if is_class else RandomForestRegressor
    boosting = LGBMClassifier if is_class else LGBMRegressor
    perceptron = MLPClassifier if is_class else MLPRegressor
    return {
        "random forest": forest(100, max_features="sqrt", random_state=0, n_jobs=1),
        "support vectors": SVC(kernel="precomputed") if is_class else SVR(kernel="precomputed"),
        "gradient boosting": boosting(n_estimators=100, n_jobs=1, verbose=-1, random_state=0),
        "perceptron": perceptron(
            hidden_layer_sizes=(64,), max_iter=20, early_stopping=False, random_state=0
        ),
    }


def predict(data: Data, labels: np.ndarray, name: str, y: np.ndarray) -> np.ndarray:
    """Return what the model says of each fold after training on the others."""
    predicted = np.full(len(y), np.nan)
    X = data.X
    if name == "support vectors":
        X = data.similarity.block(np.arange(len(y)), np.arange(len(y)), dtype=np.float32)
    known = ~np.isnan(y.astype(float)) & (labels >= 0)
    for fold in range(N_SPLITS):
        test, train = np.flatnonzero(known & (labels == fold)), known & (labels != fold)
        train = np.flatnonzero(train)
        if not len(test) or len(np.unique(y[train])) < 2:
            continue
        model = models(data.is_class)[name]
        kernel = name == "support vectors"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X[np.ix_(train, train)] if kernel else X[train], y[train])
        given = X[np.ix_(test, train)] if kernel else X[test]
        if not data.is_class:
            predicted[test] = model.predict(given)
        elif kernel:
            predicted[test] = model.decision_function(given)
        else:
            predicted[test] = model.predict_proba(given)[:, 1]
    return predicted


def score(data: Data, labels: np.ndarray, model: str) -> dict[str, float]:
    """Return the score and its interval; of several tasks the mean, without one."""
    if data.y.ndim == 2:
        each = [mean_auc(y, predict(data, labels, model, y), labels)[0] for y in data.y.T]
        return {"score": float(np.mean(each)), "n": len(data.y)}
    predicted = predict(data, labels, model, data.y)
    known = ~np.isnan(predicted)
    if data.is_class:
        mean, error = mean_auc(data.y, predicted, labels)
        low, high = mean - 1.96 * error, mean + 1.96 * error
        return {"score": mean, "low": low, "high": high, "n": int(known.sum())}
    found = bootstrap_ci(
        data.y[known], predicted[known], metric="rmse", n_resamples=999, random_state=0
    )
    return {"score": found.estimate, "low": found.low, "high": found.high, "n": int(known.sum())}


def mean_auc(y: np.ndarray, predicted: np.ndarray, labels: np.ndarray) -> tuple[float, float]:
    """Return the mean ROC-AUC over the folds that have both classes, and its standard error."""
    areas, variances = [], []
    for fold in range(N_SPLITS):
        rows = np.flatnonzero((labels == fold) & ~np.isnan(predicted))
        if len(np.unique(y[rows])) == 2:
            area, variance = delong_covariance(y[rows], predicted[rows][:, None])
            areas.append(area[0])
            variances.append(variance[0, 0])
    return float(np.mean(areas)), float(np.sqrt(np.sum(variances)) / len(areas))


def run(arguments: argparse.Namespace, folder: Path, stored: list[dict[str, Any]]) -> None:
    """Run what the results file lacks."""
    datasail = dict(peer.split("=", 1) for peer in arguments.peer).get("datasail")
    datasail = None if arguments.quick else datasail
    have = {(row["set"], row["split"], row["model"]) for row in stored}
    for name in arguments.sets or (QUICK if arguments.quick else [*SETS, ALL_TASKS]):
        data = load(folder, name)
        names = QUICK_MODELS if arguments.quick else [*models(data.is_class)]
        if name == ALL_TASKS:
            names = ["random forest"]
        for split, make in splits(data, datasail, arguments.seconds):
            wanted = [model for model in names if (name, split, model) not in have]
            if not wanted or (arguments.splits and split not in arguments.splits):
                continue
            start = time.process_time()
            try:
                labels = make()
            except RuntimeError as error:
                print(f"{name}: {error}", file=sys.stderr)
                continue
            seconds = time.process_time() - start
            crossing = measure(name, "5 x .2", split, labels, data.similarity)
            kept = ("scaled L", "of random", "mean nearest", "lost", "achieved")
            for model in wanted:
                row = {"set": name, "split": split, "model": model,
                       "metric": "ROC-AUC" if data.is_class else "RMSE",
                       **{key: crossing[key] for key in kept}, "split cpu s": seconds,
                       **score(data, labels, model)}  # fmt: skip
                stored.append(row)
                with arguments.results.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
                print(json.dumps(row), file=sys.stderr, flush=True)


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path, help="file of lines; is continued")
    parser.add_argument("--quick", action="store_true", help="two sets, two models")
    parser.add_argument("--sets", nargs="+", choices=[*SETS, ALL_TASKS], help="these sets only")
    parser.add_argument("--splits", nargs="+", help="these splits only")
    parser.add_argument("--seconds", type=int, default=300, help="DataSAIL's own limit")
    parser.add_argument("--peer", action="append", default=[], metavar="datasail=PYTHON")
    parser.add_argument("--json", type=Path, help="write the table here")
    arguments = parser.parse_args()
    stored = []
    if arguments.results.exists():
        stored = [json.loads(line) for line in arguments.results.read_text().splitlines()]
    run(arguments, Path(os.environ["HONESTEVAL_DATA"]) / "molecules", stored)
    table = pd.DataFrame(stored)
    print(table.pivot_table(index=["set", "split"], columns="model", values="score", sort=False)
          .round(3).to_string())  # fmt: skip
    if arguments.json:
        arguments.json.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
