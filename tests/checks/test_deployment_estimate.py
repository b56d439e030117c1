"""The score on what a model will meet, estimated without its labels."""

import inspect
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import parallel_config
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from honesteval.checks import deployment_estimate
from honesteval.checks._deployment_estimate import _weighted
from honesteval.checks._deployment_weights import Surroundings, rake, surroundings
from honesteval.checks._labels import single_label_column
from honesteval.exceptions import HonestevalWarning
from honesteval.similarity import resolve_similarity
from honesteval.stats import get_metric

QUIET = pytest.mark.filterwarnings("ignore::honesteval.exceptions.HonestevalWarning")
MODEL = KNeighborsRegressor(3)


def landscape(X):
    return np.sin(2.5 * X[:, 0]) + np.cos(2.5 * X[:, 1])


def series(n_series, size, rng, spread=0.06):
    centres = rng.normal(size=(n_series, 2)).repeat(size, axis=0)
    return centres + spread * rng.normal(size=centres.shape)


def problem(seed, *, far):
    """Series of near copies; what is met are near copies of them (or other series)."""
    rng = np.random.default_rng(seed)
    X = series(30, 8, rng)
    met = series(40, 3, rng) if far else X[rng.integers(0, 240, 120)]
    met = met + 0.06 * rng.normal(size=met.shape)
    y, y_met = landscape(X), landscape(met)
    truth = np.sqrt(np.mean((MODEL.fit(X, y).predict(met) - y_met) ** 2))
    return X, y, met, truth


@QUIET
@pytest.mark.parametrize("far", [False, True])
def test_comes_nearer_to_the_truth_than_folds_of_fixed_hardness(far):
    errors = {"estimate": [], "matched": [], "random": [], "hardest": []}
    for seed in range(4):
        X, y, met, truth = problem(seed, far=far)
        result = deployment_estimate(MODEL, X, y, met, similarity="rbf", n_moves=800)
        for name, found in errors.items():
            found.append(abs(np.log(getattr(result, name) / truth)))
    mean = {name: np.mean(found) for name, found in errors.items()}
    wrong = "random" if far else "hardest"
    assert mean["estimate"] < 0.5 * mean[wrong]
    assert mean["matched"] < 0.5 * mean[wrong]


@QUIET
def test_a_label_of_the_deployment_cannot_be_used():
    parameters = set(inspect.signature(deployment_estimate).parameters)
    assert not {"y_deploy", "deploy_labels", "labels"} & parameters
    X, y, met, _ = problem(0, far=True)
    with_label = np.column_stack([met, landscape(met)])
    with pytest.raises(ValueError, match="columns"):
        deployment_estimate(MODEL, X, y, with_label, similarity="rbf")

    seen = []

    class Recorder(RegressorMixin, BaseEstimator):
        def fit(self, X, y):
            seen.append((len(X), frozenset(np.round(y, 12))))
            self.mean_ = y.mean()
            return self

        def predict(self, X):
            return np.full(len(X), self.mean_)

    deployment_estimate(Recorder(), X, y, met, similarity="rbf", n_moves=50)
    assert len(seen) == 15
    assert all(n < len(X) for n, _ in seen)
    assert frozenset().union(*(labels for _, labels in seen)) <= frozenset(np.round(y, 12))


@QUIET
def test_everything_it_rests_on_is_in_the_result():
    X, y, met, _ = problem(0, far=True)
    result = deployment_estimate(MODEL, X, y, met, similarity="rbf", n_moves=200)
    assert result.low < result.estimate < result.high
    assert result.rows.groupby("folds")["row"].apply(lambda rows: sorted(rows)).map(
        lambda rows: rows == list(range(240))
    ).all()  # fmt: skip
    random = result.rows[result.rows["folds"] == "random"]
    rmse = np.sqrt(np.mean((random["y"] - random["prediction"]) ** 2))
    assert result.random == pytest.approx(rmse)
    together = result.rows
    weighted = np.average((together["y"] - together["prediction"]) ** 2, weights=together["weight"])
    assert result.estimate == pytest.approx(np.sqrt(weighted))
    assert result.to_frame().index.tolist() == ["random", "matched", "hardest", "together"]
    assert f"{result.estimate:.3f}" in result.summary()
    assert result.metric == "rmse"


