"""similarity_split: named subsets of arrays, each far from every other."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from honesteval import InfeasibleSplitError, similarity_split
from honesteval.datasets import load_nav17
from honesteval.model_selection import SplitArrays

NAV17 = load_nav17()
SMILES, PIC50 = NAV17.data[:150], NAV17.target[:150]


def clusters(weights, within):
    """Return a similarity matrix of clusters: 1 inside, ``within`` between them."""
    of = np.repeat(np.arange(len(weights)), weights)
    return np.asarray(within)[np.ix_(of, of)], of


class TestSubsets:
    def test_order_is_that_of_train_test_split(self):
        parts = similarity_split(SMILES, PIC50, n_init=1)
        train, val, test, y_train, y_val, y_test = parts
        assert [len(part) for part in (train, val, test)] == parts.partition.fold_sizes.tolist()
        assert sorted([*train, *val, *test]) == sorted(SMILES)
        for rows, part, y in zip(
            parts.indices.values(), (train, val, test), (y_train, y_val, y_test), strict=True
        ):
            assert (SMILES[rows] == part).all()
            assert (PIC50[rows] == y).all()
        assert parts.subset("val")[1] is y_val

    def test_any_number_of_named_subsets(self):
        sizes = {"train": 0.5, "val": 0.2, "calibration": 0.2, "test": 0.1}
        parts = similarity_split(SMILES, sizes=sizes, n_init=1)
        assert list(parts.indices) == list(sizes)
        found = np.array([len(rows) for rows in parts.indices.values()]) / 150
        assert np.abs(found / list(sizes.values()) - 1).max() <= 0.1 + 1e-9
        table = parts.to_frame()
        assert list(table.index) == list(sizes)
        assert (table["mean_nearest_similarity"] <= table["highest_nearest_similarity"]).all()

    def test_threshold_holds_between_all_subsets(self):
        parts = similarity_split(SMILES, threshold=0.85, size_tolerance=0.5, n_init=1)
        assert parts.to_frame()["highest_nearest_similarity"].max() < 0.85
        assert "no cross-fold pair reaches 0.85" in parts.summary()

    def test_separated_better_than_at_random(self):
        parts = similarity_split(SMILES, n_init=1)
        assert parts.partition.relative_leakage < 0.93

    @pytest.mark.parametrize("transform", [np.asarray, lambda s: 1 - np.asarray(s)])
    def test_three_clusters_that_belong_together_train(self, transform):
        # five clusters of 3 3 3 2 2, similarity 1 inside {1, 2, 3} and {4, 5}, .2 elsewhere
        block = np.full((5, 5), 0.2)
        block[:3, :3] = block[3:, 3:] = 1
        matrix, of = clusters([3, 3, 3, 2, 2], block)
        kind = "precomputed" if transform is np.asarray else "precomputed_distance"
        train, _ = similarity_split(
            transform(matrix), of, sizes={"train": 0.7, "test": 0.3}, size_tolerance=0.2,
            similarity=kind,
        )[2:]  # fmt: skip
        assert set(train) == {0, 1, 2}

    def test_three_blocks_are_the_three_subsets(self):
        block = np.full((5, 5), 0.1)
        block[:2, :2] = block[2, 2] = block[3:, 3:] = 1
        matrix, of = clusters([30, 30, 50, 20, 20], block)
        parts = similarity_split(
            matrix, of, sizes={"a": 0.4, "b": 0.33, "c": 0.27}, size_tolerance=0.05,
            similarity="precomputed",
        )  # fmt: skip
        assert [set(part) for part in parts[3:]] == [{0, 1}, {2}, {3, 4}]

    def test_classes_and_groups(self):
        y = (np.median(PIC50) < PIC50).astype(int)
        groups = np.arange(150) // 3
        parts = similarity_split(SMILES, groups, y=y, groups=groups, n_init=1, class_tolerance=0.3)
        kept = [set(part) for part in parts[3:]]
        assert sum(map(len, kept)) == len(set.union(*kept))
        for rows, share in zip(parts.indices.values(), (0.8, 0.1, 0.1), strict=True):
            assert y[rows].sum() >= np.floor(0.7 * share * y.sum())


class TestContainers:
    def test_come_back_as_what_they_were(self):
        bits = np.eye(150)
        arrays = {
            "list": SMILES.tolist(),
            "series": pd.Series(SMILES, index=np.arange(150)[::-1]),
            "frame": pd.DataFrame({"smiles": SMILES, "y": PIC50}),
            "polars": pl.DataFrame({"smiles": SMILES.tolist(), "y": PIC50}),
            "sparse": sparse.csr_array(bits),
        }
        parts = similarity_split(SMILES, *arrays.values(), n_init=1)
        for i, array in enumerate(arrays.values(), start=1):
            assert type(parts[3 * i]) is type(array)
        assert parts.subset("test")[3]["smiles"].tolist() == parts.subset("test")[0].tolist()
        assert parts.subset("test")[4]["smiles"].to_list() == parts.subset("test")[0].tolist()

    @pytest.mark.parametrize(
        "frame", [pd.DataFrame({"smiles": SMILES}), pl.DataFrame({"smiles": SMILES.tolist()})]
    )
    def test_column_of_a_frame(self, frame):
        by_column = similarity_split(frame, on="smiles", n_init=1).indices
        directly = similarity_split(SMILES, n_init=1).indices
        assert all(np.array_equal(by_column[name], directly[name]) for name in directly)

    def test_pickles(self):
        parts = similarity_split(SMILES, n_init=1)
        copy = pickle.loads(pickle.dumps(parts))
        assert isinstance(copy, SplitArrays)
        assert copy.names == parts.names
        assert [part.tolist() for part in copy] == [part.tolist() for part in parts]

    def test_row_order_does_not_matter(self):
        order = np.random.default_rng(0).permutation(150)
        test = similarity_split(SMILES, n_init=1).subset("test")[0]
        assert set(similarity_split(SMILES[order], n_init=1).subset("test")[0]) == set(test)


class TestSizes:
    @settings(max_examples=8, deadline=None)
    @given(
        counts=st.lists(st.integers(4, 20), min_size=2, max_size=5),
        seed=st.integers(0, 5),
    )
    def test_numbers_of_rows_are_shares_of_all_rows(self, counts, seed):
        n = sum(counts)
        X = np.random.default_rng(seed).random((n, 3))
        sizes = {f"part {i}": count for i, count in enumerate(counts)}
        parts = similarity_split(X, sizes=sizes, similarity="rbf", n_init=1, size_tolerance=0)
        assert [len(rows) for rows in parts.indices.values()] == counts
        rows = np.concatenate(list(parts.indices.values()))
        assert sorted(rows) == list(range(n))

    @pytest.mark.parametrize(
        ("sizes", "message"),
        [
            ({"train": 0.8, "test": 0.1}, "add up to 0.9"),
            ({"train": 1.0}, "at least two subsets"),
            (0.2, "at least two subsets"),
            ({"train": 1.2, "test": -0.2}, r"sizes\['test'\] must be a number in \(0"),
            ({"train": "8", "test": 2}, r"sizes\['train'\]"),
        ],
    )
    def test_that_do_not_add_up(self, sizes, message):
        with pytest.raises(ValueError, match=message):
            similarity_split(SMILES, sizes=sizes)

    def test_errors_say_what_to_do(self):
        with pytest.raises(ValueError, match="nothing to split"):
            similarity_split()
        with pytest.raises(ValueError, match=r"same number of rows. Got \[150, 3\]"):
            similarity_split(SMILES, [1, 2, 3])
        with pytest.raises(ValueError, match="subsets are"):
            similarity_split(SMILES, n_init=1).subset("valid")
        with pytest.raises(TypeError, match="treshold"):
            similarity_split(SMILES, treshold=0.5)
        with pytest.raises(TypeError, match=r"no parameter 'test_size'.*sizes=\{'train': 0\.8"):
            similarity_split(SMILES, test_size=0.2)
        with pytest.raises(InfeasibleSplitError, match="must stay together"):
            similarity_split(SMILES, threshold=0.2)
        with pytest.raises(ValueError, match="more than the 2 samples"):
            similarity_split(["CCO", "CCN"])
