"""Our side and the source's techniques over one stream: compared, then timed in turn.

A technique that would need too many steps for all events takes the first of them only, and its time
is counted for all: its cost for each event does not depend on how many there are.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import panewise as pw
from benchmarks.measure import Watch
from benchmarks.papers.general_slicing_sides import machine
from benchmarks.papers.spanning_baselines import AGGREGATES, TECHNIQUES, Input, Technique
from benchmarks.papers.spanning_point import Point

OURS = "auto"
MOST_STEPS = 100_000_000
"""Steps of a technique in one run."""
LEAST_EVENTS = 20_000
LONG, VERY_LONG = 0.5, 3.0
"""Runs of more seconds are repeated twice, or not at all."""
MAKERS = {
    "count": lambda: pw.count(),
    "sum": lambda: pw.sum("value"),
    "max": lambda: pw.max("value"),
}


@dataclass(frozen=True)
class Shape:
    """What is asked of a stream."""

    size: int
    slide: int
    aggregate: str
    mean: float
    """Ticks of an event, on average."""


def plan_of(shape: Shape, given: Input, strategy: str = "auto") -> pw.Plan:
    """A plan that knows how many events there are, and how long they are."""
    window = pw.sliding(shape.size, shape.slide)
    known = pw.Statistics.given(
        rows=len(given.start),
        span=int(given.end.max() - given.end.min()) + 1,
        length=max(1, round(shape.mean)),
    )
    return pw.plan(
        time=("start", "end"),
        windows=[window if shape.size > shape.slide else pw.tumbling(shape.size)],
        aggregates=[MAKERS[shape.aggregate]().alias("found")],
        strategy=strategy,
        statistics=known,
    )


def measured(
    case: str,
    variant: str,
    x: float | str,
    shape: Shape,
    given: Input,
    repeat: int,
    techniques: Sequence[Technique] = tuple(TECHNIQUES.values()),
) -> Point:
    """All sides over the same events, in turn; the best runs count."""
    events = pa.table({"start": given.start, "end": given.end, "value": given.value})
    planned = plan_of(shape, given)
    aggregate = AGGREGATES[shape.aggregate]
    sides = {OURS: partial(planned.run, events)}
    inputs = {each.name: _cut(given, each, shape) for each in techniques}
    sides |= {each.name: partial(each.run, inputs[each.name], aggregate) for each in techniques}
    results, held = _compared(shape, planned, inputs, techniques)
    share = {OURS: 1.0} | {name: len(given.start) / len(cut.start) for name, cut in inputs.items()}
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    cpu: dict[str, list[float]] = {name: [] for name in sides}
    with Watch(every=3600) as watch:
        for turn in range(repeat):
            for name, run in sides.items():
                if turn and min(seconds[name]) / share[name] > (LONG if turn > 1 else VERY_LONG):
                    continue
                wall, used = time.perf_counter(), time.process_time()
                run()
                seconds[name].append((time.perf_counter() - wall) * share[name])
                cpu[name].append((time.process_time() - used) * share[name])
    return Point(
        case=case, variant=variant, x=x, rows=len(given.start), seconds=seconds, cpu=cpu,
        bytes=held, chosen=planned.chosen, results=results, others=watch.others, machine=machine(),
        shape={"size": shape.size, "slide": shape.slide, "mean": shape.mean},
    )  # fmt: skip


def _cut(given: Input, technique: Technique, shape: Shape) -> Input:
    steps = technique.steps(shape.mean, shape.size, shape.slide)
    rows = max(LEAST_EVENTS, int(MOST_STEPS / max(1.0, steps)))
    return given if rows >= len(given.start) else given.first(rows)


def _compared(
    shape: Shape, planned: pw.Plan, inputs: dict[str, Input], techniques: Sequence[Technique]
) -> tuple[str, dict[str, int]]:
    """Every technique against ours on the events that it takes; this also compiles all loops."""
    wrong, held = [], {}
    ours: dict[int, pa.Table] = {}
    for each in techniques:
        cut = inputs[each.name]
        found = each.run(cut, AGGREGATES[shape.aggregate])
        held[each.name] = found.bytes
        rows = len(cut.start)
        if rows not in ours:
            table = pa.table({"start": cut.start, "end": cut.end, "value": cut.value})
            ours[rows] = planned.run(table)
        told = np.full(len(found.values), AGGREGATES[shape.aggregate].zero, np.int64)
        begin = np.asarray(pc.struct_field(ours[rows]["window"], "start"))
        told[begin // shape.slide - found.first] = np.asarray(ours[rows]["found"])
        if not np.array_equal(told, found.values):
            wrong.append(each.name)
    return (f"DIFFERENT: {', '.join(wrong)}" if wrong else "equal"), held
