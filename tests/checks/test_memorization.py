import numpy as np
import pandas as pd
import pytest

from honesteval.checks import MemorizationResult, memorization_check
from honesteval.similarity import PrecomputedSimilarity

# Rows 0-3 train, 4-6 test. Row 4 is a near duplicate of rows 0 and 1 (tied), row 5 is next to
# row 2, row 6 to row 3.
SIMILARITY = np.eye(7)
for _i, _j, _s in [(0, 4, 0.95), (1, 4, 0.95), (2, 5, 0.5), (3, 6, 0.4), (0, 5, 0.1)]:
    SIMILARITY[_i, _j] = SIMILARITY[_j, _i] = _s
Y = np.array([1.0, 3.0, 10.5, -4.5, 2.5, 7.5, -0.5])


def check(y=Y, **options):
    options = {"train": [0, 1, 2, 3], "test": [4, 5, 6], "similarity": "precomputed",
               "n_resamples": 99, "random_state": 0, **options}  # fmt: skip
    return memorization_check(SIMILARITY, y, **options)


def test_tied_neighbours_are_averaged_and_parts_are_scored():
    result = check()
    assert isinstance(result, MemorizationResult)
    assert result.rows["nearest_label"].tolist() == [2.0, 10.5, -4.5]
    assert result.rows["n_tied"].tolist() == [2, 1, 1]
    assert (result.n_train, result.n_test, result.n_near, result.n_clean) == (4, 3, 1, 2)
    assert result.neighbor.all == pytest.approx((0.5 + 3.0 + 4.0) / 3)
    assert result.neighbor.clean == pytest.approx(3.5)
    assert result.neighbor.inflation == pytest.approx(3.5 / 2.5)


def test_row_order_does_not_matter():
    order = np.array([3, 1, 0, 2, 6, 4, 5])
    shuffled = memorization_check(
        SIMILARITY[np.ix_(order, order)], Y[order], similarity="precomputed",
        train=[0, 1, 2, 3], test=[4, 5, 6], n_resamples=99, random_state=0,
    )  # fmt: skip
    assert shuffled.neighbor.all == pytest.approx(check().neighbor.all)
    assert shuffled.neighbor.clean == pytest.approx(check().neighbor.clean)


def test_threshold_is_inclusive():
    assert check(near_duplicate_threshold=0.95).n_near == 1
    assert check(near_duplicate_threshold=0.951).n_near == 0


def test_no_near_duplicates_means_no_inflation():
    result = check(near_duplicate_threshold=1.0)
    score = result.neighbor
    assert (score.inflation, score.inflation_low, score.inflation_high) == (1.0, 1.0, 1.0)


def test_every_test_row_a_near_duplicate_leaves_the_clean_score_undefined():
    result = check(near_duplicate_threshold=0.3, y_pred=[2.0, 7.0, 0.0])
    assert result.n_clean == 0
    assert np.isnan(result.neighbor.clean)
    assert np.isnan(result.neighbor.inflation)
    assert result.differences == {}
    assert "nan" in result.summary()


def test_masks_and_positions_agree():
    train = np.arange(7) < 4
    assert check(train=train, test=~train).neighbor == check().neighbor


def test_missing_labels_are_left_out_and_counted():
    result = check(y=np.where(np.arange(7) == 5, np.nan, Y))
    assert (result.n_test, result.n_unlabelled) == (2, 1)
    assert result.rows["test_row"].tolist() == [4, 6]


def test_models_are_compared_on_the_clean_rows():
    result = check(y_pred={"good": [2.5, 7.4, -0.4], "bad": [2.5, -20.0, 20.0]})
    assert result.models["good"].clean == pytest.approx(0.1)
    assert result.differences["good"].estimate == pytest.approx(3.4)
    assert result.differences["bad"].estimate < 0
    assert set(result.to_frame()["predictor"]) == {"nearest neighbour", "good", "bad"}


def test_ranking_change_is_noticed():
    remembers = check(y_pred={"a": [2.5, 7.5 + 4, -0.5 + 4], "b": [2.5 + 9, 7.5 + 1, -0.5 + 1]})
    assert remembers.ranking_changes
    assert "order of the predictors changes" in remembers.summary()
    assert not check(y_pred={"a": [2.5, 7.5, -0.5]}).ranking_changes


def test_text_labels_of_two_classes_are_ranked():
    y = np.array(["active", "active", "inactive", "active", "active", "inactive", "inactive"])
    result = check(y=y)
    assert result.metric == "roc_auc"
    assert result.rows["nearest_label"].tolist() == [0.0, 1.0, 0.0]
    named = check(y=y, metric="accuracy", y_pred=["active", "inactive", "inactive"])
    assert named.models["model"].all == 1.0


def test_three_classes_take_the_most_frequent_label():
    result = check(y=np.array([0, 0, 1, 2, 0, 1, 1]))
    assert result.metric == "accuracy"
    assert result.neighbor.all == pytest.approx(2 / 3)


def test_callable_metric_has_no_inflation():
    result = check(metric=lambda y, score: float(np.corrcoef(y, score)[0, 1]))
    assert np.isfinite(result.neighbor.all)
    assert np.isnan(result.neighbor.inflation)


def test_same_seed_same_interval():
    first, second = check(y_pred=Y[4:]), check(y_pred=Y[4:])
    assert first.differences["model"].low == second.differences["model"].low
    assert first.neighbor == second.neighbor


def test_a_similarity_object_is_taken_as_it_is():
    similarity = PrecomputedSimilarity(SIMILARITY)
    assert check(similarity=similarity).neighbor == check().neighbor


def test_inputs_are_not_modified():
    y, train = Y.copy(), np.array([0, 1, 2, 3])
    check(y=y, train=train)
    assert np.array_equal(y, Y)
    assert train.tolist() == [0, 1, 2, 3]


def test_results_are_shown():
    result = check(y_pred=[2.5, 7.5, -0.5])
    assert "1 of 3 test rows (33%)" in result.summary()
    assert "<table" in result._repr_html_()
    assert isinstance(result.to_frame(), pd.DataFrame)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"train": [0, 1], "test": [1, 2]}, "overlap"),
        ({"test": []}, "test side has no rows"),
        ({"test": [-1]}, "negative"),
        ({"near_duplicate_threshold": 1.5}, "near_duplicate_threshold"),
        ({"y": Y[:3]}, "one label per row"),
        ({"y": np.full(7, np.nan)}, "No training row has a label"),
        ({"y": np.column_stack([Y, Y])}, "one column of labels"),
        ({"y": np.where(Y > 10, np.inf, Y)}, "infinite"),
        ({"y_pred": [1.0, 2.0]}, "one prediction per row of test"),
        ({"y_pred": [1.0, np.nan, 2.0]}, "NaN in row 1"),
        ({"metric": "no_such"}, "metric must be one of"),
        ({"y": pd.date_range("2020", periods=7)}, "dates"),
    ],
)
def test_bad_input_gives_one_clear_sentence(options, message):
    with pytest.raises(ValueError, match=message):
        check(**options)


@pytest.mark.data
def test_lipophilicity_random_split_is_inflated(read_molecules):
    table = read_molecules("Lipophilicity.csv").head(2000)
    order = np.random.default_rng(0).permutation(len(table))
    result = memorization_check(
        table["smiles"], table["exp"], train=order[400:], test=order[:400],
        n_resamples=299, random_state=0,
    )  # fmt: skip
    assert result.n_near > 5
    assert result.neighbor.clean > result.neighbor.all
