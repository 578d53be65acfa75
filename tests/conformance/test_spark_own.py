"""Tumbling, sliding and session windows equal Spark's own, row for row."""

import random
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

import panewise as pw
from panewise.aggregates import Aggregate
from panewise.testing import assert_same_rows
from tests.conformance.engines import as_oracle, data_frame
from tests.conformance.spark_own import (
    WINDOWS,
    accepted,
    in_type,
    own_rows,
    scope_of,
    setting,
    times,
)

ROWS = 160
NAN, INF = float("nan"), float("inf")
MOMENTS = [datetime(1969, 12, 31, 23, 59, 59, 5), datetime(2024, 3, 10, 2, 30)]
VALUES: dict[str, list[Any]] = {
    "tinyint": [-27, 0, 1, 1, 100],
    "smallint": [-300, 0, 1, 1, 300],
    "int": [-(10**6), 0, 1, 1, 10**6],
    "bigint": [-(10**12), 0, 1, 1, 10**12],
    "float": [0.0, -0.0, 0.25, 0.25, -7.5, NAN, INF],
    "double": [0.0, -0.0, 0.1, 0.1, -7.5, NAN, -INF],
    "decimal(10,2)": [Decimal(n).scaleb(-2) for n in (-1, 0, 333, 333, 99_999_999)],
    "decimal(38,10)": [Decimal(n).scaleb(-10) for n in (-1, 0, 333, 333, 10**25 + 7)],
    "boolean": [True, False],
    "string": ["", "a", "a", "B", "ä", "\U0001f600"],
    "date": [date(1969, 12, 31) + timedelta(days=n) for n in (0, 0, 1, 20_000)],
    "timestamp": in_type(MOMENTS, "timestamp"),
    "timestamp_ntz": MOMENTS,
}
ZONES = ("UTC", "America/New_York", "Asia/Kolkata", "Pacific/Chatham")


def events(sql_type: str, time_type: str = "timestamp") -> DataFrame:
    rng = random.Random(sql_type)
    rows = [
        {
            "t": t,
            "k": rng.choice(["a", "b", None]),
            "x": rng.choice([*VALUES[sql_type], None]),
            "y": rng.choice([1, 2, None]),
        }
        for t in in_type(times(ROWS), time_type)
    ]
    schema = {"t": time_type, "k": "string", "x": sql_type, "y": "bigint"}
    return data_frame(rows, schema)


def compare(data: DataFrame, aggregates: list[Aggregate], strategy: str = "auto") -> None:
    windows = [w for w in WINDOWS if strategy != "slices" or w.kind != "session"]
    plan = pw.plan(time="t", by=["k"], windows=windows, aggregates=aggregates, strategy=strategy)
    got = [as_oracle(row) for row in plan.run(data).toArrow().to_pylist()]
    expected = own_rows(data, windows, aggregates, scope_of(data))
    assert expected
    assert_same_rows(got, expected, by=["k"])


@pytest.mark.parametrize("sql_type", VALUES)
def test_every_value_type(spark: SparkSession, sql_type: str) -> None:
    data = events(sql_type)
    compare(data, accepted(data, scope_of(data)))


@pytest.mark.parametrize("sql_type", ["bigint", "double", "decimal(10,2)", "decimal(38,10)"])
def test_windows_by_slices(spark: SparkSession, sql_type: str) -> None:
    data = events(sql_type)
    native = [a for a in accepted(data, scope_of(data)) if a.native]
    compare(data, native, strategy="slices")


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("time_type", ["timestamp", "timestamp_ntz"])
def test_time_zones_and_clock_changes(spark: SparkSession, time_type: str, zone: str) -> None:
    with setting(spark, spark_sql_session_timeZone=zone):
        compare(events("timestamp", time_type), [pw.count(), pw.max("x"), pw.mode("x")])


@pytest.mark.parametrize("sql_type", ["int", "double", "decimal(38,10)"])
def test_without_ansi_mode(spark: SparkSession, sql_type: str) -> None:
    with setting(spark, spark_sql_ansi_enabled="false"):
        data = events(sql_type)
        compare(data, accepted(data, scope_of(data)))


OVERFLOWS: list[tuple[str, list[Any]]] = [
    ("bigint", [2**63 - 1, 1, 5]),
    ("bigint", [-(2**63), -1]),
    ("decimal(38,0)", [Decimal(10**38 - 1)] * 2),
]


def too_large(sql_type: str, values: list[Any]) -> DataFrame:
    moments = in_type([datetime(2024, 1, 1, 0, 3 * n) for n in range(len(values))], "timestamp")
    rows = [{"t": t, "k": "a", "x": x} for t, x in zip(moments, values, strict=True)]
    return data_frame(rows, {"t": "timestamp", "k": "string", "x": sql_type})


@pytest.mark.parametrize("strategy", ["slices", "edges"])
@pytest.mark.parametrize(("sql_type", "values"), OVERFLOWS)
def test_overflow_without_ansi_mode_is_sparks(
    spark: SparkSession, sql_type: str, values: list[Any], strategy: str
) -> None:
    with setting(spark, spark_sql_ansi_enabled="false"):
        compare(too_large(sql_type, values), [pw.sum("x"), pw.mean("x")], strategy)


@pytest.mark.parametrize("strategy", ["slices", "edges"])
@pytest.mark.parametrize(("sql_type", "values"), OVERFLOWS)
def test_overflow_in_ansi_mode_fails(
    spark: SparkSession, sql_type: str, values: list[Any], strategy: str
) -> None:
    with setting(spark, spark_sql_ansi_enabled="true"):
        data = too_large(sql_type, values)
        plan = pw.plan(
            time="t",
            by=["k"],
            windows=[pw.tumbling("20 minutes"), pw.sliding("1 hour", "25 minutes")],
            aggregates=[pw.sum("x")],
            strategy=strategy,
        )
        with pytest.raises(PySparkException):
            plan.run(data).toArrow()


@pytest.mark.parametrize("strategy", ["slices", "edges"])
def test_a_mean_with_more_digits_than_its_type(spark: SparkSession, strategy: str) -> None:
    """The mean of decimal(38,10) has 14 digits after the point, and so 24 before it."""
    data = too_large("decimal(38,10)", [Decimal(10**26), Decimal(10**26 + 1), Decimal(7)])
    with setting(spark, spark_sql_ansi_enabled="false"):
        compare(data, [pw.mean("x")], strategy)
    with setting(spark, spark_sql_ansi_enabled="true"):
        windows = [pw.tumbling("20 minutes")]
        plan = pw.plan(time="t", windows=windows, aggregates=[pw.mean("x")], strategy=strategy)
        for query in (plan.run(data), data.selectExpr("avg(x)")):
            with pytest.raises(PySparkException):
                query.toArrow()


def test_no_rows(spark: SparkSession) -> None:
    data = events("bigint").where("false")
    plan = pw.plan(time="t", by=["k"], windows=list(WINDOWS), aggregates=[pw.count(), pw.sum("x")])
    assert plan.run(data).toArrow().to_pylist() == []
