"""A part for every row of a table: rows that cannot be read, groups, bounds that were not met."""

import itertools

import numpy as np
import pandas as pd
import pytest

from honesteval.report import similarity_folds, time_folds

ENDS, LINKS = ("O", "N", "Cl", "N#C"), ("CC", "CCC", "CCOC")
RINGS = ("c1ccccc1", "C1CCCCC1", "c1ccsc1")
SMILES = ["".join(parts) for parts in itertools.product(ENDS, LINKS, RINGS)]


def test_notes_name_rows_of_the_input_whatever_could_not_be_read():
    rows = ["nonsense", *SMILES[:20], "C1CC", *SMILES[20:]]
    found = similarity_folds(
        rows, n_splits=2, threshold=0.4, on_oversize="drop", errors="drop", random_state=0
    )
    in_none = np.flatnonzero(found.fold < 0)
    dropped = np.setdiff1d(in_none, found.excluded.rows)
    assert found.excluded.rows.tolist() == [0, 21]
    assert len(dropped) > 0
    (note,) = [note for note in found.notes if "in no part" in note]
    assert f"{len(dropped):,} rows are in no part" in note
    assert f"rows {dropped[0]}, " in note
    assert "partition(" not in found.summary()
    assert found.to_dict()["n_in_no_part"] == len(in_none)
    assert found.column().isna().sum() == len(in_none)


def test_repeats_salts_and_groups_stay_together_in_chains():
    rows = [*SMILES, SMILES[0] + ".Cl", SMILES[5]]
    groups = [f"g{number}" for number in range(len(rows))]
    groups[0] = groups[9] = "series"  # row 0 is the molecule of row 36
    found = similarity_folds(rows, n_splits=3, groups=groups, random_state=0)
    assert len({found.fold[row] for row in (0, 9, 36)}) == 1
    assert found.fold[5] == found.fold[37]
    assert found.sizes().sum() == 38


def test_named_parts_and_classes():
    y = pd.DataFrame({"a": np.tile([0, 1], 18), "b": np.repeat([0.0, 1.0, np.nan], 12)})
    found = similarity_folds(SMILES, y, sizes={"train": 0.6, "test": 0.4}, random_state=0)
    assert found.names == found.parts == ("train", "test")
    assert set(found.column()) == {"train", "test"}
    assert y["a"][found.rows_of("test")].mean() == pytest.approx(0.5, abs=0.15)
    assert found.to_frame()["n_rows"].sum() == 36
    assert "in train" in found.summary()


def test_repeats_are_columns_of_their_own():
    found = similarity_folds(SMILES, n_splits=3, n_repeats=2, random_state=0)
    assert list(found.columns("fold")) == ["fold_1", "fold_2"]
    assert len(found.scaled_leakage) == found.n_repeats == 2
    assert list(similarity_folds(SMILES, n_splits=3).columns("fold")) == ["fold"]


def test_the_same_seed_gives_the_same_parts_whatever_the_order():
    order = np.random.default_rng(0).permutation(len(SMILES))
    first = similarity_folds(SMILES, n_splits=3, random_state=1).fold
    again = similarity_folds(np.array(SMILES, dtype=object)[order], n_splits=3, random_state=1).fold
    assert [len(set(first[order][again == k])) for k in range(3)] == [1, 1, 1]


def test_sequences_have_parts_too():
    rng = np.random.default_rng(0)
    families = ["".join(rng.choice(list("ACDEFGHIKLMNPQRSTVWY"), 80)) for _ in range(6)]
    rows = [*(family for family in families for _ in range(3)), "not1", families[0][:70]]
    found = similarity_folds(rows, n_splits=3, similarity="kmer", errors="drop")
    assert found.excluded.rows.tolist() == [18]
    assert all(len(set(found.fold[k : k + 3])) == 1 for k in range(0, 18, 3))
    assert found.fold[19] == found.fold[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"deployment": ["CCO"], "threshold": 0.5}, "A deployment set chooses"),
        ({"sizes": {"a": 1, "b": 1}, "n_repeats": 2}, "n_repeats repeats folds"),
        ({"n_splits": 40}, "40 folds need at least 40 entities"),
        ({"groups": ["one"] * 36, "n_splits": 2}, "there are 1"),
        ({"groups": ["a"] * 35}, "one label per row: 36 rows, got 35"),
        ({"groups": [None, *"a" * 35]}, "missing labels in row 0"),
        ({"errors": "skip"}, "errors must be one of"),
    ],
)
def test_what_does_not_fit_is_said(options, message):
    with pytest.raises(ValueError, match=message):
        similarity_folds(SMILES, **options)


def test_blocks_of_time_take_dates_and_count_torn_groups():
    days = pd.to_datetime("2024-01-01") + pd.to_timedelta([5, 1, 3, 3, 2, 4], unit="D")
    found = time_folds(days, n_splits=3, groups=["a", "a", "b", "b", "c", "d"])
    order = np.argsort(days)
    assert (np.diff(found.fold[order]) >= 0).all()
    assert found.fold[2] == found.fold[3]
    (note,) = found.notes
    assert note.startswith("1 of 4 groups lie in several blocks of time")
    assert "scaled leakage" not in found.summary()
    as_text = time_folds([day.strftime("%Y-%m-%d") for day in days], n_splits=3)
    assert as_text.fold.tolist() == found.fold.tolist()
    with pytest.raises(ValueError, match="next Tuesday"):
        time_folds(["2024-01-01", "next Tuesday", "2024-01-03"], n_splits=2)
    with pytest.raises(ValueError, match="missing"):
        time_folds([1, None, 3], n_splits=2)
