"""Time and memory of similarity folds from 10,000 to 1,000,000 molecules.

Run with the folder of the real data sets::

    HONESTEVAL_DATA=... python benchmarks/scaling.py [--sizes 10000 100000 1000000] [--json FILE]

The molecules are those of MUV, grown by :func:`honesteval.datasets.grow_fingerprints` where
more are asked for. Each size runs in a process of its own, from fingerprints to five folds.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from honesteval.datasets import grow_fingerprints
from honesteval.entities import parse_molecules
from honesteval.partition import solve_partition
from honesteval.similarity import TanimotoSimilarity

SIZES = [10_000, 20_000, 50_000, 93_127, 200_000, 500_000, 1_000_000]


def one_size(fingerprints, n):
    """Print the figures of one size as JSON."""
    real = np.load(fingerprints)
    rows = real[np.random.default_rng(0).permutation(len(real))[:n]]
    similarity = TanimotoSimilarity(rows if n <= len(real) else grow_fingerprints(real, n))
    wall, cpu = time.perf_counter(), time.process_time()
    partition = solve_partition(similarity, shares=[1] * 5)
    figures = {
        "n": n,
        "wall s": time.perf_counter() - wall,
        "cpu s": time.process_time() - cpu,
        "peak GB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
        "scaled L": partition.scaled_leakage,
        "error of L": partition.leakage_error,
        "of random": partition.relative_leakage,
    }
    print(json.dumps(figures))


def main():
    """Run all sizes and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    table = pd.read_csv(Path(os.environ["HONESTEVAL_DATA"]) / "molecules" / "muv.csv.gz")
    wall, cpu = time.perf_counter(), time.process_time()
    real = parse_molecules(table["smiles"], errors="drop").fingerprints()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(f"{len(real):,} fingerprints from SMILES in {wall:.0f} s ({cpu:.0f} CPU s)")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "fingerprints.npy"
        np.save(file, real)
        for n in arguments.sizes:
            code = f"import scaling; scaling.one_size({str(file)!r}, {n})"
            done = subprocess.run(
                [sys.executable, "-c", code], cwd=Path(__file__).parent, capture_output=True,
                text=True, check=True,
            )  # fmt: skip
            rows.append(json.loads(done.stdout))
            print(done.stdout.strip(), flush=True)
            if arguments.json:
                parsing = {"n": len(real), "wall s": wall, "cpu s": cpu}
                text = json.dumps({"from SMILES": parsing, "sizes": rows}, indent=1)
                arguments.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
