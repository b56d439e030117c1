"""Similarity folds beside those of other splitters: what crosses, what is lost, time and memory.

Run with the folder of the real data sets::

    HONESTEVAL_DATA=... python benchmarks/partition.py [--sets esol bace tox21] [--json FILE]
        [--quick] [--peer datasail=PYTHON --peer skfp=PYTHON]
        [--peer lohi=PYTHON --peer graphpart=PYTHON]

Each method runs in a process of its own (peers in their own virtual environments, see
``benchmarks/peers``) on the same SMILES, and all folds are measured by one evaluator. Seconds
are from SMILES strings to folds; ratios are of CPU seconds, which other work disturbs less.
Splitters that keep a threshold are compared at that threshold with the same shares; for the
others ``L`` counts. ``--quick``: DataSAIL, the slowest, makes only three folds.
"""

import argparse
import json
import os
import subprocess
import sys
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
FIVE, TWO = [0.2] * 5, [0.8, 0.2]
SHARES = {"5 x .2": FIVE, ".7/.2/.1": [0.7, 0.2, 0.1], ".8/.1/.1": [0.8, 0.1, 0.1]}
PEERS = Path(__file__).parent / "peers"
#: Largest sets for which the bound is tightened, and which slow peers are given.
BOUND_SAMPLES, PEER_SAMPLES = 2_000, 10_000


def random_folds(similarity, molecules):
    """Plain K-fold after shuffling."""
    return fold_labels(KFold(5, shuffle=True, random_state=0), similarity.n_items)


def scaffold_folds(similarity, molecules):
    """Bemis-Murcko scaffolds as groups."""
    return fold_labels(GroupKFold(5), similarity.n_items, molecules.scaffolds())


def fold_labels(splitter, n, groups=None, y=None):
    """Return the fold in which each sample is tested, -1 if in none."""
    labels = np.full(n, -1)
    for fold, (_, test) in enumerate(splitter.split(np.zeros((n, 1)), y, groups)):
        labels[test] = fold
    return labels


