"""Aggregates of events with a duration on Spark: value types, long events, several queries."""

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import SparkSession

import panewise as pw
from panewise.errors import SchemaError
from panewise.testing import assert_same_rows, oracle
from tests.conformance.engines import as_oracle, data_frame

BEGAN = dt.datetime(2024, 3, 10, 1, 30, tzinfo=dt.UTC)
CENTURY = 36_525 * 86_400_000_000
Rows = list[dict[str, Any]]


def check(plan: pw.Plan, rows: Rows, types: dict[str, str]) -> None:
    told = [as_oracle(row) for row in plan.run(data_frame(rows, types)).toArrow().to_pylist()]
    assert_same_rows(told, oracle(plan.query, rows, types))


def test_types_of_values(spark: SparkSession) -> None:
    types = {
        "l": "timestamp",
        "u": "timestamp",
        "cost": "decimal(10,2)",
        "word": "string",
        "seen": "timestamp",
        "day": "date",
        "level": "tinyint",
    }
    minutes = [(0, 90), (61, 0), (5, 30), (-300, 600), (70, None), (100, 300)]
    values = [
        (Decimal("1.50"), "b", BEGAN, dt.date(2024, 1, 2), 1),
        (Decimal("-2.25"), "a", BEGAN + dt.timedelta(1), dt.date(1969, 1, 2), -128),
        (None, None, None, None, None),
        (Decimal("7.00"), "b", BEGAN, dt.date(2024, 1, 2), 127),
        (Decimal("9.00"), "c", BEGAN, dt.date(2024, 1, 2), 1),
        (Decimal("1.50"), "ü", BEGAN, dt.date(2025, 1, 2), 127),
    ]
    rows = [
        {
            "l": BEGAN + dt.timedelta(minutes=start),
            "u": None if lasts is None else BEGAN + dt.timedelta(minutes=start + lasts),
            **dict(zip(("cost", "word", "seen", "day", "level"), each, strict=True)),
        }
        for (start, lasts), each in zip(minutes, values, strict=True)
    ]
    plan = pw.plan(
        time=("l", "u"),
        windows=[pw.sliding("2 hours", "1 hour"), pw.cumulating("30 minutes", "3 hours")],
        aggregates=[
            pw.concurrent(),
            pw.sum("cost"),
            pw.sum("level"),
            pw.median("cost"),
            pw.mode("word"),
            pw.top_k("seen", 2),
            pw.count_distinct("day"),
            pw.max("seen"),
        ],
        overlap="weighted",
    )
    check(plan, rows, types)


def test_a_century(spark: SparkSession) -> None:
    rows = [
        {"l": 0, "u": CENTURY, "x": 3},
        {"l": 5, "u": 5, "x": 1},
        {"l": -CENTURY, "u": CENTURY, "x": 7},
    ]
    plan = pw.plan(
        time=("l", "u"),
        windows=[pw.tumbling(CENTURY // 3), pw.band(3, CENTURY // 10)],
        aggregates=[pw.concurrent(), pw.sum("x"), pw.median("x")],
        overlap="weighted",
        strategy="dyadic",
    )
    check(plan, rows, {"l": "bigint", "u": "bigint", "x": "int"})


def test_several_queries_at_once(spark: SparkSession) -> None:
    types = {"l": "bigint", "u": "bigint", "x": "int"}
    bounds = [(0, 30, 3), (5, 5, 1), (17, 44, 7), (3, None, 9)]
    rows: Rows = [dict(zip("lux", each, strict=True)) for each in bounds]
    parts = {
        "peak": pw.plan(
            time=("l", "u"),
            windows=[pw.tumbling(10)],
            aggregates=[pw.concurrent(), pw.median("x")],
        ),
        "cost": pw.plan(
            time=("l", "u"),
            windows=[pw.sliding(20, 10)],
            aggregates=[pw.sum("x"), pw.count()],
            overlap="weighted",
        ),
    }
    shared = pw.plan_all(parts)
    results = shared.run(data_frame(rows, types))
    for name, plan in parts.items():
        told = [as_oracle(row) for row in shared.part(results, name).toArrow().to_pylist()]
        assert_same_rows(told, oracle(plan.query, rows, types))


def test_times_are_not_weighed(spark: SparkSession) -> None:
    events = spark.sql("SELECT 0L AS l, 3L AS u, TIMESTAMP'2024-01-01' AS x")
    plan = pw.plan(
        time=("l", "u"),
        windows=[pw.tumbling(10)],
        aggregates=[pw.sum("x")],
        overlap="weighted",
    )
    with pytest.raises(SchemaError, match='"x" is TIMESTAMP'):
        plan.run(events)
