"""Counts on the real data sets, as their provenance states them."""

import numpy as np
import pandas as pd
import pytest
from rdkit import Chem

from honesteval.entities import guess_smiles_column, parse_molecules, read_table
from honesteval.entities._flat_keys import flat_key, is_flat

pytestmark = pytest.mark.data

# file, rows, column, unreadable, repeated canonical SMILES, repeated flat keys
SETS = [
    ("BBBP.csv", 2050, "smiles", 11, 64, 97),
    ("clintox.csv.gz", 1491, "smiles", 4, 26, 62),
    ("delaney-processed.csv", 1128, "smiles", 0, 11, 13),
    ("SAMPL.csv", 642, "smiles", 0, 0, 3),
]


@pytest.mark.parametrize(("file", "rows", "column", "bad", "same", "flat"), SETS)
def test_counts(data_dir, file, rows, column, bad, same, flat):
    frame = read_table(data_dir / "molecules" / file)
    assert len(frame) == rows
    assert guess_smiles_column(frame).column == column
    molecules = parse_molecules(frame[column], errors="drop")
    assert len(molecules.excluded) == bad
    assert len(molecules) + bad == rows
    assert len(molecules) - len(set(molecules.smiles)) == same
    assert len(molecules) - len(set(molecules.keys("flat"))) == flat


def test_the_eleven_rows_of_bbbp(data_dir):
    frame = read_table(data_dir / "molecules" / "BBBP.csv")
    excluded = parse_molecules(frame["smiles"], errors="drop").excluded
    assert excluded.rows.tolist() == [59, 61, 391, 614, 642, 645, 646, 647, 648, 649, 685]
    assert all(reason.startswith("impossible valence: N atom") for reason in excluded.reasons)


def test_a_column_of_another_name_is_found_among_six_hundred(data_dir):
    assert guess_smiles_column(read_table(data_dir / "molecules" / "bace.csv.gz")).column == "mol"


def test_the_wildcard_of_clintox_is_a_molecule(data_dir):
    frame = read_table(data_dir / "molecules" / "clintox.csv.gz")
    molecules = parse_molecules(frame["smiles"], errors="drop")
    assert sum("*" in smiles for smiles in molecules.smiles) == 1
    assert any("kekulization" in reason for reason in molecules.excluded.reasons)


def test_tables_agree_with_pandas_where_pandas_changes_nothing(data_dir):
    for file in ("tox21.csv.gz", "delaney-processed.csv", "Lipophilicity.csv"):
        path = data_dir / "molecules" / file
        pd.testing.assert_frame_equal(read_table(path), pd.read_csv(path), check_dtype=True)


def test_packed_molecules_lose_nothing_and_flat_keys_take_the_short_way_rightly(data_dir):
    listed = read_table(data_dir / "molecules" / "sider.csv.gz")["smiles"][::4]
    molecules = parse_molecules(listed)
    fresh = [Chem.MolFromSmiles(smiles) for smiles in listed]
    assert [Chem.MolToSmiles(mol) for mol in molecules.mols] == molecules.smiles.tolist()
    assert molecules.keys("flat").tolist() == [flat_key(mol) for mol in fresh]
    assert np.mean([is_flat(smiles) for smiles in molecules.smiles]) > 0.4
