"""Blocks of time: what is tested, what is left out of training, and why."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_validate

from honesteval import BlockedTimeSeriesKFold, InfeasibleSplitError

DAYS = pd.date_range("2020-01-01", periods=40, freq="D")
TABLE = pd.DataFrame({"x": np.arange(40.0), "day": DAYS, "known": DAYS + pd.Timedelta("3D")})


def pictures(cv, X, groups=None):
    n = len(X)
    return [
        "".join("T" if i in test else "-" if i in train else "." for i in range(n))
        for train, test in cv.split(X, groups=groups)
    ]


class TestBlocks:
    def test_rows_in_order_of_time(self):
        X = np.zeros((10, 1))
        assert pictures(BlockedTimeSeriesKFold(2), X) == ["TTTTT-----", "-----TTTTT"]
        assert pictures(BlockedTimeSeriesKFold(2, gap=(1, 2)), X) == ["TTTTT..---", "----.TTTTT"]
        assert pictures(BlockedTimeSeriesKFold(2, embargo=(0, 1)), X) == [
            "TTTTT.----",
            "-----TTTTT",
        ]

    def test_times_of_any_kind_and_rows_in_any_order(self):
        order = np.random.default_rng(0).permutation(40)
        expected = [set(test) for _, test in BlockedTimeSeriesKFold(4, gap=2).split(TABLE)]
        shuffled = TABLE.iloc[order]
        variants = {
            "frame": (shuffled, "day", None),
            "polars": (pl.DataFrame(shuffled.to_dict("list")), "day", None),
            "index": (shuffled.set_index("day"), "index", None),
            "zone": (
                shuffled.assign(day=shuffled["day"].dt.tz_localize("Asia/Tokyo")),
                "day",
                None,
            ),
            "position": (shuffled[["x"]].to_numpy(), 0, None),
            "groups": (np.zeros((40, 1)), "groups", shuffled["day"]),
            "timedelta": (np.zeros((40, 1)), "groups", shuffled["day"] - DAYS[0]),
        }
        for name, (X, time, groups) in variants.items():
            cv = BlockedTimeSeriesKFold(4, gap=2, time=time)
            found = [set(order[test]) for _, test in cv.split(X, groups=groups)]
            assert found == expected, name

    def test_rows_of_one_time_are_not_divided(self):
        times = np.repeat([0, 1, 2, 3], [7, 1, 1, 1])[:, None]
        for _, test in BlockedTimeSeriesKFold(2, time=0).split(times):
            assert not set(times[test, 0]) & set(times[np.setdiff1d(np.arange(10), test), 0])

    def test_past_only(self):
        X = np.zeros((9, 1))
        cv = BlockedTimeSeriesKFold(2, past_only=True, gap=1)
        assert pictures(cv, X) == ["--.TTT...", "-----.TTT"]
        assert cv.fold_report(X)["later"].tolist() == [2, 0]


class TestPurging:
    def test_labels_that_overlap_the_block(self):
        cv = BlockedTimeSeriesKFold(4, time="day", label_end="known")
        for train, test in cv.split(TABLE):
            first, last = TABLE["day"][test].min(), TABLE["known"][test].max()
            overlap = (TABLE["day"][train] <= last) & (TABLE["known"][train] >= first)
            assert not overlap.any()
        by_duration = BlockedTimeSeriesKFold(4, time="day", label_end=pd.Timedelta("3D"))
        assert pictures(cv, TABLE) == pictures(by_duration, TABLE)
        assert cv.fold_report(TABLE)["overlap"].tolist() == [3, 6, 6, 3]

    def test_embargo_is_a_duration_on_both_sides(self):
        cv = BlockedTimeSeriesKFold(4, time="day", embargo=("2D", "4D"))
        report = cv.fold_report(TABLE)
        assert report["embargo"].tolist() == [4, 6, 6, 2]
        assert report["start"].tolist() == list(DAYS[::10])
        hours = BlockedTimeSeriesKFold(4, time="day", embargo=("48h", pd.Timedelta(days=4)))
        assert pictures(cv, TABLE) == pictures(hours, TABLE)

    def test_groups_and_time_together(self):
        groups = np.r_[np.arange(39), 0]  # the first and the last row
        cv = BlockedTimeSeriesKFold(4, time="day", label_end="known")
        report = cv.fold_report(TABLE, groups=groups)
        assert report["group"].tolist() == [1, 0, 0, 1]
        for train, test in cv.split(TABLE, groups=groups):
            assert not set(groups[train]) & set(groups[test])

    def test_left_out_rows_are_listed(self):
        cv = BlockedTimeSeriesKFold(4, time="day", label_end="known", gap=5)
        for (train, test), rows in zip(cv.split(TABLE), cv.left_out(TABLE), strict=True):
            assert sorted([*train, *test, *rows]) == list(range(40))

    @settings(max_examples=60, deadline=None)
    @given(
        rows=st.lists(
            st.tuples(st.integers(0, 30), st.integers(0, 6), st.integers(0, 5)),
            min_size=8, max_size=40,
        ),
        n_splits=st.integers(2, 4),
        gap=st.tuples(st.integers(0, 3), st.integers(0, 3)),
        embargo=st.tuples(st.integers(0, 4), st.integers(0, 4)),
        past_only=st.booleans(),
    )  # fmt: skip
    def test_training_rows_are_those_that_touch_nothing(
        self, rows, n_splits, gap, embargo, past_only
    ):
        time, length, groups = np.array(rows).T
        X = np.column_stack([time, time + length])
        cv = BlockedTimeSeriesKFold(
            n_splits, time=0, label_end=1, gap=gap, embargo=embargo, past_only=past_only
        )
        try:
            folds = list(cv.split(X, groups=groups))
        except ValueError:  # too few times, or nothing left to train on
            assume(False)
        tested = np.concatenate([test for _, test in folds])
        assert len(set(tested)) == len(tested)
        assert past_only or len(tested) == len(time)
        in_time = sorted(range(len(time)), key=lambda row: (time[row], row))
        for train, test in folds:
            block = [i for i, row in enumerate(in_time) if row in test]
            assert block == list(range(block[0], block[-1] + 1))
            near = in_time[max(block[0] - gap[0], 0) : block[-1] + 1 + gap[1]]
            first, last = time[test].min() - embargo[0], (time + length)[test].max() + embargo[1]
            kept = [
                row for row in range(len(time))
                if row not in near
                and (time[row] > last or time[row] + length[row] < first)
                and groups[row] not in groups[test]
                and not (past_only and time[row] > time[test].max())
            ]  # fmt: skip
            assert train.tolist() == kept


class TestUse:
    def test_inner_and_outer_loop_keep_the_rule(self):
        X = TABLE[["x"]].assign(t=np.arange(40))
        y = np.sin(X["x"])
        cv = BlockedTimeSeriesKFold(3, time="t", label_end=2)
        seen = []

        class Recorder(BlockedTimeSeriesKFold):
            def split(self, X, y=None, groups=None):
                for train, test in super().split(X, y, groups):
                    seen.append((X["t"].to_numpy()[train], X["t"].to_numpy()[test]))
                    yield train, test

        inner = GridSearchCV(Ridge(), {"alpha": [1.0, 2.0]}, cv=Recorder(3, time="t", label_end=2))
        cross_validate(inner, X, y, cv=cv, error_score="raise")
        assert len(seen) == 9
        for train, test in seen:
            assert ((train > test.max() + 2) | (train + 2 < test.min())).all()
        assert cross_val_predict(Ridge(), X, y, cv=cv).shape == (40,)


class TestErrors:
    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"n_splits": 1}, "n_splits"),
            ({"gap": -1}, "gap"),
            ({"gap": (1, 0.5)}, "gap must be an integer"),
            ({"time": "hour"}, "has the columns"),
            ({"time": 7}, "X has 3 columns"),
            ({"time": "day", "embargo": 3}, "a number has no unit"),
            ({"time": "day", "embargo": "-3D"}, "at least 0"),
            ({"time": "x", "embargo": "soon"}, "number in the unit of the times"),
            ({"time": "x", "label_end": "known"}, "both be dates"),
            ({"time": "x", "label_end": "hour"}, "no column of X"),
            ({"time": "known", "label_end": "day"}, r"ends before it starts in rows 0, 1"),
            ({"n_splits": 41}, "40 different times cannot be divided into 41 blocks"),
            ({"time": "groups"}, "no groups were passed"),
        ],
    )
    def test_parameters(self, parameters, message):
        with pytest.raises(ValueError, match=message):
            list(BlockedTimeSeriesKFold(**parameters).split(TABLE))

    def test_missing_and_unreadable_times(self):
        missing = TABLE.assign(day=TABLE["day"].where(TABLE["x"] != 3))
        with pytest.raises(ValueError, match="time is missing in row 3"):
            list(BlockedTimeSeriesKFold(time="day").split(missing))
        with pytest.raises(ValueError, match=r"pandas\.to_datetime"):
            list(BlockedTimeSeriesKFold(time="day").split(TABLE.astype({"day": str})))
        with pytest.raises(ValueError, match="X is None"):
            list(BlockedTimeSeriesKFold().split(None))

    def test_nothing_left_to_train_on(self):
        with pytest.raises(InfeasibleSplitError, match="10 by embargo"):
            list(BlockedTimeSeriesKFold(2, embargo=30).split(np.zeros((20, 1))))
        with pytest.raises(InfeasibleSplitError, match="10 by group"):
            list(BlockedTimeSeriesKFold(2).split(np.zeros((20, 1)), groups=np.zeros(20)))