@QUIET
def test_same_answer_for_any_number_of_jobs_and_wider_at_a_higher_level():
    X, y, met, _ = problem(1, far=True)
    settings_ = {"similarity": "rbf", "n_moves": 100, "random_state": 3}
    one = deployment_estimate(MODEL, X, y, met, n_jobs=1, **settings_)
    with parallel_config(backend="threading"):
        two = deployment_estimate(MODEL, X, y, met, n_jobs=2, confidence_level=0.8, **settings_)
    assert one.estimate == two.estimate
    assert one.low < two.low < two.high < one.high
    assert one.interval(0.8) == (two.low, two.high)


@QUIET
def test_classes_are_ranked_and_the_interval_stays_in_range():
    X, y, met, _ = problem(2, far=True)
    labels = np.where(y > np.median(y), "yes", "no")
    result = deployment_estimate(
        KNeighborsClassifier(5), X, labels, met, similarity="rbf", n_moves=100
    )
    assert result.metric == "roc_auc"
    assert 0 <= result.low < result.estimate < result.high <= 1
    many = np.digitize(y, [-1, 0, 1])
    accuracy = deployment_estimate(
        LogisticRegression(), X, many, met, similarity="rbf", n_moves=100
    )
    assert accuracy.metric == "accuracy"


@QUIET
def test_groups_are_on_one_side_of_all_folds():
    X, y, met, _ = problem(3, far=True)
    groups = np.arange(240) // 4
    result = deployment_estimate(
        MODEL, X, y, met, similarity="rbf", groups=groups, n_moves=100, n_splits=3
    )
    of_group = result.rows.assign(group=groups[result.rows["row"]])
    assert (of_group.groupby(["folds", "group"])["fold"].nunique() == 1).all()


def test_entities_beside_the_features():
    rng = np.random.default_rng(0)
    smiles = ["C" * n + end for n in range(1, 21) for end in ("O", "N", "C(=O)O")]
    X, y = rng.normal(size=(60, 2)), np.arange(60) / 7.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HonestevalWarning)
        result = deployment_estimate(
            MODEL, X, y, ["CCCCCS", "CCCCCCCS"], entities=smiles, n_splits=3, n_moves=50
        )
    assert result.n_deploy == 2
    assert result.folds.similarity_name.startswith("Tanimoto of ECFP4")


def test_warns_when_the_deployment_is_beyond_everything_tested():
    X, y, _, _ = problem(0, far=True)
    with pytest.warns(HonestevalWarning) as caught:
        deployment_estimate(MODEL, X, y, X[:50] + 500.0, similarity="rbf", n_moves=50)
    messages = " ".join(str(warning.message) for warning in caught)
    assert "no folds of these sizes can" in messages
    assert "100% of the entities to be met" in messages


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": np.r_[np.nan, np.arange(239) / 7]}, "no label in row 0"),
        ({"y": np.arange(10) / 7}, "same number of rows"),
        ({"metric": lambda y, p: 0.0}, "takes? no|not take|named metric"),
        ({"similarity": "precomputed"}, "a name or a function"),
        ({"n_splits": 1}, "n_splits"),
        ({"confidence_level": 1}, "confidence_level"),
        ({"metric": "rms"}, "rms"),
    ],
)
def test_what_cannot_work_says_why(change, message):
    X, y, met, _ = problem(0, far=False)
    call = {"y": y, "similarity": "rbf", **change}
    with pytest.raises(ValueError, match=message):
        deployment_estimate(MODEL, X, call.pop("y"), met, **call)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_weights_give_both_distributions(seed):
    rng = np.random.default_rng(seed)
    tested = Surroundings(rng.random(300), rng.random(300))
    met = Surroundings(rng.beta(2, 2, 80), rng.beta(1, 2, 80))
    weights = rake(tested, met)
    assert (weights >= 0).all()
    assert weights.sum() == pytest.approx(300)
    for values, wanted, n_bins in (
        (tested.similarity, met.similarity, 10),
        (tested.disagreement, met.disagreement, 3),
    ):
        edges = np.quantile(values, np.linspace(0, 1, n_bins + 1))[1:-1]
        held = np.bincount(np.searchsorted(edges, values, "right"), weights) / 300
        asked = np.bincount(np.searchsorted(edges, wanted, "right"), minlength=n_bins) / 80
        np.testing.assert_allclose(held, asked, atol=5e-3)


