"""A frame may be given a Column of Spark's in place of SQL text."""

from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import panewise as pw

ROWS = [(t, v) for t, v in enumerate([1, 2, 1, 5, 4, 7, 2, 1, 9, 8, 4, 1], 1)]


def told(spark: SparkSession, frame: pw.Window) -> list[Any]:
    events = spark.createDataFrame(ROWS, "t BIGINT, `the value` BIGINT")
    plan = pw.plan(time="t", windows=[frame], aggregates=[pw.collect("the value")])
    return sorted(
        (row.window.start, row["collect(the value)"]) for row in plan.run(events).collect()
    )


def test_a_column_is_what_its_text_is(spark: SparkSession) -> None:
    value = F.col("the value")
    by_text = [
        pw.threshold_frame("`the value` * 2 >= 8"),
        pw.boundary_frame("`the value`", [3, 6]),
        pw.delta_frame("`the value`", 4),
    ]
    by_column = [
        pw.threshold_frame(value * 2 >= 8),
        pw.boundary_frame(F.sqrt(value * value), [3, 6]),  # what text may not hold
        pw.delta_frame(value, 4),
    ]
    assert [told(spark, f) for f in by_column] == [told(spark, f) for f in by_text]
    assert told(spark, by_column[0]) == [(4, [5, 4, 7]), (9, [9, 8, 4])]


def test_without_spark_a_column_is_unknown() -> None:
    class Column:
        __module__ = "pyspark.sql.column"

        def __str__(self) -> str:
            return "Column<'>(x, 1)'>"

    frame = pw.threshold_frame(Column())
    assert frame.window_id == "threshold_frame(`>(x, 1)`)"
    plan = pw.plan(time="t", windows=[frame], aggregates=[pw.count()])
    with pytest.raises(pw.PanewiseError, match=r">\(x, 1\)"):
        pw.Operator(plan).push({"t": [1], "x": [2]})
