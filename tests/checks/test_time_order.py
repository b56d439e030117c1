import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honesteval.checks import audit_split

X = np.eye(10, 20, dtype=bool)
EARLY, LATE = np.arange(7), np.arange(7, 10)
YEARS = np.arange(2010, 2020)


def order(time, splits=(EARLY, LATE)):
    return audit_split(X, None, splits, time=time, checks=["HE204", "HE206"])


@pytest.mark.parametrize(
    "time",
    [
        YEARS,
        YEARS.astype(object),
        [f"{year}-05-01" for year in YEARS],
        pd.to_datetime([f"{year}-05-01" for year in YEARS]),
        pd.Series([f"May {year}" for year in YEARS], index=YEARS),
        [f"{year}-05-01T10:00:00+02:00" for year in YEARS],
        np.array([f"{year}-05-01" for year in YEARS], dtype="datetime64[D]"),
        [None, *YEARS[1:]],
    ],
    ids=["int", "object", "iso", "index", "words", "zoned", "datetime64", "missing"],
)
def test_silent_when_training_comes_first_whatever_the_form(time):
    assert order(time)["HE204"].status == "passed"
    assert order(time, (LATE, EARLY))["HE204"].severity == "error"


def test_same_time_is_not_later():
    assert order(np.repeat([1, 2], [8, 2]), (EARLY, LATE))["HE204"].status == "passed"


def test_flags_and_names_the_later_training_rows():
    finding = order(YEARS, ([0, 1, 2, 9], [3, 4, 5, 6, 7, 8]))["HE204"]
    assert finding.severity == "error"
    assert finding.evidence["train_row"].tolist() == [9]
    assert finding.measured["share_of_pairs"] == pytest.approx(6 / 24)


def test_random_split_has_half_of_the_pairs_reversed():
    time = np.random.default_rng(0).permutation(200)
    audited = audit_split(
        np.eye(200, dtype=bool), None, np.arange(200) % 2 == 0, time=time, checks=["HE204"]
    )
    assert audited["HE204"].measured["share_of_pairs"] == pytest.approx(0.5, abs=0.1)


def test_windows_that_overlap_are_flagged_with_a_partner():
    windows = np.column_stack([np.arange(10), np.arange(10) + 1.5])
    finding = order(windows)["HE206"]
    assert finding.severity == "error"
    assert finding.evidence[["train_row", "test_row"]].to_numpy().tolist() == [[6, 7]]


def test_windows_apart_are_silent():
    windows = np.column_stack([np.arange(10), np.arange(10) + 0.5])
    assert order(windows)["HE206"].status == "passed"


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 5)), min_size=10, max_size=10))
def test_overlaps_are_those_of_the_plain_comparison(drawn):
    windows = np.array([(start, start + length) for start, length in drawn], dtype=float)
    finding = order(windows)["HE206"]
    expected = [
        row for row in EARLY
        if any(windows[row, 0] <= windows[t, 1] and windows[t, 0] <= windows[row, 1] for t in LATE)
    ]  # fmt: skip
    found = [] if finding.status == "passed" else finding.evidence["train_row"].tolist()
    assert found == expected
    for line in finding.evidence.itertuples():
        assert windows[line.train_row, 0] <= windows[line.test_row, 1]
        assert windows[line.test_row, 0] <= windows[line.train_row, 1]


def test_not_applicable_without_times():
    audited = order(None)
    assert [audited[code].status for code in ("HE204", "HE206")] == ["not_applicable"] * 2
    assert order([np.nan] * 10)["HE204"].status == "not_applicable"


@pytest.mark.parametrize(
    ("time", "message"),
    [
        (YEARS[:4], "one value per row"),
        (["2010-01-01"] * 9 + ["some day"], "'some day' in row 9 reads as neither"),
        (np.column_stack([YEARS, YEARS - 1]), "ends before it starts"),
        (np.zeros((10, 3)), "one value per row, or a start and an end"),
    ],
)
def test_bad_times_give_one_clear_sentence(time, message):
    with pytest.raises(ValueError, match=message):
        order(time)
