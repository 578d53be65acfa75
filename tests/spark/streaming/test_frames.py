"""Frames in a stream on Spark: told once they are final, or after every batch as they are then."""

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import panewise as pw
from panewise.errors import QueryError
from panewise.operator import Operator
from panewise.testing import assert_same_rows
from tests.conformance.streams import Reader
from tests.spark.streaming import feed
from tests.spark.streaming.feed import Rows, Sink

PLAN = pw.plan(
    time="ts",
    by=["k", "zone"],
    windows=[
        pw.threshold_frame("n > 0"),
        pw.delta_frame("x", 30),
        pw.aggregate_frame(pw.sum("n"), 12, max_rows=9),
        pw.tumbling("20 s"),
    ],
    aggregates=[pw.sum("x"), pw.count()],
    order_by="id",
)


def test_revisions_applied_in_order_are_the_frames_of_a_batch(
    spark: SparkSession, tmp_path: Path
) -> None:
    rows = feed.closed(feed.disordered(feed.readings(900), dt.timedelta(seconds=20)))
    folder = feed.write(tmp_path / "in", feed.cut(rows, 4))
    answer = PLAN.run(feed.stream(spark, folder), delay="20 s", lateness="1 day", report="update")
    sink, reader = Sink().run(answer, tmp_path / "state", "update"), Reader(PLAN.query.by)
    for batch in sorted(sink.batches):
        reader.apply(sink.batches[batch])
    # tumbling windows are told once they are final, and the last rows are in none that is
    until = feed.newest(rows)
    expected = [
        row
        for row in feed.listed(PLAN.run(rows))
        if row["window_id"] != "tumbling(20s)" or row["window"][1] <= until
    ]
    assert_same_rows(reader.all(), expected, by=PLAN.query.by, magnitude=1e3)
    assert any(row["retracted"] for row in sink.rows)


@pytest.mark.parametrize("report", ["close", None], ids=repr)
def test_frames_are_told_once_when_they_close(
    spark: SparkSession, tmp_path: Path, report: str | None
) -> None:
    """The last row of every key is in no frame of the others, and closes them."""
    rows = feed.disordered(feed.readings(500), dt.timedelta(seconds=20))
    last = {"ts": feed.newest(rows) + feed.FAR, "x": 1e6, "n": -1000, "mark": False}
    far = [
        {**last, "k": k, "zone": zone, "id": 10**9 + number, "word": None}
        for number, (k, zone) in enumerate(feed.KEYS)
    ]
    rows = pa.concat_tables([rows, pa.Table.from_pylist(far, rows.schema)])
    folder = feed.write(tmp_path / "in", feed.cut(rows, 4))
    asked = {} if report is None else {"report": report}
    answer = PLAN.run(feed.stream(spark, folder), delay="20 s", **asked)
    sink = Sink().run(answer, tmp_path / "state")
    feed.check(sink.rows, PLAN, rows, feed.newest(rows) - dt.timedelta(seconds=20))
    assert sink.total("late") == 0
    assert sum(bool(told) for told in sink.batches.values()) > 2, "as they close, not at the end"


def test_reports_are_for_frames(spark: SparkSession, tmp_path: Path) -> None:
    folder = feed.write(tmp_path / "in", [feed.readings(5)])
    plan = pw.plan(time="ts", windows=[pw.tumbling("1 s")], aggregates=[pw.count()])
    with pytest.raises(QueryError, match="are for frames, and the query has none"):
        plan.run(feed.stream(spark, folder), delay="1 s", report="update")
    with pytest.raises(QueryError, match="report is for streams"):
        PLAN.run(spark.read.parquet(str(folder)), report="update")


FRAMES = pw.plan(
    time="ts",
    by=["k"],
    windows=[pw.threshold_frame("n > 0"), pw.delta_frame("x", 30)],
    aggregates=[pw.sum("x"), pw.count()],
    order_by="id",
)
PIECES = 4


