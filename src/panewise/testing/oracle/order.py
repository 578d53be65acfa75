"""First, last, argmin and argmax, collected values: what depends on `(time, sequence)` order."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from panewise.errors import QueryError
from panewise.testing.oracle.table import Event, Types, defines, in_order, order_key, present


def _travelling(aggregate: Any, events: Sequence[Event]) -> list[Any]:
    values = [e.row[aggregate.column] for e in events]
    return [v for v in values if v is not None] if aggregate.ignore_nulls else values


@defines("first")
def _first(aggregate: Any, events: Sequence[Event], types: Types) -> Any:
    return next(iter(_travelling(aggregate, events)), None)


@defines("last")
def _last(aggregate: Any, events: Sequence[Event], types: Types) -> Any:
    return next(reversed(_travelling(aggregate, events)), None)


@defines("m4")
def _m4(aggregate: Any, events: Sequence[Event], types: Types) -> dict[str, Any]:
    values = present(aggregate.column, events) or [None]
    ranked = in_order(aggregate.column, events) or [None]
    return {"min": ranked[0], "max": ranked[-1], "first": values[0], "last": values[-1]}


@defines("argmin")
def _argmin(aggregate: Any, events: Sequence[Event], types: Types) -> Any:
    placed = [e for e in events if e.row[aggregate.by] is not None]
    best = min(placed, key=lambda e: order_key(e.row[aggregate.by]), default=None)
    return None if best is None else best.row[aggregate.column]


@defines("argmax")
def _argmax(aggregate: Any, events: Sequence[Event], types: Types) -> Any:
    placed = [e for e in events if e.row[aggregate.by] is not None]
    best = max(placed, key=lambda e: order_key(e.row[aggregate.by]), default=None)
    return None if best is None else best.row[aggregate.column]  # max() keeps the first of ties


@defines("collect")
def _collect(aggregate: Any, events: Sequence[Event], types: Types) -> list[Any]:
    return present(aggregate.column, events)


@defines("concat")
def _concat(aggregate: Any, events: Sequence[Event], types: Types) -> str | None:
    values = present(aggregate.column, events)
    return aggregate.separator.join(map(_text, values)) if values else None


def _text(value: Any) -> str:
    """As Spark casts to string, for the types where that is the same everywhere."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | date) and not isinstance(value, datetime):
        return str(value)
    raise QueryError(f"the oracle does not write {type(value).__name__} as text.")
