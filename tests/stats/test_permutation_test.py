"""Permutation tests: known p-values, rules for groups, determinism, whole procedures."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from scipy.integrate import quad
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import Ridge
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    StratifiedGroupKFold,
    cross_val_score,
    permutation_test_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from honesteval.exceptions import HonestevalWarning
from honesteval.stats import permutation_p_value, permutation_test
from honesteval.stats._exchangeability import plan_label_permutation


class TestPValue:
    def test_known_answers(self):
        assert permutation_p_value(5, 100) == pytest.approx(6 / 101, abs=1e-15)
        assert permutation_p_value(5, 100, n_distinct=70) == pytest.approx(0.0522635, abs=5e-8)

    @pytest.mark.parametrize(("b", "m"), [(0, 99), (5, 100), (40, 1000)])
    def test_integral_continues_the_sum(self, b, m):
        n_distinct = 20_000
        shares = np.arange(1, n_distinct + 1) / n_distinct
        summed = scipy_stats.binom.cdf(b, m, shares).mean()
        assert permutation_p_value(b, m, n_distinct=n_distinct) == pytest.approx(summed, rel=1e-5)
        left_out = quad(lambda p: scipy_stats.binom.cdf(b, m, p), 0, 0.5 / n_distinct)[0]
        assert permutation_p_value(b, m, n_distinct=n_distinct) == pytest.approx(
            (b + 1) / (m + 1) - left_out, rel=1e-12
        )

    @given(m=st.integers(1, 2000), share=st.floats(0, 1), n_distinct=st.integers(2, 10**7))
    @settings(max_examples=60, deadline=None)
    def test_is_a_probability_and_exact_is_never_above_simple(self, m, share, n_distinct):
        b = round(share * m)
        exact = permutation_p_value(b, m, n_distinct=n_distinct)
        assert 0 < exact <= 1
        assert exact <= permutation_p_value(b, m) + 1e-12

    def test_infinitely_many_relabellings_give_the_simple_one(self):
        assert permutation_p_value(3, 10, n_distinct=math.inf) == permutation_p_value(3, 10)

    @pytest.mark.parametrize(("b", "m"), [(-1, 10), (11, 10), (0, 0), (1.5, 10)])
    def test_refuses_counts_out_of_range(self, b, m):
        with pytest.raises(ValueError, match="must be an integer"):
            permutation_p_value(b, m)


def grouped_labels(random, n_groups=24, size=8):
    groups = np.repeat(np.arange(n_groups), size)
    return groups, random.permutation(np.arange(n_groups) % 2)[groups]


def group_constant_draws():
    return st.lists(st.integers(0, 3), min_size=4, max_size=30).filter(lambda v: len(set(v)) > 1)


class TestWhatIsExchanged:
    def test_rows_without_groups(self):
        plan = plan_label_permutation([0, 0, 1, 1, 1])
        assert (plan.how, plan.n_units, plan.n_distinct) == ("rows", 5, 10)

    def test_rows_when_every_group_has_one_row(self):
        assert plan_label_permutation([0, 1, 1], groups=list("abc")).how == "rows"

    def test_whole_groups_when_y_is_constant_inside(self):
        plan = plan_label_permutation([0, 0, 1, 1, 1, 2], groups=list("aabbbc"))
        assert (plan.how, plan.n_units, plan.n_distinct) == ("groups", 3, 6)

    def test_refuses_when_y_varies_inside(self):
        with pytest.raises(ValueError, match=r"varies inside 1 of 2 groups.*permute='within'"):
            plan_label_permutation([0, 1, 1, 1], groups=[0, 0, 1, 1])
        with pytest.raises(ValueError, match="varies inside"):
            plan_label_permutation([0, 1, 1, 1], groups=[0, 0, 1, 1], permute="groups")

    def test_within_groups_only_when_asked_for(self):
        plan = plan_label_permutation(
            [0, 1, 1, 0, 0, 1], groups=[0, 0, 0, 1, 1, 1], permute="within"
        )
        assert (plan.how, plan.n_units, plan.n_distinct) == ("within", 2, 9)

    def test_refuses_within_when_it_changes_nothing(self):
        with pytest.raises(ValueError, match="p is always 1"):
            plan_label_permutation([0, 0, 1, 1], groups=[0, 0, 1, 1], permute="within")

    def test_refuses_rows_that_ignore_groups(self):
        with pytest.raises(ValueError, match="rejects far too often"):
            plan_label_permutation([0, 0, 1, 1], groups=[0, 0, 1, 1], permute="rows")

    def test_refuses_constant_labels_missing_groups_and_unknown_options(self):
        with pytest.raises(ValueError, match="y is constant"):
            plan_label_permutation([1, 1, 1])
        with pytest.raises(ValueError, match="missing labels in row 1"):
            plan_label_permutation([0, 1, 1], groups=["a", None, "b"])
        with pytest.raises(ValueError, match="needs groups"):
            plan_label_permutation([0, 1], permute="groups")
        with pytest.raises(ValueError, match="Did you mean 'within'"):
            plan_label_permutation([0, 1], permute="withn")

    def test_missing_labels_equal_each_other_and_columns_move_together(self):
        y = np.array([[np.nan, 1], [np.nan, 1], [0, np.nan], [0, np.nan]])
        assert plan_label_permutation(y, groups=[5, 5, 6, 6]).how == "groups"
        assert plan_label_permutation(y).n_distinct == 6

    def test_huge_counts_are_infinite(self):
        assert math.isinf(plan_label_permutation(np.arange(200)).n_distinct)
        rare = np.arange(10**6) == 3
        assert plan_label_permutation(rare).n_distinct == 10**6

    @given(labels=group_constant_draws(), seed=st.integers(0, 1000), data=st.data())
    @settings(max_examples=40, deadline=None)
    def test_groups_keep_one_label_and_exchange_them(self, labels, seed, data):
        sizes = data.draw(st.lists(st.integers(1, 4), min_size=len(labels), max_size=len(labels)))
        groups = np.repeat(np.arange(len(labels)), sizes)
        shuffled = np.random.default_rng(seed).permutation(len(groups))
        groups, y = groups[shuffled], np.asarray(labels)[groups[shuffled]]
        plan = plan_label_permutation(y, groups)
        drawn = y[plan.draw(np.random.default_rng(seed))]
        per_group = [np.unique(drawn[groups == group]) for group in range(len(labels))]
        assert all(len(values) == 1 for values in per_group)
        assert sorted(np.concatenate(per_group)) == sorted(labels)

    @given(seed=st.integers(0, 1000), n=st.integers(6, 40))
    @settings(max_examples=40, deadline=None)
    def test_within_keeps_every_group_s_labels(self, seed, n):
        random = np.random.default_rng(seed)
        groups, y = random.integers(3, size=n), np.arange(n)
        plan = plan_label_permutation(y, np.r_[groups, 0, 0][:n], permute="within")
        positions = plan.draw(random)
        assert sorted(positions) == list(range(n))
        assert (groups[positions] == groups).all()

    def test_every_relabelling_is_equally_likely(self):
        y, groups = np.array([0, 1, 1, 0, 0]), np.array([0, 1, 1, 2, 2])
        plan = plan_label_permutation(y, groups)
        random = np.random.default_rng(0)
        seen = [tuple(y[plan.draw(random)]) for _ in range(3000)]
        distinct, counts = np.unique(seen, axis=0, return_counts=True)
        assert len(distinct) == plan.n_distinct == 3
        assert scipy_stats.chisquare(counts).pvalue > 1e-3


FEW = {"n_permutations": 4, "alpha": 0.2, "random_state": 0}


def signal(n=60, seed=0, effect=1.5):
    random = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = random.normal(size=(n, 4))
    X[:, 0] += effect * y
    return X, y


class TestPermutationTest:
    def test_rejects_on_a_signal_and_not_without(self):
        X, y = signal()
        model = GaussianNB()
        found = permutation_test(model, X, y, n_permutations=19, random_state=0)
        assert found.p_value == found.p_value_exact == 0.05
        assert found.score == pytest.approx(cross_val_score(model, X, y).mean())
        nothing = permutation_test(model, X[:, 1:], y, n_permutations=19, random_state=0)
        assert nothing.p_value > 0.1

    def test_same_seed_same_answer_for_any_n_jobs(self):
        X, y = signal(30)
        results = [
            permutation_test(
                make_pipeline(SelectKBest(k=2), GaussianNB()),
                X, y, n_permutations=6, alpha=0.2, n_jobs=n_jobs, random_state=3,
                stop_after=stop_after,
            )
            for n_jobs, stop_after in [(1, None), (1, 6), (2, 6)]
        ]  # fmt: skip
        for result in results[1:]:
            np.testing.assert_array_equal(result.permuted_scores, results[0].permuted_scores)

    def test_open_random_states_are_seeded(self):
        from sklearn.ensemble import RandomForestClassifier

        X, y = signal(24)
        forest = make_pipeline(RandomForestClassifier(n_estimators=3))
        cv = KFold(3, shuffle=True)
        first, second = (permutation_test(forest, X, y, cv=cv, **FEW) for _ in range(2))
        np.testing.assert_array_equal(first.permuted_scores, second.permuted_scores)
        assert first.score == second.score
        assert forest[0].random_state is None
        assert cv.random_state is None

    def test_every_form_of_random_state(self):
        X, y = signal(24)
        options = {"cv": KFold(3), "n_permutations": 19}
        by_seed, by_generator, again = (
            permutation_test(Ridge(), X, y, random_state=state, **options).permuted_scores
            for state in (0, np.random.default_rng(0), np.random.default_rng(0))
        )
        np.testing.assert_array_equal(by_generator, again)
        assert not np.array_equal(by_seed, by_generator)

    def test_groups_constant_inside_where_scikit_learn_permutes_within(self):
        random = np.random.default_rng(0)
        groups, y = grouped_labels(random)
        X = random.normal(size=(len(y), 3))
        X[:, 0] += 2 * y
        cv, model = GroupKFold(4), GaussianNB()
        theirs = permutation_test_score(
            model, X, y, groups=groups, cv=cv, n_permutations=19, random_state=0
        )[2]
        ours = permutation_test(
            model, X, y, groups=groups, cv=cv, n_permutations=19, random_state=0
        )
        assert theirs == 1.0
        assert (ours.p_value, ours.permuted, ours.n_units) == (0.05, "groups", 24)

    def test_default_folds_keep_groups_together(self):
        random = np.random.default_rng(1)
        groups, y = grouped_labels(random, 10, 3)
        result = permutation_test(
            GaussianNB(), random.normal(size=(30, 2)), y, groups=groups, **FEW
        )  # fmt: skip
        assert "StratifiedGroupKFold" in result.statistic

    def test_pandas_labels_stay_on_their_rows_index(self):
        frame = pd.DataFrame({"x": np.arange(30.0)}, index=np.arange(100, 130))
        y = pd.Series(np.arange(30.0), index=frame.index, name="target")

        def aligned_correlation(X, y):
            return frame["x"].corr(y)

        result = permutation_test(aligned_correlation, frame, y, n_permutations=39, random_state=0)
        assert result.score == pytest.approx(1.0)
        assert np.abs(result.permuted_scores).max() < 0.9
        assert y.tolist() == list(range(30))

    def test_fixed_scores_with_a_metric(self):
        random = np.random.default_rng(0)
        y = np.arange(80) % 2
        score = random.normal(size=80) + y
        result = permutation_test(
            lambda score, y: roc_auc_score(y, score), score, y, n_permutations=199, random_state=0
        )
        assert result.p_value < 0.01
        assert result.permuted_scores.mean() == pytest.approx(0.5, abs=0.02)

    def test_lower_is_better_for_an_error(self):
        y = np.arange(40) % 2
        result = permutation_test(
            lambda X, y: np.mean(y != X), y.copy(), y, greater_is_better=False, n_permutations=99,
            random_state=0,
        )  # fmt: skip
        assert (result.score, result.p_value) == (0.0, 0.01)
        assert "as low or better" in result.summary()

    def test_nested_search_gets_its_groups(self):
        random = np.random.default_rng(0)
        groups, y = grouped_labels(random, 12, 3)
        search = GridSearchCV(
            GaussianNB(), {"var_smoothing": [1e-9, 0.1]}, cv=StratifiedGroupKFold(2)
        )
        result = permutation_test(
            search, random.normal(size=(36, 2)), y, groups=groups, cv=GroupKFold(3),
            fit_params={"groups": groups}, **FEW,
        )  # fmt: skip
        assert 0 < result.p_value <= 1

    def test_reads_well(self):
        X, y = signal()
        result = permutation_test(GaussianNB(), X, y, **FEW)
        assert "0 of 4 permutations score as high or better: p = 0.2" in result.summary()
        frame = result.to_frame()
        assert frame.loc[0, "p_value"] == result.p_value
        assert "<table" in result._repr_html_()


class TestWholeProcedure:
    @staticmethod
    def _task():
        """The Elements of Statistical Learning, 7.10.2: 5,000 noise features, 1-NN."""
        random = np.random.default_rng(0)
        return random.normal(size=(50, 5000)), np.arange(50) % 2

    def test_permuting_after_selection_cannot_show_the_leak(self):
        X, y = self._task()
        chosen = SelectKBest(f_classif, k=100).fit_transform(X, y)
        result = permutation_test(
            KNeighborsClassifier(1), chosen, y, cv=KFold(5, shuffle=True), n_permutations=99,
            random_state=0,
        )  # fmt: skip
        assert result.score >= 0.9
        assert result.p_value == 0.01

    def test_whole_procedure_shows_it(self):
        def select_then_validate(X, y):
            chosen = SelectKBest(f_classif, k=100).fit_transform(X, y)
            return cross_val_score(KNeighborsClassifier(1), chosen, y).mean()

        X, y = self._task()
        result = permutation_test(
            select_then_validate, X, y, n_permutations=9, alpha=0.1, random_state=0
        )
        assert result.score >= 0.9
        assert result.p_value > 0.05

    def test_selection_inside_the_folds_scores_at_chance(self):
        X, y = self._task()
        inside = make_pipeline(SelectKBest(f_classif, k=100), KNeighborsClassifier(1))
        result = permutation_test(inside, X, y, **FEW)
        assert 0.3 < result.score < 0.7
        assert result.p_value > 0.05


class TestStoppingEarly:
    @staticmethod
    def _draw(random, p, stop_after=10, cap=1000):
        from honesteval.stats._permutation import _count_until
        from honesteval.stats._permutation_procedure import Scored

        draws = (Scored(value) for value in random.random(cap))
        scored, n_exceeding = _count_until(draws, 1 - p, True, stop_after)
        return len(scored), n_exceeding

    @pytest.mark.parametrize(("p", "mean"), [(0.5, 20), (0.1, 101), (0.01, 875), (0.0005, 1000)])
    def test_mean_number_of_draws(self, p, mean):
        random = np.random.default_rng(0)
        drawn = [self._draw(random, p)[0] for _ in range(150)]
        standard_error = np.std(drawn) / np.sqrt(len(drawn))
        assert np.mean(drawn) == pytest.approx(mean, abs=4 * standard_error + 1)

    def test_p_is_h_over_l_when_stopped(self):
        X, y = signal(effect=0)
        result = permutation_test(
            Ridge(), X, y, cv=KFold(3), stop_after=5, n_permutations=500, random_state=0
        )
        assert result.stopped_early
        assert result.n_exceeding == 5
        assert result.n_permutations == len(result.permuted_scores) < 500
        assert result.p_value == 5 / result.n_permutations
        assert result.p_value_exact is None
        assert "stopped early" in result.summary()

    def test_runs_to_the_cap_on_a_signal(self):
        X, y = signal(effect=3)
        result = permutation_test(
            Ridge(), X, y, cv=KFold(3), stop_after=5, n_permutations=39, random_state=0
        )
        assert not result.stopped_early
        assert result.p_value == 1 / 40


class TestErrorsAndWarnings:
    def test_warns_when_alpha_cannot_be_reached(self):
        X, y = signal(20)
        with pytest.warns(HonestevalWarning, match="at least n_permutations=19"):
            permutation_test(Ridge(), X, y, n_permutations=18, random_state=0)
        groups = np.repeat(np.arange(4), 5)
        with pytest.warns(HonestevalWarning, match="only 6 distinct relabellings"):
            permutation_test(
                lambda X, y: X[:, 0] @ y, X, groups % 2, groups=groups, n_permutations=50,
                random_state=0,
            )  # fmt: skip

    def test_is_silent_when_it_can(self):
        X, y = signal(20)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            permutation_test(Ridge(), X, y, n_permutations=19, random_state=0)

    def test_failed_permutations_are_counted_against_the_claim(self):
        def fragile(X, y):
            if y[0] == 1:
                raise RuntimeError("no positives left")
            return X @ y

        y = np.r_[np.zeros(10), np.ones(10)]
        with pytest.warns(HonestevalWarning, match="permutations failed"):
            result = permutation_test(fragile, y.copy(), y, n_permutations=99, random_state=0)
        assert result.n_failed == result.n_exceeding == np.isnan(result.permuted_scores).sum() > 20
        assert result.failures == {"RuntimeError: no positives left": result.n_failed}
        assert "failed and count" in result.summary()

    def test_raises_when_all_permutations_or_the_observed_score_fail(self):
        y = np.arange(10.0)
        with pytest.raises(ValueError, match="Every permutation failed"):
            permutation_test(
                lambda X, y: 1.0 if (y == X).all() else np.nan, y, y, n_permutations=30,
                random_state=0,
            )  # fmt: skip
        with pytest.raises(ValueError, match="observed score is undefined"):
            permutation_test(lambda X, y: np.nan, y, y, n_permutations=30)

    def test_folds_without_a_defined_score_are_counted(self):
        X, y = signal(24)
        y = np.sort(y)
        cv = [(np.arange(4, 24), np.arange(4)), (np.r_[0:8, 16:24], np.arange(8, 16))]
        result = permutation_test(GaussianNB(), X, y, cv=cv, scoring="roc_auc", **FEW)
        assert result.n_undefined_folds >= 1
        assert "no defined score" in result.summary()

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"cv": 3}, "cv belongs to an estimator"),
            ({"scoring": "r2"}, "scoring belongs to an estimator"),
            ({"engine": "linear"}, "callable procedure has to be repeated"),
            ({"stop_after": 50}, "stop_after must be an integer in"),
            ({"alpha": 1.0}, "alpha must be a number in"),
            ({"engine": "fast"}, "engine must be one of"),
        ],
    )
    def test_refuses(self, change, message):
        with pytest.raises(ValueError, match=message):
            permutation_test(
                lambda X, y: X @ y, np.arange(9), np.arange(9), n_permutations=19, **change
            )

    def test_refuses_what_is_neither_estimator_nor_callable(self):
        with pytest.raises(ValueError, match="must be an estimator with fit, or a callable"):
            permutation_test("ridge", np.arange(9), np.arange(9), n_permutations=19)
        with pytest.raises(ValueError, match="must return one number"):
            permutation_test(lambda X, y: X, np.arange(9), np.arange(9), n_permutations=19)
        with pytest.raises(ValueError, match="always greater is better"):
            permutation_test(Ridge(), np.ones((9, 1)), np.arange(9), greater_is_better=False)


@pytest.mark.slow
class TestTypeIError:
    """24 groups of 8 rows that resemble each other, labels unrelated to X (level .05)."""

    @staticmethod
    def _rejects(random, splitter, exchange_groups):
        groups, y = grouped_labels(random)
        X = random.normal(size=(24, 5))[groups] + 0.3 * random.normal(size=(len(groups), 5))
        splits = splitter.split(X, y, groups if isinstance(splitter, GroupKFold) else None)
        result = permutation_test(
            KNeighborsClassifier(3), X, y, groups=groups if exchange_groups else None,
            cv=list(splits), n_permutations=99, random_state=int(random.integers(2**31)),
        )  # fmt: skip
        return result.p_value <= 0.05

    @pytest.mark.parametrize(
        ("splitter", "row_level"),
        [(GroupKFold(4), 0.217), (KFold(4, shuffle=True, random_state=0), 0.944)],
        ids=["grouped folds", "leaky folds"],
    )
    def test_group_level_holds_its_level_where_rows_do_not(
        self, splitter, row_level, n_simulations
    ):
        random = np.random.default_rng(0)
        n = n_simulations(30)
        whole, rows = (
            np.mean([self._rejects(random, splitter, exchange) for _ in range(n)])
            for exchange in (True, False)
        )
        assert whole <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / n)
        assert rows > row_level / 2
