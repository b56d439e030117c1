"""The score as a function of the similarity allowed across the split."""

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from honesteval.checks import leakage_curve

CALL = {"similarity": "rbf", "n_moves": 300}


def copies(seed=0, n=40, size=3):
    """Near copies with a common label that nothing else tells."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)).repeat(size, axis=0)
    return X + 0.01 * rng.normal(size=X.shape), rng.normal(size=n).repeat(size)


def test_a_lookup_falls_with_similarity():
    X, y = copies()
    curve = leakage_curve(KNeighborsRegressor(1), X, y, n_levels=4, **CALL)
    table = curve.table
    assert (np.diff(table["mean_similarity"]) > 0).all()
    assert (np.diff(table["estimate"].iloc[1:]) < 0).all()  # strangers all the same
    assert table["estimate"].iloc[0] > 0.8
    assert table["low"].iloc[0] > table["high"].iloc[-1]
    assert curve.drop < -0.5
    assert curve.metric == "mae"


def test_a_model_that_learnt_the_rule_stays_flat():
    X, _ = copies()
    y = X @ [1.0, -2.0] + 0.1 * np.random.default_rng(1).normal(size=len(X))
    curve = leakage_curve(LinearRegression(), X, y, n_levels=3, **CALL)
    assert abs(curve.drop) < 0.02
    assert curve.area == pytest.approx(0.08, abs=0.02)


def test_area_is_the_mean_of_the_score_over_similarity():
    X, y = copies()
    curve = leakage_curve(KNeighborsRegressor(1), X, y, n_levels=3, n_splits=3, **CALL)
    x, s = curve.table["mean_similarity"].to_numpy(), curve.table["estimate"].to_numpy()
    by_hand = sum((s[i] + s[i + 1]) / 2 * (x[i + 1] - x[i]) for i in range(2)) / (x[2] - x[0])
    assert curve.area == pytest.approx(by_hand)
    constant = leakage_curve(
        DummyRegressor(strategy="constant", constant=0.0), X, y, n_levels=3, **CALL
    )
    assert constant.area == pytest.approx(np.abs(y).mean())


def test_every_level_tests_every_row_once_on_training_sets_of_one_size():
    X, y = copies()
    curve = leakage_curve(DummyRegressor(), X, y, n_levels=3, n_splits=4, **CALL)
    for _, rows in curve.rows.groupby("level"):
        assert sorted(rows["row"]) == list(range(120))
        sizes = rows.groupby("fold").size()
        assert sizes.between(27, 33).all()
    assert curve.table["level"].tolist() == [0.0, 0.5, 1.0]
    assert "area under it" in curve.summary()


def test_classes_groups_and_jobs():
    X, y = copies()
    labels = np.where(y > 0, "b", "a")
    groups = np.arange(120) // 6
    call = {**CALL, "groups": groups, "n_levels": 3, "n_splits": 3}
    one = leakage_curve(KNeighborsClassifier(3), X, labels, n_jobs=1, **call)
    with parallel_config(backend="threading"):
        two = leakage_curve(KNeighborsClassifier(3), X, labels, n_jobs=2, **call)
    assert one.metric == "roc_auc"
    assert one.table.equals(two.table)
    of_group = one.rows.assign(group=groups[one.rows["row"]])
    assert (of_group.groupby(["level", "group"])["fold"].nunique() == 1).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": np.r_[np.nan, np.arange(119) / 7]}, "no label in row 0"),
        ({"n_levels": 1}, "n_levels"),
        ({"n_splits": 500}, "n_splits"),
        ({"entities": ["CCO"]}, "same number of rows"),
    ],
)
def test_what_cannot_work_says_why(change, message):
    X, y = copies()
    call = {"y": y, **CALL, **change}
    with pytest.raises(ValueError, match=message):
        leakage_curve(DummyRegressor(), X, call.pop("y"), **call)
