"""The audit beside other audit tools, on the same planted and clean cases.

    HONESTEVAL_DATA=... python benchmarks/audit_peers.py [--peer chemdatacheck=PYTHON ...]
        [--sets ESOL ...] [--rows 500] [--json FILE]

Cases are written as tables; each tool reads them in its own environment (``peers/audit.py``). A
tool finds a leak when it raises an alarm (its own words for a warning or worse) in the planted case
that it does not raise in the clean one; alarms in the clean cases are false, or of what the set
itself holds. A tool that takes longer than its time on all cases keeps what it had until then.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from audit_cases import SETS, Case, load
from audit_plants import PLANTS
from rdkit import rdBase

SCRIPT = Path(__file__).parent / "peers" / "audit.py"
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


def write_cases(folder: Path, into: Path, sets: Sequence[str], n_rows: int) -> None:
    """Write clean and planted cases as tables, and what the audit finds in each, for other tools.

    The audit is compared like the tools: what it finds in the planted case and not in the clean
    one, of severity warning or error.
    """
    listed = []
    for name in sets:
        clean = load(folder, name, n_rows, 0)
        for leak, strength in {"none": 0.0, **FOR_PEERS}.items():
            case = clean
            if leak != "none":
                case = PLANTS[leak][0](clean, strength, np.random.default_rng(0))
            written = _write_case(case, into, f"{name}-{len(listed)}")
            listed.append({**written, "data": name, "leak": leak, "strength": strength})
    (into / "cases.json").write_text(json.dumps(listed, indent=1), encoding="utf-8")


def _write_case(case: Case, into: Path, file: str) -> dict[str, Any]:
    table = case.features.add_prefix("x_")
    table.insert(0, "smiles", case.smiles)
    table.insert(1, "y", case.y)
    named = {"groups": "group", "time": "date", "levels": "level"}
    for option, column in named.items():
        if option in case.options:
            table.insert(2, column, np.asarray(case.options[option]))
    for part, rows in (("train", ~case.test), ("test", case.test)):
        table[rows].to_csv(into / f"{file}-{part}.csv", index=False)
    return {"file": file, "honesteval": sorted(f.code for f in case.audit().found("warning"))}


def run_tool(tool: str, python: str, folder: Path, seconds: int) -> Path:
    """Run a tool on all cases; return the file of what it found until its time was up."""
    found = folder / f"{tool}.csv"
    with found.open("w", encoding="utf-8") as out:
        try:
            subprocess.run([python, SCRIPT, folder, tool], stdout=out, check=True, timeout=seconds)
        except subprocess.TimeoutExpired:
            print(f"{tool}: {seconds} s are up; the cases so far count.", file=sys.stderr)
        except subprocess.CalledProcessError as error:
            print(f"{tool} failed: {error}.", file=sys.stderr)
    return found


def compare(folder: Path, files: Sequence[Path]) -> dict[str, Any]:
    """Return for each tool the share of the sets in which it finds each leak.

    A tool need not have run on all cases: how many sets a share is of is kept.
    """
    listed = json.loads((folder / "cases.json").read_text(encoding="utf-8"))
    own = [{"tool": "honesteval", "version": "", **case, "alarms": " ".join(case["honesteval"])}
           for case in listed]  # fmt: skip
    table = pd.concat([pd.DataFrame(own), *[pd.read_csv(file) for file in files]])
    table["alarms"] = table["alarms"].fillna("").str.split().map(set)
    table["failed"] = table["alarms"].map(lambda a: any(x.startswith("FAILED") for x in a))
    clean = table[table["leak"] == "none"].set_index(["tool", "data"])["alarms"]
    table["found"] = [
        bool(row.alarms - clean[(row.tool, row.data)]) and not row.failed
        for row in table.itertuples()
    ]
    sets = sorted({case["data"] for case in listed})
    tools = []
    for name, rows in table.groupby("tool", sort=False):
        planted, failed = rows[rows["leak"] != "none"], rows[rows["failed"]]
        per_leak = planted.groupby("leak", sort=False)["found"]
        tools.append(
            {
                "tool": name,
                "version": str(rows["version"].iloc[0]),
                "found": per_leak.mean().to_dict(),
                "sets": per_leak.size().to_dict(),
                "alarms in clean cases": clean[name].map(len).mean(),
                "cases": len(rows),
                "failed": {f"{row.data}, {row.leak}": " ".join(row.alarms)
                           for row in failed.itertuples()},
            }
        )  # fmt: skip
    strengths = {case["leak"]: case["strength"] for case in listed if case["leak"] != "none"}
    return {"sets": sets, "strengths": strengths, "tools": tools}


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=PYTHON")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--seconds", type=int, default=1800, help="for a tool on all cases")
    parser.add_argument("--json", type=Path, help="write what was found to this file")
    arguments = parser.parse_args()
    data = os.environ.get("HONESTEVAL_DATA")
    if not data:
        parser.error("set HONESTEVAL_DATA to the folder of the real data sets")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with rdBase.BlockLogs():
            write_cases(Path(data), folder, arguments.sets, arguments.rows)
        peers = [peer.split("=", 1) for peer in arguments.peer]
        files = [run_tool(tool, python, folder, arguments.seconds) for tool, python in peers]
        result = compare(folder, [file for file in files if _n_cases(file)])
    for tool in result["tools"]:
        found = sum(tool["found"].values())
        print(f"{tool['tool']}: {found:.1f} of {len(tool['found'])} leaks, {tool['cases']} cases")
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def _n_cases(file: Path) -> int:
    """Return how many cases a tool answered, the clean ones of its sets among them."""
    return max(len(file.read_text(encoding="utf-8").splitlines()) - 1, 0)


if __name__ == "__main__":
    main()
