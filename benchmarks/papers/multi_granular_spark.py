"""Granules on Spark, against one `window()` query for each level."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from benchmarks.measure import alternate
from benchmarks.papers.general_slicing_point import Point
from benchmarks.papers.multi_granular_cases import GRANULES, LEVELS, Scale, horizons, plan, stream
from benchmarks.spark.session import consume, machine, start

APART = "five window() queries"


def on_spark(scale: Scale) -> Iterator[Point]:
    """Five levels in one Spark batch; the rows of one key are compared first."""
    session = start()
    rows = stream(scale.rows).to_pandas()
    events = session.createDataFrame(rows).repartition(4).localCheckpoint()
    five = plan(horizons(LEVELS), keyed=True)
    part = events.where("k = 3")
    ours = five.run(part).selectExpr("sum(`sum(x)`)", "sum(`count()`)", "count(*)").first()
    sums = [w.selectExpr("sum(s)", "sum(n)", "count(*)").first() for w in _windows(part)]
    same = tuple(ours or ()) == tuple(np.sum(sums, axis=0))
    sides = {
        GRANULES: lambda: consume(five.run(events)),
        APART: lambda: [consume(each) for each in _windows(events)],
    }
    for run in sides.values():
        run()  # generated code, workers, compiled loops
    timings = alternate(sides, min(scale.repeat, 2), lambda timing, turn, most: turn < most)
    yield Point(
        *("spark", "10 keys", len(LEVELS), scale.rows),
        {name: timing.seconds for name, timing in timings.items()},
        results="equal (1 key in 10)" if same else f"DIFFERENT: {APART}",
        others=max(timing.others for timing in timings.values()),
        machine=machine(session),
    )
    session.stop()


def _windows(frame: DataFrame) -> list[DataFrame]:
    return [
        frame.groupBy(F.window("t", _long(size), _long(slide)), "k").agg(
            F.sum("x").alias("s"), F.count("*").alias("n")
        )
        for size, slide in LEVELS
    ]


def _long(size: str) -> str:
    """A size as Spark's `window()` reads it."""
    units = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
    return f"{size[:-1]} {units[size[-1]]}"
