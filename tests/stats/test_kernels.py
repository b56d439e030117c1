"""Weighted metrics against scikit-learn and SciPy, and against repetition of rows."""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats
from sklearn import metrics as sk

from honesteval.stats import Metric, available_metrics, get_metric, metric_names
from honesteval.stats._kernels import RowWeights, Sample

RANKING = (
    "roc_auc",
    "average_precision",
    "trapezoid_pr_area",
    "enrichment_factor",
    "bedroc",
    "rie",
)
few = settings(max_examples=20, deadline=None)

CONTINUOUS = ("mae", "rmse", "r2", "pearson", "spearman", "kendall")


def _trapezoid(y, score):
    precision, recall, _ = sk.precision_recall_curve(y, score)
    return sk.auc(recall, precision)


def _all_metrics():
    for name in metric_names():
        yield get_metric(name, **({"tolerance": 0.5} if name == "within_tolerance" else {}))


@st.composite
def _binary(draw, max_size=40):
    """Both classes, scores on a coarse grid so that ties are common."""
    n = draw(st.integers(2, max_size))
    y = np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)))
    score = np.array(draw(st.lists(st.integers(0, 12), min_size=n, max_size=n))) / 12
    assume(0 < y.sum() < n)
    return y, score


@st.composite
def _pairs(draw):
    n = draw(st.integers(3, 40))
    values = st.lists(st.integers(-6, 6), min_size=n, max_size=n)
    y, score = np.array(draw(values)) / 4, np.array(draw(values)) / 4
    assume(len(set(y)) > 1 and len(set(score)) > 1)
    return y, score


# -- known answers -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "y", "score", "value"),
    [
        ("roc_auc", [0, 0, 1, 0, 1], [0.3, 0.6, 0.7, 0.8, 0.9], 5 / 6),
        ("roc_auc", [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], 0.75),
        ("average_precision", [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], 0.833333333),
        ("trapezoid_pr_area", [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], 0.791666667),
        ("average_precision", [1] + [0] * 9, [0.5] * 10, 0.1),
        ("trapezoid_pr_area", [1] + [0] * 9, [0.5] * 10, 0.55),
        ("roc_auc", [1] + [0] * 9, [0.5] * 10, 0.5),
    ],
)
def test_known_answers(name, y, score, value):
    assert_allclose(get_metric(name)(y, score), value, rtol=1e-8)


# -- agreement where others define the same thing ------------------------------------------------


@few
@given(_binary())
def test_ranking_metrics_agree_with_sklearn(data):
    y, score = data
    assert_allclose(get_metric("roc_auc")(y, score), sk.roc_auc_score(y, score), atol=1e-14)
    expected = sk.average_precision_score(y, score)
    assert_allclose(get_metric("average_precision")(y, score), expected, atol=1e-14)
    assert_allclose(get_metric("trapezoid_pr_area")(y, score), _trapezoid(y, score), atol=1e-14)


@few
@given(_binary())
def test_probability_metrics_agree_with_sklearn(data):
    y, score = data
    assert_allclose(get_metric("brier")(y, score), sk.brier_score_loss(y, score), atol=1e-14)
    expected = sk.log_loss(y, score, labels=[0, 1])
    assert_allclose(get_metric("log_loss")(y, score), expected, atol=1e-12)


@few
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=40))
def test_class_metrics_agree_with_sklearn(pairs):
    y, predicted = np.array(pairs).T
    assert_allclose(get_metric("accuracy")(y, predicted), sk.accuracy_score(y, predicted))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        balanced = sk.balanced_accuracy_score(y, predicted)
        mcc = sk.matthews_corrcoef(y, predicted)
    assert_allclose(get_metric("balanced_accuracy")(y, predicted), balanced, atol=1e-14)
    if len(set(y)) > 1 and len(set(predicted)) > 1:
        assert_allclose(get_metric("mcc")(y, predicted), mcc, atol=1e-12)
    else:
        assert np.isnan(get_metric("mcc")(y, predicted))


@few
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=2, max_size=40))
def test_decision_metrics_agree_with_sklearn(pairs):
    y, predicted = np.array(pairs).T
    for name, function in {
        "precision": sk.precision_score,
        "recall": sk.recall_score,
        "f1": sk.f1_score,
    }.items():
        expected = function(y, predicted, zero_division=np.nan)
        assert_allclose(get_metric(name)(y, predicted), expected, atol=1e-14)
    specificity = sk.recall_score(1 - y, 1 - predicted, zero_division=np.nan)
    assert_allclose(get_metric("specificity")(y, predicted), specificity, atol=1e-14)


