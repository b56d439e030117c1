import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from honesteval.checks import permutation_check


@pytest.fixture(scope="module")
def noise():
    random = np.random.default_rng(0)
    return random.normal(size=(50, 1000)), np.repeat([0, 1], 25)


def select_outside(X, y):
    chosen = SelectKBest(f_classif, k=30).fit_transform(X, y)
    return cross_val_score(GaussianNB(), chosen, y, cv=5).mean()


def test_flags_selection_outside_the_folds(noise):
    """The Elements of Statistical Learning, 7.10.2: no signal, yet nearly no error."""
    X, y = noise
    result = permutation_check(select_outside, X, y, n_permutations=19, chance=0.5, random_state=0)
    assert result.score > 0.85
    assert result.permuted_off_chance
    assert not result.is_better_than_permuted
    assert result.finding.severity == "error"


def test_selection_inside_the_folds_is_at_chance(noise):
    X, y = noise
    model = make_pipeline(SelectKBest(f_classif, k=30), GaussianNB())
    result = permutation_check(
        model, X, y, cv=5, scoring="balanced_accuracy", n_permutations=19, random_state=0
    )
    assert result.chance == 0.5
    assert not result.permuted_off_chance
    assert result.finding.severity == "warning"
    assert "not better than chance" in result.finding.message


def test_passes_on_a_real_signal():
    random = np.random.default_rng(1)
    X = random.normal(size=(80, 4))
    y = (X[:, 0] + 0.5 * random.normal(size=80) > 0).astype(int)
    result = permutation_check(
        GaussianNB(), X, y, cv=4, scoring="roc_auc", n_permutations=29, random_state=0
    )
    assert result.p_value == pytest.approx(1 / 30)
    assert result.is_better_than_permuted
    assert result.finding.status == "passed"


def test_p_value_counts_the_observed_labels():
    random = np.random.default_rng(2)
    X, y = random.normal(size=(40, 3)), random.normal(size=40)
    result = permutation_check(Ridge(), X, y, cv=4, scoring="r2", n_permutations=29, random_state=0)
    reached = np.sum(result.test.permuted_scores >= result.score)
    assert result.p_value == pytest.approx((reached + 1) / 30)


def test_whole_groups_exchange_labels():
    random = np.random.default_rng(3)
    groups = np.repeat(np.arange(12), 4)
    y = np.repeat(random.permutation([0, 1] * 6), 4)
    X = random.normal(size=(48, 3)) + y[:, None]
    result = permutation_check(
        GaussianNB(), X, y, groups=groups, cv=3, scoring="roc_auc", n_permutations=29,
        random_state=0,
    )  # fmt: skip
    assert result.test.permuted == "groups"


def test_same_seed_same_result(noise):
    X, y = noise
    first, second = (
        permutation_check(
            GaussianNB(), X[:, :5], y, cv=3, scoring="accuracy", n_permutations=19, random_state=5
        )
        for _ in range(2)
    )
    assert np.array_equal(first.test.permuted_scores, second.test.permuted_scores)


def test_results_are_shown(noise):
    X, y = noise
    result = permutation_check(
        GaussianNB(), X[:, :3], y, cv=3, scoring="roc_auc", n_permutations=19,
        random_state=0,
    )  # fmt: skip
    assert result.to_frame()["chance"].tolist() == [0.5]
    assert "HE701" in result.summary()
    assert "HE701" in result._repr_html_()


def test_chance_of_more_than_two_classes_is_not_guessed():
    random = np.random.default_rng(4)
    X, y = random.normal(size=(45, 3)), np.repeat([0, 1, 2], 15)
    result = permutation_check(
        GaussianNB(), X, y, cv=3, scoring="balanced_accuracy", n_permutations=19,
        random_state=0,
    )  # fmt: skip
    assert result.chance is None
    assert not result.permuted_off_chance


def test_constant_labels_give_one_clear_sentence(noise):
    with pytest.raises(ValueError, match="constant"):
        permutation_check(GaussianNB(), noise[0], np.zeros(50), cv=3, n_permutations=19)
