"""A query that stops and goes on from its checkpoint: as if it had never stopped."""

import datetime as dt
import shutil
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

import panewise as pw
from panewise.spark import progress
from panewise.testing import assert_same_rows
from tests.conformance.streams import Reader
from tests.spark.streaming import feed
from tests.spark.streaming.feed import Sink
from tests.spark.user_defined import spread

DELAY = dt.timedelta(seconds=20)
LATENESS = dt.timedelta(seconds=40)


def planned() -> pw.Plan:
    """The same query each time, and another object."""
    return pw.plan(
        time="ts",
        by=["k", "zone"],
        windows=[
            pw.tumbling("10 s"),
            pw.sliding("1 m", "7 s"),
            pw.session("4 s"),
            pw.sliding(pw.rows(10), pw.rows(4)),
            pw.by_tuple(pw.rows(3), "30 s"),
            pw.every("25 s", last=pw.rows(5)),
            pw.punctuation("mark"),
        ],
        aggregates=[pw.sum("x"), pw.median("n"), pw.last("word"), spread()("n")],
        order_by="id",
    )


def fed(within: dt.timedelta = DELAY) -> tuple[pa.Table, list[pa.Table]]:
    whole = feed.disordered(feed.readings(400), within)
    rows = feed.closed(whole)
    return rows, [*feed.cut(whole, 5), rows.slice(len(whole))]


@pytest.mark.parametrize("late", [False, True], ids=["final rows", "revisions"])
def test_a_new_plan_goes_on_from_the_checkpoint(
    spark: SparkSession, tmp_path: Path, late: bool
) -> None:
    """Workers know nothing of a new query, so everything is read from its pages."""
    rows, pieces = fed(LATENESS if late else DELAY)
    asked = {"delay": DELAY, "lateness": LATENESS} if late else {"delay": DELAY}
    sink, folder = Sink(), tmp_path / "in"
    for part in (pieces[:2], pieces[2:3], pieces[3:]):
        feed.write(folder, part)
        answer = planned().run(feed.stream(spark, folder), **asked)
        sink.run(answer, tmp_path / "state", "update" if late else "append")
    reader = Reader(["k", "zone"])
    for number in sorted(sink.batches):
        reader.apply(sink.batches[number])
    batch = spark.read.parquet(str(folder))
    feed.check(reader.all(), planned(), batch, feed.newest(rows) - DELAY)
    assert sink.total("late") == 0


def test_workers_that_are_ahead_of_the_checkpoint(spark: SparkSession, tmp_path: Path) -> None:
    """The same answer goes on from an older copy: what workers remember is of a later batch."""
    rows, pieces = fed()
    folder, sink = feed.write(tmp_path / "in", pieces[:2]), Sink()
    answer = planned().run(feed.stream(spark, folder), delay=DELAY)
    sink.run(answer, tmp_path / "state")
    shutil.copytree(tmp_path / "state", tmp_path / "older")
    feed.write(folder, pieces[2:4])
    sink.run(answer, tmp_path / "state")
    sink.batches = {number: told for number, told in sink.batches.items() if number < 2}
    feed.write(folder, pieces[4:])
    sink.run(answer, tmp_path / "older")
    batch = spark.read.parquet(str(folder))
    feed.check(sink.rows, planned(), batch, feed.newest(rows) - DELAY)


def test_a_driver_that_died_while_it_wrote_its_first_offsets(
    spark: SparkSession, tmp_path: Path
) -> None:
    """What it left is no offset, so the stream begins with its first rows."""
    plan = pw.plan(
        time="ts", by=["k", "zone"], windows=[pw.tumbling("20 s")], aggregates=[pw.sum("n")]
    )
    rows = feed.closed(feed.disordered(feed.readings(300), DELAY))
    folder = feed.write(tmp_path / "in", feed.cut(rows, 2))
    offsets = tmp_path / "state" / "offsets"
    offsets.mkdir(parents=True)
    (offsets / ".0.a404618a-aaa8-4628-abd8-c004f9eb5915.tmp").write_text("v")
    sink = Sink()
    sink.run(plan.run(feed.stream(spark, folder), delay=DELAY), tmp_path / "state")
    feed.check(sink.rows, plan, rows, feed.newest(rows) - DELAY)


