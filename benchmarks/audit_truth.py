"""Plant every kind of leak into real data and count what the audit finds, and what it imagines.

    HONESTEVAL_DATA=... python benchmarks/audit_truth.py [--repeats 3] [--rows 500] [--output FILE]

Five sets of molecules and four of sequences are freed of repeats and split by similarity; the
audit of each is run as it is: findings of severity warning and error are false alarms (a test set
of a fifth of the rows may be small, and its labels may shift: these two are shown, not hidden).
Then one leak at a time is planted at several strengths and the check that should find it is run:
recall is the share of repeats in which it does, with any severity. Where a check also speaks of
clean data with severity info, ``clean`` tells how often.

    python benchmarks/audit_truth.py --cases DIR      # write the cases as files instead
    python benchmarks/audit_peers.py DIR leaklint > peers.csv   # in an environment with the peer
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from audit_cases import SEQUENCE_SETS, SETS, Case, cases, load
from audit_plants import PLANTS, SEQUENCE_PLANTS, is_high
from rdkit import rdBase
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from honesteval.checks import permutation_check

#: Leaks that the other tools are given: kind and strength.
FOR_PEERS = {
    "identical rows (share of test)": 0.2,
    "identical, written differently": 0.2,
    "salts of training rows": 0.2,
    "near duplicates (share of test)": 0.2,
    "conflicting repeats (share)": 0.5,
    "parted groups (share of test)": 0.2,
    "later training rows (share)": 0.2,
    "feature = label + noise (SD)": 0.0,
    "row number as feature": 1.0,
    "gaps that tell the label (share)": 0.6,
    "scaled before the split": 1.0,
    "imputed before the split (share)": 0.3,
    "oversampled before the split (share)": 0.2,
    "selected before the split (kept)": 50,
    "label shift (share of test)": 0.6,
    "feature shift (share of test)": 0.6,
    "offset between levels (SD)": 4.0,
    "test set of n rows": 20,
}


def runs(folder: Path, n_rows: int, repeats: int) -> Iterator[dict[str, Any]]:
    for name, seed, case in cases(folder, n_rows, repeats):
        run = {"data": name, "seed": seed}
        for finding in case.audit().findings:
            yield {**run, "leak": "none", "strength": 0.0, **outcome(finding)}
        for leak, (plant, code, strengths) in plants_for(name).items():
            for strength in strengths:
                planted = plant(case, strength, np.random.default_rng(seed))
                finding = planted.audit([code])[code]
                yield {**run, "leak": leak, "strength": strength, **outcome(finding)}
        if name in SETS:
            yield from permuted(case, run)


def plants_for(name: str) -> dict[str, Any]:
    return PLANTS if name in SETS else SEQUENCE_PLANTS


def permuted(case: Case, run: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Select features before the folds, and inside them, and repeat both on permuted labels."""
    random = np.random.default_rng(run["seed"])
    y = is_high(case).astype(int)
    rows = np.concatenate([np.flatnonzero(y == label)[:40] for label in (0, 1)])
    y = y[rows]
    for n_features in (300, 2000):
        noise = random.normal(size=(len(y), n_features))
        inside = make_pipeline(SelectKBest(k=20), GaussianNB())
        finding = permutation_check(inside, noise, y, cv=5, chance=0.5, n_permutations=19,
                                    random_state=0).finding  # fmt: skip
        clean = {"code": "HE701", "severity": "error" if finding.severity == "error" else "passed"}
        yield {**run, "leak": "none", "strength": 0.0, **clean}
        leaking = permutation_check(select_then_score, noise, y, chance=0.5, n_permutations=19,
                                    random_state=0).finding  # fmt: skip
        found = {"code": "HE701", "severity": "error" if leaking.severity == "error" else "passed"}
        leak = "selected before the folds (features)"
        yield {**run, "leak": leak, "strength": n_features, **found}


