"""Which windows there are, and their rows: every window that holds at least one event.

Idea: periodic windows are arithmetic on positions, which are times or, for windows of rows, their
indices.  All others are read off the events in order.  Each window says from which watermark on
nothing can change it any more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import singledispatch

import numpy as np
import pyarrow as pa

from panewise.errors import QueryError
from panewise.model import Duration, RowCount, Size
from panewise.model.sql_types import arrow_type
from panewise.testing.oracle.periodic import spans
from panewise.testing.oracle.table import Event, Types
from panewise.windows import (
    END,
    ByTuple,
    Every,
    Family,
    Punctuation,
    RowFamily,
    ScannedRows,
    Session,
    UserWindow,
    Window,
)


@dataclass(frozen=True)
class Group:
    """The events of one key, in `(time, sequence)` order, all before the watermark."""

    events: Sequence[Event]
    tick: int = 1
    watermark: int = END
    types: Types = field(default_factory=dict)

    def after(self, event: Event) -> int:
        return event.time + self.tick

    def columns(self, names: Sequence[str]) -> dict[str, pa.Array]:
        known = {name: arrow_type(self.types[name]) for name in names if name in self.types}
        return {n: pa.array([e.row[n] for e in self.events], known.get(n)) for n in names}


@dataclass(frozen=True)
class Instance:
    """One window with its rows."""

    start: int
    end: int
    no: int | None
    events: Sequence[Event]
    final: int = END
    """The least watermark at which no later event can change it."""


@singledispatch
def instances(window: Window, group: Group) -> Iterator[Instance]:
    """Every window that holds at least one event: here, the periodic ones."""
    demand, events = window.demand(), group.events
    if isinstance(demand, Family):
        for start, end in sorted(_around(window, demand, events)):
            inside = [e for e in events if e.overlaps(start, end)]
            yield Instance(start, end, None, inside, final=end)
    elif isinstance(demand, RowFamily):
        for lo, hi, no in sorted(set(spans(window, range(len(events))))):
            inside = list(events[max(lo, 0) : hi])
            final = inside[-1].time + 1 if hi <= len(events) else END
            yield Instance(inside[0].time, group.after(inside[-1]), no, inside, final)
    else:
        raise QueryError(f"the oracle has no definition of {type(window).__name__} windows.")


def _around(window: Window, family: Family, events: Sequence[Event]) -> set[tuple[int, int]]:
    """The intervals that hold at least one event, or a part of it."""
    found: set[tuple[int, int]] = set()
    for event in events:
        last = event.time if event.last is None else event.last
        # an interval inside the event is not shorter than a step: one of these is in it
        positions = [*range(event.time, last + 1, family.step), last]
        found |= {(start, end) for start, end, _ in spans(window, positions)}
    return found


@instances.register
def _session(window: Session, group: Group) -> Iterator[Instance]:
    gap, run = ticks(window.gap), list[Event]()
    for event, following in zip(group.events, [*group.events[1:], None], strict=True):
        run.append(event)
        if following is None or following.time - event.time > gap:
            end = event.time + gap
            yield Instance(run[0].time, end, None, run, final=end + 1)  # at `end` one still joins
            run = []


@instances.register
def _every(window: Every, group: Group) -> Iterator[Instance]:
    slide, origin = ticks(window.slide), ticks(window.origin)
    for k in sorted({(e.time - origin) // slide + 1 for e in group.events}):
        at = origin + k * slide
        last = [e for e in group.events if e.time < at][-window.last.count :]
        yield Instance(last[0].time, group.after(last[-1]), k, last, final=at)


@instances.register
def _by_tuple(window: ByTuple, group: Group) -> Iterator[Instance]:
    size, slide = ticks(window.size), window.slide.count
    first = 0 if window.anchor == "start" else slide - 1
    for k, anchor in enumerate(group.events[first::slide]):
        start = anchor.time if window.anchor == "start" else group.after(anchor) - size
        inside = [e for e in group.events if start <= e.time < start + size]
        yield Instance(start, start + size, k, inside, final=start + size)


@instances.register
def _punctuation(window: Punctuation, group: Group) -> Iterator[Instance]:
    marked = window.predicate.holds(group.columns(window.predicate.columns) or {"": _any(group)})
    run = list[Event]()
    for event, mark in zip(group.events, marked, strict=True):
        if mark and run:
            yield Instance(run[0].time, event.time, None, run, final=event.time + 1)
            run = []
        run.append(event)
    yield Instance(run[0].time, group.after(run[-1]), None, run)


@instances.register
def _user(window: UserWindow, group: Group) -> Iterator[Instance]:
    """A user's window has no second definition: its own, over all rows at once."""
    times = np.array([e.time for e in group.events], np.int64)
    rows = ScannedRows(times, group.columns(window.columns()), group.tick)
    for closed in window.scan(None, rows, group.watermark).closed:
        inside = group.events[closed.lo : closed.hi]
        yield Instance(int(closed.start), int(closed.end), None, inside, final=group.watermark)


def _any(group: Group) -> pa.Array:
    """A column for predicates that read none, so that there is one answer per row."""
    return pa.nulls(len(group.events))


def ticks(size: Size) -> int:
    assert not isinstance(size, RowCount)
    return size.ticks if isinstance(size, Duration) else size
