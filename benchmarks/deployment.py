"""Which estimate comes true? Estimates of a later score, made without a later label.

Run with the folder of the real data sets::

    HONESTEVAL_DATA=... python benchmarks/deployment.py results.jsonl [--quick] [--json FILE]

Three collections: the ChEMBL time split (every target with at least 150 training and 60 later
labels; RMSE on the later molecules), the SIMPD assays (ROC-AUC on the published simulated later
test set) and the MoleculeACE targets (RMSE on the published test set). A model on ECFP4 (1,024
bits) is fitted on the training molecules, at most 600 of them, and its score on the later ones is
what every estimate is compared with. ``--model`` is a random forest, gradient boosting, or support
vectors with the Tanimoto kernel whose C is tuned by cross-validation: then every estimate is
nested, beside the score that tuning on random folds ends with. The estimates see the training
molecules with labels and the later ones without.

Every task is a line of the results file; a run that was interrupted goes on where it stopped.
``--quick`` takes every twelfth task, ``--every N`` every Nth.
``--json`` writes the table that the documentation shows.
"""

from __future__ import annotations

import argparse
import json
import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rdkit.ML.Cluster import Butina
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.metrics import roc_auc_score, root_mean_squared_error
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.svm import SVC, SVR

from honesteval.checks import deployment_estimate
from honesteval.entities import parse_molecules
from honesteval.exceptions import HonestevalWarning
from honesteval.similarity import Similarity, molecule_similarity

MOST_TRAINING, LEAST_TRAINING, LEAST_LATER = 600, 150, 60
BUTINA_CUTOFF = 0.65
N_SPLITS = 5
LEVELS = (0.8, 0.95)
COLLECTIONS = {
    "chembl": "ChEMBL time split, RMSE",
    "simpd": "SIMPD assays, ROC-AUC",
    "moleculeace": "MoleculeACE targets, RMSE",
}
ESTIMATES = {
    "tuned": "random folds, tuned on the same",
    "random": "random folds",
    "scaffold": "scaffold folds",
    "butina": "Butina folds",
    "hardest": "folds with minimum L",
    "matched": "matched folds (`DeploymentKFold`)",
    "reweighted": "random folds, reweighted",
    "estimate": "`deployment_estimate`",
}


@dataclass(frozen=True)
class Task:
    """Molecules with labels, and later ones whose labels only the truth sees."""

    name: str
    collection: str
    smiles: np.ndarray
    y: np.ndarray
    later_smiles: np.ndarray
    later_y: np.ndarray


def chembl_tasks(folder: Path) -> Iterator[Task]:
    """Yield the targets of the ChEMBL time split with enough labels."""
    files = {part: folder / f"chembl_5thresh_ts_{part}.csv.gz" for part in
             ("train", "valid", "test")}  # fmt: skip
    tables = {part: _readable(pd.read_csv(file), "smiles") for part, file in files.items()}
    train, later = tables["train"], pd.concat([tables["valid"], tables["test"]])
    for target in train.columns.drop("smiles"):
        now, then = train.dropna(subset=[target]), later.dropna(subset=[target])
        if len(now) < LEAST_TRAINING or len(then) < LEAST_LATER:
            continue
        if len(now) > MOST_TRAINING:
            now = now.sample(MOST_TRAINING, random_state=0)
        yield Task(target, "chembl", now["smiles"].to_numpy(), now[target].to_numpy(),
                   then["smiles"].to_numpy(), then[target].to_numpy())  # fmt: skip


def simpd_tasks(folder: Path) -> Iterator[Task]:
    """Yield the SIMPD assays with their published split."""
    for file in sorted(folder.glob("*.csv")):
        table = _readable(pd.read_csv(file), "canonical_smiles")
        now, then = table[table["split"] == "train"], table[table["split"] == "test"]
        if len(now) > MOST_TRAINING:
            now = now.sample(MOST_TRAINING, random_state=0)
        yield Task(file.stem, "simpd", now["canonical_smiles"].to_numpy(),
                   now["active"].to_numpy(), then["canonical_smiles"].to_numpy(),
                   then["active"].to_numpy())  # fmt: skip


