"""What the user hands over becomes the right similarity, or one clear sentence."""

import numpy as np
import pandas as pd
import pytest
from rdkit import Chem
from scipy import sparse

from honesteval.exceptions import InvalidEntityError
from honesteval.similarity import (
    CallableSimilarity,
    CosineSimilarity,
    CountTanimotoSimilarity,
    IdentitySimilarity,
    PrecomputedSimilarity,
    RBFSimilarity,
    TanimotoSimilarity,
    resolve_similarity,
)

SMILES = ["CCO", "CCN", "c1ccccc1", "OCC"]
BITS = (np.random.default_rng(0).random((5, 16)) < 0.3).astype(int)


@pytest.mark.parametrize(
    "entities",
    [
        SMILES,
        np.array(SMILES),
        np.array(SMILES, dtype=object)[:, None],
        pd.Series(SMILES, index=[9, 8, 7, 6]),
        pd.DataFrame({"smiles": SMILES}),
        [Chem.MolFromSmiles(s) for s in SMILES],
    ],
    ids=["list", "array", "column", "series", "frame", "mols"],
)
def test_auto_reads_molecules(entities):
    similarity = resolve_similarity(entities)
    assert isinstance(similarity, TanimotoSimilarity)
    keys = similarity.content_keys()
    assert keys[0] == keys[3]  # CCO and OCC are one molecule
    assert len(set(keys)) == 3


@pytest.mark.parametrize(
    "entities",
    [
        BITS,
        BITS.astype(bool),
        BITS.astype(float),
        BITS.tolist(),
        pd.DataFrame(BITS),
        sparse.csr_array(BITS),
        sparse.csc_matrix(BITS),
    ],
)
def test_auto_takes_zero_one_rows_for_fingerprints(entities):
    similarity = resolve_similarity(entities)
    assert isinstance(similarity, TanimotoSimilarity)
    expected = (BITS[0] & BITS[1]).sum() / (BITS[0] | BITS[1]).sum()
    assert similarity.block([0], [1])[0, 0] == expected


@pytest.mark.parametrize(
    ("name", "entities", "kind"),
    [
        ("tanimoto", BITS * 3, CountTanimotoSimilarity),
        ("tanimoto", sparse.csr_array(BITS * 3), CountTanimotoSimilarity),
        ("cosine", BITS * 0.5, CosineSimilarity),
        ("rbf", BITS * 0.5, RBFSimilarity),
        ("identity", ["a", "b", "a"], IdentitySimilarity),
        ("scaffold", SMILES, IdentitySimilarity),
        ("precomputed", np.eye(3), PrecomputedSimilarity),
        ("precomputed_distance", 1 - np.eye(3), PrecomputedSimilarity),
        (lambda a, b: np.ones((len(a), len(b))), SMILES, CallableSimilarity),
    ],
)
def test_named_measures(name, entities, kind):
    assert isinstance(resolve_similarity(entities, name), kind)


def test_a_similarity_is_used_as_it_is():
    similarity = resolve_similarity(SMILES)
    assert resolve_similarity(SMILES, similarity) is similarity
    with pytest.raises(ValueError, match="made from 4 entities, but there are 3"):
        resolve_similarity(SMILES[:3], similarity)


def test_names_are_not_taken_for_smiles():
    with pytest.raises(ValueError, match="do not read as SMILES"):
        resolve_similarity(["aspirin", "CHEMBL25", "ibuprofen"])


def test_numbers_must_be_named():
    with pytest.raises(ValueError, match="Name the measure"):
        resolve_similarity(np.random.default_rng(0).normal(size=(4, 3)))


def test_bad_molecules_are_listed():
    with pytest.raises(InvalidEntityError) as caught:
        resolve_similarity([*SMILES, "C1CC", "CCCC"], "molecule")
    assert caught.value.rows == (4,)
    assert "C1CC" in str(caught.value)


def test_misspelt_measure_gets_a_hint():
    with pytest.raises(ValueError, match="Did you mean 'tanimoto'"):
        resolve_similarity(BITS, "tanimotto")


def test_gaps_in_fingerprints_are_named():
    bits = (np.random.default_rng(0).random((6, 8)) < 0.4).astype(float)
    bits[3, 4] = np.nan
    with pytest.raises(InvalidEntityError, match="missing values in row 3") as caught:
        resolve_similarity(bits)
    assert caught.value.rows == (3,)


@pytest.mark.parametrize("table", [np.ones((4, 2)) * 1j, pd.DataFrame({"a": [1j, 2], "b": [1, 0]})])
def test_complex_numbers_are_refused(table):
    with pytest.raises(InvalidEntityError, match="complex numbers"):
        resolve_similarity(table)


def test_values_that_are_no_text_among_smiles_are_named():
    with pytest.raises(InvalidEntityError, match="3 in rows 1, 3"):
        resolve_similarity(["CCO", 3, "CCN", 3, None])


def test_advice_names_no_option_that_is_not_there():
    with pytest.raises(InvalidEntityError, match="row 1, 'CC1'") as caught:
        resolve_similarity(["CCO", "CC1", "CCN"])
    assert "pass errors=" not in str(caught.value)
    assert "parse_molecules(values, errors='drop').rows" in str(caught.value)


@pytest.mark.parametrize("gap", [None, float("nan")])
def test_missing_labels_are_not_alike(gap):
    with pytest.raises(InvalidEntityError, match="no label in rows 1, 3") as caught:
        resolve_similarity(["a", gap, "b", gap], "identity")
    assert list(caught.value.rows) == [1, 3]


@pytest.mark.parametrize("measure", ["sequence", "kmer", "genome"])
def test_sequences_that_cannot_be_read_say_how_to_leave_them_out(measure):
    with pytest.raises(InvalidEntityError, match=r"row 1, ''.*parse_sequences\(values") as caught:
        resolve_similarity(["ACGT" * 8, ""], measure)
    assert list(caught.value.rows) == [1]


@pytest.mark.parametrize("measure", ["cosine", "rbf", "tanimoto"])
def test_numbers_whose_squares_are_infinite(measure):
    with pytest.raises(ValueError, match=r"numbers up to 1e.150.* in row 2"):
        resolve_similarity([[1.0, 2.0], [2.0, 0.5], [1e200, 3.0]], measure)


def test_auto_names_the_way_to_keep_nothing_but_groups_whole():
    measured = np.random.default_rng(0).normal(size=(6, 3))
    with pytest.raises(ValueError, match="similarity='identity', on='groups'"):
        resolve_similarity(measured)
