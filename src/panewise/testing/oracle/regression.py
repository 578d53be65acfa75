"""A line through the values of a window, by least squares in exact fractions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from panewise.testing.oracle.table import Bounds, Event, defines_in_time


@defines_in_time("regression")
def _regression(aggregate: Any, events: Sequence[Event], bounds: Bounds) -> dict[str, float] | None:
    points = [(e.time, float(v)) for e in events if (v := e.row[aggregate.column]) is not None]
    if len({time for time, _ in points}) < 2:
        return None
    if not all(math.isfinite(value) for _, value in points):
        return dict.fromkeys(("slope", "intercept", "r2", "forecast"), math.nan)
    values = [Fraction(value) for _, value in points]
    t, y = Fraction(sum(time for time, _ in points), len(points)), sum(values) / len(points)
    tt = sum((time - t) ** 2 for time, _ in points)
    ty = sum((time - t) * (v - y) for (time, _), v in zip(points, values, strict=True))
    yy = sum((v - y) ** 2 for v in values)
    return {
        "slope": float(ty / tt * bounds.unit),
        "intercept": float(y + ty / tt * (bounds.start - t)),
        "r2": float(ty**2 / (tt * yy)) if yy else 1.0,
        "forecast": float(y + ty / tt * (bounds.end - t)),
    }


@defines_in_time("slope")
@defines_in_time("intercept")
@defines_in_time("r2")
@defines_in_time("forecast")
def _part(aggregate: Any, events: Sequence[Event], bounds: Bounds) -> float | None:
    line = _regression(aggregate, events, bounds)
    return None if line is None else line[aggregate.kind_name]