def run_script(script, python, task):
    """Run a splitter in its own process; return its answer, or None with the reason printed."""
    done = subprocess.run(
        [python, PEERS / f"split_{script}.py"], input=json.dumps(task), capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        print(f"{script} failed: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return None
    return json.loads(done.stdout)


def measure(name, shares, method, labels, similarity):
    """Return what one evaluator says of labels (-1: in no fold)."""
    labels = np.asarray(labels)
    if len(labels) != similarity.n_items:
        raise ValueError(f"{method}: {len(labels)} labels for {similarity.n_items} molecules.")
    kept = np.flatnonzero(labels >= 0)
    part, labels = similarity.take(kept), labels[kept]
    leakage = measure_leakage(part, labels)
    nearest = np.empty(len(kept))
    for fold in np.unique(labels):
        here = np.flatnonzero(labels == fold)
        nearest[here] = part.nearest(here, np.flatnonzero(labels != fold))[0]
    sizes = np.bincount(labels) / len(labels)
    return {
        "set": name,
        "shares": shares,
        "method": method,
        "scaled L": leakage.scaled,
        "of random": leakage.relative,
        "mean nearest": float(nearest.mean()),
        "highest": float(nearest.max()),
        "lost": int(similarity.n_items - len(kept)),
        "achieved": " ".join(f"{size:.3f}".lstrip("0") for size in sizes),
    }


def tasks(name, n, peers, seconds, gurobi, quick):
    """Yield (shares, method, script, python, options) of everything that runs on a set."""
    for shares, values in SHARES.items():
        yield shares, "honesteval", "ours", sys.executable, {"shares": values}
        wanted = shares == (".7/.2/.1" if quick else "5 x .2") or (name == "esol" and not quick)
        if "datasail" in peers and n <= PEER_SAMPLES and wanted:
            yield shares, "DataSAIL", "datasail", peers["datasail"], {
                "shares": values, "seconds": seconds,
            }  # fmt: skip
    if gurobi:
        yield "5 x .2", "honesteval, Gurobi", "ours", sys.executable, {
            "shares": FIVE, "solver": "auto",
        }  # fmt: skip
    if "skfp" in peers:
        yield ".8/.2", "scikit-fingerprints Butina", "skfp", peers["skfp"], {"shares": TWO}
        scaffolds = {"shares": TWO, "scaffolds": True}
        yield ".8/.2", "scikit-fingerprints Murcko", "skfp", peers["skfp"], scaffolds
    if n > PEER_SAMPLES:
        return
    yield ".8/.2", "honesteval", "ours", sys.executable, {"shares": TWO}
    for threshold in (0.4, 0.5):
        at = {"shares": TWO, "threshold": threshold}
        label = f".8/.2, below {threshold:g}"
        yield label, "honesteval", "ours", sys.executable, at
        if "lohi" in peers:
            yield label, "LoHi", "lohi", peers["lohi"], at
        if "graphpart" in peers:
            yield label, "GraphPart", "graphpart", peers["graphpart"], at
    five = {"shares": FIVE, "threshold": 0.4}
    yield "5 x .2, below 0.4", "honesteval", "ours", sys.executable, five
    if "graphpart" in peers:
        yield "5 x .2, below 0.4", "GraphPart", "graphpart", peers["graphpart"], five


def _stored(file):
    return json.loads(file.read_text(encoding="utf-8")) if file and file.exists() else []


def _add(rows, row):
    """Put a row in place of that of the same task and method."""
    key = ("set", "shares", "method")
    rows[:] = [other for other in rows if any(other[name] != row[name] for name in key)] + [row]


def main():
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", choices=SETS, default=["esol", "bace"])
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=PYTHON")
    parser.add_argument("--gurobi", action="store_true", help="also with gurobipy, if installed")
    parser.add_argument("--quick", action="store_true", help="DataSAIL on three folds only")
    parser.add_argument("--seconds", type=int, default=300, help="DataSAIL's own limit")
    parser.add_argument("--only", nargs="+", help="scripts to run: ours datasail skfp ...")
    parser.add_argument("--json", type=Path, help="written; rows of other methods in it stay")
    arguments = parser.parse_args()
    peers = dict(peer.split("=", 1) for peer in arguments.peer)
    folder = Path(os.environ["HONESTEVAL_DATA"]) / "molecules"
    rows = _stored(arguments.json)
    for name in arguments.sets:
        file, column = SETS[name]
        molecules = parse_molecules(pd.read_csv(folder / file)[column], errors="drop")
        similarity, smiles = molecule_similarity(molecules), list(molecules.smiles)
        if not arguments.only:
            for method, make in (("random", random_folds), ("scaffold", scaffold_folds)):
                labels = make(similarity, molecules)
                _add(rows, measure(name, "5 x .2", method, labels, similarity))
        for shares, method, script, python, options in tasks(
            name, len(smiles), peers, arguments.seconds, arguments.gurobi, arguments.quick
        ):
            if arguments.only and script not in arguments.only:
                continue
            answer = run_script(script, python, {"smiles": smiles, **options})
            if answer is None:
                continue
            row = measure(name, shares, method, answer.pop("labels"), similarity) | answer
            print(json.dumps(row), file=sys.stderr, flush=True)
            _add(rows, row)
            if arguments.json:
                arguments.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
        if len(smiles) <= BOUND_SAMPLES and not arguments.only:
            partition = solve_partition(similarity, shares=FIVE)
            bound = {"set": name, "shares": "5 x .2", "method": "lower bound"}
            _add(rows, bound | {"scaled L": partition.tighten_bound()})
    rows.sort(key=lambda row: list(SETS).index(row["set"]))
    table = pd.DataFrame(rows)
    ours = table[table["method"] == "honesteval"].set_index(["set", "shares"])["cpu s"]
    keys = pd.MultiIndex.from_frame(table[["set", "shares"]])
    table["times ours"] = table["cpu s"].to_numpy() / ours.reindex(keys).to_numpy()
    print(table.round(4).to_string(index=False))
    if arguments.json:
        rows = json.loads(table.to_json(orient="records"))
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
