"""Run another audit tool on planted cases, and print its alarms as CSV.

    python audit.py DIR TOOL > found.csv

It runs in an environment that holds the tool (and pandas), not honesteval; DIR is what
``benchmarks/audit_peers.py`` writes. Copies are of molecules and labels, not of descriptors: a tool
that looks at whole rows of features only cannot see them. What a tool can be told (groups, dates,
which column is the label) it is told.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pandas as pd

Alarms = set[str]
#: Seconds that a case may take where the tool is a process of its own.
TIME_LIMIT = 300


def features(table: pd.DataFrame) -> pd.DataFrame:
    return table[[column for column in table.columns if column.startswith("x_")]]


def chemdatacheck(train: Path, test: Path) -> Alarms:
    command = [sys.executable, "-m", "chemdatacheck", str(train), str(test), "--smiles-col",
               "smiles", "--label-col", "y", "--format", "json", "--fail-on", "never"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=TIME_LIMIT)
    printed = done.stdout
    findings = json.loads(printed[printed.index("{") :])["findings"]
    return {f["check_id"] for f in findings if str(f["severity"]).lower() in ("warning", "error")}


def leaklint(train: Path, test: Path) -> Alarms:
    from leaklint import detect_leakage

    a, b = pd.read_csv(train), pd.read_csv(test)
    more = {}
    if "group" in a:
        more = {"groups_train": a["group"], "groups_test": b["group"]}
    if "date" in a:
        more = {"time_train": pd.to_datetime(a["date"]), "time_test": pd.to_datetime(b["date"])}
    alarms: Alarms = set()
    # leaklint 0.1.0 writes into arrays that pandas 3 no longer lets it write to: take pandas 2
    for name, (xa, xb) in {"features": (features(a), features(b)), "smiles": _codes(a, b)}.items():
        near = name == "features" and not xa.isna().any(axis=None)  # it takes no gaps
        report = detect_leakage(xa, a["y"], xb, b["y"], enable_near_dup=near, **more)
        alarms |= {f"{f.detector} {name}" for f in report.findings
                   if f.severity in ("high", "medium")}  # fmt: skip
    return alarms


def _codes(a: pd.DataFrame, b: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the molecules of both parts as a column of numbers."""
    codes = pd.DataFrame({"smiles": pd.factorize(pd.concat([a["smiles"], b["smiles"]]))[0]})
    return codes.iloc[: len(a)], codes.iloc[len(a) :].reset_index(drop=True)


def leaklens(train: Path, test: Path) -> Alarms:
    from leaklens import leakage

    a, b = pd.read_csv(train), pd.read_csv(test)
    found = leakage.scan(a.drop(columns=["group", "date"], errors="ignore"), "y")
    found += leakage.split_overlap(a, b)
    found += leakage.split_overlap(a[["smiles"]], b[["smiles"]])
    if "date" in a:
        found += leakage.temporal_overlap(a, b, "date")
    if "group" in a:
        found += leakage.group_overlap(a, b, "group")
    return {f"{f.kind} {f.column}" for f in found if f.severity in ("high", "medium")}


def leakhound(train: Path, test: Path) -> Alarms:
    from leakhound import audit

    a, b = pd.read_csv(train), pd.read_csv(test)
    alarms: Alarms = set()
    for columns in (None, ["smiles"]):
        report = audit(
            a, b, target="y", feature_cols=columns,
            time_col="date" if "date" in a else None, group_col="group" if "group" in a else None,
            measure_impact=columns is None,
        )  # fmt: skip
        alarms |= {f"{f.check} {columns}" for f in report.findings if f.is_leak}
    return alarms


def trustcv(train: Path, test: Path) -> Alarms:
    from trustcv import DataLeakageChecker

    a, b = pd.read_csv(train), pd.read_csv(test)
    both = pd.concat([a, b], ignore_index=True)
    folds = [(range(len(a)), range(len(a), len(both)))]
    checker, X = DataLeakageChecker(), features(both)
    report = checker.check(
        X.to_numpy(), both["y"].to_numpy(), folds=folds,
        groups=both["group"].to_numpy() if "group" in both else None,
        timestamps=pd.to_datetime(both["date"]).to_numpy() if "date" in both else None,
    )  # fmt: skip
    alarms = set(report.leakage_types) if report.has_leakage else set()
    codes = pd.concat(_codes(a, b)).to_numpy()
    of_smiles = checker.check(codes, both["y"].to_numpy(), folds=folds)
    if of_smiles.has_leakage:
        alarms |= {f"{kind} smiles" for kind in of_smiles.leakage_types}
    if checker.check_feature_target_leakage(X, both["y"])["has_leakage"]:
        alarms.add("feature-target")
    return alarms


def deepchecks(train: Path, test: Path) -> Alarms:
    from deepchecks.tabular import Dataset
    from deepchecks.tabular.checks import TrainTestSamplesMix
    from deepchecks.tabular.suites import data_integrity, train_test_validation

    a, b = pd.read_csv(train), pd.read_csv(test)
    cat = a["y"].nunique() <= 2
    options = {"label": "y", "cat_features": ["smiles"],
               "label_type": "binary" if cat else "regression"}  # fmt: skip
    if "date" in a:
        options["datetime_name"] = "date"
    sets = [Dataset(t.drop(columns=["group"], errors="ignore"), **options) for t in (a, b)]
    alarms = set()
    for suite, arguments in ((train_test_validation(), sets), (data_integrity(), sets[:1])):
        for result in suite.run(*arguments).get_not_passed_checks():
            alarms.add(type(result.check).__name__)
    rows = [Dataset(t[["smiles", "y"]], label="y", cat_features=["smiles"]) for t in (a, b)]
    if TrainTestSamplesMix().run(*rows).value["ratio"] > 0:
        alarms.add("TrainTestSamplesMix_smiles")
    return alarms


TOOLS: dict[str, tuple[str, Callable[[Path, Path], Alarms]]] = {
    "chemdatacheck": ("chemdatacheck", chemdatacheck),
    "leaklint": ("leaklint", leaklint),
    "leaklens": ("leaklens-ml", leaklens),
    "leakhound": ("leakhound-ml", leakhound),
    "trustcv": ("trustcv", trustcv),
    "deepchecks": ("deepchecks", deepchecks),
}


def run(folder: Path, tool: str) -> None:
    distribution, find = TOOLS[tool]
    out = csv.writer(sys.stdout)
    out.writerow(["tool", "version", "data", "leak", "alarms"])
    for case in json.loads((folder / "cases.json").read_text(encoding="utf-8")):
        train, test = (folder / f"{case['file']}-{part}.csv" for part in ("train", "test"))
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                alarms = " ".join(sorted(word.replace(" ", "_") for word in find(train, test)))
        except Exception as error:  # a tool that fails has found nothing, and it is said
            alarms = f"FAILED_{type(error).__name__}"
            print(f"{tool} {case['data']} {case['leak']}: {error}"[:300], file=sys.stderr)
        out.writerow([distribution, version(distribution), case["data"], case["leak"], alarms])
        sys.stdout.flush()


if __name__ == "__main__":
    run(Path(sys.argv[1]), sys.argv[2])