@few
@given(_pairs())
def test_continuous_metrics_agree_with_sklearn_and_scipy(data):
    y, score = data
    assert_allclose(get_metric("mae")(y, score), sk.mean_absolute_error(y, score), atol=1e-14)
    assert_allclose(get_metric("rmse")(y, score), sk.root_mean_squared_error(y, score), atol=1e-14)
    assert_allclose(get_metric("r2")(y, score), sk.r2_score(y, score), atol=1e-10)
    for name, function in {
        "pearson": stats.pearsonr,
        "spearman": stats.spearmanr,
        "kendall": stats.kendalltau,
    }.items():
        expected = function(y, score).statistic
        assert_allclose(get_metric(name)(y, score), expected, atol=1e-12)


@few
@given(
    st.integers(0, 2**32 - 1),
    st.integers(20, 60),
    st.floats(0.02, 0.9),
    st.sampled_from([5.0, 20.0, 160.9]),
)
def test_early_recognition_agrees_with_rdkit_without_ties(seed, n, fraction, alpha):
    scoring = pytest.importorskip("rdkit.ML.Scoring.Scoring")
    rng = np.random.default_rng(seed)
    y = np.zeros(n, dtype=int)
    y[rng.choice(n, rng.integers(1, n), replace=False)] = 1
    score = rng.permutation(n)
    ranked = [[int(label)] for label in y[np.argsort(-score)]]
    (expected,) = scoring.CalcEnrichment(ranked, 0, [fraction])
    assert_allclose(get_metric("enrichment_factor", fraction=fraction)(y, score), expected)
    expected = scoring.CalcBEDROC(ranked, 0, alpha)
    assert_allclose(get_metric("bedroc", alpha=alpha)(y, score), expected, atol=1e-12)
    expected = scoring.CalcRIE(ranked, 0, alpha)
    assert_allclose(get_metric("rie", alpha=alpha)(y, score), expected, rtol=1e-10)


@few
@given(_binary(max_size=5))
def test_tied_scores_count_with_the_mean_over_their_orders(data):
    """Early recognition of tied rows is the mean over every order of the ties."""
    from itertools import permutations

    y, score = data
    for name, parameters in (("enrichment_factor", {"fraction": 0.3}), ("rie", {"alpha": 5.0})):
        metric = get_metric(name, **parameters)
        values = []
        for order in permutations(range(len(y))):
            ranked = sorted(order, key=lambda row: -score[row])
            untied = np.empty(len(y))
            untied[ranked] = np.arange(len(y), 0, -1)
            values.append(metric(y, untied))
        assert_allclose(metric(y, score), np.mean(values), rtol=1e-10)


def test_enrichment_takes_a_whole_number_of_rows_despite_rounding():
    """0.07 x 100 is 7.000000000000001 in floating point; the top is 7 rows, not 8."""
    y = np.zeros(100)
    y[[0, 7]] = 1
    enrichment = get_metric("enrichment_factor", fraction=0.07)(y, -np.arange(100))
    assert_allclose(enrichment, (1 / 7) / (2 / 100))


# -- properties ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RANKING)
@few
@given(data=_binary(), seed=st.integers(0, 2**16))
def test_ranking_metrics_do_not_depend_on_row_order(name, data, seed):
    y, score = data
    order = np.random.default_rng(seed).permutation(len(y))
    metric = get_metric(name)
    assert_allclose(metric(y[order], score[order]), metric(y, score), rtol=1e-12)


@pytest.mark.parametrize("name", RANKING)
@few
@given(data=_binary())
def test_ranking_metrics_do_not_change_under_monotone_transforms(name, data):
    y, score = data
    metric = get_metric(name)
    for transform in (np.exp, lambda values: values**3 - 7, lambda values: 1e6 * values):
        assert_allclose(metric(y, transform(score)), metric(y, score), rtol=1e-12)


@few
@given(_binary())
def test_values_stay_within_the_stated_limits(data):
    y, score = data
    for metric in _all_metrics():
        if metric.prediction == "classes":
            value = metric(y, score > 0.5)
        else:
            value = metric(y, score)
        assert np.isnan(value) or metric.limits[0] - 1e-12 <= value <= metric.limits[1] + 1e-12


@few
@given(_binary(max_size=25), st.integers(0, 2**16))
def test_whole_weights_equal_repetition(data, seed):
    y, score = data
    weights = np.random.default_rng(seed).integers(0, 4, len(y))
    assume(weights.sum() > 1)
    for metric in _all_metrics():
        predictions = (score > 0.5).astype(int) if metric.prediction == "classes" else score
        repeated = np.repeat(np.arange(len(y)), weights)
        expected = metric(y[repeated], predictions[repeated])
        got = metric(y, predictions, sample_weight=weights)
        if metric.name == "balanced_accuracy" and len(set(y[repeated])) < 2:
            assert np.isnan(got)  # a class of the data that was not drawn leaves no recall
            continue
        assert_allclose(got, expected, atol=1e-9, equal_nan=True, err_msg=metric.name)


