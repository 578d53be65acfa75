"""Events with a duration on Spark: types of start and end, bad rows, and copies."""

import datetime as dt
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

import panewise as pw
from panewise.errors import SchemaError
from panewise.testing import assert_same_rows, oracle
from tests.conformance.engines import as_oracle
from tests.spark.user_defined import spread

BEGAN = dt.datetime(2024, 5, 1, 9, 55, tzinfo=dt.UTC)
CALLS = [(0, 20), (5, 5), (62, 200), (62, 0)]


@pytest.fixture
def calls(spark: SparkSession) -> DataFrame:
    rows = ", ".join(f"({start}, {lasts})" for start, lasts in CALLS)
    return spark.sql(
        f"""SELECT began, began + lasted AS ended, lasted, unix_micros(began) AS ticks FROM (
            SELECT TIMESTAMP'2024-05-01 09:55:00' + make_dt_interval(0, 0, a) AS began,
            make_dt_interval(0, 0, b) AS lasted FROM VALUES {rows} AS t(a, b))"""
    )


def plan_of(time: tuple[str, str], *aggregates: pw.Aggregate, **more: Any) -> pw.Plan:
    return pw.plan(
        time=time,
        windows=[pw.sliding("1 hour", "15 minutes"), pw.tumbling("1 day")],
        aggregates=aggregates or [pw.count()],
        **more,
    )


@pytest.mark.parametrize("until", ["ended", "lasted"])
def test_an_end_or_an_interval(calls: DataFrame, until: str) -> None:
    plan = plan_of(("began", until))
    minutes = [(dt.timedelta(minutes=a), dt.timedelta(minutes=b)) for a, b in CALLS]
    rows = [{"began": BEGAN + a, "ended": BEGAN + a + b, "lasted": b} for a, b in minutes]
    told = [as_oracle(row) for row in plan.run(calls).toArrow().to_pylist()]
    assert_same_rows(told, oracle(plan.query, rows), by=[])


@pytest.mark.parametrize("until", ["ended", "lasted"])
@pytest.mark.parametrize("aggregate", [pw.count(), pw.max("ticks"), spread()("ticks")], ids=str)
def test_events_that_end_before_they_begin_are_left_out(
    calls: DataFrame, until: str, aggregate: pw.Aggregate
) -> None:
    """Two of the four are turned around; of the others one takes no time."""
    later = "began >= TIMESTAMP'2024-05-01 10:30:00'"
    lasted = f"IF({later}, lasted, -lasted)"
    turned = calls.selectExpr("began", "ticks", f"{lasted} AS lasted", f"began + {lasted} AS ended")
    right = calls.where(later)
    plan = plan_of(("began", until), aggregate)
    told, expected = (
        [as_oracle(row) for row in plan.run(rows).toArrow().to_pylist()] for rows in (turned, right)
    )
    assert expected and right.count() == 2
    assert_same_rows(told, expected, by=[])


def test_an_event_that_ends_before_it_begins_fails(calls: DataFrame) -> None:
    found = plan_of(("ended", "began"), on_bad_rows="fail").run(calls)
    with pytest.raises(PySparkException, match=r"an event ends before it begins.* on_bad_rows"):
        found.count()


def test_bad_rows_are_left_out_where_files_are_read(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql("SELECT 1L AS l, 3L AS u UNION ALL SELECT 9L, 4L").write.parquet(str(tmp_path / "in"))
    plan = pw.plan(time=("l", "u"), windows=[pw.tumbling(5)], aggregates=[pw.count()])
    found = plan.run(spark.read.parquet(str(tmp_path / "in")))
    assert [row["count()"] for row in found.collect()] == [1]


def test_start_and_end_of_different_types(calls: DataFrame) -> None:
    with pytest.raises(SchemaError, match="start and end are of one type"):
        plan_of(("began", "ticks")).run(calls)


def test_no_event_is_copied_for_its_length(spark: SparkSession) -> None:
    """Two cells, however long it lasts."""
    events = spark.sql("SELECT 0L AS l, 1000000000000L AS u, 1 AS x")
    windows = [pw.tumbling(500_000_000_000)]
    plan = pw.plan(time=("l", "u"), windows=windows, aggregates=[pw.count()], strategy="difference")
    executed = str(plan.run(events)._jdf.queryExecution().executedPlan().toString())
    assert "sequence" not in executed and executed.count("Generate inline") == 1
    assert plan.run(events).count() == 2


def test_a_sample_tells_how_long_events_last(calls: DataFrame) -> None:
    plan = plan_of(("began", "lasted")).sample(calls)
    minutes = sum(lasts for _, lasts in CALLS) * 60_000_000
    assert plan.statistics.length == pytest.approx((minutes + 1) / len(CALLS))  # one takes no time


def test_results_do_not_tell_how_many_events_there_were(calls: DataFrame) -> None:
    plan = plan_of(("began", "lasted")).sample(calls)
    results = plan.run(calls)
    with pytest.raises(SchemaError, match="results do not tell how many events"):
        plan.observe(results)
    assert plan.observe(results, rows=4).statistics.length == plan.statistics.length
