"""Periodic windows: the intervals that hold at least one of some positions, with their numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import singledispatch

from panewise.errors import QueryError
from panewise.model import Duration, RowCount, Size
from panewise.windows import (
    Band,
    Cumulating,
    Family,
    Level,
    RowFamily,
    Sliding,
    Tumbling,
    Window,
)

Span = tuple[int, int, int]
"""`[start, end)` and the number of the window, which counts from the one at the origin."""


@singledispatch
def spans(window: Window, positions: Sequence[int]) -> Iterator[Span]:
    """Every interval of this window that holds at least one of the positions, perhaps repeated."""
    demand = window.demand()
    family = demand.family if isinstance(demand, RowFamily) else demand
    if not isinstance(family, Family):
        raise QueryError(f"the oracle has no definition of {type(window).__name__} windows.")
    grown = range(family.step, family.size + 1, family.step)
    for at in positions:
        k = (at - family.origin) // family.slide
        while family.origin + k * family.slide + family.size > at:
            start = family.origin + k * family.slide
            for j, length in enumerate(grown):
                if start + length > at and (k == 0 or not family.once):
                    yield start, start + length, k * len(grown) + j
            k -= 1


@spans.register
def _tumbling(window: Tumbling, positions: Sequence[int]) -> Iterator[Span]:
    size, origin = _units(window.size), _units(window.origin)
    for at in positions:
        k = (at - origin) // size
        yield origin + k * size, origin + (k + 1) * size, k


@spans.register
def _sliding(window: Sliding, positions: Sequence[int]) -> Iterator[Span]:
    size, slide, origin = _units(window.size), _units(window.slide), _units(window.origin)
    for at in positions:
        k = (at - origin) // slide
        while origin + k * slide + size > at:
            yield origin + k * slide, origin + k * slide + size, k
            k -= 1


@spans.register
def _cumulating(window: Cumulating, positions: Sequence[int]) -> Iterator[Span]:
    step, size, origin = _units(window.step), _units(window.size), _units(window.origin)
    for at in positions:
        k = (at - origin) // size
        start = origin + k * size
        for j in range(size // step):
            if at < start + (j + 1) * step:
                yield start, start + (j + 1) * step, k * (size // step) + j


@spans.register
def _level(window: Level, positions: Sequence[int]) -> Iterator[Span]:
    """At every instant that the slide divides, the stretch of the range before it."""
    reach, slide, origin = _units(window.range), _units(window.slide), _units(window.origin)
    for at in positions:
        instant = origin + (at - origin) // slide * slide + slide
        while instant - reach <= at:
            yield instant - reach, instant, (instant - reach - origin) // slide
            instant += slide


@spans.register
def _band(window: Band, positions: Sequence[int]) -> Iterator[Span]:
    start = _units(window.start)
    end = start + _units(window.size)
    if any(start <= at < end for at in positions):
        yield start, end, 0


def _units(size: Size) -> int:
    if isinstance(size, RowCount):
        return size.count
    return size.ticks if isinstance(size, Duration) else size
