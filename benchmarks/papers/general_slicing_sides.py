"""The sides of the slicing experiment, and how they are timed in turn.

Idea: state is made before the clock starts; what is timed is every push and the flush.  Every side
is one thread that waits for nothing, so its time is that of its processor: a run that others
interrupt is not counted as a slow one.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numba
import numpy as np
import pyarrow as pa

import panewise as pw
from benchmarks.measure import Timing, Watch
from benchmarks.papers.general_slicing_stream import SECOND, Stream
from benchmarks.papers.slicing_baselines import Baseline, bare_fold

BARE, BARE_KEYS, OURS = "bare fold", "bare fold by key", "ours"
ONE = "ours, one window"
PANE = SECOND // 10
"""Width of the bare fold's panes."""
SLOW, VERY_SLOW = 1.0, 5.0
"""Runs longer than this many seconds are repeated twice at most, or not at all."""

COMPILING = 1000
"""Rows that every side takes before the clock starts: the first call of a loop compiles it."""

Run = Callable[[], int]
Side = Callable[[], Run]
"""Makes fresh state; the run that it returns tells how many windows were reported."""


@dataclass(frozen=True)
class Turns:
    """What timing some sides gave."""

    seconds: dict[str, list[float]]
    others: float


def in_turn(sides: Mapping[str, Side], repeat: int) -> Turns:
    """Every side once to warm up, which may compile for seconds and never counts; then all in turn.

    `benchmarks.measure.alternate` samples memory beside every run, which runs of milliseconds feel.
    """
    timings = {name: Timing() for name in sides}
    for side in sides.values():
        _timed(side)
    with Watch(every=3600) as watch:
        for turn in range(repeat):
            for name, side in sides.items():
                if _wants(timings[name], turn):
                    timings[name].seconds.append(_timed(side))
    return Turns({name: timing.seconds for name, timing in timings.items()}, watch.others)


def _wants(timing: Timing, turn: int) -> bool:
    if not timing.seconds:
        return True
    return timing.best < SLOW or (timing.best < VERY_SLOW and turn < 2)


def _timed(side: Side) -> float:
    run = side()
    began = time.thread_time()
    run()
    return time.thread_time() - began


def plan(windows: Sequence[pw.Window], aggregate: Any, *, keys: bool = False) -> pw.Plan:
    return pw.plan(
        time="ts",
        by=["key"] if keys else [],
        windows=list(windows),
        aggregates=[aggregate.alias("value")],
    )


def operator(planned: pw.Plan, lag: int, store: str = "auto") -> Any:
    return pw.Operator(planned, delay=f"{lag} us", lateness="0 s", store=store)


def timestamps(batch: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The same columns with the ticks as what they are."""
    return {**batch, "ts": batch["ts"].view("M8[us]")}


def ours(stream: Stream, windows: Sequence[pw.Window], aggregate: Any, store: str = "auto") -> Side:
    planned = plan(windows, aggregate, keys=stream.keys > 0)
    batches = [timestamps(batch) for batch in stream.batches()]
    answer(stream, windows, aggregate, COMPILING, store)

    def make() -> Run:
        running = operator(planned, stream.lag, store)
        return lambda: sum(len(running.push(batch)) for batch in batches) + len(running.flush())

    return make


def answer(
    stream: Stream, windows: Sequence[pw.Window], aggregate: Any, rows: int, store: str = "auto"
) -> pa.Table:
    """What our side reports for the first rows."""
    running = operator(plan(windows, aggregate, keys=stream.keys > 0), stream.lag, store)
    parts = [running.push(timestamps(batch)) for batch in stream.batches(rows)]
    return pa.concat_tables([*parts, running.flush()])


def baseline(stream: Stream, technique: Callable[[], Baseline]) -> Side:
    batches = [(batch["ts"], batch["value"]) for batch in stream.batches()]
    first = technique()
    first.push(*(column[:COMPILING] for column in batches[0]))
    first.flush()

    def make() -> Run:
        fresh = technique()

        def run() -> int:
            pushed = sum(len(fresh.push(*batch).start) for batch in batches)
            return pushed + len(fresh.flush().start)

        return run

    return make


def bare(stream: Stream) -> Side:
    """Every row into one array of panes, whatever its key."""
    batches = [(batch["ts"], batch["value"]) for batch in stream.batches()]

    def make() -> Run:
        panes, origin = bare_fold.panes(batches, PANE)

        def run() -> int:
            for ticks, values in batches:
                bare_fold.fold(panes, origin, PANE, ticks, values)
            return 0

        return run

    return make


def bare_keys(stream: Stream, width: int) -> Side:
    """Every row into the panes of its key."""
    batches = stream.batches()

    def make() -> Run:
        pairs = ((batch["ts"], batch["value"]) for batch in batches)
        panes, origin = bare_fold.panes(pairs, width, keys=stream.keys)
        panes.fill(0)  # its pages are there before the clock starts

        def run() -> int:
            for each in batches:
                bare_fold.fold_keys(panes, origin, width, each["key"], each["ts"], each["value"])
            return 0

        return run

    return make


@cache
def machine() -> str:
    """Versions and cores; nothing that tells whose machine it is."""
    versions = f"Python {platform.python_version()}, NumPy {np.__version__}"
    return f"{versions}, Numba {numba.__version__}, one of {os.cpu_count()} cores"
