"""Real sets cut by similarity, as cases that an audit is given."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rdkit.Chem import Descriptors

from honesteval.checks import audit_split
from honesteval.entities import parse_molecules, read_table
from honesteval.model_selection import SimilarityGroupKFold

SETS = {
    "ESOL": ("delaney-processed.csv", "smiles", "measured log solubility in mols per litre"),
    "Lipophilicity": ("Lipophilicity.csv", "smiles", "exp"),
    "BACE": ("bace.csv.gz", "mol", "pIC50"),
    "BBBP": ("BBBP.csv", "smiles", "BBBP"),
    "ClinTox": ("clintox.csv.gz", "smiles", "CT_TOX"),
}
DESCRIPTORS = (
    "MolLogP", "MolMR", "TPSA", "LabuteASA", "BalabanJ", "BertzCT", "Kappa1", "Kappa2", "Kappa3",
    "Chi0v", "Chi1v", "Chi2v", "HallKierAlpha", "MaxPartialCharge", "MinPartialCharge",
    "PEOE_VSA1", "SMR_VSA10", "FractionCSP3", "NumRotatableBonds", "RingCount",
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """What is handed to the audit."""

    smiles: np.ndarray
    y: np.ndarray
    test: np.ndarray
    features: pd.DataFrame
    options: dict[str, Any] = field(default_factory=dict)
    splits: Any = None

    @property
    def train(self) -> np.ndarray:
        """Rows of the training side."""
        return np.flatnonzero(~self.test)

    def audit(self, codes: list[str] | None = None) -> Any:
        """Run some checks, or all."""
        arguments = {"X": self.smiles, "features": self.features, **self.options}
        return audit_split(y=self.y, splits=self.parts, checks=codes, **arguments)

    @property
    def parts(self) -> Any:
        """The split as handed over: a column, unless a plant gave another form."""
        part = np.where(self.test, "test", "train")
        return part if self.splits is None else self.splits

    def copied(self, rows: np.ndarray, sources: np.ndarray) -> Case:
        """Let rows repeat the molecules and labels of others."""
        smiles, y = self.smiles.copy(), self.y.copy()
        smiles[rows], y[rows] = smiles[sources], y[sources]
        return replace(self, smiles=smiles, y=y)


def load(folder: Path, name: str, n_rows: int, seed: int) -> Case:
    file, smiles, target = SETS[name]
    table = pd.read_csv(folder / "molecules" / file).dropna(subset=[target])
    molecules = parse_molecules(table[smiles], errors="drop")
    random = np.random.default_rng(seed)
    keep = np.sort(random.permutation(len(molecules))[:n_rows])
    flat = molecules.keys("flat")
    _, first = np.unique(flat[keep], return_index=True)
    keep = keep[np.sort(first)]
    keep = random.permutation(keep)
    features = pd.DataFrame(
        [[getattr(Descriptors, d)(molecules.mols[i]) for d in DESCRIPTORS] for i in keep],
        columns=list(DESCRIPTORS),
    )
    folds = SimilarityGroupKFold(5, threshold=0.9, random_state=seed)
    chosen = molecules.smiles[keep]
    y = table[target].to_numpy()[molecules.rows[keep]]
    classes = y if len(np.unique(y)) == 2 else None  # few positives are spread over the folds
    _, test_rows = next(folds.split(chosen, classes))
    test = np.isin(np.arange(len(chosen)), test_rows)
    return Case(chosen, y, test, features.replace([np.inf, -np.inf], np.nan).fillna(0.0))


SEQUENCE_SETS = ("NetGPI", "DeePromoter", "Human targets", "FLIP binding")


def read_sequences(folder: Path, name: str) -> list[str]:
    if name == "NetGPI":
        found = read_table(folder / "sequences/netgpi/netgpi_dataset.fasta.gz")["sequence"]
    elif name == "DeePromoter":
        found = read_table(folder / "sequences/deepromoter/deepromoter_tata_human.fasta.gz")[
            "sequence"
        ]
    elif name == "FLIP binding":
        with zipfile.ZipFile(folder / "sequences/flip_bind/splits.zip") as archive:
            (member,) = [n for n in archive.namelist()
                         if n.endswith("sequences.fasta") and not n.startswith("__")]  # fmt: skip
            found = read_table(io.StringIO(archive.read(member).decode()), format="fasta")[
                "sequence"
            ]
    else:
        found = pd.read_csv(folder / "dti/human/random/train.csv.gz")["Protein"]
    return found.dropna().str.upper().str.replace("-", "").drop_duplicates().tolist()


def load_sequences(folder: Path, name: str, n_rows: int, seed: int) -> Case:
    """Cut sequences so that none has a test row with nearly its own words in training."""
    random = np.random.default_rng(seed)
    sequences = np.array(read_sequences(folder, name), dtype=object)
    sequences = random.permutation(sequences)[:n_rows]
    folds = SimilarityGroupKFold(5, similarity="kmer", threshold=0.7,
                                 on_oversize="cut", random_state=seed)  # fmt: skip
    _, test_rows = next(folds.split(sequences))
    test = np.isin(np.arange(len(sequences)), test_rows)
    y = random.normal(size=len(sequences))
    features = pd.DataFrame(random.normal(size=(len(sequences), 3)), columns=list("abc"))
    return Case(sequences, y, test, features, {"similarity": "kmer"})


def cases(
    folder: Path, sets: Sequence[str], n_rows: int, repeats: int
) -> Iterator[tuple[str, int, Case]]:
    """Yield every clean case with its name and seed."""
    for seed in range(repeats):
        for name in sets:
            draw = load if name in SETS else load_sequences
            yield name, seed, draw(folder, name, n_rows, seed)