def moleculeace_tasks(folder: Path) -> Iterator[Task]:
    """Yield the MoleculeACE targets with their published split."""
    for file in sorted(folder.glob("*.csv")):
        table = _readable(pd.read_csv(file), "smiles")
        now, then = table[table["split"] == "train"], table[table["split"] == "test"]
        if len(now) > MOST_TRAINING:
            now = now.sample(MOST_TRAINING, random_state=0)
        yield Task(file.stem, "moleculeace", now["smiles"].to_numpy(), now["y"].to_numpy(),
                   then["smiles"].to_numpy(), then["y"].to_numpy())  # fmt: skip


def _readable(table: pd.DataFrame, column: str) -> pd.DataFrame:
    return table.iloc[parse_molecules(table[column], errors="drop").rows]


def features(smiles: np.ndarray) -> np.ndarray:
    """Return ECFP4 bits."""
    packed = parse_molecules(smiles).fingerprints(n_bits=1024)
    return np.unpackbits(packed, axis=1).astype(np.float32)


def run(task: Task, kind: str) -> dict[str, object]:
    """Return the truth and every estimate of it."""
    is_class = task.collection == "simpd"
    model = MODELS[kind](is_class)
    metric = roc_auc_score if is_class else root_mean_squared_error
    X, X_later = features(task.smiles), features(task.later_smiles)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HonestevalWarning)
        result = deployment_estimate(
            model, X, task.y, task.later_smiles, entities=task.smiles, n_splits=N_SPLITS
        )
    row = {
        "model": kind, "collection": task.collection, "task": task.name, "n": len(task.y),
        "n_later": len(task.later_y), "random": result.random, "matched": result.matched,
        "hardest": result.hardest, "reweighted": result.reweighted, "estimate": result.estimate,
        "distance": result.folds.distance, "distance_before": result.folds.distance_before,
        "distance_random": result.folds.distance_random, "bound": result.folds.lower_bound,
        "later_similarity": float(result.folds.target.mean()),
        "share_beyond": result.share_beyond,
    }  # fmt: skip
    for level in LEVELS:
        row[f"low_{level}"], row[f"high_{level}"] = result.interval(level)
    molecules = parse_molecules(task.smiles)
    clusters = butina_clusters(molecule_similarity(molecules))
    for name, groups in (("scaffold", molecules.scaffolds()), ("butina", clusters)):
        method = _method(model, is_class)
        predicted = cross_val_predict(
            model, X, task.y, groups=groups, cv=GroupKFold(N_SPLITS), method=method
        )
        row[name] = float(metric(task.y, predicted[:, 1] if predicted.ndim == 2 else predicted))
    fitted = model.fit(X, task.y)
    later = getattr(fitted, _method(model, is_class))(X_later)
    row["truth"] = float(metric(task.later_y, later[:, 1] if later.ndim == 2 else later))
    if isinstance(fitted, GridSearchCV):
        row["tuned"] = abs(float(fitted.best_score_))
    return row


def _method(model: Any, is_class: bool) -> str:
    if not is_class:
        return "predict"
    return "predict_proba" if hasattr(model, "predict_proba") else "decision_function"


def forest(is_class: bool) -> Any:
    kind = RandomForestClassifier if is_class else RandomForestRegressor
    return kind(n_estimators=60, max_features=0.1, random_state=0, n_jobs=1)


def boosting(is_class: bool) -> Any:
    from lightgbm import LGBMClassifier, LGBMRegressor

    kind = LGBMClassifier if is_class else LGBMRegressor
    return kind(n_estimators=60, n_jobs=1, verbose=-1, random_state=0)


def tuned_kernel(is_class: bool) -> Any:
    """Support vectors whose C is tuned on random folds."""
    kind, folds = (SVC, StratifiedKFold) if is_class else (SVR, KFold)
    return GridSearchCV(
        kind(kernel=tanimoto_kernel), {"C": [0.1, 0.3, 1.0, 3.0, 10.0]},
        cv=folds(N_SPLITS, shuffle=True, random_state=0),
        scoring="roc_auc" if is_class else "neg_root_mean_squared_error",
    )  # fmt: skip


