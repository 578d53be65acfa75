"""Sums of values weighed by the share of their event that is in a window.

Idea: an event gives its first and its last slice what of it is in them, on level 0, and to aligned
blocks of the slices between what each of these slices gets.  A window reads the slices that it has,
all blocks inside it times the slices of a block, and of each level at most two blocks that it cuts,
times the slices inside.  Nothing is subtracted, so nothing cancels.
Cost: of every level three searches and folds for each window.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from panewise.aggregates import Partial
from panewise.kernels.columns import Column, Numbers
from panewise.kernels.fold import fold
from panewise.kernels.spanning.compose import Leveled, joined, searched
from panewise.kernels.spanning.layout import Blocks, Writes, aligned_blocks


class Weighted(Blocks):
    """Shares of slices on level 0, blocks of 2**(level - 1) full slices above."""

    def writes(self, start: np.ndarray, last: np.ndarray) -> Iterator[Writes]:
        first, final = self._slices(start), self._slices(last)
        length = (last - start + 1).astype(np.float64)
        inside = np.minimum(self._ticks(first + 1) - 1, last) - start + 1
        yield Writes(None, 0, start, inside / length)
        longer = np.flatnonzero(first < final)
        rest = (last - self._ticks(final) + 1)[longer]
        yield Writes(longer, 0, last[longer], rest / length[longer])
        row, level, place = aligned_blocks(first + 1, final)
        yield Writes(row, level, self._ticks(place), self.width / length[row])

    def reads(self, level: int, a: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        raise AssertionError("blocks are read by how much of them is inside")

    def extents(self, level: int, pane: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return pane, pane + ((self.width << max(level - 1, 0)) - self.width)

    def parts(
        self, level: int, a: np.ndarray, z: np.ndarray
    ) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray | float]]:
        """Ranges of panes that windows read, and the slices of each block that are inside."""
        if not level:
            yield a, z, 1.0
            return
        size = 1 << (level - 1)
        first, stop = self._slices(a), self._slices(z)
        low, high = -(-first // size) * size, stop // size * size
        yield self._ticks(low), self._ticks(high), float(size)
        left = np.where(low > first, np.minimum(low, stop) - first, 0)
        right = np.where((high < stop) & (high >= low), stop - high, 0)
        for at, slices in ((low - size, left), (high, right)):
            begin = self._ticks(at)
            yield begin, np.where(slices > 0, begin + 1, begin), slices.astype(np.float64)


def weighed(
    layout: Weighted,
    leveled: Leveled,
    partials: tuple[Partial, ...],
    windows: tuple[np.ndarray, ...],
    checked: bool,
) -> list[Column]:
    """The partials of windows `(number, key, start, end)`."""
    _, code, start, end = windows
    found: list[Column | None] = [None] * len(partials)
    for level in range(leveled.levels):
        for begin, stop, slices in layout.parts(level, start, end):
            lo, hi = searched(leveled, level, code, begin, stop)
            if level and not np.any(lo < hi):
                continue
            for at, partial in enumerate(partials):
                read = _times(fold(partial, leveled.cells.partials[at], lo, hi), slices)
                before = found[at]
                found[at] = read if before is None else joined(partial, before, read, checked)
    return [column for column in found if column is not None]


def _times(column: Column, slices: np.ndarray | float) -> Column:
    assert isinstance(column, Numbers)
    with np.errstate(invalid="ignore"):  # what is not there may be any number
        return Numbers(column.values * slices, column.valid, column.kind)
