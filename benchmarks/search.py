"""What effort, clusters, tolerances and solvers do to L and to the time (DataSAIL's Figure 6).

Run with the folder of the real data sets::

    HONESTEVAL_DATA=... python benchmarks/search.py [--quick] [--json FILE]

Five folds of equal shares, ECFP4 of 2,048 bits, from the similarity of molecules to folds.

effort       Annealing runs side by side (``n_init``), three seeds each.
clusters     Molecules joined to K clusters first (k-means of the bits), as DataSAIL joins them.
sizes        The size tolerance eps; the bound is that for this tolerance.
classes      The class tolerance delta, folds stratified by the label.
solvers      Small problems solved to proven optimality with HiGHS and with Gurobi.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from partition import SETS
from sklearn.cluster import KMeans

from honesteval import SimilarityGroupKFold
from honesteval.entities import parse_molecules
from honesteval.exceptions import InfeasibleSplitError
from honesteval.partition import Partition, solve_partition
from honesteval.similarity import Similarity, molecule_similarity

Row = dict[str, Any]
FIVE = [0.2] * 5
SEEDS = range(3)
SMALL = (10, 12, 14)


def load(name: str) -> tuple[pd.DataFrame, Similarity, np.ndarray]:
    file, column = SETS[name]
    table = pd.read_csv(Path(os.environ["HONESTEVAL_DATA"]) / "molecules" / file)
    molecules = parse_molecules(table[column], errors="drop")
    bits = np.unpackbits(molecules.fingerprints(), axis=1).astype(np.float32)
    return table.iloc[molecules.rows], molecule_similarity(molecules), bits


def timed(similarity: Similarity, y: Any = None, **options: Any) -> tuple[Partition, float]:
    """Return the folds of the samples that the similarity knows, and CPU seconds."""
    samples = np.zeros((similarity.n_items, 1))
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cv = SimilarityGroupKFold(5, similarity=similarity, **options)
        partition = cv.partition(samples, y)
    return partition, time.process_time() - start


def effort(name: str, similarity: Similarity) -> Iterator[Row]:
    for n_init in (1, 2, 4, 8, 16):
        runs = [timed(similarity, n_init=n_init, random_state=seed) for seed in SEEDS]
        scaled = [partition.scaled_leakage for partition, _ in runs]
        yield {
            "set": name, "n_init": n_init, "mean L": float(np.mean(scaled)),
            "lowest L": min(scaled), "highest L": max(scaled),
            "cpu s": float(np.mean([seconds for _, seconds in runs])),
        }  # fmt: skip


def clusters(name: str, similarity: Similarity, bits: np.ndarray) -> Iterator[Row]:
    for k in (25, 50, 100, 200, 400):
        start = time.process_time()
        joined = KMeans(k, n_init=1, random_state=0).fit_predict(bits)
        row: Row = {
            "set": name,
            "clusters": str(k),
            "clustering cpu s": time.process_time() - start,
        }
        start = time.process_time()
        try:
            partition = solve_partition(similarity, shares=FIVE, must_link=[joined])
        except InfeasibleSplitError:
            yield {**row, "largest cluster": int(np.bincount(joined).max())}
            continue
        yield {
            **row, "largest cluster": int(np.bincount(joined).max()),
            "L": partition.scaled_leakage, "cpu s": time.process_time() - start,
        }  # fmt: skip
    partition, seconds = timed(similarity)
    yield {"set": name, "clusters": "none", "L": partition.scaled_leakage, "cpu s": seconds}


def sizes(name: str, similarity: Similarity) -> Iterator[Row]:
    for eps in (0.01, 0.05, 0.1, 0.2, 0.4):
        partition, seconds = timed(similarity, size_tolerance=eps)
        yield {
            "set": name, "eps": eps, "L": partition.scaled_leakage,
            "of random": partition.relative_leakage, "bound": partition.lower_bound,
            "smallest fold": int(np.bincount(partition.labels).min()),
            "largest fold": int(np.bincount(partition.labels).max()), "cpu s": seconds,
        }  # fmt: skip


def classes(name: str, similarity: Similarity, y: Any) -> Iterator[Row]:
    for delta in (0.02, 0.05, 0.1, 0.2, 0.5, 1.0):
        partition, seconds = timed(similarity, y, stratify="classes", class_tolerance=delta)
        share = [float(np.mean(y[partition.labels == fold])) for fold in range(5)]
        yield {
            "set": name, "delta": delta, "L": partition.scaled_leakage,
            "lowest class share": min(share), "highest class share": max(share), "cpu s": seconds,
        }  # fmt: skip


def solvers(name: str, similarity: Similarity) -> Iterator[Row]:
    have = ["highs"] + (["gurobi"] if find_spec("gurobipy") else [])
    for n in SMALL:
        some = similarity.take(np.random.default_rng(n).permutation(similarity.n_items)[:n])
        for solver in have:
            start, cpu = time.perf_counter(), time.process_time()
            try:
                partition = solve_partition(
                    some, shares=[1, 1, 1], size_tolerance=0.25, solver=solver
                )
            except Exception as error:  # the licence in the wheel is for small problems
                yield {"set": name, "n": n, "solver": solver, "status": str(error)[:120]}
                continue
            yield {
                "set": name, "n": n, "solver": solver, "status": partition.status,
                "L": partition.scaled_leakage, "cpu s": time.process_time() - cpu,
                "wall s": time.perf_counter() - start,
            }  # fmt: skip


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="BACE only")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    tables: dict[str, list[Row]] = {}
    for name in ("bace",) if arguments.quick else ("esol", "bace", "tox21"):
        table, similarity, bits = load(name)
        tables.setdefault("effort", []).extend(effort(name, similarity))
        tables.setdefault("sizes", []).extend(sizes(name, similarity))
        if name == "tox21":
            continue
        tables.setdefault("clusters", []).extend(clusters(name, similarity, bits))
        tables.setdefault("solvers", []).extend(solvers(name, similarity))
        if name == "bace":
            y = table["Class"].to_numpy()
            tables.setdefault("classes", []).extend(classes(name, similarity, y))
    for name, rows in tables.items():
        print(f"\n{name}\n{pd.DataFrame(rows).round(4).to_string(index=False)}")
    if arguments.json:
        arguments.json.write_text(json.dumps({"tables": tables}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
