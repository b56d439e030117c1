"""Pairs and higher order: new entities on one side or all, and no pair lost without a word."""

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honesteval import HonestevalWarning, InfeasibleSplitError, SimilarityPairKFold
from honesteval.datasets import load_nav17
from honesteval.similarity import PrecomputedSimilarity, resolve_similarity

SMILES = load_nav17().data[::25][:30]
PAIRS = pd.DataFrame(
    [(drug, f"target {i}") for i in range(8) for drug in SMILES[(i % 2) :: 2]],
    columns=["drug", "target"],
)
BOTH = {"drug": "molecule", "target": "identity"}


def pair_kfold(n_splits=2, *, entities=BOTH, **parameters):
    return SimilarityPairKFold(n_splits, entities=entities, n_init=1, **parameters)


def splits_of(cv, X, y=None, groups=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HonestevalWarning)
        return list(cv.split(X, y, groups))


class TestUnseen:
    @pytest.mark.parametrize("coverage", ["full", "diagonal"])
    def test_no_tested_entity_of_either_side_trains(self, coverage):
        for train, test in splits_of(pair_kfold(coverage=coverage), PAIRS):
            for column in PAIRS.columns:
                assert not set(PAIRS[column][train]) & set(PAIRS[column][test])

    def test_full_coverage_tests_every_pair_once(self):
        cv = pair_kfold()
        splits = list(cv.split(PAIRS))
        assert len(splits) == cv.get_n_splits() == cv.get_n_splits(PAIRS) == 4
        assert sorted(np.concatenate([test for _, test in splits])) == list(range(len(PAIRS)))
        assert len(cv.partition(PAIRS).never_tested) == 0

    def test_one_side_loses_nothing_and_shares_the_other(self):
        cv = pair_kfold(3, unseen="drug")
        splits = list(cv.split(PAIRS))
        assert len(splits) == cv.get_n_splits() == 3
        for train, test in splits:
            assert len(train) + len(test) == len(PAIRS)
            assert not set(PAIRS["drug"][train]) & set(PAIRS["drug"][test])
            assert set(PAIRS["target"][train]) & set(PAIRS["target"][test])

    @pytest.mark.parametrize("coverage", ["full", "diagonal"])
    def test_two_columns_of_one_type_share_their_folds(self, coverage):
        names = [f"p{i}" for i in range(24)]
        pairs = pd.DataFrame(itertools.combinations(names, 2), columns=["a", "b"])
        cv = pair_kfold(3, entities={("a", "b"): "identity"}, coverage=coverage)
        splits = splits_of(cv, pairs)
        for train, test in splits:
            seen, new = (set(pairs.iloc[rows].to_numpy().ravel()) for rows in (train, test))
            assert not seen & new
        tested = np.concatenate([test for _, test in splits])
        assert len(set(tested)) == len(tested)
        if coverage == "diagonal":
            assert len(splits) == 3

    def test_blocks_of_one_type_are_unordered(self):
        names = [f"p{i}" for i in range(24)]
        pairs = pd.DataFrame(itertools.combinations(names, 2), columns=["a", "b"])
        cv = pair_kfold(3, entities={("a", "b"): "identity"})
        splits = list(cv.split(pairs))
        assert len(splits) == cv.get_n_splits() == 6  # {0, 0}, {0, 1}, ... not 9
        assert sorted(np.concatenate([test for _, test in splits])) == list(range(len(pairs)))

    def test_three_columns(self):
        table = pd.DataFrame(
            itertools.product(range(6), range(4), range(4)), columns=["drug", "target", "cell"]
        )
        cv = pair_kfold(entities={"drug": "rbf", "target": "identity", "cell": "identity"})
        splits = list(cv.split(table))
        assert len(splits) == cv.get_n_splits() == 8
        for train, test in splits:
            assert all(not set(table[c][train]) & set(table[c][test]) for c in table)
        two = pair_kfold(
            entities={"drug": "rbf", "target": "identity", "cell": "identity"},
            unseen=("drug", "cell"),
        )
        assert len(list(two.split(table))) == 4

    def test_pairs_of_a_group_do_not_train_and_test(self):
        groups = np.arange(len(PAIRS)) // 3
        for train, test in splits_of(pair_kfold(), PAIRS, groups=groups):
            assert not set(groups[train]) & set(groups[test])

    @settings(max_examples=6, deadline=None)
    @given(
        seed=st.integers(0, 1000),
        n_splits=st.integers(2, 3),
        coverage=st.sampled_from(["full", "diagonal"]),
    )
    def test_entities_are_new_whatever_the_pairs(self, seed, n_splits, coverage):
        rng = np.random.default_rng(seed)
        pairs = np.column_stack([rng.integers(0, 40, 150), rng.integers(0, 36, 150)])
        cv = pair_kfold(
            n_splits, entities={0: "identity", 1: "rbf"}, coverage=coverage, size_tolerance=0.3
        )
        tested = np.zeros(150, dtype=int)
        for train, test in splits_of(cv, pairs):
            tested[test] += 1
            for column in pairs.T:
                assert not set(column[train]) & set(column[test])
        assert (tested == 1).all() if coverage == "full" else tested.max() == 1
        assert len(cv.partition(pairs).never_tested) == (tested == 0).sum()


