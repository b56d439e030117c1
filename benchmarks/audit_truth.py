"""Plant every kind of leak into real data and count what the audit finds, and what it imagines.

    HONESTEVAL_DATA=... python benchmarks/audit_truth.py [--repeats 3] [--rows 500]
        [--sets ESOL ...] [--json FILE]

Five sets of molecules and four of sequences are freed of repeats and split by similarity; the
audit of each is run as it is: findings of severity warning and error are false alarms (a test set
of a fifth of the rows may be small, and its labels may shift: these two are shown, not hidden).
Then one leak at a time is planted at several strengths and the check that should find it is run:
recall is the share of the repeats in which it does, with any severity; the stated strength of a
check is the weakest plant from which on recall is 1. The controls look like the plants and leak
nothing: they say how often the same check speaks all the same.

Other tools are given some of the plants by ``audit_peers.py``.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from audit_cases import SEQUENCE_SETS, SETS, Case, cases, load
from audit_controls import CONTROLS
from audit_plants import PLANTS, SEQUENCE_PLANTS, is_high
from rdkit import rdBase
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from honesteval.checks import permutation_check

#: A plant leaves 40 rows of the test set, a fifth of the rows less those tied to others.
LEAST_ROWS = 300
#: Checks of scores, orders and neighbours of classes cannot say anything about the six positives
#: that a test set of 100 rows of such a set holds: these plants get this many times the rows.
FEW_POSITIVES = {"ClinTox": 3}
OF_POSITIVES = (
    "copies that inflate 1-NN",
    "order turned by copies (noise, SD)",
    "labels of the nearest row (share)",
)


def runs(folder: Path, sets: Sequence[str], n_rows: int, repeats: int) -> Iterator[dict[str, Any]]:
    for name, seed, case in cases(folder, sets, n_rows, repeats):
        run = {"data": name, "seed": seed}
        for finding in case.audit().findings:
            yield {**run, "kind": "clean", "leak": "", "strength": 0.0, **outcome(finding)}
        larger = case
        if name in FEW_POSITIVES:
            larger = load(folder, name, FEW_POSITIVES[name] * n_rows, seed)
        for leak, (plant, code, strengths) in plants_for(name).items():
            into = larger if leak in OF_POSITIVES else case
            for strength in strengths:
                planted = plant(into, strength, np.random.default_rng(seed))
                finding = planted.audit([code])[code]
                what = {"kind": "planted", "leak": leak, "strength": strength}
                yield {**run, **what, **outcome(finding)}
        if name in SETS:
            for control, (plant, codes) in CONTROLS.items():
                audit = plant(case, 0.0, np.random.default_rng(seed)).audit(list(codes))
                for code in codes:
                    what = {"kind": "control", "leak": control, "strength": 0.0}
                    yield {**run, **what, **outcome(audit[code])}
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
        yield {**run, "kind": "control", "leak": "selected inside the folds", "strength": 0.0,
               **told(finding)}  # fmt: skip
        leaking = permutation_check(select_then_score, noise, y, chance=0.5, n_permutations=19,
                                    random_state=0).finding  # fmt: skip
        leak = "selected before the folds (features)"
        yield {**run, "kind": "planted", "leak": leak, "strength": n_features, **told(leaking)}


def select_then_score(X: np.ndarray, y: np.ndarray) -> float:
    chosen = SelectKBest(k=20).fit_transform(X, y)
    return float(cross_val_score(GaussianNB(), chosen, y).mean())


def told(finding: Any) -> dict[str, str]:
    """Count the error alone: a warning says that the score is no better than chance."""
    return {"code": "HE701", "severity": "error" if finding.severity == "error" else "passed"}


def outcome(finding: Any) -> dict[str, str]:
    return {"code": finding.code, "severity": finding.severity or finding.status}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--rows", type=int, default=500)
    everything = [*SETS, *SEQUENCE_SETS]
    parser.add_argument("--sets", nargs="+", choices=everything, default=everything)
    parser.add_argument("--json", type=Path, help="write the shares to this file")
    arguments = parser.parse_args()
    folder = os.environ.get("HONESTEVAL_DATA")
    if not folder:
        parser.error("set HONESTEVAL_DATA to the folder of the real data sets")
    if arguments.rows < LEAST_ROWS:
        parser.error(f"--rows must be at least {LEAST_ROWS}: a plant needs a test set of 40 rows")
    with rdBase.BlockLogs():
        start = time.process_time()
        table = pd.DataFrame(runs(Path(folder), arguments.sets, arguments.rows, arguments.repeats))
    result = summarise(table, arguments.sets, arguments.rows, arguments.repeats)
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    report(result)
    print(f"{time.process_time() - start:.0f} s of processor time.")


def summarise(
    table: pd.DataFrame, names: Sequence[str], n_rows: int, repeats: int
) -> dict[str, Any]:
    """Return shares of the runs with a finding, by plant, control and clean check."""
    table["found"] = table["severity"].isin(["error", "warning", "info"])
    planted = [
        {"code": code, "leak": leak, "strength": float(strength), "runs": len(rows),
         "recall": float(rows["found"].mean()),
         "by set": {name: float(some["found"].mean()) for name, some in rows.groupby("data")}}
        for (code, leak, strength), rows in table[table["kind"] == "planted"].groupby(
            ["code", "leak", "strength"], sort=False)
    ]  # fmt: skip
    silent = [
        {"kind": kind, "code": code, "case": case, "runs": len(rows),
         **{s: float((rows["severity"] == s).mean()) for s in ("info", "warning", "error")}}
        for (kind, code, case), rows in table[table["kind"] != "planted"].groupby(
            ["kind", "code", "leak"], sort=False)
    ]  # fmt: skip
    stated = [
        {"code": code, "leak": leak, "strength": strength}
        for (code, leak), strength in sorted(stated_strengths(planted).items())
    ]
    kinds = {"molecules": SETS, "sequences": SEQUENCE_SETS}
    sets = {kind: [name for name in known if name in names] for kind, known in kinds.items()}
    return {"rows": n_rows, "seeds": repeats, "sets": sets,
            "larger": {"sets": {k: v for k, v in FEW_POSITIVES.items() if k in names},
                       "leaks": OF_POSITIVES}, "stated": stated,
            "planted": planted, "silent": silent}  # fmt: skip


def stated_strengths(planted: list[dict[str, Any]]) -> dict[tuple[str, str], float | None]:
    """Return, by check and leak, the weakest strength from which on every plant was found."""
    stated: dict[tuple[str, str], float | None] = {}
    for line in planted:  # from the weakest on
        key = line["code"], line["leak"]
        if line["recall"] < 1:
            stated[key] = None
        elif stated.get(key) is None:
            stated[key] = line["strength"]
    return stated


def report(result: dict[str, Any]) -> None:
    planted = pd.DataFrame(result["planted"])
    by_set = planted.pop("by set").apply(pd.Series)
    print("Recall: share of the runs in which the planted leak is found\n")
    shown = pd.concat([planted, by_set], axis=1).sort_values("code", kind="stable")
    print(shown.to_string(index=False, float_format="{:.2f}".format, na_rep=""), "\n")
    print("Stated strength: the weakest plant from which on recall is 1\n")
    for line in result["stated"]:
        strength = line["strength"]
        weakest = "none of those tried" if strength is None else f"{strength:g}"
        print(f"{line['code']} {line['leak']}: {weakest}")
    silent = pd.DataFrame(result["silent"])
    print("\nNothing planted: share of the runs with a finding\n")
    loud = silent[silent[["info", "warning", "error"]].sum(axis=1) > 0]
    print(loud.to_string(index=False, float_format="{:.2f}".format))
    errors, n = (silent["error"] * silent["runs"]).sum(), silent["runs"].sum()
    print(f"\n{errors:.0f} errors in {n:,} checks of data without a leak.")


if __name__ == "__main__":
    main()
