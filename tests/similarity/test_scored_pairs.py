"""Tables of scored pairs as the tools write them, and other coefficients of bits."""

import gzip

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdkit import DataStructs

from honesteval import SimilarityGroupKFold
from honesteval.entities import parse_molecules
from honesteval.similarity import (
    BitSimilarity,
    molecule_similarity,
    read_scored_pairs,
    resolve_similarity,
    scored_pair_similarity,
)

BLAST = """\
# BLASTP 2.15
a\tb\t95.0\t100\t5\t0\t1\t100\t1\t100\t1e-50\t200
b\ta\t94.0\t100\t6\t0\t1\t100\t1\t100\t1e-50\t198
a\tc\t30.5\t90\t60\t2\t1\t90\t5\t95\t1e-5\t50
"""
FOLDSEEK = """\
query\ttarget\tfident\talnlen\tmismatch\tgapopen\tqstart\tqend\ttstart\ttend\tevalue\tbits\tlddt
a\tb\t0.20\t100\t5\t0\t1\t100\t1\t100\t1e-9\t200\t0.81
a\ta\t1.00\t100\t5\t0\t1\t100\t1\t100\t1e-9\t200\t1.0
"""
CD_HIT = """\
>Cluster 0
0\t120aa, >a... *
1\t118aa, >b... at 92.50%
>Cluster 1
0\t80aa, >c... *
>Cluster 2
0\t300nt, >d... at +/98.00%
1\t310nt, >e... *
2\t310nt, >f... at 1:300:2:301/-/97.00%
"""
MASH = """\
g1.fa\tg2.fa\t0.0223\t0\t456/1000
g1.fa\tg3.fa\t1\t1\t0/1000
"""


def written(tmp_path, text, name="pairs.tsv"):
    path = tmp_path / name
    path.write_text(text)
    return path


def matrix(pairs, ids):
    n = len(ids)
    return scored_pair_similarity(pairs, ids).block(np.arange(n), np.arange(n))


def test_blast_in_percent_and_the_best_of_both_directions(tmp_path):
    pairs = read_scored_pairs(written(tmp_path, BLAST))
    assert pairs.format == "m8"
    assert "divided by 100" in pairs.note
    expected = [[1, 0.95, 0.305], [0.95, 1, 0], [0.305, 0, 1]]
    np.testing.assert_allclose(matrix(pairs, ["a", "b", "c"]), expected)


def test_a_header_names_another_score(tmp_path):
    path = written(tmp_path, FOLDSEEK)
    assert matrix(read_scored_pairs(path), ["a", "b"])[0, 1] == pytest.approx(0.2)
    by_name = read_scored_pairs(path, score="lddt")
    assert matrix(by_name, ["a", "b"])[0, 1] == pytest.approx(0.81)
    by_position = read_scored_pairs(path, score=12)
    assert by_position.table.equals(by_name.table)
    with pytest.raises(ValueError, match="no column 'tm'"):
        read_scored_pairs(path, score="tm")


def test_cd_hit_clusters_of_proteins_and_nucleotides(tmp_path):
    pairs = read_scored_pairs(written(tmp_path, CD_HIT, "a.clstr"))
    found = matrix(pairs, list("abcdef"))
    assert pairs.format == "cd-hit"
    assert found[0, 1] == pytest.approx(0.925)
    assert found[4, 3] == pytest.approx(0.98)
    assert found[4, 5] == pytest.approx(0.97)
    assert found[0, 2] == found[3, 5] == 0


def test_mash_distances_compressed(tmp_path):
    path = tmp_path / "dist.tsv.gz"
    path.write_bytes(gzip.compress(MASH.encode()))
    pairs = read_scored_pairs(path)
    assert pairs.format == "mash"
    found = matrix(pairs, ["g1.fa", "g2.fa", "g3.fa"])
    np.testing.assert_allclose(found[0], [1, 0.9777, 0])


@pytest.mark.parametrize("text", ["a,b,0.9\nb,c,0.4\n", "one,two,score\na,b,0.9\nb,c,0.4\n"])
def test_plain_tables_with_and_without_a_header(tmp_path, text):
    pairs = read_scored_pairs(written(tmp_path, text))
    assert pairs.table["similarity"].tolist() == [0.9, 0.4]
    assert "2 scored pairs of 3 entities" in pairs.summary()


