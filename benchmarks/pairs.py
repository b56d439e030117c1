"""Human drug-target pairs: what splits keep, and how close tested entities are to training.

``HONESTEVAL_DATA=... python benchmarks/pairs.py`` compares the published random and cold splits
with those of SimilarityPairKFold (both sides new). Similarity of proteins is Tanimoto of their
3-residue words, of compounds that of ECFP4 fingerprints.
"""

from __future__ import annotations

import os
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from honesteval import HonestevalWarning, SimilarityPairKFold
from honesteval.similarity import Similarity, resolve_similarity

COLUMNS = {"SMILES": "molecule", "Protein": "kmer"}
WHOLE = ["SMILES", "Protein"]


def published(kind: str) -> list[pd.DataFrame]:
    """Return the published training (with validation) and test pairs, each pair once."""
    folder = Path(os.environ["HONESTEVAL_DATA"]) / "dti" / "human" / kind
    parts = [
        pd.read_csv(folder / f"{name}.csv.gz").drop_duplicates(WHOLE)
        for name in ("train", "val", "test")
    ]
    return [pd.concat(parts[:2]), parts[2]]


class Closeness:
    """Similarity of tested entities to the nearest in training, mean over tested pairs."""

    def __init__(self, pairs: pd.DataFrame) -> None:
        self.of: dict[str, tuple[dict[str, int], Similarity]] = {}
        for column, measure in COLUMNS.items():
            values = list(dict.fromkeys(pairs[column]))
            place = {value: i for i, value in enumerate(values)}
            self.of[column] = place, resolve_similarity(values, measure)

    def __call__(self, train: pd.DataFrame, test: pd.DataFrame) -> list[float]:
        """Return the closeness of the test pairs, compounds first."""
        found = []
        for column, (place, similarity) in self.of.items():
            known = np.unique([place[value] for value in train[column]])
            queries, which = np.unique([place[v] for v in test[column]], return_inverse=True)
            found.append(float(similarity.nearest(queries, known)[0][which].mean()))
        return found


def main() -> None:
    """Print the table."""
    warnings.simplefilter("ignore", HonestevalWarning)
    pairs = pd.concat(published("random"), ignore_index=True)
    closeness, n = Closeness(pairs), len(pairs)
    print(
        f"{n} pairs, {pairs['SMILES'].nunique()} compounds, {pairs['Protein'].nunique()} proteins"
    )
    print(f"{'split':52} {'used':>6} {'tested':>7} {'compound':>9} {'protein':>8} {'cpu s':>6}")

    def show(name: str, used: float, tested: float, near: list[float], seconds: float) -> None:
        print(f"{name:52} {used:6.1%} {tested:7.1%} {near[0]:9.3f} {near[1]:8.3f} {seconds:6.0f}")

    for kind in ("random", "cold"):
        train, test = published(kind)
        show(f"published {kind}", (len(train) + len(test)) / n, len(test) / n,
             closeness(train, test), 0)  # fmt: skip
    identity = dict.fromkeys(COLUMNS, "identity")
    runs = {
        "identity, diagonal": {"entities": identity, "coverage": "diagonal"},
        "similarity, diagonal": {"entities": COLUMNS, "coverage": "diagonal"},
        "similarity, diagonal, pair_loss_weight=0.25": {
            "entities": COLUMNS, "coverage": "diagonal", "pair_loss_weight": 0.25,
        },
        "similarity, full": {"entities": COLUMNS},
        "similarity, compound unseen": {"entities": COLUMNS, "unseen": "SMILES"},
        "similarity, protein unseen": {"entities": COLUMNS, "unseen": "Protein"},
    }  # fmt: skip
    for name, parameters in runs.items():
        start = time.process_time()
        partition = SimilarityPairKFold(5, n_init=2, size_tolerance=0.1, **parameters).partition(
            pairs
        )
        seconds = time.process_time() - start
        used = 1 - partition.to_frame()["n_left_out"].mean() / n
        near = np.mean([closeness(pairs.iloc[a], pairs.iloc[b]) for a, b in partition.splits], 0)
        show(f"5 folds, {name}", used, partition.tested_share, list(near), seconds)


if __name__ == "__main__":
    main()
