"""Identity of aligned sequences, shared words, genomes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honesteval.entities import parse_sequences
from honesteval.exceptions import HonestevalWarning, InvalidEntityError, MissingDependencyError
from honesteval.similarity import (
    GenomeSimilarity,
    SequenceIdentity,
    kmer_similarity,
    resolve_similarity,
)


def identity(values, **parameters):
    pytest.importorskip("pyopal", reason="needs the extra 'sequence'")
    similarity = SequenceIdentity(parse_sequences(values), **parameters)
    return similarity.block(np.arange(len(values)), np.arange(len(values)))


@pytest.mark.parametrize(
    ("denominator", "expected"),
    # MKVLAAGIWH over MKVLA---WH: 7 equal residues, 10 columns
    [("alignment", 7 / 10), ("shorter", 7 / 7), ("longer", 7 / 10)],
)
def test_identity_by_hand(denominator, expected):
    found = identity(["MKVLAAGIWH", "MKVLAWH"], denominator=denominator)
    assert found[0, 1] == pytest.approx(expected)
    assert found[0, 0] == 1


def test_end_gaps_cost_nothing_and_count_as_columns():
    # KVLAAGIWH is inside both; M is left over on one side, MMM on the other
    found = identity(["MKVLAAGIWH", "KVLAAGIWHMMM"])
    assert found[0, 1] == pytest.approx(9 / 13)


def test_nucleotides_in_either_alphabet_and_case():
    found = identity(["ACGTACGTAC", "acguacguac", "ACGTTCGTAC"])
    assert found[0, 1] == 1
    assert found[0, 2] == pytest.approx(0.9)


def test_an_ambiguous_residue_is_identical_to_nothing():
    found = identity(["MKVLAXGIWH", "MKVLAXGIWR", "MKVLAAGIWH"])
    assert found[0, 1] == pytest.approx(8 / 10)
    assert found[0, 2] == pytest.approx(9 / 10)
    assert found[0, 0] == 1  # equal sequences are the same entity


def test_rare_amino_acids_are_aligned_but_differ_from_what_stands_for_them():
    found = identity(["MKVLUAGIWH", "MKVLCAGIWH", "MKVLUAGIWR"])
    assert found[0, 1] == pytest.approx(9 / 10)
    assert found[0, 2] == pytest.approx(9 / 10)


@settings(max_examples=20, deadline=None)
@given(
    values=st.lists(st.text("ACDEFGHIKLMNPQRSTVWYX", min_size=1, max_size=30), min_size=2,
                    max_size=6),
    data=st.data(),
)  # fmt: skip
def test_identity_is_symmetric_in_range_and_independent_of_order(values, data):
    values = ["MW", *values]
    found = identity(values)
    assert (found >= 0).all()
    assert (found <= 1).all()
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_array_equal(np.diag(found), 1)
    order = np.array(data.draw(st.permutations(range(len(values)))))
    shuffled = identity([values[i] for i in order])
    np.testing.assert_array_equal(shuffled, found[order][:, order])


def families(n_families, size, seed=0, length=80):
    rng = np.random.default_rng(seed)
    letters = np.array(list("ACDEFGHIKLMNPQRSTVWY"))
    made = []
    for _ in range(n_families):
        parent = rng.choice(letters, length)
        for _ in range(size):
            child = parent.copy()
            at = rng.choice(length, length // 5, replace=False)
            child[at] = rng.choice(letters, len(at))
            made.append("".join(child))
    return made


def test_candidates_find_all_near_relatives():
    values = families(12, 4)
    full = identity(values)
    fast = identity(values, align_all=0, n_candidates=6)
    family = np.repeat(np.arange(12), 4)
    same = family[:, None] == family
    np.testing.assert_array_equal(fast[same], full[same])
    assert (fast[~same] == 0).mean() > 0.8
    np.testing.assert_array_equal(fast[fast > 0], full[fast > 0])


def test_take_and_keys_follow_the_rows():
    pytest.importorskip("pyopal", reason="needs the extra 'sequence'")
    values = families(3, 2)
    similarity = SequenceIdentity(parse_sequences([*values, values[0]]))
    assert similarity.content_keys()[0] == similarity.content_keys()[-1]
    part = similarity.take([4, 1])
    assert part.n_items == 2
    assert part.block([0], [1]) == similarity.block([4], [1])


def test_families_stay_together_in_folds():
    pytest.importorskip("pyopal", reason="needs the extra 'sequence'")
    from honesteval import SimilarityGroupKFold

    values = families(9, 3)
    for similarity in ("sequence", "kmer"):
        labels = SimilarityGroupKFold(3, similarity=similarity).partition(values).labels
        assert (labels.reshape(9, 3) == labels[::3, None]).all()


def test_without_the_package_the_extra_is_named(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pyopal", None)
    with pytest.raises(MissingDependencyError, match=r"honesteval\[sequence\]"):
        resolve_similarity(["MKVL", "MKVI"], "sequence")


def test_words_by_hand():
    with pytest.warns(HonestevalWarning, match=r"1 of 4 sequences hold no word .* \(row 3\)"):
        similarity = kmer_similarity(parse_sequences(["MKVLA", "MKVLG", "KVLXX", "MK"]))
    # words MKV KVL VLA; MKV KVL VLG; KVL; none
    expected = [[1, 2 / 4, 1 / 3, 0], [2 / 4, 1, 1 / 3, 0]]
    np.testing.assert_allclose(similarity.block([0, 1], range(4)), expected)
    assert similarity.is_positive_semidefinite
    dna = kmer_similarity(parse_sequences(["ACGTACGA", "ACGTACGG"]))
    assert dna.block([0], [1])[0, 0] == pytest.approx(2 / 4)


def mutated(genome, share, seed):
    rng = np.random.default_rng(seed)
    copy = np.array(list(genome))
    at = rng.choice(len(copy), int(share * len(copy)), replace=False)
    copy[at] = np.array(list("CGTA"))[np.searchsorted(list("ACGT"), copy[at])]
    return "".join(copy)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.05])
def test_genome_similarity_is_the_share_of_equal_nucleotides(share):
    rng = np.random.default_rng(1)
    genome = "".join(rng.choice(list("ACGT"), 50_000))
    other = mutated(genome, share, 2)
    found = GenomeSimilarity(parse_sequences([genome, other])).block([0], [1])[0, 0]
    assert found == pytest.approx(1 - share, abs=0.01)


def test_the_other_strand_is_the_same_genome_and_strangers_share_nothing():
    rng = np.random.default_rng(1)
    genome, stranger = ("".join(rng.choice(list("ACGT"), 20_000)) for _ in range(2))
    reverse = genome[::-1].translate(str.maketrans("ACGT", "TGCA"))
    similarity = resolve_similarity([genome, reverse, stranger, genome.lower()], "genome")
    found = similarity.block([0], range(4))[0]
    np.testing.assert_allclose(found, [1, 1, 0, 1])
    assert similarity.take([2, 1]).block([0], [1])[0, 0] == 0


def test_genomes_that_cannot_be_compared_say_why():
    with pytest.raises(InvalidEntityError, match=r"no word of 21 .* row 1"):
        GenomeSimilarity(parse_sequences(["ACGT" * 10, "ACGT"]))
    with pytest.raises(InvalidEntityError, match="proteins"):
        GenomeSimilarity(parse_sequences(["MKVL"]))


def test_identity_agrees_with_the_published_needle_identities(data_dir):
    pytest.importorskip("pyopal", reason="needs the extra 'sequence'")
    import pandas as pd

    from honesteval.entities import read_fasta

    folder = data_dir / "sequences/netgpi"
    table = read_fasta(folder / "netgpi_dataset.fasta.gz")
    text_of = dict(zip(table["id"].str.split("|").str[0], table["sequence"], strict=True))
    published = pd.read_csv(folder / "netgpi_partition_graphpart_needle_qc.csv.gz")
    some = published[published["closest_other"].isin(text_of.keys())].iloc[::40]
    found = []
    for line in some.itertuples():
        pair = parse_sequences([text_of[line.AC], text_of[line.closest_other]], kind="protein")
        found.append(SequenceIdentity(pair).block([0], [1])[0, 0])
    difference = np.array(found) - some["max_ident_other"].to_numpy()
    assert np.mean(np.abs(difference) < 0.001) > 0.8  # the rest: other alignments, as good
