"""What the marks of a time line mean: only those that are in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from xml.etree.ElementTree import Element

from panewise.viz.marks import mark, write_order
from panewise.viz.paper import (
    BLUE,
    FAINT,
    GREEN,
    ORANGE,
    PALE_BLUE,
    PALE_GREEN,
    PALE_ORANGE,
    PAPER,
    QUIET,
    VERMILION,
    shape,
    width_of,
    write,
)
from panewise.viz.watched import Event, Watched

SIZE = 11
GLYPH = 24
LINE = 20

Glyph = Callable[[Element, float, float], None]


def legend(
    root: Element,
    seen: Watched,
    edges: bool,
    notes: list[str],
    left: float,
    top: float,
    width: float,
) -> float:
    """Glyphs with their words, in lines; returns where the picture ends."""
    x, y = float(left), top
    for glyph, words in _items(seen, edges):
        wide = GLYPH + width_of(words, SIZE) + 18
        if x > left and x + wide > width:
            x, y = float(left), y + LINE
        glyph(root, x, y)
        write(root, x + GLYPH, y + 10, words, size=SIZE, colour=QUIET)
        x += wide
    for note in notes:
        y += LINE
        write(root, left, y + 10, note, size=SIZE, bold=True)
    return y + LINE


def _items(seen: Watched, edges: bool) -> Iterator[tuple[Glyph, str]]:
    spans = any(event.end > event.start for event in seen.events)
    if spans:
        yield _bar(GREEN, PALE_GREEN, 7), "event, from start to end"
    elif any(not event.late for event in seen.events):
        yield _mark(), "event"
    if any(event.late and not event.dropped for event in seen.events):
        yield _bar(VERMILION, PAPER, 7, "4 2") if spans else _mark(late=True), "late"
    if any(event.dropped for event in seen.events):
        yield _mark(late=True, dropped=True), "dropped: later than the lateness"
    if any(event.late for event in seen.events):
        yield _number, "order of arrival"
    if edges:
        yield _edge, "pane edge"
    if any(len(told.values) == 1 and not told.retracted for told in seen.told):
        yield _bar(BLUE, PALE_BLUE, 0), "window, with its result"
    if any(len(told.values) > 1 and not told.retracted for told in seen.told):
        yield _bar(ORANGE, PALE_ORANGE, 0), "told again"
    if any(told.retracted for told in seen.told):
        yield _bar(FAINT, PAPER, 0, "4 3"), "taken back"


def _mark(late: bool = False, dropped: bool = False) -> Glyph:
    event = Event(0, 0, (), None, 1, late, dropped)
    return lambda root, x, y: mark(root, event, x + 8, y + 6)


def _bar(stroke: str, fill: str, rx: float, dashes: str | None = None) -> Glyph:
    def drawn(root: Element, x: float, y: float) -> None:
        place = {"x": x, "y": y, "width": 18, "height": 12, "rx": rx}
        style = {"fill": fill, "stroke": stroke, "stroke_width": 1.5, "stroke_dasharray": dashes}
        shape(root, "rect", **place, **style)

    return drawn


def _edge(root: Element, x: float, y: float) -> None:
    way = f"M {x + 8:g} {y - 1:g} v 14"
    shape(root, "path", d=way, stroke=FAINT, stroke_width=0.7, stroke_dasharray="2 3")


def _number(root: Element, x: float, y: float) -> None:
    write_order(root, x + 8, y + 10, 3)
