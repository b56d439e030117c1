"""compare_models picks the valid test, says why, and refuses what is not valid."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import wilcoxon
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, RepeatedKFold, ShuffleSplit, cross_validate

from honesteval.exceptions import HonestevalWarning
from honesteval.stats import (
    CriticalDifferenceDisplay,
    PairedFoldsDisplay,
    SimultaneousIntervalsDisplay,
    bayesian_correlated_t_test,
    bootstrap_difference,
    compare_models,
    corrected_t_test,
    delong_test,
    friedman_test,
    mcnemar_test,
    repeated_measures_tukey,
)

SIZES = {"n_train": 80, "n_test": 20}


def make_scores(shifts, n=25, seed=0, noise=0.02):
    random = np.random.default_rng(seed)
    base = random.normal(0.8, 0.03, n)
    return {name: base + shift + random.normal(0, noise, n) for name, shift in shifts.items()}


@pytest.fixture(scope="module")
def three():
    return make_scores({"svm": 0.0, "forest": 0.03, "tree": -0.1})


def nested_result(scores, cv, n=100):
    """What nested_cross_validate returns, as far as a comparison looks."""
    splits = list(cv.split(np.zeros(n)))
    scores = np.asarray(scores, dtype=float)
    return SimpleNamespace(
        outer_scores=scores,
        scores_of=lambda metric: scores + {"first": 0, "other": 1}[metric],
        test_indices=tuple(test for _, test in splits),
        train_sizes=np.array([len(train) for train, _ in splits]),
        test_sizes=np.array([len(test) for _, test in splits]),
    )


def cross_validated(cv, *, alphas=(1.0, 1000.0), seed=0, n=60, **options):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 5))
    y = X[:, 0] + random.normal(size=n)
    options = {"scoring": "r2", "return_indices": True} | options
    return {
        f"alpha {alpha:g}": cross_validate(Ridge(alpha), X, y, cv=cv, **options) for alpha in alphas
    }


class TestWhichTest:
    def test_two_models_over_folds(self, three):
        two = {name: three[name] for name in ("svm", "forest")}
        result = compare_models(two, **SIZES)
        row = result.to_frame().iloc[0]
        test = corrected_t_test(*two.values(), **SIZES)
        assert result.test == "Corrected resampled t-test"
        assert "share training rows" in result.reason
        assert (row.difference, row.low, row.high) == pytest.approx(
            (test.difference, test.low, test.high)
        )
        assert row.p_value == row.p_adjusted == pytest.approx(test.p_value)
        assert row.effect_size == pytest.approx(test.effect_size)
        posterior = bayesian_correlated_t_test(*two.values(), **SIZES, rope=0.01)
        assert row.p_equivalent == pytest.approx(posterior.p_equivalent)

    def test_more_models_over_folds(self, three):
        result = compare_models(three, **SIZES)
        expected = repeated_measures_tukey(three, **SIZES).to_frame()
        assert result.test.startswith("Repeated-measures Tukey")
        assert result.adjustment.startswith("Tukey")
        columns = ["a", "b", "difference", "low", "high", "p_value", "p_adjusted"]
        pd.testing.assert_frame_equal(result.to_frame()[columns], expected[columns])

    def test_uneven_spread_gives_every_pair_its_own_error(self, three):
        noisy = three | {"noisy": three["svm"] + make_scores({"x": 0}, seed=3, noise=0.5)["x"]}
        result = compare_models(noisy, **SIZES)
        assert result.test == "Corrected resampled t-test"
        assert "sphericity" in result.reason
        assert result.adjustment == "holm"
        assert (result.table["p_adjusted"] >= result.table["p_value"]).all()

    def test_reference_is_compared_with_every_other(self, three):
        result = compare_models(three, **SIZES, reference="svm")
        assert result.table[["a", "b"]].to_numpy().tolist() == [["forest", "svm"], ["tree", "svm"]]
        assert "compared with svm" in result.reason
        tukey = compare_models(three, **SIZES, reference="svm", test="tukey").table
        whole = compare_models(three, **SIZES, test="tukey").table
        assert tukey.loc[0, "difference"] == pytest.approx(-whole.loc[0, "difference"])
        assert tukey.loc[0, "low"] == pytest.approx(-whole.loc[0, "high"])
        assert tukey.loc[0, "p_adjusted"] == whole.loc[0, "p_adjusted"]

    def test_tasks_by_ranks(self):
        random = np.random.default_rng(0)
        tasks = {
            name: {f"task {i}": value for i, value in enumerate(random.random(12) + shift)}
            for name, shift in [("a", 0), ("b", 1), ("c", 2)]
        }
        result = compare_models(tasks)
        friedman = friedman_test(pd.DataFrame(tasks))
        assert result.test.startswith("Friedman")
        assert result.omnibus.p_value == friedman.p_value
        np.testing.assert_allclose(result.table["p_adjusted"], friedman.to_frame()["p_adjusted"])
        assert result.table["conclusion"].tolist() == ["b better", "c better", "c better"]

    def test_two_models_over_tasks(self):
        random = np.random.default_rng(0)
        tasks = pd.DataFrame({"a": random.random(10), "b": random.random(10) + 0.5})
        result = compare_models({name: tasks[name].to_dict() for name in tasks})
        assert result.test == "Wilcoxon signed-rank test"
        assert result.table.loc[0, "p_value"] == wilcoxon(tasks["a"], tasks["b"]).pvalue
        assert result.table.loc[0, "conclusion"] == "b better"

    def test_hold_out_predictions(self):
        random = np.random.default_rng(0)
        y = random.integers(2, size=80)
        scores = {"a": y + random.normal(size=80), "b": random.normal(size=80)}
        result = compare_models(scores, y=y)
        assert result.test == "DeLong"
        expected = delong_test(y, scores["a"], scores["b"])
        row = result.table.iloc[0]
        assert (row.difference, row.p_value) == (expected.estimate, expected.p_value)
        labels = {name: (score > 0.5).astype(int) for name, score in scores.items()}
        result = compare_models(labels, y=y, metric="accuracy")
        assert result.test == "McNemar mid-p"
        assert result.table.loc[0, "p_value"] == mcnemar_test(y, *labels.values()).p_value

    def test_hold_out_with_groups_or_other_metrics(self):
        random = np.random.default_rng(0)
        y = random.normal(size=60)
        predictions = {"a": y + 0.1 * random.normal(size=60), "b": y + random.normal(size=60)}
        result = compare_models(predictions, y=y, metric="rmse", random_state=0, margin=0.05)
        expected = bootstrap_difference(y, *predictions.values(), metric="rmse", random_state=0)
        assert result.test == "Paired bootstrap"
        assert result.table.loc[0, "p_value"] == expected.p_value
        assert not result.greater_is_better
        assert result.table.loc[0, "conclusion"] == "a better"
        grouped = compare_models(
            predictions, y=y, metric="rmse", groups=np.arange(60) // 3, random_state=0
        )
        assert "groups of rows" in grouped.reason

    def test_naive_test_only_with_a_warning(self, three):
        with pytest.warns(HonestevalWarning, match="rejects equal models far too often"):
            naive = compare_models(three, **SIZES, test="paired_t").table
        honest = compare_models(three, **SIZES, test="corrected_t").table
        assert (naive["p_value"] < honest["p_value"]).all()


class TestWhatResultsMayBe:
    def test_cross_validate(self):
        results = cross_validated(RepeatedKFold(n_splits=5, n_repeats=3, random_state=0))
        comparison = compare_models(results)
        assert comparison.n_units == 15
        assert comparison.ratio == pytest.approx(12 / 48)
        assert comparison.notes == ()
        by_hand = compare_models(
            {name: result["test_score"] for name, result in results.items()}, n_train=48, n_test=12
        )
        pd.testing.assert_frame_equal(comparison.table, by_hand.table)
        assert "could not be checked" in by_hand.notes[0]

    def test_several_metrics(self):
        results = cross_validated(KFold(5), scoring=["r2", "neg_mean_absolute_error"])
        with pytest.raises(ValueError, match="metric must be one of 'r2', 'neg_mean_absolute"):
            compare_models(results)
        comparison = compare_models(results, metric="neg_mean_absolute_error")
        first = results["alpha 1"]["test_neg_mean_absolute_error"]
        np.testing.assert_array_equal(comparison.scores["alpha 1"], first)

    def test_nested_results(self, three):
        cv = RepeatedKFold(n_splits=5, n_repeats=5, random_state=0)
        results = {name: nested_result(scores, cv) for name, scores in three.items()}
        comparison = compare_models(results)
        pd.testing.assert_frame_equal(comparison.table, compare_models(three, **SIZES).table)
        other = compare_models(results, metric="other")
        assert other.table.loc[0, "score_a"] == pytest.approx(
            1 + comparison.table.loc[0, "score_a"]
        )

    def test_series_with_a_plain_index_hold_folds(self, three):
        frame = pd.DataFrame(three)
        comparison = compare_models({name: frame[name] for name in frame}, **SIZES)
        assert comparison.unit == "folds"
        pd.testing.assert_frame_equal(comparison.table, compare_models(three, **SIZES).table)

    def test_tasks_may_be_named_like_keys_of_cross_validate(self):
        tasks = {
            "a": {f"test_{i}": i / 9 for i in range(9)},
            "b": {f"test_{i}": (i / 9) ** 2 for i in range(9)},
        }
        assert compare_models(tasks).unit == "tasks"

    def test_undefined_folds_are_left_out_for_every_model_and_named(self, three):
        scores = {name: values.copy() for name, values in three.items()}
        scores["svm"][4] = np.nan
        comparison = compare_models(scores, **SIZES)
        assert comparison.n_units == 24
        assert any("fold 4: left out" in note for note in comparison.notes)

    def test_tasks_without_a_score_are_named(self):
        tasks = {"a": {f"t{i}": i / 10 for i in range(8)}, "b": {f"t{i}": 0.1 for i in range(7)}}
        comparison = compare_models(tasks)
        assert comparison.n_units == 7
        assert "task t7: left out" in comparison.notes[0]

    def test_many_models_get_a_note_on_the_best_of_them(self, three):
        note = compare_models(three, **SIZES).notes[-1]
        assert "best of 3 equally good models scores on average 0.85 standard errors" in note
        two = {name: three[name] for name in ("svm", "tree")}
        assert not any("best of" in note for note in compare_models(two, **SIZES).notes)

    def test_few_folds_get_a_note(self, three):
        few = {name: scores[:10] for name, scores in three.items()}
        assert any("little power" in note for note in compare_models(few, **SIZES).notes)
        assert not any("little power" in note for note in compare_models(three, **SIZES).notes)


class TestRefuses:
    def test_different_numbers_of_folds(self):
        with pytest.raises(ValueError, match="different folds: a has 5, b has 10"):
            compare_models({"a": np.ones(5), "b": np.ones(10)}, **SIZES)

    def test_different_test_rows(self):
        one = cross_validated(KFold(5, shuffle=True, random_state=0))
        two = cross_validated(KFold(5, shuffle=True, random_state=1))
        with pytest.raises(ValueError, match="test rows of fold 0 differ"):
            compare_models({"a": one["alpha 1"], "b": two["alpha 1"]})

    def test_different_training_sizes(self):
        one = cross_validated(ShuffleSplit(5, train_size=30, test_size=10, random_state=0))
        results = {"a": one["alpha 1"], "b": dict(one["alpha 1000"])}
        indices = results["b"]["indices"]
        results["b"]["indices"] = {
            "train": [rows[:20] for rows in indices["train"]],
            "test": indices["test"],
        }
        with pytest.raises(ValueError, match="different numbers of rows"):
            compare_models(results)

    def test_pooled_tasks(self):
        with pytest.raises(ValueError, match="several tasks cannot be pooled"):
            compare_models({"a": {"t": [0.1, 0.2]}, "b": {"t": [0.2, 0.3]}})
        with pytest.raises(ValueError, match="one task at a time"):
            compare_models({"a": np.ones((5, 12)), "b": np.ones((5, 12))}, **SIZES)

    def test_folds_put_together_from_several_data_sets(self):
        small, large = (cross_validated(KFold(5), n=n) for n in (40, 100))
        pooled = {
            name: {
                "test_score": np.r_[small[name]["test_score"], large[name]["test_score"]],
                "indices": {
                    part: [*small[name]["indices"][part], *large[name]["indices"][part]]
                    for part in ("train", "test")
                },
            }
            for name in small
        }
        with pytest.raises(ValueError, match="come from several data sets"):
            compare_models(pooled)

    @pytest.mark.parametrize(
        ("results", "change", "message"),
        [
            ({"a": [1, 2]}, SIZES, "at least 2 models"),
            ([[1, 2], [1, 3]], SIZES, "must map the names"),
            ({"a": [1, 2], "b": [1, 3]}, {}, "n_train and n_test are needed"),
            ({"a": [1], "b": [2]}, SIZES, "at least 2 folds"),
            ({"a": [1, 2], "b": [1, 3]}, SIZES | {"test": "friedman"}, "share training rows"),
            ({"a": [1, 2], "b": [1, 3]}, SIZES | {"reference": "c"}, "reference must be one of"),
            ({"a": [1, 2], "b": [1, 3]}, SIZES | {"groups": [1, 2]}, "give y and predictions"),
            ({"a": [1, 2], "b": [1, 3]}, SIZES | {"test": "t"}, "test must be one of"),
            ({"a": [1, 2], "b": [1, 3]}, {"y": [0, 1], "test": "tukey"}, "With y use 'auto'"),
            ({"a": [1, 2], "b": [1, np.inf]}, SIZES, "'b' are infinite in fold 1"),
            ({"a": [1, 2], "b": [1, 2j]}, SIZES, "'b' must be numeric"),
            ({"a": [1, 2], "b": ["x", "y"]}, SIZES, "'b' must be numeric"),
            ({"a": [1, 2]}, {"y": [0, 1]}, "at least 2 models to their predictions"),
            ({"a": {"t": 1}, "b": {"t": 2}}, {}, "Only 1 tasks"),
            (
                {"a": dict.fromkeys("tuvwx", 1), "b": dict.fromkeys("tuvwx", 2)},
                {"test": "tukey"},
                "one score per task",
            ),
        ],
    )
    def test_what_does_not_fit(self, results, change, message):
        with pytest.raises(ValueError, match=message):
            compare_models(results, **change)


class TestConclusions:
    def test_better_equivalent_and_undecided(self, three):
        random = np.random.default_rng(5)
        others = {
            "twin": three["svm"] + random.normal(0, 1e-4, 25),
            "vague": three["svm"] + random.normal(0.01, 0.1, 25),
        }
        result = compare_models(three | others, **SIZES, test="corrected_t")
        found = result.table.set_index(["a", "b"])["conclusion"]
        assert found[("svm", "tree")] == "svm better"
        assert found[("svm", "twin")] == "equivalent"
        assert found[("svm", "vague")] == "undecided"

    def test_direction_for_errors(self, three):
        result = compare_models(three, **SIZES, greater_is_better=False)
        assert (
            result.table.set_index(["a", "b"]).loc[("svm", "tree"), "conclusion"] == "tree better"
        )

    @given(seed=st.integers(0, 500), k=st.integers(2, 3))
    @settings(max_examples=6, deadline=None)
    def test_order_of_folds_and_identical_models(self, seed, k):
        scores = make_scores({f"m{i}": 0.01 * i for i in range(k)}, n=12, seed=seed)
        scores["copy"] = scores["m0"]
        order = np.random.default_rng(seed).permutation(12)
        result = compare_models(scores, **SIZES).table.set_index(["a", "b"])
        shuffled = compare_models({m: s[order] for m, s in scores.items()}, **SIZES).table
        np.testing.assert_allclose(shuffled["p_value"], result["p_value"], rtol=1e-6)
        same = result.loc[("m0", "copy")]
        assert (same.difference, same.p_value, same.p_adjusted) == (0.0, 1.0, 1.0)
        assert (same.p_equivalent, same.conclusion) == (1.0, "equivalent")
        assert result[["p_value", "p_adjusted", "p_equivalent"]].ge(0).all(axis=None)
        assert result[["p_value", "p_adjusted", "p_equivalent"]].le(1 + 1e-12).all(axis=None)

    def test_reads_well(self, three):
        result = compare_models(three, **SIZES)
        text = result.summary()
        assert "over 25 folds: fold scores share training rows" in text
        assert "svm - tree: +0." in text
        assert "Note: that svm, forest, tree used the same folds" in text
        html = result._repr_html_()
        assert "<table" in html
        assert "<li>" in html
        frame = result.to_frame()
        frame.loc[0, "p_value"] = -1
        assert result.table.loc[0, "p_value"] >= 0


class TestDisplays:
    def test_intervals_and_folds(self, three):
        import matplotlib.pyplot as plt

        comparison = compare_models(three, **SIZES)
        intervals = SimultaneousIntervalsDisplay.from_comparison(comparison)
        assert intervals.plot() is intervals
        assert [tick.get_text() for tick in intervals.ax_.get_yticklabels()][2] == "forest - tree"
        assert "simultaneous 95%" in intervals.ax_.get_xlabel()
        _, ax = plt.subplots()
        folds = PairedFoldsDisplay.from_comparison(comparison).plot(ax)
        assert folds.ax_ is ax
        assert len(ax.lines) == 25 + 1
        np.testing.assert_allclose(ax.lines[-1].get_ydata(), comparison.scores.mean())
        plt.close("all")

    def test_single_intervals_are_named_so(self, three):
        comparison = compare_models(three, **SIZES, test="corrected_t")
        assert not SimultaneousIntervalsDisplay.from_comparison(comparison).simultaneous

    def test_critical_difference(self, three):
        import matplotlib.pyplot as plt

        tasks = {
            name: {f"t{i}": value for i, value in enumerate(scores)}
            for name, scores in three.items()
        }
        display = CriticalDifferenceDisplay.from_comparison(compare_models(tasks)).plot()
        texts = [text.get_text() for text in display.ax_.texts]
        assert any(text.startswith("forest (1.") for text in texts)
        assert any("critical difference" in text for text in texts)
        with pytest.raises(ValueError, match="Use SimultaneousIntervalsDisplay"):
            CriticalDifferenceDisplay.from_comparison(compare_models(three, **SIZES))
        plt.close("all")


@pytest.mark.slow
class TestTypeIError:
    """Equally informative disjoint feature sets (nominal level .05, at most .08 allowed)."""

    @staticmethod
    def _data(seed, n=100, n_models=2):
        random = np.random.default_rng(seed)
        X = random.normal(size=(n, 5 * n_models))
        y = X @ np.full(5 * n_models, 0.4) + random.normal(size=n)
        return np.split(X, n_models, axis=1), y

    def _rejects(self, seed, cv, n_models=2, **options):
        parts, y = self._data(seed, n_models=n_models)
        splits = list(cv.split(y))
        scores = {
            f"model {number}": [_ridge_mse(part, y, train, test) for train, test in splits]
            for number, part in enumerate(parts)
        }
        sizes = {"n_train": len(splits[0][0]), "n_test": len(splits[0][1])}
        return (compare_models(scores, **sizes, **options).table["p_adjusted"] <= 0.05).any()

    def _rejects_on_hold_out(self, seed, metric):
        parts, y = self._data(seed, n=300)
        y = (y > 0).astype(int)
        train, test = np.arange(240), np.arange(240, 300)
        predictions = {}
        for number, part in enumerate(parts):
            score = _ridge_prediction(part, 2 * y - 1, train, test)
            predictions[f"model {number}"] = (score > 0) * 1 if metric == "accuracy" else score
        table = compare_models(predictions, y=y[test], metric=metric).table
        return table.loc[0, "p_adjusted"] <= 0.05

    @pytest.mark.parametrize(
        ("cv", "n_models"),
        [
            (RepeatedKFold(n_splits=5, n_repeats=5, random_state=0), 2),
            (RepeatedKFold(n_splits=10, n_repeats=3, random_state=0), 2),
            (KFold(10, shuffle=True, random_state=0), 2),
            (RepeatedKFold(n_splits=5, n_repeats=2, random_state=0), 3),
        ],
        ids=["5 x 5", "3 x 10", "1 x 10", "2 x 5, three models at once"],
    )
    def test_default_over_folds_holds_its_level(self, cv, n_models, n_simulations):
        n = n_simulations(100 if n_models == 2 else 25)
        rejected = np.mean([self._rejects(seed, cv, n_models) for seed in range(n)])
        assert rejected <= 0.08 + 2 * np.sqrt(0.08 * 0.92 / n)

    @pytest.mark.parametrize("metric", ["roc_auc", "accuracy"])
    def test_default_on_a_hold_out_set_holds_its_level(self, metric, n_simulations):
        n = n_simulations(150)
        rejected = np.mean([self._rejects_on_hold_out(seed, metric) for seed in range(n)])
        assert rejected <= 0.08 + 2 * np.sqrt(0.08 * 0.92 / n)

    @pytest.mark.filterwarnings("ignore::honesteval.exceptions.HonestevalWarning")
    def test_naive_paired_t_does_not(self, n_simulations):
        cv = RepeatedKFold(n_splits=5, n_repeats=5, random_state=0)
        n = n_simulations(60)
        rejected = [self._rejects(seed, cv, test="paired_t") for seed in range(n)]
        assert np.mean(rejected) > 0.25


def _ridge_prediction(X, y, train, test):
    A = X[train]
    return X[test] @ np.linalg.solve(A.T @ A + np.eye(A.shape[1]), A.T @ y[train])


def _ridge_mse(X, y, train, test):
    return -np.mean((y[test] - _ridge_prediction(X, y, train, test)) ** 2)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_data_frame_has_a_column_per_model(library):
    frame = pd.DataFrame if library == "pandas" else pytest.importorskip("polars").DataFrame
    rng = np.random.default_rng(0)
    scores = {name: rng.normal(level, 0.05, 10) for name, level in {"a": 0.7, "b": 0.8}.items()}
    sizes = {"n_train": 80, "n_test": 20}
    expected = compare_models(scores, **sizes).to_frame()
    pd.testing.assert_frame_equal(compare_models(frame(scores), **sizes).to_frame(), expected)
    y = rng.integers(0, 2, 60)
    predictions = {"a": rng.random(60), "b": y + rng.random(60)}
    expected = compare_models(predictions, y=y).to_frame()
    pd.testing.assert_frame_equal(compare_models(frame(predictions), y=y).to_frame(), expected)


def test_rows_of_a_data_frame_that_are_named_are_tasks():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.random((8, 2)), columns=["a", "b"], index=list("stuvwxyz"))
    assert compare_models(table).unit == "tasks"
    table.columns = ["a", "a"]
    with pytest.raises(ValueError, match=r"'a'.* occur more than once"):
        compare_models(table)
