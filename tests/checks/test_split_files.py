"""A split that comes as files: read in any format, rows traced back to their file."""

import json

import numpy as np
import pandas as pd
import pytest
from rdkit import Chem

from honesteval.checks import audit_split, read_split_files
from honesteval.report import AuditReport

PARTS = {
    "train": ["CCO", "CCN", "c1ccccc1C", "CCCCl"],
    "valid": ["CCCCO", "Cc1ccccc1O"],
    "test": ["OCC", "CCCBr", "c1ccncc1"],
}


def write_csv(path, smiles):
    pd.DataFrame({"smiles": smiles, "y": np.arange(len(smiles))}).to_csv(path, index=False)


def write_sdf(path, smiles):
    with Chem.SDWriter(str(path)) as writer:
        for number, text in enumerate(smiles):
            mol = Chem.MolFromSmiles(text)
            mol.SetProp("y", str(number))
            writer.write(mol)


def write_smi(path, smiles):
    path.write_text("".join(f"{text} m{number}\n" for number, text in enumerate(smiles)))


FORMATS = {
    "csv": (write_csv, "smiles"), "csv.gz": (write_csv, "smiles"), "sdf": (write_sdf, "molblock"),
    "smi": (write_smi, "smiles"),
}  # fmt: skip


@pytest.mark.parametrize("suffix", FORMATS)
def test_files_of_every_format_give_the_same_audit(tmp_path, suffix):
    write, column = FORMATS[suffix]
    paths = [tmp_path / f"set_{part}.{suffix}" for part in PARTS]
    for path, smiles in zip(paths, PARTS.values(), strict=True):
        write(path, smiles)
    files = read_split_files(paths)
    assert files.part.tolist() == ["train"] * 4 + ["valid"] * 2 + ["test"] * 3
    audit = audit_split(files.table[column], None, files.part, checks=["HE101"])
    assert audit["HE101"].evidence[["test_row", "train_row"]].to_numpy().tolist() == [[6, 0]]
    file, row = files.locate(6)
    assert (file.part, row) == ("test", 0)
    assert file.first_line == (2 if suffix.startswith("csv") else None)


def test_rows_are_named_by_their_file_in_reports_and_sarif(tmp_path):
    for part, smiles in PARTS.items():
        write_csv(tmp_path / f"{part}.csv", smiles)
    files = read_split_files({part: tmp_path / f"{part}.csv" for part in PARTS})
    audit = audit_split(files.table["smiles"], files.table["y"], files.part)
    report = AuditReport(audit, files=files)
    assert "Rows 6 to 8 are test.csv (test)." in report.text()
    assert "row 6 (test.csv, row 0)" in report.to_html()
    results = json.loads(report.to_sarif())["runs"][0]["results"]
    first = next(result for result in results if result["ruleId"] == "HE101")
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("test.csv")
    assert place["region"]["startLine"] == 2
    with pytest.raises(IndexError, match="no row 9"):
        files.locate(9)


def test_columns_that_a_file_lacks_are_said(tmp_path):
    write_csv(tmp_path / "train.csv", PARTS["train"])
    pd.DataFrame({"smiles": PARTS["test"]}).to_csv(tmp_path / "test.csv", index=False)
    files = read_split_files([tmp_path / "train.csv", tmp_path / "test.csv"])
    assert files.lacking == {"y": ("test.csv",)}
    assert files.table["y"].isna().sum() == 3
    assert "Column 'y' is not in test.csv." in files.summary()
    assert len(files.to_frame()) == 2


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["train.csv", "b.csv"], "'b.csv' does not say"),
        (["train.csv", "train_test.csv"], "does not say"),
        (["train.csv"], "at least one of 'test' and 'valid'"),
        (["test.csv", "valid.csv"], "must hold 'train'"),
        ({"train": "train.csv", "eval": "b.csv"}, "Got 'eval'"),
        ({"train": "train.csv", "test": "other.csv"}, "share no column"),
        ("train.csv", "two files or more"),
    ],
)
def test_what_is_no_split_is_one_sentence(tmp_path, monkeypatch, names, message):
    monkeypatch.chdir(tmp_path)
    for name in ("train.csv", "b.csv", "train_test.csv", "test.csv", "valid.csv"):
        write_csv(tmp_path / name, PARTS["train"])
    pd.DataFrame({"a": [1, 2]}).to_csv(tmp_path / "other.csv", index=False)
    with pytest.raises(ValueError, match=message):
        read_split_files(names)
