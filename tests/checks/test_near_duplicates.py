import numpy as np
import pytest

from honesteval.checks import audit_split
from honesteval.checks._random_reference import random_reference
from honesteval.similarity import PrecomputedSimilarity, resolve_similarity


def near(X, splits, **options):
    return audit_split(X, None, splits, checks=["HE111"], **options)["HE111"]


def test_flags_planted_near_duplicates_and_finds_each_of_them(clean):
    planted, into = clean.copy_rows(10, flipped=2)
    finding = near(planted.X, planted.split)
    assert set(into) == set(finding.evidence["test_row"])
    assert (finding.evidence["similarity"] >= 0.9).all()
    assert finding.evidence["similarity"].is_monotonic_decreasing


@pytest.mark.parametrize("n", [8, 20, 40])
def test_copies_spread_over_the_split_are_more_than_random(clean, n):
    """In random splits of the same rows some copies stay together; planted ones never do."""
    planted, _ = clean.copy_rows(n, flipped=1)
    finding = near(planted.X, planted.split)
    assert finding.severity == "error"
    assert finding.measured["p_value_more_than_random"] <= 0.01


def test_silent_on_whole_clusters(clean):
    finding = near(clean.X, clean.split)
    assert finding.status == "passed"
    assert finding.n_evidence == 0


def test_a_random_split_of_repeats_is_a_warning_with_its_baseline():
    from honesteval.datasets import make_near_duplicates

    made = make_near_duplicates(600, n_test=200)
    finding = near(made.data, (made.train, made.test))
    assert finding.severity == "warning"
    measured = finding.measured
    assert measured["share_of_test_rows"] == pytest.approx(
        measured["expected_share_by_random_split"], abs=0.1
    )
    assert measured["share_within_training"] > 0.2


def test_homogeneous_data_is_no_alarm():
    """Where any two rows are as similar as that, the threshold tells nothing."""
    random = np.random.default_rng(0)
    X = np.ones((100, 200), dtype=bool)
    for row in range(100):
        X[row, random.choice(200, 3, replace=False)] = False
    finding = near(X, np.arange(100) % 5)
    assert finding.measured["share_of_all_pairs"] > 0.9
    assert finding.severity == "info"
    assert "does not tell relatives from strangers" in finding.message


def test_threshold_is_the_callers(clean):
    loose = near(clean.X, clean.split, near_duplicate_threshold=0.05)
    assert loose.measured["threshold"] == 0.05
    assert loose.status == "found"


def test_threshold_counts_as_fractions_do():
    """9 of 10 shared bits reach 0.9 exactly."""
    X = np.zeros((4, 40), dtype=bool)
    X[0, :9] = X[1, :10] = X[2, 12:20] = X[3, 22:30] = True
    finding = near(X, ([0, 2], [1, 3]))
    assert finding.evidence[["test_row", "train_row"]].to_numpy().tolist() == [[1, 0]]


def test_baseline_is_that_of_random_splits(clean):
    planted, _ = clean.copy_rows(30, flipped=1)
    expected = near(planted.X, planted.split).measured["expected_share_by_random_split"]
    similarity = resolve_similarity(planted.X)
    random = np.random.default_rng(0)
    shares = []
    for _ in range(200):
        order = random.permutation(similarity.n_items)
        test, train = order[: len(planted.test)], order[len(planted.test) :]
        shares.append((similarity.nearest(test, train)[0] >= 0.9).mean())
    assert expected == pytest.approx(np.mean(shares), abs=6 * np.std(shares) / np.sqrt(200))


def test_sampled_rows_stand_for_all(clean, monkeypatch):
    from honesteval.checks import _random_reference

    similarity = resolve_similarity(clean.X)
    sides = [(clean.test, clean.train)]
    whole = random_reference(similarity, sides, None, threshold=0.5, seed=0)
    monkeypatch.setattr(_random_reference, "REFERENCE_ROWS", 120)
    part = random_reference(similarity, sides, None, threshold=0.5, seed=0)
    assert (part.n_sampled, whole.n_sampled) == (120, 240)
    assert part.leakage_standard_error > 0
    assert part.leakage == pytest.approx(whole.leakage, abs=5 * part.leakage_standard_error)
    assert part.mean_nearest.mean() == pytest.approx(whole.mean_nearest.mean(), abs=0.03)
    assert part.share_pairs_near == pytest.approx(whole.share_pairs_near, abs=0.005)


def test_reference_on_a_case_done_by_hand():
    """Two pairs of twins; in a 2/2 split a twin is alone on its side in 2 of 3 splits."""
    S = np.eye(4)
    S[0, 1] = S[1, 0] = S[2, 3] = S[3, 2] = 1.0
    reference = random_reference(
        PrecomputedSimilarity(S), [(np.array([0, 1]), np.array([2, 3]))], None,
        threshold=0.9, seed=0,
    )  # fmt: skip
    assert set(reference.share_near) == {0.0, 1.0}
    assert reference.share_near.mean() == pytest.approx(2 / 3, abs=0.12)
    assert reference.leakage == 0.0
    assert reference.random_leakage == pytest.approx(4 / 6)
    assert reference.share_pairs_near == pytest.approx(2 / 6)
    assert reference.within_train == 1.0


def test_not_applicable_without_a_measure():
    finding = near(np.array([[0.5], [1.5], [2.5], [0.1]]), ([0, 1], [2, 3]))
    assert finding.status == "not_applicable"
    assert not finding


@pytest.mark.data
def test_moleculeace_split_is_as_random(read_molecules):
    table = read_molecules("moleculeace/CHEMBL2835_Ki.csv")
    finding = near(table["smiles"], table["split"])
    assert finding.severity == "warning"
    assert finding.measured["p_value_more_than_random"] > 0.01


def test_all_training_sides_are_looked_at_for_near_duplicates_of_their_own():
    """Three pairs of copies, two of them in fold 1 of three folds of eight rows."""
    random = np.random.default_rng(0)
    X = random.random((24, 64)) < 0.5
    fold = np.repeat([0, 1, 2], 8)
    X[1], X[9], X[11] = X[0], X[8], X[10]
    measured = audit_split(X, None, fold, checks=["HE111"])["HE111"].measured
    expected = np.mean([4 / 16, 2 / 16, 6 / 16])
    assert measured["share_within_training"] == pytest.approx(expected)
