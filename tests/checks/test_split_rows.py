import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import GroupKFold, KFold, PredefinedSplit, ShuffleSplit

from honesteval.checks._split_rows import check_parts, read_splits

N = 10
TRAIN, TEST = np.array([0, 1, 2, 3, 4, 5, 6]), np.array([7, 8, 9])
MASK = np.isin(np.arange(N), TEST)
NAMES = np.where(MASK, "test", "train")


def sides(split):
    return [(c.train.tolist(), c.test.tolist()) for c in split.comparisons]


@pytest.mark.parametrize(
    "splits",
    [
        (TRAIN, TEST),
        [TRAIN.tolist(), TEST.tolist()],
        (pd.Series(TRAIN), pd.Index(TEST)),
        (TRAIN.astype(float), range(7, 10)),
        (~MASK, MASK),
        {"train": TRAIN, "test": TEST},
        {"Training": TRAIN, "holdout": TEST},
        MASK,
        MASK.tolist(),
        pd.Series(MASK),
        NAMES,
        NAMES.tolist(),
        pd.Series(NAMES, index=np.arange(N)[::-1]),
        pd.Series(NAMES).str.upper(),
        pd.Series(NAMES).astype("category"),
        pd.DataFrame({"split": NAMES}),
        [(TRAIN, TEST)],
        PredefinedSplit(np.where(MASK, 0, -1)),
        np.where(MASK, 0, -1),
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_form_of_one_split_reads_the_same(splits):
    split = read_splits(splits, N)
    assert sides(split) == [(TRAIN.tolist(), TEST.tolist())]
    assert split.unused.size == 0
    assert not split.overlapping


def test_train_valid_test_gives_three_comparisons_one_of_them_final():
    part = ["train"] * 6 + ["val"] * 2 + ["test"] * 2
    split = read_splits(part, N)
    assert [c.name for c in split.comparisons] == [
        "test against train", "valid against train", "test against valid",
    ]  # fmt: skip
    assert [c.is_final for c in split.comparisons] == [True, False, False]
    assert split.part.tolist() == ["train"] * 6 + ["valid"] * 2 + ["test"] * 2


@pytest.mark.parametrize(
    "splits",
    [
        KFold(5),
        list(KFold(5).split(np.zeros(N))),
        np.repeat(np.arange(5), 2),
        np.repeat(np.arange(5.0), 2),
        [f"fold {i}" for i in np.repeat(np.arange(5), 2)],
        KFold(5).split(np.zeros(N)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_form_of_folds_reads_the_same(splits):
    split = read_splits(splits, N)
    assert split.kind == "folds"
    assert sides(split) == [
        (np.setdiff1d(np.arange(N), [2 * i, 2 * i + 1]).tolist(), [2 * i, 2 * i + 1])
        for i in range(5)
    ]
    assert len(set(split.part.tolist())) == 5


def test_groups_reach_a_splitter():
    split = read_splits(GroupKFold(2), N, groups=np.arange(N) // 5)
    assert sides(split)[0] == ([0, 1, 2, 3, 4], [5, 6, 7, 8, 9])


def test_repeated_random_splits_are_no_partition():
    split = read_splits(ShuffleSplit(3, test_size=0.3, random_state=0), N)
    assert len(split.comparisons) == 3
    assert split.part is None


def test_rows_without_a_label_are_unused():
    split = read_splits(["train"] * 5 + [None, np.nan] + ["test"] * 3, N)
    assert split.unused.tolist() == [5, 6]


def test_rows_on_both_sides_are_kept_on_the_test_side_and_listed():
    split = read_splits(([0, 1, 2, 3], [3, 4]), 5)
    assert sides(split) == [([0, 1, 2], [3, 4])]
    assert split.overlapping["test against train"].tolist() == [3]


def test_repeated_positions_are_listed():
    split = read_splits(([0, 1, 1, 2], [3, 4, 4]), 5)
    assert sides(split) == [([0, 1, 2], [3, 4])]
    assert split.repeated["test against train"].tolist() == [1, 4]


@pytest.mark.parametrize(
    ("splits", "message"),
    [
        (None, "Give splits as"),
        ("train", "Give splits as"),
        (5, "Give splits as"),
        ([], "empty"),
        (([0, 1], []), "test side has no rows"),
        (([], [0, 1]), "train side has no rows"),
        (([0, 1], [-1]), "negative"),
        (([0, 1], [10]), "beyond the last row 9"),
        (([0, 1], [2.5]), "whole row positions"),
        (([0, 1], ["a"]), "whole row positions"),
        (([0, 1], [0, 1]), "every training row is also a test row"),
        ((np.ones(3, dtype=bool), MASK), "one value per row"),
        (np.zeros(N), "one label only"),
        (np.zeros(N, dtype=bool), "test side has no rows"),
        (np.arange(N), "no folds"),
        ([f"id{i}" for i in range(N)], "no folds"),
        (np.zeros(7), "one label per row"),
        (["train"] * N, "at least one of"),
        ({"a": TRAIN, "b": TEST}, "Cannot tell which part 'a' is"),
        ({"test": TEST}, "needs 'train'"),
        ([TRAIN, TEST, TEST, TEST], "not 2 or 3"),
        ([(TRAIN, TEST), (TRAIN,)], "Fold 1 is not a pair"),
    ],
)
def test_bad_splits_give_one_clear_sentence(splits, message):
    with pytest.raises(ValueError, match=message):
        read_splits(splits, N)


@pytest.mark.parametrize(
    ("train", "test", "message"),
    [
        ([0, 1], [1, 2], "overlap: row 1"),
        ([0, 0], [1], "train repeats row 0"),
        ([0], [], "test side has no rows"),
        ([0], [-2], "negative"),
    ],
)
def test_check_parts_refuses(train, test, message):
    with pytest.raises(ValueError, match=message):
        check_parts(train, test, 5)


def test_check_parts_keeps_the_order():
    train, test = check_parts([4, 0], [3, 1], 5)
    assert (train.tolist(), test.tolist()) == ([4, 0], [3, 1])


@given(st.lists(st.integers(0, 3), min_size=4, max_size=40).filter(lambda x: len(set(x)) > 1))
def test_a_fold_column_is_a_partition_into_its_labels(labels):
    labels = [*labels, *labels]
    split = read_splits(labels, len(labels))
    tested = np.concatenate([c.test for c in split.comparisons])
    assert sorted(tested.tolist()) == list(range(len(labels)))
    for comparison in split.comparisons:
        assert np.intersect1d(comparison.train, comparison.test).size == 0
        assert len(comparison.rows) == len(labels)
        assert len({labels[row] for row in comparison.test}) == 1
