"""Triggers and sources of Spark's, run for real."""

import datetime as dt
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, SimpleDataSourceStreamReader
from pyspark.sql.streaming import StreamingQuery

import panewise as pw
from panewise.testing import assert_same_rows
from tests.spark.streaming import feed
from tests.spark.streaming.feed import Sink

DELAY = dt.timedelta(seconds=20)
PLAN = pw.plan(
    time="ts",
    by=["k"],
    windows=[pw.tumbling("10 s"), pw.session("4 s"), pw.tumbling(pw.rows(7))],
    aggregates=[pw.sum("x"), pw.count()],
    order_by="id",
)


@pytest.mark.parametrize("trigger", [{"once": True}, {"processingTime": "200 milliseconds"}])
def test_triggers(spark: SparkSession, tmp_path: Path, trigger: dict[str, Any]) -> None:
    """Once takes all files at a time, and goes on with those that came since."""
    rows = feed.closed(feed.disordered(feed.readings(200), DELAY), by=("k",))
    pieces = feed.cut(rows, 4)
    folder, sink = feed.write(tmp_path / "in", pieces[:3]), Sink()
    answer = PLAN.run(feed.stream(spark, folder), delay=DELAY)
    for more in ([], pieces[3:]):
        feed.write(folder, more)
        query = sink.start(answer, tmp_path / "state", **trigger)
        if "once" in trigger:
            query.awaitTermination()
        else:
            query.processAllAvailable()
            query.stop()
    feed.check(sink.rows, PLAN, rows, feed.newest(rows) - DELAY)
    assert len(sink.batches) == (2 if "once" in trigger else 4)


def test_the_rate_source(spark: SparkSession, tmp_path: Path) -> None:
    """Times are those of the clock: windows are told while it runs, each with all of its rows."""
    plan = pw.plan(
        time="timestamp",
        windows=[pw.tumbling("1 s")],
        aggregates=[pw.count(), pw.min("value"), pw.max("value")],
    )
    rate = spark.readStream.format("rate").option("rowsPerSecond", 100).load()
    sink = Sink()
    query = sink.start(plan.run(rate, delay="0 s", max_ahead="1 min"), tmp_path / "state")
    until = time.monotonic() + 60
    while len(sink.rows) < 3:
        assert query.isActive and time.monotonic() < until
        time.sleep(0.1)
    query.stop()
    first, *others = sorted(sink.rows, key=lambda row: row["window"][0])
    for row in others:
        assert row["min(value)"] == first["max(value)"] + 1
        assert row["count()"] == row["max(value)"] - row["min(value)"] + 1 == 100
        assert row["window"][0] == first["window"][1]
        first = row


def test_a_socket(spark: SparkSession, tmp_path: Path) -> None:
    """Lines of text, which Spark does not read twice."""
    lines = [f"{at // 3},{at % 2},{at}" for at in range(60)]
    plan = pw.plan(time="t", by=["k"], windows=[pw.tumbling(5)], aggregates=[pw.sum("x")])
    sink = Sink()
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        host, port = server.getsockname()
        text = spark.readStream.format("socket").option("host", host).option("port", port).load()
        rows = text.selectExpr("from_csv(value, 't BIGINT, k BIGINT, x BIGINT') AS r").select("r.*")
        query = sink.start(plan.run(rows, delay=2), tmp_path / "state")
        talking, _ = server.accept()
        with talking:
            for at in range(0, len(lines), 20):
                talking.sendall("".join(f"{line}\n" for line in lines[at : at + 20]).encode())
                until = time.monotonic() + 60
                while progressed(query) < at + 20:
                    assert query.isActive and time.monotonic() < until
                    time.sleep(0.05)
            query.stop()
    every = range(60)
    asked = {"t": [at // 3 for at in every], "k": [at % 2 for at in every], "x": list(every)}
    assert_same_rows(sink.rows, feed.answers(plan, asked, 19 - 2), by=["k"])


def progressed(query: StreamingQuery) -> int:
    """Rows that it has read."""
    return sum(each.numInputRows for each in query.recentProgress)


def counting() -> type[DataSource]:
    """Defined in a function, so that workers get the class by value."""

    class Reader(SimpleDataSourceStreamReader):
        """Ten rows at a time, three of each tick, until there are sixty."""

        def initialOffset(self) -> dict:
            return {"at": 0}

        def read(self, start: dict) -> tuple[Iterator[tuple], dict]:
            end = {"at": min(start["at"] + 10, 60)}
            return self.readBetweenOffsets(start, end), end

        def readBetweenOffsets(self, start: dict, end: dict) -> Iterator[tuple]:
            return iter([(at // 3, at % 2, at) for at in range(start["at"], end["at"])])

    class Counting(DataSource):
        @classmethod
        def name(cls) -> str:
            return "counting"

        def schema(self) -> str:
            return "t BIGINT, k INT, x BIGINT"

        def simpleStreamReader(self, schema: Any) -> Reader:
            return Reader()

    return Counting


def test_a_source_in_python_and_a_sink_in_memory(spark: SparkSession, tmp_path: Path) -> None:
    spark.dataSource.register(counting())
    plan = pw.plan(
        time="t", by=["k"], windows=[pw.tumbling(5), pw.sliding(6, 2)], aggregates=[pw.sum("x")]
    )
    answer = plan.run(spark.readStream.format("counting").load(), delay=2)
    writer = answer.writeStream.format("memory").queryName("counted")
    query = writer.option("checkpointLocation", str(tmp_path / "state")).start()
    query.processAllAvailable()
    query.stop()
    every = range(60)
    rows = {"t": [at // 3 for at in every], "k": [at % 2 for at in every], "x": list(every)}
    expected = feed.answers(plan, rows, 19 - 2)
    assert len(query.recentProgress) > 3
    assert_same_rows(feed.listed(spark.table("counted")), expected, by=["k"])


def test_no_setting_of_the_session_changes(spark: SparkSession, tmp_path: Path) -> None:
    rows = feed.closed(feed.readings(40), by=("k",))
    folder = feed.write(tmp_path / "in", [rows])
    before = dict(spark.conf.getAll)
    answer = PLAN.run(feed.stream(spark, folder), delay=DELAY, lateness="5 s", buckets=3)
    assert dict(spark.conf.getAll) == before
    sink = Sink().run(answer, tmp_path / "state", "update")
    assert sink.rows
    assert dict(spark.conf.getAll) == before
