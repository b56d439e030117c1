"""Audit splits that others published, and store what is found for the documentation.

    HONESTEVAL_DATA=... python benchmarks/published_splits.py [--only NAME ...] [--json FILE]

writes docs/benchmarks/published-splits.json (studies that are not run stay in the file);
``python docs/published_page.py`` makes it a page.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
from rdkit import rdBase

from honesteval.checks import SplitAudit, audit_split, read_split_files
from honesteval.entities import read_table

STORED = Path(__file__).parents[1] / "docs" / "benchmarks" / "published-splits.json"

#: What is kept of the numbers of a finding.
MEASURES = {
    "HE101": ("share_of_test_rows",),
    "HE102": ("share_of_test_rows",),
    "HE103": ("share_of_test_rows",),
    "HE104": ("share", "n_conflicting", "n_repeated"),
    "HE111": ("share_of_test_rows", "expected_share_by_random_split", "share_of_all_pairs"),
    "HE112": ("mean", "mean_of_random_splits", "highest"),
    "HE113": ("scaled", "relative", "bound"),
    "HE121": ("nearest_all", "nearest_clean", "inflation", "metric"),
    "HE132": ("entity", "score", "metric"),
    "HE501": ("half_width", "n_test"),
    "HE503": ("effect",),
    "HE602": ("bias", "random"),
}

Study = Callable[[Path], dict[str, SplitAudit]]


def bace(folder: Path) -> dict[str, SplitAudit]:
    table = pd.read_csv(folder / "molecules/bace.csv.gz")
    features = table.drop(columns=["mol", "CID", "Class", "Model", "pIC50"])
    return {"BACE": audit_split(table["mol"], table["pIC50"], table["Model"], features=features)}


def moleculeace(folder: Path) -> dict[str, SplitAudit]:
    audits = {}
    for path in sorted((folder / "molecules/moleculeace").glob("*.csv*")):
        table = pd.read_csv(path)
        audits[path.name.split(".")[0]] = audit_split(table["smiles"], table["y"], table["split"])
    return audits


def simpd(folder: Path) -> dict[str, SplitAudit]:
    audits = {}
    for path in sorted((folder / "molecules/simpd").glob("*.csv*")):
        table = pd.read_csv(path)
        audits[path.name.split(".")[0]] = audit_split(
            table["canonical_smiles"], table["active"], table["split"]
        )
    return audits


def chembl(folder: Path) -> dict[str, SplitAudit]:
    places = folder / "molecules/chembl_timesplit"
    files = read_split_files(
        {part: places / f"chembl_5thresh_ts_{part}.csv.gz" for part in ("train", "valid", "test")}
    )
    smiles, labels = files.table["smiles"], files.table.drop(columns="smiles")
    return {"ChEMBL time split": audit_split(smiles, labels, files.part)}


def human(kind: str) -> Study:
    def study(folder: Path) -> dict[str, SplitAudit]:
        places = folder / "dti/human" / kind
        files = read_split_files(
            {part: places / f"{name}.csv.gz"
             for part, name in (("train", "train"), ("valid", "val"), ("test", "test"))}
        )  # fmt: skip
        table = files.table
        pairs = table[["SMILES", "Protein"]]
        return {kind: audit_split(None, table["Y"], files.part, pairs=pairs)}

    return study


def partitions(fasta: str, folder_name: str) -> Study:
    def study(folder: Path) -> dict[str, SplitAudit]:
        sequences = read_table(folder / fasta)
        accession = sequences["id"].str.split("|").str[0]
        audits = {}
        for path in sorted((folder / folder_name).glob("*_qc.csv.gz")):
            found = pd.read_csv(path).drop_duplicates("AC").set_index("AC")
            fold = accession.map(found["cluster"])
            label = accession.map(found["label-val"])
            method = path.name.split("partition_")[1].removesuffix("_qc.csv.gz")
            audits[method] = audit_split(
                sequences["sequence"], label if label.nunique() > 1 else None, fold,
                similarity="kmer",
            )  # fmt: skip
        return audits

    return study


def flip_gb1(folder: Path) -> dict[str, SplitAudit]:
    audits = {}
    with zipfile.ZipFile(folder / "sequences/flip_gb1/splits.zip") as archive:
        for member in sorted(archive.namelist()):
            if not member.endswith(".csv") or member.startswith("__"):
                continue
            with archive.open(member) as file:
                table = pd.read_csv(file)
            table = table[table["set"].isin(["train", "test"])]
            part = table["set"].where(~(table["validation"] == True), "valid")  # noqa: E712
            audits[Path(member).stem] = audit_split(
                table["sequence"], table["target"], part.to_numpy(), similarity="kmer"
            )
    return audits


STUDIES: dict[str, Study] = {
    "bace": bace,
    "moleculeace": moleculeace,
    "simpd": simpd,
    "chembl": chembl,
    "human-random": human("random"),
    "human-cold": human("cold"),
    "netgpi": partitions("sequences/netgpi/netgpi_dataset.fasta.gz", "sequences/netgpi"),
    "deepromoter": partitions(
        "sequences/deepromoter/deepromoter_tata_human.fasta.gz", "sequences/deepromoter"
    ),
    "flip-gb1": flip_gb1,
}


def stored(audit: SplitAudit, *, is_one_of_many: bool) -> dict[str, Any]:
    """Return what the page shows of an audit; of one of many only the numbers of its tables."""
    written = audit.to_dict(max_evidence=0)
    findings = [
        {
            "code": finding["code"],
            "status": finding["status"],
            "severity": finding["severity"],
            **({} if is_one_of_many else {"message": finding["message"]}),
            "measured": {
                name: finding["measured"].get(name)
                for name in MEASURES.get(finding["code"], ())
                if name in finding["measured"]
            },
        }
        for finding in written["findings"]
        if finding["status"] in ("found", "passed")
        and (not is_one_of_many or finding["code"] in MEASURES)
    ]
    return {
        "n_rows": written["n_rows"],
        "n_excluded": written["n_excluded"],
        "similarity": written["similarity"],
        "comparisons": written["comparisons"],
        "hashes": {k: v for k, v in written["manifest"].items() if k.endswith("sha256")},
        "findings": findings,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", choices=list(STUDIES), default=list(STUDIES))
    parser.add_argument("--json", type=Path, default=STORED)
    arguments = parser.parse_args()
    file = arguments.json
    folder = os.environ.get("HONESTEVAL_DATA")
    if not folder:
        parser.error("set HONESTEVAL_DATA to the folder of the real data sets")
    kept = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    for name in arguments.only:
        start = time.process_time()
        with rdBase.BlockLogs():
            audits = STUDIES[name](Path(folder))
        kept[name] = {
            label: stored(audit, is_one_of_many=len(audits) > 1) for label, audit in audits.items()
        }
        print(
            f"{name}: {len(audits)} splits, {time.process_time() - start:.0f} s of processor time"
        )
        ordered = {key: kept[key] for key in STUDIES if key in kept}
        file.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
