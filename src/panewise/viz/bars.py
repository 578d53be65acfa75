"""Windows on a time line: a bar for each, with what was told of it."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from panewise.viz.packing import rows_of, spelled
from panewise.viz.paper import (
    BLUE,
    FAINT,
    INK,
    ORANGE,
    PALE_BLUE,
    PALE_ORANGE,
    PAPER,
    QUIET,
    shape,
    width_of,
    write,
)
from panewise.viz.scale import Scale
from panewise.viz.watched import Told

HIGH, ROW = 19, 23
INSET = 1.0
"""Between bars that meet, so that both ends are seen."""
TIP = 6
"""A bar that goes on beyond the picture ends in a tip."""


class Bars:
    """The windows of one band and one key, in rows."""

    def __init__(self, told: Sequence[Told], scale: Scale) -> None:
        self.told, self.scale = told, scale
        self.labels = [label_of(each) for each in told]
        self.places = [self._place(i) for i in range(len(told))]
        extents = [(min(a, x), max(b, x + wide)) for a, b, x, wide, _ in self.places]
        self.rows = rows_of(extents)

    def _place(self, number: int) -> tuple[float, float, float, float, int]:
        """Where a bar begins and ends, where its label begins, how wide and how high that is."""
        told, label = self.told[number], self.labels[number]
        left, right = self.scale(told.start), self.scale(told.end)
        for size in (11, 10, 9):
            wide = width_of(label, size)
            if wide + 4 <= right - left:
                return left, right, (left + right - wide) / 2, wide, size
        wide = width_of(label, 10)
        if right + 3 + wide <= self.scale.right + 16:
            return left, right, right + 3, wide, 10
        return left, right, left - 3 - wide, wide, 10

    @property
    def height(self) -> float:
        return ROW * (max(self.rows, default=0) + 1)

    def draw(self, root: Element, top: float) -> None:
        group = shape(root, "g", **{"class": "windows"})
        if not self.told:
            write(group, self.scale.left, top + 14, "no window", size=11, colour=FAINT)
        for number, told in enumerate(self.told):
            left, right, x, wide, size = self.places[number]
            y = top + ROW * self.rows[number]
            self._bar(group, told, left, right, y)
            colour = QUIET if told.retracted else INK
            # in the middle, because letters are rather narrower than was reckoned with
            write(
                group,
                x + wide / 2,
                y + 14,
                self.labels[number],
                size=size,
                colour=colour,
                anchor="middle",
                halo=not left <= x <= right - wide,
            )

    def _bar(self, root: Element, told: Told, left: float, right: float, y: float) -> None:
        stroke, fill = colours_of(told)
        a, b = left + INSET, max(right - INSET, left + INSET + 1)
        middle, low = y + HIGH / 2, y + HIGH
        corners = [(a, low), (a, y), (b, y), (b, low)]
        if told.start < self.scale.low:
            corners[:2] = [(a + TIP, low), (a, middle), (a + TIP, y)]
        if told.end > self.scale.high:
            corners[-2:] = [(b - TIP, y), (b, middle), (b - TIP, low)]
        shape(
            root,
            "polygon",
            title_of(told),
            points=" ".join(f"{x:g},{z:g}" for x, z in corners),
            fill=fill,
            stroke=stroke,
            stroke_width=1.5,
            stroke_dasharray="4 3" if told.retracted else None,
            **{"class": "bar"},
        )


def colours_of(told: Told) -> tuple[str, str]:
    """Stroke and fill: told once, told again, or taken back."""
    if told.retracted:
        return FAINT, PAPER
    return (ORANGE, PALE_ORANGE) if len(told.values) > 1 else (BLUE, PALE_BLUE)


def label_of(told: Told) -> str:
    """All that was told, in order; the same value twice is told once."""
    values = [spelled(value, 24) for value in told.values]
    kept = [v for i, v in enumerate(values) if not i or v != values[i - 1]]
    if len(kept) > 4:
        kept = [kept[0], "…", *kept[-2:]]
    return " → ".join([*kept, *(["gone"] if told.retracted else [])])


def title_of(told: Told) -> str:
    """The tooltip: every aggregate."""
    return ", ".join(f"{name} {spelled(value, 200)}" for name, value in told.others.items())