def test_a_query_that_is_stopped_between_batches(spark: SparkSession, tmp_path: Path) -> None:
    """With the default trigger, which waits for more; the same answer is started again."""
    rows, pieces = fed()
    folder, sink = feed.write(tmp_path / "in", pieces[:1]), Sink()
    answer = planned().run(feed.stream(spark, folder), delay=DELAY)
    for more in (pieces[1:2], pieces[2:4], pieces[4:]):
        feed.write(folder, more)
        writer = answer.writeStream.foreachBatch(sink.take)
        query = writer.option("checkpointLocation", str(tmp_path / "state")).start()
        query.processAllAvailable()
        query.stop()
    batch = spark.read.parquet(str(folder))
    feed.check(sink.rows, planned(), batch, feed.newest(rows) - DELAY)


def test_a_query_that_changed_goes_on_with_what_it_had(spark: SparkSession, tmp_path: Path) -> None:
    """A window and an aggregate less, and one of each more."""
    rows, pieces = fed()
    tens, sessions, minutes = pw.tumbling("10 s"), pw.session("4 s"), pw.tumbling("1 m")
    old, new, both = (
        pw.plan(time="ts", by=["k", "zone"], windows=windows, aggregates=aggregates)
        for windows, aggregates in (
            ([tens, pw.sliding("1 m", "7 s"), sessions], [pw.sum("x"), pw.count(), pw.min("n")]),
            ([tens, sessions, minutes], [pw.sum("x"), pw.count(), pw.max("n")]),
            ([tens, sessions], [pw.sum("x"), pw.count()]),
        )
    )
    folder, sink = feed.write(tmp_path / "in", pieces[:3]), Sink()
    sink.run(old.run(feed.stream(spark, folder), delay=DELAY), tmp_path / "state")
    newest = feed.newest(pa.concat_tables(pieces[:3]))
    feed.write(folder, pieces[3:])
    assert [metrics["since_us"] for metrics in sink.metrics] == [None] * 3
    answer = new.run(feed.stream(spark, folder), delay=DELAY)
    query = sink.start(answer, tmp_path / "state", availableNow=True)
    query.awaitTermination()
    moment = newest + dt.timedelta(microseconds=1)
    found = progress(query)
    assert found is not None
    assert found.since == moment
    assert f"what was added is answered from {moment}" in str(found)
    assert len({metrics["since_us"] for metrics in feed.observed(query)}) == 1
    kept = {tens.window_id, sessions.window_id}
    names = ("window_id", "window", "k", "zone", "sum(x)", "count()")
    told = [{n: row[n] for n in names} for row in sink.rows if row["window_id"] in kept]
    feed.check(told, both, rows, feed.newest(rows) - DELAY)
    added = [row for row in sink.rows if row["window_id"] == minutes.window_id]
    expected = feed.answers(new, rows, feed.newest(rows) - DELAY)
    assert_same_rows(
        added,
        [r for r in expected if r["window_id"] == minutes.window_id and r["window"][0] > newest],
        by=["k", "zone"],
    )


@pytest.mark.parametrize("planned_anew", [True, False])
def test_a_session_with_another_time_zone(
    spark: SparkSession, tmp_path: Path, planned_anew: bool
) -> None:
    """A zone is how moments are shown: the query goes on, and shows them in the new one."""
    rows, pieces = fed()
    plan = pw.plan(
        time="ts",
        by=["k", "zone"],
        windows=[pw.tumbling("10 s"), pw.session("4 s"), pw.tumbling(pw.rows(3))],
        aggregates=[pw.last("ts"), pw.collect("ts"), pw.count()],
        order_by="id",
    )
    sink, folder = Sink(), tmp_path / "in"
    answer, shown = None, list[str]()

    def take(frame: DataFrame, batch: int) -> None:
        sink.take(frame, batch)
        text = frame.selectExpr("CAST(window.start AS STRING) AS text")
        shown.extend(row.text for row in text.collect())

    try:
        for zone, part in (("UTC", pieces[:3]), ("Asia/Tokyo", pieces[3:])):
            spark.conf.set("spark.sql.session.timeZone", zone)
            feed.write(folder, part)
            if planned_anew or answer is None:
                answer = plan.run(feed.stream(spark, folder), delay=DELAY)
            shown.clear()
            writer = answer.writeStream.foreachBatch(take).trigger(availableNow=True)
            writer.option("checkpointLocation", str(tmp_path / "state")).start().awaitTermination()
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")
    assert {text.split(":")[0] for text in shown} == {"2024-03-01 09"}, "nine hours later"
    feed.check(sink.rows, plan, rows, feed.newest(rows) - DELAY)
