"""What every splitter has to be for scikit-learn, whatever it splits by.

A new splitter is one more entry of ``CASES``.
"""

import copy
import pickle
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import StackingClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFECV
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    BaseCrossValidator,
    GridSearchCV,
    HalvingGridSearchCV,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_validate,
    learning_curve,
)
from sklearn.naive_bayes import BernoulliNB

from honesteval.datasets import load_nav17
from honesteval.entities import parse_molecules
from honesteval.model_selection import (
    BlockedTimeSeriesKFold,
    DeploymentKFold,
    LeadOptimizationSplit,
    RepeatedSimilarityGroupKFold,
    SimilarityGroupKFold,
    SimilarityGroupShuffleSplit,
    SimilarityPairKFold,
)

# parts of a small set cannot always be matched to the same deployment
pytestmark = pytest.mark.filterwarnings("ignore:The folds do not match")

N = 80
NAV17 = load_nav17()
ROWS = np.random.default_rng(0).permutation(N)
SMILES, PIC50 = NAV17.data[ROWS], NAV17.target[ROWS]
BITS = np.unpackbits(parse_molecules(SMILES).fingerprints(), axis=1)
BITS = BITS[:, BITS.sum(axis=0) >= 6].astype(np.float64)
Y = (np.median(PIC50) < PIC50).astype(int)