@few
@given(_binary(max_size=25), st.integers(0, 2**16))
def test_scaling_all_weights_changes_nothing(data, seed):
    """Fractional weights are shares: only their ratios matter (but for counts of rows)."""
    y, score = data
    weights = np.random.default_rng(seed).uniform(0.1, 2.0, len(y))
    for metric in _all_metrics():
        if metric.name == "enrichment_factor":
            continue
        predictions = (score > 0.5).astype(int) if metric.prediction == "classes" else score
        expected = metric(y, predictions, sample_weight=weights)
        got = metric(y, predictions, sample_weight=0.37 * weights)
        assert_allclose(got, expected, atol=1e-9, equal_nan=True, err_msg=metric.name)


def test_all_resamples_at_once_equal_one_at_a_time():
    rng = np.random.default_rng(3)
    y = (rng.random(60) < 0.3).astype(float)
    score = np.round(rng.random(60), 1)
    drawn = rng.integers(0, 60, (30, 60))
    counts = np.array([np.bincount(rows, minlength=60) for rows in drawn])
    for metric in _all_metrics():
        predictions = (score > 0.5).astype(float) if metric.prediction == "classes" else score
        together = metric.evaluate(Sample(y, predictions).weighted(RowWeights(counts)))
        alone = [metric(y[rows], predictions[rows]) for rows in drawn]
        assert_allclose(together, alone, atol=1e-10, err_msg=metric.name)


def test_large_weights_are_exact():
    """Beyond the whole numbers of single precision the sums switch to double."""
    y, score = np.array([1.0, 0, 1, 0]), np.array([4.0, 3, 2, 1])
    weights = RowWeights(np.array([[2**25 + 1, 1, 1, 2**25 + 3]]))
    value = get_metric("roc_auc").evaluate(Sample(y, score).weighted(weights))[0]
    n1, n0 = 2**25 + 2, 2**25 + 4
    assert value == ((2**25 + 1) * n0 + (2**25 + 3)) / (n1 * n0)


# -- undefined and refused -----------------------------------------------------------------------


@pytest.mark.parametrize("name", RANKING)
@pytest.mark.parametrize("label", [0, 1])
def test_one_class_is_nan_not_zero(name, label):
    metric = get_metric(name)
    y = np.full(5, label)
    assert np.isnan(metric(y, np.arange(5)))
    why = metric.why_undefined(metric.sample(y, np.arange(5)))
    assert why == f"one class only ({5 * label} positives of 5 rows)"


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall"])
def test_correlation_of_a_constant_is_nan(name):
    metric = get_metric(name)
    assert np.isnan(metric([1.0, 2, 3], [0.1, 0.1, 0.1]))
    assert metric.why_undefined(metric.sample([1.0, 2, 3], [5.0] * 3)) == (
        "all 3 predictions are equal"
    )
    assert metric.why_undefined(metric.sample([5.0] * 3, [1.0, 2, 3])) == "all 3 labels are equal"


def test_reasons_for_the_other_undefined_values():
    r2, mcc, f1 = get_metric("r2"), get_metric("mcc"), get_metric("f1")
    assert r2.why_undefined(r2.sample([1.0], [2.0])) == "1 row only"
    assert mcc.why_undefined(mcc.sample([0, 1, 1], [1, 1, 1])) == "all 3 predictions are equal"
    precision = get_metric("precision")
    assert np.isnan(precision([1, 0, 1], [0, 0, 0]))
    assert np.isnan(f1([0, 0], [0, 0]))


def test_r2_of_constant_labels_is_nan():
    assert np.isnan(get_metric("r2")([0.1, 0.1, 0.1], [0.2, 0.1, 0.3]))


def test_labels_minus_one_and_bool_mean_the_same():
    y = np.array([0, 1, 1, 0, 1])
    score = [0.1, 0.4, 0.2, 0.3, 0.9]
    value = get_metric("roc_auc")(y, score)
    assert get_metric("roc_auc")(2 * y - 1, score) == value
    assert get_metric("roc_auc")(y.astype(bool), score) == value
    assert get_metric("roc_auc")(list(map(bool, y)), score) == value


