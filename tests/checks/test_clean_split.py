import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.model_selection import cross_val_score

from honesteval.checks import audit_split

LEAKS = ["HE101", "HE102", "HE111", "HE201", "HE203", "HE204"]


@pytest.mark.parametrize("remove", ["train", "test"])
def test_nothing_leaks_from_the_cleaned_split(clean, remove):
    planted, _ = clean.copy_rows(12, flipped=2)
    groups = planted.cluster.copy()
    groups[planted.test[-2:]] = groups[planted.train[0]]
    audited = audit_split(planted.X, planted.y, planted.split, groups=groups, checks=LEAKS)
    assert audited.found("error")
    cleaned = audited.clean_split(remove=remove)
    ((train, test),) = cleaned
    again = audit_split(planted.X, planted.y, (train, test), groups=groups, checks=LEAKS)
    assert again.found("warning") == ()
    other = {"train": planted.test, "test": planted.train}[remove]
    assert np.array_equal({"train": test, "test": train}[remove], np.sort(other))


def test_rows_and_reasons_are_listed(clean):
    planted, into = clean.copy_rows(5)
    audited = audit_split(planted.X, planted.y, planted.split, checks=LEAKS)
    cleaned = audited.clean_split(remove="test")
    assert sorted(set(cleaned.to_frame()["row"])) == sorted(into.tolist())
    assert set(cleaned.removed["code"]) == {"HE101", "HE111"}
    assert cleaned.n_removed == 5
    assert "the same feature vector as a training row" in cleaned.summary()
    assert "5 rows leave" in cleaned._repr_html_()


def test_a_clean_split_stays_as_it_is(clean):
    cleaned = audit_split(clean.X, clean.y, clean.split, checks=LEAKS).clean_split()
    assert cleaned.n_removed == 0
    ((train, test),) = cleaned
    assert np.array_equal(train, clean.train)
    assert np.array_equal(test, clean.test)


def test_overlapping_rows_leave_training():
    X = np.eye(6, dtype=bool)
    cleaned = audit_split(X, None, ([0, 1, 2, 3], [3, 4]), checks=LEAKS).clean_split()
    assert cleaned.removed[["row", "code"]].to_numpy().tolist() == [[3, "HE201"]]


def test_later_rows_leave():
    X, time = np.eye(6, dtype=bool), np.arange(6)
    audited = audit_split(X, None, ([0, 1, 5], [2, 3, 4]), time=time, checks=LEAKS)
    ((train, test),) = audited.clean_split()
    assert (train.tolist(), test.tolist()) == ([0, 1], [2, 3, 4])


def test_folds_are_a_cv(clean):
    planted, _ = clean.copy_rows(10)
    folds = audit_split(planted.X, planted.y, planted.cluster % 4, checks=LEAKS).clean_split()
    assert len(folds) == 4
    scores = cross_val_score(DummyRegressor(), planted.X, planted.y, cv=list(folds))
    assert len(scores) == 4


def test_molecules_and_unused_rows_keep_the_numbers_of_the_input():
    smiles = ["CCO", "C[C@H](N)C(=O)O", "c1ccccc1", "CCCl", "C[C@@H](N)C(=O)O", "CCCCCC"]
    part = [None, "train", "train", "train", "test", "test"]
    cleaned = audit_split(smiles, None, part, checks=LEAKS).clean_split()
    assert set(cleaned.removed["row"]) == {1}
    ((train, test),) = cleaned
    assert (train.tolist(), test.tolist()) == ([2, 3], [4, 5])


def test_nothing_left_gives_one_clear_sentence():
    X = np.ones((4, 8), dtype=bool)
    audited = audit_split(X, None, ([0, 1], [2, 3]), checks=LEAKS)
    with pytest.raises(ValueError, match="every training row leaks"):
        audited.clean_split()
    with pytest.raises(ValueError, match="remove must be one of"):
        audited.clean_split(remove="both")
