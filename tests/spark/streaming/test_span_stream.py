"""Streams of events with a duration: the batch rows, revisions, versions, restarts, refusals."""

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession

import panewise as pw
from panewise.errors import QueryError
from panewise.testing import assert_same_rows
from tests.conformance.streams import Reader
from tests.spark.streaming import feed
from tests.spark.streaming.feed import Sink

DELAY = dt.timedelta(seconds=20)
LONGEST = dt.timedelta(seconds=90)
EVER = dt.timedelta(days=30)
FAR = dt.timedelta(days=2)


def calls(count: int, seed: int = 3) -> pa.Table:
    """Calls by their ends, none behind another by more than the delay."""
    draw = np.random.default_rng(seed)
    start = np.sort(draw.integers(0, 600_000_000, count))
    lasts = (draw.exponential(0.2, count).clip(0, 1) * LONGEST.total_seconds() * 1e6).astype(int)
    behind = draw.integers(0, int(DELAY.total_seconds() * 1e6), count)
    began = np.datetime64(feed.START.replace(tzinfo=None), "us") + start
    rows = pa.table(
        {
            "began": pa.array(began).cast(pa.timestamp("us", "UTC")),
            "ended": pa.array(began + lasts).cast(pa.timestamp("us", "UTC")),
            "tower": np.array(["a", "b", "c"])[draw.integers(0, 3, count)],
            "cost": draw.integers(0, 100, count),
            "call": draw.integers(0, count // 2, count),
            "version": np.arange(count),
        }
    )
    return rows.take(pa.array(np.argsort(start + lasts + behind)))


def closed(rows: pa.Table) -> pa.Table:
    """The same, and one far behind that closes all windows before."""
    far = max(rows["ended"].to_pylist()) + FAR
    last = {"began": far, "ended": far, "tower": "a", "cost": 0, "call": -1, "version": 10**6}
    return pa.concat_tables([rows, pa.Table.from_pylist([last], rows.schema)])


def planned(**more: Any) -> pw.Plan:
    return pw.plan(
        time=("began", "ended"),
        by=["tower"],
        windows=[pw.tumbling("30 s"), pw.sliding("2 m", "45 s"), pw.cumulating("20 s", "1 m")],
        aggregates=[pw.count(), pw.sum("cost"), pw.max("cost"), pw.mean("cost")],
        **more,
    )


def run(
    spark: SparkSession, path: Path, pieces: list[pa.Table], plan: pw.Plan, **asked: Any
) -> Sink:
    """Half of the pieces, and after a new start the others."""
    sink, folder, half = Sink(), path / "in", len(pieces) // 2
    for part in (pieces[:half], pieces[half:]):
        feed.write(folder, part)
        events = feed.stream(spark, folder).withWatermark("ended", "20 seconds")
        answer = plan.run(events, buckets=2, **asked)
        sink.run(answer, path / "state", "update" if "lateness" in asked else "append")
    return sink


def without_shares(rows: feed.Rows) -> feed.Rows:
    assert all(0 <= row["late_share"] <= 1 for row in rows)
    return [{n: v for n, v in row.items() if n != "late_share"} for row in rows]


def test_every_call_within_its_wait(spark: SparkSession, tmp_path: Path) -> None:
    rows = closed(calls(300))
    sink = run(spark, tmp_path, feed.cut(rows, 4), planned(), postpone=LONGEST)
    until = max(rows["ended"].to_pylist()) - DELAY - LONGEST
    feed.check(without_shares(sink.rows), planned(), rows, until)
    assert sink.total("late") == 0


@pytest.mark.parametrize("version", [False, True], ids=["longer than the wait", "sent again"])
def test_what_was_told_is_revised(spark: SparkSession, tmp_path: Path, version: bool) -> None:
    rows = closed(calls(300))
    plan = planned(revise="by call", order_by="version") if version else planned()
    asked = {"postpone": "5 s", "lateness": EVER}
    sink = run(spark, tmp_path, feed.cut(rows, 4), plan, **asked)
    reader = Reader(["tower"])
    for number in sorted(sink.batches):
        reader.apply(without_shares(sink.batches[number]))
    assert any(row["revision"] for row in sink.rows)
    assert any(row["retracted"] for row in sink.rows) == version
    until = max(rows["ended"].to_pylist()) - DELAY - dt.timedelta(seconds=5)
    assert_same_rows(reader.all(), feed.answers(plan, rows, until), by=["tower"])


def test_calls_that_come_after_the_lateness_are_counted(
    spark: SparkSession, tmp_path: Path
) -> None:
    rows = closed(calls(300))
    sink = run(spark, tmp_path, feed.cut(rows, 2), planned(), postpone="0 s")
    assert sink.total("late") > 0


def test_calls_that_end_before_they_begin(spark: SparkSession, tmp_path: Path) -> None:
    """They are left out and counted, do not move the watermark, and a strict query goes on with the
    checkpoint of one that was not."""
    rows = closed(calls(100))
    far = max(rows["ended"].to_pylist()) + FAR
    bad = {"began": far + FAR, "ended": far, "tower": "a", "cost": 1, "call": -2, "version": 0}
    first, second = feed.cut(rows, 2)
    spoilt = pa.concat_tables([first, pa.Table.from_pylist([bad, bad], rows.schema)])
    sink = run(spark, tmp_path, [spoilt, second], planned(), postpone=LONGEST)
    assert [metrics["bad_rows"] for metrics in sink.metrics] == [2, 0]
    assert sink.total("late") == sink.total("null_times") == 0
    until = max(rows["ended"].to_pylist()) - DELAY - LONGEST
    feed.check(without_shares(sink.rows), planned(), rows, until)
    feed.write(tmp_path / "in", [spoilt])
    events = feed.stream(spark, tmp_path / "in").withWatermark("ended", "20 seconds")
    strict = planned(on_bad_rows="fail").run(events, buckets=2, postpone=LONGEST)
    with pytest.raises(StreamingQueryException, match="an event ends before it begins"):
        Sink().run(strict, tmp_path / "state")


def test_what_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    folder = feed.write(tmp_path / "in", [calls(20)])
    events = feed.stream(spark, folder)
    with pytest.raises(QueryError, match="a stream needs postpone"):
        planned().run(events, delay=DELAY)
    with pytest.raises(QueryError, match='"ended" has no watermark'):
        planned().run(events.withWatermark("began", "20 seconds"), postpone=LONGEST)
    with pytest.raises(QueryError, match="postpone is for streams"):
        planned().run(calls(20), postpone=LONGEST)


def test_a_checkpoint_goes_on_with_its_own_query_only(spark: SparkSession, tmp_path: Path) -> None:
    feed.write(tmp_path / "in", [calls(20)])
    asked: dict[str, Any] = {"delay": DELAY, "postpone": LONGEST}
    Sink().run(planned().run(feed.stream(spark, tmp_path / "in"), **asked), tmp_path / "state")
    feed.write(tmp_path / "in", [closed(calls(20))])
    other = pw.plan(
        time=("began", "ended"), by=["tower"], windows=[pw.tumbling("30 s")],
        aggregates=[pw.count()],
    )  # fmt: skip
    with pytest.raises(Exception, match="their slices cannot be cut anew"):
        Sink().run(other.run(feed.stream(spark, tmp_path / "in"), **asked), tmp_path / "state")
