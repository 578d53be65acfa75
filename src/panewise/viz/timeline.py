"""The time line: what windows do to a few events.

Idea: the plan runs over the events, and what it says is drawn: events on top, below them a band
for each window with a bar `[start, end)` for each result, and the edges of the panes as thin lines
through all of it.  Bars that overlap take rows of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from panewise.plan import Plan, RingPlan, SharedPlan
from panewise.viz.bars import HIGH, Bars
from panewise.viz.legend import legend
from panewise.viz.marks import Marks
from panewise.viz.packing import more, spelled
from panewise.viz.paper import FAINT, QUIET, paper, shape, short, sized, width_of, write
from panewise.viz.scale import Scale, named_moment
from panewise.viz.watched import Key, Lane, Watched, watch

MARGIN = 16
MOST_KEYS = 4
"""Keys that have a row of their own; the others are left out, and the picture says so."""
KEY_COLUMNS = 12
HEAD = 22
"""Above a band, for the name of its window."""
BETWEEN = 10
OVERHANG = 0.6
"""How far windows may reach beyond the events, as a share of these; longer ones are cut."""
NARROWEST = 3.0
"""Pixels of a pane below which edges would be a grey area."""


def draw(
    plan: Plan | RingPlan | SharedPlan,
    events: Any,
    *,
    column: str | None = None,
    value: str | None = None,
    title: str = "",
    width: int = 720,
    **options: Any,
) -> str:
    """Windows and panes over a few events, as a standalone SVG.

    `events` are an Arrow table, a data frame or a dict of lists.  `column` is the aggregate whose
    results are shown (the first), `value` the column that is written beside events (the one it
    reads).  With `delay`, `lateness` or other options of the operator, rows go in one by one in the
    order given: late ones are marked, and windows that were told again show all their values.

    >>> import panewise as pw
    >>> plan = pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=[pw.sum("x")])
    >>> picture = draw(plan, {"t": [1, 4, 12], "x": [5, 1, 2]})
    >>> picture[:4], "tumbling(10)" in picture, ">6</text>" in picture
    ('<svg', True, True)
    """
    seen = watch(plan, events, column=column, value=value, options=options)
    return _Picture(seen, title, float(width)).drawn()


class _Picture:
    """One time line, drawn from the top down."""

    def __init__(self, seen: Watched, title: str, width: float) -> None:
        self.seen, self.title, self.width = seen, title, width
        self.root = paper(title or "Windows and panes on a time line")
        self.behind = shape(self.root, "g")
        keys = list(dict.fromkeys(event.key for event in seen.events)) or [()]
        self.keys = keys[:MOST_KEYS]
        left_out = len(keys) - MOST_KEYS
        self.notes = [f"{more(left_out, 'key')} left out"] * (left_out > 0)
        self.names = {key: short(_spelled(key), KEY_COLUMNS) for key in self.keys}
        gutter = max(width_of(name) for name in self.names.values())
        left = MARGIN + (gutter + 8 if gutter else 0)
        self.scale = Scale(*_range(seen), left, width - 2 * MARGIN)

    def drawn(self) -> str:
        top = float(MARGIN)
        if self.title:
            write(self.root, MARGIN, top + 12, self.title, size=15, bold=True)
            top += 28
        begin = top
        for key in self.keys:
            top = self._events(key, top)
        for lane in self.seen.lanes:
            top = self._headline(lane, top + BETWEEN)
            for key in self.keys:
                top = self._windows(lane, key, top)
        edges = self._panes(begin, top + 4)
        top = self._axis(top + 4)
        bottom = legend(self.root, self.seen, edges, self.notes, MARGIN, top + 10, self.width)
        return sized(self.root, self.width, bottom + MARGIN / 2)

    def _events(self, key: Key, top: float) -> float:
        ours = [event for event in self.seen.events if event.key == key]
        late = any(event.late for event in self.seen.events)
        marks = Marks(ours, self.scale, late)
        marks.draw(self.root, top)
        self._name(key, marks.middle + 4)
        return top + marks.height

    def _windows(self, lane: Lane, key: Key, top: float) -> float:
        bars = Bars([t for t in self.seen.told if t.lane == lane and t.key == key], self.scale)
        bars.draw(self.root, top)
        self._name(key, top + HIGH - 5)
        return top + bars.height

    def _headline(self, lane: Lane, top: float) -> float:
        query, window, level = lane
        name = short((f"{query}: " if query else "") + window, 60)
        name += f", level {level}" if level is not None else ""
        of = short(self.seen.shown[query], 30)
        write(self.root, MARGIN, top + 14, name, bold=True, halo=True, then=of)
        return top + HEAD

    def _name(self, key: Key, y: float) -> None:
        if self.names[key]:
            write(self.root, MARGIN, y, self.names[key], colour=QUIET)

    def _axis(self, top: float) -> float:
        from panewise.operator.columns import moment_of

        scale, kind = self.scale, self.seen.time
        step, ticks = scale.named(timed=not pa.types.is_integer(kind))
        ends = [f"M {scale.left:g} {top:g} H {scale.right:g}"]
        ends += [f"M {scale(tick):g} {top:g} v 5" for tick in ticks]
        shape(self.root, "path", d=" ".join(ends), stroke=QUIET, stroke_width=1)
        for tick in ticks:
            name = named_moment(moment_of(tick, kind), step)
            write(self.root, scale(tick), top + 18, name, size=11, colour=QUIET, anchor="middle")
        return top + 24

    def _panes(self, top: float, bottom: float) -> bool:
        """The edges of the panes; whether there are any to be seen."""
        edges = sorted(set(_edges(self.seen, self.scale)))
        if not edges:
            return False
        way = " ".join(f"M {self.scale(e):g} {top:g} V {bottom:g}" for e in edges)
        shape(
            self.behind,
            "path",
            d=way,
            stroke=FAINT,
            stroke_width=0.7,
            stroke_dasharray="2 3",
            **{"class": "panes"},
        )
        return True


def _edges(seen: Watched, scale: Scale) -> Iterator[int]:
    least = NARROWEST * (scale.high - scale.low) / (scale.right - scale.left)
    if any(period < least for period, _ in seen.edges.progressions):
        return
    for period, phase in seen.edges.progressions:
        yield from range(scale.low + (phase - scale.low) % period, scale.high + 1, period)
    yield from (edge for edge in seen.edges.fixed if scale.low <= edge <= scale.high)


def _range(seen: Watched) -> tuple[int, int]:
    """All events, and windows as far as they do not reach too far beyond."""
    points = [tick for event in seen.events for tick in (event.start, event.end)] or [0]
    low, high = min(points), max(points)
    bounds = [(told.start, told.end) for told in seen.told]
    first = min((start for start, _ in bounds), default=low)
    last = max((end for _, end in bounds), default=high)
    more = int((high - low) * OVERHANG) or max(last - first, 1)
    return max(min(first, low), low - more), min(max(last, high), high + more)


def _spelled(key: Sequence[Any]) -> str:
    return ", ".join(spelled(each) for each in key)
