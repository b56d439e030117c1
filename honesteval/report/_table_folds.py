"""A part for every row of a table, with the rows that could not be read left without one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from honesteval._notebook import ShownInNotebook
from honesteval._validation import check_groups, check_number, check_option, n_rows, name_rows
from honesteval.checks._time_order import read_time
from honesteval.entities import ExcludedRows, parse_molecules, parse_sequences
from honesteval.model_selection import (
    BlockedTimeSeriesKFold,
    DeploymentKFold,
    RepeatedSimilarityGroupKFold,
    SimilarityGroupKFold,
    similarity_split,
)
from honesteval.partition import Partition, measure_leakage
from honesteval.partition._must_link import join_groups
from honesteval.report._notes import collect_notes
from honesteval.report._rows import SEQUENCE_MEASURES, numbered
from honesteval.report._splits import labels_to_balance
from honesteval.report._summarise import excluded_rows
from honesteval.report._target import Target, resolve_targets
from honesteval.report._text import excluded_lines
from honesteval.similarity import Similarity, molecule_similarity, resolve_similarity

#: Warnings that point to the splitter's own result, whose content is in the notes.
_POINTER = "partition(X, y, groups)"

Labels = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class TableFolds(ShownInNotebook):
    """Which part each row of a table is in.

    Returned by :func:`similarity_folds` and :func:`time_folds`.

    Parameters
    ----------
    labels : ndarray of int, shape (n_repeats, n_rows)
        Part of each row of the input, from 0; -1 for rows in no part.
    names : tuple of str
        Names of the parts; empty for folds, which are numbered.
    excluded : ExcludedRows
        Rows that could not be read.
    similarity_name : str, default=""
        The measure in words; empty where nothing was compared.
    scaled_leakage, relative_leakage, mean_nearest_similarity : tuple of float, default=()
        By repeat: similarity between parts over that of all pairs, the same relative to parts
        that know nothing of similarity, and the mean over rows of the highest similarity to a
        row of another part.
    notes : tuple of str, default=()
        What was given up.
    """

    labels: Labels
    names: tuple[str, ...]
    excluded: ExcludedRows
    similarity_name: str = ""
    scaled_leakage: tuple[float, ...] = ()
    relative_leakage: tuple[float, ...] = ()
    mean_nearest_similarity: tuple[float, ...] = ()
    notes: tuple[str, ...] = field(default=())

    @property
    def n_repeats(self) -> int:
        """Number of ways in which the rows were divided."""
        return len(self.labels)

    @property
    def fold(self) -> Labels:
        """Part of each row in the first repeat, shape (n_rows,); -1 for rows in none."""
        return self.labels[0]

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of the parts, or their numbers as text."""
        return self.names or tuple(str(number) for number in range(int(self.labels.max()) + 1))

    def sizes(self, repeat: int = 0) -> NDArray[np.intp]:
        """Return the number of rows in each part."""
        known = self.labels[repeat][self.labels[repeat] >= 0]
        return np.bincount(known, minlength=len(self.parts))

    def column(self, repeat: int = 0) -> pd.Series:
        """Return the parts as a column, missing for rows in none; numbers stay whole numbers."""
        numbers = pd.Series(self.labels[repeat], dtype="Int64").mask(self.labels[repeat] < 0)
        if not self.names:
            return numbers
        return pd.Series([None if pd.isna(n) else self.names[n] for n in numbers], dtype=object)

    def columns(self, name: str) -> dict[str, pd.Series]:
        """Return a column per repeat, called ``name``, or ``name_1`` and so on for several."""
        if self.n_repeats == 1:
            return {name: self.column()}
        return {f"{name}_{i + 1}": self.column(i) for i in range(self.n_repeats)}

    def rows_of(self, part: str) -> NDArray[np.intp]:
        """Return the rows of a part in the first repeat."""
        return np.flatnonzero(self.fold == self.parts.index(part))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per repeat and part with its size."""
        return pd.DataFrame(
            [
                {"repeat": repeat + 1, "part": part, "n_rows": int(size)}
                for repeat in range(self.n_repeats)
                for part, size in zip(self.parts, self.sizes(repeat), strict=True)
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        """Return sizes, leakage and what was given up as plain data."""
        return {
            "parts": list(self.parts),
            "repeats": [
                {
                    "sizes": self.sizes(repeat).tolist(),
                    **{
                        name: getattr(self, name)[repeat]
                        for name in ("scaled_leakage", "relative_leakage",
                                     "mean_nearest_similarity")
                        if self.similarity_name
                    },
                }
                for repeat in range(self.n_repeats)
            ],
            "similarity": self.similarity_name,
            "n_in_no_part": int((self.fold < 0).sum()),
            "notes": list(self.notes),
            "excluded": excluded_rows(self.excluded),
        }  # fmt: skip

    def summary(self) -> str:
        """Return the parts in a few lines of text."""
        lines = [line for repeat in range(self.n_repeats) for line in self._lines(repeat)]
        lines += [f"Note: {note}" for note in self.notes]
        return "\n".join([*lines, *excluded_lines(excluded_rows(self.excluded))])

    def _lines(self, repeat: int) -> list[str]:
        start = f"Repeat {repeat + 1}: " if self.n_repeats > 1 else ""
        counts = [f"{size:,}" for size in self.sizes(repeat)]
        if self.names:
            counts = [f"{n} in {name}" for n, name in zip(counts, self.names, strict=True)]
            lines = [f"{start}{', '.join(counts)} ({int(self.sizes(repeat).sum()):,} rows)."]
        else:
            lines = [f"{start}{len(counts)} folds of {', '.join(counts)} rows."]
        if self.similarity_name:
            lines.append(
                f"Mean highest similarity to another part "
                f"{self.mean_nearest_similarity[repeat]:.3f}; scaled leakage "
                f"{self.scaled_leakage[repeat]:.3f}, {self.relative_leakage[repeat]:.3f} of that "
                f"of random parts of these sizes ({self.similarity_name})."
            )
        return lines


@dataclass(frozen=True, eq=False)
class _Rows:
    """The rows that could be read."""

    similarity: Similarity
    groups: Labels
    rows: Labels
    excluded: ExcludedRows
    targets: tuple[Target, ...]
    n_input: int

    def spread(self, labels: Labels) -> Labels:
        spread = np.full(self.n_input, -1, dtype=np.intp)
        spread[self.rows] = labels
        return spread


def similarity_folds(
    entities: Any,
    y: Any = None,
    *,
    n_splits: int = 5,
    sizes: Mapping[str, float] | None = None,
    n_repeats: int = 1,
    similarity: str = "molecule",
    groups: Any = None,
    deployment: Any = None,
    threshold: float | None = None,
    on_oversize: str = "raise",
    size_tolerance: float = 0.1,
    errors: Literal["raise", "drop"] = "raise",
    random_state: int = 0,
    n_jobs: int | None = None,
) -> TableFolds:
    """Give every row of a table a part, with as little similarity between parts as can be found.

    The splitters are those of :mod:`honesteval.model_selection`; this is them for a whole table,
    unreadable rows included. Repeats, salts and stereoisomers of a molecule share a part.

    Parameters
    ----------
    entities : array-like of str or rdkit.Chem.Mol, shape (n_rows,)
        Molecules, or sequences.
    y : array-like or DataFrame, shape (n_rows,) or (n_rows, n_tasks), default=None
        Classes to balance over the parts; missing ones are allowed. Values are not used.
    n_splits : int, default=5
        Number of folds.
    sizes : mapping of str to float, default=None
        Named parts in place of folds, as in :func:`honesteval.similarity_split`.
    n_repeats : int, default=1
        Folds that differ from repeat to repeat
        (:class:`honesteval.model_selection.RepeatedSimilarityGroupKFold`).
    similarity : str, default="molecule"
        ``"sequence"`` and ``"kmer"`` compare sequences, any other name of
        :func:`honesteval.similarity.resolve_similarity` molecules.
    groups : array-like of shape (n_rows,), default=None
        Rows with the same label share a part.
    deployment : array-like of str, default=None
        Entities that the model will be used on: folds are then as far from each other as these
        are from the table (:class:`honesteval.DeploymentKFold`).
    threshold : float in (0, 1], default=None
        Similarity that no pair of rows of different parts may reach.
    on_oversize : {"raise", "cut", "drop"}, default="raise"
        What to do when a chain of rows at the threshold fits into no part.
    size_tolerance : float, default=0.1
        A part may be this much larger or smaller, relatively.
    errors : {"raise", "drop"}, default="raise"
        What to do about rows that cannot be read.
    random_state : int, default=0
    n_jobs : int or None, default=None
        As in joblib, for large tables; the parts do not depend on it.

    Returns
    -------
    folds : TableFolds

    Raises
    ------
    InvalidEntityError
        If rows cannot be read and ``errors="raise"``.
    InfeasibleSplitError
        If no parts are within the bounds; the message names the binding ones.
    ValueError
        If options do not go together, or there are fewer different entities than folds.

    Examples
    --------
    >>> from honesteval.report import similarity_folds
    >>> folds = similarity_folds(["CCO", "CCCO", "c1ccccc1", "Cc1ccccc1", "nonsense"],
    ...                          n_splits=2, errors="drop")
    >>> folds.fold[0] == folds.fold[1], folds.fold[2] == folds.fold[3], folds.fold[4]
    (np.True_, np.True_, np.int64(-1))
    """
    check_number(n_splits, "n_splits", low=2, integer=True)
    check_number(n_repeats, "n_repeats", low=1, integer=True)
    check_option(errors, "errors", ("raise", "drop"))
    if deployment is not None and (sizes is not None or threshold is not None or n_repeats > 1):
        raise ValueError(
            "A deployment set chooses how far the folds are apart: it goes with n_splits, and not "
            "with sizes, threshold or n_repeats."
        )
    if sizes is not None and n_repeats > 1:
        raise ValueError("n_repeats repeats folds (n_splits), not named parts (sizes).")
    data = _read(entities, y, similarity, groups, errors)
    if sizes is None:
        _check_enough(data, n_splits)
    notes: list[str] = []
    common: dict[str, Any] = {"similarity": data.similarity, "random_state": random_state}
    bounds = {
        **common, "threshold": threshold, "on_oversize": on_oversize,
        "size_tolerance": size_tolerance, "n_jobs": n_jobs,
    }  # fmt: skip
    given = (np.arange(len(data.rows)), labels_to_balance(data.targets), data.groups)
    with collect_notes(notes):
        if deployment is not None:
            return _matched(data, deployment, entities, given, similarity, n_splits, errors,
                            size_tolerance, random_state)  # fmt: skip
        if sizes is not None:
            positions, classes, together = given
            split = similarity_split(positions, sizes=sizes, y=classes, groups=together, **bounds)
            partitions, names = [split.partition], split.names
        elif n_repeats > 1:
            splitter = RepeatedSimilarityGroupKFold(n_splits, n_repeats=n_repeats, **bounds)
            partitions, names = list(splitter.partitions(*given).partitions), ()
        else:
            partitions, names = [SimilarityGroupKFold(n_splits, **bounds).partition(*given)], ()
    said = [note for note in notes if _POINTER not in note]
    said += [note for partition in partitions for note in _given_up(partition, data, names)]
    return TableFolds(
        labels=np.stack([data.spread(partition.labels) for partition in partitions]),
        names=names,
        excluded=data.excluded,
        similarity_name=data.similarity.name,
        scaled_leakage=tuple(partition.scaled_leakage for partition in partitions),
        relative_leakage=tuple(partition.relative_leakage for partition in partitions),
        mean_nearest_similarity=tuple(
            float(np.nanmean(partition.nearest_similarity)) for partition in partitions
        ),
        notes=tuple(dict.fromkeys(said)),
    )


def time_folds(times: Any, *, n_splits: int = 5, groups: Any = None) -> TableFolds:
    """Give every row the block of time that it is in.

    Rows of the same time share a block; see :class:`honesteval.BlockedTimeSeriesKFold` for what
    has to be left out of training beside a block.

    Parameters
    ----------
    times : array-like of shape (n_rows,)
        Numbers, dates, or text that reads as dates.
    n_splits : int, default=5
        Number of blocks.
    groups : array-like of shape (n_rows,), default=None
        Only looked at: a group in several blocks is counted in the notes.

    Returns
    -------
    folds : TableFolds

    Examples
    --------
    >>> from honesteval.report import time_folds
    >>> time_folds([2020, 2018, 2019, 2020, 2017, 2019], n_splits=3).fold
    array([2, 0, 1, 2, 0, 1])
    """
    n = n_rows(times)
    seconds: Any = read_time(np.asarray(times), n)  # numbers as they are
    table = pd.DataFrame({"time": np.ravel(seconds)})
    labels = np.full(n, -1, dtype=np.intp)
    for number, (_, test) in enumerate(BlockedTimeSeriesKFold(n_splits, time="time").split(table)):
        labels[test] = number
    notes: tuple[str, ...] = ()
    if groups is not None:
        group = pd.Series(check_groups(groups, n))
        torn = int((pd.Series(labels).groupby(group.to_numpy()).nunique() > 1).sum())
        if torn:
            notes = (
                f"{torn:,} of {group.nunique():,} groups lie in several blocks of time: leave a "
                "group out of training while one of its rows is tested.",
            )
    return TableFolds(labels[None, :], (), ExcludedRows(), notes=notes)


def _read(entities: Any, y: Any, similarity: str, groups: Any, errors: Any) -> _Rows:
    if similarity in SEQUENCE_MEASURES:
        found = parse_sequences(entities, errors=errors)
        measured = resolve_similarity(list(found.values), similarity)
        same, rows, excluded = numbered(found.values), found.rows, found.excluded
    else:
        read = parse_molecules(entities, errors=errors)
        measured = (
            molecule_similarity(read)
            if similarity == "molecule"
            else resolve_similarity(read.mols, similarity)
        )
        same, rows, excluded = numbered(read.keys("flat")), read.rows, read.excluded
    n_input = len(rows) + len(excluded)
    if groups is not None:
        labels = np.unique(check_groups(groups, n_input).astype(str), return_inverse=True)[1]
        same = join_groups(same, labels[rows])
    targets = () if y is None else tuple(target.take(rows) for target in resolve_targets(y))
    return _Rows(measured, same, rows, excluded, targets, n_input)


def _check_enough(data: _Rows, n_splits: int) -> None:
    n_different = len(np.unique(data.groups))
    if n_different < n_splits:
        raise ValueError(
            f"{n_splits} folds need at least {n_splits} entities that may be parted (repeats, "
            f"salts, stereoisomers and groups stay together); there are {n_different}. Take fewer "
            "folds."
        )


def _matched(
    data: _Rows, deployment: Any, entities: Any, given: tuple[Any, Any, Any], similarity: str,
    n_splits: int, errors: Any, size_tolerance: float, random_state: int,
) -> TableFolds:  # fmt: skip
    """Return folds as far from each other as the deployment set is from the table."""
    if similarity in SEQUENCE_MEASURES:
        met: Any = parse_sequences(deployment, errors=errors)
        known: Any = parse_sequences(entities, errors=errors).values
        coming = met.values
    else:
        met = parse_molecules(deployment, errors=errors)
        known, coming = parse_molecules(entities, errors=errors).mols, met.mols
    splitter = DeploymentKFold(
        list(coming), n_splits, similarity=similarity, size_tolerance=size_tolerance,
        random_state=random_state,
    )  # fmt: skip
    folds = splitter.partition(list(known), given[1], given[2])
    leakage = measure_leakage(data.similarity, folds.labels)
    notes = [folds.verdict]
    if len(met.excluded):
        notes.append(f"{len(met.excluded):,} rows of the deployment set could not be read.")
    return TableFolds(
        labels=data.spread(folds.labels)[None, :],
        names=(),
        excluded=data.excluded,
        similarity_name=data.similarity.name,
        scaled_leakage=(leakage.scaled,),
        relative_leakage=(leakage.relative,),
        mean_nearest_similarity=(float(folds.nearest_similarity.mean()),),
        notes=tuple(notes),
    )


def _given_up(partition: Partition, data: _Rows, names: Sequence[str]) -> list[str]:
    """Return which bounds were not met, by rows of the input."""
    notes = []
    if partition.shortfalls:
        listed = "; ".join(
            f"{names[one.fold] if names else f'fold {one.fold}'} holds {one.reached:g} of "
            f"{one.resource} instead of {one.wanted:g}"
            for one in partition.shortfalls[:4]
        )
        notes.append(
            f"{len(partition.shortfalls)} class bounds cannot be met with these groups and sizes, "
            f"and are met as far as possible: {listed}."
        )
    reach = f"the threshold of {partition.threshold:g}" if partition.threshold else ""
    if len(partition.violations):
        notes.append(
            f"{len(partition.violations):,} pairs of rows in different parts reach {reach}."
        )
    if len(partition.dropped):
        rows = data.rows[partition.dropped]
        notes.append(
            f"{len(rows):,} rows are in no part, so that no pair reaches {reach}: "
            f"{name_rows(rows)}."
        )
    return notes