def select_then_score(X: np.ndarray, y: np.ndarray) -> float:
    chosen = SelectKBest(k=20).fit_transform(X, y)
    return float(cross_val_score(GaussianNB(), chosen, y).mean())


def outcome(finding: Any) -> dict[str, str]:
    return {"code": finding.code, "severity": finding.severity or finding.status}


def write_cases(folder: Path, into: Path, n_rows: int) -> None:
    """Write clean and planted cases as tables, and what the audit finds in each, for other tools.

    The audit is compared like the tools: what it finds in the planted case and not in the clean
    one, of severity warning or error.
    """
    into.mkdir(parents=True, exist_ok=True)
    listed = []
    for name in SETS:
        clean = load(folder, name, n_rows, 0)
        for leak, strength in {"none": 0.0, **FOR_PEERS}.items():
            case = clean
            if leak != "none":
                case = PLANTS[leak][0](clean, strength, np.random.default_rng(0))
            listed.append(_write_case(case, into, f"{name}-{len(listed)}", name, leak))
    (into / "cases.json").write_text(json.dumps(listed, indent=1), encoding="utf-8")


def _write_case(case: Case, into: Path, file: str, name: str, leak: str) -> dict[str, Any]:
    table = case.features.add_prefix("x_")
    table.insert(0, "smiles", case.smiles)
    table.insert(1, "y", case.y)
    named = {"groups": "group", "time": "date", "levels": "level"}
    for option, column in named.items():
        if option in case.options:
            table.insert(2, column, np.asarray(case.options[option]))
    for part, rows in (("train", ~case.test), ("test", case.test)):
        table[rows].to_csv(into / f"{file}-{part}.csv", index=False)
    audit = replace(case).audit()
    return {"file": file, "data": name, "leak": leak,
            "honesteval": sorted(f.code for f in audit.found("warning"))}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--cases", type=Path, help="write cases for other tools to this folder")
    arguments = parser.parse_args()
    folder = os.environ.get("HONESTEVAL_DATA")
    if not folder:
        parser.error("set HONESTEVAL_DATA to the folder of the real data sets")
    with rdBase.BlockLogs():
        if arguments.cases:
            write_cases(Path(folder), arguments.cases, arguments.rows)
            return
        start = time.process_time()
        table = pd.DataFrame(runs(Path(folder), arguments.rows, arguments.repeats))
    if arguments.output:
        table.to_csv(arguments.output, index=False)
    report(table)
    print(f"{time.process_time() - start:.0f} s of processor time.")


def report(table: pd.DataFrame) -> None:
    table["found"] = table["severity"].isin(["error", "warning", "info"])
    planted = table[table["leak"] != "none"]
    clean = table[table["leak"] == "none"]
    index = ["code", "leak", "strength"]
    for title, names in (("molecules", list(SETS)), ("sequences", list(SEQUENCE_SETS))):
        some = planted[planted["data"].isin(names)]
        recall = some.pivot_table(index=index, columns="data", values="found", sort=False)
        recall["all"] = some.groupby(index, sort=False)["found"].mean()
        own = clean[clean["data"].isin(names)].groupby("code")["found"].mean()
        recall["clean"] = [own.get(code, np.nan) for code in recall.index.get_level_values("code")]
        print(f"Recall in {title}: share of the repeats in which the planted leak is found\n")
        print(recall.sort_index(level="code", kind="stable").to_string(
            float_format="{:.2f}".format), "\n")  # fmt: skip
    alarms = clean.groupby("code").agg(
        warnings=("severity", lambda s: (s == "warning").mean()),
        errors=("severity", lambda s: (s == "error").mean()),
        n=("severity", "size"),
    )
    print("Clean similarity splits: share with a finding of severity warning or error\n")
    print(alarms[alarms[["warnings", "errors"]].sum(axis=1) > 0].to_string(
        float_format="{:.2f}".format))  # fmt: skip
    errors = int((clean["severity"] == "error").sum())
    print(f"\n{errors} errors in {len(clean)} checks of clean splits.")


if __name__ == "__main__":
    main()
