"""K-fold cross-validation in blocks of time, with what touches a block left out of training."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from honesteval._validation import check_number, check_same_length, n_rows, name_rows
from honesteval.exceptions import InfeasibleSplitError
from honesteval.model_selection._entities_of import as_pandas, group_labels
from honesteval.model_selection._splitter import Splitter
from honesteval.model_selection._time_values import (
    as_duration,
    as_times,
    column_of,
    has_zone,
    in_order,
)

__all__ = ["BlockedTimeSeriesKFold"]

#: Why a row neither trains nor is tested, in the order in which the reasons are looked at.
REASONS = ("group", "overlap", "embargo", "gap", "later")


@dataclass(frozen=True)
class _Fold:
    train: NDArray[np.intp]
    test: NDArray[np.intp]
    left_out: dict[str, NDArray[np.intp]]
    start: Any
    end: Any


class BlockedTimeSeriesKFold(Splitter):
    """K-fold splitter whose test folds are blocks of consecutive times.

    Neighbours in time resemble each other, so that shuffled folds test a model on what it has
    nearly seen. Each block is tested once; rows before and after it train, except those that
    touch it: whose label's interval overlaps the block's, or comes within ``embargo`` of it, the
    nearest ``gap`` rows on each side, and rows of a group in it. Rows of the same time are never
    divided. The rules apply to whatever rows are given, so that the splitter serves in the inner
    as well as in the outer loop.

    Parameters
    ----------
    n_splits : int >= 2, default=5
    time : str, int or None, default=None
        Where the times (numbers or dates) are: the name or position of a column of X,
        ``"index"`` (of a pandas table), or ``"groups"`` (they are passed as groups). None: the
        rows are in order of time, one unit apart.
    label_end : str, int, duration or None, default=None
        When the label of a row is known: the name or position of a column of X that holds that
        time, or the time from the row to then (a number, or between dates a
        :class:`pandas.Timedelta`). None: at once. A number is a position only where ``time`` is
        one, too.
    gap : int or (int, int), default=0
        Rows next to the block left out of training, before and after it. It is not added to what
        ``label_end`` and ``embargo`` leave out there: the widest counts.
    embargo : duration or (duration, duration), default=0
        Time left out before and after the interval from the block's first time to its last label,
        the ends included: a number, or between dates what pandas reads as one (``"30D"``).
    past_only : bool, default=False
        Train only on what comes before the block. The times are then divided into one block
        more, and the first is not tested.

    Raises
    ------
    InfeasibleSplitError
        From :meth:`split`, if there are fewer times than blocks, or nothing is left to train on.
    ValueError
        From :meth:`split`, if times are missing or labels end before they start.

    See Also
    --------
    sklearn.model_selection.TimeSeriesSplit : Past only, without intervals and groups.

    References
    ----------
    C. Bergmeir, J. M. Benitez, "On the use of cross-validation for time series predictor
    evaluation", Inf. Sci. 191 (2012) 192-213, doi:10.1016/j.ins.2011.12.028.
    M. Lopez de Prado, "Advances in Financial Machine Learning", Wiley (2018), chapter 7.

    Examples
    --------
    >>> import numpy as np
    >>> from honesteval import BlockedTimeSeriesKFold
    >>> X = np.arange(15)[:, None]
    >>> cv = BlockedTimeSeriesKFold(n_splits=3, gap=1, label_end=2)
    >>> for train, test in cv.split(X):
    ...     print("".join("T" if i in test else "-" if i in train else "." for i in range(15)))
    TTTTT..--------
    ---..TTTTT..---
    --------..TTTTT
    >>> cv.fold_report(X)[["n_train", "n_test", "overlap", "gap"]]
          n_train  n_test  overlap  gap
    fold
    0           8       5        2    0
    1           6       5        4    0
    2           8       5        2    0
    """

    def __init__(
        self,
        n_splits: int = 5,
        *,
        time: str | int | None = None,
        label_end: Any = None,
        gap: int | tuple[int, int] = 0,
        embargo: Any = 0,
        past_only: bool = False,
    ) -> None:
        self.n_splits = int(check_number(n_splits, "n_splits", low=2, integer=True))
        self.time = time
        self.label_end = label_end
        for side in _both_sides(gap, "gap"):
            check_number(side, "gap", low=0, integer=True)
        _both_sides(embargo, "embargo")
        self.gap = gap
        self.embargo = embargo
        self.past_only = bool(past_only)

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Yield training and test rows of each block, in order of time.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : object
            Ignored.
        groups : array-like of shape (n_samples,), optional
            Rows of a group that is tested do not train; or the times, with ``time="groups"``.

        Yields
        ------
        train, test : ndarray of int
        """
        for fold in self._folds(X, groups):
            yield fold.train, fold.test

    def fold_report(self, X: Any, y: Any = None, groups: Any = None) -> pd.DataFrame:
        """Return one row per fold: sizes, times, and how many rows were left out and why.

        Parameters
        ----------
        X, y, groups : array-like
            As for :meth:`split`.

        Returns
        -------
        report : DataFrame
            Columns ``n_train``, ``n_test``, ``start`` and ``end`` (first time and last label of
            the block), and the rows left out of training because of their ``group``, an
            ``overlap``, the ``embargo``, the ``gap``, or because they come ``later``. A row is
            counted once, for the first reason that applies.
        """
        folds = self._folds(X, groups)
        return pd.DataFrame(
            [
                {
                    "n_train": len(fold.train),
                    "n_test": len(fold.test),
                    "start": fold.start,
                    "end": fold.end,
                    **{reason: len(rows) for reason, rows in fold.left_out.items()},
                }
                for fold in folds
            ],
            index=pd.RangeIndex(self.n_splits, name="fold"),
        )

    def left_out(self, X: Any, y: Any = None, groups: Any = None) -> list[NDArray[np.intp]]:
        """Return the rows that neither train nor are tested, for each fold.

        Parameters
        ----------
        X, y, groups : array-like
            As for :meth:`split`.

        Returns
        -------
        rows : list of ndarray of int
        """
        return [
            np.sort(np.concatenate(list(fold.left_out.values()))) for fold in self._folds(X, groups)
        ]

    def _folds(self, X: Any, groups: Any) -> list[_Fold]:
        X, groups = as_pandas(X), as_pandas(groups)
        start, are_dates = self._times(X, groups)
        end = self._ends(X, groups, start, are_dates=are_dates)
        labels = None
        if groups is not None and self.time != "groups":
            check_same_length(X=X, groups=groups)
            labels = group_labels(groups)
        order = in_order(start)
        edges = _edges(start[order], self.n_splits + self.past_only)
        before, after = (
            as_duration(side, "embargo", are_dates=are_dates)
            for side in _both_sides(self.embargo, "embargo")
        )
        gap_before, gap_after = _both_sides(self.gap, "gap")
        place = np.empty(len(order), dtype=np.intp)
        place[order] = np.arange(len(order))
        folds: list[_Fold] = []
        for low, high in list(pairwise(edges))[int(self.past_only) :]:
            test = np.sort(order[low:high])
            first, last = start[test].min(), end[test].max()
            tested = (place >= low) & (place < high)
            reasons = {
                "group": np.zeros(len(start), dtype=bool)
                if labels is None
                else np.isin(labels, labels[test]),
                "overlap": (start <= last) & (end >= first),
                "embargo": (start <= last + after) & (end >= first - before),
                "gap": (place >= low - gap_before) & (place < high + gap_after),
                "later": (place >= high) & self.past_only,
            }
            free, left_out = ~tested, {}
            for reason in REASONS:
                left_out[reason] = np.flatnonzero(free & reasons[reason])
                free &= ~reasons[reason]
            train = np.flatnonzero(free)
            if len(train) == 0:
                counts = ", ".join(f"{len(r)} by {name}" for name, r in left_out.items() if len(r))
                raise InfeasibleSplitError(
                    f"Fold {len(folds)} leaves no row to train on: of {len(start)} rows "
                    f"{len(test)} are tested, and left out are {counts}. Lower gap, embargo or "
                    f"label_end, use more folds, or pass finer groups."
                )
            shown = pd.to_datetime([first, last]) if are_dates else (first, last)
            folds.append(_Fold(train, test, left_out, *shown))
        return folds

    def _times(self, X: Any, groups: Any) -> tuple[NDArray[Any], bool]:
        if self.time == "groups":
            if groups is None:
                raise ValueError(
                    "time='groups', but no groups were passed. Pass the times as groups."
                )
            if X is not None:
                check_same_length(X=X, groups=groups)
            return as_times(groups, "time")
        if X is None:
            raise ValueError("X is None. Pass X, or the times as groups with time='groups'.")
        if self.time is None:
            return np.arange(n_rows(X), dtype=np.int64), False
        return as_times(column_of(X, self.time, "time"), "time")

    def _ends(self, X: Any, groups: Any, start: NDArray[Any], *, are_dates: bool) -> NDArray[Any]:
        if self.label_end is None:
            return start
        names = list(getattr(X, "columns", ()))
        is_position = isinstance(self.label_end, int) and isinstance(self.time, int)
        if is_position or (isinstance(self.label_end, str) and self.label_end in names):
            column = column_of(X, self.label_end, "label_end")
            end, ends_are_dates = as_times(column, "label_end")
            if ends_are_dates != are_dates:
                raise ValueError("time and label_end must both be dates, or both be numbers.")
            if are_dates:
                starts = groups if self.time == "groups" else column_of(X, self.time or 0, "time")
                if has_zone(starts) != has_zone(column):
                    raise ValueError(
                        "One of time and label_end has a time zone and the other has none. Give "
                        "both the same, for example with Series.dt.tz_localize."
                    )
        elif isinstance(self.label_end, str) and not are_dates:
            raise ValueError(
                f"label_end={self.label_end!r} is no column of X; X has the columns {names}."
            )
        else:
            duration = as_duration(self.label_end, "label_end", are_dates=are_dates)
            end = start + (int(duration) if duration.is_integer() else duration)
        early = np.flatnonzero(end < start)
        if len(early):
            raise ValueError(f"The label ends before it starts in {name_rows(early)}.")
        return end


def _both_sides(value: Any, what: str) -> tuple[Any, Any]:
    if isinstance(value, tuple | list) and len(value) != 2:
        raise ValueError(
            f"{what} must be one value, or two: before and after the block. Got {value!r}."
        )
    return (value[0], value[1]) if isinstance(value, tuple | list) else (value, value)


def _edges(times: NDArray[Any], n_blocks: int) -> list[int]:
    """Return where to cut sorted times into blocks of nearly equal size, never within one time."""
    cuts = np.flatnonzero(times[1:] > times[:-1]) + 1
    if len(cuts) < n_blocks - 1:
        raise ValueError(
            f"{len(cuts) + 1 if len(times) else 0} different times cannot be divided into "
            f"{n_blocks} blocks. Lower n_splits."
        )
    edges, used = [0], -1
    for block in range(1, n_blocks):
        free = np.arange(used + 1, len(cuts) - (n_blocks - 1 - block))
        used = int(free[np.abs(cuts[free] - block * len(times) / n_blocks).argmin()])
        edges.append(int(cuts[used]))
    return [*edges, len(times)]
