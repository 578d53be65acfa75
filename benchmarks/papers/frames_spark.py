"""Frames on Spark: the same result as users write it with window functions, and ours.

A change of what is looked at is found by `lag`, frames are numbered by a running sum of changes,
and a group-by follows.  What depends on the first row of a frame, or on a sum that begins anew,
cannot be said so: delta and aggregate frames are held against our own threshold frames.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import panewise as pw
from benchmarks import data
from benchmarks.measure import alternate
from benchmarks.papers.frames_point import Point
from benchmarks.papers.frames_stream import SCHEMES
from benchmarks.spark.cases import Query, agree, checksum
from benchmarks.spark.session import consume, machine, start
from panewise.windows import Frame

SQL, OURS = "SQL", "ours"
CHECK_ONE_KEY_IN = 10
FRAMES: dict[str, Frame] = {
    "threshold": pw.threshold_frame("value > 20"),
    "boundary": pw.boundary_frame("value", width=5),
    "delta": pw.delta_frame("value", 5),
    "aggregate": pw.aggregate_frame(pw.sum("value"), 100),
}
LOOKED_AT = {"threshold": "value > 20", "boundary": "floor(value / 5)"}
IN_A_FRAME = {"threshold": "looked_at", "boundary": "true"}
_OVER = "OVER (PARTITION BY device ORDER BY ts)"


def as_sql(scheme: str) -> Query:
    """Frames by window functions; a frame reaches to the row that closes it."""

    def query(readings: DataFrame) -> DataFrame:
        looked = readings.selectExpr(
            *("device", "ts", "value", f"{LOOKED_AT[scheme]} AS looked_at"),
            f"lead(ts) {_OVER} AS following",
        )
        changes = looked.selectExpr(
            "*", f"int(NOT looked_at <=> lag(looked_at) {_OVER}) AS changes"
        )
        numbered = changes.selectExpr("*", f"sum(changes) {_OVER} AS frame")
        frames = numbered.where(IN_A_FRAME[scheme]).groupBy("device", "frame")
        after = "max(coalesce(following, ts + INTERVAL 1 MICROSECOND))"
        found = frames.agg(
            F.expr(f"struct(min(ts) AS start, {after} AS end) AS window"),
            F.sum("value").alias("value"),
        )
        return found.select("window", "device", "value")

    return query


def as_ours(scheme: str) -> Query:
    return pw.plan(
        time="ts",
        by=["device"],
        windows=[FRAMES[scheme]],
        aggregates=[pw.sum("value").alias("value")],
    ).run


def on_spark(rows: int, keys: int, folder: Path, repeat: int) -> Iterator[Point]:
    """Every scheme in one session, in turn, and SQL where it can say it."""
    where = data.ensure(rows, keys, folder)
    spark = start()
    try:
        yield from _points(spark, where, rows, keys, repeat)
    finally:
        spark.stop()


def _points(spark: SparkSession, where: Path, rows: int, keys: int, repeat: int) -> Iterator[Point]:
    readings = spark.read.parquet(str(where))
    part = _untied(readings.where(F.col("device") % CHECK_ONE_KEY_IN == 0)).cache()
    found, frames = {}, {}
    for scheme in SCHEMES:
        ours = checksum(as_ours(scheme)(part))
        frames[scheme] = ours[0] * CHECK_ONE_KEY_IN
        found[scheme] = "not compared"
        if scheme in LOOKED_AT:
            theirs = checksum(as_sql(scheme)(part))
            same = agree(theirs, ours)
            found[scheme] = "equal (1 key in 10)" if same else f"DIFFERENT: {theirs}, {ours}"
    part.unpersist()
    sides = {(OURS, scheme): as_ours(scheme)(readings) for scheme in SCHEMES}
    sides |= {(SQL, scheme): as_sql(scheme)(readings) for scheme in LOOKED_AT}
    runs = {
        f"{side} {scheme}": lambda query=query: consume(query)
        for (side, scheme), query in sides.items()
    }
    timings = alternate(runs, repeat)
    for scheme in SCHEMES:
        own = {side: timings[f"{side} {scheme}"] for side, other in sides if other == scheme}
        yield Point(
            case="spark", variant=f"{keys:,} keys", x=scheme, rows=rows,
            seconds={side: timing.seconds for side, timing in own.items()},
            results=found[scheme], machine=machine(spark),
            others=max(timing.others for timing in own.values()),
            told={"frames, about": frames[scheme]},
        )  # fmt: skip


def _untied(readings: DataFrame) -> DataFrame:
    """Without rows of one device at one time: SQL has no order for them, and frames need one."""
    return readings.dropDuplicates(["device", "ts"])