def batch_by_batch(
    spark: SparkSession, folder: Path, plan: Any, **options: Any
) -> tuple[list[Rows], list[Rows], Operator, Sink]:
    """What every micro-batch tells, and what an operator tells with every push of the same rows."""
    rows = feed.closed(feed.disordered(feed.readings(240), dt.timedelta(seconds=20)), ["k"])
    pieces = feed.cut(rows, PIECES)
    op = Operator(plan, **options)
    pushed = [feed.listed(op.push(piece)) for piece in pieces]
    stream = feed.stream(spark, feed.write(folder / "in", pieces))
    mode = "update" if op.stream.revises else "append"
    sink = Sink().run(plan.run(stream, **options), folder / "state", mode)
    told = [sink.batches.get(number, []) for number in range(PIECES)]
    assert not any(sink.batches.get(number) for number in sink.batches if number >= PIECES)
    return told, pushed, op, sink


@pytest.mark.parametrize(
    "options",
    [
        {"delay": "20 s", "period": "60 s"},
        {"delay": "20 s", "lateness": "1 day", "report": "update", "period": "60 s"},
        {"delay": "20 s", "lateness": "1 day", "report": "update", "evict": (4, 2)},
        {"delay": "20 s", "lateness": "1 day", "evict": (3, 3), "period": "30 s"},
    ],
    ids=str,
)
def test_batches_tell_what_pushes_tell(
    spark: SparkSession, tmp_path: Path, options: dict[str, Any]
) -> None:
    told, pushed, op, sink = batch_by_batch(spark, tmp_path, FRAMES, **options)
    for one, other in zip(told, pushed, strict=True):
        assert_same_rows(one, other, by=FRAMES.query.by, magnitude=1e3)
    assert sum(map(len, told)) > 20
    assert sink.total("late") == op.stats().late_rows


def test_periods_are_of_the_unit_of_time(spark: SparkSession, tmp_path: Path) -> None:
    folder = feed.write(tmp_path / "in", [feed.readings(5)])
    with pytest.raises(QueryError, match="period counts what the windows count, a duration: got 5"):
        FRAMES.run(feed.stream(spark, folder), delay="1 s", period=5)


def where(holds: Callable[[int], bool]) -> Any:
    """A Column that is printed as any other of these."""
    return F.udf(lambda n: None if n is None else holds(n), "boolean")("n")


def test_columns_of_spark_in_a_stream(spark: SparkSession, tmp_path: Path) -> None:
    """Two of one spelling, and restarts, which find them by names that are the same again."""
    rows = feed.closed(feed.readings(200), ["k"])
    folder = feed.write(tmp_path / "in", feed.cut(rows, 2)[:1])
    sink, by_text = Sink(), FRAMES.query
    for _ in range(2):
        windows = [
            pw.threshold_frame(where(lambda n: n > 0)).named("high"),
            pw.threshold_frame(where(lambda n: n <= 0)).named("low"),
            pw.aggregate_frame(pw.sum(F.col("n") * 2), 24).named("sum"),
        ]
        parts = {"time": "ts", "by": ["k"], "aggregates": by_text.aggregates, "order_by": "id"}
        plan = pw.plan(windows=windows, **parts)
        sink.run(plan.run(feed.stream(spark, folder), delay="1 s"), tmp_path / "state")
        feed.write(folder, feed.cut(rows, 2)[1:])
    same = [
        pw.threshold_frame("n > 0").named("high"),
        pw.threshold_frame("n <= 0").named("low"),
        pw.aggregate_frame(pw.sum("n * 2"), 24).named("sum"),
    ]
    op = Operator(pw.plan(windows=same, **parts), delay="1 s")
    expected = feed.listed(op.push(rows))
    assert {row["window_id"] for row in expected} == {"high", "low", "sum"}
    assert_same_rows(sink.rows, expected, by=["k"], magnitude=1e3)
