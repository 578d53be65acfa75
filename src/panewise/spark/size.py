"""How many rows a query may produce, from what Spark knows without running anything."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame

from panewise.plan import Plan

UNKNOWN_ROWS = 10_000
"""Assumed where Spark knows nothing: a small table, so that only absurd overlaps are named."""
BYTES_PER_ROW = 16
"""A compressed event on disk; a guess that errs towards many rows."""
_NO_IDEA = 2**50


def expected_rows(plan: Plan, events: DataFrame) -> int:
    """At most one row per event and window it is in; 0 where windows do not overlap."""
    overlaps = [getattr(window.demand(), "overlap", 1) for window in plan.query.windows]
    if max(overlaps) == 1:  # only a slide multiplies rows; Spark need not be asked
        return 0
    return sum(overlaps) * input_rows(events)


def input_rows(events: DataFrame) -> int:
    plan: Any = getattr(events, "_jdf", None)
    if plan is None:  # Spark Connect keeps its plans to itself
        return UNKNOWN_ROWS
    statistics = plan.queryExecution().optimizedPlan().stats()
    counted = statistics.rowCount()
    if counted.isDefined():
        return int(str(counted.get()))
    size = int(str(statistics.sizeInBytes()))
    return size // BYTES_PER_ROW if size < _NO_IDEA else UNKNOWN_ROWS
