"""Time columns of every type, under every session time zone."""

import datetime as dt
from collections.abc import Iterator

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import panewise as pw
from panewise.errors import PanewiseError


@pytest.fixture
def new_york(spark: SparkSession) -> Iterator[SparkSession]:
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    yield spark
    spark.conf.set("spark.sql.session.timeZone", "UTC")


def rows_of(frame: DataFrame) -> list[tuple]:
    """Times as text of the session's zone, so that the zone is part of what is compared."""
    texts = frame.selectExpr(
        "window_id", "string(window.start)", "string(window.end)", "k", "n", "string(latest)"
    )
    return sorted(map(tuple, texts.collect()))


@pytest.mark.parametrize("night", ["2024-03-10 05:00:00", "2024-11-03 04:00:00"])
@pytest.mark.parametrize("kind", ["timestamp", "timestamp_ntz"])
def test_windows_over_a_change_of_the_clocks(new_york: SparkSession, night: str, kind: str) -> None:
    # the hour from 2 to 3 is missing in March, the one from 1 to 2 comes twice in November
    instant = f"timestampadd(MINUTE, id * 17, timestamp'{night}Z')"
    events = new_york.range(30).selectExpr(f"cast({instant} as {kind}) AS ts", "id % 2 AS k")
    bounds = {
        "tumbling(1h)": F.window("ts", "1 hour"),
        "tumbling(1d)": F.window("ts", "1 day"),
        "sliding(2h, 30m)": F.window("ts", "2 hours", "30 minutes"),
        "session(35m)": F.session_window("ts", "35 minutes"),
    }
    windows = [
        pw.tumbling("1h"), pw.tumbling("1d"), pw.sliding("2h", "30m"), pw.session("35m")
    ]  # fmt: skip
    got = pw.aggregate(
        events,
        time="ts",
        by=["k"],
        windows=windows,
        aggregates=[pw.count().alias("n"), pw.max("ts").alias("latest")],
    )
    frames = [
        events.groupBy("k", bound.alias("window"))
        .agg(F.count(F.lit(1)).alias("n"), F.max("ts").alias("latest"))
        .withColumn("window_id", F.lit(name))
        for name, bound in bounds.items()
    ]
    expected = frames[0]
    for frame in frames[1:]:
        expected = expected.unionByName(frame)
    assert got.schema["window"].dataType.simpleString() == f"struct<start:{kind},end:{kind}>"
    assert rows_of(got) == rows_of(expected)


@pytest.mark.parametrize("strategy", ["independent", "slices", "edges"])
def test_dates(new_york: SparkSession, strategy: str) -> None:
    events = new_york.sql("SELECT date_add(date'1969-12-30', int(id)) AS day FROM range(4)")
    query = {"time": "day", "aggregates": [pw.count().alias("n")], "strategy": strategy}
    rows = pw.aggregate(events, windows=[pw.tumbling("3 days")], **query).collect()
    got = {tuple(row["window"]): row["n"] for row in rows}
    december, january = dt.date(1969, 12, 29), dt.date(1970, 1, 1)
    assert got == {(december, january): 2, (january, dt.date(1970, 1, 4)): 2}


@pytest.mark.parametrize("kind", ["tinyint", "smallint", "int", "bigint"])
def test_integers_keep_their_type(spark: SparkSession, kind: str) -> None:
    events = spark.sql(f"SELECT cast(id - 7 as {kind}) AS t FROM range(10)")
    query = {"time": "t", "aggregates": [pw.count().alias("n"), pw.min("t").alias("low")]}
    windows = [pw.tumbling(5), pw.session(2), pw.cumulating(2, 4)]
    got = pw.aggregate(events, windows=windows, **query)  # type: ignore[arg-type]
    assert got.schema["window"].dataType.simpleString() == f"struct<start:{kind},end:{kind}>"
    assert got.schema["low"].dataType.simpleString() == kind
    found = sorted((r["window_id"], *r["window"], r["n"]) for r in got.collect())
    assert found == [
        ("cumulating(2, 4)", -8, -6, 1),
        ("cumulating(2, 4)", -8, -4, 3),
        ("cumulating(2, 4)", -4, -2, 2),
        ("cumulating(2, 4)", -4, 0, 4),
        ("cumulating(2, 4)", 0, 2, 2),
        ("cumulating(2, 4)", 0, 4, 3),
        ("session(2)", -7, 4, 10),
        ("tumbling(5)", -10, -5, 2),
        ("tumbling(5)", -5, 0, 5),
        ("tumbling(5)", 0, 5, 3),
    ]


@pytest.mark.parametrize("order", ["seq", "at", "day"])
def test_ties_follow_order_by(spark: SparkSession, order: str) -> None:
    events = spark.sql(
        "SELECT id DIV 4 AS t, id AS x, 10 - id AS seq, timestamp_micros(-id) AS at, "
        "date_sub(date'2024-01-01', int(id)) AS day FROM range(8)"
    )
    rows = pw.aggregate(
        events.repartition(3),
        time="t",
        windows=[pw.tumbling(10), pw.sliding(2, 1)],
        aggregates=[pw.first("x"), pw.last("x"), pw.collect("x"), pw.argmin("x", "t")],
        order_by=order,
        strategy="edges" if order == "seq" else "slices",
    ).collect()
    got = {(r["window_id"], r["window"].start): tuple(r)[2:] for r in rows}
    assert got["tumbling(10)", 0] == (3, 4, [3, 2, 1, 0, 7, 6, 5, 4], 3)
    assert got["sliding(2, 1)", -1] == (3, 0, [3, 2, 1, 0], 3)
    assert got["sliding(2, 1)", 1] == (7, 4, [7, 6, 5, 4], 7)


def test_the_time_column_may_not_be_nested(spark: SparkSession) -> None:
    events = spark.sql("SELECT named_struct('start', 1L) AS window")
    with pytest.raises(PanewiseError, match='"window" is STRUCT<START:BIGINT>'):
        pw.aggregate(events, time="window", windows=[pw.tumbling(1)], aggregates=[pw.count()])
