"""Plant every kind of leak into real data sets: which are found, and what fires on clean ones.

    HONESTEVAL_DATA=... python benchmarks/audit_truth.py [--repeats 3] [--rows 800] [--output t.csv]

Each data set is split by similarity (near duplicates and flat structures kept together). On that
clean split every check is run as it is: findings of severity warning and error are false alarms
(a test set of a fifth of the rows may be small, and its labels may shift: these two are shown,
not hidden). Then one leak at a time is planted at several strengths and the check that should
find it is run: recall is the share of repeats in which it does.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rdkit import Chem, rdBase
from rdkit.Chem import Descriptors
from sklearn.impute import SimpleImputer
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import StandardScaler

from honesteval.checks import audit_split
from honesteval.entities import parse_molecules
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
    options: dict[str, Any]

    @property
    def train(self) -> np.ndarray:
        """Rows of the training side."""
        return np.flatnonzero(~self.test)

    def audit(self, codes: list[str] | None = None) -> Any:
        """Run some checks, or all."""
        part = np.where(self.test, "test", "train")
        return audit_split(
            self.smiles, self.y, part, features=self.features, checks=codes, **self.options
        )

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
    _, test_rows = next(folds.split(chosen))
    test = np.isin(np.arange(len(chosen)), test_rows)
    return Case(chosen, y, test, features.replace([np.inf, -np.inf], np.nan).fillna(0.0), {})


# -- one function per kind of leak: (case, strength, random) -> case ------------------------------

Plant = Callable[[Case, float, np.random.Generator], Case]


def identical(case: Case, share: float, random: np.random.Generator) -> Case:
    n = max(1, round(share * case.test.sum()))
    rows = random.choice(np.flatnonzero(case.test), n, replace=False)
    return case.copied(rows, random.choice(case.train, n, replace=False))


def written_differently(case: Case, share: float, random: np.random.Generator) -> Case:
    planted = identical(case, share, random)
    smiles = planted.smiles.copy()
    for row in np.flatnonzero(smiles != case.smiles):
        mol = Chem.MolFromSmiles(smiles[row])
        atoms = random.permutation(mol.GetNumAtoms()).tolist()
        smiles[row] = Chem.MolToSmiles(Chem.RenumberAtoms(mol, atoms), canonical=False)
    return replace(planted, smiles=smiles)


def salt(case: Case, share: float, random: np.random.Generator) -> Case:
    planted = identical(case, share, random)
    smiles = planted.smiles.copy()
    changed = smiles != case.smiles
    smiles[changed] = [f"{text}.Cl" for text in smiles[changed]]
    return replace(planted, smiles=smiles)


def near(case: Case, share: float, random: np.random.Generator) -> Case:
    """Replace test molecules by training molecules with one more carbon on a long chain."""
    n = max(1, round(share * case.test.sum()))
    sources = [row for row in case.train if _longer(case.smiles[row]) is not None]
    rows = random.choice(np.flatnonzero(case.test), n, replace=False)
    smiles, y = case.smiles.copy(), case.y.copy()
    for row in rows:
        source = sources[random.integers(len(sources))]
        smiles[row], y[row] = _longer(smiles[source]), y[source]
    return replace(case, smiles=smiles, y=y)


def _longer(smiles: str) -> str | None:
    from rdkit.Chem import rdFingerprintGenerator
    from rdkit.DataStructs import TanimotoSimilarity

    generator = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)
    mol = Chem.MolFromSmiles(smiles)
    for text in (f"{smiles}C", f"C{smiles}", smiles.replace("CC", "CCC", 1)):
        other = Chem.MolFromSmiles(text) if text != smiles else None
        if other is not None and other.GetNumAtoms() == mol.GetNumAtoms() + 1:
            pair = (generator.GetFingerprint(mol), generator.GetFingerprint(other))
            if 0.9 <= TanimotoSimilarity(*pair) < 1:
                return Chem.MolToSmiles(other)
    return None


def groups(case: Case, share: float, random: np.random.Generator) -> Case:
    label = np.where(case.test, random.integers(0, 20, len(case.y)) + 100,
                     random.integers(0, 80, len(case.y)))  # fmt: skip
    n = max(1, round(share * case.test.sum()))
    rows = random.choice(np.flatnonzero(case.test), n, replace=False)
    label[rows] = label[random.choice(case.train, n)]
    return replace(case, options={"groups": label})


def later(case: Case, share: float, random: np.random.Generator) -> Case:
    year = np.where(case.test, 2020, random.integers(2000, 2020, len(case.y)))
    late = random.choice(case.train, max(1, round(share * len(case.train))), replace=False)
    year[late] = 2021
    return replace(case, options={"time": [f"{value}-07-01" for value in year]})


def offset(case: Case, size: float, random: np.random.Generator) -> Case:
    level = random.integers(0, 2, len(case.y))
    return replace(case, y=case.y + size * case.y.std() * level, options={"levels": level})


def leaking_feature(case: Case, noise: float, random: np.random.Generator) -> Case:
    leak = case.y + noise * case.y.std() * random.normal(size=len(case.y))
    return replace(case, features=case.features.assign(leak=leak))


def sorted_rows(case: Case, share: float, random: np.random.Generator) -> Case:
    """Sort by label, up to noise of this many standard deviations."""
    order = np.argsort(case.y + share * case.y.std() * random.normal(size=len(case.y)))
    return Case(case.smiles[order], case.y[order], case.test[order],
                case.features.iloc[order].reset_index(drop=True), case.options)  # fmt: skip


def identifier(case: Case, _: float, random: np.random.Generator) -> Case:
    return replace(case, features=case.features.assign(id=np.arange(len(case.y)) + 17))


def telling_gaps(case: Case, share: float, random: np.random.Generator) -> Case:
    """Values go missing in this share of the rows with labels above the median."""
    high = case.y > np.median(case.y) if len(np.unique(case.y)) > 2 else case.y == case.y.max()
    gap = high & (random.random(len(case.y)) < share)
    return replace(case, features=case.features.assign(TPSA=case.features["TPSA"].mask(gap)))


def scaled(case: Case, _: float, random: np.random.Generator) -> Case:
    values = StandardScaler().fit_transform(case.features)
    return replace(case, features=pd.DataFrame(values, columns=case.features.columns))


def imputed(case: Case, share: float, random: np.random.Generator) -> Case:
    gaps = case.features.mask(random.random(case.features.shape) < share)
    values = SimpleImputer().fit_transform(gaps)
    return replace(case, features=pd.DataFrame(values, columns=case.features.columns))


def oversampled(case: Case, share: float, random: np.random.Generator) -> Case:
    """Replace features of training rows by mixtures with neighbours on either side."""
    X = case.features.to_numpy()
    scaled_X = StandardScaler().fit_transform(X)
    near_rows = NearestNeighbors(n_neighbors=6).fit(scaled_X).kneighbors(scaled_X)[1]
    rows = random.choice(case.train, round(share * len(case.train)), replace=False)
    kept = np.setdiff1d(np.arange(len(X)), rows)
    mixed = X.copy()
    for row in rows:
        start = random.choice(kept)
        other = near_rows[start, random.integers(1, 6)]
        mixed[row] = X[start] + random.random() * (X[other] - X[start])
    return replace(case, features=pd.DataFrame(mixed, columns=case.features.columns))


def small_test(case: Case, n: float, random: np.random.Generator) -> Case:
    keep = np.zeros(len(case.y), dtype=bool)
    keep[case.train] = True
    keep[random.choice(np.flatnonzero(case.test), int(n), replace=False)] = True
    return Case(case.smiles[keep], case.y[keep], case.test[keep],
                case.features[keep].reset_index(drop=True), case.options)  # fmt: skip


def shifted_labels(case: Case, share: float, random: np.random.Generator) -> Case:
    """Draw this share of the test rows from the rows with the highest labels."""
    n_test = int(case.test.sum())
    n_high = round(share * n_test)
    order = np.argsort(case.y + 1e-6 * random.normal(size=len(case.y)))[::-1]
    test = np.zeros(len(case.y), dtype=bool)
    test[order[:n_high]] = True
    rest = np.flatnonzero(~test)
    test[random.choice(rest, n_test - n_high, replace=False)] = True
    return replace(case, test=test)


def giving_entity(case: Case, agreement: float, random: np.random.Generator) -> Case:
    """Pair molecules with proteins that mostly have one label."""
    protein = random.integers(0, 40, len(case.y))
    high = (case.y > np.median(case.y)) if len(np.unique(case.y)) > 2 else case.y > 0
    preferred = np.where(high, protein % 20, protein % 20 + 20)
    protein = np.where(random.random(len(case.y)) < agreement, preferred, protein)
    pairs = pd.DataFrame({"drug": case.smiles, "protein": protein})
    return replace(case, y=high.astype(float), options={"pairs": pairs})


PLANTS: dict[str, tuple[Plant, str, tuple[float, ...]]] = {
    "identical rows (share of test)": (identical, "HE101", (0.01, 0.05, 0.2)),
    "identical, written differently": (written_differently, "HE101", (0.01, 0.05, 0.2)),
    "salts of training rows": (salt, "HE102", (0.01, 0.05, 0.2)),
    "near duplicates (share of test)": (near, "HE111", (0.01, 0.05, 0.2)),
    "copies that inflate 1-NN": (identical, "HE121", (0.2, 0.4)),
    "parted groups (share of test)": (groups, "HE203", (0.01, 0.05, 0.2)),
    "later training rows (share)": (later, "HE204", (0.01, 0.05, 0.2)),
    "offset between levels (SD)": (offset, "HE205", (1.0, 2.0, 4.0)),
    "feature = label + noise (SD)": (leaking_feature, "HE301", (0.0, 0.05, 0.1)),
    "rows in label order (noise, SD)": (sorted_rows, "HE302", (0.0, 0.5, 1.0)),
    "row number as feature": (identifier, "HE303", (1.0,)),
    "gaps that tell the label (share)": (telling_gaps, "HE304", (0.1, 0.3, 0.6)),
    "scaled before the split": (scaled, "HE401", (1.0,)),
    "imputed before the split (share)": (imputed, "HE402", (0.02, 0.1, 0.3)),
    "oversampled before the split (share)": (oversampled, "HE403", (0.05, 0.2)),
    "test set of n rows": (small_test, "HE501", (20, 40)),
    "label shift (share of test)": (shifted_labels, "HE503", (0.3, 0.6)),
    "entity gives the label (share)": (giving_entity, "HE132", (0.3, 0.6, 0.9)),
}


def runs(folder: Path, n_rows: int, repeats: int) -> Iterator[dict[str, Any]]:
    for name in SETS:
        for seed in range(repeats):
            case = load(folder, name, n_rows, seed)
            run = {"data": name, "seed": seed}
            for finding in case.audit().findings:
                yield {**run, "leak": "none", "strength": 0.0, **outcome(finding)}
            for leak, (plant, code, strengths) in PLANTS.items():
                for strength in strengths:
                    planted = plant(case, strength, np.random.default_rng(seed))
                    finding = planted.audit([code])[code]
                    yield {**run, "leak": leak, "strength": strength, **outcome(finding)}


def outcome(finding: Any) -> dict[str, str]:
    return {"code": finding.code, "severity": finding.severity or finding.status}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--rows", type=int, default=800)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    folder = os.environ.get("HONESTEVAL_DATA")
    if not folder:
        parser.error("set HONESTEVAL_DATA to the folder of the real data sets")
    start = time.perf_counter()
    with rdBase.BlockLogs():
        table = pd.DataFrame(runs(Path(folder), arguments.rows, arguments.repeats))
    if arguments.output:
        table.to_csv(arguments.output, index=False)
    table["found"] = table["severity"].isin(["error", "warning", "info"])
    planted = table[table["leak"] != "none"]
    recall = planted.pivot_table(
        index=["code", "leak", "strength"], columns="data", values="found", sort=False
    )
    recall["all"] = planted.groupby(["code", "leak", "strength"], sort=False)["found"].mean()
    print("Recall: share of the repeats in which the planted leak is found\n")
    print(recall.to_string(float_format="{:.2f}".format))
    clean = table[table["leak"] == "none"]
    alarms = clean.groupby("code").agg(
        warnings=("severity", lambda s: (s == "warning").mean()),
        errors=("severity", lambda s: (s == "error").mean()),
        n=("severity", "size"),
    )
    print("\nClean similarity splits: share with a finding of severity warning or error\n")
    print(alarms[alarms[["warnings", "errors"]].sum(axis=1) > 0].to_string(
        float_format="{:.2f}".format))  # fmt: skip
    print(f"\n{int((clean['severity'] == 'error').sum())} errors in {len(clean)} checks of clean "
          f"splits. {time.perf_counter() - start:.0f} s.")  # fmt: skip


if __name__ == "__main__":
    main()