def tanimoto_kernel(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Return the Tanimoto similarity of rows of bits."""
    common = A @ B.T
    union = A.sum(axis=1)[:, None] + B.sum(axis=1) - common
    return common / np.maximum(union, 1)


MODELS = {"forest": forest, "boosting": boosting, "tuned kernel": tuned_kernel}


def butina_clusters(similarity: Similarity, *, reordering: bool = False) -> np.ndarray:
    """Return the Taylor-Butina cluster of each molecule."""
    n = similarity.n_items
    matrix = similarity.block(np.arange(n), np.arange(n))
    distances = 1 - matrix[np.tril_indices(n, -1)]
    found = np.empty(n, dtype=int)
    clusters = Butina.ClusterData(distances, n, BUTINA_CUTOFF, True, reordering=reordering)
    for number, members in enumerate(clusters):
        found[list(members)] = number
    return found


def summarise(table: pd.DataFrame) -> dict[str, object]:
    """Return bias and mean absolute error of each estimate, and the intervals' coverage."""
    found: dict[str, object] = {}
    for collection, title in COLLECTIONS.items():
        part = table[table["collection"] == collection]
        if part.empty:
            continue
        truth = part["truth"]
        error = {
            name: part[name] - truth for name in ESTIMATES if name in part.dropna(axis=1, how="all")
        }
        found[collection] = {
            "title": title,
            "n_tasks": len(part),
            "mean_truth": truth.mean(),
            "later_similarity": [part["later_similarity"].min(), part["later_similarity"].max()],
            "distance": {
                name: part[column].mean()
                for name, column in (("random folds", "distance_random"),
                                     ("whole clusters", "distance_before"),
                                     ("matched folds", "distance"))
            },
            "estimates": [
                {
                    "name": ESTIMATES[name],
                    "bias": e.mean(),
                    "bias_error": e.std(ddof=1) / np.sqrt(len(e)),
                    "mean_absolute_error": e.abs().mean(),
                    "mae_error": e.abs().std(ddof=1) / np.sqrt(len(e)),
                }
                for name, e in error.items()
            ],
            "coverage": {
                f"{level:.0%}": {
                    "share": ((truth >= part[f"low_{level}"])
                              & (truth <= part[f"high_{level}"])).mean(),
                    "mean_width": (part[f"high_{level}"] - part[f"low_{level}"]).mean(),
                }
                for level in LEVELS
            },
        }  # fmt: skip
    return found


def main() -> None:
    """Run what is not in the results yet, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path, help="file of lines, one per task; is continued")
    parser.add_argument("--collections", nargs="+", choices=COLLECTIONS, default=[*COLLECTIONS])
    parser.add_argument("--quick", action="store_true", help="every twelfth task")
    parser.add_argument("--every", type=int, default=1, help="take every Nth task")
    parser.add_argument("--model", choices=list(MODELS), default="forest")
    parser.add_argument("--json", type=Path, help="write the summary here")
    arguments = parser.parse_args()
    folder = Path(os.environ["HONESTEVAL_DATA"]) / "molecules"
    done, every = set(), 12 if arguments.quick else arguments.every
    if arguments.results.exists():
        done = {(line.get("model", "forest"), line["collection"], line["task"])
                for line in map(json.loads, arguments.results.open(encoding="utf-8"))}  # fmt: skip
    sources = {
        "simpd": lambda: simpd_tasks(folder / "simpd"),
        "chembl": lambda: chembl_tasks(folder / "chembl_timesplit"),
        "moleculeace": lambda: moleculeace_tasks(folder / "moleculeace"),
    }
    for collection in arguments.collections:
        for number, task in enumerate(sources[collection]()):
            if number % every or (arguments.model, collection, task.name) in done:
                continue
            row = run(task, arguments.model)
            with arguments.results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
            print(f"{collection} {task.name}: truth {row['truth']:.3f}, "
                  f"estimate {row['estimate']:.3f}", flush=True)  # fmt: skip
    table = pd.read_json(arguments.results, lines=True)
    if "model" in table:
        table = table[table["model"].fillna("forest") == arguments.model]
    summary = summarise(table)
    for part in summary.values():
        print(f"\n{part['title']}: {part['n_tasks']} tasks")
        print(pd.DataFrame(part["estimates"]).round(3).to_string(index=False))
        print(pd.DataFrame(part["coverage"]).T.round(3).to_string())
        print({name: round(value, 4) for name, value in part["distance"].items()})
    if arguments.json:
        arguments.json.write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