PAIRS = np.column_stack([np.arange(N) // 8, np.arange(N) % 8, BITS])  # 10 entities with 8 others


@dataclass(frozen=True)
class Case:
    """A splitter and what it is given.

    ``make(**parameters)`` returns it; ``n_splits`` is what it should announce; ``partitions``
    says whether each row is tested exactly once; ``takes_groups`` whether it looks at groups.
    """

    make: Any
    n_splits: int
    partitions: bool = True
    takes_groups: bool = True
    X: Any = field(default_factory=lambda: BITS, repr=False)
    groups: Any = field(default_factory=lambda: np.arange(N) // 2, repr=False)
    is_seeded: bool = True


LOOSE = {"n_init": 1, "size_tolerance": 0.2, "class_tolerance": 0.4}

CASES = {
    "SimilarityGroupKFold": Case(partial(SimilarityGroupKFold, 3, **LOOSE), 3),
    "SimilarityGroupKFold-threshold": Case(
        partial(SimilarityGroupKFold, 3, threshold=0.95, **LOOSE), 3
    ),
    "SimilarityGroupKFold-identity": Case(
        partial(SimilarityGroupKFold, 3, similarity="identity", **LOOSE), 3
    ),
    "RepeatedSimilarityGroupKFold": Case(
        partial(RepeatedSimilarityGroupKFold, 2, n_repeats=2, **LOOSE), 4, partitions=False
    ),
    "SimilarityGroupShuffleSplit": Case(
        partial(SimilarityGroupShuffleSplit, 3, test_size=0.4, **LOOSE), 3, partitions=False
    ),
    "BlockedTimeSeriesKFold": Case(
        partial(BlockedTimeSeriesKFold, 3, gap=2, embargo=3), 3, is_seeded=False
    ),
    "BlockedTimeSeriesKFold-past": Case(
        partial(BlockedTimeSeriesKFold, 3, past_only=True), 3, partitions=False, is_seeded=False
    ),
    "LeadOptimizationSplit": Case(
        partial(
            LeadOptimizationSplit,
            threshold=0.6,
            min_cluster_size=2,
            test_size=0.3,
            max_left_out=0.5,
        ),
        1,
        partitions=False,
    ),
    "SimilarityPairKFold": Case(
        partial(SimilarityPairKFold, 2, entities={0: "identity", 1: "identity"}, **LOOSE),
        4,
        X=PAIRS,
    ),
    "SimilarityPairKFold-one-side": Case(
        partial(
            SimilarityPairKFold,
            3,
            entities={0: "identity", 1: "identity"},
            unseen=0,
            n_init=1,
            size_tolerance=0.5,
            class_tolerance=0.6,
        ),
        3,
        X=PAIRS,
    ),
    "DeploymentKFold": Case(
        partial(
            DeploymentKFold,
            deploy_similarity=np.linspace(0.3, 0.9, 40),
            n_splits=3,
            size_tolerance=0.2,
            class_tolerance=0.4,
            n_moves=60,
        ),
        3,
    ),
}

every_splitter = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def folds(cv, *arguments, **keywords):
    return [(train.tolist(), test.tolist()) for train, test in cv.split(*arguments, **keywords)]


def groups_of(case):
    return case.groups if case.takes_groups else None


class TestSplitting:
    @every_splitter
    def test_is_a_scikit_learn_splitter(self, case):
        assert isinstance(case.make(), BaseCrossValidator)

    @every_splitter
    def test_rows_are_on_one_side_and_tested_once_where_folds_partition(self, case):
        tested = np.zeros(N, dtype=int)
        for train, test in case.make().split(case.X, Y, groups_of(case)):
            assert train.dtype.kind == test.dtype.kind == "i"
            assert len(train)
            assert len(test)
            assert not set(train) & set(test)
            assert set(train) | set(test) <= set(range(N))
            tested[test] += 1
        if case.partitions:
            assert (tested == 1).all()

    @every_splitter
    def test_number_of_splits_with_and_without_data(self, case):
        cv = case.make()
        assert cv.get_n_splits() == case.n_splits
        assert cv.get_n_splits(case.X, Y, groups_of(case)) == case.n_splits
        assert len(folds(cv, case.X, Y)) == case.n_splits

    @every_splitter
    def test_groups_stay_together(self, case):
        if not case.takes_groups:
            pytest.skip("does not look at groups")
        for train, test in case.make().split(case.X, Y, case.groups):
            assert not set(case.groups[train]) & set(case.groups[test])

    @every_splitter
    @pytest.mark.parametrize(
        ("convert", "convert_y"),
        [
            (lambda X: pd.DataFrame(X, index=np.arange(N)[::-1]),
             lambda y: pd.Series(y, index=np.arange(N)[::-1])),
            (lambda X: pl.from_numpy(np.asarray(X)), pl.Series),
            (sparse.csr_matrix, np.asarray),
            (sparse.csr_array, lambda y: y[:, None]),
            (lambda X: np.asarray(X).tolist(), lambda y: y.tolist()),
        ],
        ids=["pandas", "polars", "csr_matrix", "csr_array", "list"],
    )  # fmt: skip
    def test_any_container_gives_the_same_folds(self, case, convert, convert_y):
        expected = folds(case.make(), case.X, Y)
        assert folds(case.make(), convert(case.X), convert_y(Y)) == expected

    @every_splitter
    def test_nothing_passed_is_modified(self, case):
        X, y, groups = case.X.copy(), Y.copy(), case.groups.copy()
        list(case.make().split(X, y, groups if case.takes_groups else None))
        assert np.array_equal(X, case.X)
        assert np.array_equal(y, Y)
        assert np.array_equal(groups, case.groups)


class TestObject:
    @every_splitter
    def test_repr_names_class_and_parameters(self, case):
        text = repr(case.make())
        assert text.startswith(f"{type(case.make()).__name__}(")
        assert "n_splits=" in text

    @every_splitter
    def test_copies_split_alike(self, case):
        cv = case.make()
        expected = folds(cv, case.X, Y)
        search = clone(GridSearchCV(BernoulliNB(), {"alpha": [1.0]}, cv=cv))
        for other in (pickle.loads(pickle.dumps(cv)), copy.deepcopy(cv), search.cv, cv):
            assert folds(other, case.X, Y) == expected
            assert repr(other) == repr(cv)

    @every_splitter
    def test_an_integer_seed_repeats(self, case):
        if not case.is_seeded:
            pytest.skip("draws nothing")
        assert folds(case.make(random_state=3), case.X) == folds(case.make(random_state=3), case.X)
        with pytest.raises(ValueError, match="random_state"):
            folds(case.make(random_state="three"), case.X)

    @every_splitter
    def test_asks_for_groups_without_a_request(self, case):
        with sklearn.config_context(enable_metadata_routing=True):
            requests = case.make().get_metadata_routing().split.requests
        assert requests.get("groups", False) is case.takes_groups


class TestTools:
    @every_splitter
    @pytest.mark.parametrize("routing", [False, True], ids=["plain", "routing"])
    def test_groups_reach_it(self, case, routing):
        if not case.takes_groups:
            pytest.skip("does not look at groups")
        expected = folds(case.make(), case.X, Y, case.groups)
        with sklearn.config_context(enable_metadata_routing=routing):
            given = {"params": {"groups": case.groups}} if routing else {"groups": case.groups}
            result = cross_validate(
                BernoulliNB(), case.X, Y, cv=case.make(), return_indices=True, **given
            )
            search = GridSearchCV(BernoulliNB(), {"alpha": [1.0, 2.0]}, cv=case.make())
            search.fit(case.X, Y, groups=case.groups)
        assert [test.tolist() for test in result["indices"]["test"]] == [t for _, t in expected]
        assert search.n_splits_ == case.n_splits

    @every_splitter
    def test_halving_grid_search(self, case):
        search = HalvingGridSearchCV(
            BernoulliNB(), {"alpha": [0.5, 1.0, 2.0]}, cv=case.make(), random_state=0,
            min_resources=20,
        )  # fmt: skip
        assert search.fit(case.X, Y).n_splits_ == case.n_splits

    @every_splitter
    def test_recursive_feature_elimination(self, case):
        selector = RFECV(LogisticRegression(), step=0.5, cv=case.make(), min_features_to_select=4)
        assert 4 <= selector.fit(case.X, Y).n_features_ <= case.X.shape[1]

    @every_splitter
    def test_calibration_and_threshold(self, case):
        calibrated = CalibratedClassifierCV(BernoulliNB(), cv=case.make()).fit(case.X, Y)
        assert len(calibrated.calibrated_classifiers_) == case.n_splits
        tuned = TunedThresholdClassifierCV(BernoulliNB(), cv=case.make(), thresholds=5)
        assert 0 <= tuned.fit(case.X, Y).best_threshold_ <= 1

    @every_splitter
    def test_learning_curve(self, case):
        sizes, train, test = learning_curve(
            BernoulliNB(), case.X, Y, cv=case.make(), train_sizes=[0.5, 1.0]
        )
        assert train.shape == test.shape == (2, case.n_splits)
        assert sizes[0] < sizes[1]

    @every_splitter
    def test_out_of_fold_predictions_where_folds_partition(self, case):
        stack = StackingClassifier([("nb", BernoulliNB())], LogisticRegression(), cv=case.make())
        if case.partitions:
            predicted = cross_val_predict(BernoulliNB(), case.X, Y, cv=case.make())
            assert predicted.shape == (N,)
            assert stack.fit(case.X, Y).predict(case.X).shape == (N,)
        else:
            for call in (
                lambda: cross_val_predict(BernoulliNB(), case.X, Y, cv=case.make()),
                lambda: stack.fit(case.X, Y),
            ):
                with pytest.raises(ValueError, match="only works for partitions"):
                    call()

    @every_splitter
    def test_inner_and_outer_loop(self, case):
        inner = GridSearchCV(BernoulliNB(), {"alpha": [0.5, 2.0]}, cv=case.make())
        scores = cross_validate(inner, case.X, Y, cv=case.make(), error_score="raise")
        assert np.isfinite(scores["test_score"]).all()
