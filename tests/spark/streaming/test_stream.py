"""A stream gives the rows of a batch: every window, every kind of aggregate, key and time."""

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

import panewise as pw
from panewise.testing import assert_same_rows
from tests.spark.streaming import feed
from tests.spark.streaming.feed import Sink
from tests.spark.test_keys import BASE, COLUMNS, OTHERS
from tests.spark.test_keys import SCHEMA as KEY_SCHEMA
from tests.spark.user_defined import spread, until_blue

DELAY = dt.timedelta(seconds=20)
EDGES = [
    pw.tumbling("10 s"),
    pw.sliding("30 s", "7 s"),
    pw.cumulating("20 s", "1 m"),
    pw.session("4 s"),
    pw.band("2024-03-01 00:01", "2 minutes"),
]
OF_ROWS = [
    pw.tumbling(pw.rows(7)),
    pw.sliding(pw.rows(10), pw.rows(4)),
    pw.cumulating(pw.rows(2), pw.rows(6)),
    pw.by_tuple(pw.rows(3), "30 s"),
    pw.by_tuple(pw.rows(2), "15 s", anchor="end"),
    pw.every("25 s", last=pw.rows(5)),
    pw.punctuation("mark"),
]
ANY_ORDER = [
    pw.sum("x"), pw.count(), pw.min("n"), pw.max("x"), pw.mean("n"), pw.variance("x"),
    pw.median("x"), pw.count_distinct("word"), pw.mode("n"),
]  # fmt: skip
IN_ORDER = [pw.first("x"), pw.last("word"), pw.collect("n"), pw.argmax("x", "id"), pw.sum("n")]


@pytest.mark.parametrize("kind", ["any order", "in order", "edges alone"])
def test_every_window_as_in_batch(spark: SparkSession, tmp_path: Path, kind: str) -> None:
    """Rows within the delay, in any order: cells only, cells beside rows, and rows only."""
    aggregates = IN_ORDER if kind == "in order" else [*ANY_ORDER, spread()("x")]
    windows = EDGES if kind == "edges alone" else [*EDGES, *OF_ROWS, until_blue()()]
    plan = pw.plan(
        time="ts", by=["k", "zone"], windows=windows, aggregates=aggregates, order_by="id"
    )
    rows = feed.closed(feed.disordered(feed.readings(700), DELAY))
    folder = feed.write(tmp_path / "in", feed.cut(rows, 4))
    events = feed.stream(spark, folder).withWatermark("ts", "20 seconds")
    sink = Sink().run(plan.run(events), tmp_path / "state")
    batch = spark.read.parquet(str(folder))
    assert plan.run(events).dtypes == plan.run(batch).dtypes
    feed.check(sink.rows, plan, batch, feed.newest(rows) - DELAY)
    assert sink.total("rows") == rows.num_rows
    assert sink.total("results") == len(sink.rows)
    assert sink.total("late") == 0


def test_without_keys_and_from_several_tasks(spark: SparkSession, tmp_path: Path) -> None:
    """Every micro-batch is read by three tasks; times are TIMESTAMP_NTZ."""
    plan = pw.plan(
        time="ts",
        windows=[*EDGES, *OF_ROWS],
        aggregates=[pw.sum("n"), pw.median("x"), pw.first("word"), pw.count()],
        order_by="id",
    )
    rows = feed.closed(feed.disordered(feed.readings(400), DELAY), by=())
    rows = rows.set_column(0, "ts", rows["ts"].cast(pa.timestamp("us")))
    folder = feed.write(tmp_path / "in", feed.cut(rows, 6))
    events = feed.stream(spark, folder, files=2).repartition(3)
    assert dict(events.dtypes)["ts"] == "timestamp_ntz"
    sink = Sink().run(plan.run(events, delay=DELAY, buckets=3), tmp_path / "state")
    batch = spark.read.parquet(str(folder))
    feed.check(sink.rows, plan, batch, feed.newest(rows) - DELAY)


