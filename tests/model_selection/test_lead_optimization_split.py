"""Analogues are tested, their lead trains, and nothing else near them does."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from honesteval import InfeasibleSplitError, LeadOptimizationSplit
from honesteval.datasets import load_nav17
from honesteval.model_selection._lead_clusters import LeadRules, find_clusters
from honesteval.similarity import PrecomputedSimilarity, resolve_similarity

NAV17 = load_nav17()
SMILES, PIC50 = NAV17.data[::2][:400], NAV17.target[::2][:400]
SIMILARITY = resolve_similarity(SMILES)


def lead_split(n_splits=1, **parameters):
    return LeadOptimizationSplit(n_splits, **{"threshold": 0.7, **parameters})


def star(n_analogues, n_others, *, strays=0):
    """Return similarities of a lead (0), its analogues, and others (some near an analogue)."""
    n = 1 + n_analogues + n_others
    matrix = np.eye(n) + 0.1 * (1 - np.eye(n))
    matrix[0, 1 : n_analogues + 1] = matrix[1 : n_analogues + 1, 0] = 0.8
    for stray in range(n_analogues + 1, n_analogues + 1 + strays):
        matrix[1, stray] = matrix[stray, 1] = 0.8
    return matrix


def split_of_matrix(matrix, **parameters):
    cv = LeadOptimizationSplit(similarity="precomputed", threshold=0.5, **parameters)
    ((train, test),) = cv.split(matrix)
    return train.tolist(), test.tolist()


class TestClusters:
    def test_lead_trains_and_analogues_are_tested(self):
        train, test = split_of_matrix(star(5, 10), test_size=0.5)
        assert test == [1, 2, 3, 4, 5]
        assert train == [0, *range(6, 16)]

    def test_what_is_near_an_analogue_is_left_out(self):
        matrix = star(5, 10, strays=2)
        train, test = split_of_matrix(matrix, test_size=0.5)
        assert test == [1, 2, 3, 4, 5]
        assert train == [0, *range(8, 16)]
        cv = LeadOptimizationSplit(similarity="precomputed", threshold=0.5, test_size=0.5)
        (row,) = cv.cluster_frame(matrix).to_dict("records")
        assert row == {
            "split": 0, "cluster": 0, "lead": 0, "analogues": [1, 2, 3, 4, 5], "left_out": [6, 7],
        }  # fmt: skip

    def test_real_molecules_have_one_relative_in_training_at_most(self):
        cv = lead_split()
        ((train, test),) = cv.split(SMILES)
        table, labels = cv.cluster_frame(SMILES), cv.cluster_labels(SMILES)[0]
        relatives = SIMILARITY.block(test, train) >= 0.7
        assert (relatives.sum(axis=1) == 1).all()
        for row in table.itertuples():
            assert len(row.analogues) >= 5
            assert set(np.flatnonzero(labels == row.cluster)) == set(row.analogues)
            near = set(train[relatives[np.isin(test, row.analogues)].any(axis=0)])
            assert near == {row.lead}
        left_out = sum(map(len, table["left_out"]))
        assert len(train) + len(test) + left_out == 400
        assert left_out <= 0.2 * 400
        assert len(test) <= 0.2 * 400

    def test_no_sample_is_tested_by_two_splits(self):
        tests = [test for _, test in lead_split(3, test_size=0.1).split(SMILES)]
        assert len(tests) == 3
        assert len(np.unique(np.concatenate(tests))) == sum(map(len, tests))

    def test_copies_of_the_lead_stay_with_it(self):
        doubled = [*SMILES, *SMILES]
        ((train, test),) = lead_split().split(doubled)
        sides = [{doubled[i] for i in rows} for rows in (train, test)]
        assert not sides[0] & sides[1]

    def test_spread(self):
        cv = lead_split(min_spread=0.3)
        labels = cv.cluster_labels(SMILES, PIC50)[0]
        spreads = [PIC50[labels == c].std() for c in range(labels.max() + 1)]
        assert min(spreads) >= 0.3
        assert lead_split().cluster_labels(SMILES)[0].max() + 1 >= len(spreads)

    def test_row_order_does_not_matter(self):
        order = np.random.default_rng(0).permutation(400)
        ((_, test),) = lead_split().split(SMILES)
        ((_, shuffled),) = lead_split().split(SMILES[order])
        assert set(order[shuffled]) == set(test)

    @settings(max_examples=30, deadline=None)
    @given(seed=st.integers(0, 10**6), density=st.floats(0.02, 0.3), smallest=st.integers(1, 4))
    def test_any_graph(self, seed, density, smallest):
        rng = np.random.default_rng(seed)
        edges = np.triu(rng.random((40, 40)) < density, 1)
        near = (edges | edges.T).astype(float)
        similarity = PrecomputedSimilarity(np.eye(40) + 0.9 * near)
        cv = LeadOptimizationSplit(
            similarity=similarity, threshold=0.5, min_cluster_size=smallest, test_size=0.4,
            max_left_out=0.4, max_clusters=4,
        )  # fmt: skip
        try:
            ((train, test),) = cv.split(np.zeros((40, 1)))
        except InfeasibleSplitError:
            assume(False)
        table = cv.cluster_frame(np.zeros((40, 1)))
        assert len(table) <= 4
        for row in table.itertuples():
            assert near[row.lead, row.analogues].all()
            assert not near[np.ix_(row.analogues, np.setdiff1d(train, [row.lead]))].any()
            assert len(row.analogues) >= smallest
        assert len(test) <= 16
        assert 40 - len(train) - len(test) <= 16


class TestInput:
    def test_groups_column_and_entities_elsewhere(self):
        frame = pd.DataFrame({"smiles": SMILES})
        expected = [test.tolist() for _, test in lead_split().split(SMILES)]
        for cv, X, groups in (
            (lead_split(on="smiles"), frame, None),
            (lead_split(on="groups"), np.zeros((400, 2)), SMILES),
        ):
            assert [test.tolist() for _, test in cv.split(X, groups=groups)] == expected

    def test_seed_decides_between_equals_only(self):
        first, again, other = (
            next(lead_split(random_state=seed, max_clusters=2).split(SMILES))[1]
            for seed in (0, 0, 5)
        )  # fmt: skip
        assert np.array_equal(first, again)
        assert len(other) >= 10


class TestErrors:
    def test_no_cluster_says_what_to_change(self):
        with pytest.raises(InfeasibleSplitError, match=r"at least 5 analogues.*Raise threshold"):
            list(lead_split(threshold=0.2).split(SMILES))
        with pytest.raises(InfeasibleSplitError, match="in split"):
            list(lead_split(60).split(SMILES))

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"threshold": 0}, "threshold"),
            ({"min_cluster_size": 0}, "min_cluster_size"),
            ({"max_clusters": 0}, "max_clusters"),
            ({"test_size": 1.0}, "test_size"),
            ({"max_left_out": 1}, "max_left_out"),
            ({"min_spread": -1}, "min_spread"),
            ({"n_splits": 0}, "n_splits"),
        ],
    )
    def test_parameters(self, parameters, message):
        with pytest.raises(ValueError, match=message):
            LeadOptimizationSplit(**parameters)

    def test_spread_needs_y(self):
        with pytest.raises(ValueError, match="min_spread needs y"):
            list(lead_split(min_spread=1).split(SMILES))


def test_leads_do_not_come_near_each_others_analogues():
    from scipy import sparse

    # 0 leads 1, 2; 3 leads 4, 5; and 3 is near 1
    edges = [(0, 1), (0, 2), (3, 4), (3, 5), (3, 1)]
    near = np.zeros((6, 6), dtype=np.int8)
    for a, b in edges:
        near[a, b] = near[b, a] = 1
    found = find_clusters(
        sparse.csr_array(near), np.ones(6), np.arange(6), np.ones(6, bool),
        LeadRules(smallest=2, n_clusters=None, n_tested=6, n_left_out=6),
    )  # fmt: skip
    leads = {cluster.lead for cluster in found}
    for cluster in found:
        assert not near[np.ix_(cluster.analogues, sorted(leads - {cluster.lead}))].any()
