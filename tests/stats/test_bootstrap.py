"""Bootstrap intervals: known answers, agreement with SciPy, limits, counts, and memory."""

import tracemalloc
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.metrics import average_precision_score, roc_auc_score

from honesteval.exceptions import HonestevalWarning
from honesteval.stats import _bootstrap_resampling as resampling
from honesteval.stats import (
    bootstrap_ci,
    bootstrap_difference,
    bootstrap_differences,
    bootstrap_metrics,
    bootstrap_statistics,
    delong_ci,
    get_metric,
    metric_names,
)

LSAT = [576, 635, 558, 578, 666, 580, 555, 661, 651, 605, 653, 575, 545, 572, 594]
GPA = [3.39, 3.30, 2.81, 3.03, 3.44, 3.07, 3.00, 3.43, 3.36, 3.13, 3.12, 2.74, 2.76, 2.88, 2.96]

METHODS = ("bca", "percentile", "basic", "studentized")
few = settings(max_examples=20, deadline=None)


def _binary(n=80, prevalence=0.3, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < prevalence).astype(int)
    return y, y + rng.normal(size=n), 0.5 * y + rng.normal(size=n)


def _pearson(y, score):
    return stats.pearsonr(y, score).statistic


# -- known answers -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "low", "high"),
    [("percentile", 0.458, 0.962), ("basic", 0.591, 1.095), ("bca", 0.332, 0.942)],
)
def test_law_school_data(method, low, high):
    result = bootstrap_ci(
        LSAT, GPA, metric="pearson", method=method, n_resamples=99_999, random_state=0
    )
    assert_allclose(result.estimate, 0.776374, atol=5e-7)
    assert_allclose(result.standard_error, 0.1343, atol=0.001)
    assert_allclose([result.low, result.high], [low, high], atol=0.006)


@pytest.mark.parametrize("method", ["percentile", "basic", "BCa"])
def test_equals_scipy_from_the_same_draws(method):
    """SciPy's generator stream is used in the same order, so the limits agree to rounding."""
    expected = stats.bootstrap(
        (LSAT, GPA), _pearson, paired=True, vectorized=False, method=method, n_resamples=500,
        random_state=np.random.default_rng(7),
    )  # fmt: skip
    for metric in ("pearson", _pearson):
        result = bootstrap_ci(
            LSAT, GPA, metric=metric, method=method.lower(), n_resamples=500, random_state=7
        )
        assert_allclose(result.distribution, expected.bootstrap_distribution, atol=1e-12)
        assert_allclose([result.low, result.high], expected.confidence_interval, atol=1e-12)
        assert_allclose(result.standard_error, expected.standard_error, atol=1e-12)


def test_equals_the_naive_loop_of_sklearn():
    y, a, b = _binary(n=200)
    b = np.round(b, 1)
    rows = np.random.default_rng(3).integers(0, 200, size=(60, 200))
    results = bootstrap_differences(y, a, b, n_resamples=60, random_state=3, method="percentile")
    for result, score in zip(results, (roc_auc_score, average_precision_score), strict=True):
        loop = [score(y[i], a[i]) - score(y[i], b[i]) for i in rows]
        assert_allclose(result.distribution, loop, atol=1e-12)
        assert_allclose([result.low, result.high], np.quantile(loop, [0.025, 0.975]), atol=1e-12)


def _worked_example():
    """The test rows of the synthetic bit-vector example: y, 1-NN, ridge, nearest similarity."""
    rng = np.random.default_rng(0)
    cores = rng.random((120, 64)) < 0.12
    X = np.zeros((1500, 64))
    for row in X:
        row[:] = cores[rng.integers(120)]
        row[rng.choice(64, rng.integers(0, 3), replace=False)] = 1
    y = X @ rng.normal(0, 1.0, 64) + 0.1 * rng.normal(size=1500)
    permuted = rng.permutation(1500)
    test, train = permuted[:500], permuted[500:]
    common = X[test] @ X[train].T
    union = X[test].sum(axis=1)[:, None] + X[train].sum(axis=1) - common
    nearest = (common / union).max(axis=1)
    tied = common / union >= nearest[:, None] - 1e-9
    neighbour = (tied @ y[train]) / tied.sum(axis=1)
    A, B = (np.column_stack([X[rows], np.ones(len(rows))]) for rows in (test, train))
    ridge = A @ np.linalg.solve(B.T @ B + np.eye(65), B.T @ y[train])
    return y[test], neighbour, ridge, nearest


