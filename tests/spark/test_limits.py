"""Where a type ends: bounds, decimals of 38 digits, text where numbers are needed."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

import panewise as pw
from panewise.errors import SchemaError


@pytest.fixture
def lenient(spark: SparkSession) -> Iterator[SparkSession]:
    spark.conf.set("spark.sql.ansi.enabled", "false")
    yield spark
    spark.conf.unset("spark.sql.ansi.enabled")


def test_a_bound_beyond_the_time_type_is_an_error_and_not_a_wrong_time(
    lenient: SparkSession,
) -> None:
    events = lenient.sql("SELECT cast(120 as tinyint) AS t")
    rows = pw.aggregate(events, time="t", windows=[pw.tumbling(20)], aggregates=[pw.count()])
    with pytest.raises(Exception, match=r"does not fit TINYINT.*Hint: cast the time column"):
        rows.collect()


@pytest.mark.parametrize("strategy", ["slices", "coverage", "edges"])
def test_a_decimal_sum_that_overflows_in_one_pane_is_null_in_every_window(
    lenient: SparkSession, strategy: str
) -> None:
    #  t  0  0        3
    #     |--|--|--|--|   tumbling(1): the first pane overflows
    #     |-----------|   tumbling(4): so does its window, as Spark's own sum
    nines = "9" * 38
    events = lenient.sql(
        f"SELECT * FROM VALUES (0L, {nines}BD), (0L, {nines}BD), (3L, 1BD) AS e(t, x)"
    )
    rows = pw.aggregate(
        events,
        time="t",
        windows=[pw.tumbling(1), pw.tumbling(4)],
        aggregates=[pw.sum("x").alias("s"), pw.mean("x").alias("m")],
        strategy=strategy,
    )
    found = {(r.window_id, r.window.start): (r.s, r.m) for r in rows.collect()}
    assert found[("tumbling(4)", 0)] == (None, None)
    assert found[("tumbling(1)", 0)] == (None, None)
    assert found[("tumbling(1)", 3)] == (1, 1)


def test_text_has_no_median(spark: SparkSession) -> None:
    events = spark.sql("SELECT 1L AS t, '10' AS x")
    with pytest.raises(SchemaError, match=r'median\(x\) needs numbers: "x" is STRING.*Hint: cast'):
        pw.aggregate(events, time="t", windows=[pw.tumbling(4)], aggregates=[pw.median("x")])


def test_every_argument_is_in_the_name() -> None:
    assert pw.quantile("x", 0.5).name == "quantile(x, 0.5)"
    assert pw.top_k("x", 1).name == "top_k(x, 1)"


@pytest.mark.parametrize("strategy", ["independent", "edges"])
def test_a_time_at_the_end_of_bigint_is_an_error_and_not_a_loop(
    lenient: SparkSession, strategy: str
) -> None:
    events = lenient.sql(f"SELECT * FROM VALUES ({2**63 - 1}L), (5L) AS e(t)")
    rows = pw.aggregate(
        events, time="t", windows=[pw.tumbling(7)], aggregates=[pw.count()], strategy=strategy
    )
    with pytest.raises(Exception, match=r"beyond 62 bits.*Hint: scale"):
        rows.collect()
