"""Which intervals a window has: those that hold at least one event."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import singledispatch

from panewise.errors import QueryError
from panewise.model import Duration, Size
from panewise.windows import Band, Cumulating, Session, Sliding, Tumbling, Window

Interval = tuple[int, int]


@singledispatch
def intervals(window: Window, times: Sequence[int]) -> Iterable[Interval]:
    """Every `[start, end)` of this window that holds at least one of the times."""
    raise QueryError(f"the oracle has no definition of {type(window).__name__} windows.")


@intervals.register
def _tumbling(window: Tumbling, times: Sequence[int]) -> Iterator[Interval]:
    size, origin = _ticks(window.size), _ticks(window.origin)
    for t in times:
        start = origin + (t - origin) // size * size
        yield start, start + size


@intervals.register
def _sliding(window: Sliding, times: Sequence[int]) -> Iterator[Interval]:
    size, slide, origin = _ticks(window.size), _ticks(window.slide), _ticks(window.origin)
    for t in times:
        start = origin + (t - origin) // slide * slide
        while start + size > t:
            yield start, start + size
            start -= slide


@intervals.register
def _cumulating(window: Cumulating, times: Sequence[int]) -> Iterator[Interval]:
    step, size, origin = _ticks(window.step), _ticks(window.size), _ticks(window.origin)
    for t in times:
        start = origin + (t - origin) // size * size
        for end in range(start + step, start + size + 1, step):
            if t < end:
                yield start, end


@intervals.register
def _band(window: Band, times: Sequence[int]) -> Iterator[Interval]:
    start = _ticks(window.start)
    end = start + _ticks(window.size)
    if any(start <= t < end for t in times):
        yield start, end


@intervals.register
def _session(window: Session, times: Sequence[int]) -> Iterator[Interval]:
    gap = _ticks(window.gap)
    ordered = sorted(times)
    first = ordered[0]
    for t, following in zip(ordered, [*ordered[1:], None], strict=True):
        if following is None or following - t > gap:
            yield first, t + gap
            first = following if following is not None else first


def _ticks(size: Size) -> int:
    if isinstance(size, Duration):
        return size.ticks
    if isinstance(size, int):
        return size
    raise QueryError(f"the oracle has no definition of windows of {size}.")
