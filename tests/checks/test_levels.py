import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

from honesteval.checks import level_check


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 4))
    y = X @ [1.0, -1.0, 0.5, 0.0] + 0.2 * random.normal(size=300)
    order = random.permutation(300)
    return X, y, random.integers(0, 2, 300), order[:200], order[200:]


def test_flags_an_offset_between_levels(table):
    X, y, levels, train, test = table
    result = level_check(
        Ridge(), X, y + 3 * levels, levels, train=train, test=test, n_resamples=199, random_state=0
    )
    assert result.mixing_hurts
    assert result.level(1).mean_label - result.level(0).mean_label == pytest.approx(3, abs=0.5)
    assert all(scores.mixed > 5 * scores.alone for scores in result.levels)


def test_silent_when_levels_agree(table):
    X, y, levels, train, test = table
    result = level_check(
        Ridge(), X, y, levels, train=train, test=test, n_resamples=199, random_state=0
    )
    assert not result.mixing_hurts


def test_mixed_score_is_that_of_a_plain_fit(table):
    X, y, levels, train, test = table
    result = level_check(
        Ridge(), X, y, levels, train=train, test=test, n_resamples=49, random_state=0
    )
    expected = np.abs(Ridge().fit(X[train], y[train]).predict(X[test]) - y[test]).mean()
    assert result.mixed == pytest.approx(expected)
    assert sum(scores.n_test for scores in result.levels) == result.n_test == 100


def test_classes_are_ranked_by_the_model(table):
    X, y, levels, train, test = table
    labels = np.where(y > 0, "yes", "no")
    result = level_check(
        LogisticRegression(), X, labels, levels, train=train, test=test, n_resamples=49,
        random_state=0,
    )  # fmt: skip
    assert result.metric == "roc_auc"
    assert result.mixed > 0.9


def test_small_levels_are_listed_not_scored(table):
    X, y, levels, train, test = table
    levels = levels.astype(object)
    levels[train[:3]] = "pilot"
    result = level_check(
        Ridge(), X, y, levels, train=train, test=test, n_resamples=49, random_state=0
    )
    assert result.left_out == ("pilot",)
    assert "pilot" in result.summary()
    with pytest.raises(ValueError, match="No scores for level 'pilot'"):
        result.level("pilot")


def test_results_are_shown(table):
    X, y, levels, train, test = table
    result = level_check(
        Ridge(), X, y + 3 * levels, levels, train=train, test=test, n_resamples=49, random_state=0
    )
    assert "trained on its" in result.summary()
    assert result.to_frame()["mixing_hurts"].all()
    assert "<table" in result._repr_html_()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"levels": np.zeros(300)}, "one level only"),
        ({"levels": np.arange(300)}, "No level has 10"),
        ({"levels": np.where(np.arange(300) < 5, np.nan, 1.0)}, "levels are missing in rows 0, 1"),
        ({"levels": np.zeros(10)}, "same number of rows"),
    ],
)
def test_bad_input_gives_one_clear_sentence(table, change, message):
    X, y, levels, train, test = table
    options = {"levels": levels, **change}
    with pytest.raises(ValueError, match=message):
        level_check(Ridge(), X, y, options["levels"], train=train, test=test)
