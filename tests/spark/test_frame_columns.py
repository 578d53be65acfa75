"""A frame may be given a Column of Spark's in place of SQL text."""

import pickle
from dataclasses import replace
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
        pw.aggregate_frame(pw.sum("`the value` + 1"), 10, crossing="exclude"),
        pw.aggregate_frame(pw.variance("`the value` * 2"), 8),
    ]
    by_column = [
        pw.threshold_frame(value * 2 >= 8),
        pw.boundary_frame(F.cbrt(value * value * value), [3, 6]),  # what text may not hold
        pw.delta_frame(value, 4),
        pw.aggregate_frame(pw.sum(value + 1), 10, crossing="exclude"),
        pw.aggregate_frame(pw.variance(value * 2), 8),
    ]
    assert [told(spark, f) for f in by_column] == [told(spark, f) for f in by_text]
    assert told(spark, by_column[0]) == [(4, [5, 4, 7]), (9, [9, 8, 4])]
    sums = [[1, 2, 1], [5], [4], [7], [2, 1], [9], [8], [4, 1]]
    assert [rows for _, rows in told(spark, by_column[3])] == sums
    assert by_column[3].window_id == (
        "aggregate_frame(sum(`+(the value, 1)`), 10, crossing=exclude)"
    )


class Column:
    """As Spark's: its comparisons are no truths."""

    __module__ = "pyspark.sql.column"
    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return "Column<'>(x, 1)'>"

    def __repr__(self) -> str:
        return str(self)

    def __eq__(self, other: object) -> Any:
        raise TypeError("a Column is no truth")

    __ne__ = __eq__


def test_without_spark_a_column_is_unknown() -> None:
    frame = pw.threshold_frame(Column())
    assert frame.window_id == "threshold_frame(`>(x, 1)`)"
    plan = pw.plan(time="t", windows=[frame], aggregates=[pw.count()])
    with pytest.raises(pw.PanewiseError, match=r">\(x, 1\)"):
        pw.Operator(plan).push({"t": [1], "x": [2]})


def test_columns_that_are_refused() -> None:
    with pytest.raises(pw.PanewiseError, match=r"median\(`>\(x, 1\)`\) has no running form"):
        pw.aggregate_frame(pw.median(Column()), 3)  # type: ignore[arg-type]
    with pytest.raises(pw.PanewiseError, match=r"argmax\(x, `>\(x, 1\)`\) has no running form"):
        pw.aggregate_frame(pw.argmax("x", Column()), 3)  # type: ignore[arg-type]
    summed = pw.sum(Column())  # type: ignore[arg-type]
    with pytest.raises(pw.PanewiseError, match="sum is of a column, by its name: got Column<'>"):
        pw.plan(time="t", windows=[pw.tumbling(5)], aggregates=[summed])


def by_name(spark: SparkSession, plan: Any) -> dict[str, list[Any]]:
    """The rows of each window, in order of time."""
    events = spark.createDataFrame(ROWS, "t BIGINT, x BIGINT")
    told: dict[str, list[Any]] = {}
    for row in sorted(plan.run(events).collect(), key=lambda row: row.window.start):
        told.setdefault(row.window_id, []).append(row["collect(x)"])
    return told


def lambdas() -> tuple[Any, Any]:
    """Two Columns of one spelling."""
    high = F.udf(lambda x: x >= 4, "boolean")("x")
    low = F.udf(lambda x: x < 4, "boolean")(F.col("x"))
    return high, low


HIGH, LOW = [[5, 4, 7], [9, 8, 4]], [[1, 2, 1], [2, 1], [1]]


def test_columns_of_one_spelling_are_two(spark: SparkSession) -> None:
    high, low = map(pw.threshold_frame, lambdas())
    windows = [high.named("a"), low.named("b"), high.named("c")]
    plan = pw.plan(time="t", windows=windows, aggregates=[pw.collect("x")])
    assert by_name(spark, plan) == {"a": HIGH, "b": LOW, "c": HIGH}
    unnamed = pw.plan(time="t", windows=[high, low], aggregates=[pw.collect("x")])
    assert unnamed.query.window_ids == [
        "threshold_frame(`<lambda>(x)`)",
        "threshold_frame(`<lambda>(x)` (2))",
    ]


def test_columns_of_one_spelling_in_two_queries(spark: SparkSession) -> None:
    plans = {
        name: pw.plan(time="t", windows=[frame], aggregates=[pw.collect("x")])
        for name, frame in zip("ab", map(pw.threshold_frame, lambdas()), strict=True)
    }
    shared = pw.plan_all(plans)
    told = shared.run(spark.createDataFrame(ROWS, "t BIGINT, x BIGINT"))
    for name, expected in (("a", HIGH), ("b", LOW)):
        rows = sorted(shared.part(told, name).collect(), key=lambda row: row.window.start)
        assert [row["collect(x)"] for row in rows] == expected


def test_a_column_hides_none_of_the_events(spark: SparkSession) -> None:
    """Whatever it is printed as: `lit("x")` is printed as the column x is."""
    frame = pw.threshold_frame(F.lit("x") == F.lit("x")).named("all")
    also = pw.delta_frame(F.lit(1).alias("x"), 4).named("one")
    plan = pw.plan(time="t", windows=[frame, also], aggregates=[pw.collect("x")])
    values = [value for _, value in ROWS]
    assert by_name(spark, plan) == {"all": [values], "one": [values]}


def test_workers_tell_columns_apart(spark: SparkSession) -> None:
    """Without the Columns themselves, which cannot be sent to them."""
    high, low = map(pw.threshold_frame, lambdas())
    query = pw.plan(
        time="t", windows=[high.named("a"), low.named("b")], aggregates=[pw.count()]
    ).query
    sent = pickle.loads(pickle.dumps(query))
    assert sent == query and sent.windows[0].column.column is None
    assert len({replace(window, name=None) for window in sent.windows}) == 2


def test_a_field_and_a_column_of_one_spelling(spark: SparkSession) -> None:
    events = spark.createDataFrame(
        [(1, (True,), False)], "t INT, a STRUCT<b: BOOLEAN>, `a.b` BOOLEAN"
    )
    field, column = pw.threshold_frame(F.col("a.b")), pw.threshold_frame(F.col("`a.b`"))
    windows = [field.named("field"), column.named("column")]
    plan = pw.plan(time="t", windows=windows, aggregates=[pw.count()])
    assert [row.window_id for row in plan.run(events).collect()] == ["field"]
