"""Molecules are drawn the same way every time, and what differs is marked."""

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honesteval.report._molecule_drawing import pair_svgs
from honesteval.report._molecule_sketch import DASH, WEDGE, sketch


def marks(svg):
    return svg.count("<ellipse")


def test_marks_what_one_molecule_has_alone():
    first, second = pair_svgs("Cc1ccccc1F", "Cc1ccccc1Br", name="p", titles=("a", "b"))
    assert marks(first) > 0
    assert marks(second) > 0


def test_marks_nothing_in_equal_molecules():
    first, second = pair_svgs("CCO", "OCC", name="p", titles=("a", "b"))
    assert marks(first) == marks(second) == 0


def test_finds_a_moved_group_though_its_neighbours_are_alike():
    first, second = pair_svgs(
        "Cc1ccc(CC(=O)O)cc1", "Cc1cccc(CC(=O)O)c1", name="p", titles=("a", "b")
    )
    assert marks(first) + marks(second) > 0


def test_draws_alike_parts_in_the_same_place():
    from honesteval.report._molecule_drawing import _environments, _turn_like, laid_out

    a, b = laid_out("Clc1ccc(CCCO)cc1"), laid_out("OCCCc1ccc(Br)cc1")
    _turn_like(a, b, _environments(a), _environments(b))
    oxygen = [
        next(
            mol.GetConformer().GetPositions()[atom.GetIdx()]
            for atom in mol.GetAtoms()
            if atom.GetSymbol() == "O"
        )
        for mol in (a, b)
    ]
    assert np.linalg.norm(oxygen[0] - oxygen[1]) < 0.5


def test_is_the_same_every_time_and_escapes_the_title():
    pair = ("C[C@H](N)C(=O)[O-].[Na+]", "CC(N)C(=O)O")
    drawn = [pair_svgs(*pair, name="p", titles=("<a>", "b")) for _ in range(2)]
    assert drawn[0] == drawn[1]
    assert '<title id="p-a-title">&lt;a&gt;</title>' in drawn[0][0]


def test_refuses_what_is_no_molecule():
    with pytest.raises(ValueError, match="cannot be read as a molecule"):
        pair_svgs("C1CC", "CC", name="p", titles=("a", "b"))


@pytest.mark.parametrize(
    ("smiles", "texts"),
    [
        ("CO", {"1": "OH"}),
        ("CN(C)C", {"1": "N"}),
        ("C", {"0": "CH4"}),
        ("[NH4+]", {"0": "NH4+"}),
        ("CC(=O)[O-]", {"2": "O", "3": "O\N{MINUS SIGN}"}),
        ("[13CH3]C", {"0": "13CH3"}),
        ("[Ca+2]", {"0": "Ca2+"}),
        ("c1ccccc1", {}),
    ],
)
def test_sketch_writes_atoms_that_are_no_plain_carbon(smiles, texts):
    assert sketch(smiles)["t"] == texts


def test_sketch_tells_bonds_apart():
    assert sorted(sketch("C=CC#N")["b"][2::3]) == [1, 2, 3]
    assert sorted(sketch("c1ccccc1")["b"][2::3]) == [1, 1, 1, 2, 2, 2]
    codes = {code for smiles in ("C[C@H](O)F", "C[C@@H](O)F") for code in sketch(smiles)["b"][2::3]}
    assert codes & {WEDGE, DASH}


@given(st.integers(1, 30))
def test_sketch_places_bonded_atoms_a_bond_apart(n):
    drawing = sketch("C" * n)
    places = np.array(drawing["p"]).reshape(-1, 2)
    assert len(places) == n
    assert places.min() == 0
    for start, stop in pairwise(range(n)):
        assert np.linalg.norm(places[start] - places[stop]) == pytest.approx(10, abs=1.5)


def test_pictures_have_no_fixed_colour():
    first, _ = pair_svgs("NCCS(=O)(=O)c1ccc(Br)cc1", "OP(=O)(O)CI", name="p", titles=("a", "b"))
    assert not re.findall(r"#[0-9A-Fa-f]{6}", first)
