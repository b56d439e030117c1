import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.neighbors import KNeighborsRegressor

from honesteval.checks import audit_split


@pytest.fixture(scope="module")
def copied(clean):
    return clean.copy_rows(25)[0]


def ranking(data, **options):
    return audit_split(data.X, data.y, data.split, checks=["HE122", "HE123"], **options)["HE123"]


def test_a_model_that_only_remembers_loses_its_place(copied):
    """It is right on copies and wrong elsewhere; the other is fair everywhere."""
    random = np.random.default_rng(0)
    seen = {row.tobytes() for row in copied.X[copied.train]}
    is_copy = np.array([row.tobytes() in seen for row in copied.X])
    spread = copied.y.std()
    remembers = np.where(is_copy, copied.y, copied.y + 2 * spread * random.normal(size=240))
    fair = copied.y + 1.3 * spread * random.normal(size=240)
    finding = ranking(copied, y_pred={"remembers": remembers, "fair": fair})
    assert finding.severity == "warning"
    turned = finding.evidence[finding.evidence["is_sure"]]
    assert ["remembers", "fair"] in turned[["a", "b"]].to_numpy().tolist()
    assert (turned["all"] * turned["clean"] < 0).all()


def test_a_better_model_keeps_its_place(copied):
    random = np.random.default_rng(0)
    good = copied.y + 0.1 * copied.y.std() * random.normal(size=240)
    bad = copied.y + 5 * copied.y.std() * random.normal(size=240)
    finding = ranking(copied, y_pred={"good": good, "bad": bad})
    assert not [w for w in finding.evidence.to_dict("records") if w["is_sure"]]


def test_equal_models_do_not_alarm(copied):
    alarms = 0
    for seed in range(10):
        random = np.random.default_rng(seed)
        a, b = copied.y + copied.y.std() * random.normal(size=(2, 240))
        finding = ranking(copied, y_pred={"a": a, "b": b})
        pairs = finding.evidence
        alarms += len(pairs) and bool((pairs["is_sure"] & (pairs["a"] == "a")).any())
    assert alarms == 0


def test_several_estimators_are_fitted_by_name(copied):
    models = {"copy": KNeighborsRegressor(1), "mean": DummyRegressor()}
    audit = audit_split(copied.X.astype(float), copied.y, copied.split, estimator=models,
                        similarity="tanimoto", checks=["HE122", "HE123"])  # fmt: skip
    assert audit["HE122"].measured["model"] in models
    assert audit["HE123"].measured["n_predictors"] == 3


def test_an_estimator_that_is_none_is_refused(clean):
    with pytest.raises(ValueError, match=r"estimator 'forest' has no fit and predict\. Got 'rf'"):
        audit_split(clean.X, clean.y, clean.split, estimator={"forest": "rf"})


def test_too_few_copies_are_said(clean):
    assert "too few to compare" in ranking(clean, y_pred={"a": clean.y}).message
    assert ranking(clean).status == "not_applicable"


def test_one_label_on_the_clean_rows_is_said(copied):
    y = np.zeros(240)
    y[copied.train[:60]] = 1
    seen = {
        row.tobytes(): y[i] for i, row in zip(copied.train, copied.X[copied.train], strict=True)
    }
    for row in copied.test:
        y[row] = seen.get(copied.X[row].tobytes(), 0)
    finding = audit_split(copied.X, y, copied.split, checks=["HE123"], y_pred=y)["HE123"]
    assert finding.status == "skipped"
    assert "one label only" in finding.message
