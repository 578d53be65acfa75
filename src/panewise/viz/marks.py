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
ORDER = 10
"""Room for the order of arrival, below a mark or before a bar."""
LONGEST = 10
"""Columns of a value."""


class Marks:
    """The events of one key in their rows."""

    def __init__(self, events: Sequence[Event], scale: Scale, numbered: bool) -> None:
        self.events, self.scale = events, scale
        self.numbered = numbered
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
            right += 0 if _fits(label, left, right) else _wide(label)
            extents.append((left - (2 * ORDER if self.numbered else 0), right))
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
            return (stacked + 1) * SPAN_ROW + 4
        lines = max(self.above, default=0) + 1 if any(self.labels) else 0
        return lines * LINE + stacked * STACKED + 2 * RADIUS + 8 + self._below

    @property
    def _below(self) -> float:
        return ORDER + 4 if self.numbered else 0.0

    def draw(self, root: Element, top: float) -> None:
        group = shape(root, "g", **{"class": "events"})
        numbers = range(len(self.events))
        if self.lasting:
            self.middle = top + SPAN / 2 + 2
            for number in numbers:
                self._bar(group, number, top)
            return
        self.middle = top + self.height - self._below - RADIUS - 4
        for draw in (self._leader, self._mark):  # values stand before lines
            for number in numbers:
                draw(group, number)

    def _place(self, number: int) -> tuple[float, float, float]:
        """Where a mark is, and how high its value stands."""
        y = self.middle - STACKED * self.rows[number]
        highest = self.middle - STACKED * max(self.rows) - RADIUS - 4
        return self.scale(self.events[number].start), y, highest - LINE * self.above[number]

    def _leader(self, root: Element, number: int) -> None:
        """A line to a value that does not stand next to its mark."""
        x, y, above = self._place(number)
        if self.labels[number] and above < y - RADIUS - 5:
            shape(root, "path", d=f"M {x:g} {y:g} V {above + 2:g}", stroke=FAINT)

    def _mark(self, root: Element, number: int) -> None:
        event, label = self.events[number], self.labels[number]
        x, y, above = self._place(number)
        if label:
            write(root, x, above, label, size=11, anchor="middle", halo=True)
        mark(root, event, x, y, _told(event, self.numbered))
        if self.numbered and not self.rows[number]:
            write_order(root, x, y + 17, event.order)

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
            _told(event, self.numbered),
            **{"class": "event", "x": left, "y": y, "width": right - left, "height": SPAN, "rx": 7},
            **style,
            stroke_dasharray=dashes,
        )
        if event.dropped:
            mark(root, event, right, y + SPAN / 2)
        if self.numbered:
            write_order(root, left - ORDER, y + 11, event.order)
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


def write_order(root: Element, x: float, y: float, number: int) -> None:
    """The place of an event in the order of arrival."""
    write(root, x, y, str(number), size=10, colour=QUIET, anchor="middle", halo=True)


def _told(event: Event, numbered: bool) -> str:
    words = [spelled(each) for each in event.key]
    words.append(f"value {spelled(event.value)}")
    words += [f"number {event.order} to come"] if numbered else []
    words += ["dropped"] if event.dropped else ["late"] if event.late else []
    return ", ".join(words)


def _wide(label: str) -> float:
    return width_of(label, 11) + 5 if label else 0.0


def _fits(label: str, left: float, right: float) -> bool:
    return width_of(label, 11) + 6 <= right - left
