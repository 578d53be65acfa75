"""Places: panes numbered one after another, so that the pane of a tick is arithmetic.

Idea: panes that repeat with one period are counted by period and by the few marks inside it.  Where
periods differ, the widest slices of one width that have all edges are counted instead.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from panewise.kernels.compiled import compiled
from panewise.kernels.spanning.layout import unit
from panewise.plan import Edges

MOST_MARKS = 4
EXACT = 1 << 50
"""Ticks up to which a quotient in floating point is off by one at most."""


@dataclass(frozen=True)
class Places:
    """The panes between two ticks: `count` of them from number `base` on."""

    origin: int
    period: int
    marks: np.ndarray
    """Where panes begin inside a period; the first is 0."""
    base: int
    count: int

    @classmethod
    def between(cls, edges: Edges, low: int, high: int) -> Places | None:
        """All panes from the one of `low` to the one of `high`; None if they cannot be counted."""
        periods = {period for period, _ in edges.progressions}
        phases = sorted(phase for _, phase in edges.progressions)
        if len(periods) == 1 and not edges.fixed and len(phases) <= MOST_MARKS:
            period, origin = periods.pop(), phases[0]
            marks = np.array(phases, np.int64) - origin
        else:
            period, origin = unit(edges)
            marks = np.zeros(1, np.int64)
        # counted from shortly before the first tick, so that quotients are small
        origin += (low - origin) // period * period
        if high - origin > EXACT:
            return None
        found = cls(origin, period, marks, 0, 0)
        first, last = (int(found.at(np.array([tick]))[0]) for tick in (low, high))
        return cls(origin, period, marks, first, last - first + 1)

    @property
    def numbers(self) -> tuple[int, int, float, np.ndarray, int]:
        """What loops find the place of a tick by."""
        return self.origin, self.period, 1.0 / self.period, self.marks, self.base

    def most(self, ticks: int) -> int:
        """No event of so many ticks is in more panes than this."""
        return (ticks // self.period + 2) * len(self.marks)

    def at(self, ticks: np.ndarray) -> np.ndarray:
        """The places of ticks."""
        out = np.empty(len(ticks), np.int64)
        locate(ticks, *self.numbers, out)
        return out


@compiled
def place_of(tick, origin, period, inverse, marks, base):  # type: ignore[no-untyped-def]
    """The place of a tick.  Dividing integers takes longer than all the rest."""
    x = tick - origin
    whole = np.int64(x * inverse)
    rest = x - whole * period
    more, less = rest >= period, rest < 0
    place = (whole + more - less) * len(marks) - base
    if len(marks) > 1:
        rest += (less - more) * period
        for m in range(1, len(marks)):
            place += rest >= marks[m]
    return place


@compiled
def locate(ticks, origin, period, inverse, marks, base, out):  # type: ignore[no-untyped-def]
    """The places of ticks.  A loop without branches, which processors take several ticks of."""
    if len(marks) > 1:
        for i in range(len(ticks)):
            out[i] = place_of(ticks[i], origin, period, inverse, marks, base)
    else:
        for i in range(len(ticks)):
            x = ticks[i] - origin
            whole = np.int64(x * inverse)
            rest = x - whole * period
            out[i] = whole + np.int64(rest >= period) - np.int64(rest < 0) - base
