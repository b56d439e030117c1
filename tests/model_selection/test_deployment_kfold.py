"""Folds as hard as the deployment."""

import inspect
import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from scipy.stats import wasserstein_distance
from sklearn.dummy import DummyRegressor
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.neighbors import KNeighborsRegressor

from honesteval import DeploymentKFold
from honesteval.datasets import load_nav17
from honesteval.exceptions import HonestevalWarning, InvalidEntityError
from honesteval.similarity import resolve_similarity

NAV17 = load_nav17()
_ALL = np.asarray(NAV17.data)
SMILES, Y = _ALL[:150], np.asarray(NAV17.target)[:150]
# what will be met: the third of some other molecules that is least like these
_NEAREST = resolve_similarity(_ALL[:360]).nearest(np.arange(150, 360), np.arange(150))[0]
MET = _ALL[150:360][np.argsort(_NEAREST, kind="stable")[:70]]


def deployment(**parameters):
    return DeploymentKFold(MET, n_moves=600, **parameters)


def test_folds_are_nearer_to_the_deployment_than_random_ones():
    folds = deployment().partition(SMILES)
    assert folds.distance < 0.3 * folds.distance_random
    assert folds.distance <= folds.distance_before
    assert folds.is_matched
    nearest = folds.nearest_similarity
    assert folds.distance == pytest.approx(wasserstein_distance(nearest, folds.target), abs=1e-6)


def test_folds_partition_the_rows():
    splits = list(deployment(n_splits=3).split(SMILES))
    tests = np.concatenate([test for _, test in splits])
    assert sorted(tests) == list(range(150))
    for train, test in splits:
        assert not set(train) & set(test)
        assert len(train) + len(test) == 150


def test_a_label_of_the_deployment_cannot_be_used():
    for function in (DeploymentKFold.__init__, DeploymentKFold.split):
        assert not {"y_deploy", "deploy_labels"} & set(inspect.signature(function).parameters)
    X = pd.DataFrame({"smiles": SMILES, "activity": Y})
    rng = np.random.default_rng(0)
    met = [pd.DataFrame({"smiles": MET, "activity": rng.normal(size=len(MET))}) for _ in range(2)]
    one, other = (
        DeploymentKFold(table, on="smiles", n_moves=600).partition(X).labels for table in met
    )
    assert (one == other).all()
    assert (one == deployment().partition(SMILES).labels).all()


def test_where_the_entities_are_does_not_matter():
    expected = deployment().partition(SMILES).labels
    features = np.zeros((150, 2))
    by_groups = deployment(on="groups").partition(features, groups=SMILES)
    assert (by_groups.labels == expected).all()
    frame = pl.DataFrame({"smiles": SMILES.tolist()})
    met = pl.DataFrame({"smiles": MET.tolist()})
    by_column = DeploymentKFold(met, on="smiles", n_moves=600).partition(frame)
    assert (by_column.labels == expected).all()
    assert (
        DeploymentKFold(list(MET), n_moves=600).partition(list(SMILES)).labels == expected
    ).all()


def test_similarities_of_the_deployment_can_be_given_instead():
    folds = deployment().partition(SMILES)
    given = DeploymentKFold(deploy_similarity=folds.target, n_moves=600).partition(SMILES)
    assert (given.labels == folds.labels).all()


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, pd.DataFrame])
def test_fingerprints_dense_sparse_and_framed(kind):
    rng = np.random.default_rng(0)
    bits = (rng.random((60, 64)) < 0.2).astype(np.uint8)
    folds = DeploymentKFold(kind(bits[40:]), n_splits=2, n_moves=100).partition(kind(bits[:40]))
    assert folds.similarity_name.startswith("Tanimoto")
    assert len(folds.target) == 20


def test_other_measures_and_groups():
    rng = np.random.default_rng(0)
    X, groups = rng.normal(size=(60, 3)), np.repeat(np.arange(20), 3)
    cv = DeploymentKFold(rng.normal(size=(30, 3)), n_splits=3, similarity="rbf", n_moves=200)
    labels = cv.partition(X, groups=groups).labels
    assert all(len(set(labels[groups == group])) == 1 for group in range(20))
    assert len(set(cv.get_groups(X, groups))) == 20


def test_usable_everywhere_in_scikit_learn():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = X[:, 0]
    cv = DeploymentKFold(rng.normal(size=(40, 3)), n_splits=3, similarity="rbf", n_moves=100)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HonestevalWarning)
        assert cv.get_n_splits() == 3
        assert cross_val_score(DummyRegressor(), X, y, cv=cv).shape == (3,)
        assert cross_val_predict(DummyRegressor(), X, y, cv=cv).shape == (60,)
        search = GridSearchCV(KNeighborsRegressor(), {"n_neighbors": [1, 3]}, cv=cv).fit(X, y)
        assert search.n_splits_ == 3
        again = pickle.loads(pickle.dumps(cv))
        assert (again.partition(X).labels == cv.partition(X).labels).all()
    assert "40 entities" in repr(cv)


def test_warns_when_the_deployment_is_farther_than_any_folds():
    cv = DeploymentKFold(deploy_similarity=[0.02] * 20, n_moves=200)
    with pytest.warns(HonestevalWarning, match="no folds of these sizes can"):
        next(cv.split(SMILES))


def test_passes_quietly_when_matched():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        next(deployment().split(SMILES))


def test_classes_are_spread():
    active = (np.arange(150) % 5 == 0).astype(int)
    labels = deployment(n_splits=3).partition(SMILES, active).labels
    assert np.bincount(labels, active).min() >= 9


def test_same_seed_same_folds_and_another_seed_others():
    one, same, other = (
        deployment(random_state=seed).partition(SMILES).labels for seed in (1, 1, 2)
    )
    assert (one == same).all()
    assert (one != other).any()


def test_unreadable_rows_are_named_on_their_side():
    with pytest.raises(InvalidEntityError, match=r"X_deploy cannot be read in row 1"):
        DeploymentKFold(["CCO", "C1CC", "CCN"], similarity="molecule").partition(SMILES)
    with pytest.raises(InvalidEntityError, match=r"row 0"):
        DeploymentKFold(["CCO"], similarity="molecule").partition(["C1CC", *SMILES])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: DeploymentKFold(), "Got neither"),
        (lambda: DeploymentKFold(MET, deploy_similarity=[0.5]), "Got both"),
        (lambda: DeploymentKFold(MET, n_splits=1), "n_splits"),
        (lambda: deployment(on="mol").partition(pd.DataFrame({"smiles": SMILES})), "mol"),
        (lambda: DeploymentKFold(pd.DataFrame({"a": MET}), on="smiles").partition(
            pd.DataFrame({"smiles": SMILES})), "X_deploy has no column 'smiles'"),
        (lambda: deployment(similarity="precomputed").partition(np.eye(150)), "deploy_similarity"),
        (lambda: DeploymentKFold(np.zeros((3, 2)), similarity="rbf").partition(np.zeros((9, 4))),
         "columns"),
        (lambda: DeploymentKFold([]).partition(SMILES), "X_deploy is empty"),
        (lambda: deployment().partition(SMILES[:4]), "n_splits=5 is more than the 4 samples"),
    ],
)  # fmt: skip
def test_what_cannot_work_says_why(make, message):
    with pytest.raises(ValueError, match=message):
        make()
