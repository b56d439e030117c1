"""The explanation of unreadable SMILES, and that it never blames what RDKit accepts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdkit import Chem, rdBase

from honesteval.entities._smiles_syntax import NO_FAULT_FOUND, explain_syntax


@pytest.mark.parametrize(
    ("smiles", "words"),
    [
        ("CHEMBL25", "'H' at character 2 is not SMILES"),
        ("aspirin", "'a' at character 1 is not SMILES"),
        ("C>>C", "'>' at character 2 is not SMILES"),
        ("C%1", "'%' at character 2 is not SMILES"),
        ("C1CC", "ring closure 1 is opened and never closed"),
        ("C%12CC", "ring closure 12 is opened and never closed"),
        ("C(C", "a branch is opened with ( and never closed"),
        ("CC)C", "the ) at character 3 closes no branch"),
        ("C[Na", "the [ at character 2 is never closed"),
        ("C[Xx]", "[Xx] at character 2 is not an atom"),
        ("CC=", "it ends before the next atom"),
        ("CC.", "it ends before the next atom"),
        ("=CC", "it begins with '=' instead of an atom"),
        ("123", "it begins with '1' instead of an atom"),
        ("C==C", "'=' at character 3 has no atom before it"),
        ("C()C", "')' at character 3 has no atom before it"),
        ("C.1C", "ring closure '1' at character 3 has no atom before it"),
        ("C11", NO_FAULT_FOUND),
        ("CC1O1", NO_FAULT_FOUND),
        ("C1CC(-1C)", "ring closure '1' at character 7 has no atom before it"),
        ("C(=)C", "')' at character 4 has no atom before it"),
    ],
)
def test_names_the_first_fault(smiles, words):
    with rdBase.BlockLogs():
        assert Chem.MolFromSmiles(smiles) is None
    assert explain_syntax(smiles) == words


FRAGMENTS = ["C", "c", "N", "Cl", "[nH]", "[Na+]", "(", ")", "1", "2", "%11", "=", "#", ".", "/",
             "-", "[C@H]", "*", "Br", "c1ccccc1", "\\", ":", "->"]  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=8).map("".join))
def test_finds_no_fault_where_rdkit_finds_none(smiles):
    as_is = Chem.SmilesParserParams()
    as_is.sanitize = False
    with rdBase.BlockLogs():
        readable = Chem.MolFromSmiles(smiles, as_is) is not None
    if readable:
        assert explain_syntax(smiles) == NO_FAULT_FOUND
    else:
        assert explain_syntax(smiles)
