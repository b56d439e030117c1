"""Rules a user may set: cuts and drops, clusterers, minima, weights, cutoffs, solvers."""

import numpy as np
import pytest
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans

from honesteval.exceptions import HonestevalWarning, InfeasibleSplitError
from honesteval.model_selection import SimilarityGroupKFold

SMILES = ["C" * n + end for end in ("O", "N", "C(=O)O", "Cl") for n in range(3, 9)]


def path_bits(n=24, width=6):
    """Windows of bits along a line: each resembles the next, the ends share nothing."""
    bits = np.zeros((n, n + width), dtype=np.uint8)
    for i in range(n):
        bits[i, i : i + width] = 1
    return bits


class TestOversize:
    def test_the_error_names_the_ways_out(self):
        with pytest.raises(InfeasibleSplitError, match="on_oversize to 'cut' or 'drop'"):
            SimilarityGroupKFold(2, threshold=0.5).partition(path_bits())

    def test_cut_keeps_all_rows_and_counts_the_pairs(self):
        cv = SimilarityGroupKFold(2, threshold=0.5, on_oversize="cut")
        with pytest.warns(HonestevalWarning, match=r"3 pairs of samples .* reach threshold=0\.5"):
            folds = list(cv.split(path_bits()))
        assert sorted(np.concatenate([test for _, test in folds])) == list(range(24))

    def test_drop_leaves_the_rows_out_of_training_and_test(self):
        cv = SimilarityGroupKFold(2, threshold=0.5, on_oversize="drop")
        with pytest.warns(HonestevalWarning, match=r"2 samples are in no fold.*rows \d+, \d+"):
            partition = cv.partition(path_bits())
        with pytest.warns(HonestevalWarning):
            folds = list(cv.split(path_bits()))
        assert len(partition.dropped) == 2
        for train, test in folds:
            assert not set(partition.dropped) & {*train, *test}
            assert len(train) + len(test) == 22


class TestClusterer:
    @pytest.mark.parametrize(
        "clusterer",
        [
            KMeans(8, random_state=0, n_init=1),
            AgglomerativeClustering(8, metric="precomputed", linkage="average"),
            lambda smiles: [len(text) % 8 for text in smiles],
        ],
    )
    def test_clusters_stay_together(self, clusterer):
        cv = SimilarityGroupKFold(2, clusterer=clusterer, size_tolerance=0.5)
        partition = cv.partition(SMILES)
        assert 2 <= partition.n_groups <= 8
        if callable(clusterer):
            for cluster in range(8):
                members = [i for i, text in enumerate(SMILES) if len(text) % 8 == cluster]
                assert len(set(partition.labels[members])) <= 1

    def test_noise_is_no_cluster(self):
        alone = DBSCAN(eps=1e-6, min_samples=5, metric="precomputed")
        assert SimilarityGroupKFold(3, clusterer=alone).partition(SMILES).n_groups == len(SMILES)

    def test_refusals(self):
        with pytest.raises(TypeError, match="clusterer must be"):
            SimilarityGroupKFold(2, clusterer="butina").partition(SMILES)
        with pytest.raises(TypeError, match="the class KMeans"):
            SimilarityGroupKFold(2, clusterer=KMeans).partition(SMILES)
        with pytest.raises(ValueError, match=r"shape \(3,\) for 24 samples"):
            SimilarityGroupKFold(2, clusterer=lambda _: [0, 1, 2]).partition(SMILES)
        names = [["a"], ["b"], ["c"], ["a"]]
        with pytest.raises(ValueError, match="needs features"):
            SimilarityGroupKFold(2, clusterer=KMeans(2), similarity="identity").partition(names)


class TestMinimum:
    # one positive in each of two alcohols and two amines; more than balance would ask
    y = np.array([1.0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0] + [0] * 12)

    def test_every_fold_holds_the_minimum(self):
        cv = SimilarityGroupKFold(4, min_per_class=1, class_tolerance=1.0)
        labels = cv.partition(SMILES, self.y).labels
        assert np.bincount(labels, self.y).tolist() == [1, 1, 1, 1]

    def test_infeasible_minima_are_named_with_the_nearest(self):
        with pytest.raises(InfeasibleSplitError, match=r"at least 2 of class 1.* possible is"):
            SimilarityGroupKFold(4, min_per_class=2).partition(SMILES, self.y)

    def test_minima_need_classes(self):
        with pytest.raises(ValueError, match="min_per_class=2 needs classes"):
            SimilarityGroupKFold(4, min_per_class=2).partition(SMILES)
        with pytest.raises(ValueError, match="needs classes"):
            SimilarityGroupKFold(4, min_per_class=2).partition(SMILES, np.linspace(0, 1, 24))


def test_weights_count_in_the_sizes():
    weight = np.ones(24)
    weight[:6] = 3.0
    partition = SimilarityGroupKFold(3, size_tolerance=0.1).partition(SMILES, sample_weight=weight)
    assert partition.fold_weights.sum() == 36
    assert partition.fold_weights.min() >= 0.9 * 12 - 1
    assert partition.fold_sizes.max() > 8


def test_a_cutoff_counts_relatives_only():
    plain = SimilarityGroupKFold(3).partition(SMILES)
    relatives = SimilarityGroupKFold(3, objective_cutoff=0.4).partition(SMILES)
    assert relatives.leakage.total < plain.leakage.total
    assert relatives.similarity_name.endswith("where at least 0.4")
    assert relatives.highest_cross_similarity == plain.highest_cross_similarity
    strict = SimilarityGroupKFold(3, objective_cutoff=0.4, threshold=0.95).partition(SMILES)
    assert strict.highest_cross_similarity < 0.95


def test_gurobi_finds_folds_as_good():
    pytest.importorskip("gurobipy")
    reference = SimilarityGroupKFold(3).partition(SMILES)
    for solver in ("gurobi", "auto"):
        found = SimilarityGroupKFold(3, solver=solver).partition(SMILES)
        assert found.scaled_leakage == pytest.approx(reference.scaled_leakage, abs=1e-6)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"on_oversize": "ignore"}, "on_oversize must be one of"),
        ({"solver": "cplex"}, "solver must be one of"),
        ({"objective_cutoff": 1.5}, "objective_cutoff"),
        ({"min_per_class": -1}, "min_per_class"),
    ],
)
def test_bad_parameters_are_refused_at_once(parameters, message):
    with pytest.raises(ValueError, match=message):
        SimilarityGroupKFold(3, **parameters)