@pytest.mark.parametrize(
    ("name", "y", "score", "message"),
    [
        ("roc_auc", ["yes", "no"], [1, 2], r"which class is the positive one. Got 'no', 'yes'"),
        ("roc_auc", [1, 2, 1], [1, 2, 3], "must hold 0 and 1"),
        ("roc_auc", [0.0, np.nan, 1.0], [1, 2, 3], "y holds NaN in row 1"),
        ("roc_auc", [0, 1, 1], [1, np.nan, np.nan], "score holds NaN in rows 1, 2"),
        ("roc_auc", [0, 1], [1, 2, 3], "y has 2, score has 3"),
        ("roc_auc", [0, 1], [[1, 2], [3, 4]], r"pass the column of the positive class"),
        ("roc_auc", [], [], "at least one row"),
        ("brier", [0, 1], [0.5, 1.5], r"needs probabilities in \[0, 1\]: score holds 1.5 in row 1"),
        ("mae", [0, 1], [0.5, np.inf], "score holds infinite values in row 1"),
        ("mae", ["a", "b"], [0.5, 1], "y must be numeric"),
        ("mcc", [0, None], [0, 1], "y holds NaN in row 1"),
        ("precision", [0, 1], [0.3, 0.8], "score must hold 0 and 1"),
    ],
)
def test_errors_name_what_where_and_what_to_do(name, y, score, message):
    with pytest.raises(ValueError, match=message):
        get_metric(name)(y, score)


def test_rankings_may_be_infinite():
    assert get_metric("roc_auc")([0, 0, 1, 1], [-np.inf, 1.0, 2.0, np.inf]) == 1.0


def test_weights_are_checked():
    metric = get_metric("roc_auc")
    with pytest.raises(ValueError, match="one weight per row: 2 rows, got 3"):
        metric([0, 1], [1, 2], sample_weight=[1, 1, 1])
    with pytest.raises(ValueError, match="finite and not negative: see row 1"):
        metric([0, 1], [1, 2], sample_weight=[1, -1])


# -- the table of names ----------------------------------------------------------------------------


def test_unknown_names_suggest_a_known_one():
    with pytest.raises(ValueError, match="Did you mean 'roc_auc'"):
        get_metric("roc_auk")
    with pytest.raises(ValueError, match="metric must be one of"):
        get_metric(3)


def test_parameters_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="metric='roc_auc' with parameters"):
        get_metric("roc_auc", alpha=3)
    with pytest.raises(ValueError, match=r"fraction must be a number in \(0, 1\]"):
        get_metric("enrichment_factor", fraction=0.0)
    with pytest.raises(ValueError, match="metric='within_tolerance' with parameters"):
        get_metric("within_tolerance")


@pytest.mark.parametrize(
    ("scorer", "metric"),
    [
        ("neg_mean_absolute_error", "mae"),
        ("neg_brier_score", "brier"),
        ("neg_log_loss", "log_loss"),
    ],
)
def test_names_of_scorers_are_told_from_names_of_metrics(scorer, metric):
    with pytest.raises(ValueError, match=rf"scorers \(scoring=\).* is called '{metric}'"):
        get_metric(scorer)


def test_longer_names_of_sklearn_are_understood():
    assert get_metric("brier_score_loss").name == "brier"
    assert get_metric("matthews_corrcoef").name == "mcc"


def test_a_metric_passes_through_and_a_function_is_wrapped():
    metric = get_metric("bedroc", alpha=80.0)
    assert get_metric(metric) is metric
    wrapped = get_metric(sk.median_absolute_error)
    assert isinstance(wrapped, Metric)
    assert wrapped.name == "median_absolute_error"
    assert wrapped([1, 2, 3], [1, 2, 5]) == 0.0
    with pytest.raises(ValueError, match="whole-number weights"):
        wrapped([1, 2, 3], [1, 2, 5], sample_weight=[0.5, 1, 1])


def test_the_table_lists_every_name():
    table = available_metrics()
    assert list(table.index) == list(metric_names())
    assert set(CONTINUOUS) <= set(table.index[table["y"] == "continuous"])
    assert not table.loc["brier", "greater_is_better"]


def test_nullable_and_object_labels():
    import pandas as pd

    y, score = pd.array([0, 1, 1, 0], dtype="Int64"), [0.1, 0.3, 0.2, 0.4]
    assert get_metric("roc_auc")(y, score) == get_metric("roc_auc")([0, 1, 1, 0], score)
    y[2] = pd.NA
    with pytest.raises(ValueError, match="y holds NaN in row 2"):
        get_metric("roc_auc")(y, score)
    strings = np.array(["inactive", "active", "active", "inactive"])
    assert get_metric("mcc")(strings, strings) == 1.0


def test_many_classes_stay_small():
    """A confusion matrix of 600 classes is summed without a column per cell and row."""
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat(np.arange(600), 4))
    predicted = np.where(rng.random(2400) < 0.5, y, rng.integers(0, 600, 2400))
    expected = sk.balanced_accuracy_score(y, predicted)
    assert_allclose(get_metric("balanced_accuracy")(y, predicted), expected)


def test_inputs_are_not_modified():
    y, score = np.array([0, 1, 1, 0]), np.array([0.3, 0.2, 0.9, 0.1])
    copies = y.copy(), score.copy()
    for metric in _all_metrics():
        metric(y, (score > 0.5).astype(int) if metric.prediction == "classes" else score)
    assert np.array_equal(y, copies[0])
    assert np.array_equal(score, copies[1])