def test_worked_example_of_the_difference_in_mean_absolute_error():
    y, neighbour, ridge, nearest = _worked_example()
    clean = nearest <= 0.9
    for random_state in (1, np.random.default_rng(1)):
        result = bootstrap_difference(
            y[clean], neighbour[clean], ridge[clean], metric="mae", method="percentile",
            n_resamples=2000, random_state=random_state,
        )  # fmt: skip
        assert_allclose([result.estimate_a, result.estimate_b], [0.829, 0.093], atol=5e-4)
        assert_allclose(result.estimate, 0.736, atol=5e-4)
        assert_allclose([result.low, result.high], [0.655, 0.817], atol=5e-4)
        assert result.p_value < 0.001


# -- differences ---------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("metric", ["roc_auc", "average_precision", "brier"])
def test_identical_models_differ_by_nothing(method, metric):
    y, a, _ = _binary()
    a = 1 / (1 + np.exp(-a))
    result = bootstrap_difference(
        y, a, a, metric=metric, method=method, n_resamples=50, random_state=0
    )
    assert (result.estimate, result.low, result.high, result.p_value) == (0.0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize("method", METHODS)
def test_p_value_and_interval_agree_on_significance(method):
    """p is below alpha exactly when the interval at 1 - alpha excludes zero."""
    n_checked = 0
    for seed in range(4):
        y, a, b = _binary(n=60, seed=seed)
        result = bootstrap_difference(
            y, a, b, method=method, n_resamples=200, random_state=0, stratify=True
        )
        for confidence_level in (0.5, 0.9):
            at_level = bootstrap_difference(
                y, a, b, method=method, n_resamples=200, random_state=0, stratify=True,
                confidence_level=confidence_level,
            )  # fmt: skip
            alpha = 1 - confidence_level
            if abs(result.p_value - alpha) < 0.03:  # within the resolution of 200 resamples
                continue
            n_checked += 1
            excludes_zero = at_level.low > 0 or at_level.high < 0
            assert excludes_zero == (result.p_value < alpha)
    assert n_checked >= 5


def test_swapping_the_models_mirrors_the_result():
    y, a, b = _binary()
    forth = bootstrap_difference(y, a, b, n_resamples=300, random_state=0)
    back = bootstrap_difference(y, b, a, n_resamples=300, random_state=0)
    assert_allclose(
        [back.estimate, back.low, back.high], [-forth.estimate, -forth.high, -forth.low]
    )
    assert_allclose(back.p_value, forth.p_value)


def test_pairing_removes_what_models_share():
    y, a, _ = _binary(n=150)
    nearly = a + 0.05 * np.random.default_rng(5).normal(size=150)
    paired = bootstrap_difference(y, a, nearly, n_resamples=500, random_state=0)
    alone = bootstrap_ci(y, a, n_resamples=500, random_state=0)
    assert paired.standard_error < 0.3 * alone.standard_error


def test_several_metrics_equal_one_at_a_time():
    y, a, b = _binary()
    metrics = ["roc_auc", get_metric("bedroc", alpha=50.0), "spearman", _pearson]
    settings_ = {"n_resamples": 100, "random_state": 4}
    for metric, together in zip(metrics, bootstrap_metrics(y, a, metrics=metrics, **settings_),
                                strict=True):  # fmt: skip
        alone = bootstrap_ci(y, a, metric=metric, **settings_)
        assert alone == together
        assert_allclose(alone.distribution, together.distribution, atol=1e-14)
    for metric, together in zip(
        metrics, bootstrap_differences(y, a, b, metrics=metrics, **settings_), strict=True
    ):
        assert bootstrap_difference(y, a, b, metric=metric, **settings_) == together


# -- what is drawn -------------------------------------------------------------------------------


def test_clusters_are_drawn_whole():
    """With identical rows inside groups the cluster bootstrap is that of one row per group."""
    y, a, _ = _binary(n=30)
    groups = np.repeat(np.arange(30), 4)
    whole = bootstrap_ci(
        np.repeat(y, 4), np.repeat(a, 4), groups=groups, n_resamples=200, random_state=0
    )
    single = bootstrap_ci(y, a, n_resamples=200, random_state=0)
    assert_allclose([whole.low, whole.high], [single.low, single.high], atol=1e-12)
    assert (whole.n, whole.n_groups, single.n_groups) == (120, 30, None)
    by_rows = bootstrap_ci(np.repeat(y, 4), np.repeat(a, 4), n_resamples=200, random_state=0)
    assert by_rows.standard_error < 0.7 * whole.standard_error


def test_group_labels_may_be_anything():
    y, a, _ = _binary(n=40)
    numbers = np.arange(40) // 2
    names = [f"series {k}" for k in numbers]
    results = [
        bootstrap_ci(y, a, groups=groups, n_resamples=50, random_state=0)
        for groups in (numbers, names)
    ]
    assert results[0] == results[1]


def test_stratified_resamples_keep_the_class_counts():
    y, _, _ = _binary(n=40)

    def share_of_first_half(weights):
        assert np.all(weights @ y == y.sum())
        return (weights[:, :20].sum(axis=1) / 40)[None, :]

    bootstrap_statistics(share_of_first_half, 40, strata=y, n_resamples=39, method="percentile")


def test_strata_may_be_given_by_array_and_need_classes_otherwise():
    rng = np.random.default_rng(0)
    y = rng.normal(size=150)
    score = y + rng.normal(size=150)
    with pytest.raises(ValueError, match="y has more than 100 values"):
        bootstrap_ci(y, score, metric="r2", stratify=True, n_resamples=39)
    halves = y > np.median(y)
    stratified = bootstrap_ci(y, score, metric="mae", stratify=halves, n_resamples=200,
                              random_state=0)  # fmt: skip
    plain = bootstrap_ci(y, score, metric="mae", n_resamples=200, random_state=0)
    assert_allclose(stratified.standard_error, plain.standard_error, rtol=0.3)


def test_stratifying_whole_groups_needs_pure_groups():
    y, a, _ = _binary(n=40)
    order = np.argsort(y, kind="stable")
    pure = np.arange(40) // 2
    y, a = y[order], a[order]
    pure = pure * 2 + y
    result = bootstrap_ci(y, a, groups=pure, stratify=True, n_resamples=50, random_state=0)
    assert result.n_undefined == 0
    with pytest.raises(ValueError, match="groups hold rows of several strata"):
        bootstrap_ci(y, a, groups=np.arange(40) % 5, stratify=True, n_resamples=50)


@pytest.mark.parametrize("chunk_cells", [1, 500, 10**7])
@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_the_size_of_blocks_does_not_change_the_result(monkeypatch, chunk_cells, method):
    y, a, _ = _binary()
    expected = bootstrap_ci(y, a, method=method, n_resamples=70, random_state=0)
    monkeypatch.setattr(resampling, "CHUNK_CELLS", chunk_cells)
    got = bootstrap_ci(y, a, method=method, n_resamples=70, random_state=0)
    assert got == expected
    assert np.array_equal(got.distribution, expected.distribution)


def test_the_same_seed_gives_the_same_result_in_every_form():
    y, a, _ = _binary()
    first = bootstrap_ci(y, a, n_resamples=50, random_state=3)
    assert bootstrap_ci(y, a, n_resamples=50, random_state=3) == first
    assert bootstrap_ci(y, a, n_resamples=50, random_state=np.random.default_rng(3)) == first
    assert bootstrap_ci(y, a, n_resamples=50, random_state=4) != first
    legacy = [
        bootstrap_ci(y, a, n_resamples=50, random_state=np.random.RandomState(3)) for _ in range(2)
    ]
    assert legacy[0] == legacy[1]
    assert bootstrap_ci(y, a, n_resamples=50) != bootstrap_ci(y, a, n_resamples=50)
    with pytest.raises(ValueError, match="random_state must be None, an integer"):
        bootstrap_ci(y, a, n_resamples=50, random_state="seed")


def test_block_jackknife_gives_nearly_the_interval_of_the_exact_one(monkeypatch):
    y, a, _ = _binary(n=1500, prevalence=0.05)
    exact = bootstrap_ci(y, a, metric="average_precision", n_resamples=2000, random_state=0)
    monkeypatch.setattr(resampling, "MAX_EXACT_JACKKNIFE", 1000)
    blocks = bootstrap_ci(y, a, metric="average_precision", n_resamples=2000, random_state=0)
    assert_allclose([blocks.low, blocks.high], [exact.low, exact.high],
                    atol=0.03 * (exact.high - exact.low))  # fmt: skip
    assert blocks != exact


def test_sample_weights_enter_the_metric_not_the_draw():
    y, a, _ = _binary()
    ones = bootstrap_ci(y, a, sample_weight=np.ones(80), n_resamples=50, random_state=0)
    plain = bootstrap_ci(y, a, n_resamples=50, random_state=0)
    assert_allclose(ones.distribution, plain.distribution, atol=1e-12)
    weights = np.random.default_rng(1).uniform(0.5, 2, 80)
    weighted = bootstrap_ci(y, a, sample_weight=weights, n_resamples=50, random_state=0)
    assert_allclose(weighted.estimate, roc_auc_score(y, a, sample_weight=weights), atol=1e-12)


# -- limits ----------------------------------------------------------------------------------------


@few
@given(
    st.integers(0, 2**16),
    st.sampled_from(["roc_auc", "average_precision", "bedroc", "brier", "ece", "mcc", "kendall"]),
    st.sampled_from(["bca", "percentile"]),
)
def test_limits_stay_where_the_metric_lives(seed, metric, method):
    rng = np.random.default_rng(seed)
    y = np.r_[0, 1, 0, 1, rng.integers(0, 2, 16)]
    score = rng.random(20)
    if metric == "mcc":
        score = np.r_[0, 1, 0, 1, rng.integers(0, 2, 16)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HonestevalWarning)
        result = bootstrap_ci(
            y, score, metric=metric, method=method, n_resamples=60, random_state=seed
        )
    lowest, highest = get_metric(metric).limits
    assert lowest <= result.low <= result.high <= highest
    assert result.distribution.min() <= result.low


@few
@given(st.integers(0, 2**16))
def test_rank_intervals_ignore_monotone_transforms(seed):
    y, a, b = _binary(n=40, seed=seed)
    y[:2] = 0, 1
    settings_ = {"n_resamples": 40, "random_state": 0, "stratify": True}
    assert bootstrap_ci(y, np.exp(a), **settings_) == bootstrap_ci(y, a, **settings_)
    plain = bootstrap_difference(y, a, b, **settings_)
    assert bootstrap_difference(y, np.exp(a), b**3, **settings_) == plain


@pytest.mark.parametrize("method", METHODS)
def test_every_method_gives_an_interval_around_the_score(method):
    y, a, _ = _binary(n=60)
    result = bootstrap_ci(y, a, method=method, n_resamples=400, random_state=0)
    assert result.low < result.estimate < result.high
    assert result.method == method
    wider = bootstrap_ci(
        y, a, method=method, n_resamples=400, random_state=0, confidence_level=0.99
    )
    assert wider.low < result.low
    assert wider.high > result.high


def test_perfect_separation_has_an_interval_of_its_own():
    y, score = np.r_[np.zeros(30), np.ones(10)], np.arange(40)
    result = bootstrap_ci(y, score, n_resamples=100, random_state=0)
    assert result.estimate == 1.0
    assert result.method == "exact"
    assert_allclose(result.low, 0.025 ** (1 / 10))
    assert result.high == 1.0
    in_pairs = bootstrap_ci(y, score, groups=np.arange(40) // 2, n_resamples=100, random_state=0)
    assert_allclose(in_pairs.low, 0.025 ** (1 / 5))


def test_one_positive_is_exact_for_the_roc_auc_and_warned_of_elsewhere():
    y, score = np.r_[np.zeros(20), 1], np.r_[np.arange(20), 17.5]
    result = bootstrap_ci(y, score, n_resamples=100, random_state=0)
    expected = delong_ci(y, score)
    assert (result.low, result.high, result.method) == (expected.low, expected.high, "exact")
    with pytest.warns(HonestevalWarning, match="one class has a single row"):
        bootstrap_ci(
            y, score, metric="average_precision", n_resamples=100, stratify=True, random_state=0
        )


def test_warns_where_resampling_cannot_tell():
    with pytest.warns(HonestevalWarning, match="accuracy is the same on every resample"):
        result = bootstrap_ci([0, 1, 1, 0], [0, 1, 1, 0], metric="accuracy", n_resamples=39)
    assert (result.low, result.high) == (1.0, 1.0)
    with pytest.warns(HonestevalWarning, match="every row is predicted alike"):
        bootstrap_ci(
            np.arange(400) % 2, np.zeros(400, int), metric="balanced_accuracy", n_resamples=39
        )
    with pytest.warns(HonestevalWarning, match="ROC-AUC is the same on every resample"):
        worst = bootstrap_difference(
            [0, 0, 1, 1], [1, 2, 3, 4], [4, 3, 2, 1], n_resamples=99, stratify=True
        )
    assert worst.p_value == 0.01


# -- undefined -----------------------------------------------------------------------------------


def test_warns_where_nearly_all_resamples_agree():
    """No active among the first five, and hardly ever one in a resample."""
    y = (np.arange(100) == 20).astype(int) + (np.arange(100) > 90)
    score = -np.arange(100.0)
    metric = get_metric("enrichment_factor", fraction=0.05)
    with pytest.warns(HonestevalWarning, match=r"at 0\.05 is the same on (nearly )?every resample"):
        result = bootstrap_ci(y, score, metric=metric, n_resamples=999, random_state=0)
    assert result.low == result.high == result.estimate == 0


def test_undefined_resamples_are_left_out_counted_and_warned_of():
    y = np.r_[1, 1, np.zeros(28)]
    score = np.random.default_rng(0).random(30)
    with pytest.warns(HonestevalWarning, match=r"undefined on \d+ of 500 resamples"):
        result = bootstrap_ci(y, score, n_resamples=500, random_state=0)
    # Neither positive is drawn with probability (28/30)^30 = 12.6 %.
    assert 40 < result.n_undefined < 90
    assert len(result.distribution) == 500 - result.n_undefined
    assert np.isfinite([result.low, result.high]).all()
    stratified = bootstrap_ci(y, score, n_resamples=500, random_state=0, stratify=True)
    assert stratified.n_undefined == 0
    assert "resamples were undefined and left out" in result.summary()
    assert "undefined" not in stratified.summary()


def test_a_callable_that_cannot_score_a_resample_is_undefined_there():
    def two_classes_only(y, score):
        if len(set(y)) < 2:
            raise ValueError("one class")
        return roc_auc_score(y, score)

    y = np.r_[1, 1, np.zeros(28)]
    score = np.random.default_rng(0).random(30)
    with pytest.warns(HonestevalWarning, match="two_classes_only is undefined"):
        result = bootstrap_ci(y, score, metric=two_classes_only, n_resamples=100, random_state=0)
    with pytest.warns(HonestevalWarning):
        named = bootstrap_ci(y, score, n_resamples=100, random_state=0)
    assert result.n_undefined == named.n_undefined
    assert_allclose([result.low, result.high], [named.low, named.high], atol=1e-12)


def test_an_error_of_a_callable_on_the_data_itself_is_shown():
    def broken(y, score):
        raise ValueError("no such thing")

    with pytest.raises(ValueError, match="no such thing"):
        bootstrap_ci([0, 1], [0.1, 0.2], metric=broken, n_resamples=39)


def test_refuses_what_is_undefined_on_the_data():
    with pytest.raises(ValueError, match=r"ROC-AUC is nan.*one class only \(3 positives of 3"):
        bootstrap_ci([1, 1, 1], [0.1, 0.2, 0.3], n_resamples=39)
    with pytest.raises(ValueError, match="all 3 predictions are equal"):
        bootstrap_difference([1.0, 2, 3], [1, 2, 3], [1, 1, 1], metric="pearson", n_resamples=39)


def test_undefined_on_every_resample_is_an_error():
    def of_distinct_rows(y, score):
        if len(set(score)) < len(score):
            raise ValueError("rows repeat")
        return 1.0

    with pytest.raises(ValueError, match="of_distinct_rows is undefined on every resample"):
        bootstrap_ci(
            np.arange(30), np.arange(30), metric=of_distinct_rows, n_resamples=39,
            method="percentile", random_state=0,
        )  # fmt: skip


@pytest.mark.parametrize("n_resamples", [0, 1])
def test_one_resample_makes_no_interval(n_resamples):
    for call in (bootstrap_ci, lambda y, s, **a: bootstrap_difference(y, s, s, **a)):
        with pytest.raises(ValueError, match=r"n_resamples must be an integer in \[2, inf\]"):
            call([0, 1, 0, 1], [0.1, 0.9, 0.3, 0.2], n_resamples=n_resamples)


@pytest.mark.parametrize(("level", "needed"), [(0.95, 39), (0.9, 19), (0.99, 199)])
def test_fewer_resamples_than_the_limits_need_are_said(level, needed):
    y, score, _ = _binary(n=40)
    with pytest.warns(HonestevalWarning, match=f"at least {needed} are needed"):
        bootstrap_ci(y, score, n_resamples=needed - 1, confidence_level=level, random_state=0)
    bootstrap_ci(y, score, n_resamples=needed, confidence_level=level, random_state=0)


@pytest.mark.parametrize("value", [None, "high", np.ones(3), [0.5], 1j])
def test_a_callable_that_returns_no_number_is_named(value):
    def odd(y, score):
        return value

    with pytest.raises(ValueError, match="metric odd must return one number"):
        bootstrap_ci([0, 1, 1], [0.1, 0.2, 0.3], metric=odd, n_resamples=39)
    with pytest.raises(ValueError, match="metric odd must return one number"):
        bootstrap_difference(
            [0, 1, 1], [0.1, 0.2, 0.3], [0.1, 0.2, 0.4], metric=odd, n_resamples=39
        )


@pytest.mark.parametrize("number", [np.float32(0.5), np.array(0.5), np.array([0.5]), 1, True])
def test_numbers_of_every_kind_are_numbers(number):
    def steady(y, score):
        return number

    with pytest.warns(HonestevalWarning, match="the same on every resample"):
        result = bootstrap_ci([0, 1, 1], [1, 2, 3], metric=steady, n_resamples=39, random_state=0)
    assert result.estimate == np.asarray(number).item()


def test_callables_take_matrices_of_scores():
    def top_class(y, score):
        return float(np.mean(score.argmax(axis=1) == y))

    rng = np.random.default_rng(0)
    y, score = rng.integers(0, 3, 60), rng.random((60, 3))
    result = bootstrap_ci(y, score, metric=top_class, n_resamples=50, random_state=0)
    classes = bootstrap_ci(
        y, score.argmax(axis=1), metric="accuracy", n_resamples=50, random_state=0
    )
    assert_allclose([result.low, result.high], [classes.low, classes.high], atol=1e-12)


# -- arguments -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "percentil"}, "Did you mean 'percentile'"),
        ({"n_resamples": 0}, "n_resamples must be an integer"),
        ({"confidence_level": 95}, r"confidence_level must be a number in \(0, 1\)"),
        ({"metric": "auc"}, "metric must be one of"),
        ({"groups": [1, 1, 1]}, "groups needs one label per row: 4 rows, got 3"),
        ({"groups": [1, 1, 1, 1]}, "groups holds one group only"),
        ({"groups": [1, None, 1, 2]}, "groups holds missing labels in row 1"),
        ({"stratify": [1, 2]}, "stratify needs one label per row"),
        ({"sample_weight": [1, 2]}, "sample_weight needs one weight per row"),
    ],
)
def test_arguments_are_checked(arguments, message):
    arguments = {"n_resamples": 10, **arguments}
    with pytest.raises(ValueError, match=message):
        bootstrap_ci([0, 1, 0, 1], [0.1, 0.4, 0.3, 0.2], **arguments)


