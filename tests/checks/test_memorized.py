import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import Ridge

from honesteval.checks import audit_split
from honesteval.datasets import make_near_duplicates

CODES = ["HE121", "HE122"]


@pytest.fixture(scope="module")
def made():
    return make_near_duplicates(700, n_test=250)


def audit(X, y, splits, **options):
    return audit_split(X, y, splits, checks=CODES, **options)


def test_flags_a_score_that_near_duplicates_explain(made):
    audited = audit(made.data, made.target, (made.train, made.test))
    finding = audited["HE121"]
    assert finding.severity == "error"
    assert finding.measured["inflation_low"] > 1
    result = audited.memorization["y"]
    assert finding.measured["inflation"] == pytest.approx(result.neighbor.inflation)


def test_silent_without_near_duplicates(clean):
    assert audit(clean.X, clean.y, clean.split)["HE121"].status == "passed"


def test_silent_when_near_duplicates_do_not_help(made):
    noise = np.random.default_rng(0).normal(size=len(made.target))
    assert audit(made.data, noise, (made.train, made.test))["HE121"].status == "passed"


def test_folds_are_pooled(made):
    audited = audit(made.data, made.target, np.arange(700) % 5)
    assert audited.memorization["y"].n_test == 700
    assert audited["HE121"].severity == "error"


def test_model_that_beats_the_nearest_neighbour_passes(made):
    audited = audit(made.data, made.target, (made.train, made.test), estimator=Ridge())
    assert audited["HE122"].status == "passed"
    assert "Ridge" in audited.memorization["y"].models


def test_flags_a_model_that_does_not(made):
    audited = audit(made.data, made.target, (made.train, made.test), estimator=DummyRegressor())
    assert audited["HE122"].severity == "warning"
    assert not audited["HE122"].evidence["better"].any()


def test_models_of_folds_on_other_scales_are_ranked_within_their_fold(made):
    """Every fold is ordered without an error, but the scores of no two folds are on one scale."""
    y = (made.target > np.median(made.target)).astype(int)
    fold = np.arange(700) % 5
    right = y + 0.1 * np.random.default_rng(0).random(700) - 100 * fold
    wrong = -right
    audited = audit(made.data, y, fold, y_pred={"right": right, "wrong": wrong})
    models = audited.memorization["y"].models
    assert models["right"].all == pytest.approx(1, abs=0.03)
    assert models["wrong"].all == pytest.approx(0, abs=0.03)
    better = audited["HE122"].evidence.set_index("model")["better"]
    assert better["right"]
    assert not better["wrong"]


def test_predictions_of_the_caller_equal_those_of_the_estimator(made):
    fitted = Ridge().fit(made.data[made.train], made.target[made.train])
    y_pred = np.full(700, np.nan)
    y_pred[made.test] = fitted.predict(made.data[made.test])
    given = audit(made.data, made.target, (made.train, made.test), y_pred=y_pred)
    fitted_here = audit(made.data, made.target, (made.train, made.test), estimator=Ridge())
    assert given.memorization["y"].models["model"].clean == pytest.approx(
        fitted_here.memorization["y"].models["Ridge"].clean
    )


def test_every_label_column_is_looked_at(made):
    noise = np.random.default_rng(0).normal(size=700)
    y = np.column_stack([noise, made.target, np.where(np.arange(700) < 650, np.nan, noise)])
    audited = audit(made.data, y, (made.train, made.test))
    assert set(audited.memorization) == {"0", "1", "2"}
    assert audited["HE121"].evidence["label"].tolist() == ["1"]


def test_not_applicable_without_labels_or_models(made):
    audited = audit(made.data, None, (made.train, made.test))
    assert {audited[code].status for code in CODES} == {"not_applicable"}
    assert audited.memorization == {}
    with_labels = audit(made.data, made.target, (made.train, made.test))
    assert "No model" in with_labels["HE122"].message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"y_pred": np.zeros(3)}, "one prediction per row of X"),
        ({"y_pred": np.zeros(700), "y": None}, "one column of labels"),
        ({"estimator": Ridge(), "y": np.zeros((700, 2))}, "one column of labels"),
    ],
)
def test_bad_input_gives_one_clear_sentence(made, options, message):
    y = options.pop("y", made.target)
    with pytest.raises(ValueError, match=message):
        audit(made.data, y, (made.train, made.test), **options)
