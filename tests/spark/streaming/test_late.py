"""Rows that a stream leaves out, and says so; rows that revise what was told."""

import datetime as dt
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import panewise as pw
from panewise.testing import assert_same_rows
from tests.conformance.streams import Reader
from tests.spark.streaming import feed
from tests.spark.streaming.feed import Sink

DELAY = dt.timedelta(seconds=20)
LATENESS = dt.timedelta(seconds=60)


def counted(times: Sequence[int | None], k: str = "a") -> pa.Table:
    count = len(times)
    columns = {"t": pa.array(times, pa.int64()), "k": [k] * count, "x": [1] * count}
    return pa.table({**columns, "id": list(range(count))})


@pytest.mark.parametrize(
    "windows",
    [
        [pw.tumbling(10), pw.sliding(20, 10)],
        [pw.tumbling(10), pw.session(4), pw.tumbling(pw.rows(3)), pw.punctuation("x > 1")],
    ],
    ids=["cells", "cells and rows"],
)
def test_late_rows_and_null_times_are_dropped_and_counted(
    spark: SparkSession, tmp_path: Path, windows: list[pw.Window]
) -> None:
    plan = pw.plan(
        time="t", by=["k"], windows=windows, aggregates=[pw.sum("x"), pw.count()], order_by="id"
    )
    first, late = [*range(0, 100, 2), 1000], [50, 980, None, 51, None, 900, 50]
    in_time = [991, 995]
    pieces = [
        counted([None]),
        counted(first),
        counted([*late, *in_time]),
        counted([50, None, 5000]),
    ]
    folder = feed.write(tmp_path / "in", pieces)
    sink = Sink().run(plan.run(feed.stream(spark, folder), delay=10), tmp_path / "state")
    assert [metrics["late"] for metrics in sink.metrics] == [0, 0, 5, 1]
    assert [metrics["null_times"] for metrics in sink.metrics] == [1, 0, 2, 1]
    assert [metrics["rows"] for metrics in sink.metrics] == [1, 51, 9, 3]
    kept = pa.concat_tables([counted(first), counted(in_time), counted([5000])])
    expected = feed.answers(plan, kept, 4990)
    assert_same_rows([row for row in sink.rows if row["window"][1] <= 4990], expected, by=["k"])
    assert len(sink.rows) == len(expected)


def test_a_late_row_in_a_pane_that_is_open_splits_no_session(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Sessions close at edges of panes: no row that still counts is beside one that was told."""
    plan = pw.plan(time="t", by=["k"], windows=[pw.session(10)], aggregates=[pw.count()])
    pieces = [counted([1]), counted([18], "b"), counted([11]), counted([500], "b")]
    folder = feed.write(tmp_path / "in", pieces)
    sink = Sink().run(plan.run(feed.stream(spark, folder), delay=0), tmp_path / "state")
    told = sorted(row["window"] for row in sink.rows if row["k"] == "a")
    apart = [after[0] - (before[1] - 10) for before, after in itertools.pairwise(told)]
    assert all(distance > 10 for distance in apart), told
    assert told == [(1, 21)], "its pane was open, so it is not late, and joins"
    assert sink.total("late") == 0


def test_rows_ahead_of_the_clock_close_no_window(spark: SparkSession, tmp_path: Path) -> None:
    plan = pw.plan(
        time="ts", by=["k"], windows=[pw.tumbling("10 s")], aggregates=[pw.count(), pw.max("ts")]
    )
    now = dt.datetime.now(dt.UTC).replace(microsecond=0)

    def rows(*seconds: float) -> pa.Table:
        times: list[Any] = [now + dt.timedelta(seconds=each) for each in seconds]
        return pa.table({"ts": pa.array(times, pa.timestamp("us", "UTC")), "k": ["a"] * len(times)})

    folder = feed.write(tmp_path / "in", [rows(-900, 86_400, 90_000), rows(-880, 864_000)])
    folder = feed.write(folder, [rows(-890, -600)])
    answer = plan.run(feed.stream(spark, folder), delay=DELAY, max_ahead="1 hour")
    sink = Sink().run(answer, tmp_path / "state")
    assert [metrics["ahead"] for metrics in sink.metrics] == [2, 1, 0]
    assert [metrics["late"] for metrics in sink.metrics] == [0, 0, 0]
    kept = rows(-900, -880, -890, -600)
    feed.check(sink.rows, plan, kept, now - dt.timedelta(seconds=600) - DELAY)


def test_revisions_applied_in_order_are_the_rows_of_a_batch(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Rows behind the watermark, but within the lateness, in windows of every kind."""
    plan = pw.plan(
        time="ts",
        by=["k"],
        windows=[
            pw.tumbling("10 s"),
            pw.sliding("30 s", "7 s"),
            pw.cumulating("20 s", "1 m"),
            pw.session("4 s"),
            pw.tumbling(pw.rows(7)),
            pw.every("25 s", last=pw.rows(5)),
            pw.punctuation("mark"),
        ],
        aggregates=[pw.sum("x"), pw.count(), pw.median("n")],
        order_by="id",
    )
    whole = feed.disordered(feed.readings(500), LATENESS)
    rows = feed.closed(whole, by=("k",))
    folder = feed.write(tmp_path / "in", [*feed.cut(whole, 5), rows.slice(len(whole))])
    answer = plan.run(feed.stream(spark, folder), delay=DELAY, lateness=LATENESS)
    sink = Sink().run(answer, tmp_path / "state", mode="update")
    assert sink.total("late") == 0
    assert any(row["revision"] for row in sink.rows)
    assert any(row["retracted"] for row in sink.rows)
    reader = Reader(["k"])
    for number in sorted(sink.batches):
        reader.apply(sink.batches[number])
    batch = spark.read.parquet(str(folder))
    feed.check(reader.all(), plan, batch, feed.newest(rows) - DELAY)
