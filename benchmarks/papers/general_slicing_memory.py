"""Bytes that are held, over slices and over tuples (the paper's figure 15).

Idea: the watermark lags behind by more than the stream lasts, so every slice and every row that is
needed is still there when the bytes are read.
"""

from __future__ import annotations

from collections.abc import Iterator

import panewise as pw
from benchmarks.papers.general_slicing_point import Point
from benchmarks.papers.general_slicing_scale import Scale
from benchmarks.papers.general_slicing_sides import machine, operator, plan, timestamps
from benchmarks.papers.general_slicing_stream import SECOND, Stream
from benchmarks.papers.slicing_baselines import (
    AggregateBuckets,
    AggregateTree,
    Baseline,
    RowTupleBuffer,
    TupleBuckets,
    TupleBuffer,
)

SPAN = 10
"""Seconds of every stream."""
SLICES, TUPLES = (10, 100, 500, 1000, 10_000), (1000, 10_000, 100_000, 1_000_000)
FIXED_SLICES, FIXED_TUPLES = 500, 50_000
NEVER = 1000 * SECOND


def memory(scale: Scale) -> Iterator[Point]:
    """Windows of time, and of rows."""
    for rows in (False, True):
        kind = "rows" if rows else "time"
        for slices in SLICES:
            yield _held(f"{kind}, over slices", slices, slices, FIXED_TUPLES, rows)
        for tuples in TUPLES:
            yield _held(f"{kind}, over tuples", tuples, FIXED_SLICES, tuples, rows)


def _held(variant: str, x: int, slices: int, tuples: int, rows: bool) -> Point:
    stream = Stream(tuples // SPAN, SPAN, late=0.2)
    size = tuples // slices if rows else SPAN * SECOND // slices
    window = pw.tumbling(pw.rows(size)) if rows else pw.tumbling(f"{size} us")
    found = {}
    for store in ("lazy", "eager"):
        running = operator(plan([window], pw.sum("value")), NEVER, store)
        for batch in stream.batches():
            running.push(timestamps(batch))
        found[store] = running.stats()
    techniques: list[Baseline] = (
        [RowTupleBuffer([size], NEVER)]
        if rows
        else [each([size], NEVER) for each in (TupleBuffer, AggregateTree, TupleBuckets)]
        + [AggregateBuckets([size], NEVER)]
    )
    for technique in techniques:
        for batch in stream.batches():
            technique.push(batch["ts"], batch["value"])
    bytes_ = {store: int(stats.bytes) for store, stats in found.items()}
    bytes_ |= {_name(technique): technique.bytes for technique in techniques}
    held = int(found["lazy"].slices)
    return Point("memory", variant, x, tuples, bytes=bytes_, slices=held, machine=machine())


def _name(technique: Baseline) -> str:
    return {
        "AggregateBuckets": "aggregate buckets",
        "AggregateTree": "aggregate tree",
        "TupleBuckets": "tuple buckets",
    }.get(type(technique).__name__, "tuple buffer")
