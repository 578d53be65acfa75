"""Frames in order through the operator, against bare passes over the same rows.

One pass adds values up, several rows at a time.  The other does the least that any cutting does: it
looks whether times ascend, and compares each value with the first one of a frame, which depends on
the rows before, so that rows are taken one by one.

Rows are pushed in batches of two sizes.  The smaller shows what the calls around the loops weigh,
as many for a batch of any size.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numba import njit

import panewise as pw
from benchmarks.papers.frame_buffers import Fed, InOrder
from benchmarks.papers.frames_point import Point
from benchmarks.papers.frames_stream import SCHEMES, Stream
from benchmarks.papers.general_slicing_sides import Run, in_turn, machine

BARE, STEPS, OURS = "bare pass", "row by row", "ours"
BATCHES, LENGTH = (65_536, 262_144), 100
COMPARED = 131_072
"""Rows whose frames are compared."""
LIMIT = 10
"""Of the pass that takes rows one by one, as of a delta frame of that length."""
KINDS = (np.int64, np.float64)


@njit(cache=True)
def bare_pass(times, values, last, total):  # type: ignore[no-untyped-def]
    """Read the time and the value of every row, and add the values up."""
    for i in range(len(times)):
        last = max(last, times[i])
        total += values[i]
    return last, total


@njit(cache=True)
def row_by_row(times, values, limit, last, first, total, cuts):  # type: ignore[no-untyped-def]
    """Read the time and the value of every row, add the values up, and cut where one is too far
    from the first."""
    for i in range(len(times)):
        if times[i] < last:
            return last, first, total, -1
        last = times[i]
        total += values[i]
        if abs(values[i] - first) >= limit:
            first = values[i]
            cuts += 1
    return last, first, total, cuts


def in_order(rows: int, repeat: int) -> Iterator[Point]:
    """Every scheme, over integers and floats, in batches of both sizes."""
    for size in BATCHES:
        for kind in KINDS:
            for scheme in SCHEMES:
                yield _point(Stream(scheme, LENGTH), np.dtype(kind), size, rows, repeat)


def _point(stream: Stream, kind: np.dtype, size: int, rows: int, repeat: int) -> Point:
    columns = stream.columns(rows)
    columns["x"] = columns["x"].astype(kind)
    planned = pw.plan(time="ts", windows=[stream.frame], aggregates=[pw.sum("x").alias("total")])
    batches = [
        {name: column[at : at + size] for name, column in columns.items()}
        for at in range(0, rows, size)
    ]

    def ours() -> Run:
        running = pw.Operator(planned, delay=0, lateness=0)
        return lambda: sum(len(running.push(batch)) for batch in batches) + len(running.flush())

    def bare() -> Run:
        def run() -> int:
            last, total = -1, kind.type(0)
            for batch in batches:
                last, total = bare_pass(batch["ts"], batch["x"], last, total)
            return 0

        return run

    def steps() -> Run:
        def run() -> int:
            last, first, total, cuts = -1, kind.type(0), kind.type(0), 0
            for batch in batches:
                last, first, total, cuts = row_by_row(
                    batch["ts"], batch["x"], kind.type(LIMIT), last, first, total, cuts
                )
            return 0

        return run

    turns = in_turn({BARE: bare, STEPS: steps, OURS: ours}, repeat)
    return Point(
        case="in-order", variant=f"{kind.name}, batches of {size:,}", x=stream.scheme, rows=rows,
        seconds=turns.seconds, results=_compared(stream, planned, columns), others=turns.others,
        machine=machine(), shape={"length": LENGTH, "batch": size},
    )  # fmt: skip


def _compared(stream: Stream, planned: pw.Plan, columns: dict[str, np.ndarray]) -> str:
    """Starts and ends of the first frames, against a single buffer; integers, so in any type."""
    rows = min(COMPARED, len(columns["ts"]))
    given = {"ts": columns["ts"][:rows], "x": columns["x"][:rows].astype(np.int64)}
    running = pw.Operator(planned, delay=0, lateness=0)
    cut = {name: column[:rows] for name, column in columns.items()}
    told = pa.concat_tables([running.push(cut), running.flush()])
    window = told["window"].combine_chunks()
    found = np.array([np.asarray(pc.struct_field(window, name)) for name in ("start", "end")])
    single = InOrder(Fed.of(stream.frame, given, rows)).frames().found[:2]
    return "equal" if np.array_equal(found, single) else "DIFFERENT: ours"