def test_no_metric_is_refused():
    with pytest.raises(ValueError, match="metrics is empty"):
        bootstrap_metrics([0, 1], [0.1, 0.2], metrics=[])
    with pytest.raises(ValueError, match="metrics is empty"):
        bootstrap_differences([0, 1], [0.1, 0.2], [0.1, 0.2], metrics=[])


def test_statistics_of_weights_are_checked():
    with pytest.raises(ValueError, match=r"one line for each of the 2 names. Got \(1, 1\)"):
        bootstrap_statistics(lambda w: w.mean(axis=1)[None, :], 5, names=["a", "b"])
    with pytest.raises(ValueError, match="Undefined on the data itself: b"):
        bootstrap_statistics(
            lambda w: np.array([w.mean(axis=1), np.full(len(w), np.nan)]), 5, names=["a", "b"]
        )


def test_every_named_metric_can_be_resampled():
    rng = np.random.default_rng(0)
    y = np.r_[0, 1, rng.integers(0, 2, 38)]
    probability = np.clip(0.5 + 0.2 * (y - 0.5) + 0.3 * rng.normal(size=40), 0, 1)
    for name in metric_names():
        metric = get_metric(name, **({"tolerance": 0.5} if name == "within_tolerance" else {}))
        score = probability > 0.5 if metric.prediction == "classes" else probability
        result = bootstrap_ci(y, score, metric=metric, n_resamples=100, random_state=0)
        assert result.low < result.high, name


