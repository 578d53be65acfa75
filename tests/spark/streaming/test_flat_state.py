"""What is held does not grow with the stream: an hour of events, disordered as far as allowed."""

import datetime as dt
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import panewise as pw
from tests.spark.streaming import feed

DELAY = dt.timedelta(minutes=2)
PIECES = 12
HALF = PIECES // 2


EDGES = [pw.tumbling("1 minute"), pw.sliding("10 minutes", "30 s"), pw.session("20 s")]
OF_ROWS = [pw.tumbling(pw.rows(50)), pw.every("1 minute", last=pw.rows(10)), pw.punctuation("mark")]


def an_hour(*, leaving: bool) -> pa.Table:
    """Two rows a second, with pauses; values, and half of the keys if asked, never come again."""
    seconds = np.arange(0, 3600, 0.5)
    seconds = seconds[seconds % 100 < 70]  # sessions end
    number = np.arange(len(seconds))
    gone = 1000 + 10 * (seconds // 300).astype(int) + number % 10
    times = [feed.START + dt.timedelta(seconds=float(each)) for each in seconds]
    return pa.table(
        {
            "ts": pa.array(times, pa.timestamp("us", "UTC")),
            "k": np.where(leaving & (number % 2 == 0), gone, number % 5),
            "x": number // 100,
            "mark": number % 100 < 5,
            "id": number,
        }
    )


@pytest.mark.parametrize("leaving", [True, False], ids=["keys that leave", "windows of rows"])
def test_state_stays_flat(spark: SparkSession, tmp_path: Path, leaving: bool) -> None:
    """Windows of rows stay open for a key that leaves, so they are watched with keys that stay."""
    plan = pw.plan(
        time="ts",
        by=["k"],
        windows=EDGES if leaving else [*EDGES, *OF_ROWS],
        aggregates=[pw.sum("x"), pw.median("x"), pw.count()],
        order_by="id",
    )
    rows = feed.disordered(an_hour(leaving=leaving), DELAY)
    folder = feed.write(tmp_path / "in", feed.cut(rows, PIECES))
    answer = plan.run(feed.stream(spark, folder), delay=DELAY)
    writer = answer.writeStream.format("noop").trigger(availableNow=True)
    query = writer.option("checkpointLocation", str(tmp_path / "state")).start()
    query.awaitTermination()
    metrics = feed.observed(query)
    assert len(metrics) == PIECES
    assert sum(each["late"] for each in metrics) == 0
    # in the last one the stream ends: no row is still on its way
    cells = [each["cells"] for each in metrics][:-1]
    assert max(cells[HALF:]) <= 1.3 * max(cells[:HALF]), cells
    # what Spark keeps for it: a head for every bucket, and pages
    pages = [p.stateOperators[0].numRowsTotal for p in query.recentProgress if p.numInputRows]
    assert max(pages[HALF:]) <= 1.3 * max(pages[:HALF]), pages
