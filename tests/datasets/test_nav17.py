"""The assay inside RDKit's wheel."""

import numpy as np
import pandas as pd
import pytest

from honesteval.datasets import _nav17, load_nav17
from honesteval.entities import parse_molecules
from honesteval.exceptions import MissingDependencyError


def test_every_compound_has_its_activity():
    assay = load_nav17()
    assert assay.data.shape == assay.target.shape == assay.names.shape == (1017,)
    assert assay.data.dtype == assay.names.dtype == object
    assert assay.target.dtype == np.float64
    assert len(set(assay.names)) == 1017
    assert assay.frame is None
    assert (assay.target.min(), assay.target.max()) == (4.27, 9.22)
    by_name = dict(zip(assay.names, assay.target, strict=True))
    assert (by_name["1520012"], by_name["1520010"]) == (5.48, 5.50)


def test_all_molecules_are_read_and_distinct():
    molecules = parse_molecules(load_nav17().data)
    assert len(molecules.excluded) == 0
    assert len(set(molecules.keys("flat"))) == 1017


def test_describes_source_units_and_caveats():
    text = load_nav17().DESCR
    for words in ("CHEMBL2321810_act.csv", "-log10(IC50 in mol/L)", "4.27 to 9.22", "6.00 (55"):
        assert words in text


def test_as_frame_and_return_X_y():
    assay = load_nav17(as_frame=True)
    assert list(assay.frame.columns) == ["name", "smiles", "pIC50"]
    assert isinstance(assay.data, pd.Series)
    assert assay.data.name == "smiles"
    X, y = load_nav17(return_X_y=True)
    assert X.tolist() == assay.data.tolist()
    assert y.tolist() == assay.target.tolist()


def test_two_calls_share_nothing():
    load_nav17().target[0] = 99
    assert load_nav17().target[0] == 5.48


def test_a_build_without_contrib_is_explained(monkeypatch, tmp_path):
    from rdkit import RDConfig

    monkeypatch.setattr(RDConfig, "RDContribDir", str(tmp_path))
    with pytest.raises(MissingDependencyError, match="without its Contrib folder"):
        load_nav17()


@pytest.mark.parametrize(
    ("molecules", "activities", "words"),
    [
        ("C 1\nCC 2\n", "Name,Act\n1,5\n3,6\n", "do not name the same compounds: 2, 3 "),
        ("C 1\nCC 1\n", "Name,Act\n1,5\n", r"more than once: \['1'\]"),
        ("C 1\n", "Name,Act\n1,5\n1,6\n", r"_act.csv of this RDKit has compounds more than once"),
    ],
)
def test_files_that_do_not_join_are_refused(tmp_path, molecules, activities, words):
    (tmp_path / "CHEMBL2321810.smi").write_text(molecules)
    (tmp_path / "CHEMBL2321810_act.csv").write_text(activities)
    with pytest.raises(ValueError, match=words):
        _nav17._joined_table(tmp_path)


def test_the_join_is_by_name_not_by_position(tmp_path):
    (tmp_path / "CHEMBL2321810.smi").write_text("C 01\nCC 2\n")
    (tmp_path / "CHEMBL2321810_act.csv").write_text("Name,Act\n2,6\n01,5\n")
    assert _nav17._joined_table(tmp_path).to_numpy().tolist() == [["01", "C", 5], ["2", "CC", 6]]
