"""Frames in a stream on Spark: told once they are final, or after every batch as they are then."""

import datetime as dt
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import panewise as pw
from panewise.errors import QueryError
from panewise.testing import assert_same_rows
from tests.conformance.streams import Reader
from tests.spark.streaming import feed
from tests.spark.streaming.feed import Sink

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


def test_reports_are_for_frames(spark: SparkSession, tmp_path: Path) -> None:
    folder = feed.write(tmp_path / "in", [feed.readings(5)])
    plan = pw.plan(time="ts", windows=[pw.tumbling("1 s")], aggregates=[pw.count()])
    with pytest.raises(QueryError, match="are for frames, and the query has none"):
        plan.run(feed.stream(spark, folder), delay="1 s", report="update")
    with pytest.raises(QueryError, match="report is for streams"):
        PLAN.run(spark.read.parquet(str(folder)), report="update")
