"""Anybody's split, in any of its usual forms, as pairs of training and test rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from honesteval._validation import name_rows
from honesteval.exceptions import HonestevalWarning

__all__ = ["PART_OF", "Comparison", "SplitRows", "check_parts", "read_splits"]

Rows = NDArray[np.intp]
SplitKind = Literal["parts", "folds"]

_PART_NAMES = {
    "train": ("train", "training", "tr", "fit"),
    "valid": ("valid", "val", "validation", "dev", "development", "tune"),
    "test": ("test", "testing", "te", "holdout", "hold-out", "external"),
}
PART_OF = {alias: part for part, aliases in _PART_NAMES.items() for alias in aliases}

_FORMS = (
    "Give splits as (train, test) row positions, a boolean mask of the test rows, one label per "
    "row ('train'/'valid'/'test', or a fold), a list of (train, test) folds, a mapping of "
    "parts to row positions, or a scikit-learn splitter."
)


@dataclass(frozen=True, eq=False)
class Comparison:
    """Rows that a model is trained on, and rows it is scored on.

    Attributes
    ----------
    name : str
        ``"test against train"``, ``"fold 0"``.
    train, test : ndarray of int
        Sorted positions of different rows.
    is_final : bool
        False for comparisons with the validation part, which are looked at for leakage but are
        not what the final score is computed on.
    """

    name: str
    train: Rows = field(repr=False)
    test: Rows = field(repr=False)
    is_final: bool = True

    @cached_property
    def rows(self) -> Rows:
        """All rows of the two sides, sorted."""
        return np.union1d(self.train, self.test)


@dataclass(frozen=True, eq=False)
class SplitRows:
    """A split in its normal form.

    Attributes
    ----------
    kind : {"parts", "folds"}
    n_rows : int
        Rows of the data.
    comparisons : tuple of Comparison
    part : ndarray of object of shape (n_rows,), or None
        The one part or fold of each row, None for rows in no part. None when rows are tested
        more than once, or train and test do not partition the rows.
    overlapping : dict of str to ndarray of int
        Rows found on both sides of a comparison; they were taken out of its training side.
    repeated : dict of str to ndarray of int
        Rows that were given more than once on one side of a comparison.
    """

    kind: SplitKind
    n_rows: int
    comparisons: tuple[Comparison, ...]
    part: NDArray[np.object_] | None = field(repr=False)
    overlapping: dict[str, Rows]
    repeated: dict[str, Rows]

    @property
    def used(self) -> Rows:
        """Rows on any side of any comparison, sorted."""
        return np.unique(np.concatenate([comparison.rows for comparison in self.comparisons]))

    @property
    def unused(self) -> Rows:
        """Rows on no side, sorted."""
        return np.setdiff1d(np.arange(self.n_rows), self.used)


def check_parts(train: Any, test: Any, n: int) -> tuple[Rows, Rows]:
    """Return training and test rows in the order given; refuse parts that overlap.

    Raises
    ------
    ValueError
        If a part is empty, is not made of row positions, repeats a row, or meets the other.
    """
    train_rows, test_rows = _positions(train, n, "train"), _positions(test, n, "test")
    for name, rows in {"train": train_rows, "test": test_rows}.items():
        values, counts = np.unique(rows, return_counts=True)
        if (counts > 1).any():
            raise ValueError(f"{name} repeats {name_rows(values[counts > 1])}.")
    both = np.intersect1d(train_rows, test_rows)
    if len(both):
        raise ValueError(
            f"train and test overlap: {name_rows(both)} on both sides. Remove them from one side "
            "(audit_split reports such rows as a finding)."
        )
    return train_rows, test_rows


def read_splits(
    splits: Any, n: int, *, X: Any = None, y: Any = None, groups: Any = None
) -> SplitRows:
    """Bring a split in any form into its normal form.

    Parameters
    ----------
    splits : see :func:`honesteval.checks.audit_split`
    n : int
        Number of rows of the data.
    X, y, groups
        Handed to ``splits.split`` when it is a splitter.

    Returns
    -------
    split : SplitRows

    Raises
    ------
    ValueError
        If the form is not understood, a position is out of range, or a side is empty.
    """
    if callable(getattr(splits, "split", None)) and not isinstance(splits, str | bytes):
        return _from_folds(list(splits.split(_rows_or(X, n), y, groups)), n)
    if isinstance(splits, Mapping):
        return _from_parts({str(name): rows for name, rows in splits.items()}, n)
    if splits is None or isinstance(splits, str | bytes | int | float):
        raise ValueError(f"Got splits={splits!r}. {_FORMS}")
    if isinstance(splits, pd.DataFrame) and splits.shape[1] == 1:
        splits = splits.iloc[:, 0]
    if isinstance(splits, pd.Series) or (isinstance(splits, np.ndarray) and splits.ndim == 1
                                         and splits.dtype != object):  # fmt: skip
        return _from_labels(pd.Series(splits), n)
    listed = list(splits) if isinstance(splits, Iterable) else None
    if not listed:
        raise ValueError(f"splits is empty or of no known form. {_FORMS}")
    if not any(_is_sequence(entry) for entry in listed):
        return _from_labels(pd.Series(listed, dtype=object).infer_objects(), n)
    if all(_is_sequence(entry) for entry in listed) and not any(
        _is_pair_of_sequences(entry) for entry in listed
    ):
        if len(listed) in (2, 3):
            names = ("train", "test") if len(listed) == 2 else ("train", "valid", "test")
            return _from_parts(dict(zip(names, listed, strict=True)), n)
        raise ValueError(f"splits has {len(listed)} lists of rows, not 2 or 3. {_FORMS}")
    return _from_folds(listed, n)


def _rows_or(X: Any, n: int) -> Any:
    return np.zeros((n, 1)) if X is None else X


def _is_sequence(value: Any) -> bool:
    kinds = Sequence | np.ndarray | pd.Series | pd.Index | range | Set
    return isinstance(value, kinds) and not isinstance(value, str | bytes)


def _is_pair_of_sequences(value: Any) -> bool:
    if isinstance(value, Set):
        return False
    return len(value) == 2 and all(_is_sequence(part) for part in value)


def _positions(rows: Any, n: int, name: str) -> Rows:
    """Return row positions from positions or a boolean mask, in the order given."""
    array = np.asarray(sorted(rows) if isinstance(rows, Set) else rows)
    if array.ndim != 1:
        raise ValueError(f"{name} must be one list of row positions. Got shape {array.shape}.")
    if array.dtype == bool:
        if len(array) != n:
            raise ValueError(
                f"A boolean mask needs one value per row: {name} has {len(array)}, the data {n}."
            )
        array = np.flatnonzero(array)
    if len(array) == 0:
        raise ValueError(f"The {name} side has no rows: there is nothing to compare.")
    if array.dtype.kind not in "iu":
        whole = array == np.floor(array) if array.dtype.kind == "f" else np.zeros(len(array), bool)
        if not whole.all():
            raise ValueError(
                f"{name} must hold whole row positions from 0 to {n - 1}. Got "
                f"{array[~whole][0].item() if array.dtype != object else array[~whole][0]!r}."
            )
    outside = (array < 0) | (array >= n)
    if outside.any():
        first = array[outside][0]
        why = "negative" if first < 0 else f"beyond the last row {n - 1}"
        raise ValueError(
            f"{name} must hold row positions from 0 to {n - 1}: {int(outside.sum())} are not, "
            f"the first is {first} ({why}). Labels of a data frame's index are not positions: "
            "convert them with index.get_indexer(labels)."
        )
    return array.astype(np.intp)


def _from_parts(parts: Mapping[str, Any], n: int) -> SplitRows:
    named: dict[str, Rows] = {}
    for name, rows in parts.items():
        part = PART_OF.get(name.strip().lower())
        if part is None or part in named:
            raise ValueError(
                f"Cannot tell which part {name!r} is. Name the parts 'train', 'test' and, if "
                f"there is one, 'valid'. Got {', '.join(map(repr, parts))}."
            )
        named[part] = _positions(rows, n, part)
    if "train" not in named or len(named) < 2:
        raise ValueError(
            "A split into parts needs 'train' and at least one of 'test' and 'valid'. "
            f"Got {', '.join(map(repr, parts))}."
        )
    final = "test" if "test" in named else "valid"
    pairs = [(f"{final} against train", named["train"], named[final], True)]
    if len(named) == 3:
        pairs += [
            ("valid against train", named["train"], named["valid"], False),
            ("test against valid", named["valid"], named["test"], False),
        ]
    return _split(pairs, n, kind="parts", part=_part_of_row(named, n))


def _from_labels(labels: pd.Series, n: int) -> SplitRows:
    if len(labels) != n:
        raise ValueError(
            f"A split column needs one label per row: {len(labels)} labels, {n} rows. "
            "Row positions are given as a pair (train, test)."
        )
    present = labels.notna().to_numpy()
    if not present.any():
        raise ValueError(f"The split column has no label in any of its {n} rows.")
    if labels.dtype.kind == "b" or set(map(type, labels[present])) <= {bool, np.bool_}:
        mask = labels.fillna(False).to_numpy(dtype=bool)
        return _from_parts({"train": np.flatnonzero(~mask & present), "test": mask}, n)
    values = labels[present].unique().tolist()
    if all(isinstance(value, str) and value.strip().lower() in PART_OF for value in values):
        return _from_parts(
            {value: np.flatnonzero((labels == value).to_numpy()) for value in values}, n
        )
    _check_fold_names(values)
    return _from_fold_column(labels, present, values, n)


def _check_fold_names(values: list[Any]) -> None:
    """Refuse a misspelt part among parts; say where text is taken for the names of folds."""
    text = [value for value in values if isinstance(value, str)]
    parts = [value for value in text if value.strip().lower() in PART_OF]
    others = [value for value in values if value not in parts]
    if parts:
        raise ValueError(
            f"The split column holds {', '.join(map(repr, parts))}, and besides "
            f"{', '.join(map(repr, others[:5]))}, which names no part. Parts are called train, "
            "valid and test (or training, validation, val, dev, holdout ...); leave the label of "
            "rows in no part empty."
        )
    if text and not any(character.isdigit() for value in text for character in value):
        warnings.warn(
            f"The split column holds {', '.join(map(repr, text[:5]))}, which are no names of parts "
            "(train, valid, test): each is taken for a fold, tested against the others.",
            HonestevalWarning,
            stacklevel=2,
        )


def _from_fold_column(
    labels: pd.Series, present: NDArray[np.bool_], values: list[Any], n: int
) -> SplitRows:
    """Read each distinct label as a fold; -1 is trained on always, as in PredefinedSplit."""
    folds = sorted((value for value in values if value != -1), key=lambda v: (str(type(v)), v))
    if len(folds) > max(2, n // 2):
        raise ValueError(
            f"The split column has {len(folds)} distinct labels in {n} rows, which are no folds. "
            f"{_FORMS}"
        )
    if len(values) < 2:
        raise ValueError(f"The split column has one label only ({values}): there is no other side.")
    pairs = []
    for fold in folds:
        test = (labels == fold).fillna(False).to_numpy(dtype=bool) & present
        pairs.append((f"fold {_show(fold)}", np.flatnonzero(present & ~test),
                      np.flatnonzero(test), True))  # fmt: skip
    part = labels.astype(object).where(labels.notna(), None).to_numpy()
    return _split(pairs, n, kind="folds", part=part)


def _from_folds(folds: list[Any], n: int) -> SplitRows:
    pairs = []
    for number, fold in enumerate(folds):
        if not (_is_sequence(fold) and _is_pair_of_sequences(fold)):
            raise ValueError(f"Fold {number} is not a pair (train, test). {_FORMS}")
        train = _positions(fold[0], n, f"train (fold {number})")
        test = _positions(fold[1], n, f"test (fold {number})")
        pairs.append((f"fold {number}", train, test, True))
    return _split(pairs, n, kind="folds", part=_fold_of_row(pairs, n))


def _split(
    pairs: list[tuple[str, Rows, Rows, bool]],
    n: int,
    *,
    kind: SplitKind,
    part: NDArray[np.object_] | None,
) -> SplitRows:
    comparisons, overlapping, repeated = [], {}, {}
    for name, train, test, is_final in pairs:
        twice = np.union1d(_repeats(train), _repeats(test))
        if len(twice):
            repeated[name] = twice
        both = np.intersect1d(train, test)
        if len(both):
            overlapping[name] = both
        rest = np.setdiff1d(train, both)
        if len(rest) == 0:
            raise ValueError(
                f"{name}: every training row is also a test row, so that there is no split."
            )
        comparisons.append(Comparison(name, rest, np.unique(test), is_final))
    return SplitRows(kind, n, tuple(comparisons), part, overlapping, repeated)


def _repeats(rows: Rows) -> Rows:
    values, counts = np.unique(rows, return_counts=True)
    return values[counts > 1]


def _part_of_row(named: Mapping[str, Rows], n: int) -> NDArray[np.object_] | None:
    part = np.full(n, None, dtype=object)
    for name, rows in named.items():
        if any(part[row] is not None and part[row] != name for row in rows):
            return None
        part[rows] = name
    return part


def _fold_of_row(pairs: list[tuple[str, Rows, Rows, bool]], n: int) -> NDArray[np.object_] | None:
    """Return the fold of each row when the folds partition the rows, else None."""
    part = np.full(n, None, dtype=object)
    tested = np.concatenate([test for _, _, test, _ in pairs])
    if len(np.unique(tested)) < len(tested):
        return None
    everything = np.unique(np.concatenate([tested, *(train for _, train, _, _ in pairs)]))
    for number, (_, train, test, _) in enumerate(pairs):
        if len(pairs) > 1 and len(np.union1d(train, test)) < len(everything):
            return None
        part[test] = number
    if len(pairs) == 1:
        part[pairs[0][1]] = "train"
        part[pairs[0][2]] = "test"
    return part


def _show(fold: Any) -> str:
    return f"{fold:g}" if isinstance(fold, float) else str(fold)
