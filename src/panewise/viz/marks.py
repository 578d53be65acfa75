"""Events on a time line: marks for instants, bars for those that last."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from panewise.viz.packing import rows_of, spelled
from panewise.viz.paper import (
    FAINT,
    GREEN,
    INK,
    PALE_GREEN,
    PAPER,
    QUIET,
    VERMILION,
    shape,
    short,
    width_of,
    write,
)
from panewise.viz.scale import Scale
from panewise.viz.watched import Event

RADIUS = 4.5
STACKED = 11
"""Between marks of the same place."""
LINE = 14
"""A row of values."""
SPAN, SPAN_ROW = 14, 18
LONGEST = 10
"""Columns of a value."""


class Marks:
    """The events of one key in their rows."""

    def __init__(self, events: Sequence[Event], scale: Scale, numbered: bool) -> None:
        self.events, self.scale = events, scale
        self.numbers = 14 if numbered else 0
        self.lasting = any(event.end > event.start for event in events)
        self.labels = [
            "" if event.value is None else short(spelled(event.value), LONGEST) for event in events
        ]
        self.rows = self._packed()
        self.above = [] if self.lasting else rows_of([self._label(i) for i in range(len(events))])
        self.middle = 0.0

    def _packed(self) -> list[int]:
        if not self.lasting:
            at = [self.scale(event.start) for event in self.events]
            return rows_of([(x - RADIUS, x + RADIUS) for x in at], gap=1)
        extents = []
        for event, label in zip(self.events, self.labels, strict=True):
            left, right = self.scale(event.start), self._end(event)
            extents.append((left, right if _fits(label, left, right) else right + _wide(label)))
        return rows_of(extents, gap=3)

    def _end(self, event: Event) -> float:
        return max(self.scale(event.end), self.scale(event.start) + 3)

    def _label(self, number: int) -> tuple[float, float]:
        x, wide = self.scale(self.events[number].start), width_of(self.labels[number], 11)
        return x - wide / 2 - 1, x + wide / 2 + 1

    @property
    def height(self) -> float:
        stacked = max(self.rows, default=0)
        if self.lasting:
            return (stacked + 1) * SPAN_ROW + 4 + self.numbers
        lines = max(self.above, default=0) + 1 if any(self.labels) else 0
        return lines * LINE + stacked * STACKED + 2 * RADIUS + 8 + self.numbers

    def draw(self, root: Element, top: float) -> None:
        self.middle = top + self.height - self.numbers - RADIUS - 4
        group = shape(root, "g", **{"class": "events"})
        for number in range(len(self.events)):
            (self._bar if self.lasting else self._mark)(group, number, top)

    def _mark(self, root: Element, number: int, top: float) -> None:
        event, label = self.events[number], self.labels[number]
        x, y = self.scale(event.start), self.middle - STACKED * self.rows[number]
        highest = self.middle - STACKED * max(self.rows) - RADIUS - 4
        above = highest - LINE * self.above[number]
        if label:
            if above < y - RADIUS - 5:  # not its neighbour: a line leads to it
                shape(root, "path", d=f"M {x:g} {y:g} V {above + 2:g}", stroke=FAINT)
            write(root, x, above, label, size=11, anchor="middle", halo=True)
        mark(root, event, x, y, _told(event, number, self.numbers > 0))
        if self.numbers and not self.rows[number]:
            number_below(root, x, y + 17, number + 1)

    def _bar(self, root: Element, number: int, top: float) -> None:
        event, label = self.events[number], self.labels[number]
        left, right, y = self.scale(event.start), self._end(event), top + 2
        y += SPAN_ROW * self.rows[number]
        stroke = VERMILION if event.late else GREEN
        style = {"fill": PAPER if event.late else PALE_GREEN, "stroke": stroke, "stroke_width": 1.5}
        dashes = "4 2" if event.late else None
        shape(
            root,
            "rect",
            _told(event, number, self.numbers > 0),
            **{"class": "event", "x": left, "y": y, "width": right - left, "height": SPAN, "rx": 7},
            **style,
            stroke_dasharray=dashes,
        )
        if event.dropped:
            mark(root, event, right, y + SPAN / 2)
        if _fits(label, left, right):
            write(root, (left + right) / 2, y + 11, label, size=11, anchor="middle")
        else:
            write(root, right + 3, y + 11, label, size=11, halo=True)


def mark(root: Element, event: Event, x: float, y: float, title: str = "") -> None:
    """A dot, a diamond for a late one, or a cross for one that was dropped."""
    r = RADIUS
    style = {"stroke": VERMILION, "stroke_width": 2, "class": "event"}
    if event.dropped:
        way = f"M {x - r:g} {y - r:g} l {2 * r:g} {2 * r:g} m {-2 * r:g} 0 l {2 * r:g} {-2 * r:g}"
        shape(root, "path", title, d=way, fill="none", **style)
    elif event.late:
        r += 1
        way = f"M {x:g} {y - r:g} l {r:g} {r:g} l {-r:g} {r:g} l {-r:g} {-r:g} z"
        shape(root, "path", title, d=way, fill=PAPER, **style)
    else:
        shape(root, "circle", title, cx=x, cy=y, r=r, fill=INK, **{"class": "event"})


def number_below(root: Element, x: float, y: float, number: int) -> None:
    """The place of an event in the order of arrival."""
    write(root, x, y, str(number), size=10, colour=QUIET, anchor="middle", halo=True)


def _told(event: Event, number: int, numbered: bool) -> str:
    words = [spelled(each) for each in event.key]
    words.append(f"value {spelled(event.value)}")
    words += [f"number {number + 1} to come"] if numbered else []
    words += ["dropped"] if event.dropped else ["late"] if event.late else []
    return ", ".join(words)


def _wide(label: str) -> float:
    return width_of(label, 11) + 5 if label else 0.0


def _fits(label: str, left: float, right: float) -> bool:
    return width_of(label, 11) + 6 <= right - left
