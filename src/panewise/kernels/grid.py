"""The pane of many times at once, whatever the number of progressions.

Idea: only the edges between the earliest and the latest time of a batch matter.  They are listed
once and sorted; a table over equal stretches of time, a power of two wide, leads each time to an
edge near its own.  So a row costs a shift and a step or two, with one window or with a thousand.
"""

from __future__ import annotations

import numpy as np

from panewise.kernels.compiled import compiled
from panewise.plan import Edges

NO_PANE = -(2**62)
"""The pane before every fixed edge, which no window reads."""
_MOST_EDGES = 1 << 22


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

    def place(self, ticks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The panes of these times, ascending, and which of them each time is in.

        Not every pane that is listed has a time.
        """
        low, high = int(ticks.min()), int(ticks.max())
        panes = self._between(low, high, len(ticks))
        if panes is None:
            return np.unique(self.panes_of(ticks), return_inverse=True)
        if len(panes) == 1:
            return panes, np.zeros(len(ticks), np.int64)
        out = np.empty(len(ticks), np.int64)
        span = int(panes[-1]) - low
        shift = max(0, (max(span, 1) // (2 * len(panes)) + 1).bit_length() - 1)
        table = np.empty((span >> shift) + 2, np.int64)
        _lead(panes, low, shift, table)
        _places(ticks, panes, low, shift, table, out)
        return panes, out

    def panes_of(self, ticks: np.ndarray) -> np.ndarray:
        """The pane of each time: the greatest edge at or before it."""
        out = np.empty(len(ticks), np.int64)
        _panes_of(ticks, self._periods, self._phases, self._fixed, out)
        return out

    def _between(self, low: int, high: int, rows: int) -> np.ndarray | None:
        """Every edge that is the pane of a time in `[low, high]`; None where it does not pay."""
        count = _edges(self._periods, self._phases, self._fixed, low, high, _NOWHERE)
        if count > min(max(4 * rows, 1024), _MOST_EDGES):
            return None
        found = np.empty(count, np.int64)
        _edges(self._periods, self._phases, self._fixed, low, high, found)
        found.sort()
        fresh = np.ones(count, np.bool_)
        np.not_equal(found[1:], found[:-1], out=fresh[1:])
        found = found[fresh]
        return found[np.searchsorted(found, low, side="right") - 1 :]


_NOWHERE = np.empty(0, np.int64)


@compiled
def _edges(periods, phases, fixed, low, high, out):  # type: ignore[no-untyped-def]
    """Count, or list, the edges up to `high` from the last one at or before `low` on."""
    fill = len(out) > 0
    n = 0
    for j in range(len(periods)):
        edge = low - (low - phases[j]) % periods[j]
        if not fill:
            n += (high - edge) // periods[j] + 1
            continue
        while edge <= high:
            out[n] = edge
            n += 1
            edge += periods[j]
    for j in range(len(fixed)):
        if fixed[j] <= high:
            if fill:
                out[n] = fixed[j]
            n += 1
    if fill:
        if len(periods) == 0:
            out[n] = NO_PANE
    return n + (len(periods) == 0)


@compiled
def _panes_of(ticks, periods, phases, fixed, out):  # type: ignore[no-untyped-def]
    for i in range(len(ticks)):
        t = ticks[i]
        best = NO_PANE
        for j in range(len(periods)):
            best = max(best, t - (t - phases[j]) % periods[j])
        for j in range(len(fixed)):
            if fixed[j] <= t:
                best = max(best, fixed[j])
        out[i] = best


@compiled
def _lead(panes, low, shift, table):  # type: ignore[no-untyped-def]
    """For each stretch, the pane that holds its first tick."""
    j = 0
    for b in range(len(table)):
        begin = low + (b << shift)
        while j + 1 < len(panes) and panes[j + 1] <= begin:
            j += 1
        table[b] = j


@compiled
def _places(ticks, panes, low, shift, table, out):  # type: ignore[no-untyped-def]
    last, most = len(panes) - 1, len(table) - 1
    for i in range(len(ticks)):
        t = ticks[i]
        j = table[min((t - low) >> shift, most)]
        while j < last and panes[j + 1] <= t:
            j += 1
        out[i] = j
