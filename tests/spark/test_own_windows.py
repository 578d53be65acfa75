"""The same windows by Spark's own functions."""

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import panewise as pw
from panewise.errors import QueryError
from panewise.samples import readings
from panewise.spark.own_windows import differences, own_windows


def asked(*windows: pw.Window, aggregate: pw.Aggregate) -> pw.Query:
    return pw.Query("ts", ("device",), windows, (aggregate,))


def test_equal_rows_and_others(spark: SparkSession) -> None:
    events = spark.createDataFrame(readings(300, keys=2))
    windows = pw.tumbling("20m"), pw.sliding("1h", "25m", origin="5m"), pw.session("2m")
    query = asked(*windows, aggregate=pw.mean("temp"))
    ours = (
        pw.plan(time="ts", by=["device"], windows=windows, aggregates=query.aggregates)
        .run(events)
        .cache()
    )
    assert differences(query, ours, own_windows(query, events)) == 0
    wrong = ours.withColumn("mean(temp)", F.col("`mean(temp)`") + 1e-6)
    assert differences(query, wrong, own_windows(query, events)) > 0


@pytest.mark.parametrize(
    ("window", "aggregate", "said"),
    [
        (pw.cumulating("5m", "1h"), pw.count(), "cumulating"),
        (pw.tumbling(pw.rows(5)), pw.count(), "tumbling"),
        (pw.tumbling("5m"), pw.m4("temp"), "m4"),
    ],
)
def test_what_spark_does_not_have(
    spark: SparkSession, window: pw.Window, aggregate: pw.Aggregate, said: str
) -> None:
    events = spark.createDataFrame(readings(10))
    with pytest.raises(QueryError, match=said):
        own_windows(asked(window, aggregate=aggregate), events)