class TestObjective:
    def test_families_of_pairs_are_kept_whole(self):
        # two families of drugs measured on two families of targets, one stray pair
        table = [(d, t) for d in range(8) for t in range(8) if (d < 4) == (t < 4)] + [(0, 7)]
        pairs = pd.DataFrame(table, columns=["drug", "target"])
        cv = pair_kfold(entities={"drug": "identity", "target": "identity"}, coverage="diagonal")
        partition = cv.partition(pairs)
        assert partition.never_tested.tolist() == [32]
        with pytest.warns(HonestevalWarning, match="1 of 33 pairs are tested in no split"):
            list(cv.split(pairs))

    @pytest.mark.parametrize("seed", range(3))
    def test_as_few_pairs_are_lost_as_can_be(self, seed):
        rng = np.random.default_rng(seed)
        grid = np.argwhere(rng.random((6, 6)) < 0.5)
        cv = pair_kfold(
            entities={0: "identity", 1: "identity"}, coverage="diagonal", size_tolerance=0.35
        )
        lost = len(cv.partition(grid).never_tested)
        n, best = len(grid), len(grid)
        for left in itertools.product([0, 1], repeat=6):
            for right in itertools.product([0, 1], repeat=6):
                one, other = np.array(left)[grid[:, 0]], np.array(right)[grid[:, 1]]
                sizes = np.array([one.sum(), n - one.sum(), other.sum(), n - other.sum()])
                total = one.sum() + other.sum()
                # the engine spreads each type over the folds as it does a class
                within = (sizes >= min(np.ceil(0.9 * n / 2), n // 2)).all()
                if within and 0.65 * n <= total <= 1.35 * n:
                    best = min(best, int((one != other).sum()))
        assert lost <= best

    def test_dearer_pairs_are_lost_less(self):
        rng = np.random.default_rng(0)
        points = rng.random((30, 2))
        pairs = np.column_stack([rng.integers(0, 30, 300), rng.integers(0, 20, 300)])
        features = pd.DataFrame(points)
        cheap, dear = (
            pair_kfold(
                entities={0: ("rbf", features), 1: "identity"}, coverage="diagonal",
                pair_loss_weight=price,
            ).partition(pairs)
            for price in (0.0, 20.0)
        )  # fmt: skip
        assert dear.tested_share > cheap.tested_share
        assert cheap.leakage["0"].scaled < dear.leakage["0"].scaled

    def test_less_similarity_crosses_than_by_identity(self):
        similar = pair_kfold().partition(PAIRS).entity_folds["drug"]
        by_name = pair_kfold(entities={"drug": "identity", "target": "identity"})
        arbitrary = by_name.partition(PAIRS).entity_folds["drug"]
        similarity = resolve_similarity(list(similar.index), "molecule")
        both = similarity.block(np.arange(30), np.arange(30))

        def crossing(folds):
            return both[folds.to_numpy()[:, None] != folds.to_numpy()].sum()

        assert crossing(similar) < crossing(arbitrary)

    def test_threshold_by_column(self):
        cv = pair_kfold(threshold={"drug": 0.8}, size_tolerance=0.5)
        table = cv.partition(PAIRS).entity_frame()
        assert table.loc["drug", "highest_nearest_similarity"] < 0.8
        with pytest.raises(InfeasibleSplitError, match="must stay together"):
            pair_kfold(threshold={"drug": 0.1}).partition(PAIRS)

    def test_similarity_across_types(self):
        pairs = pd.DataFrame(
            itertools.product(["pa", "pb", "pc", "pd"], ["A", "B", "C", "D"]),
            columns=["peptide", "protein"],
        )

        def related(peptides, proteins):
            return np.array([[float(a[1].upper() == b) for b in proteins] for a in peptides])

        cv = pair_kfold(
            entities={"peptide": "identity", "protein": "identity"}, coverage="diagonal",
            cross_similarity={("peptide", "protein"): related}, pair_loss_weight=0.1,
        )  # fmt: skip
        folds = cv.partition(pairs).entity_folds
        assert all(folds["peptide"][f"p{x}"] == folds["protein"][x.upper()] for x in "abcd")

    def test_classes_are_spread_over_one_side(self):
        y = np.random.default_rng(0).random(len(PAIRS)) < 0.2
        splits = list(pair_kfold(3, unseen="drug", size_tolerance=0.2).split(PAIRS, y))
        assert min(y[test].sum() for _, test in splits) >= np.floor(0.9 * y.sum() / 3)

    def test_classes_that_cannot_be_spread_are_listed(self):
        y = (PAIRS["drug"] == SMILES[0]).to_numpy()  # all positives are of one drug
        partition = pair_kfold(unseen="drug").partition(PAIRS, y)
        assert [shortfall.reached for shortfall in partition.shortfalls] == [0]
        assert str(partition.shortfalls[0]) in partition.summary()
        assert pair_kfold(unseen="drug").partition(PAIRS).shortfalls == ()


class TestInput:
    def test_every_form_of_a_similarity(self):
        values = list(dict.fromkeys(PAIRS["drug"]))
        similarity = resolve_similarity(values, "molecule")
        matrix = similarity.block(np.arange(30), np.arange(30))
        numbered = PAIRS.assign(drug=[values.index(v) for v in PAIRS["drug"]])
        named = pair_kfold(size_tolerance=0.0).partition(PAIRS)
        expected = named.entity_folds["drug"].to_numpy()
        forms = [
            (numbered, matrix),
            (numbered, similarity),
            (numbered, PrecomputedSimilarity(matrix)),
            (PAIRS, pd.DataFrame(matrix, index=values, columns=values)),
            (PAIRS, lambda a, b: resolve_similarity([*a, *b], "molecule").block(
                np.arange(len(a)), len(a) + np.arange(len(b)))),
        ]  # fmt: skip
        for X, form in forms:
            cv = pair_kfold(entities={"drug": form, "target": "identity"}, size_tolerance=0.0)
            found = cv.partition(X).entity_folds["drug"].to_numpy()
            leak = [matrix[f[:, None] != f].sum() for f in (found, expected)]
            assert leak[0] == pytest.approx(leak[1], rel=0.02)

    def test_another_spelling_is_the_same_entity(self):
        drugs = ["CCO", "OCC", "CCN", "CCCC", "CCCl", "CCBr"]
        pairs = pd.DataFrame(itertools.product(drugs, "abc"), columns=["drug", "target"])
        folds = pair_kfold(entities=BOTH, size_tolerance=0.5).partition(pairs).entity_folds["drug"]
        assert folds["CCO"] == folds["OCC"]

    def test_row_order_does_not_matter(self):
        order = np.random.default_rng(0).permutation(len(PAIRS))
        straight = pair_kfold().partition(PAIRS).entity_folds
        shuffled = pair_kfold().partition(PAIRS.iloc[order]).entity_folds
        for name in ("drug", "target"):
            assert (shuffled[name][straight[name].index] == straight[name]).all()

    def test_entities_as_groups(self):
        X = np.zeros((len(PAIRS), 2))
        by_groups = list(pair_kfold(on="groups").split(X, groups=PAIRS))
        directly = list(pair_kfold().split(PAIRS))
        assert all(
            np.array_equal(a, c) and np.array_equal(b, d)
            for (a, b), (c, d) in zip(by_groups, directly, strict=True)
        )
        with pytest.raises(ValueError, match="no groups was passed"):
            list(pair_kfold(on="groups").split(X))


class TestReport:
    def test_counts_add_up_in_every_split(self):
        partition = pair_kfold(coverage="diagonal").partition(PAIRS)
        table = partition.to_frame()
        assert (table[["n_train", "n_test", "n_left_out"]].sum(axis=1) == len(PAIRS)).all()
        for split in range(2):
            assert len(partition.left_out(split)) == table.loc[split, "n_left_out"]
        assert partition.tested_share == table["n_test"].sum() / len(PAIRS)
        assert f"{len(partition.never_tested)} in no split" in partition.summary()
        assert list(partition.entity_frame().index) == ["drug", "target"]


class TestErrors:
    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"entities": {}}, "which columns hold what"),
            ({"entities": {"drug": "molecule"}}, "at least two columns"),
            ({"entities": {("a", "b"): "identity", "b": "identity"}}, "'b' twice"),
            ({"unseen": "drugs"}, "entities has the columns"),
            ({"unseen": ()}, "unseen is empty"),
            ({"coverage": "diag"}, "Did you mean 'diagonal'"),
            ({"pair_loss_weight": -1}, "pair_loss_weight"),
            ({"threshold": {"drug": 2}}, "threshold"),
            ({"cross_similarity": {"drug": len}}, "two columns to a function"),
            ({"cross_similarity": {("drug", "drug"): len}}, "different types"),
        ],
    )
    def test_parameters(self, parameters, message):
        with pytest.raises(ValueError, match=message):
            pair_kfold(**parameters)

    @pytest.mark.parametrize(
        ("parameters", "table", "message"),
        [
            ({}, PAIRS.rename(columns={"drug": "ligand"}), "'drug'.*columns"),
            ({}, PAIRS.assign(target=[None, *PAIRS["target"][1:]]), "no entity in row 0"),
            ({"n_splits": 9}, PAIRS, "more than the 8 entities in target"),
            ({"entities": {"drug": np.eye(3), "target": "identity"}}, PAIRS, "positions, 0 to 2"),
            (
                {"entities": {"drug": pd.DataFrame([[1.0]], ["C"], ["C"]), "target": "identity"}},
                PAIRS, "lacks 30 of its entities",
            ),
            (
                {"cross_similarity": {("drug", "target"): lambda a, b: np.zeros((1, 1))}},
                PAIRS, r"must return shape \(30, 8\)",
            ),
        ],
    )  # fmt: skip
    def test_calls(self, parameters, table, message):
        with pytest.raises(ValueError, match=message):
            list(pair_kfold(**parameters).split(table))

    def test_nothing_left_to_train_on(self):
        with pytest.raises(ValueError, match="Use n_splits=3 or more"):
            pair_kfold(2, entities={("a", "b"): "identity"})
        pairs = pd.DataFrame({"drug": list("abcd"), "target": list("aabb")})
        cv = pair_kfold(entities={"drug": "identity", "target": "identity"}, unseen="drug")
        with pytest.raises(InfeasibleSplitError, match="0 to train on"):
            list(cv.split(pairs, groups=np.zeros(4)))