def test_distances_are_turned_round(tmp_path):
    pairs = read_scored_pairs(written(tmp_path, "a b 0.1\n"), is_distance=True)
    assert pairs.table["similarity"].tolist() == [0.9]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("# note\n", "no scored pairs"),
        ("a b\n", "2 columns"),
        ("a b 0.5\na c x\n", "holds no number in line 2"),
        ("a b -0.5\n", r"\[0, 1\] or be percent, and 1 are not"),
        ("a b 250\n", r"\[0, 1\] or be percent"),
        ("a b 0.5\n\n# note\na c NA\n", "no number in line 4 \\('NA'; 1 such"),
        ("a b NA\na c 0.5\n", "no number in line 1"),
        ("a\tb\t0.5 # good\na\tc\t0.5\n", "no number in line 1"),
        ("a\tb\tscore\n", "no scored pairs but a header"),
        ("a\tb\t0.5\n\tc\t0.5\n", "line 2 lacks an identifier"),
        ("a b 0.5\na c 0.5 7\n", "line 2 has 4 columns, and the first has 3"),
        ("# m8\na b 0.5\ngarbage\n", "line 3 has 1 columns"),
        ('a,b,0.5\nc,"d\ne,f,0.5\n', "columns"),
        (">Cluster 0\n0\t8aa, >a... *\n1\t8aa, >b... at 950%\n", "line 3: an identity of 950%"),
        (">Cluster 0\nnonsense\n", "line 2 is no line of a CD-HIT cluster"),
        (">Cluster 0\n0\t8aa, >a... at 90.00%\n", "no line with"),
    ],
)
def test_what_is_no_table_of_scores_says_why(tmp_path, text, message):
    with pytest.raises(ValueError, match=message):
        read_scored_pairs(written(tmp_path, text))


def test_identifiers_are_read_as_they_are_written(tmp_path):
    text = '# note\nNA\ta#1\t0.5\n\nnull\t"x\t0.25\n01\ty z\t0.75\n'
    found = read_scored_pairs(written(tmp_path, text)).table
    assert found.to_numpy().tolist() == [
        ["NA", "a#1", 0.5], ["null", '"x', 0.25], ["01", "y z", 0.75],
    ]  # fmt: skip
    quoted = read_scored_pairs(written(tmp_path, '"a,1",b,0.5\nNA,c,0.25\n')).table
    assert quoted["first"].tolist() == ["a,1", "NA"]


@pytest.mark.parametrize(
    ("change", "ids", "message"),
    [
        ({}, ["a", None, "b", np.nan], "ids holds no identifier in rows 1, 3"),
        ({"first": ["a", None]}, ["a", "b"], "first holds no identifier in row 1"),
        ({"similarity": ["0.5", "high"]}, ["a", "b"], "row 1 of the table: there it is 'high'"),
        ({"similarity": [0.5, np.nan]}, ["a", "b"], "row 1 of the table"),
        ({"similarity": [0.5, 1.5]}, ["a", "b"], "row 1 of the table: there it is 1.5"),
    ],
)
def test_gaps_and_text_in_a_table_of_pairs_are_named(change, ids, message):
    hits = pd.DataFrame({"first": ["a", "b"], "second": ["b", "a"], "similarity": [0.5, 0.25]})
    with pytest.raises(ValueError, match=message):
        scored_pair_similarity(hits.assign(**change), ids)
    assert scored_pair_similarity(hits, [["b"], ["a"]]).block([0], [1])[0, 0] == 0.5
    with pytest.raises(TypeError, match="Got a list"):
        scored_pair_similarity([("a", "b", 0.5)], ["a", "b"])


def test_unknown_identifiers_are_named_or_counted(tmp_path):
    pairs = read_scored_pairs(written(tmp_path, BLAST))
    with pytest.raises(ValueError, match=r"1 of 3 scored pairs name .*'c'"):
        scored_pair_similarity(pairs, ["a", "b"])
    kept = scored_pair_similarity(pairs, ["a", "b"], unknown="drop")
    assert "1 pairs of others left out" in kept.name
    with pytest.raises(ValueError, match="no column 'second'"):
        scored_pair_similarity(pd.DataFrame({"first": [], "similarity": []}), ["a"])


