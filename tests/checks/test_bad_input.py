"""What users hand over: one clear sentence, or a finding; never a message of another library."""

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import KFold

from honesteval.checks import (
    audit_split,
    deployment_estimate,
    leakage_curve,
    level_check,
    memorization_check,
    permutation_check,
)
from honesteval.entities import parse_molecules
from honesteval.exceptions import HonestevalWarning, InvalidEntityError

SMILES = ["CCO", "CCN", "CCC", "CCCl", "CCBr", "CCF", "c1ccccc1", "Cc1ccccc1", "Oc1ccccc1", "CC=O"]
PARTS = ["train"] * 6 + ["test"] * 4
LABELS = [0, 1] * 5


@pytest.mark.parametrize("splits", [PARTS, KFold(3), LABELS])
@pytest.mark.parametrize("estimator", [None, DummyClassifier()])
def test_parsed_molecules_are_taken_with_every_split(splits, estimator):
    molecules = parse_molecules(SMILES)
    of_molecules = audit_split(molecules, LABELS, splits, estimator=estimator)
    of_text = audit_split(SMILES, LABELS, splits, estimator=estimator)
    pd.testing.assert_frame_equal(of_molecules.to_frame(), of_text.to_frame())


def test_an_audit_does_not_warn_of_what_it_reports(recwarn):
    audit_split(SMILES, LABELS, PARTS, estimator=DummyClassifier())
    assert not [w for w in recwarn if issubclass(w.category, HonestevalWarning)]


def test_features_of_another_length_are_refused():
    with pytest.raises(ValueError, match="features needs one row per row of X: 10, got 3"):
        audit_split(SMILES, LABELS, PARTS, features=np.zeros((3, 2)))


@pytest.mark.parametrize("empty", [np.nan, None])
def test_rows_of_nothing_but_gaps_are_not_the_same(empty):
    table = pd.DataFrame({"a": [1.5, empty, empty, 1.5], "b": [2, empty, empty, 2]}, dtype=object)
    finding = audit_split(table, None, ["train", "train", "test", "test"])["HE101"]
    assert finding.evidence[["test_row", "train_row"]].to_numpy().tolist() == [[3, 0]]


@pytest.mark.parametrize("others", [["tst"], ["tst", 3], ["Teste", "Validaton"]])
def test_a_misspelt_part_is_refused(others):
    column = (PARTS[:6] + others * 4)[:10]
    with pytest.raises(ValueError, match=rf"'train', and besides {others[0]!r}"):
        audit_split(SMILES, LABELS, column)


def test_text_that_names_no_part_is_a_fold_and_said_so():
    with pytest.warns(HonestevalWarning, match="'lab', 'clinic'.*each is taken for a fold"):
        audit = audit_split(SMILES, LABELS, ["lab"] * 5 + ["clinic"] * 5)
    assert [c.name for c in audit.split.comparisons] == ["fold clinic", "fold lab"]


def test_numbered_folds_need_no_word(recwarn):
    audit_split(SMILES, LABELS, ["fold1", "fold2"] * 5)
    assert not recwarn.list


def test_numbers_among_smiles_are_named_or_left_out():
    mixed = [*SMILES[:9], 3]
    with pytest.raises(InvalidEntityError, match="row 9"):
        audit_split(mixed, None, PARTS)
    assert audit_split(mixed, None, PARTS, errors="drop").excluded.rows.tolist() == [9]


@pytest.mark.parametrize("labels", [[1] * 10, [0.5] * 10, ["yes"] * 10])
def test_memorization_of_a_constant_is_refused(labels):
    with pytest.raises(ValueError, match="All labels of the two parts are equal"):
        memorization_check(SMILES, labels, train=range(6), test=range(6, 10))


def test_memorization_of_one_test_class_warns():
    with pytest.warns(HonestevalWarning, match="one label only"):
        memorization_check(SMILES, [0, 1, 0] * 2 + [1] * 4, train=range(6), test=range(6, 10))


