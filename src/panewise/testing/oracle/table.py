"""The table of definitions, and what they share.

Idea: an aggregate's name leads to a function of the events of one window.  Nulls are skipped; NaN
is above every number and equal to itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa

from panewise.aggregates import Aggregate, Rows, Scope, UserAggregate
from panewise.errors import QueryError

Types = Mapping[str, str]


@dataclass(frozen=True)
class Event:
    """One row of a window, with its place in `(time, sequence)` order."""

    time: int
    sequence: tuple[Any, ...]
    row: Mapping[str, Any]
    last: int | None = None
    """The last tick of an event that has a duration."""

    def overlaps(self, start: int, end: int) -> bool:
        last = self.time if self.last is None else self.last
        return self.time < end and last >= start

    def inside(self, start: int, end: int) -> int:
        """The ticks of it that are in `[start, end)`."""
        last = self.time if self.last is None else self.last
        return max(min(last + 1, end) - max(self.time, start), 0)


Definition = Callable[[Any, Sequence[Event], Types], Any]


class Bounds(NamedTuple):
    """Where a window begins and ends, in ticks, and how many of them the unit of time has."""

    start: int
    end: int
    unit: int = 1


NOWHERE = Bounds(0, 0)
TimedDefinition = Callable[[Any, Sequence[Event], Bounds], Any]
_definitions: dict[str, Definition] = {}
_timed: dict[str, TimedDefinition] = {}


def value_of(
    aggregate: Aggregate, events: Sequence[Event], types: Types, bounds: Bounds = NOWHERE
) -> Any:
    """The aggregate over these events, which are in `(time, sequence)` order; some ask where the
    window begins and ends."""
    if isinstance(aggregate, UserAggregate):
        return _user(aggregate, events)
    if aggregate.kind_name in _timed:
        return _timed[aggregate.kind_name](aggregate, events, bounds)
    try:
        definition = _definitions[aggregate.kind_name]
    except KeyError:
        raise QueryError(f"the oracle has no definition of {aggregate.kind_name}.") from None
    return definition(aggregate, events, types)


def defines(kind_name: str) -> Callable[[Definition], Definition]:
    """Enter a definition into the table."""

    def enter(definition: Definition) -> Definition:
        _definitions[kind_name] = definition
        return definition

    return enter


def defines_in_time(kind_name: str) -> Callable[[TimedDefinition], TimedDefinition]:
    """Enter a definition that depends on where in the window events are."""

    def enter(definition: TimedDefinition) -> TimedDefinition:
        _timed[kind_name] = definition
        return definition

    return enter


def order_key(value: Any) -> tuple[bool, Any]:
    """Sorts as Spark does: NaN above every number; equal keys are one group."""
    nan = isinstance(value, float) and math.isnan(value)
    return nan, 0.0 if nan else value


def present(column: str, events: Sequence[Event]) -> list[Any]:
    return [e.row[column] for e in events if e.row[column] is not None]


def in_order(column: str, events: Sequence[Event]) -> list[Any]:
    return sorted(present(column, events), key=order_key)


def _user(aggregate: UserAggregate, events: Sequence[Event]) -> Any:
    """A user's aggregate has no second definition: its own, row after row from the left."""
    columns = {name: pa.array([e.row[name] for e in events]) for name in aggregate.columns()}
    places = pa.array(range(len(events)), pa.int64())
    scope = Scope(columns={}, types={}, time="", sequence="")
    (partial,) = aggregate.partials(scope)
    lifted = partial.lift(Rows(columns=columns, ticks=places, sequence=places))
    folded = lifted.slice(0, 1)
    for at in range(1, len(events)):
        folded = partial.combine(folded, lifted.slice(at, 1))
    return aggregate.results((folded,)).to_pylist()[0]