def test_rows_of_one_identifier_are_the_same():
    table = pd.DataFrame({"first": ["a"], "second": ["b"], "similarity": [0.7]})
    found = matrix(table, ["a", "b", "a"])
    np.testing.assert_allclose(found, [[1, 0.7, 1], [0.7, 1, 0.7], [1, 0.7, 1]])


def test_structures_scored_outside_make_folds():
    """Protein structures: an all-against-all table is all that is needed."""
    ids = [f"p{i}" for i in range(24)]
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        [(a, b, rng.uniform(0.7, 0.9)) for i, a in enumerate(ids) for j, b in enumerate(ids)
         if i < j and i // 4 == j // 4],
        columns=["first", "second", "similarity"],
    )  # fmt: skip
    similarity = scored_pair_similarity(table, ids)
    folds = SimilarityGroupKFold(3, similarity=similarity, threshold=0.6).partition(ids)
    assert folds.highest_cross_similarity == 0
    assert (folds.labels.reshape(6, 4) == folds.labels[::4, None]).all()


BULK = {
    "dice": DataStructs.BulkDiceSimilarity,
    "sokal": DataStructs.BulkSokalSimilarity,
    "kulczynski": DataStructs.BulkKulczynskiSimilarity,
    "braun_blanquet": DataStructs.BulkBraunBlanquetSimilarity,
    "asymmetric": DataStructs.BulkAsymmetricSimilarity,
    "bit_cosine": DataStructs.BulkCosineSimilarity,
    "russel": DataStructs.BulkRusselSimilarity,
    "all_bit": DataStructs.BulkAllBitSimilarity,
    "rogot_goldberg": DataStructs.BulkRogotGoldbergSimilarity,
}


@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(st.lists(st.booleans(), min_size=16, max_size=16), min_size=2, max_size=5),
    coefficient=st.sampled_from(sorted(BULK)),
)
def test_coefficients_are_those_of_rdkit(rows, coefficient):
    bits = np.array(rows)
    vectors = []
    for row in bits:
        vector = DataStructs.ExplicitBitVect(16)
        vector.SetBitsFromList(np.flatnonzero(row).tolist())
        vectors.append(vector)
    found = BitSimilarity(np.packbits(bits, axis=1), coefficient).block(
        np.arange(len(bits)), np.arange(len(bits))
    )
    expected = np.array([BULK[coefficient](vector, vectors) for vector in vectors])
    empty = ~bits.any(axis=1)
    defined = ~(empty[:, None] | empty) | (coefficient in {"all_bit", "russel"})
    np.testing.assert_allclose(found[defined], expected[defined])
    assert (found >= 0).all()
    assert (found <= 1).all()
    np.testing.assert_allclose(found, found.T)


def test_nothing_set_is_like_nothing():
    bits = np.packbits(np.zeros((2, 8), bool), axis=1)
    for coefficient in ("dice", "sokal", "kulczynski", "braun_blanquet", "asymmetric",
                        "bit_cosine", "russel"):  # fmt: skip
        assert (BitSimilarity(bits, coefficient).block([0], [0, 1]) == 0).all()


def test_named_coefficients_of_molecules_and_rows():
    smiles = ["CCO", "CCN", "c1ccccc1O"]
    dice = resolve_similarity(smiles, "dice")
    tanimoto = resolve_similarity(smiles)
    t = tanimoto.block([0], [1])[0, 0]
    assert dice.block([0], [1])[0, 0] == pytest.approx(2 * t / (1 + t))
    assert dice.name.startswith("dice of ECFP4")
    assert resolve_similarity(np.eye(8), "dice").block([0], [1])[0, 0] == 0
    with pytest.raises(ValueError, match="0/1 rows or molecules"):
        resolve_similarity(np.full((3, 8), 2.0), "dice")


def test_other_fingerprints():
    molecules = parse_molecules(["CCO", "CCN"])
    by_pairs = molecule_similarity(molecules, kind="atom_pair", n_bits=1024)
    assert by_pairs.name == "Tanimoto of atom_pair fingerprints (1,024 bits)"
    assert by_pairs.take([1]).n_items == 1
    assert (molecule_similarity(molecules, coefficient="sokal").take([1, 0]).n_items) == 2
