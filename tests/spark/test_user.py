"""User-defined aggregates in Spark: alone, and beside every other kind."""

from decimal import Decimal
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

import panewise as pw
from panewise.testing import assert_same_rows, oracle
from tests.spark.user_defined import spread

TYPES = {"t": "bigint", "k": "string", "x": "double", "d": "decimal(10,2)", "n": "int"}
ROWS: list[dict[str, Any]] = [
    {
        "t": t,
        "k": "ab"[t % 2],
        "x": None if t % 5 == 0 else t / 4,
        "d": Decimal(t) / 4,
        "n": (3 * t) % 7,
        "seq": 100 - i,
    }
    for i, t in enumerate([*range(-6, 14), 3, 3, 40])
]


@pytest.fixture(scope="module")
def events(spark: SparkSession) -> DataFrame:
    schema = ", ".join(f"{name} {kind}" for name, kind in {**TYPES, "seq": "int"}.items())
    rows = [tuple(row.values()) for row in ROWS]
    return spark.createDataFrame(rows, schema).repartition(3)


def check(events: DataFrame, *aggregates: pw.Aggregate, by: tuple[str, ...] = ("k",)) -> None:
    plan = pw.plan(
        time="t",
        by=by,
        windows=[pw.sliding(10, 4), pw.tumbling(5), pw.session(3)],
        aggregates=aggregates,
        order_by="seq",
    )
    rows = plan.run(events).toArrow().to_pylist()
    got = [{**row, "window": (row["window"]["start"], row["window"]["end"])} for row in rows]
    assert_same_rows(got, oracle(plan.query, ROWS, TYPES), by=by)


def test_alone(events: DataFrame) -> None:
    check(events, spread()("x"), by=())


def test_beside_every_other_kind(events: DataFrame) -> None:
    user = spread()
    check(
        events,
        user("x"),
        user("n"),
        pw.count(),
        pw.sum("n"),
        pw.sum("d"),
        pw.mean("d"),
        pw.max("d"),
        pw.variance("x"),
        pw.min_count("n"),
        pw.first("x"),
        pw.last("x", ignore_nulls=True),
        pw.argmax("x", "n"),
        pw.collect("n"),
        pw.median("x"),
        pw.mode("n"),
        pw.count_distinct("n"),
        pw.approx_count_distinct("n"),
    )


def test_sums_beside_it_are_checked_too(spark: SparkSession) -> None:
    huge = spark.sql("SELECT 1L AS t, 9223372036854775807L AS x FROM range(2)").coalesce(1)
    query = {"time": "t", "windows": [pw.tumbling(5)]}
    answer = pw.aggregate(huge, aggregates=[spread()("x"), pw.sum("x")], **query)
    with pytest.raises(PySparkException, match="left the range of BIGINT"):
        answer.collect()
