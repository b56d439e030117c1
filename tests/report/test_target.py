"""A column of labels is read for what it is, and the sentence says so."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honesteval.report import resolve_target, resolve_targets


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        ([0, 1, 1, 0], "binary"),
        ([True, False, True], "binary"),
        (["a", "b", "a"], "binary"),
        (["a", "b", "c"], "multiclass"),
        ([1, 2, 3, 1], "multiclass"),
        (["1", "0", "1"], "binary"),
        ([0.5, 0.7, 1.2], "regression"),
        (list(range(11)), "regression"),
        (["5.5", "6.1", "7.2"], "regression"),
        ([0.25, 0.75], "binary"),
    ],
)
def test_takes_labels_for_what_they_are(labels, kind):
    assert resolve_target(labels).kind == kind


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, "", " ", "NA", "nan", "None"])
def test_missing_labels_are_nan(missing):
    target = resolve_target(["yes", missing, "no"])
    assert target.labelled.tolist() == [True, False, True]
    assert target.n_labelled == 2


@pytest.mark.parametrize(
    ("labels", "positive"),
    [
        (["inactive", "active"], "active"),
        (["Active", "Inactive"], "Active"),
        (["no", "yes"], "yes"),
        (["yes", "abstained"], "yes"),
        (["a", "b"], "b"),
        ([1, 0], "1"),
        ([-1, 1], "1"),
    ],
)
def test_positive_class_comes_last(labels, positive):
    target = resolve_target(labels)
    assert target.classes[1] == positive
    assert f"{positive!r} (1 row, the positive class)" in target.reason


def test_positive_class_can_be_named():
    target = resolve_target(["a", "b", "a"], positive="a")
    assert target.values.tolist() == [1.0, 0.0, 1.0]
    assert resolve_target([0, 1, 1], positive=0).values.tolist() == [1.0, 0.0, 0.0]


def test_says_what_a_column_was_taken_for():
    assert "continuous value (12 distinct values), from 0 to 11" in resolve_target(range(12)).reason
    assert "3 classes (text labels): 'a' (1 row), 'b' (1 row) and 'c'" in (
        resolve_target(["a", "b", "c"]).reason
    )
    assert "whole numbers, at most 10 distinct" in resolve_target([1, 2, 3]).reason


def test_task_overrides_the_guess():
    assert resolve_target([1, 2, 3], task="regression").is_regression
    assert resolve_target([1.5, 2.5, 3.5], task="classification").kind == "multiclass"


@pytest.mark.parametrize(
    ("labels", "options", "message"),
    [
        ([1, 1, 1], {}, "holds one class only ('1' in all 3 rows)"),
        (["x", "x"], {}, "holds one class only ('x' in all 2 rows)"),
        ([2.5, 2.5], {"task": "regression"}, "All 2 values of y are 2.5"),
        ([None, np.nan, ""], {}, "No row has a value of y"),
        (["a", "1.5"], {"task": "regression"}, "cannot be read as numbers (for example 'a')"),
        ([0.5, np.inf, 0.7], {"task": "regression"}, "infinite values in row 1"),
        (["a", "b"], {"positive": "c"}, "positive must be one of two classes of y: 'a', 'b'"),
        (["a", "b", "c"], {"positive": "a"}, "positive must be one of two classes"),
        ([[1, 2], [3, 4]], {}, "must be one column"),
    ],
)
def test_says_what_is_wrong_with_labels(labels, options, message):
    with pytest.raises(ValueError) as caught:
        resolve_target(labels, **options)
    assert message in str(caught.value)


def test_several_columns_keep_their_names():
    table = pd.DataFrame({"a": [0, 1, 1], "b": [0.1, 0.2, 0.3]})
    assert [target.name for target in resolve_targets(table)] == ["a", "b"]
    assert [target.name for target in resolve_targets(table.to_numpy())] == ["task 0", "task 1"]
    assert [target.name for target in resolve_targets(table["a"])] == ["a"]
    assert [target.name for target in resolve_targets([0, 1])] == ["y"]
    with pytest.raises(ValueError, match="1 names were given for 2 columns"):
        resolve_targets(table, names=["a"])


@given(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=4), st.randoms())
def test_order_of_rows_does_not_matter(labels, random):
    if len({label for label in labels if label}) < 2:
        labels = [*labels, "a", "b"]
    order = list(range(len(labels)))
    random.shuffle(order)
    straight = resolve_target(labels)
    shuffled = resolve_target([labels[row] for row in order])
    np.testing.assert_array_equal(straight.values[order], shuffled.values)
    assert straight.classes == shuffled.classes


@given(st.lists(st.sampled_from(["a", "b"]), min_size=2).filter(lambda x: len(set(x)) == 2))
def test_codes_name_their_classes(labels):
    target = resolve_target(labels)
    assert [target.classes[int(code)] for code in target.values] == labels
    assert sum(target.counts().values()) == len(labels)
