import numpy as np
import pytest

from honesteval.checks import audit_split


def nearest(X, splits):
    return audit_split(X, None, splits, checks=["HE112"])


def test_flags_a_split_closer_than_random(clean):
    """Every test row copies a training row with one bit less."""
    planted, _ = clean.copy_rows(60, flipped=1)
    finding = nearest(planted.X, planted.split)["HE112"]
    assert finding.severity == "warning"
    assert finding.measured["mean"] > finding.measured["mean_of_random_splits"]


def test_remarks_on_a_random_split(clean):
    order = np.random.default_rng(0).permutation(len(clean.X))
    finding = nearest(clean.X, (order[60:], order[:60]))["HE112"]
    assert finding.severity == "info"
    assert "no more than a random one" in finding.message


def test_silent_on_whole_clusters(clean):
    finding = nearest(clean.X, clean.split)["HE112"]
    assert finding.status == "passed"
    assert finding.measured["mean"] < finding.measured["mean_of_random_splits"] - 0.2


def test_table_has_each_test_row_with_its_nearest_training_row(clean):
    audited = nearest(clean.X, clean.split)
    table = audited.nearest
    assert table["test_row"].tolist() == clean.test.tolist()
    assert np.isin(table["train_row"], clean.train).all()
    bits = clean.X.astype(int)
    for line in table.head(5).itertuples():
        shared = bits[line.test_row] @ bits[clean.train].T
        tanimoto = shared / (bits[line.test_row].sum() + bits[clean.train].sum(axis=1) - shared)
        assert line.similarity == pytest.approx(tanimoto.max())
    assert len(audited.random_nearest) > 0


def test_worst_pairs_use_each_row_once_while_there_are_others(clean):
    folds = nearest(clean.X, clean.cluster % 2)
    pairs = folds.worst_pairs(5)
    assert len(pairs) == 5
    assert len(set(pairs["test_row"]) | set(pairs["train_row"])) == 10
    assert pairs["similarity"].is_monotonic_decreasing


def test_worst_pairs_give_what_there_is():
    X = np.eye(4, 8, dtype=bool)
    X[:, 7] = True
    pairs = nearest(X, ([0], [1, 2, 3])).worst_pairs(10)
    assert len(pairs) == 3
