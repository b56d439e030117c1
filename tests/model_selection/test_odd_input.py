"""What splitters do with input that is odd: the right folds, or an error that says what to do."""

import datetime

import numpy as np
import pandas as pd
import pytest

from honesteval import (
    BlockedTimeSeriesKFold,
    DeploymentKFold,
    InfeasibleSplitError,
    LeadOptimizationSplit,
    SimilarityGroupKFold,
    SimilarityPairKFold,
)
from honesteval.model_selection import SimilarityGroupShuffleSplit

N = 24
BITS = (np.random.default_rng(0).random((N, 32)) < 0.3).astype(int)
PAIRED = np.arange(N) // 2
DAYS = pd.date_range("2020-01-01", periods=N)
PAIRS = pd.DataFrame({"drug": list("abcdef") * 6, "target": np.repeat(list("uvwxyz"), 6)})
BOTH = {"drug": "identity", "target": "identity"}


def k_fold(**parameters):
    return SimilarityGroupKFold(3, n_init=1, **parameters)


def by_time(time, *, n_splits=4, **parameters):
    table = pd.DataFrame({"time": time, "x": 0.0})
    if "end" in parameters:
        table["end"], parameters["label_end"] = parameters.pop("end"), "end"
    return list(BlockedTimeSeriesKFold(n_splits, time="time", **parameters).split(table))


class TestGroups:
    @pytest.mark.parametrize(
        "groups",
        [
            PAIRED[:, None],
            pd.DataFrame({"pair": PAIRED}, index=[0] * N),
            [[f"pair {i}"] for i in PAIRED],
            [(0, i) for i in PAIRED],
        ],
    )
    def test_one_label_per_row_in_any_shape(self, groups):
        labels = k_fold().partition(BITS, groups=groups).labels
        assert np.array_equal(labels, k_fold().partition(BITS, groups=PAIRED).labels)
        assert (labels[::2] == labels[1::2]).all()

    @pytest.mark.parametrize(
        ("groups", "message"),
        [
            (np.zeros((N, 2)), r"one label per row. Got shape \(24, 2\)"),
            (dict.fromkeys(range(N), 1), "Got a mapping"),
            ([["a"]] + [["a", "b"]] * (N - 1), "a list in rows 0, 1"),
        ],
    )
    def test_anything_else_is_refused_by_every_splitter(self, groups, message):
        table = pd.DataFrame(BITS).assign(time=np.arange(N))
        for cv, X in [
            (k_fold(), BITS),
            (LeadOptimizationSplit(), BITS),
            (DeploymentKFold(BITS, 3), BITS),
            (BlockedTimeSeriesKFold(3, time="time"), table),
            (SimilarityPairKFold(2, entities=BOTH), PAIRS[:N]),
        ]:
            with pytest.raises(ValueError, match=message):
                list(cv.split(X, groups=groups))


class TestRules:
    def test_a_clusterer_without_labels_for_some(self):
        labels = np.where(np.arange(N) == 3, np.nan, PAIRED)
        with pytest.raises(ValueError, match=r"no label for row 3. Return -1"):
            k_fold(clusterer=lambda X: labels).partition(BITS)

    def test_a_negative_seed(self):
        with pytest.raises(ValueError, match=r"random_state must be at least 0. Got -1"):
            k_fold(random_state=-1).partition(BITS)


class TestClasses:
    def test_gaps_of_every_type_are_no_class(self):
        y = [None, *[True, False] * 11, None]
        expected = k_fold(min_per_class=3).partition(BITS, np.array(y, dtype=float))
        for given in (
            pd.array(y, dtype="boolean"),
            pd.Series(y, dtype=object),
            pd.array([pd.NA if value is None else int(value) for value in y], dtype="Int64"),
        ):
            labels = k_fold(min_per_class=3).partition(BITS, given).labels
            assert np.array_equal(labels, expected.labels)
        for value in (0, 1):
            inside = expected.labels[np.array(y, dtype=float) == value]
            assert np.bincount(inside, minlength=3).min() >= 3

    @pytest.mark.parametrize(
        ("y", "message"),
        [
            (np.zeros((N, 2, 2)), r"dimensions. Got shape \(24, 2, 2\)"),
            ([[1, 0]] * 3 + [[1]] + [[1, 0]] * 20, "number of tasks in every row: not so in row 3"),
            (np.arange(N) * 1j, "Got complex numbers"),
        ],
    )
    def test_what_holds_no_classes_is_refused(self, y, message):
        with pytest.raises(ValueError, match=message):
            k_fold().partition(BITS, y)

    def test_infinite_values_are_named_with_quantiles_too(self):
        y = np.where(np.arange(N) == 5, np.inf, np.arange(N))
        with pytest.raises(ValueError, match="y is infinite in row 5"):
            k_fold(stratify="quantiles").partition(BITS, y)

    def test_dates_are_continuous(self):
        found = k_fold().partition(BITS, DAYS)
        assert np.array_equal(found.labels, k_fold().partition(BITS).labels)