def test_weights_stay_where_no_row_has_both_what_is_met():
    tested = Surroundings(np.repeat([0.2, 0.8], 50), np.repeat([0.1, 0.9], 50))
    weights = rake(tested, Surroundings(np.full(5, 0.2), np.full(5, 0.9)))
    assert np.isfinite(weights).all()
    assert weights.sum() == pytest.approx(100)
    assert weights[:50].sum() > 99  # similarity goes first


def test_weights_are_even_where_nothing_differs():
    same = Surroundings(np.linspace(0, 1, 100), np.linspace(0, 1, 100))
    np.testing.assert_allclose(rake(same, same), 1.0)


def test_a_ranking_is_that_of_one_model():
    rows = pd.DataFrame(
        {
            "folds": "random",
            "fold": np.repeat([0, 1, 2], 4),
            "y": [0, 0, 1, 1] * 2 + [0, 0, 0, 1],
            # perfect in the first two folds, on scales of their own; undefined nowhere
            "prediction": [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9, 0.1, 0.2, 0.4, 0.3],
        }
    )
    found = _weighted(rows, np.ones(12), get_metric("roc_auc"))
    assert found == pytest.approx((4 * 1 + 4 * 1 + 3 * (2 / 3)) / 11)
    weights = np.repeat([1.0, 1.0, 2.0], 4)
    found = _weighted(rows, weights, get_metric("roc_auc"))
    assert found == pytest.approx((4 * 1 + 4 * 1 + 12 * (2 / 3)) / 20)
    one_class = rows[rows["fold"] < 2].assign(y=[1, 1, 1, 1, 0, 0, 1, 1])
    assert _weighted(one_class, np.ones(8), get_metric("roc_auc")) == 1.0


def test_surroundings_against_a_plain_computation():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 3)), rng.normal(size=50)
    similarity = resolve_similarity(X, "rbf")
    test, train = np.arange(10), np.arange(10, 50)
    found = surroundings(similarity, test, train, single_label_column(y, 50))
    S = similarity.block(test, train)
    for i in range(10):
        near = np.argsort(-S[i])[:10]
        weight = S[i, near] ** 4 / (S[i, near] ** 4).sum()
        mean = weight @ y[train][near]
        spread = np.sqrt(weight @ (y[train][near] - mean) ** 2)
        assert found.similarity[i] == pytest.approx(S[i].max())
        assert found.disagreement[i] == pytest.approx(spread, rel=1e-6)
    agreed = surroundings(
        similarity, test, train, single_label_column(pd.Series(["a"] * 49 + ["b"]), 50)
    )
    assert (agreed.disagreement[:5] >= 0).all()


@pytest.mark.slow
@QUIET
def test_interval_covers_later_scores(n_simulations):
    n = n_simulations(8)
    covered = 0
    for seed in range(n):
        X, y, met, truth = problem(100 + seed, far=bool(seed % 2))
        result = deployment_estimate(MODEL, X, y, met, similarity="rbf", n_moves=300)
        covered += result.low <= truth <= result.high
    assert covered >= 0.6 * n