def test_memorization_refuses_an_unknown_method():
    with pytest.raises(ValueError, match=r"method must be one of 'bca'.*Got 'bcaa'"):
        memorization_check(
            SMILES, LABELS, train=range(6), test=range(6, 10), method="bcaa", n_resamples=9
        )


@pytest.mark.parametrize(
    ("y", "scoring", "message"),
    [
        (None, None, "needs labels"),
        ([np.nan] * 10, None, "y is missing in rows 0, 1"),
        ([0, 1] * 4 + [np.nan, 1], None, "y is missing in row 8"),
        (["a", "b"] * 4 + [None, "b"], None, "y is missing in row 8"),
        (LABELS, "roc-auc", r"scoring='roc-auc' is no scorer.*roc_auc"),
        (LABELS, "xyz", r"get_scorer_names"),
    ],
)
def test_permutation_check_says_what_is_wrong(y, scoring, message):
    X = np.random.default_rng(0).random((10, 2))
    with pytest.raises(ValueError, match=message):
        permutation_check(DummyClassifier(), X, y, scoring=scoring)


# -- estimates on folds ---------------------------------------------------------------------------

X = np.random.default_rng(3).normal(size=(10, 2))


@pytest.mark.parametrize(
    "call",
    [
        lambda model: permutation_check(model, X, LABELS),
        lambda model: leakage_curve(model, X, LABELS, entities=SMILES),
        lambda model: deployment_estimate(model, X, LABELS, SMILES, entities=SMILES),
        lambda model: level_check(
            model, X, LABELS, levels=["a", "b"] * 5, train=range(6), test=range(6, 10)
        ),
        lambda model: audit_split(X, LABELS, PARTS, estimator=model),
    ],
)
def test_the_class_of_an_estimator_is_no_estimator(call):
    with pytest.raises(ValueError, match=r"class.*Give an instance: DummyClassifier\(\)"):
        call(DummyClassifier)


@pytest.mark.parametrize("met", [SMILES, X])
def test_without_entities_it_is_said_that_rows_of_x_are_compared(met):
    with pytest.raises(ValueError, match=r"Without entities= the rows of X.*Pass entities="):
        deployment_estimate(DummyClassifier(), X, LABELS, met)
    with pytest.raises(ValueError, match=r"Without entities= the rows of X"):
        leakage_curve(DummyClassifier(), X, LABELS)


def test_no_rows_at_all_are_said_to_be_few():
    with pytest.raises(ValueError, match="0 rows are too few"):
        leakage_curve(DummyClassifier(), [], [])
    with pytest.raises(ValueError, match="3 rows are too few"):
        deployment_estimate(DummyClassifier(), X[:3], LABELS[:3], X, similarity="rbf")


def test_classes_of_rows_that_are_left_out_are_not_counted():
    smiles = SMILES * 6 + ["xx("] * 20
    labels = [0] * 30 + [1] * 30 + [2] * 20
    parts = ["train", "test"] * 40
    audit = audit_split(smiles, labels, parts, errors="drop", checks=["HE502", "HE503"])
    assert audit["HE502"].status == "passed"
    assert audit["HE503"].measured["measure"] == "share of positives"
    unused = [part if label < 2 else None for part, label in zip(parts, labels, strict=True)]
    assert audit_split(np.arange(80), labels, unused, checks=["HE502"])["HE502"].status == "passed"


def test_pairs_may_be_names_of_columns():
    table = pd.DataFrame(
        {"drug": list("abcde") * 4, "protein": list("pqrs") * 5, "dose": range(20)}
    )
    parts = ["train", "train", "train", "test"] * 5
    named = audit_split(table, None, parts, pairs=["drug", "protein"], checks=["HE131", "HE134"])
    given = audit_split(
        table, None, parts, pairs=table[["drug", "protein"]], checks=["HE131", "HE134"]
    )
    pd.testing.assert_frame_equal(named.to_frame(), given.to_frame())
    with pytest.raises(ValueError, match=r"no column 'target'.*'drug', 'protein', 'dose'"):
        audit_split(table, None, parts, pairs=["drug", "target"])
