"""Calls on Spark: a query as users write it, which explodes each call into its windows, and ours.

The input: calls over seven days, in order of their start, in 8 files; lengths are exponential with
a mean of 200 minutes, which is 40 panes of 5 minutes.  Tower n has a share of the calls as
1/sqrt(n): the busiest of 1,000 has 16 times the calls of the mean one.

Memory is the most that JVM and Python workers have resident, each side in a process of its own
(`spanning_memory.py`).
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import panewise as pw
from benchmarks.measure import alternate
from benchmarks.papers.spanning_point import Point
from benchmarks.spark.cases import agree
from benchmarks.spark.session import consume, machine, start

FILES, DAYS = 8, 7
MINUTE = 60 * 1_000_000
DAY, EPOCH = 1440 * MINUTE, 1_704_067_200 * 1_000_000  # 2024-01-01 00:00 UTC
SIZE, SLIDE, MEAN = 15 * MINUTE, 5 * MINUTE, 200 * MINUTE
EXPLODE, OURS = "explode", "auto"
CHECK_ONE_KEY_IN = 10
ASKED = {"count": ["count"], "count, sum, max": ["count", "sum", "max"]}


def ensure(calls: int, towers: int, root: Path) -> Path:
    """The folder of an input; made if it is not there yet."""
    folder = root / f"calls{calls}-towers{towers}"
    if not folder.exists():
        part = folder.with_suffix(".part")  # an interrupted run must not look like an input
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        table, size = _table(calls, towers), -(-calls // FILES)
        for number in range(FILES):
            pq.write_table(table.slice(number * size, size), part / f"{number}.parquet")
        part.rename(folder)
    return folder


def _table(calls: int, towers: int) -> pa.Table:
    rng = np.random.default_rng(calls + towers)
    weight = 1 / np.sqrt(np.arange(1, towers + 1))
    began = np.sort(rng.integers(0, DAYS * DAY, calls)) + EPOCH
    ended = began + np.maximum(1, rng.exponential(MEAN, calls)).astype(np.int64)
    moment = pa.timestamp("us", "UTC")
    return pa.table(
        {
            "tower": rng.choice(towers, calls, p=weight / weight.sum()),
            "began": pa.array(began).cast(moment),
            "ended": pa.array(ended).cast(moment),
            "cost": rng.integers(0, 1000, calls),
        }
    )


def exploded(calls: DataFrame, asked: list[str]) -> DataFrame:
    """One row for each call and window, and a group-by."""
    first = f"(unix_micros(began) - {SIZE}) div {SLIDE} * {SLIDE} + {SLIDE}"
    windows = f"explode(sequence({first}, unix_micros(ended) - 1, {SLIDE}L)) AS w"
    measures = {"count": F.count(F.lit(1)), "sum": F.sum("cost"), "max": F.max("cost")}
    found = calls.selectExpr("tower", "cost", windows).groupBy("tower", "w")
    rows = found.agg(*(measures[name].alias(name) for name in asked))
    return rows.selectExpr(
        f"struct(timestamp_micros(w) AS start, timestamp_micros(w + {SIZE}) AS end) AS window",
        *("tower", *asked),
    )


def ours(calls: DataFrame, asked: list[str]) -> DataFrame:
    """The same by a plan that has seen some of the calls."""
    makers = {"count": pw.count(), "sum": pw.sum("cost"), "max": pw.max("cost")}
    plan = pw.plan(
        time=("began", "ended"),
        by=["tower"],
        windows=[pw.sliding("15m", "5m")],
        aggregates=[makers[name].alias(name) for name in asked],
    )
    return plan.sample(calls).run(calls)


SIDES = {EXPLODE: exploded, OURS: ours}


def checksum(rows: DataFrame, asked: list[str]) -> tuple[float, ...]:
    """Count, windows and values, whatever the order of rows."""
    place = F.xxhash64(F.unix_micros("window.start"), F.unix_micros("window.end"), "tower")
    sums = [F.sum(F.col(name) * F.pmod(place, F.lit(1009))) for name in asked]
    found = rows.agg(F.count(F.lit(1)), F.sum(F.pmod(place, F.lit(2**31 - 1))), *sums).first()
    assert found is not None
    return tuple(found)


def on_spark(calls: int, towers: int, folder: Path, repeat: int) -> Iterator[Point]:
    """Both sides in one session, in turn; then each alone, for its memory."""
    # imported here, because that module is run by itself and needs this one
    from benchmarks.papers.spanning_memory import alone

    where = ensure(calls, towers, folder)
    for variant, asked in ASKED.items():
        spark = start()
        events = spark.read.parquet(str(where))
        part = events.where(F.col("tower") % CHECK_ONE_KEY_IN == 0)
        sums = {name: checksum(side(part, asked), asked) for name, side in SIDES.items()}
        same = agree(sums[EXPLODE], sums[OURS])
        queries = {name: side(events, asked) for name, side in SIDES.items()}
        runs = {name: lambda query=query: consume(query) for name, query in queries.items()}
        timings = alternate(runs, repeat)
        name = machine(spark)
        spark.stop()
        memory = {side: alone(side, where, asked) for side in SIDES}
        yield Point(
            case="calls",
            variant=f"{variant}, {towers:,} towers",
            x=calls,
            rows=calls,
            seconds={side: timing.seconds for side, timing in timings.items()},
            bytes={side: each.resident for side, each in memory.items()},
            told={
                f"{side}, {name} MB": size / 2**20
                for side, each in memory.items()
                for name, size in each.parts().items()
            },
            results="equal (1 key in 10)" if same else f"DIFFERENT: {sums}",
            others=max(timing.others for timing in timings.values()),
            machine=name,
        )
