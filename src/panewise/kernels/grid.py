"""The pane of many times at once, whatever the number of progressions.

Idea: only the edges between the earliest and the latest time of a batch matter.  They are listed
once and sorted; a table over equal stretches of time, a power of two wide, leads each time to an
edge near its own.  So a row costs a shift and a step or two, with one window or with a thousand.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from panewise.kernels.compiled import compiled
from panewise.kernels.ranges import ALWAYS, gallop, gallop_back
from panewise.plan import Edges

NO_PANE = -(2**62)
"""The pane before every fixed edge, which no window reads."""
_MOST_EDGES = 1 << 22
_LONGEST = 2**60
"""Ticks between times beyond which differences might not fit 64 bits."""
AHEAD = 16
"""How many times the length of a batch edges are listed ahead; if they are few, four times more."""
FEW = 1 << 10
"""Edges that are few, in a list that takes a look at every progression; more where these are."""
STRETCHES = 4
"""Equal stretches of time for each pane: more find it sooner, but leave the nearest cache."""


_NOWHERE = np.empty(0, np.int64)


class Grid:
    """The panes of an edge set.

    >>> grid = Grid(Edges(((15, 0), (17, 0))))
    >>> panes, place = grid.place(np.array([16, 40, 18]))
    >>> panes[place].tolist(), grid.panes_of(np.array([16, 40, 18])).tolist()
    ([15, 34, 17], [15, 34, 17])
    """

    def __init__(self, edges: Edges) -> None:
        grid = np.array(edges.progressions, np.int64).reshape(-1, 2)
        self._periods, self._phases = grid[:, 0].copy(), grid[:, 1].copy()
        self._fixed = np.array(edges.fixed, np.int64)
        self._rate = float((1 / self._periods).sum())
        self._listed: tuple[np.ndarray, int, int] = (_NOWHERE, 1, 0)

    def place(self, ticks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The panes of these times, ascending, and which of them each time is in.

        Not every pane that is listed has a time.
        """
        low, high = int(ticks.min()), int(ticks.max())
        panes = self.between(low, high, len(ticks))
        if panes is None:
            return np.unique(self.panes_of(ticks), return_inverse=True)
        return panes, Lead.to(panes, low, high, len(ticks)).places(ticks)

    def panes_of(self, ticks: np.ndarray) -> np.ndarray:
        """The pane of each time: the greatest edge at or before it."""
        out = np.empty(len(ticks), np.int64)
        _panes_of(ticks, self._periods, self._phases, self._fixed, out)
        return out

    def between(self, low: int, high: int, rows: int) -> np.ndarray | None:
        """Every edge that is the pane of a time in `[low, high]`; None where it does not pay.

        Edges are listed some way ahead: the next batch of a stream finds its own there.
        """
        if high - low > _LONGEST:
            return None
        listed, begin, end = self._listed
        if not begin <= low <= high <= end:
            count = self._about(low, high)
            if count > min(max(4 * rows, 1024), _MOST_EDGES):
                return None
            begin, end = low, high
            if AHEAD * count <= _MOST_EDGES // AHEAD:
                within = int(self._rate * (high - low)) + 1
                ahead = max(AHEAD, min(4 * AHEAD, max(FEW, len(self._periods)) // within))
                end = min(high + ahead * (high - low), -NO_PANE)
            listed = self._sorted(begin, end)
            self._listed = listed, begin, end
        first, stop = listed.searchsorted((low, high), side="right")
        return listed[max(first - 1, 0) : stop]

    def pane_of(self, tick: int) -> int:
        """The pane of one time."""
        listed, begin, end = self._listed
        if begin <= tick <= end:  # found without a look at every progression
            return int(listed[listed.searchsorted(tick, side="right") - 1])
        return int(self.panes_of(np.array([tick]))[0])

    def _about(self, low: int, high: int) -> int:
        """How many edges there are, give or take one of each progression."""
        return int(self._rate * (high - low)) + len(self._periods) + len(self._fixed) + 1

    def _sorted(self, low: int, high: int) -> np.ndarray:
        room = np.empty(self._about(low, high) + len(self._periods) + 1, np.int64)
        found = room[: _edges(self._periods, self._phases, self._fixed, low, high, room)]
        found.sort()
        fresh = np.ones(len(found), np.bool_)
        np.not_equal(found[1:], found[:-1], out=fresh[1:])
        return found[fresh]


@dataclass(frozen=True)
class Lead:
    """A way from each time of a batch to its pane.

    Most stretches have one edge inside or none, which is one comparison without a branch.
    """

    edges: np.ndarray
    """Where each pane begins, and behind them one that no time reaches."""
    low: int
    shift: int
    table: np.ndarray

    @classmethod
    def to(cls, panes: np.ndarray, low: int, high: int, rows: int) -> Lead:
        """To these panes, for so many rows with times in `[low, high]`."""
        edges = np.empty(len(panes) + 1, np.int64)
        edges[:-1], edges[-1] = panes, ALWAYS
        stretches = min(STRETCHES * len(panes), max(rows, 64))
        shift = max(0, ((high - low) // stretches + 1).bit_length() - 1)
        table = np.empty(((high - low) >> shift) + 1, np.int64)
        _lead(edges, low, shift, table)
        return cls(edges, low, shift, table)

    def places(self, ticks: np.ndarray) -> np.ndarray:
        """Which of the panes each time is in."""
        if len(self.edges) == 2:
            return np.zeros(len(ticks), np.int64)
        out = np.empty(len(ticks), np.int64)
        _places(ticks, self.edges, self.low, self.shift, self.table, out)
        return out


@compiled
def _edges(periods, phases, fixed, low, high, out):  # type: ignore[no-untyped-def]
    """List the edges up to `high` from the last one at or before `low` on; how many they are."""
    n = 0
    for j in range(len(periods)):
        edge = low - (low - phases[j]) % periods[j]
        while edge <= high:
            out[n] = edge
            n += 1
            edge += periods[j]
    for j in range(len(fixed)):
        if fixed[j] <= high:
            out[n] = fixed[j]
            n += 1
    if len(periods) == 0:
        out[n] = NO_PANE
        n += 1
    return n


@compiled
def _panes_of(ticks, periods, phases, fixed, out):  # type: ignore[no-untyped-def]
    for i in range(len(ticks)):
        t = ticks[i]
        best = NO_PANE if len(periods) == 0 else np.int64(-(2**63))
        for j in range(len(periods)):
            best = max(best, t - (t - phases[j]) % periods[j])
        for j in range(len(fixed)):
            if fixed[j] <= t:
                best = max(best, fixed[j])
        out[i] = best


@compiled
def _lead(edges, low, shift, table):  # type: ignore[no-untyped-def]
    """For each stretch, the pane that holds its first tick."""
    j = 0
    for b in range(len(table)):
        begin = low + (b << shift)
        while edges[j + 1] <= begin:
            j += 1
        table[b] = j


@compiled
def pane_at(t, edges, low, shift, table):  # type: ignore[no-untyped-def]
    """The place of one time's pane."""
    j = table[(t - low) >> shift]
    j += edges[j + 1] <= t
    while edges[j + 1] <= t:
        j += 1
    return j


@compiled
def _places(ticks, edges, low, shift, table, out):  # type: ignore[no-untyped-def]
    for i in range(len(ticks)):
        out[i] = pane_at(ticks[i], edges, low, shift, table)


@compiled
def cut_at(ticks, panes, cuts):  # type: ignore[no-untyped-def]
    """Where ascending times enter each of these panes, and their number; whether one has none.

    Times are mostly spread evenly: the place of each is looked for from where it would be then.

    >>> cuts = np.empty(4, np.int64)
    >>> bool(cut_at(np.array([1, 4, 5, 8]), np.array([0, 4, 8]), cuts)), cuts.tolist()
    (False, [0, 1, 3, 4])
    """
    count, at, empty = len(ticks), 0, False
    cuts[0], cuts[-1] = 0, count
    rate = count / max(ticks[-1] - ticks[0], 1)
    for j in range(1, len(panes)):
        near = at
        if at < count and ticks[at] < panes[j]:
            near = min(at + np.int64((panes[j] - ticks[at]) * rate), count - 1)
        if near < count and ticks[near] < panes[j]:
            at = gallop(ticks, near, count, panes[j])
        else:
            at = gallop_back(ticks, at, near + 1, panes[j])
        empty |= at == cuts[j - 1]
        cuts[j] = at
    return empty or at == count
