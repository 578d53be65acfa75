"""A small chart of results: SVG text, for notebooks and pages, which needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np
import pyarrow as pa

from panewise.viz.packing import more, spelled
from panewise.viz.paper import HAIR, LINES, QUIET, paper, shape, short, sized, width_of, write
from panewise.viz.scale import Scale, named_moment
from panewise.viz.series import Series, Shown, shown

MARGIN = 14
MOST = 6
"""Windows in a chart; of more, the shortest, the longest and some between."""
DASHES = (None, "6 3", "2 2")
"""Beside colours, so that these are not needed."""


def chart(
    results: Any,
    *,
    column: str | None = None,
    by: Sequence[str] | None = None,
    width: int = 640,
    height: int = 180,
) -> str:
    """One column of results over time, for the first key, as a standalone SVG.

    What is given is what `panewise.viz.results.draw` takes.

    >>> import panewise as pw
    >>> plan = pw.plan(time="t", windows=[pw.tumbling(5)], aggregates=[pw.mean("x")])
    >>> picture = chart(plan.run({"t": [1, 7, 12], "x": [2.0, 4.0, 3.0]}))
    >>> picture[:4], "mean(x)" in picture
    ('<svg', True)
    """
    told = shown(results, column, by)
    keys = told.keys
    lines = [each for each in told.series if not keys or each.key == keys[0]]
    root = paper(f"{told.column} over time")
    bottom = _headline(root, told, width)
    few = _spread(lines)
    drawn = [each for each in few if np.isfinite(each.value).any()]
    if drawn:
        bottom = _Plot(root, told, drawn, bottom, float(width), float(height)).drawn()
    notes = [more(len(keys) - 1, "key")] * (len(keys) > 1)
    notes += [more(len(lines) - len(few), "window")] * (len(lines) > len(few))
    bottom = _legend(root, drawn, notes, bottom, width)
    return sized(root, width, bottom + MARGIN / 2)


def _headline(root: Element, told: Shown, width: float) -> float:
    first = told.keys[0] if told.keys else ()
    named = ", ".join(f"{name} {spelled(each)}" for name, each in zip(told.by, first, strict=False))
    most = int(width / 16)
    write(root, MARGIN, 20, short(told.column, most), bold=True, then=short(named, most))
    return 28.0


def _spread(lines: list[Series]) -> list[Series]:
    if len(lines) <= MOST:
        return lines
    return [lines[round(at)] for at in np.linspace(0, len(lines) - 1, MOST)]


class _Plot:
    """Axes and lines below a height."""

    def __init__(
        self, root: Element, told: Shown, lines: list[Series], top: float, width: float, high: float
    ) -> None:
        self.root, self.told, self.lines = root, told, lines
        self.top, self.bottom = top + 6, top + 6 + high
        values = np.concatenate([each.value[np.isfinite(each.value)] for each in lines])
        self.low, self.high = float(values.min()), float(values.max())
        if self.low == self.high:
            self.low, self.high = self.low - 1, self.high + 1
        self.names = [spelled(value) for value in (self.low, self.high)]
        left = MARGIN + max(width_of(name, 11) for name in self.names) + 6
        first = min(int(each.start.min()) for each in lines)
        last = max(int(each.end.max()) for each in lines)
        self.scale = Scale(first, last, left, width - 2 * MARGIN)

    def drawn(self) -> float:
        self._axes()
        for number, series in enumerate(self.lines):
            style = line_style(number)
            way = self._way(*_thinned(*series.line(), int(self.scale.right - self.scale.left)))
            shape(self.root, "path", series.name, d=way, fill="none", **style)
        return self.bottom + 26

    def _y(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.bottom - share * (self.bottom - self.top)

    def _axes(self) -> None:
        from panewise.operator.columns import moment_of

        for value, name in zip((self.low, self.high), self.names, strict=True):
            y = self._y(value)
            way = f"M {self.scale.left:g} {y:g} H {self.scale.right:g}"
            shape(self.root, "path", d=way, stroke=HAIR, stroke_width=1)
            write(self.root, self.scale.left - 6, y + 4, name, size=11, colour=QUIET, anchor="end")
        step, ticks = self.scale.named(timed=not pa.types.is_integer(self.told.time))
        for tick in ticks:
            x, name = self.scale(tick), named_moment(moment_of(tick, self.told.time), step)
            shape(self.root, "path", d=f"M {x:g} {self.bottom:g} v 4", stroke=QUIET)
            write(self.root, x, self.bottom + 17, name, size=11, colour=QUIET, anchor="middle")

    def _way(self, at: np.ndarray, value: np.ndarray) -> str:
        parts, pen = [], "M"
        for tick, each in zip(at, value, strict=True):
            if not (np.isfinite(tick) and np.isfinite(each)):
                pen = "M"
                continue
            parts.append(f"{pen} {self.scale(int(tick)):.1f} {self._y(each):.1f}")
            pen = "L"
        return " ".join(parts)


def line_style(number: int) -> dict[str, Any]:
    """Colour and dashes of the lines of a chart; later ones, of longer windows, are thicker."""
    return {
        "stroke": LINES[number % len(LINES)],
        "stroke_width": 1.2 + 0.3 * min(number, 4),
        "stroke_dasharray": DASHES[number % len(DASHES)],
    }


def _thinned(at: np.ndarray, value: np.ndarray, pixels: int) -> tuple[np.ndarray, np.ndarray]:
    """Of lines with far more corners than pixels the least and the most of each pixel."""
    if len(at) <= 4 * pixels:
        return at, value
    good = np.flatnonzero(np.isfinite(at) & np.isfinite(value))
    place = ((at[good] - at[good[0]]) / (at[good[-1]] - at[good[0]]) * pixels).astype(int)
    order = np.lexsort((value[good], place))
    firsts = np.flatnonzero(np.diff(place[order], prepend=-1))
    lasts = np.append(firsts[1:] - 1, len(order) - 1)
    kept = np.sort(good[order[np.unique(np.concatenate([firsts, lasts]))]])
    return at[kept], value[kept]


def _legend(
    root: Element, lines: list[Series], notes: list[str], top: float, width: float
) -> float:
    x, y = float(MARGIN), top + 10
    for number, name in enumerate([*(short(each.name, 40) for each in lines), *notes]):
        line = number < len(lines)
        wide = 30 * line + width_of(name, 11) + 16
        if x > MARGIN and x + wide > width:
            x, y = float(MARGIN), y + 18
        if line:
            shape(root, "path", d=f"M {x:g} {y:g} h 24", **line_style(number))
        write(root, x + 30 * line, y + 4, name, size=11, colour=QUIET, bold=not line)
        x += wide
    return y + 10
