"""What is held does not grow with the stream: an hour of events, disordered as far as allowed."""

import datetime as dt
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import panewise as pw
from panewise.kernels import compose
from panewise.operator.container import unpacked
from tests.conformance.buckets import Played, job_of
from tests.spark.streaming import feed

DELAY = dt.timedelta(minutes=2)
PIECES = 12
EDGES = [pw.tumbling("1 minute"), pw.sliding("2 minutes", "30 s"), pw.session("20 s")]
OF_ROWS = [pw.tumbling(pw.rows(50)), pw.every("1 minute", last=pw.rows(10)), pw.punctuation("mark")]


def an_hour(*, leaving: bool) -> pa.Table:
    """Four rows a second, with pauses; values, and most keys if asked, never come again."""
    ticks = np.arange(0, 3_600_000_000, 250_000)
    ticks = ticks[ticks % 100_000_000 < 70_000_000]  # sessions end
    number = np.arange(len(ticks))
    start = (feed.START - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)) // dt.timedelta(microseconds=1)
    return pa.table(
        {
            "ts": pa.array(start + ticks, pa.timestamp("us", "UTC")),
            "k": np.where(leaving & (number % 10 > 0), 1000 + number, number % 5),
            "x": number // 100,
            "mark": number % 100 < 5,
            "id": number,
        }
    )


def planned(windows: list[pw.Window]) -> pw.Plan:
    aggregates: list[pw.Aggregate] = [pw.sum("x"), pw.median("x"), pw.count()]
    return pw.plan(time="ts", by=["k"], windows=windows, aggregates=aggregates, order_by="id")


@pytest.mark.parametrize("kind", ["keys that leave", "windows of rows", "rows that revise"])
def test_state_stays_flat(spark: SparkSession, tmp_path: Path, kind: str) -> None:
    """Windows of rows stay open for a key that leaves, so they are watched with keys that stay."""
    of_rows = kind == "windows of rows"
    asked: dict[str, Any] = {"delay": DELAY}
    if kind == "rows that revise":  # half of the disorder is waited for
        asked = {"delay": DELAY / 2, "lateness": DELAY / 2}
    rows = feed.disordered(an_hour(leaving=not of_rows), DELAY)
    folder = feed.write(tmp_path / "in", feed.cut(rows, PIECES))
    plan = planned([*EDGES, *OF_ROWS] if of_rows else EDGES)
    answer = plan.run(feed.stream(spark, folder), **asked)
    writer = answer.writeStream.format("noop").trigger(availableNow=True)
    writer = writer.outputMode("update" if "lateness" in asked else "append")
    query = writer.option("checkpointLocation", str(tmp_path / "state")).start()
    query.awaitTermination()
    metrics = feed.observed(query)
    assert len(metrics) == PIECES
    assert sum(each["late"] for each in metrics) == 0
    # in the last one the stream ends: no row is still on its way
    for name in ("cells", "keys"):
        assert_flat(name, [each[name] for each in metrics][:-1])
    # what Spark keeps for it: a head for every bucket, and pages
    pages = [p.stateOperators[0].numRowsTotal for p in query.recentProgress if p.numInputRows]
    assert_flat("pages", pages)
    sizes = [stored_bytes(spark, tmp_path / "state", batch) for batch in (4, 5, 9, 10)]
    assert_flat("bytes", sizes)


def assert_flat(name: str, sizes: list[int]) -> None:
    """The second half has no more than the first one had, but for chance."""
    half = len(sizes) // 2
    assert max(sizes[half:]) <= 1.3 * max(sizes[:half]), f"{name}: {sizes}"


def stored_bytes(spark: SparkSession, checkpoint: Path, batch: int) -> int:
    """After a micro-batch."""
    state = spark.read.format("statestore").option("stateVarName", "pages")
    pages = state.option("batchId", batch).load(str(checkpoint))
    (found,) = pages.selectExpr("sum(length(user_map_value.page)) AS bytes").collect()
    return int(found.bytes)


@pytest.mark.parametrize("lateness", [0, 60], ids=["final rows", "revisions"])
def test_tables_stay_flat(monkeypatch: pytest.MonkeyPatch, lateness: int) -> None:
    """Row by row, keys and values included: numbers are dropped once there are a few idle ones."""
    monkeypatch.setattr(compose, "FEW_KEYS", 8)
    monkeypatch.setattr(compose, "FEW_VALUES", 8)
    schema = {"ts": "bigint", "k": "bigint", "x": "bigint", "mark": "boolean", "id": "bigint"}
    plan = pw.plan(
        time="ts",
        by=["k"],
        windows=[pw.tumbling(60), pw.sliding(120, 30), pw.session(20)],
        aggregates=[pw.sum("x"), pw.median("x"), pw.count()],
        order_by="id",
    )
    job = job_of(plan.query, schema, delay=120 - lateness, lateness=lateness)
    played = Played(job, schema)
    rows = feed.disordered(an_hour(leaving=True), DELAY).to_pylist()
    for number, row in enumerate(rows):
        seconds = (row["ts"] - feed.START) // dt.timedelta(seconds=1)
        row |= {"ts": seconds, "x": row["id"] // 3, "id": number}
    found = []
    for batch in range(119):  # after the last of 120 no row is still on its way
        low, high = (len(rows) * each // 120 for each in (batch, batch + 1))
        played.push([rows[low:high]])
        found.append(tables(played))
    assert played.late == 0
    most = {name: max(each[name] for each in found) for name in set().union(*found)}
    assert most["rows of keys"] > 0 and most["rows of values"] > 0
    assert any(most[name] for name in most if "revisions" in name) == (lateness > 0)
    for name in most:
        assert_flat(name, [each[name] for each in found])


def tables(played: Played) -> Counter[str]:
    """The rows of every table that is stored, and all bytes."""
    found: Counter[str] = Counter()
    for handle in played.handles.values():
        for (name, _), (page,) in handle.pages.values.items():
            found["bytes"] += len(page)
            if name != "head":
                found[f"rows of {name}"] += unpacked(page)[1]["page"].num_rows
    return found
