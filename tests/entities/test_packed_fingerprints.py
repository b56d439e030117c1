"""Packed fingerprints equal RDKit's bit by bit."""

import numpy as np
import pytest
from rdkit import Chem
from rdkit.Chem import rdFingerprintGenerator as generators

from honesteval.entities import _chunks as chunks
from honesteval.entities import parse_molecules

SMILES = ["CCO", "CC(=O)Oc1ccccc1C(=O)O", "Cn1c(=O)c2c(ncn2C)n(C)c1=O", "C[C@H](N)C(=O)O", "C"]

BY_KIND = {
    "ecfp": lambda n: generators.GetMorganGenerator(radius=2, fpSize=n),
    "fcfp": lambda n: generators.GetMorganGenerator(
        radius=2, fpSize=n, atomInvariantsGenerator=generators.GetMorganFeatureAtomInvGen()
    ),
    "rdkit": lambda n: generators.GetRDKitFPGenerator(fpSize=n),
    "atom_pair": lambda n: generators.GetAtomPairGenerator(fpSize=n),
    "torsion": lambda n: generators.GetTopologicalTorsionGenerator(fpSize=n),
}


@pytest.mark.parametrize("kind", BY_KIND)
@pytest.mark.parametrize("n_bits", [64, 1000, 2048])
def test_bits_are_those_of_rdkit(kind, n_bits):
    packed = parse_molecules(SMILES).fingerprints(kind=kind, n_bits=n_bits)
    assert packed.shape == (len(SMILES), n_bits // 8)
    assert packed.dtype == np.uint8
    for row, smiles in zip(packed, SMILES, strict=True):
        expected = BY_KIND[kind](n_bits).GetFingerprint(Chem.MolFromSmiles(smiles))
        assert np.flatnonzero(np.unpackbits(row)).tolist() == list(expected.GetOnBits())


def test_the_default_is_ecfp4_with_2048_bits():
    molecules = parse_molecules(SMILES)
    explicit = molecules.fingerprints(radius=2, n_bits=2048, kind="ecfp")
    assert np.array_equal(molecules.fingerprints(), explicit)
    assert not np.array_equal(molecules.fingerprints(radius=3), explicit)


def test_ethanol_has_six_known_ecfp4_environments():
    bits = np.unpackbits(parse_molecules(["CCO"]).fingerprints())
    assert np.flatnonzero(bits).tolist() == [80, 222, 294, 807, 1057, 1410]


def test_chunks_are_joined_in_order(monkeypatch):
    together = parse_molecules(SMILES).fingerprints()
    monkeypatch.setattr(chunks, "CHUNK", 2)
    assert np.array_equal(parse_molecules(SMILES).fingerprints(), together)
    assert np.array_equal(parse_molecules(SMILES[::-1]).fingerprints(), together[::-1])


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"n_bits": 100}, "multiple of 8"),
        ({"n_bits": 0}, "n_bits must be an integer"),
        ({"n_bits": 2048.0}, "n_bits must be an integer"),
        ({"radius": -1}, "radius must be an integer"),
        ({"kind": "ecpf"}, "Did you mean 'ecfp'"),
    ],
)
def test_refuses_impossible_fingerprints(parameters, words):
    with pytest.raises(ValueError, match=words):
        parse_molecules(["C"]).fingerprints(**parameters)