class TestTimes:
    def test_dates_of_any_type_give_the_same_blocks(self):
        expected = by_time(DAYS, embargo="2D")
        zones = [
            day.tz_localize("UTC").tz_convert("Asia/Tokyo" if i % 2 else "Europe/Rome")
            for i, day in enumerate(DAYS)
        ]
        for days in ([day.date() for day in DAYS], [day.to_pydatetime() for day in DAYS], zones):
            for found, wanted in zip(by_time(days, embargo="2D"), expected, strict=True):
                assert [rows.tolist() for rows in found] == [rows.tolist() for rows in wanted]

    def test_label_ends_are_compared_in_one_time_zone(self):
        tokyo = DAYS.tz_localize("Asia/Tokyo")
        with pytest.raises(ValueError, match="has a time zone and the other has none"):
            by_time(tokyo, end=DAYS + pd.Timedelta("3h"))
        same = by_time(tokyo, end=(DAYS + pd.Timedelta("30h")).tz_localize("Asia/Tokyo"))
        other = by_time(tokyo, end=(tokyo + pd.Timedelta("30h")).tz_convert("UTC"))
        assert [len(train) for train, _ in same] == [len(train) for train, _ in other]

    @pytest.mark.parametrize(
        ("time", "message"),
        [
            ([DAYS[0].tz_localize("UTC"), *DAYS[1:]], "in some rows and none in rows 1, 2"),
            (
                [datetime.datetime(1500, 1, 1), *DAYS[1:].to_pydatetime()],
                "outside of the years 1678 to 2261 in row 0",
            ),
            (np.arange(N, dtype=np.uint64) + np.uint64(2**63), r"above 2\*\*63"),
        ],
    )
    def test_times_that_cannot_be_compared(self, time, message):
        with pytest.raises(ValueError, match=message):
            by_time(time)

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"embargo": np.int64(3)}, "a number has no unit"),
            ({"embargo": True}, "no duration"),
            ({"embargo": ["1D"]}, "embargo must be one value, or two"),
            ({"gap": (1, 2, 3)}, "gap must be one value, or two"),
        ],
    )
    def test_durations_that_are_none(self, parameters, message):
        with pytest.raises(ValueError, match=message):
            by_time(DAYS, **parameters)

    @pytest.mark.parametrize(
        ("X", "time", "groups", "message"),
        [
            ([[1, 2], [3], [4, 5]], 1, None, "no such column in row 1"),
            (pd.DataFrame(np.zeros((4, 2)), columns=["t", "t"]), "t", None, "several columns"),
            (np.zeros((9, 2)), "groups", DAYS, "X has 9, groups has 24"),
            (None, "groups", np.zeros((N, 2)), r"one column. Got shape \(24, 2\)"),
        ],
    )
    def test_columns_that_hold_no_times(self, X, time, groups, message):
        with pytest.raises(ValueError, match=message):
            list(BlockedTimeSeriesKFold(2, time=time).split(X, groups=groups))


class TestPairs:
    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"threshold": {"protein": 0.5}}, "threshold names 'protein', but entities has"),
            ({"cross_similarity": "drug"}, "must be a dict from two columns to a function"),
        ],
    )
    def test_options_of_no_column(self, parameters, message):
        with pytest.raises(ValueError, match=message):
            list(SimilarityPairKFold(2, entities=BOTH, **parameters).split(PAIRS))

    def test_tables_that_do_not_fit(self):
        cv = SimilarityPairKFold(2, entities=BOTH, on="groups")
        with pytest.raises(ValueError, match="X has 3, groups has 36"):
            list(cv.split(np.zeros((3, 1)), groups=PAIRS))
        with pytest.raises(ValueError, match="several columns"):
            SimilarityPairKFold(2, entities=BOTH).partition(PAIRS[["drug", "drug", "target"]])


class TestLeads:
    SERIES = np.repeat(np.eye(6, dtype=int).repeat(8, axis=1), 10, axis=0)

    @pytest.mark.parametrize(
        ("y", "message"),
        [
            (["high"] * 60, "y must be numeric"),
            (np.zeros((60, 2)), r"one-dimensional. Got shape \(60, 2\)"),
            (np.r_[np.inf, np.arange(59)], "y is infinite in row 0"),
        ],
    )
    def test_labels_without_a_spread(self, y, message):
        with pytest.raises(ValueError, match=message):
            list(LeadOptimizationSplit(min_spread=0.1).split(self.SERIES, y))

    def test_groups_that_leave_nothing_to_train_on(self):
        noise = np.random.default_rng(0).random(self.SERIES.shape) < 0.05
        bits = self.SERIES ^ noise
        assert len(next(LeadOptimizationSplit().split(bits))[0])
        with pytest.raises(InfeasibleSplitError, match="Split 0 leaves no row to train on"):
            list(LeadOptimizationSplit().split(bits, groups=[1] * 60))


class TestSizes:
    def test_a_test_set_of_all_samples(self):
        with pytest.raises(ValueError, match=r"test_size=0[.]99 leaves nothing of 24 samples"):
            list(SimilarityGroupShuffleSplit(2, test_size=0.99).split(BITS))
        train, test = next(SimilarityGroupShuffleSplit(1, test_size=23, n_init=1).split(BITS))
        assert (len(train), len(test)) == (1, 23)


class TestDeployment:
    def test_columns_are_matched_by_name(self):
        known = pd.DataFrame(BITS, columns=[f"bit {i}" for i in range(32)])
        met = known[:8]
        expected = DeploymentKFold(met, 3, n_moves=50).partition(known)
        found = DeploymentKFold(met[met.columns[::-1]], 3, n_moves=50).partition(known)
        assert np.array_equal(found.labels, expected.labels)
        np.testing.assert_array_equal(found.target, expected.target)
        with pytest.raises(ValueError, match=r"Not so for .'bit 0'"):
            DeploymentKFold(met.rename(columns={"bit 0": "x"}), 3).partition(known)

    def test_a_text_is_no_table(self):
        smiles = ["C" * n for n in range(1, N + 1)]
        with pytest.raises(ValueError, match="Got the text 'CO'"):
            DeploymentKFold("CO", 3).partition(smiles)
