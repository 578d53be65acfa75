"""Several results of `plan.run` in one streaming query."""

import datetime as dt
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

import panewise as pw
from panewise.errors import QueryError
from panewise.spark import progress
from tests.spark.streaming import feed
from tests.spark.streaming.feed import Sink

DELAYS = {"tens": dt.timedelta(seconds=20), "sessions": dt.timedelta(seconds=50)}
PLANS = {
    "tens": pw.plan(
        time="ts", by=["k"], windows=[pw.tumbling("10 s")], aggregates=[pw.sum("n"), pw.count()]
    ),
    "sessions": pw.plan(
        time="ts", by=["k"], windows=[pw.session("4 s")], aggregates=[pw.sum("n"), pw.count()]
    ),
}


def test_results_with_names_are_told_and_counted(spark: SparkSession, tmp_path: Path) -> None:
    rows = feed.closed(feed.disordered(feed.readings(200), DELAYS["tens"]), by=("k",))
    folder = feed.write(tmp_path / "in", feed.cut(rows, 2))
    events, sink = feed.stream(spark, folder), Sink()
    tens, sessions = (
        plan.run(events, delay=DELAYS[name], name=name) for name, plan in PLANS.items()
    )
    query = sink.start(tens.union(sessions), tmp_path / "state", availableNow=True)
    query.awaitTermination()
    for name, plan in PLANS.items():
        (window,) = plan.query.windows
        told = [row for row in sink.rows if row["window_id"] == window.window_id]
        feed.check(told, plan, rows, feed.newest(rows) - DELAYS[name])

    every = [each.observedMetrics for each in query.recentProgress]
    assert [set(each) for each in every] == [{"panewise.tens", "panewise.sessions"}] * 2
    last, found = every[-1], progress(query)
    assert found is not None
    counts = [each["counts"] for each in last.values()]
    assert all(each["results"] > 0 for each in counts)
    assert found.results == sum(each["results"] for each in counts)
    assert found.cells == sum(each["cells"] for each in counts)
    assert found.rows == 2 * (rows.num_rows - rows.num_rows // 2)
    assert found.watermark == feed.newest(rows) - max(DELAYS.values()), "the least of both"


def test_without_names_spark_says_what_is_not_unique(spark: SparkSession, tmp_path: Path) -> None:
    events = feed.stream(spark, feed.write(tmp_path / "in", [feed.readings(5)]))
    tens, sessions = (plan.run(events, delay="20 s") for plan in PLANS.values())
    with pytest.raises(AnalysisException, match="The metric name is not unique: panewise"):
        Sink().run(tens.union(sessions), tmp_path / "state")


@pytest.mark.parametrize("name", ["", 5, True], ids=repr)
def test_names_that_are_none(spark: SparkSession, name: Any) -> None:
    rated = spark.readStream.format("rate").load().selectExpr("timestamp AS ts", "value AS n")
    plan = pw.plan(time="ts", windows=[pw.tumbling("10 s")], aggregates=[pw.count()])
    with pytest.raises(QueryError) as error:
        plan.run(rated, delay="1 s", name=name)
    assert str(error.value) == (
        f"name is what the counts of a stream are called: got {name!r}. "
        'Hint: name="alerts" has them observed as "panewise.alerts"; or leave it out.'
    )
