"""Frames by their definition: row by row, with everything computed anew for every row."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import singledispatch
from typing import Any

import pyarrow as pa

from panewise.testing.oracle.table import Bounds, Event, order_key, value_of
from panewise.testing.oracle.windows import Group, Instance, instances, ticks
from panewise.windows import (
    AggregateFrame,
    BoundaryFrame,
    DeltaFrame,
    Frame,
    ThresholdFrame,
)

Grows = Callable[[Sequence[Any], Any], bool]
"""Whether a frame of these values takes one more."""


@dataclass(frozen=True)
class _Seen:
    """A row with the value that frames look at."""

    event: Event
    value: Any


@instances.register
def _frames(window: Frame, group: Group) -> Iterator[Instance]:
    grows = grows_by(window, group)
    frame = list[_Seen]()
    for seen in _seen(window, group):
        if frame and not (_has_room(window, frame, seen) and grows(_values(frame), seen.value)):
            yield from _reported(window, frame, seen.event.time, final=seen.event.time + 1)
            frame = []
        if frame or not isinstance(window, ThresholdFrame) or seen.value:
            frame.append(seen)
    if frame:
        yield from _reported(window, frame, group.after(frame[-1].event))


def _seen(window: Frame, group: Group) -> Iterator[_Seen]:
    columns = group.columns(window.columns()) or {"": pa.nulls(len(group.events))}
    values = [1] * len(group.events)
    if window.value is not None:
        values = window.value.evaluate(columns).to_pylist()
    for event, value in zip(group.events, values, strict=True):
        if value is not None:
            yield _Seen(event, value)


def _values(frame: Sequence[_Seen]) -> list[Any]:
    return [seen.value for seen in frame]


def _has_room(window: Frame, frame: Sequence[_Seen], seen: _Seen) -> bool:
    long = seen.event.time - frame[0].event.time
    return (window.max_rows is None or len(frame) < window.max_rows) and (
        window.max_duration is None or long <= ticks(window.max_duration)
    )


def _reported(
    window: Frame, frame: Sequence[_Seen], end: int, final: int | None = None
) -> Iterator[Instance]:
    start, last = frame[0].event.time, frame[-1].event.time
    lasted = (end if window.basis == "interval" else last) - start
    long_enough = window.min_duration is None or lasted >= ticks(window.min_duration)
    if len(frame) >= window.min_rows and long_enough:
        found = Instance(start, end, None, [seen.event for seen in frame])
        yield found if final is None else replace(found, final=final)


@singledispatch
def grows_by(window: Frame, group: Group) -> Grows:
    """The local condition of a scheme."""
    raise NotImplementedError(type(window).__name__)


@grows_by.register
def _threshold(window: ThresholdFrame, group: Group) -> Grows:
    return lambda frame, value: value


@grows_by.register
def _boundary(window: BoundaryFrame, group: Group) -> Grows:
    def band(value: Any) -> Any:
        if isinstance(value, float) and math.isnan(value):
            return "above every number" if window.width is not None else len(window.edges)
        if window.width is None:
            return bisect_right(window.edges, value)
        if isinstance(value, float) and math.isinf(value):
            return value
        kind: Any = float if isinstance(value, float) else Fraction
        return (kind(value) - kind(window.origin)) // kind(window.width)

    return lambda frame, value: band(value) == band(frame[0])


@grows_by.register
def _delta(window: DeltaFrame, group: Group) -> Grows:
    delta = Fraction(window.delta)  # a Decimal does not compare with NaN

    def apart(a: Any, b: Any) -> Any:
        return 0 if order_key(a) == order_key(b) else abs(a - b)

    def by_range(frame: Sequence[Any], value: Any) -> bool:
        ranked = sorted([*frame, value], key=order_key)
        return bool(apart(ranked[0], ranked[-1]) <= delta)

    if window.mode == "range":
        return by_range
    return lambda frame, value: bool(apart(frame[0], value) < delta)


@grows_by.register
def _aggregate(window: AggregateFrame, group: Group) -> Grows:
    names, limit = window.aggregate.columns(), Fraction(window.limit)

    def below(values: Sequence[Any]) -> bool:
        events = [Event(0, (n,), dict.fromkeys(names, v)) for n, v in enumerate(values)]
        found = value_of(window.aggregate, events, {}, Bounds(0, 1))
        return found is None or bool(found < limit)

    if window.crossing == "exclude":
        return lambda frame, value: below([*frame, value])
    return lambda frame, value: below(frame)
