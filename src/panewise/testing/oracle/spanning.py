"""What depends on where in a window events begin and end."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from panewise.testing.oracle.table import Bounds, Event, defines_in_time


@defines_in_time("concurrent")
def _concurrent(aggregate: Any, events: Sequence[Event], bounds: Bounds) -> dict[str, Any]:
    start, end, _ = bounds
    # the number only grows where an event begins: the highest is at one of these moments
    moments = {start, *(e.time for e in events if e.time > start)}
    highest = max(sum(e.overlaps(at, at + 1) for e in events) for at in moments)
    lasted = sum(e.inside(start, end) for e in events)
    return {"highest": highest, "mean": float(Fraction(lasted, end - start))}


@defines_in_time("weighted_sum")
def _weighted_sum(aggregate: Any, events: Sequence[Event], bounds: Bounds) -> float | None:
    parts = [_weighed(e, e.row[aggregate.column], bounds) for e in events]
    known = [part for part in parts if part is not None]
    if any(map(math.isnan, known)) or {math.inf, -math.inf} <= set(known):
        return math.nan
    return math.fsum(known) if known else None


def _weighed(event: Event, value: Any, bounds: Bounds) -> float | None:
    """A value times the share of its event that is in the window."""
    if value is None or not math.isfinite(value):
        return None if value is None else float(value)
    assert event.last is not None
    return float(
        Fraction(value) * event.inside(bounds.start, bounds.end) / (event.last - event.time + 1)
    )