def test_windows_are_told_when_the_watermark_passes_them(
    spark: SparkSession, tmp_path: Path
) -> None:
    """In whole numbers: what ends at the newest time less the delay, and not a tick more."""
    plan = pw.plan(
        time="t",
        by=["k"],
        windows=[pw.tumbling(10), pw.sliding(12, 4), pw.session(3)],
        aggregates=[pw.sum("x")],
    )
    pieces = [[3, 1, 9, 27], [30, 18, 20, 24], [40, 33]]
    tables = [
        pa.table({"t": pa.array(ts, pa.int64()), "k": ["a"] * len(ts), "x": ts}) for ts in pieces
    ]
    folder = feed.write(tmp_path / "in", tables)
    sink = Sink().run(plan.run(feed.stream(spark, folder), delay=10), tmp_path / "state")
    told = {
        number: {(row["window_id"], *row["window"]) for row in rows}
        for number, rows in sink.batches.items()
        if rows
    }
    at_17 = {("tumbling(10)", 0, 10), ("session(3)", 1, 6), ("session(3)", 9, 12)}
    at_20 = {("tumbling(10)", 10, 20)}
    slides = {at: {("sliding(12, 4)", at - 12, at)} for at in (4, 8, 12, 16, 20, 24, 28)}
    assert told[0] == at_17 | slides[4] | slides[8] | slides[12] | slides[16]
    assert told[1] == at_20 | slides[20]
    at_30 = {("tumbling(10)", 20, 30), ("session(3)", 18, 23)}
    assert told[2] == at_30 | slides[24] | slides[28]
    assert [metrics["watermark"] for metrics in sink.metrics] == [17, 20, 30]


