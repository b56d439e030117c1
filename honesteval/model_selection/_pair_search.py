"""Folds for the entities of every type in a table of pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from honesteval.model_selection._joint_similarity import JointSimilarity
from honesteval.model_selection._pair_entities import EntityType
from honesteval.partition import (
    ClassTable,
    Effort,
    Partition,
    Shortfall,
    join_groups,
    measure_leakage,
    solve_partition,
)

__all__ = ["HIGHER", "PairRules", "TypeFolds", "folds_of_types"]

#: The second price of lost pairs that is tried, in units of the one asked for.
HIGHER = 4.0


@dataclass(frozen=True)
class PairRules:
    """The bounds and the search; as in SimilarityPairKFold."""

    n_splits: int
    thresholds: Mapping[str, float | None]
    size_tolerance: float
    class_tolerance: float
    pair_loss_weight: float
    effort: Effort
    seed: int

    def solve(self, similarity: Any, **problem: Any) -> Partition:
        """Solve one partition problem into equal folds."""
        return solve_partition(
            similarity,
            shares=np.full(self.n_splits, 1 / self.n_splits),
            size_tolerance=self.size_tolerance,
            class_tolerance=self.class_tolerance,
            effort=self.effort,
            random_state=self.seed,
            **problem,
        )


@dataclass(frozen=True)
class TypeFolds:
    """The fold of each entity of each type, and the class bounds that could not be met."""

    labels: list[NDArray[np.intp]]
    shortfalls: tuple[Shortfall, ...]


def folds_of_types(
    types: list[EntityType],
    rules: PairRules,
    *,
    classes: ClassTable | None,
    cross: dict[tuple[int, int], NDArray[np.float64]],
) -> TypeFolds:
    """Return the fold of each entity of each type.

    Types that nothing ties together are divided one by one. With a price on lost pairs, or a
    similarity across types, all entities are divided at once, at the price asked and at a higher
    one (which leads the search to other places), and the best at the price asked is kept.
    """
    price, columns = rules.pair_loss_weight, sum(kind.codes.shape[1] for kind in types)
    if cross:
        return _jointly(types, rules, classes, cross, price)
    found = [_one_by_one(types, rules, classes)]
    if price == 0 or columns == 1:
        return found[0]
    found += [_jointly(types, rules, classes, cross, price * factor) for factor in (1, HIGHER)]
    costs = [
        sum(
            measure_leakage(kind.similarity, folds, sample_weight=kind.n_pairs).scaled
            for kind, folds in zip(types, candidate.labels, strict=True)
        )
        + price * _share_lost(types, candidate.labels)
        for candidate in found
    ]
    return found[int(np.argmin(costs))]


def _share_lost(types: list[EntityType], labels: list[NDArray[np.intp]]) -> float:
    """Return the share of rows whose entities are in different folds, mean over column pairs."""
    folds = np.hstack([found[kind.codes] for kind, found in zip(types, labels, strict=True)])
    first, second = np.triu_indices(folds.shape[1], 1)
    return float((folds[:, first] != folds[:, second]).mean())


def _one_by_one(types: list[EntityType], rules: PairRules, classes: ClassTable | None) -> TypeFolds:
    partitions = [
        rules.solve(
            kind.similarity,
            must_link=(_ties(kind, rules),),
            weights=kind.n_pairs,
            classes=None if classes is None else _classes_of(kind, classes),
        )
        for kind in types
    ]
    labels = [partition.labels for partition in partitions]
    for r in range(1, len(types)):  # number the folds so that most pairs are in equal ones
        together = np.zeros((rules.n_splits, rules.n_splits))
        np.add.at(together, (labels[r][types[r].codes[:, 0]], labels[0][types[0].codes[:, 0]]), 1.0)
        labels[r] = linear_sum_assignment(together, maximize=True)[1][labels[r]]
    return TypeFolds(labels, tuple(s for partition in partitions for s in partition.shortfalls))


def _jointly(
    types: list[EntityType],
    rules: PairRules,
    classes: ClassTable | None,
    cross: dict[tuple[int, int], NDArray[np.float64]],
    price: float,
) -> TypeFolds:
    joint = JointSimilarity(types, price, cross)
    ties, start = [], 0
    for kind in types:
        ties.append(_ties(kind, rules) + start)
        start += len(kind.values)
    partition = rules.solve(
        joint,
        must_link=(np.concatenate(ties),),
        weights=joint.weight,
        classes=_classes_and_types(types, rules, classes),
    )
    labels = [partition.labels[joint.of_type(r)] for r in range(len(types))]
    return TypeFolds(labels, partition.shortfalls)


def _ties(kind: EntityType, rules: PairRules) -> NDArray[np.intp]:
    """Return the groups of entities that must share a fold."""
    similarity, links = kind.similarity, [np.arange(len(kind.values))]
    if similarity.merges_identical:
        keys: dict[bytes, int] = {}
        links.append(np.array([keys.setdefault(k, len(keys)) for k in similarity.content_keys()]))
    threshold = rules.thresholds.get(kind.name)
    if threshold is not None:
        links.append(similarity.components_at_least(threshold))
    return join_groups(*links)


def _classes_of(kind: EntityType, classes: ClassTable) -> ClassTable:
    return ClassTable(
        kind.sum_over_rows(classes.counts),
        tuple(f"pairs of {name}" for name in classes.names),
        are_soft=classes.are_soft,
    )


def _classes_and_types(
    types: list[EntityType], rules: PairRules, classes: ClassTable | None
) -> ClassTable | None:
    """Return the pairs of each type, with hard minima, and of each class but the most frequent.

    What is left for that class follows from the sizes, and few bounds are searched best.
    """
    columns, names, minimum, start = [], [], [], 0
    everything = sum(len(kind.values) for kind in types)
    for kind in types if len(types) > 1 else ():
        column = np.zeros(everything)
        column[start : start + len(kind.values)] = kind.n_pairs
        start += len(kind.values)
        columns.append(column)
        names.append(f"pairs of {kind.name}")
        ideal = column.sum() / rules.n_splits
        minimum.append(np.floor((1 - rules.size_tolerance) * ideal + 1e-9))
    if classes is not None:
        rows = np.concatenate([kind.sum_over_rows(classes.counts) for kind in types])
        most = rows.sum(axis=0).argmax()
        for c, name in enumerate(classes.names):
            if c != most:
                columns.append(rows[:, c])
                names.append(f"pairs of {name}")
                minimum.append(0.0)
    if not columns:
        return None
    return ClassTable(
        np.column_stack(columns), tuple(names), are_soft=True, minimum=np.array(minimum)
    )
