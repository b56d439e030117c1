"""Several models on the same folds."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from honesteval.stats import corrected_t_test
from honesteval.tuning import (
    NestedCVComparison,
    nested_cross_validate,
    nested_cross_validate_models,
)

X, Y = make_classification(90, 6, n_informative=3, random_state=0)
TREE = DecisionTreeClassifier(random_state=0)
MODELS = {"bayes": GaussianNB(), "tree": TREE, "majority": DummyClassifier()}


class Counting(StratifiedKFold):
    """Counts how often folds are drawn."""

    drawn = 0

    def split(self, X, y=None, groups=None):
        type(self).drawn += 1
        return super().split(X, y, groups)


@pytest.fixture(scope="module")
def comparison():
    return nested_cross_validate_models(
        MODELS, X, Y, search_spaces={"tree": {"max_depth": [1, 2, 4]}}, n_trials=3, outer_cv=4,
        n_repeats=2, scoring="roc_auc", random_state=0,
    )  # fmt: skip


def test_all_models_are_tested_on_the_same_rows(comparison):
    first = comparison["bayes"].test_indices
    for result in comparison.values():
        for one, other in zip(first, result.test_indices, strict=True):
            np.testing.assert_array_equal(one, other)
    assert list(comparison) == list(MODELS)
    assert len(comparison) == 3


def test_each_result_is_that_of_the_model_alone(comparison):
    alone = nested_cross_validate(
        TREE, X, Y, search_space={"max_depth": [1, 2, 4]}, n_trials=3, outer_cv=4, n_repeats=2,
        scoring="roc_auc", random_state=0,
    )  # fmt: skip
    np.testing.assert_array_equal(alone.outer_scores, comparison["tree"].outer_scores)
    assert alone.best_params == comparison["tree"].best_params


def test_folds_that_cost_something_are_drawn_once():
    Counting.drawn = 0
    models = {f"depth {d}": GridSearchCV(TREE, {"max_depth": [d]}) for d in (1, 2)}
    nested_cross_validate_models(
        models, X, Y, outer_cv=Counting(3), inner_cv=Counting(2), random_state=0
    )
    assert Counting.drawn == 1 + 3


def test_the_difference_is_tested_over_folds(comparison):
    test = comparison.difference("tree", "majority")
    a, b = comparison["tree"], comparison["majority"]
    expected = corrected_t_test(
        a.outer_scores, b.outer_scores, n_train=a.train_sizes, n_test=a.test_sizes
    )
    assert test == expected
    with pytest.raises(ValueError, match="Did you mean 'tree'"):
        comparison.difference("three", "bayes")


def test_words_and_tables(comparison):
    lines = comparison.summary().splitlines()
    means = {name: result.outer_scores.mean() for name, result in comparison.items()}
    assert lines[0].startswith(max(means, key=means.get))
    assert sum("Corrected resampled t-test" in line for line in lines) == 3
    frame = comparison.to_frame()
    assert list(frame["model"]) == list(MODELS)
    np.testing.assert_allclose(frame["roc_auc"], list(means.values()))
    assert "<table" in comparison._repr_html_()


def test_several_tasks_are_compared_one_by_one():
    table = pd.DataFrame({"a": Y, "b": 1 - Y}).astype(float)
    table.iloc[::5, 0] = np.nan
    comparison = nested_cross_validate_models(
        {"bayes": GaussianNB(), "majority": DummyClassifier()}, X, table, outer_cv=3, random_state=0
    )
    assert len(comparison.to_frame()) == 4
    assert comparison.difference("bayes", "majority", task="a").n_folds == 3
    with pytest.raises(ValueError, match="Name one task of a, b"):
        comparison.difference("bayes", "majority")
    assert "a: bayes" in comparison.summary()


def test_each_model_has_a_checkpoint_of_its_own(tmp_path):
    arguments = {"outer_cv": 3, "random_state": 0, "checkpoint": tmp_path}
    first = nested_cross_validate_models({"bayes": GaussianNB(), "tree": TREE}, X, Y, **arguments)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bayes", "tree"]
    again = nested_cross_validate_models({"bayes": GaussianNB(), "tree": TREE}, X, Y, **arguments)
    assert isinstance(again, NestedCVComparison)
    for name in first:
        np.testing.assert_array_equal(first[name].outer_scores, again[name].outer_scores)


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match="models is empty"):
        nested_cross_validate_models({}, X, Y)
    with pytest.raises(ValueError, match="Did you mean 'tree'"):
        nested_cross_validate_models(MODELS, X, Y, search_spaces={"treee": {}})
