"""Do the intervals cover, and the tests reject, as often as they say? Small in CI, scalable.

A share p seen in n simulations is held to its expected value within 3.5 binomial standard
errors, so that more simulations make every claim sharper.
"""

import warnings

import numpy as np
import pytest
from scipy.stats import norm

from honesteval.exceptions import HonestevalWarning
from honesteval.metrics import random_average_precision
from honesteval.stats import bootstrap_ci, bootstrap_difference, delong_ci, delong_test, get_metric

pytestmark = pytest.mark.slow


def _binormal(rng, auc, n_positive, n_negative):
    """Normal scores of unit variance whose true ROC-AUC is ``auc``."""
    y = np.r_[np.zeros(n_negative), np.ones(n_positive)]
    return y, rng.normal(size=len(y)) + np.sqrt(2) * norm.ppf(auc) * y


def _error(share, n):
    return 3.5 * np.sqrt(share * (1 - share) / n)


def _covered(n, truth, draw, *intervals):
    """Return how often each interval holds the truth, on the same n samples."""
    rng = np.random.default_rng(0)
    hits = np.zeros((n, len(intervals)))
    for k in range(n):
        y, score = draw(rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HonestevalWarning)
            results = [interval(y, score) for interval in intervals]
        hits[k] = [result.low <= truth <= result.high for result in results]
    return hits.mean(axis=0)


@pytest.mark.parametrize(
    ("auc", "n_positive", "n_negative", "logit", "wald"),
    [(0.8, 10, 30, 0.95, 0.89), (0.96, 10, 30, 0.96, 0.83), (0.8, 30, 300, 0.95, 0.935)],
)
def test_coverage_of_delong(n_simulations, auc, n_positive, n_negative, logit, wald):
    n = n_simulations(200)
    covered = _covered(
        n, auc, lambda rng: _binormal(rng, auc, n_positive, n_negative),
        delong_ci,
        lambda y, score: delong_ci(y, score, method="wald"),
        lambda y, score: delong_ci(y, score, method="newcombe"),
        lambda y, score: delong_ci(y, score, method="exact"),
    )  # fmt: skip
    assert abs(covered[0] - logit) < _error(logit, n) + 0.01
    assert abs(covered[1] - wald) < _error(wald, n) + 0.01
    assert abs(covered[2] - 0.96) < _error(0.96, n) + 0.01
    assert covered[3] >= 0.95


@pytest.mark.parametrize(("auc", "percentile"), [(0.8, 0.915), (0.96, 0.895)])
def test_bca_covers_small_samples_where_the_percentile_interval_does_not(
    n_simulations, auc, percentile
):
    n = n_simulations(120)
    covered = _covered(
        n, auc, lambda rng: _binormal(rng, auc, 10, 30),
        lambda y, score: bootstrap_ci(y, score, n_resamples=599, random_state=0),
        lambda y, score: bootstrap_ci(
            y, score, method="percentile", n_resamples=599, random_state=0
        ),
    )  # fmt: skip
    assert covered[0] > 0.95 - _error(0.95, n)
    assert abs(covered[1] - percentile) < _error(percentile, n) + 0.01
    assert covered[0] > covered[1]


def test_exact_interval_covers_the_worst_case(n_simulations):
    """Positives are either above all negatives or below all of them: as few facts as rows."""
    n = n_simulations(400)

    def draw(rng):
        y = np.r_[np.zeros(30), np.ones(5)]
        return y, np.r_[rng.random(30), np.where(rng.random(5) < 0.8, 2.0, -1.0)]

    covered = _covered(n, 0.8, draw, lambda y, score: delong_ci(y, score, method="exact"))
    assert covered[0] > 0.95 - _error(0.95, n)


def test_drawing_groups_covers_where_drawing_rows_does_not(n_simulations):
    """24 groups of 8 rows: about 60 % against 90 %."""
    n = n_simulations(120)
    groups = np.repeat(np.arange(24), 8)
    shift, of_group, of_row = 1.2, 1.0, 0.7
    truth = norm.cdf(shift / np.sqrt(2 * (of_group**2 + of_row**2)))

    def draw(rng):
        y = np.repeat(rng.permutation(np.repeat([0.0, 1.0], 12)), 8)
        effects = np.repeat(of_group * rng.normal(size=24), 8)
        return y, shift * y + effects + of_row * rng.normal(size=192)

    settings = {"n_resamples": 399, "random_state": 0}
    by_group, by_row = _covered(
        n, truth, draw,
        lambda y, score: bootstrap_ci(y, score, groups=groups, **settings),
        lambda y, score: bootstrap_ci(y, score, **settings),
    )  # fmt: skip
    assert by_group > 0.91 - _error(0.91, n)
    assert by_row < 0.75


@pytest.mark.parametrize("method", ["bca", "percentile", "basic", "studentized"])
def test_coverage_of_a_mean_error(n_simulations, method):
    """MAE of 60 residuals with a heavy tail; the truth is 1."""
    n = n_simulations(30 if method == "studentized" else 100)

    def draw(rng):
        return np.zeros(60), rng.exponential(size=60)

    (covered,) = _covered(
        n, 1.0, draw,
        lambda y, score: bootstrap_ci(
            y, score, metric="mae", method=method, n_resamples=199, random_state=0
        ),
    )  # fmt: skip
    expected = {"bca": 0.93, "percentile": 0.925, "basic": 0.915, "studentized": 0.945}[method]
    assert abs(covered - expected) < _error(expected, n) + 0.01


def test_type_one_error_of_paired_tests_on_a_holdout(n_simulations):
    """Two equally good models on 100 independent rows are told apart in about 5 %."""
    n = n_simulations(120)
    rng = np.random.default_rng(0)
    p_values = np.empty((n, 2))
    for k in range(n):
        y = np.r_[np.zeros(60), np.ones(40)]
        shared = rng.normal(size=100)
        a, b = (y + shared + 0.7 * rng.normal(size=100) for _ in range(2))
        p_values[k, 0] = bootstrap_difference(y, a, b, n_resamples=399, random_state=0).p_value
        p_values[k, 1] = delong_test(y, a, b).p_value
    rejected = (p_values < 0.05).mean(axis=0)
    assert np.all(rejected < 0.055 + _error(0.055, n))
    assert np.all(rejected > 0.055 - _error(0.055, n))


def test_average_precision_of_a_sample_is_biased_upward(n_simulations):
    """By about .05 at 10 positives of 200, and .014 at 50 of 1,000."""
    n = n_simulations(1500)
    rng = np.random.default_rng(0)
    metric = get_metric("average_precision")
    truth = np.mean([metric(*_binormal(rng, 0.8, 5_000, 95_000)) for _ in range(3)])
    for n_positive, n_rows, bias in ((10, 200, 0.053), (50, 1_000, 0.014)):
        values = [
            metric(*_binormal(rng, 0.8, n_positive, n_rows - n_positive)) for _ in range(n // 2)
        ]
        error = 3.5 * np.std(values) / np.sqrt(len(values))
        assert abs(np.mean(values) - truth - bias) < error + 0.005


def test_expected_average_precision_of_a_random_ranking(n_simulations):
    n = n_simulations(1000)
    rng = np.random.default_rng(0)
    y = np.r_[np.ones(4), np.zeros(6)]
    values = [get_metric("average_precision")(y, rng.permutation(10)) for _ in range(n)]
    error = 3.5 * np.std(values) / np.sqrt(n)
    assert abs(np.mean(values) - random_average_precision(4, 10)) < error
