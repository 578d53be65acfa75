"""The same question through the operator: frames told as they are now, batch by batch.

Before the clock starts, an operator has taken as many rows as it retains.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import panewise as pw
from benchmarks.papers.frames_point import Point
from benchmarks.papers.frames_stream import SCHEMES, Stream
from benchmarks.papers.general_slicing_sides import Run, Side, in_turn, machine

BUFFERS = ("lazy", "eager", "multi")
SHARE, DELAY, LENGTH = 0.2, 500, 100
PUSHES = {64: 32, 1_024: 16, 65_536: 2}
"""By the rows of a batch, how many are pushed."""


def through_operator(retained: int, batches: Sequence[int], repeat: int) -> Iterator[Point]:
    """Every buffer, by the rows of a batch."""
    for scheme in SCHEMES:
        stream = Stream(scheme, LENGTH, SHARE, DELAY)
        for batch in batches:
            yield _point(stream, retained, batch, PUSHES[batch], repeat)


def plan_of(stream: Stream) -> pw.Plan:
    return pw.plan(
        time="ts",
        windows=[stream.frame],
        aggregates=[pw.sum("x").alias("total"), pw.count().alias("rows")],
    )


def _point(stream: Stream, retained: int, batch: int, pushes: int, repeat: int) -> Point:
    rows = pa.table(stream.columns(retained + batch * pushes))
    batches = [rows.slice(at, batch) for at in range(retained, len(rows), batch)]
    first, planned = rows.slice(0, retained), plan_of(stream)
    expected = _by_frame(planned.run(rows))
    wrong = [
        buffer
        for buffer in BUFFERS
        if _last_words(planned, [first, *batches], retained, buffer) != expected
    ]

    def side(buffer: str) -> Side:
        def make() -> Run:
            running = _operator(planned, retained, buffer)
            running.push(first)
            return lambda: sum(len(running.push(each)) for each in batches)

        return make

    turns = in_turn({buffer: side(buffer) for buffer in BUFFERS}, repeat)
    return Point(
        case="operator", variant=stream.scheme, x=batch, rows=batch * pushes,
        seconds=turns.seconds, others=turns.others, machine=machine(),
        results=f"DIFFERENT: {', '.join(wrong)}" if wrong else "equal",
        shape={"share": SHARE, "delay": DELAY, "length": LENGTH, "retained": retained},
    )  # fmt: skip


def _operator(planned: pw.Plan, retained: int, buffer: str) -> pw.Operator:
    return pw.Operator(planned, delay=0, lateness=retained, report="update", buffer=buffer)


Frames = dict[tuple[int, int], tuple[int, int]]
"""Total and rows by start and end, which only one frame has: no two rows share a time."""


def _last_words(
    planned: pw.Plan, batches: Sequence[pa.Table], retained: int, buffer: str
) -> Frames:
    """What is left when revisions have been followed."""
    running = _operator(planned, retained, buffer)
    last: Frames = {}
    for told in [*(running.push(batch) for batch in batches), running.flush()]:
        gone = np.asarray(told["retracted"])
        for frame in _by_frame(told.filter(pa.array(gone))):
            del last[frame]
        last |= _by_frame(told.filter(pa.array(~gone)))
    return last


def _by_frame(told: pa.Table) -> Frames:
    window = told["window"].combine_chunks()
    start, end = (pc.struct_field(window, name).to_pylist() for name in ("start", "end"))
    frames = zip(start, end, strict=True)
    values = zip(told["total"].to_pylist(), told["rows"].to_pylist(), strict=True)
    return dict(zip(frames, values, strict=True))
