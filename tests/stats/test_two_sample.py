"""Classifier two-sample test: null distribution, power, samples that do not fit."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import roc_auc_score

from honesteval.stats import classifier_two_sample_test
from honesteval.stats._two_sample import accuracy_null_sd, auc_null_sd, two_sample_statistics


@pytest.fixture
def samples():
    random = np.random.default_rng(0)
    return random.normal(size=(120, 4)), random.normal(size=(80, 4)), random.normal(1, 1, (80, 4))


def test_known_answers():
    assert accuracy_null_sd(200) == pytest.approx(0.0353553, abs=5e-8)
    assert auc_null_sd(100, 100) == pytest.approx(0.0409268, abs=5e-8)


def test_statistics_from_scores():
    random = np.random.default_rng(1)
    a, b = random.random(30), random.random(50) ** 0.5
    result = two_sample_statistics(a, b)
    truth = np.repeat([0, 1], [30, 50])
    assert result["auc"] == pytest.approx(roc_auc_score(truth, np.r_[a, b]))
    right = np.sum(a < 0.5) + np.sum(b[:30] >= 0.5)
    assert result["accuracy"] == pytest.approx(right / 60)
    assert 0 < result["accuracy_p_value"] <= 1


def test_finds_a_shift_and_which_rows(samples):
    a, _, shifted = samples
    result = classifier_two_sample_test(a, shifted, estimator=LogisticRegression(), random_state=0)
    assert result.p_value < 1e-6
    assert result.accuracy_p_value < 1e-4
    assert (result.n_test_a, result.n_test_b) == (60, 40)
    most_unlike = shifted[result.test_rows_b[np.argmax(result.scores_b)]]
    least_unlike = shifted[result.test_rows_b[np.argmin(result.scores_b)]]
    assert most_unlike.sum() > least_unlike.sum()
    assert "tells the samples apart" in result.summary()
    assert result.to_frame().loc[0, "n_test_a"] == 60
    assert "<table" in result._repr_html_()


def test_passes_on_equal_distributions(samples):
    a, b, _ = samples
    result = classifier_two_sample_test(a, b, random_state=0)
    assert result.p_value > 0.05
    assert result.auc == pytest.approx(0.5, abs=3 * result.auc_null_sd)


def test_same_seed_same_answer_sparse_and_decision_function(samples):
    a, _, shifted = samples
    options = {"estimator": RidgeClassifier(), "random_state": 1}
    dense = classifier_two_sample_test(a, shifted, **options)
    sparse = classifier_two_sample_test(csr_matrix(a), csr_matrix(shifted), **options)
    assert dense.auc == pytest.approx(sparse.auc, abs=0.01)
    np.testing.assert_array_equal(dense.test_rows_a, sparse.test_rows_a)


def test_groups_stay_in_one_part(samples):
    a, _, shifted = samples
    groups_a, groups_b = np.arange(120) // 6, 100 + np.arange(80) // 4
    result = classifier_two_sample_test(
        a, shifted, estimator=LogisticRegression(), groups_a=groups_a, groups_b=groups_b,
        random_state=0,
    )  # fmt: skip
    held_out = set(groups_a[result.test_rows_a])
    in_training = set(np.delete(groups_a, result.test_rows_a))
    assert not held_out & in_training


@pytest.mark.parametrize(
    ("a", "b", "change", "message"),
    [
        (np.ones((5, 2)), np.ones((5, 3)), {}, "X_a has 2 columns, X_b 3"),
        (np.ones((3, 2)), np.ones((5, 2)), {}, "X_a must be two-dimensional with at least 4"),
        (np.ones(5), np.ones((5, 2)), {}, "X_a must be two-dimensional"),
        (np.ones((5, 2)), np.ones((5, 2)), {"groups_a": range(5)}, "groups of both samples"),
        (np.ones((5, 2)), np.ones((5, 2)), {"test_size": 1.0}, "test_size must be"),
        (
            np.ones((5, 2)),
            np.ones((5, 2)),
            {"groups_a": [0] * 5, "groups_b": [1] * 5},
            "rows of one sample only",
        ),
    ],
)
def test_refuses(a, b, change, message):
    with pytest.raises(ValueError, match=message):
        classifier_two_sample_test(a, b, random_state=0, **change)


@pytest.mark.slow
def test_type_one_error(n_simulations):
    random = np.random.default_rng(0)
    n = n_simulations(200)
    p_values = [
        classifier_two_sample_test(
            *random.normal(size=(2, 40, 3)), estimator=RidgeClassifier(),
            random_state=int(random.integers(2**31)),
        ).p_value
        for _ in range(n)
    ]  # fmt: skip
    assert np.mean(np.array(p_values) <= 0.05) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / n)