# -- what people look at -------------------------------------------------------------------------


def test_results_show_themselves():
    y, a, b = _binary()
    result = bootstrap_ci(y, a, groups=np.arange(80) // 2, n_resamples=50, random_state=0)
    assert "50 resamples of 40 groups of 80 rows" in result.summary()
    assert result.to_frame().loc[0, "low"] == result.low
    assert "distribution" not in result.to_frame()
    assert "<table" in result._repr_html_()
    difference = bootstrap_difference(y, a, b, n_resamples=50, random_state=0)
    assert "(a) minus" in difference.summary()
    assert difference.to_frame().loc[0, "p_value"] == difference.p_value
    assert "distribution" not in repr(difference)


def test_a_million_rows_stay_within_bounded_memory():
    """All resamples at once would take 5 x 200,000 x 8 bytes per array, 8 MB each."""
    rng = np.random.default_rng(0)
    y, score = rng.integers(0, 2, 200_000), rng.random(200_000)
    peaks = []
    for n_resamples in (3, 30):
        tracemalloc.start()
        bootstrap_ci(
            y, score, method="percentile", n_resamples=n_resamples, confidence_level=0.5,
            random_state=0,
        )  # fmt: skip
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.1 * peaks[0]
    assert peaks[1] < 200_000 * 8 * 30


DATES = np.arange("2020-01-01", "2020-01-05", dtype="datetime64[D]")


@pytest.mark.parametrize("odd", [DATES, DATES - DATES[0], np.ones(4) * 1j, list("abcd"), [{}] * 4])
def test_what_is_no_number_is_refused(odd):
    for metric in ("roc_auc", "mae"):
        with pytest.raises(ValueError, match="score must be numeric"):
            bootstrap_ci([0, 1, 0, 1], odd, metric=metric)
    with pytest.raises(ValueError, match="sample_weight must be numeric"):
        bootstrap_ci([0, 1, 0, 1], [1, 2, 3, 4], sample_weight=odd)


@pytest.mark.parametrize("odd", [None, 3.0, np.array(3.0)])
def test_what_has_no_rows_is_named(odd):
    with pytest.raises(ValueError, match="y must have one entry for each row"):
        bootstrap_ci(odd, [1, 2, 3, 4])
