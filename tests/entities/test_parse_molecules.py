"""Molecules: what is read, what is left out and why, and what stays untouched."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdkit import Chem, rdBase

from honesteval.entities import ExcludedRows, Molecules, parse_molecules
from honesteval.entities import _chunks as chunks
from honesteval.exceptions import InvalidEntityError

ASPIRIN = "CC(=O)Oc1ccccc1C(=O)O"

SOME_SMILES = [
    "CCO",
    ASPIRIN,
    "C[C@H](N)C(=O)O",
    "C/C=C\\C",
    "[13CH4]",
    "CC(=O)[O-].[Na+]",
    "c1ccc2[nH]ccc2c1",
    "N#CC1CC1",
    "*CC",
    "[Fe+2]",
]


def reason_for(value):
    excluded = parse_molecules(["C", value], errors="drop").excluded
    assert excluded.rows.tolist() == [1]
    return excluded.reasons[0]


def test_equal_molecules_written_differently_share_the_canonical_smiles():
    molecules = parse_molecules(["OCC", "C(C)O", "CCN"])
    assert molecules.smiles.tolist() == ["CCO", "CCO", "CCN"]
    assert molecules.rows.tolist() == [0, 1, 2]
    assert len(molecules) == len(molecules.mols) == 3
    assert len(molecules.excluded) == 0


@pytest.mark.parametrize(
    "as_input",
    [
        list,
        tuple,
        np.array,
        lambda v: np.array(v, dtype=object)[:, np.newaxis],
        lambda v: pd.Series(v, index=[7, 7, 9]),
        lambda v: pd.DataFrame({"smiles": v}),
        lambda v: pd.Categorical(v),
        lambda v: (smiles for smiles in v),
    ],
)
def test_reads_any_column(as_input):
    molecules = parse_molecules(as_input(["OCC", "OCC", ASPIRIN]))
    assert molecules.smiles.tolist() == ["CCO", "CCO", ASPIRIN]


def test_reads_a_polars_column():
    polars = pytest.importorskip("polars")
    assert parse_molecules(polars.Series(["OCC", "CC"])).smiles.tolist() == ["CCO", "CC"]


def test_reads_smiles_mols_and_mol_blocks_mixed():
    mol = Chem.MolFromSmiles("c1ccccc1C")
    block = Chem.MolToMolBlock(Chem.AddHs(Chem.MolFromSmiles("C[C@H](N)C(=O)O")))
    molecules = parse_molecules([mol, " OCC\n", block])
    assert molecules.smiles.tolist() == ["Cc1ccccc1", "CCO", "C[C@H](N)C(=O)O"]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "missing value"),
        (np.nan, "missing value"),
        (pd.NA, "missing value"),
        (pd.NaT, "missing value"),
        ("", "empty string"),
        (" \t\n", "empty string"),
        (5, "a value of type int"),
        (b"CC", "a value of type bytes"),
        ("CN(C)(C)C", "impossible valence: N atom 1 has valence 4"),
        ("c1cccc1", "aromatic atoms 0, 1, 2, 3, 4 cannot be given single and double bonds"),
        ("Cn", "atom 1 is marked aromatic but is in no ring"),
        ("CC ethane", "text after the SMILES: 'ethane'"),
        ("CC |atomProp|", "unreadable extension after the SMILES: '|atomProp|'"),
        ("C\u2013C", "'\u2013' at character 2 is not SMILES"),
        ("C\0C", "'\\x00' at character 2 is not SMILES"),
        ("InChI=1S/CH4/h1H4", "an InChI, not SMILES"),
        (Chem.Mol(), "a molecule without atoms"),
        (Chem.MolFromSmarts("c1ccccc1"), "a query (SMARTS), not a molecule"),
        (Chem.MolFromSmarts("[#6]O"), "a query (SMARTS), not a molecule"),
        (Chem.MolFromSmiles("CN(C)(C)C", sanitize=False), "impossible valence: N atom 1"),
        ("\n\n\n  x  0\nM  END\n", "a mol block whose counts, atom or bond lines cannot be read"),
    ],
)
def test_says_why_a_value_is_no_molecule(value, words):
    assert words in reason_for(value)


def test_a_mol_block_with_an_impossible_valence_is_explained():
    bad = Chem.MolFromSmiles("CN(C)(C)C", sanitize=False)
    block = Chem.MolToMolBlock(bad, kekulize=False)
    assert reason_for(block) == "impossible valence: N atom 1 has valence 4"


def test_a_wildcard_atom_is_no_query():
    assert parse_molecules([Chem.MolFromSmiles("*CC"), "*CC"]).smiles.tolist() == ["*CC"] * 2


def test_reads_an_extended_smiles():
    assert parse_molecules(["CC |$a;b$|"]).smiles.tolist() == ["CC"]


def test_the_error_names_rows_values_reasons_and_the_way_out():
    values = ["CCO", "C1CC", None, "CHEMBL25"]
    with pytest.raises(InvalidEntityError) as caught:
        parse_molecules(values, column="smi")
    message = str(caught.value)
    assert caught.value.rows == (1, 2, 3)
    assert message.startswith("3 of 4 values in column 'smi' cannot be read as a molecule")
    assert "(row numbers count from 0)" in message
    assert "row 1, 'C1CC': ring closure 1 is opened and never closed" in message
    assert "row 2, None: missing value" in message
    assert "errors='drop'" in message
    assert "\n" not in message


def test_the_error_shortens_long_lists_and_long_values():
    with pytest.raises(InvalidEntityError, match="and 995 more") as caught:
        parse_molecules(["C", *["x" * 500] * 1000])
    assert len(caught.value.rows) == 1000
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("errors", ["raise", "drop"])
def test_no_molecule_at_all_is_an_error_either_way(errors):
    with pytest.raises(InvalidEntityError, match="not names or identifiers"):
        parse_molecules(["CHEMBL25", "aspirin"], errors=errors)
    with pytest.raises(InvalidEntityError, match="no values in column 's'"):
        parse_molecules([], errors=errors, column="s")


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ("CCO", "Put it in a list"),
        ({"CCO", "CC"}, "no row number"),
        ({"a": "CC"}, "no row number"),
        (np.array([["CC", "CO"]]), r"shape \(1, 2\)"),
        (pd.DataFrame({"a": ["C"], "b": ["C"]}), r"shape \(1, 2\)"),
        (np.array("CC"), r"shape \(\)"),
    ],
)
def test_refuses_what_is_not_one_column(values, words):
    with pytest.raises(ValueError, match=words):
        parse_molecules(values)


def test_refuses_an_unknown_way_to_treat_errors():
    with pytest.raises(ValueError, match="errors must be one of"):
        parse_molecules(["C"], errors="ignore")


def test_drop_keeps_positions_and_lists_the_rest():
    molecules = parse_molecules(["x", "CCO", "", "CC"], errors="drop")
    assert molecules.rows.tolist() == [1, 3]
    assert molecules.excluded.rows.tolist() == [0, 2]
    assert molecules.excluded.values == ("x", "")
    assert molecules.summary().startswith("2 of 4 rows hold a molecule. 2 rows were left out")
    assert molecules.to_frame()["smiles"].tolist() == ["CCO", "CC"]
    assert "2 of 4 rows" in molecules._repr_html_()


def test_the_callers_molecules_are_not_modified():
    with_hydrogens = Chem.AddHs(Chem.MolFromSmiles("CCO"))
    unsanitised = Chem.MolFromSmiles("c1ccccc1", sanitize=False)
    before = [mol.ToBinary() for mol in (with_hydrogens, unsanitised)]
    values = [with_hydrogens, unsanitised]
    molecules = parse_molecules(values)
    assert molecules.smiles.tolist() == ["CCO", "c1ccccc1"]
    assert [mol.ToBinary() for mol in (with_hydrogens, unsanitised)] == before
    assert values[0] is with_hydrogens


def test_changing_a_returned_molecule_changes_nothing():
    molecules = parse_molecules(["CCO"])
    molecules.mols[0].GetAtomWithIdx(0).SetAtomicNum(7)
    assert Chem.MolToSmiles(molecules.mols[0]) == "CCO"
    keys = molecules.keys()
    keys[0] = "changed"
    assert molecules.keys()[0] == "CCO"
    with pytest.raises(ValueError, match="read-only"):
        molecules.smiles[0] = "changed"


def test_the_molecules_are_a_sequence():
    mols = parse_molecules(SOME_SMILES).mols
    assert [mol.GetNumAtoms() for mol in mols[1:3]] == [13, 6]
    assert mols[np.int64(-1)].GetNumAtoms() == 1
    assert len(list(reversed(mols))) == len(SOME_SMILES)
    assert repr(mols) == "<10 packed RDKit molecules>"
    with pytest.raises(IndexError):
        mols[len(mols)]


def test_survives_pickling():
    molecules = parse_molecules([*SOME_SMILES, "x"], errors="drop")
    molecules.keys("flat")
    again = pickle.loads(pickle.dumps(molecules))
    assert again.smiles.tolist() == molecules.smiles.tolist()
    assert again.keys("flat").tolist() == molecules.keys("flat").tolist()
    assert np.array_equal(again.fingerprints(), molecules.fingerprints())
    assert again.excluded.reasons == molecules.excluded.reasons


def test_rdkit_log_stays_as_the_caller_set_it(capfd):
    before = rdBase.LogStatus()
    parse_molecules(["C", "C1CC", "CN(C)(C)C", Chem.MolFromSmiles("cC", sanitize=False)],
                    errors="drop")  # fmt: skip
    assert rdBase.LogStatus() == before
    assert capfd.readouterr().err == ""
    Chem.MolFromSmiles("C1CC")
    assert "unclosed ring" in capfd.readouterr().err


def test_processes_give_the_same_as_one(monkeypatch):
    monkeypatch.setattr(chunks, "PARALLEL_FROM", 2)
    monkeypatch.setattr(chunks, "CHUNK", 3)
    values = [*SOME_SMILES, "C1CC", None, "CCO"]
    alone = parse_molecules(values, errors="drop")
    together = parse_molecules(values, errors="drop", n_jobs=2)
    assert together.smiles.tolist() == alone.smiles.tolist()
    assert together.excluded.reasons == alone.excluded.reasons
    assert np.array_equal(together.fingerprints(n_jobs=2), alone.fingerprints())
    assert together.scaffolds(n_jobs=2).tolist() == alone.scaffolds().tolist()


def test_reads_deeply_nested_smiles_without_harm():
    assert len(parse_molecules(["C(" * 500 + "C" + ")" * 500])) == 1


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.one_of(st.sampled_from(SOME_SMILES), st.text(max_size=6), st.none()), max_size=8)
)
def test_every_row_is_kept_or_listed_once_whatever_it_holds(values):
    values = [*values, "C"]
    molecules = parse_molecules(values, errors="drop")
    rows = [*molecules.rows, *molecules.excluded.rows]
    assert sorted(rows) == list(range(len(values)))
    assert all(molecules.excluded.reasons)
    for row, smiles in zip(molecules.rows, molecules.smiles, strict=True):
        assert Chem.MolToSmiles(Chem.MolFromSmiles(values[row])) == smiles


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_a_molecule_is_the_same_from_any_spelling_and_as_a_mol(data):
    smiles = data.draw(st.sampled_from(SOME_SMILES))
    mol = Chem.MolFromSmiles(smiles)
    seed = data.draw(st.integers(0, 1000))
    order = np.random.default_rng(seed).permutation(mol.GetNumAtoms()).tolist()
    shuffled = Chem.RenumberAtoms(mol, order)
    spellings = [smiles, Chem.MolToSmiles(shuffled, canonical=False), shuffled, Chem.AddHs(mol)]
    molecules = parse_molecules(spellings)
    assert len(set(molecules.smiles)) == 1
    assert len(set(molecules.keys("flat"))) == 1
    assert len(np.unique(molecules.fingerprints(), axis=0)) == 1


class TestFlatKeys:
    def flat(self, *values):
        return parse_molecules(values).keys("flat").tolist()

    def test_salts_stereo_and_isotopes_share_a_key(self):
        keys = self.flat("C[C@H](N)CC", "C[C@@H](N)CC", "Cl.CC(N)CC", "[13CH3]C(N)CC",
                         "C[CH:7](N)CC")  # fmt: skip
        assert set(keys) == {"CCC(C)N"}

    def test_double_bond_stereo_is_ignored(self):
        assert len(set(self.flat("C/C=C/C", "C/C=C\\C", "CC=CC"))) == 1

    def test_different_molecules_and_charges_differ(self):
        assert len(set(self.flat("CCO", "CCN", "CC[O-].[Na+]"))) == 3

    def test_the_largest_fragment_is_the_one_with_most_heavy_atoms(self):
        assert self.flat("[U].CC", "ClC(Cl)(Cl)Cl.CCCCCCC") == ["CC", "CCCCCCC"]

    def test_ties_do_not_depend_on_the_order_of_fragments(self):
        assert self.flat("CCO.CCS", "SCC.OCC") == ["CCS", "CCS"]
        assert self.flat("CCCN.CC(C)N", "CC(C)N.NCCC") == ["CC(C)N", "CC(C)N"]

    def test_aromatic_bonds_written_out_are_no_atom_maps(self):
        assert len(set(self.flat("c1:c:c:c:c:c:1", "c1ccccc1"))) == 1

    def test_refuses_another_kind(self):
        with pytest.raises(ValueError, match="Did you mean 'flat'"):
            parse_molecules(["C"]).keys("flatt")


def test_scaffolds_keep_rings_and_linkers_only():
    molecules = parse_molecules(
        ["CCc1ccccc1", "c1ccccc1CCC1CC1C", "CCO", "O=C1CCCCC1C", "C[C@H]1CC[C@@H]2CCCCC2C1"]
    )
    assert molecules.scaffolds().tolist() == [
        "c1ccccc1",
        "c1ccc(CCC2CC2)cc1",
        "",
        "O=C1CCCCC1",
        "C1CCC2CCCCC2C1",
    ]


def test_molecules_are_frozen_and_not_compared_by_value():
    molecules = parse_molecules(["C"])
    assert isinstance(molecules, Molecules)
    assert molecules != parse_molecules(["C"])
    with pytest.raises(AttributeError):
        molecules.smiles = None


class TestExcludedRows:
    def test_says_which_rows_and_why_most_frequent_first(self):
        excluded = ExcludedRows(rows=[1, 4, 6], values=("a", None, "b"),
                                reasons=("odd", "missing value", "odd"))  # fmt: skip
        assert len(excluded) == 3
        assert excluded.summary().splitlines() == [
            "3 rows were left out (row numbers count from 0):",
            "  odd: rows 1, 6",
            "  missing value: row 4",
        ]
        frame = excluded.to_frame()
        assert frame["row"].tolist() == [1, 4, 6]
        assert frame["value"].tolist()[0] == "a"
        assert frame["reason"].tolist() == ["odd", "missing value", "odd"]
        assert "<table" in excluded._repr_html_()

    def test_counts_reasons_beyond_the_shown_ones(self):
        excluded = ExcludedRows(rows=range(8), values="abcdefgh", reasons=tuple("12345678"))
        assert excluded.summary().endswith("  3 other reasons: 3 rows")

    def test_nothing_left_out(self):
        excluded = ExcludedRows()
        assert len(excluded) == 0
        assert excluded.summary() == "No rows were left out."
        assert list(excluded.to_frame().columns) == ["row", "value", "reason"]
        assert "<table" not in excluded._repr_html_()

    def test_values_of_any_type_stay_what_they_are(self):
        excluded = ExcludedRows(rows=[0, 1], values=([1, 2], np.nan), reasons=("a", "b"))
        assert excluded.to_frame()["value"][0] == [1, 2]

    def test_refuses_unequal_lengths_and_copies_rows(self):
        with pytest.raises(ValueError, match="1 rows, 0 values, 1 reasons"):
            ExcludedRows(rows=[1], values=(), reasons=("a",))
        rows = np.array([3])
        excluded = ExcludedRows(rows=rows, values=("a",), reasons=("b",))
        rows[0] = 9
        assert excluded.rows.tolist() == [3]
