"""Two ways to the same rows, timed in turn, and whether the rows are the same."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from panewise.api import plan_query
from panewise.query import Query

TOGETHER, APART = "all windows together", "one window at a time"
OURS, THEIRS = "panewise", "window() of Spark"
CLOSE = 1e-9
"""Sums of floating numbers depend on the order of adding, in the last digits."""


def race(sides: Mapping[str, Callable[[], object]], repeat: int) -> Iterator[tuple[str, float]]:
    """Every side once to warm up, then in turn: a slow moment of the machine meets all of them."""
    for run in sides.values():
        run()
    for _ in range(repeat):
        for name, run in sides.items():
            began = time.perf_counter()
            run()
            yield name, time.perf_counter() - began


def in_process(query: Query, events: Any) -> dict[str, Callable[[], pa.Table]]:
    """All windows by one plan, and a plan for each of them."""
    alone = [dataclasses.replace(query, windows=(window,)) for window in query.windows]
    whole, parts = plan_query(query), [plan_query(each) for each in alone]
    return {
        TOGETHER: lambda: whole.run(events),
        APART: lambda: pa.concat_tables([part.run(events) for part in parts]),
    }


def on_spark(query: Query, events: Any) -> dict[str, Callable[[], None]]:
    """Our plan, and Spark's own queries; rows are computed and not kept."""
    from panewise.spark.own_windows import own_windows

    whole = plan_query(query)
    return {
        OURS: lambda: _consume(whole.run(events)),
        THEIRS: lambda: _consume(own_windows(query, events)),
    }


def alike(query: Query, one: pa.Table, other: pa.Table) -> bool:
    """Whether both hold the same rows, in any order."""
    if one.num_rows != other.num_rows or set(one.column_names) != set(other.column_names):
        return False
    on = [*query.result_columns, *query.by]
    first, second = _sorted(one, on), _sorted(other.select(one.column_names), on)
    return all(_same(a, b) for a, b in zip(first.columns, second.columns, strict=True))


def _consume(rows: Any) -> None:
    rows.write.format("noop").mode("overwrite").save()


def _sorted(table: pa.Table, on: list[str]) -> pa.Table:
    whole = table.flatten()
    keys = [name for name in whole.column_names if name.split(".")[0] in on]
    return whole.sort_by([(name, "ascending") for name in keys])


def _same(one: pa.ChunkedArray, other: pa.ChunkedArray) -> bool:
    if not pa.types.is_floating(one.type):
        return bool(one.equals(other))
    near = np.isclose(one.to_numpy(), other.to_numpy(), rtol=CLOSE, atol=0.0, equal_nan=True)
    return bool(near.all())