@pytest.mark.data
def test_human_dti_keeps_more_pairs_than_the_published_cold_split(data_dir):
    """All sides unseen: at the closeness of the published cold split, far fewer pairs are lost."""

    def published(kind):
        parts = [
            pd.read_csv(data_dir / f"dti/human/{kind}/{name}.csv.gz")
            for name in ("train", "val", "test")
        ]
        return [part.drop_duplicates(["SMILES", "Protein"]) for part in parts]

    everything = pd.concat(published("random"), ignore_index=True)
    cold = published("cold")
    assert sum(map(len, cold)) / len(everything) < 0.6
    pairs = everything.sample(2_000, random_state=0, ignore_index=True)
    molecules = resolve_similarity(list(dict.fromkeys(pairs["SMILES"])), "molecule")
    place = {smiles: i for i, smiles in enumerate(dict.fromkeys(pairs["SMILES"]))}

    def nearest(train, test):
        to = np.unique([place[smiles] for smiles in train])
        return molecules.nearest([place[smiles] for smiles in test], to)[0].mean()

    cv = SimilarityPairKFold(
        5, entities={"SMILES": "molecule", "Protein": "identity"}, coverage="diagonal", n_init=1
    )
    partition = cv.partition(pairs)
    used = (len(pairs) - partition.to_frame()["n_left_out"]) / len(pairs)
    assert used.min() > 0.85
    assert partition.tested_share > 0.7
    close = [nearest(*(pairs["SMILES"].iloc[rows] for rows in split)) for split in partition.splits]
    at_random = np.random.default_rng(0).permutation(2_000)
    assert np.mean(close) < 0.5
    assert nearest(pairs["SMILES"][at_random[400:]], pairs["SMILES"][at_random[:400]]) > 0.6
