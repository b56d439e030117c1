"""Similarity folds beside simpler ones: what crosses, how near the neighbours are, and the time.

Run with the folder of the real data sets::

    HONESTEVAL_DATA=... python benchmarks/partition.py [--sets esol bace tox21] [--json FILE]

All splitters see the same parsed molecules and are measured by the same evaluator in one run.
Times are CPU and wall seconds from SMILES strings parsed once to folds.
"""

import argparse
import json
import os
import resource
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import GroupKFold, KFold

from honesteval.entities import parse_molecules
from honesteval.partition import measure_leakage, solve_partition
from honesteval.similarity import molecule_similarity

SETS = {
    "esol": ("delaney-processed.csv", "smiles"),
    "bace": ("bace.csv.gz", "mol"),
    "tox21": ("tox21.csv.gz", "smiles"),
    "hiv": ("HIV.csv.gz", "smiles"),
    "muv": ("muv.csv.gz", "smiles"),
}
SHARES = {"5 x .2": [0.2] * 5, ".7/.2/.1": [0.7, 0.2, 0.1], ".8/.1/.1": [0.8, 0.1, 0.1]}
BUTINA_CUTOFF = 0.65


def random_folds(similarity, molecules, n_splits):
    """Plain K-fold after shuffling."""
    return _labels(KFold(n_splits, shuffle=True, random_state=0), similarity.n_items)


def scaffold_folds(similarity, molecules, n_splits):
    """Bemis-Murcko scaffolds as groups."""
    return _labels(GroupKFold(n_splits), similarity.n_items, molecules.scaffolds())


def butina_folds(similarity, molecules, n_splits):
    """Taylor-Butina clusters as groups."""
    from rdkit.ML.Cluster import Butina

    n = similarity.n_items
    distances = []
    for i in range(1, n):
        distances.extend(1 - similarity.block([i], np.arange(i))[0])
    clusters = Butina.ClusterData(distances, n, BUTINA_CUTOFF, isDistData=True)
    groups = np.empty(n, dtype=int)
    for number, members in enumerate(clusters):
        groups[list(members)] = number
    return _labels(GroupKFold(n_splits), n, groups)


def _labels(splitter, n, groups=None):
    labels = np.empty(n, dtype=int)
    for fold, (_, test) in enumerate(splitter.split(np.zeros(n), groups=groups)):
        labels[test] = fold
    return labels


def similarity_folds(similarity, molecules, shares):
    """SimilarityGroupKFold's engine."""
    return solve_partition(similarity, shares=shares).labels


def measure(name, shares, method, make, similarity, molecules, setting):
    """Return one row of the table."""
    wall, cpu = time.perf_counter(), time.process_time()
    labels = make(similarity, molecules, setting)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    leakage = measure_leakage(similarity, labels)
    nearest = np.empty(similarity.n_items)
    for fold in np.unique(labels):
        here = np.flatnonzero(labels == fold)
        nearest[here] = similarity.nearest(here, np.flatnonzero(labels != fold))[0]
    return {
        "set": name,
        "shares": shares,
        "method": method,
        "scaled L": leakage.scaled,
        "of random": leakage.relative,
        "mean nearest": float(nearest.mean()),
        "highest": float(nearest.max()),
        "cpu s": cpu,
        "wall s": wall,
    }


def main():
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", choices=SETS, default=["esol", "bace"])
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    folder = Path(os.environ["HONESTEVAL_DATA"]) / "molecules"
    rows = []
    for name in arguments.sets:
        file, column = SETS[name]
        molecules = parse_molecules(pd.read_csv(folder / file)[column], errors="drop")
        similarity = molecule_similarity(molecules)
        for method, make in (
            ("random", random_folds),
            ("scaffold", scaffold_folds),
            ("Butina", butina_folds),
        ):
            if method != "Butina" or similarity.n_items < 10_000:
                rows.append(measure(name, "5 x .2", method, make, similarity, molecules, 5))
        for shares, values in SHARES.items():
            arguments_of = (name, shares, "honesteval", similarity_folds, similarity, molecules)
            rows.append(measure(*arguments_of, values))
    table = pd.DataFrame(rows)
    print(table.round(4).to_string(index=False))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"peak memory of the whole run: {peak:.2f} GB")
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
