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
EXACT = 1 << 49
"""Ticks up to which places are exact: two roundings move a tick by less than a half."""


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
        if max(high - origin, period) > EXACT:
            return None
        found = cls(origin, period, marks, 0, 0)
        first, last = (int(place_of(tick, *found.numbers)) for tick in (low, high))
        return cls(origin, period, marks, first, last - first + 1)

    @property
    def numbers(self) -> tuple[int, int, float, np.ndarray, int]:
        """What loops find the place of a tick by."""
        return self.origin, self.period, 1.0 / self.period, self.marks, self.base

    def most(self, ticks: int) -> int:
        """No event of so many ticks is in more panes than this."""
        return (ticks // self.period + 2) * len(self.marks)


@compiled
def place_of(tick, origin, period, inverse, marks, base):  # type: ignore[no-untyped-def]
    """The place of a tick from the origin on.

    Dividing integers takes longer than all the rest.  The middle of a tick is further from every
    edge than the product is off.
    """
    x = tick - origin
    whole = np.int64((x + 0.5) * inverse)
    place = whole * len(marks) - base
    if len(marks) > 1:
        rest = x - whole * period
        for m in range(1, len(marks)):
            place += rest >= marks[m]
    return place


@compiled
def locate(start, end, origin, period, inverse, marks, base, first, final):  # type: ignore[no-untyped-def]
    """The places in which events begin, and those of their last ticks: an event that takes no time
    is there for one.  A loop without branches, which processors take several events of."""
    if len(marks) > 1:
        for i in range(len(start)):
            last = max(end[i] - 1, start[i])
            first[i] = place_of(start[i], origin, period, inverse, marks, base)
            final[i] = place_of(last, origin, period, inverse, marks, base)
    else:
        for i in range(len(start)):
            x = start[i] - origin
            z = max(end[i] - 1 - origin, x)
            first[i] = np.int64((x + 0.5) * inverse) - base
            final[i] = np.int64((z + 0.5) * inverse) - base
