"""Leaks that are planted into clean cases: one function per kind of leak."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
from audit_cases import Case
from rdkit import Chem
from sklearn.feature_selection import SelectKBest, f_classif, f_regression
from sklearn.impute import SimpleImputer
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import StandardScaler

from honesteval.entities import parse_molecules
from honesteval.similarity import molecule_similarity

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
    return take(case, order)


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
    return take(case, np.flatnonzero(keep))


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


def take(case: Case, rows: np.ndarray) -> Case:
    return replace(
        case, smiles=case.smiles[rows], y=case.y[rows], test=case.test[rows],
        features=case.features.iloc[rows].reset_index(drop=True),
    )  # fmt: skip


def some_test(case: Case, share: float, random: np.random.Generator) -> np.ndarray:
    n = max(1, round(share * case.test.sum()))
    return random.choice(np.flatnonzero(case.test), n, replace=False)


def is_high(case: Case) -> np.ndarray:
    values = np.unique(case.y)
    return case.y > (np.median(case.y) if len(values) > 2 else values[0])


def random_sides(case: Case, random: np.random.Generator) -> Case:
    return replace(case, test=random.permutation(case.test))


def tautomers(case: Case, share: float, random: np.random.Generator) -> Case:
    """Replace test molecules by an unsaturated acid amide and its imidic acid in training."""
    smiles = case.smiles.copy()
    rows = some_test(case, share, random)
    for number, row in enumerate(rows):
        chain, source = "C" * (number + 3), random.choice(case.train)
        smiles[source], smiles[row] = f"{chain}C(=O)NC(C)c1ccccc1", f"{chain}C(O)=NC(C)c1ccccc1"
    return replace(case, smiles=smiles)


def stereo(case: Case, share: float, random: np.random.Generator) -> Case:
    smiles = case.smiles.copy()
    for number, row in enumerate(some_test(case, share, random)):
        chain, source = "C" * (number + 3), random.choice(case.train)
        smiles[source], smiles[row] = f"{chain}[C@H](N)C(=O)O", f"{chain}[C@@H](N)C(=O)O"
    return replace(case, smiles=smiles)


def conflicts(case: Case, share: float, random: np.random.Generator) -> Case:
    """Repeat training rows within training, this share of them with another label."""
    rows = random.choice(case.train, 40, replace=False)
    into, sources = rows[:20], rows[20:]
    smiles, y = case.smiles.copy(), case.y.copy()
    smiles[into], y[into] = smiles[sources], y[sources]
    wrong = into[: max(1, round(share * 20))]
    binary = len(np.unique(case.y)) == 2
    y[wrong] = 1 - y[wrong] if binary else y[wrong] + 2 * case.y.std()
    return replace(case, smiles=smiles, y=y)


def repeats(case: Case, share: float, random: np.random.Generator) -> Case:
    n = max(1, round(share * len(case.train)))
    rows = random.choice(case.train, 2 * n, replace=False)
    return case.copied(rows[:n], rows[n:])


def equal_vectors(case: Case, share: float, random: np.random.Generator) -> Case:
    """Let the features of test rows be those of training rows, and audit the features alone."""
    rows = some_test(case, share, random)
    values = case.features.to_numpy().copy()
    values[rows] = values[random.choice(case.train, len(rows))]
    return replace(case, options={"X": values})


def equal_sequences(case: Case, share: float, random: np.random.Generator) -> Case:
    rows = some_test(case, share, random)
    return case.copied(rows, random.choice(case.train, len(rows)))


def near_sequences(case: Case, share: float, random: np.random.Generator) -> Case:
    """Replace test sequences by training sequences with one letter changed."""
    smiles = case.smiles.copy()
    for row in some_test(case, share, random):
        text = smiles[random.choice(case.train)]
        smiles[row] = "W" + text[1:] if text[0] != "W" else "A" + text[1:]
    return replace(case, smiles=smiles)


def random_split(case: Case, share: float, random: np.random.Generator) -> Case:
    """Split at random instead of by similarity."""
    return random_sides(case, random)


def no_better_than_copying(case: Case, noise: float, random: np.random.Generator) -> Case:
    """Hand over predictions of a model that has learned nothing but noise."""
    scale = case.y.std() * noise
    return replace(
        case, options={"y_pred": case.y.mean() + scale * random.normal(size=len(case.y))}
    )


def turned_ranking(case: Case, noise: float, random: np.random.Generator) -> Case:
    """Let one model know copies only, and another be fair, where most rows of folds are copies."""
    fold = random.integers(0, 5, len(case.y))
    rows = random.choice(len(case.y), round(0.7 * len(case.y)), replace=False)
    kept = np.setdiff1d(np.arange(len(case.y)), rows)
    kept = random.choice(kept, len(kept) // 5, replace=False)  # the others stay clean
    sources = np.array([random.choice(kept[fold[kept] != fold[row]]) for row in rows])
    planted = case.copied(rows, sources)
    y = planted.y
    scale = 1.0 if len(np.unique(y)) == 2 else y.std()
    remembers = np.where(np.isin(np.arange(len(y)), rows), y, random.permutation(y))
    fair = y + noise * scale * random.normal(size=len(y))
    return replace(planted, splits=fold, options={"y_pred": {"remembers": remembers, "fair": fair}})


def with_pairs(case: Case, random: np.random.Generator) -> Case:
    proteins = np.array([f"P{number}" for number in random.integers(0, 60, len(case.y))])
    pairs = pd.DataFrame({"drug": case.smiles, "protein": proteins})
    return replace(case, options={"pairs": pairs})


def known_entities(case: Case, share: float, random: np.random.Generator) -> Case:
    """Let this share of the test pairs hold a drug of training."""
    made = with_pairs(case, random)
    pairs = made.options["pairs"].copy()
    rows = some_test(case, share, random)
    pairs.loc[rows, "drug"] = case.smiles[random.choice(case.train, len(rows))]
    return replace(made, options={"pairs": pairs})


def telling_degrees(case: Case, share: float, random: np.random.Generator) -> Case:
    """Draw the partners of positives from few proteins, and of negatives from many."""
    positive = is_high(case)
    n_hubs = max(1, round(positive.sum() / 30))  # each of many more rows than the others have
    hubs, others = random.integers(0, n_hubs, len(case.y)), random.integers(8, 120, len(case.y))
    at_hub = positive & (random.random(len(case.y)) < share)
    pairs = pd.DataFrame({"a": case.smiles, "b": np.where(at_hub, hubs, 100 + others).astype(str)})
    return replace(case, y=positive.astype(float), options={"pairs": pairs})


def mirrored_pairs(case: Case, share: float, random: np.random.Generator) -> Case:
    a, b = (np.array([f"{n}{i}" for i in range(len(case.y))], dtype=object) for n in "ab")
    rows = some_test(case, share, random)
    sources = random.choice(case.train, len(rows), replace=False)
    a[rows], b[rows] = b[sources], a[sources]
    return replace(case, options={"pairs": pd.DataFrame({"a": a, "b": b})})


def self_pairs(case: Case, share: float, random: np.random.Generator) -> Case:
    a, b = (np.array([f"{n}{i}" for i in range(len(case.y))], dtype=object) for n in "ab")
    rows = some_test(case, share, random)
    b[rows] = a[rows]
    return replace(case, options={"pairs": pd.DataFrame({"a": a, "b": b})})


def near_known_drugs(case: Case, share: float, random: np.random.Generator) -> Case:
    """Make new drugs that are near duplicates of known ones, with partners of training."""
    return with_pairs(near(case, share, random), random)


def overlapping(case: Case, share: float, random: np.random.Generator) -> Case:
    rows = some_test(case, share, random)
    return replace(case, splits=(np.append(case.train, rows), np.flatnonzero(case.test)))


def given_twice(case: Case, share: float, random: np.random.Generator) -> Case:
    rows = some_test(case, share, random)
    return replace(case, splits=(case.train, np.append(np.flatnonzero(case.test), rows)))


def windows(case: Case, share: float, random: np.random.Generator) -> Case:
    """Windows of 5 days that end before the test windows begin, but for a share of them."""
    start = np.where(case.test, 1000, random.integers(0, 900, len(case.y)))
    late = random.choice(case.train, max(1, round(share * len(case.train))), replace=False)
    start[late] = 997
    return replace(case, options={"time": np.column_stack([start, start + 5])})


def missing_class(case: Case, n: float, random: np.random.Generator) -> Case:
    """Leave this many positives in the test set."""
    y = is_high(case).astype(float)
    rows = random.permutation(np.flatnonzero(case.test & (y == 1)))[int(n) :]
    return take(replace(case, y=y), np.setdiff1d(np.arange(len(y)), rows))


def selected(case: Case, n_kept: float, random: np.random.Generator) -> Case:
    """Keep the best of 2,000 features of noise by the labels of all rows."""
    noise = random.normal(size=(len(case.y), 2000))
    score = f_regression if len(np.unique(case.y)) > 2 else f_classif
    kept = SelectKBest(score, k=int(n_kept)).fit_transform(noise, case.y)
    return replace(case, features=pd.DataFrame(kept).add_prefix("f"))


def shifted_features(case: Case, share: float, random: np.random.Generator) -> Case:
    """Draw this share of a random test set from the rows with the highest logP."""
    n_test, n_high = int(case.test.sum()), round(share * case.test.sum())
    order = np.argsort(-case.features["MolLogP"].to_numpy(), kind="stable")
    rest = random.choice(order[n_high:], n_test - n_high, replace=False)
    test = np.isin(np.arange(len(case.y)), np.append(order[:n_high], rest))
    return replace(case, test=test)


def biased_classes(case: Case, share: float, random: np.random.Generator) -> Case:
    """Let this share of random test rows have the label of their nearest training row."""
    case = random_sides(case, random)
    y = is_high(case).astype(float)
    similarity = molecule_similarity(parse_molecules(list(case.smiles)))
    rows = some_test(case, share, random)
    y[rows] = y[similarity.nearest(rows, case.train)[1]]
    return replace(case, y=y)


#: What is planted, the check that should find it, and strengths from the weakest on.
PLANTS: dict[str, tuple[Plant, str, tuple[float, ...]]] = {
    "identical rows (share of test)": (identical, "HE101", (0.01, 0.05, 0.2)),
    "identical, written differently": (written_differently, "HE101", (0.01, 0.05, 0.2)),
    "salts of training rows": (salt, "HE102", (0.01, 0.05, 0.2)),
    "stereoisomers of training rows": (stereo, "HE102", (0.01, 0.05, 0.2)),
    "tautomers of training rows": (tautomers, "HE103", (0.01, 0.05, 0.2)),
    "conflicting repeats (share)": (conflicts, "HE104", (0.05, 0.1, 0.5)),
    "repeats within training (share)": (repeats, "HE105", (0.01, 0.1)),
    "equal feature vectors (share of test)": (equal_vectors, "HE101", (0.01, 0.05, 0.2)),
    "near duplicates (share of test)": (near, "HE111", (0.01, 0.05, 0.2)),
    "copies that inflate 1-NN": (identical, "HE121", (0.1, 0.2, 0.4)),
    "random instead of similarity split": (random_split, "HE112", (1.0,)),
    "random instead of similarity split, L": (random_split, "HE113", (1.0,)),
    "model of noise (SD)": (no_better_than_copying, "HE122", (0.5, 1.0)),
    "order turned by copies (noise, SD)": (turned_ranking, "HE123", (1.0, 0.8)),
    "known drugs in test pairs (share)": (known_entities, "HE131", (0.01, 0.05, 0.5)),
    "positives at few proteins (share)": (telling_degrees, "HE133", (0.3, 0.5, 1.0)),
    "mirrored pairs (share of test)": (mirrored_pairs, "HE134", (0.01, 0.05, 0.2)),
    "self pairs (share of test)": (self_pairs, "HE134", (0.01, 0.05)),
    "near duplicates of drugs (share)": (near_known_drugs, "HE135", (0.05, 0.2)),
    "rows on both sides (share of test)": (overlapping, "HE201", (0.01, 0.1)),
    "rows given twice (share of test)": (given_twice, "HE202", (0.01, 0.1)),
    "parted groups (share of test)": (groups, "HE203", (0.01, 0.05, 0.2)),
    "later training rows (share)": (later, "HE204", (0.01, 0.05, 0.2)),
    "overlapping windows (share)": (windows, "HE206", (0.01, 0.1)),
    "offset between levels (SD)": (offset, "HE205", (0.5, 1.0, 2.0, 4.0)),
    "feature = label + noise (SD)": (leaking_feature, "HE301", (0.2, 0.1, 0.05, 0.0)),
    "rows in label order (noise, SD)": (sorted_rows, "HE302", (2.0, 1.0, 0.5, 0.0)),
    "row number as feature": (identifier, "HE303", (1.0,)),
    "gaps that tell the label (share)": (telling_gaps, "HE304", (0.1, 0.2, 0.6)),
    "scaled before the split": (scaled, "HE401", (1.0,)),
    "imputed before the split (share)": (imputed, "HE402", (0.02, 0.1, 0.3)),
    "oversampled before the split (share)": (oversampled, "HE403", (0.02, 0.05, 0.2)),
    "selected before the split (kept)": (selected, "HE404", (50, 20)),
    "test set of n rows": (small_test, "HE501", (40, 20)),
    "n positives in the test set": (missing_class, "HE502", (0,)),
    "feature shift (share of test)": (shifted_features, "HE603", (0.15, 0.3, 0.6)),
    "feature shift, neighbours (share)": (shifted_features, "HE601", (0.3, 0.6, 0.9)),
    "labels of the nearest row (share)": (biased_classes, "HE602", (0.25, 0.5, 1.0)),
    "label shift (share of test)": (shifted_labels, "HE503", (0.3, 0.6, 0.9)),
    "entity gives the label (share)": (giving_entity, "HE132", (0.4, 0.6, 0.9)),
}

#: Planted into sets of sequences.
SEQUENCE_PLANTS: dict[str, tuple[Plant, str, tuple[float, ...]]] = {
    "identical sequences (share of test)": (equal_sequences, "HE101", (0.01, 0.05, 0.2)),
    "sequences with one change (share)": (near_sequences, "HE111", (0.01, 0.05, 0.2)),
}
