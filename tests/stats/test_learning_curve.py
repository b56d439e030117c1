"""Power-law learning curves: recovery, constraints, interval, agreement with a general solver."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import parallel_config
from scipy.optimize import nnls
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB

from honesteval.exceptions import HonestevalWarning
from honesteval.stats import (
    LearningCurveExtrapolationDisplay,
    adaptive_score,
    learning_curve_extrapolation,
)
from honesteval.stats._learning_curve import (
    EXPONENTS,
    LossTable,
    extrapolate,
    fit_power_law,
    precision_weights,
)

SIZES = np.array([10.0, 20, 40, 80, 160])


class TestFit:
    @pytest.mark.parametrize(("a", "b", "c"), [(0.1, 2.0, 0.5), (0.0, 1.0, 1.0), (0.3, 5.0, 1.5)])
    def test_recovers_the_law(self, a, b, c):
        c = EXPONENTS[np.abs(EXPONENTS - c).argmin()]
        law = fit_power_law(SIZES, (a + b * SIZES**-c)[None])
        assert (law.a[0], law.b[0], law.c[0]) == pytest.approx((a, b, c), abs=1e-6)
        assert law.predict(1000)[0, 0] == pytest.approx(a + b * 1000**-c)

    @given(errors=st.lists(st.floats(0, 3), min_size=5, max_size=5))
    @settings(max_examples=60, deadline=None)
    def test_is_the_best_of_the_non_negative_fits(self, errors):
        law = fit_power_law(SIZES, np.array([errors]))
        best = min(nnls(np.column_stack([np.ones(5), SIZES**-c]), errors)[1] for c in EXPONENTS)
        residual = np.linalg.norm(law.predict(SIZES)[0] - errors)
        assert residual == pytest.approx(best, abs=1e-6)
        assert law.a[0] >= 0
        assert law.b[0] >= 0
        assert law.predict(10_000)[0, 0] <= law.predict(10)[0, 0] + 1e-12

    @given(
        errors=st.lists(st.floats(0, 3), min_size=5, max_size=5),
        weights=st.lists(st.floats(0.1, 10), min_size=5, max_size=5),
    )
    @settings(max_examples=40, deadline=None)
    def test_weights_count_in_the_squared_distances(self, errors, weights):
        law = fit_power_law(SIZES, np.array([errors]), weights)
        root = np.sqrt(weights)
        best = min(
            nnls(np.column_stack([np.ones(5), SIZES**-c]) * root[:, None], root * errors)[1]
            for c in EXPONENTS
        )
        residual = np.linalg.norm((law.predict(SIZES)[0] - errors) * root)
        assert residual == pytest.approx(best, abs=1e-6)

    def test_a_size_where_fits_blow_up_counts_for_little(self):
        random = np.random.default_rng(0)
        law = 0.2 + 2 * SIZES**-0.8
        losses = law * random.gamma(4, 1 / 4, size=(400, 5))
        steady = LossTable(losses.copy(), np.ones(400))
        losses[::40, 1] += 60
        blown = LossTable(losses, np.ones(400))
        arguments = {"n_resamples": 10, "confidence_level": 0.9, "random": random, "n_rows": 400,
                     "n_repeats": 1, "loss": "own"}  # fmt: skip
        truth = 0.2 + 2 * 1000**-0.8
        for units in (steady, blown):
            found = extrapolate(units, SIZES, 1000, **arguments)
            assert found.predicted_error == pytest.approx(truth, abs=0.05)
        weights = precision_weights(blown, losses.mean(axis=0))
        assert weights[1] < 0.05 * np.delete(weights, 1).min()
        assert (
            precision_weights(LossTable(np.ones((4, 5)), np.ones(4)), np.ones(5)).tolist()
            == [1] * 5
        )

    def test_rising_errors_give_a_flat_curve(self):
        law = fit_power_law(SIZES, SIZES[None] / 100)
        assert law.b[0] == 0
        assert law.a[0] == pytest.approx(np.mean(SIZES / 100))


class TestExtrapolation:
    @pytest.fixture(scope="class")
    @staticmethod
    def diabetes():
        return load_diabetes(return_X_y=True)

    def test_heads_to_the_full_data_error(self, diabetes):
        X, y = diabetes
        small = learning_curve_extrapolation(
            Ridge(0.1), X[:150], y[:150], target_size=350, random_state=0, n_resamples=200
        )
        full = learning_curve_extrapolation(
            Ridge(0.1), X, y, target_size=350, random_state=0, n_resamples=200, n_repeats=2
        )
        assert small.low < full.predicted_error < small.high
        assert small.predicted_error < small.errors[0]
        assert small.loss == "absolute"
        assert small.n_groups == small.n_rows == 150

    def test_classifier_and_callable_losses(self):
        X, y = load_breast_cancer(return_X_y=True)
        options = {"target_size": 400, "random_state": 0, "n_resamples": 50, "n_repeats": 2}
        named = learning_curve_extrapolation(GaussianNB(), X[:150], y[:150], **options)
        own = learning_curve_extrapolation(
            GaussianNB(), X[:150], y[:150], loss=lambda y, p: y != p, **options
        )
        assert named.loss == "zero_one"
        np.testing.assert_array_equal(named.errors, own.errors)
        assert 0 <= named.low <= named.predicted_error <= named.high <= 1

    def test_training_subsets_hold_every_class(self):
        X, y = np.zeros((100, 1)), np.repeat([0, 1], [90, 10])
        result = learning_curve_extrapolation(
            DummyClassifier(), X, y, target_size=200, train_sizes=[5, 20, 80], random_state=0,
            loss=lambda y, p: np.full(len(y), 0.1), n_resamples=20,
        )  # fmt: skip
        np.testing.assert_allclose(result.errors, 0.1)
        seen = []

        class Recorder(DummyClassifier):
            def fit(self, X, y):
                seen.append((len(y), len(np.unique(y))))
                return super().fit(X, y)

        learning_curve_extrapolation(
            Recorder(), X, y, target_size=200, train_sizes=[10, 20, 80], random_state=0
        )
        assert {n_classes for _, n_classes in seen} == {2}

    def test_warns_of_few_rows_and_not_of_many(self, diabetes):
        X, y = diabetes
        options = {"target_size": 200, "random_state": 0, "n_resamples": 20, "n_repeats": 1}
        with pytest.warns(HonestevalWarning, match="covered the truth in 67 to 83 %"):
            few = learning_curve_extrapolation(Ridge(), X[:79], y[:79], **options)
        assert "79 independent rows are few" in few.summary()
        many = learning_curve_extrapolation(Ridge(), X[:80], y[:80], **options)
        assert "few" not in many.summary()

    def test_groups_stay_together_and_are_resampled_as_a_whole(self, diabetes):
        X, y = diabetes
        groups = np.repeat(np.arange(100), 3)
        options = {
            "target_size": 400, "random_state": 0, "n_resamples": 200, "n_repeats": 1,
            "train_sizes": [20, 60, 200],
        }  # fmt: skip
        copies = np.repeat(np.arange(100), 3)
        grouped = learning_curve_extrapolation(
            Ridge(), X[copies], y[copies], groups=groups, **options
        )
        single = learning_curve_extrapolation(Ridge(), X[copies], y[copies], **options)
        assert grouped.n_groups == 100
        assert grouped.high - grouped.low > single.high - single.low

    def test_same_answer_for_any_n_jobs_and_data_frames(self, diabetes):
        X, y = diabetes
        options = {"target_size": 300, "random_state": 0, "n_resamples": 20, "n_repeats": 1}
        one = learning_curve_extrapolation(Ridge(), X[:90], y[:90], **options)
        with parallel_config(backend="threading"):
            two = learning_curve_extrapolation(
                Ridge(), pd.DataFrame(X[:90]), pd.Series(y[:90]), n_jobs=2, **options
            )
        np.testing.assert_allclose(one.errors, two.errors)
        assert one.low == pytest.approx(two.low)

    def test_table_text_and_curve(self, diabetes):
        X, y = diabetes
        result = learning_curve_extrapolation(
            Ridge(), X[:100], y[:100], target_size=300, random_state=0, n_resamples=50, n_repeats=1
        )
        frame = result.to_frame()
        assert frame["train_size"].iloc[-1] == 300
        assert frame["error"].iloc[-1] == pytest.approx(result.predicted_error)
        assert np.isnan(frame["measured"].iloc[-1])
        np.testing.assert_allclose(frame["measured"].iloc[:-1], result.errors)
        assert "absolute error after 300 training rows" in result.summary()
        assert "<table" in result._repr_html_()

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"train_sizes": [10, 20]}, "at least 3 different sizes from 1 to 64"),
            ({"train_sizes": [10, 20, 70]}, "at least 3 different sizes from 1 to 64"),
            ({"target_size": 0}, "target_size must be"),
            ({"loss": "abs"}, "loss must be one of"),
            ({"n_splits": 1}, "n_splits must be"),
            ({"y": np.zeros((80, 2))}, "y must be one-dimensional"),
        ],
    )
    def test_refuses(self, diabetes, change, message):
        X, y = diabetes
        arguments = {"X": X[:80], "y": y[:80], "target_size": 200} | change
        with pytest.raises(ValueError, match=message):
            learning_curve_extrapolation(Ridge(), **arguments)


def test_drawn_with_the_adaptive_score_on_the_same_axes():
    import matplotlib.pyplot as plt

    X, y = load_diabetes(return_X_y=True)
    curve = learning_curve_extrapolation(
        Ridge(), X[:100], y[:100], target_size=300, loss="absolute_percentage", n_repeats=1,
        n_resamples=20, random_state=0,
    )  # fmt: skip
    adaptive = adaptive_score(Ridge(), X[:100], y[:100], random_state=0, n_controls=2)
    display = LearningCurveExtrapolationDisplay.from_extrapolation(curve, adaptive=adaptive)
    assert display.plot() is display
    labels = display.ax_.get_legend_handles_labels()[1]
    assert "1 - adaptive score, permuted labels" in labels
    assert display.adaptive.loc[0, "error"] == 1 - adaptive.score
    _, ax = plt.subplots()
    alone = LearningCurveExtrapolationDisplay.from_extrapolation(curve).plot(ax)
    assert len(alone.ax_.get_legend_handles_labels()[1]) == 3
    plt.close("all")


@pytest.mark.slow
def test_coverage_of_the_interval(n_simulations):
    """Rows drawn from a known law; only their losses are random, as the interval assumes."""
    random = np.random.default_rng(0)
    truth = 0.2 + 1.5 * SIZES**-0.6
    target = 0.2 + 1.5 * 640**-0.6
    covered = []
    n = n_simulations(150)
    for _ in range(n):
        ability = random.gamma(4, 1 / 4, size=(200, 1))
        losses = truth * ability * random.gamma(8, 1 / 8, size=(200, len(SIZES)))
        result = extrapolate(
            LossTable(losses, np.ones(200)), SIZES, 640, n_resamples=200, confidence_level=0.95,
            random=random, n_rows=200, n_repeats=1, loss="own",
        )  # fmt: skip
        covered.append(result.low <= target <= result.high)
    assert np.mean(covered) >= 0.90 - 2 * np.sqrt(0.9 * 0.1 / n)
