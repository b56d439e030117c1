import numpy as np
import pytest

from honesteval.checks import audit_split, ave_bias
from honesteval.similarity import PrecomputedSimilarity, RBFSimilarity, resolve_similarity


def shift(X, splits, **options):
    return audit_split(X, None, splits, checks=["HE601"], **options)["HE601"]


def test_remarks_on_clusters_kept_whole(clean):
    finding = shift(clean.X, clean.split)
    assert finding.severity == "info"
    assert finding.measured["same_side"] > finding.measured["expected"]


@pytest.mark.parametrize("distance", [1.0, 2.0])
def test_remarks_on_shifted_features(distance):
    random = np.random.default_rng(0)
    test = np.arange(300) % 3 == 0
    X = random.normal(size=(300, 3)) + distance * test[:, None]
    assert shift(X, test, similarity="rbf").status == "found"


@pytest.mark.parametrize("drift", [0.0, 0.25])
def test_a_drift_that_neighbours_hardly_show(drift):
    """A small drift of all 20 features: the ten nearest rows of a row are random ones."""
    random = np.random.default_rng(3)
    test = np.arange(300) % 3 == 0
    X = random.normal(size=(300, 20)) + drift * test[:, None]
    similarity = RBFSimilarity(X)
    finding = shift(None, test, similarity=similarity)
    assert finding.status == ("found" if drift else "passed")
    assert (finding.measured["within"] > finding.measured["across"]) or not drift


def test_silent_on_random_splits(clean):
    order = np.random.default_rng(0).permutation(240)
    assert shift(clean.X, (order[60:], order[:60])).status == "passed"


@pytest.mark.slow
def test_alarms_as_rarely_as_stated(n_simulations):
    """The shift has to be of some size as well, so that there are fewer alarms than 1 %."""
    random = np.random.default_rng(1)
    n = n_simulations(40)
    alarms = sum(
        bool(shift(random.normal(size=(80, 2)), random.random(80) < 0.3, similarity="rbf"))
        for _ in range(n)
    )
    assert alarms <= 0.01 * n + 3 * np.sqrt(0.01 * n) + 1


def test_whole_groups_are_dealt(clean):
    """Clusters kept whole are no shift beyond chance when clusters are what is drawn."""
    finding = shift(clean.X, clean.split, groups=clean.cluster)
    assert finding.status == "passed"


def test_not_applicable_without_a_measure():
    X = np.random.default_rng(0).normal(size=(20, 2))
    assert shift(X, np.arange(20) % 2 == 0).status == "not_applicable"


# -- AVE bias ------------------------------------------------------------------------------------


def test_ave_bias_on_a_case_done_by_hand():
    """Test active at distance 0.25 from the active, 1 from the inactive, and the other way.

    H counts the thresholds 0, 0.01, ..., 1 above the distance: 75 of 101 for 0.25, none for 1.
    """
    S = np.eye(4)
    S[0, 2] = S[2, 0] = S[1, 3] = S[3, 1] = 0.75
    positive = np.array([True, False, True, False])
    bias = ave_bias(
        PrecomputedSimilarity(S), positive, train=np.array([0, 1]), test=np.array([2, 3])
    )
    assert bias == pytest.approx(2 * 75 / 101)


def test_ave_bias_is_the_definition(clean):
    similarity = resolve_similarity(clean.X)
    positive = clean.y > np.median(clean.y)
    distance = 1 - similarity.block(np.arange(240), np.arange(240))

    def share_below(rows, others):
        nearest = distance[np.ix_(rows, others)].min(axis=1)
        return np.mean([(nearest < d).mean() for d in np.arange(101) / 100])

    va, vi = clean.test[positive[clean.test]], clean.test[~positive[clean.test]]
    ta, ti = clean.train[positive[clean.train]], clean.train[~positive[clean.train]]
    expected = share_below(va, ta) - share_below(va, ti) + share_below(vi, ti) - share_below(vi, ta)
    assert ave_bias(similarity, positive, train=clean.train, test=clean.test) == pytest.approx(
        expected
    )


def test_ave_bias_changes_sign_with_the_classes_of_training():
    X = np.random.default_rng(0).normal(size=(60, 2))
    X[:30] += 2
    positive = np.arange(60) < 30
    similarity = RBFSimilarity(X)
    train, test = np.arange(0, 60, 2), np.arange(1, 60, 2)
    bias = ave_bias(similarity, positive, train=train, test=test)
    swapped = positive.copy()
    swapped[train] = ~swapped[train]
    assert bias > 0.3
    assert ave_bias(similarity, swapped, train=train, test=test) == pytest.approx(-bias)


def ave(X, y, splits, **options):
    return audit_split(X, y, splits, checks=["HE602"], **options)["HE602"]


def test_flags_classes_that_follow_clusters_across_the_split(clean):
    """Of each cluster, actives and inactives are cut so that each test row has its class near."""
    y = clean.cluster % 2
    finding = ave(clean.X, y, np.tile([True, False], 120))
    assert finding.status == "found"
    assert finding.measured["bias"] > 0.3


def test_more_than_random_is_a_warning():
    """Half of each class repeats its training rows; random splits would part the copies."""
    random = np.random.default_rng(0)
    base = random.random((60, 64)) < 0.2
    X = np.concatenate([base, base])
    y = np.tile(np.arange(60) % 2, 2)
    finding = ave(X, y, np.arange(120) < 60)
    assert finding.severity == "warning"
    assert finding.measured["bias"] > finding.measured["random"]


def test_silent_where_classes_are_mixed(clean):
    y = np.random.default_rng(2).integers(0, 2, 240)
    assert ave(clean.X, y, clean.split).status == "passed"


def test_ave_is_not_applicable_to_numbers_or_few_rows(clean):
    assert ave(clean.X, clean.y, clean.split).status == "not_applicable"
    y = np.zeros(240)
    y[:3] = 1
    assert ave(clean.X, y, clean.split).status == "not_applicable"
