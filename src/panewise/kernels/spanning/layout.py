"""Layouts: for each technique, where an event is written and what a window reads.

Idea: a cell has a level beside its key and pane.  An event `[start, last]` goes to some cells; a
window `[a, z)` reads, of every level, one range of panes.  A technique is these two statements, and
all the rest (folding, merging, combining) is the same for all.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from panewise.errors import QueryError
from panewise.kernels.compiled import compiled
from panewise.kernels.grid import Grid
from panewise.kernels.ranges import ALWAYS, NEVER
from panewise.plan import Edges
from panewise.plan.technique import MOST_SLICES, Kind, Technique


@dataclass(frozen=True)
class Writes:
    """Cells of events: their rows (None: all, in order), their levels, ticks of their panes."""

    row: np.ndarray | None
    level: np.ndarray | int
    tick: np.ndarray
    share: np.ndarray | None = None
    """Which share of its event each cell gets, where that matters."""


class Layout(ABC):
    """A technique over the edges of some windows."""

    panes: Edges
    """The panes that ticks of cells are put into."""

    @abstractmethod
    def writes(self, start: np.ndarray, last: np.ndarray) -> Iterator[Writes]:
        """The cells of events that are there from `start` to `last`, both inside."""

    @abstractmethod
    def reads(self, level: int, a: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The panes of a level that windows read: from, and before."""

    @abstractmethod
    def extents(self, level: int, pane: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where the events of cells are for certain: from, and to."""


class Difference(Layout):
    """Level 0 has what began in a pane, level 1 what ended in it."""

    def __init__(self, edges: Edges) -> None:
        self.panes = edges

    def writes(self, start: np.ndarray, last: np.ndarray) -> Iterator[Writes]:
        yield Writes(None, 0, start)
        yield Writes(None, 1, last)

    def reads(self, level: int, a: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """All that began before the end; all whose pane ended with the beginning or before."""
        return np.full(len(a), NEVER), a if level else z

    def extents(self, level: int, pane: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        raise AssertionError("which events are there follows from both levels")


class SeSlicing(Layout):
    """Slices of `height` levels: first those of events that end here, then of those that go on.

    A cell of level k stands for its own slice and the k before it.
    """

    def __init__(self, edges: Edges, low: int, high: int, height: int = 1) -> None:
        self.panes, self.height = edges, height
        listed = Grid(edges).between(low, high, MOST_SLICES)
        if listed is None:
            raise QueryError(
                f"se_slicing would cut more than {MOST_SLICES:,} slices.",
                hint='use strategy="dyadic", which lists none.',
            )
        self._slices = listed

    def writes(self, start: np.ndarray, last: np.ndarray) -> Iterator[Writes]:
        first = self._slices.searchsorted(start, side="right") - 1
        final = self._slices.searchsorted(last, side="right") - 1
        hops = -(-(final - first + 1) // self.height)
        row, level, place = (np.empty(int(hops.sum()), np.int64) for _ in range(3))
        _hops(first, final, self.height, row, level, place)
        yield Writes(row, level, self._slices[place])

    def reads(self, level: int, a: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        going, back = divmod(level, self.height)
        behind = self._slices.searchsorted(z)
        begin = self._slices[np.maximum(behind - 1, 0)] if going else a
        # levels of later slices that reach back into the window
        ends = np.append(self._slices, np.full(self.height, ALWAYS))
        return begin, ends[behind + back] if back else z

    def extents(self, level: int, pane: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        place = self._slices.searchsorted(pane) - level % self.height
        return self._slices[np.maximum(place, 0)], pane


class Blocks(Layout):
    """Slices of one width, and blocks of 2**level of them."""

    def __init__(self, edges: Edges) -> None:
        self.width, self.origin = unit(edges)
        self.panes = Edges(((self.width, self.origin % self.width),))

    def _slices(self, ticks: np.ndarray) -> np.ndarray:
        return (ticks - self.origin) // self.width

    def _ticks(self, slices: np.ndarray) -> np.ndarray:
        return slices * self.width + self.origin


class Twice(Blocks):
    """Two blocks that cover the event together, where an event may count twice."""

    def writes(self, start: np.ndarray, last: np.ndarray) -> Iterator[Writes]:
        first, stop = self._slices(start), self._slices(last) + 1
        level = np.empty(len(first), np.int64)
        _logarithms(stop - first, level)
        yield Writes(None, level, self._ticks(first))
        yield Writes(None, level, self._ticks(stop - (1 << level)))

    def reads(self, level: int, a: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return a - (self.width << level) + 1, z

    def extents(self, level: int, pane: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return pane, pane + (self.width << level) - self.width


class Once(Blocks):
    """Where it began, on level 0, and blocks at multiples of their width for where it goes on.

    A window has what began in it, and what was going on when it began: of each level one block.
    """

    def writes(self, start: np.ndarray, last: np.ndarray) -> Iterator[Writes]:
        yield Writes(None, 0, start)
        first, stop = self._slices(start) + 1, self._slices(last) + 1
        row, level, place = aligned_blocks(first, stop)
        yield Writes(row, level, self._ticks(place))

    def reads(self, level: int, a: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if not level:
            return a, z
        begun = self._slices(a)
        at = self._ticks(begun - begun % (1 << (level - 1)))
        return at, at + 1

    def extents(self, level: int, pane: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return pane, pane + ((self.width << max(level - 1, 0)) - self.width)


def extent(technique: Technique, edges: Edges, pane: np.ndarray) -> tuple[int, int]:
    """The ticks between which the slices of these cells are."""
    if not edges.progressions:  # before the first edge is a pane, too
        return min(edges.fixed) - 1, max(edges.fixed)
    # cells of several levels stand for slices before their own
    reach = technique.height * max(period for period, _ in edges.progressions)
    return int(pane.min()) - reach, int(pane.max())


def layout_of(technique: Technique, edges: Edges, low: int, high: int, idempotent: bool) -> Layout:
    """The layout of a technique, for events between two ticks."""
    if technique.kind is Kind.DIFFERENCE:
        return Difference(edges)
    if technique.kind is Kind.DYADIC:
        return Twice(edges) if idempotent else Once(edges)
    return SeSlicing(edges, low, high, technique.height)


def unit(edges: Edges) -> tuple[int, int]:
    """The widest slices of one width that have all edges, and one of their edges.

    >>> unit(Edges(((15, 0), (10, 5)))), unit(Edges((), (3, 7, 13)))
    ((5, 0), (2, 3))
    """
    marks = [phase for _, phase in edges.progressions] + list(edges.fixed)
    apart = [period for period, _ in edges.progressions] + [mark - marks[0] for mark in marks]
    return math.gcd(*apart) or 1, marks[0]


def aligned_blocks(
    first: np.ndarray, stop: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The blocks of each stretch of slices: whose, on which level from 1 on, and where."""
    count = _blocks(first, stop, *(np.empty(0, np.int64) for _ in range(3)))
    row, level, place = (np.empty(count, np.int64) for _ in range(3))
    if count:
        _blocks(first, stop, row, level, place)
    return row, level, place


@compiled
def _hops(first, final, height, rows, levels, places):  # type: ignore[no-untyped-def]
    n = 0
    for r in range(len(first)):
        slices, at, going = final[r] - first[r] + 1, final[r], 0
        while slices > 0:
            rows[n], places[n] = r, at
            levels[n] = going + min(slices, height) - 1
            n += 1
            at -= height
            slices -= height
            going = height


@compiled
def _logarithms(numbers, out):  # type: ignore[no-untyped-def]
    for i in range(len(numbers)):
        n, log = numbers[i] >> 1, 0
        while n > 0:
            n >>= 1
            log += 1
        out[i] = log


@compiled
def _blocks(first, stop, rows, levels, places):  # type: ignore[no-untyped-def]
    """Count, or list, the aligned blocks of each stretch: from both ends towards the middle."""
    fill = len(rows) > 0
    n = 0
    for r in range(len(first)):
        low, high, log = first[r], stop[r], 0
        while low < high:
            for at, odd in ((low, low & 1), (high - 1, high & 1)):
                if odd and low < high:
                    if fill:
                        rows[n], levels[n], places[n] = r, log + 1, at << log
                    n += 1
                    if at == low:
                        low += 1
                    else:
                        high -= 1
            low >>= 1
            high >>= 1
            log += 1
    return n