def test_days_and_quiet_keys(spark: SparkSession, tmp_path: Path) -> None:
    """DATE as time; a key without new rows is closed by the rows of others."""
    plan = pw.plan(
        time="day",
        by=["k"],
        windows=[pw.tumbling("7 days"), pw.sliding("3 days", "1 day"), pw.session("2 days")],
        aggregates=[pw.sum("x"), pw.max("day")],
    )
    first = dt.date(2024, 1, 1)
    days = [first + dt.timedelta(days=(i * 5) % 60) for i in range(60)]
    days.sort(key=lambda day: (day.toordinal() // 10, day.day * 7 % 10))
    late = [first + dt.timedelta(days=900)]
    tables = [
        pa.table({"day": part, "k": [k] * len(part), "x": list(range(len(part)))})
        for part, k in ((days[:20], "a"), (days[20:40], "b"), ([*days[40:], *late], "c"))
    ]
    folder = feed.write(tmp_path / "in", tables)
    sink = Sink().run(plan.run(feed.stream(spark, folder), delay="10 days"), tmp_path / "state")
    batch = spark.read.parquet(str(folder))
    assert dict(batch.dtypes)["day"] == "date"
    feed.check(sink.rows, plan, batch, late[0] - dt.timedelta(days=10))
    assert {row["k"] for row in sink.rows} == {"a", "b", "c"}


def test_keys_of_every_type(spark: SparkSession, tmp_path: Path) -> None:
    """A key is in one bucket whichever batch it comes in; zeros of both signs are one key."""
    changes: list[dict[str, Any]] = [{}, {"number": -0.0}, {"pair": (1, -0.0)}, {"list": [-0.0]}]
    changes += [{name: value} for name, values in OTHERS.items() for value in values]
    rows = [
        (3 * i + 100 * repeat, str(change), *{**BASE, **change}.values())
        for repeat in range(2)
        for i, change in enumerate(changes)
    ]
    folder = tmp_path / "in"
    for part in (rows[: len(changes)], rows[len(changes) :], [(10_000, "far", *BASE.values())]):
        frame = spark.createDataFrame(part, KEY_SCHEMA).coalesce(1)
        frame.write.mode("append").parquet(str(folder))
    plan = pw.plan(
        time="t",
        by=COLUMNS,
        windows=[pw.tumbling(1000), pw.sliding(2000, 1000)],
        aggregates=[pw.count(), pw.sum("t")],
    )
    sink = Sink().run(
        plan.run(feed.stream(spark, folder), delay=1000, buckets=5), tmp_path / "state"
    )
    expected = feed.answers(plan, spark.read.parquet(str(folder)), 9000)
    assert len(expected) == 3 * (1 + sum(map(len, OTHERS.values())))
    assert_same_rows(sink.rows, expected, by=COLUMNS)


@pytest.fixture
def in_kolkata(spark: SparkSession) -> Iterator[None]:
    zone = "spark.sql.session.timeZone"
    before = spark.conf.get(zone)
    spark.conf.set(zone, "Asia/Kolkata")
    yield
    spark.conf.set(zone, before)


@pytest.mark.usefixtures("in_kolkata")
def test_shared_plans_and_further_steps(spark: SparkSession, tmp_path: Path) -> None:
    """The part of one query of several, filtered, and written to files; in another time zone."""
    alerts = pw.plan(
        time="ts",
        by=["k"],
        windows=[pw.tumbling("10 s").named("ten"), pw.session("4 s")],
        aggregates=[pw.max("x"), pw.count()],
    )
    report = pw.plan(
        time="ts",
        by=["k"],
        windows=[pw.tumbling("1 m"), pw.tumbling("10 s")],
        aggregates=[pw.mean("x"), pw.count()],
    )
    shared = pw.plan_all({"alerts": alerts, "report": report})
    rows = feed.closed(feed.disordered(feed.readings(300), DELAY), by=("k",))
    folder = feed.write(tmp_path / "in", feed.cut(rows, 2))
    events = feed.stream(spark, folder).withWatermark("ts", "20 seconds")
    until, batch = feed.newest(rows) - DELAY, spark.read.parquet(str(folder))

    told = Sink().run(shared.run(events), tmp_path / "state").rows
    own = {"alerts": alerts, "report": report}
    for name, plan in own.items():
        names = [*plan.query.result_columns, *plan.query.by]
        names += [aggregate.name for aggregate in plan.query.aggregates]
        mine = [{n: row[n] for n in names} for row in told if row["query"] == name]
        feed.check(mine, plan, batch, until)

    alone = shared.part(shared.run(events), "alerts").where("`count()` > 5")
    written = alone.select("window_id", "window", "k", "count()").writeStream
    written = written.format("parquet").option("path", str(tmp_path / "out"))
    written = written.option("checkpointLocation", str(tmp_path / "more"))
    written.trigger(availableNow=True).start().awaitTermination()
    expected = [
        {name: row[name] for name in ("window_id", "window", "k", "count()")}
        for row in feed.answers(alerts, batch, until)
        if row["count()"] > 5
    ]
    found = feed.listed(spark.read.parquet(str(tmp_path / "out")))
    assert expected
    assert_same_rows(found, expected, by=["k"])


def test_a_sink_that_reads_its_batch_twice(spark: SparkSession, tmp_path: Path) -> None:
    """Spark computes the batch twice then; the second time begins where the first did."""
    plan = pw.plan(
        time="ts",
        by=["k"],
        windows=[pw.tumbling("10 s"), pw.session("4 s"), pw.tumbling(pw.rows(7))],
        aggregates=[pw.sum("x"), pw.count()],
        order_by="id",
    )
    rows = feed.closed(feed.disordered(feed.readings(200), DELAY), by=("k",))
    folder = feed.write(tmp_path / "in", feed.cut(rows, 3))

    class Twice(Sink):
        def take(self, frame: DataFrame, batch: int) -> None:
            super().take(frame, batch)
            assert_same_rows(feed.listed(frame), self.batches[batch], by=["k"])

    events = feed.stream(spark, folder)
    sink = Twice().run(plan.run(events, delay=DELAY), tmp_path / "state")
    feed.check(sink.rows, plan, spark.read.parquet(str(folder)), feed.newest(rows) - DELAY)


@pytest.mark.parametrize("kind", ["aged", "counted", "alone"])
def test_rings_of_granules_as_in_batch(spark: SparkSession, tmp_path: Path, kind: str) -> None:
    levels: tuple[Any, ...] = (("10 s", "5 s"), ("30 s", "10 s"), ("2 m", "20 s"))
    aged = kind == "aged"
    scheme = pw.granules(*levels, weights=[1, 0.5, 0.25] if aged else None)
    aggregates: list[Any] = [pw.recurring("n", counts=kind == "counted")]
    if aged:
        aggregates = [pw.sum("x"), pw.mean("n"), pw.count()]
    plan = pw.plan(time="ts", by=["k"], windows=[scheme], aggregates=aggregates)
    rows = feed.closed(feed.disordered(feed.readings(400), DELAY))
    folder = feed.write(tmp_path / "in", feed.cut(rows, 3))
    events = feed.stream(spark, folder).withWatermark("ts", "20 seconds")
    sink = Sink().run(plan.run(events), tmp_path / "state")
    batch = spark.read.parquet(str(folder))
    assert plan.run(events).dtypes == plan.run(batch).dtypes
    expected = feed.answers(plan, batch, feed.newest(rows) - DELAY)
    assert {row["level"] for row in expected} == {0, 1, 2}
    assert_same_rows(sink.rows, expected, by=("k",), magnitude=1e3)
