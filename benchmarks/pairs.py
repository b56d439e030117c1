"""Human drug-target pairs: what splits keep, what leaks through them, and what models score.

``HONESTEVAL_DATA=... python benchmarks/pairs.py [--quick] [--json FILE]`` compares the published
random and cold splits with those of SimilarityPairKFold: by identity and by similarity, both sides
new or one of them. Similarity of proteins is Tanimoto of their 3-residue words, of compounds that
of ECFP4 fingerprints. Scores are ROC-AUC, mean over folds: ``forest`` sees fingerprints and words,
``rates`` only how often compound and protein were labelled positive in training. ``--quick``: one
of the five folds is scored.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.metrics import roc_auc_score

from honesteval import HonestevalWarning, SimilarityPairKFold
from honesteval.entities import parse_molecules
from honesteval.similarity import Similarity, resolve_similarity

COLUMNS = {"SMILES": "molecule", "Protein": "kmer"}
WHOLE = ["SMILES", "Protein"]


def published(kind: str, *parts: str) -> list[pd.DataFrame]:
    """Return parts of a published split, each pair once."""
    folder = Path(os.environ["HONESTEVAL_DATA"]) / "dti" / "human" / kind
    return [pd.read_csv(folder / f"{name}.csv.gz").drop_duplicates(WHOLE) for name in parts]


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


def bits_of(pairs: pd.DataFrame) -> dict[str, dict[str, np.ndarray]]:
    """Return the features of each compound and protein."""
    compounds, proteins = (list(dict.fromkeys(pairs[column])) for column in COLUMNS)
    packed = parse_molecules(compounds).fingerprints(n_bits=1024)
    words = HashingVectorizer(analyzer="char", ngram_range=(3, 3), n_features=1024, norm=None)
    counts = np.minimum(words.transform(proteins).toarray(), 1).astype(np.float32)
    bits = np.unpackbits(packed, axis=1).astype(np.float32)
    return {
        "SMILES": dict(zip(compounds, bits, strict=True)),
        "Protein": dict(zip(proteins, counts, strict=True)),
    }


def scores(bits: Any, folds: list[tuple[pd.DataFrame, pd.DataFrame]]) -> dict[str, float]:
    """Return the mean ROC-AUC of the forest and of label rates."""
    found: dict[str, list[float]] = {"forest": [], "rates": []}
    for train, test in folds:
        if test["Y"].nunique() < 2:
            continue
        known, asked = (
            np.hstack([np.stack([bits[c][v] for v in part[c]]) for c in COLUMNS])
            for part in (train, test)
        )
        forest = RandomForestClassifier(100, random_state=0, n_jobs=1).fit(known, train["Y"])
        found["forest"].append(roc_auc_score(test["Y"], forest.predict_proba(asked)[:, 1]))
        prior, logit = train["Y"].mean(), np.zeros(len(test))
        for column in COLUMNS:
            of = train.groupby(column)["Y"].agg(["sum", "count"])
            rate = ((of["sum"] + prior) / (of["count"] + 1)).reindex(test[column]).fillna(prior)
            logit += np.log(rate / (1 - rate)).to_numpy()
        found["rates"].append(roc_auc_score(test["Y"], logit))
    return {name: float(np.mean(values)) for name, values in found.items()}


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="score one fold only")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    rows: list[dict[str, Any]] = []
    warnings.simplefilter("ignore", HonestevalWarning)
    pairs = pd.concat(published("random", "train", "val", "test"), ignore_index=True)
    closeness, bits, n = Closeness(pairs), bits_of(pairs), len(pairs)
    print(
        f"{n} pairs, {pairs['SMILES'].nunique()} compounds, {pairs['Protein'].nunique()} proteins"
    )
    titles = ("used", "tested", "compound", "protein", "forest", "rates", "cpu s")
    print(f"{'split':52}", *(f"{title:>8}" for title in titles), flush=True)

    def show(
        name: str, used: float, tested: float, near: list[float], seconds: float,
        auc: dict[str, float],
    ) -> None:  # fmt: skip
        rows.append(
            {"split": name, "used": used, "tested": tested, "compound nearest": near[0],
             "protein nearest": near[1], **auc, "cpu s": seconds}
        )  # fmt: skip
        values = (used, tested, *near, auc["forest"], auc["rates"], seconds)
        print(f"{name:52}", *(f"{value:8.3f}" for value in values), flush=True)

    for kind in ("random", "cold"):
        # not the validation part: in the cold split it shares compounds and proteins with the test
        train, test = published(kind, "train", "test")
        show(f"published {kind}", (len(train) + len(test)) / n, len(test) / n,
             closeness(train, test), 0, scores(bits, [(train, test)]))  # fmt: skip
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
        folds = [(pairs.iloc[a], pairs.iloc[b]) for a, b in partition.splits]
        auc = scores(bits, folds[:1] if arguments.quick else folds)
        show(f"5 folds, {name}", used, partition.tested_share, list(near), seconds, auc)
    if arguments.json:
        found = {"pairs": n, "quick": arguments.quick, "rows": rows}
        arguments.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
