"""The source's open question: events out of order, through the operator.

Events arrive at their end, and a share of them later, by up to a depth of ticks.  The watermark
does not wait for them, so what is late revises windows that were told: throughput, and revisions
for each window.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import panewise as pw
from benchmarks.measure import Watch
from benchmarks.papers.general_slicing_sides import machine
from benchmarks.papers.spanning_point import Point
from benchmarks.papers.spanning_sides import MAKERS, OURS
from benchmarks.papers.spanning_stream import Stream

BATCH = 65_536
SIZE, SLIDE, MEAN = 500, 100, 500
SHARES, DEPTHS = (0.0, 0.1, 0.3, 0.6, 1.0), (100, 1000, 10_000)
FIXED_SHARE, FIXED_DEPTH = 0.3, 1000


def disorder(events: int, repeat: int) -> Iterator[Point]:
    """By the share of events that are late, and by how late they are."""
    for share in SHARES:
        for aggregate in ("count", "max"):
            variant = f"late by up to {FIXED_DEPTH:,} ticks, {aggregate}"
            yield _point("share", variant, share, events, share, FIXED_DEPTH, repeat)
    for depth in DEPTHS:
        for aggregate in ("count", "max"):
            variant = f"{FIXED_SHARE:.0%} late, {aggregate}"
            yield _point("depth", variant, depth, events, FIXED_SHARE, depth, repeat)


def _point(
    case: str, variant: str, x: float, events: int, share: float, depth: int, repeat: int
) -> Point:
    aggregate = variant.rpartition(" ")[2]
    rows = arrived(Stream(events, MEAN).columns(), share, depth)
    plan = pw.plan(
        time=("start", "end"),
        windows=[pw.sliding(SIZE, SLIDE)],
        aggregates=[MAKERS[aggregate]().alias("found")],
    )
    size = min(BATCH, events // 20)  # a small run has several batches, too
    batches = [rows.slice(at, size) for at in range(0, len(rows), size)]
    seconds, told = [], pa.table({})
    with Watch(every=3600) as watch:
        for _ in range(repeat):
            began = time.perf_counter()
            told = _pushed(plan, batches, depth)
            seconds.append(time.perf_counter() - began)
    revised = pc.sum(pc.greater(told["revision"], 0)).as_py()
    windows = len(told) - revised
    return Point(
        case=case, variant=variant, x=x, rows=events, seconds={OURS: seconds},
        results=_compared(plan, rows, told), others=watch.others, machine=machine(),
        told={"revisions for each window": revised / max(1, windows), "windows": windows},
    )  # fmt: skip


def arrived(columns: dict[str, np.ndarray], share: float, depth: int) -> pa.Table:
    """The events in the order of their arrival."""
    rng = np.random.default_rng(depth)
    end = columns["end"]
    late = np.where(rng.random(len(end)) < share, rng.integers(0, depth, len(end)), 0)
    return pa.table(columns).take(pa.array(np.argsort(end + late, kind="stable")))


def _pushed(plan: pw.Plan, batches: list[pa.Table], depth: int) -> pa.Table:
    """Windows wait for the longest event, and then for late ones: those revise."""
    longest = MEAN + 100
    running = pw.Operator(plan, delay=0, postpone=longest, lateness=depth)
    return pa.concat_tables([*(running.push(batch) for batch in batches), running.flush()])


def _compared(plan: pw.Plan, rows: pa.Table, told: pa.Table) -> str:
    """The last word on every window is what a run over all events says."""
    last: dict[int, int] = {}
    starts = pc.struct_field(told["window"].combine_chunks(), "start").to_pylist()
    for start, found, gone in zip(
        starts, told["found"].to_pylist(), told["retracted"].to_pylist(), strict=True
    ):
        if not gone:
            last[start] = found
    whole = plan.run(rows)
    begin = pc.struct_field(whole["window"].combine_chunks(), "start").to_pylist()
    return (
        "equal"
        if dict(zip(begin, whole["found"].to_pylist(), strict=True)) == last
        else ("DIFFERENT: the operator")
    )
