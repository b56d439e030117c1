import numpy as np
import pytest
from sklearn.linear_model import Ridge

from honesteval.checks import audit_split
from honesteval.datasets import make_near_duplicates


@pytest.fixture(scope="module")
def made():
    return make_near_duplicates(600, n_test=200)


def levels_of(made, offset, splits=None, **options):
    levels = np.where(np.arange(600) % 3 == 0, "assay B", "assay A")
    y = made.target + offset * (levels == "assay B")
    splits = (made.train, made.test) if splits is None else splits
    return audit_split(made.data, y, splits, levels=levels, checks=["HE205"], **options)["HE205"]


@pytest.mark.parametrize("offset", [2.0, 5.0])
def test_flags_an_offset_by_the_cost_of_mixing(made, offset):
    finding = levels_of(made, offset)
    assert finding.severity == "warning"
    assert finding.measured["mixed"] > finding.measured["alone"]


def test_flags_an_offset_with_a_model(made):
    finding = levels_of(made, 2.0, estimator=Ridge())
    assert finding.severity == "warning"
    assert finding.measured["mixed"] > 3 * finding.measured["alone"]


def test_flags_an_offset_over_folds(made):
    assert levels_of(made, 5.0, splits=np.arange(600) // 3 % 4).severity == "warning"


def test_silent_when_levels_agree(made):
    assert levels_of(made, 0.0).status == "passed"


def test_remarks_on_a_shift_that_costs_nothing(clean):
    """Levels that are clusters: their labels differ, but the features know it."""
    levels = clean.cluster % 2
    y = clean.y + 20.0 * levels
    finding = audit_split(clean.X, y, np.tile(np.arange(6), 40), levels=levels, checks=["HE205"])[
        "HE205"
    ]
    assert finding.severity == "info"
    assert finding.measured["share_explained"] > 0.3


def test_classes_are_compared_too(made):
    levels = np.arange(600) % 2
    y = np.where(levels == 1, made.target > 0, made.target < 0)
    finding = audit_split(made.data, y, (made.train, made.test), levels=levels, checks=["HE205"])[
        "HE205"
    ]
    assert finding.severity == "warning"
    assert finding.measured["metric"] == "roc_auc"


def test_not_applicable(clean):
    def status(levels, y=clean.y, X=clean.X):
        audited = audit_split(X, y, clean.split, levels=levels, checks=["HE205"])
        return audited["HE205"].status

    assert status(None) == "not_applicable"
    assert status(np.zeros(240)) == "not_applicable"
    assert status(np.arange(240) % 2, y=None) == "not_applicable"
    assert status(np.arange(240) % 2, X=clean.X * 0.5) == "not_applicable"
