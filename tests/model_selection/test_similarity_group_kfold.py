"""SimilarityGroupKFold as a scikit-learn splitter, with every kind of input, and its errors."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import StackingClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import (
    GridSearchCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    permutation_test_score,
)
from sklearn.neighbors import KNeighborsClassifier

from honesteval import HonestevalWarning, InfeasibleSplitError, SimilarityGroupKFold
from honesteval.datasets import load_nav17
from honesteval.entities import parse_molecules

NAV17 = load_nav17()
SMILES = NAV17.data[:120]
POTENT = (NAV17.target[:120] > np.median(NAV17.target[:120])).astype(int)
BITS = np.unpackbits(parse_molecules(SMILES).fingerprints(), axis=1)


def quick(**parameters):
    return SimilarityGroupKFold(3, n_init=1, **parameters)


def folds_of(cv, *arguments, **keywords):
    return [test.tolist() for _, test in cv.split(*arguments, **keywords)]


class TestContract:
    def test_folds_partition_the_rows(self):
        tests = folds_of(quick(), SMILES)
        assert sorted(row for test in tests for row in test) == list(range(120))
        for train, test in quick().split(SMILES):
            assert set(train) | set(test) == set(range(120))
            assert not set(train) & set(test)

    def test_number_of_folds_with_and_without_X(self):
        assert SimilarityGroupKFold(4).get_n_splits() == 4
        assert SimilarityGroupKFold(4).get_n_splits(SMILES, POTENT) == 4

    def test_repr_names_the_parameters(self):
        text = repr(SimilarityGroupKFold(4, threshold=0.6))
        assert text.startswith("SimilarityGroupKFold(")
        assert "n_splits=4" in text
        assert "threshold=0.6" in text

    def test_pickles(self):
        cv = quick(threshold=0.9, random_state=3)
        copy = pickle.loads(pickle.dumps(cv))
        assert folds_of(copy, SMILES) == folds_of(cv, SMILES)

    def test_nothing_passed_is_modified(self):
        X, y = BITS.copy(), POTENT.copy()
        list(quick().split(X, y))
        assert np.array_equal(X, BITS)
        assert np.array_equal(y, POTENT)


class TestInputs:
    @pytest.mark.parametrize(
        "X",
        [
            list(SMILES),
            SMILES,
            SMILES[:, None],
            pd.Series(SMILES, index=np.arange(120)[::-1]),
            pd.DataFrame({"smiles": SMILES}),
        ],
        ids=["list", "array", "column", "series", "frame"],
    )
    def test_smiles_in_any_container_give_the_same_folds(self, X):
        assert folds_of(quick(), X) == folds_of(quick(), SMILES)

    @pytest.mark.parametrize(
        "X",
        [BITS, BITS.astype(float), sparse.csr_array(BITS), sparse.csr_matrix(BITS),
         pd.DataFrame(BITS)],
        ids=["uint8", "float", "csr_array", "csr_matrix", "frame"],
    )  # fmt: skip
    def test_fingerprints_in_any_container_give_the_same_folds(self, X):
        assert folds_of(quick(), X) == folds_of(quick(), BITS.astype(bool))

    def test_a_column_of_a_frame(self):
        frame = pd.DataFrame({"weight": np.arange(120.0), "smiles": SMILES})
        assert folds_of(quick(on="smiles"), frame) == folds_of(quick(), SMILES)
        with pytest.raises(ValueError, match="has the columns"):
            folds_of(quick(on="smile"), frame)
        with pytest.raises(ValueError, match="without named columns"):
            folds_of(quick(on="smiles"), BITS)

    def test_entities_as_groups(self):
        cv = quick(on="groups")
        assert folds_of(cv, BITS * 0.5, None, SMILES) == folds_of(quick(), SMILES)
        with pytest.raises(ValueError, match="no groups were passed"):
            folds_of(cv, BITS)

    def test_precomputed(self):
        matrix = np.kron(np.eye(3), np.ones((4, 4)))
        tests = folds_of(quick(similarity="precomputed"), matrix)
        assert sorted(tests) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]

    def test_row_order_does_not_matter(self):
        order = np.random.default_rng(0).permutation(120)
        folds = quick().partition(SMILES, POTENT).labels
        shuffled = quick().partition(SMILES[order], POTENT[order]).labels
        assert np.array_equal(folds[order], shuffled)


class TestGuarantees:
    def test_leaks_less_than_random(self):
        assert quick().partition(SMILES).relative_leakage < 0.93

    def test_repeats_of_a_molecule_share_a_fold(self):
        written_twice = ["OCC", "CCO", *SMILES[:40]]
        labels = quick().partition(written_twice).labels
        assert labels[0] == labels[1]

    def test_groups_share_a_fold(self):
        groups = np.arange(120) // 4
        labels = quick().partition(SMILES, groups=groups).labels
        assert all(len(set(labels[groups == g])) == 1 for g in set(groups))
        found = quick().get_groups(SMILES, groups)
        assert all(len(set(found[groups == g])) == 1 for g in set(groups))

    def test_threshold_is_kept(self):
        partition = quick(threshold=0.85, size_tolerance=0.4).partition(SMILES)
        assert partition.highest_cross_similarity < 0.85

    def test_classes_are_balanced(self):
        y = (NAV17.target[:120] > np.quantile(NAV17.target[:120], 0.8)).astype(int)
        labels = quick().partition(SMILES, y).labels
        assert np.bincount(labels[y == 1]).min() >= np.floor(0.9 * y.sum() / 3)

    def test_text_labels_and_missing_ones(self):
        y = np.where(POTENT == 1, "yes", "no").astype(object)
        y[:10] = None
        labels = quick().partition(SMILES, y).labels
        assert np.bincount(labels[y == "yes"]).min() >= np.floor(0.9 * (y == "yes").sum() / 3)

    def test_continuous_y_is_left_alone_unless_quantiles_are_asked_for(self):
        y = NAV17.target[:120]
        assert np.array_equal(quick().partition(SMILES, y).labels, quick().partition(SMILES).labels)
        labels = quick(stratify="quantiles").partition(SMILES, y).labels
        lowest = y <= np.quantile(y, 0.2)
        assert np.bincount(labels[lowest], minlength=3).min() >= lowest.sum() / 3 * 0.9 - 1

    def test_shortfall_warns_and_hard_classes_raise(self):
        y = np.zeros(120, dtype=int)
        y[:3] = 1
        groups = np.r_[[0, 0, 0], np.arange(1, 118)]
        with pytest.warns(HonestevalWarning, match="of class 1 instead of 1"):
            quick().partition(SMILES, y, groups)
        with pytest.raises(InfeasibleSplitError, match="class 1"):
            quick(stratify="classes").partition(SMILES, y, groups)

    def test_seeds(self):
        first = folds_of(quick(random_state=0), BITS)
        assert first == folds_of(quick(), BITS)
        assert first == folds_of(quick(random_state=0, n_jobs=2), BITS)
        random_state = np.random.RandomState(0)
        drawn = [quick(random_state=random_state) for _ in range(6)]
        seeded = [quick(random_state=seed) for seed in range(6)]
        for splitters in (drawn, seeded):
            noisy = np.random.default_rng(0).random((90, 64)) < 0.3  # nothing to agree on
            assert len({str(folds_of(cv, noisy)) for cv in splitters}) > 1


class TestScikitLearnTools:
    def test_cross_val_score_and_predict(self):
        cv = quick()
        assert len(cross_val_score(Ridge(), BITS, NAV17.target[:120], cv=cv)) == 3
        predicted = cross_val_predict(Ridge(), BITS, NAV17.target[:120], cv=cv)
        assert predicted.shape == (120,)

    def test_grid_search(self):
        search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 3]}, cv=quick())
        search.fit(BITS, POTENT)
        assert search.best_params_["n_neighbors"] in (1, 3)

    def test_permutation_test_score(self):
        score, permuted, p = permutation_test_score(
            DummyClassifier(), BITS, POTENT, cv=quick(), n_permutations=3, random_state=0
        )
        assert 0 < p <= 1
        assert len(permuted) == 3
        assert np.isfinite(score)

    def test_stacking_takes_the_folds(self):
        stack = StackingClassifier([("knn", KNeighborsClassifier(3))], LogisticRegression(),
                                   cv=quick())  # fmt: skip
        assert stack.fit(BITS, POTENT).score(BITS, POTENT) > 0.5

    @pytest.mark.parametrize("routing", [False, True])
    def test_smiles_travel_as_groups(self, routing):
        cv = quick(on="groups")
        with sklearn.config_context(enable_metadata_routing=routing):
            keywords = {"params": {"groups": SMILES}} if routing else {"groups": SMILES}
            result = cross_validate(
                Ridge(), BITS * 0.5, NAV17.target[:120], cv=cv, return_indices=True, **keywords
            )
            search = GridSearchCV(Ridge(), {"alpha": [1.0, 10.0]}, cv=cv)
            search.fit(BITS * 0.5, NAV17.target[:120], groups=SMILES)
        found = [test.tolist() for test in result["indices"]["test"]]
        assert found == folds_of(quick(), SMILES)
        assert search.n_splits_ == 3


class TestErrors:
    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"n_splits": 1}, r"n_splits must be an integer in \[2"),
            ({"n_splits": 2.5}, "n_splits must be an integer"),
            ({"threshold": 1.5}, "threshold"),
            ({"threshold": 0}, "threshold"),
            ({"size_tolerance": -0.1}, "size_tolerance"),
            ({"stratify": "classe"}, "Did you mean 'classes'"),
            ({"class_tolerance": 2}, "class_tolerance"),
            ({"n_init": 0}, "n_init"),
        ],
    )
    def test_parameters(self, parameters, message):
        with pytest.raises(ValueError, match=message):
            SimilarityGroupKFold(**parameters)

    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda: folds_of(quick(), ["CCO", "CCN"]), "more than the 2 samples"),
            (lambda: folds_of(quick(), SMILES, POTENT[:5]), "X has 120 rows but y has 5"),
            (lambda: folds_of(quick(), SMILES, None, [1, 2]), "same number of rows"),
            (lambda: folds_of(quick(), SMILES, None, [None] + [1] * 119), "no value in row 0"),
            (lambda: folds_of(quick(stratify="classes"), SMILES), "needs y"),
            (lambda: folds_of(quick(), ["CCO", "CCN", "C(C", "CCC"]), "row"),
            (lambda: folds_of(quick(), None), "X is None"),
            (lambda: folds_of(quick(random_state="a"), SMILES), "random_state"),
            (lambda: folds_of(quick(), SMILES, np.r_[np.inf, np.ones(119)]), "infinite in row 0"),
        ],
    )
    def test_calls(self, call, message):
        with pytest.raises(ValueError, match=message):
            call()

    def test_threshold_that_leaves_too_few_groups(self):
        with pytest.raises(InfeasibleSplitError, match=r"samples must stay together|groups"):
            folds_of(quick(threshold=0.2), SMILES)


@pytest.mark.data
class TestRealData:
    """Scaled L at the stated size tolerance; times are in benchmarks/."""

    def test_esol(self, data_dir):
        table = pd.read_csv(data_dir / "molecules/delaney-processed.csv")
        partition = SimilarityGroupKFold(5).partition(table["smiles"])
        assert partition.scaled_leakage <= 0.622
        assert partition.fold_sizes.max() <= 1.1 * 1128 / 5
        assert partition.fold_sizes.min() >= 0.9 * 1128 / 5

    def test_tox21(self, data_dir):
        table = pd.read_csv(data_dir / "molecules/tox21.csv.gz")
        molecules = parse_molecules(table["smiles"], errors="drop")
        partition = SimilarityGroupKFold(5).partition(list(molecules.smiles))
        assert partition.scaled_leakage <= 0.70
        n = len(molecules)
        assert partition.fold_sizes.max() <= 1.1 * n / 5
        assert partition.fold_sizes.min() >= 0.9 * n / 5

    def test_unbalanced_subjects_leave_no_fold_with_one_class(self):
        # scikit-learn issue 24656: 31 subjects of 3 rows, 10 folds
        rng = np.random.default_rng(0)
        subject_class = np.r_[np.ones(15, int), np.zeros(16, int)]
        groups, y = np.repeat(np.arange(31), 3), np.repeat(subject_class, 3)
        order = rng.permutation(93)
        cv = SimilarityGroupKFold(10, similarity="identity", on="groups", size_tolerance=0.4)
        with pytest.warns(HonestevalWarning, match="instead of"):  # 3 rows cannot be halved
            folds = list(cv.split(np.zeros((93, 1)), y[order], groups[order]))
        assert all(set(y[order][test]) == {0, 1} for _, test in folds)
