"""Draw resamples as row weights: plain, stratified, or by group, a bounded block at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from honesteval._validation import check_1d, check_groups, name_rows

__all__ = ["ResamplingPlan", "make_generator", "resampling_plan"]

# Cells (resamples x rows) held at once; blocks of this size stay in a processor's cache.
CHUNK_CELLS = 250_000

# Up to here the jackknife leaves out one unit at a time; above, one of this many random blocks,
# whose influence values give the same acceleration up to about 0.6 / JACKKNIFE_BLOCKS.
MAX_EXACT_JACKKNIFE = 2_000
JACKKNIFE_BLOCKS = 1_000

RandomState = int | np.random.Generator | np.random.RandomState | None


def make_generator(random_state: Any) -> np.random.Generator | np.random.RandomState:
    """Return a generator: ``default_rng`` of a seed, or the one that was passed."""
    if isinstance(random_state, np.random.Generator | np.random.RandomState):
        return random_state
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise ValueError(
            "random_state must be None, an integer, a numpy Generator or a RandomState. "
            f"Got {random_state!r}."
        ) from error


@dataclass(frozen=True)
class ResamplingPlan:
    """What is drawn: units (rows or groups), each from its stratum.

    Attributes
    ----------
    n_rows : int
    unit_of_row : ndarray of shape (n_rows,) or None
        Unit each row belongs to; None when every row is its own unit.
    strata : tuple of ndarray
        Units of each stratum.
    """

    n_rows: int
    unit_of_row: NDArray[np.intp] | None
    strata: tuple[NDArray[np.intp], ...]

    @property
    def n_units(self) -> int:
        """Number of rows or groups that are drawn."""
        return sum(len(units) for units in self.strata)

    @property
    def chunk_size(self) -> int:
        """Number of resamples held at once."""
        return max(1, CHUNK_CELLS // max(1, self.n_rows))

    def unit_counts(
        self, n_resamples: int, generator: np.random.Generator | np.random.RandomState
    ) -> Iterator[NDArray[np.int64]]:
        """Yield how often each unit is drawn, in blocks of shape (at most chunk_size, n_units)."""
        for size in _chunks(n_resamples, self.chunk_size):
            counts = np.empty((size, self.n_units), dtype=np.int64)
            for units in self.strata:
                drawn = _integers(generator, len(units), (size, len(units)))
                _count_into(counts, drawn, units, whole=len(self.strata) == 1)
            yield counts

    def nested_counts(
        self,
        counts: NDArray[np.int64],
        n_resamples: int,
        generator: np.random.Generator | np.random.RandomState,
    ) -> NDArray[np.int64]:
        """Draw ``n_resamples`` resamples from every resample in ``counts`` (b, n_units).

        Returns unit counts of shape (b n_resamples, n_units), those of a line together.
        """
        nested = np.zeros((len(counts) * n_resamples, self.n_units), dtype=np.int64)
        for units in self.strata:
            n = len(units)
            position = np.tile(np.arange(n), len(counts))
            held = np.repeat(position, counts[:, units].ravel()).reshape(len(counts), n)
            drawn = _integers(generator, n, (len(counts), n_resamples * n))
            drawn = np.take_along_axis(held, drawn, axis=1).reshape(len(nested), n)
            _count_into(nested, drawn, units, whole=len(self.strata) == 1)
        return nested

    def to_rows(self, unit_counts: NDArray[Any]) -> NDArray[Any]:
        """Return row weights from unit counts: every row of a group has the group's count."""
        return unit_counts if self.unit_of_row is None else unit_counts[:, self.unit_of_row]

    def jackknife(
        self, generator: np.random.Generator | np.random.RandomState
    ) -> tuple[Iterator[NDArray[np.int64]], NDArray[np.intp]]:
        """Return blocks of leave-one-out weights, and the stratum of every unit left out."""
        block_of_unit, stratum_of_block = self._jackknife_blocks(generator)
        n_blocks = len(stratum_of_block)

        def weights() -> Iterator[NDArray[np.int64]]:
            start = 0
            for size in _chunks(n_blocks, self.chunk_size):
                left_out = np.arange(start, start + size)[:, None]
                yield self.to_rows((block_of_unit[None, :] != left_out).astype(np.int64))
                start += size

        return weights(), stratum_of_block

    def _jackknife_blocks(
        self, generator: np.random.Generator | np.random.RandomState
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        block_of_unit = np.empty(self.n_units, dtype=np.intp)
        stratum_of_block: list[int] = []
        for stratum, units in enumerate(self.strata):
            n_blocks = len(units)
            order = np.arange(len(units))
            if self.n_units > MAX_EXACT_JACKKNIFE:
                share = JACKKNIFE_BLOCKS * len(units) / self.n_units
                n_blocks = min(len(units), max(2, round(share)))
                order = generator.permutation(len(units))
            block_of_unit[units[order]] = len(stratum_of_block) + np.arange(len(units)) % n_blocks
            stratum_of_block += [stratum] * n_blocks
        return block_of_unit, np.asarray(stratum_of_block, dtype=np.intp)


def _chunks(total: int, size: int) -> Iterator[int]:
    for start in range(0, total, size):
        yield min(size, total - start)


def _integers(
    generator: np.random.Generator | np.random.RandomState, n: int, size: tuple[int, int]
) -> NDArray[np.int64]:
    if isinstance(generator, np.random.Generator):
        return generator.integers(0, n, size=size)
    return generator.randint(0, n, size=size)


def _count_into(
    counts: NDArray[np.int64], drawn: NDArray[np.int64], units: NDArray[np.intp], *, whole: bool
) -> None:
    """Write how often each unit was drawn, line by line."""
    for k in range(len(drawn)):
        found = np.bincount(drawn[k], minlength=len(units))
        if whole:
            counts[k] = found
        else:
            counts[k, units] = found


def resampling_plan(
    n_rows: int, *, groups: ArrayLike | None, strata: ArrayLike | None
) -> ResamplingPlan:
    """Return what to draw: rows or whole groups, from all of them or from each stratum."""
    unit_of_row = None
    n_units = n_rows
    if groups is not None:
        unit_of_row = _codes(groups, "groups", n_rows)
        n_units = int(unit_of_row.max()) + 1
        if n_units < 2:
            raise ValueError(
                "groups holds one group only, and whole groups are drawn: nothing would vary. "
                "Pass groups=None to draw rows."
            )
    if strata is None:
        return ResamplingPlan(n_rows, unit_of_row, (np.arange(n_units),))
    stratum_of_row = _codes(strata, "stratify", n_rows)
    stratum_of_unit = stratum_of_row
    if unit_of_row is not None:
        stratum_of_unit = _stratum_of_group(stratum_of_row, unit_of_row, n_units)
    found = range(int(stratum_of_unit.max()) + 1)
    units = tuple(np.flatnonzero(stratum_of_unit == stratum) for stratum in found)
    return ResamplingPlan(n_rows, unit_of_row, units)


def _stratum_of_group(
    stratum_of_row: NDArray[np.intp], unit_of_row: NDArray[np.intp], n_units: int
) -> NDArray[np.intp]:
    stratum_of_unit = np.empty(n_units, dtype=np.intp)
    stratum_of_unit[unit_of_row] = stratum_of_row
    mixed = np.flatnonzero(stratum_of_unit[unit_of_row] != stratum_of_row)
    if len(mixed):
        raise ValueError(
            f"Some groups hold rows of several strata (see {name_rows(mixed)}), and whole groups "
            "are drawn. Pass stratify=False, or strata that are constant within a group."
        )
    return stratum_of_unit


def _codes(labels: ArrayLike, name: str, n_rows: int) -> NDArray[np.intp]:
    codes, _ = pd.factorize(check_groups(check_1d(labels, name), n_rows, name=name))
    return np.asarray(codes, dtype=np.intp)
