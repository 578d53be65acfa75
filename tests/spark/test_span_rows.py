"""Events that travel to the worker of their key give the rows that cells give."""

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import panewise as pw
from panewise.plan import Placement

SPARSE = pw.Statistics.given(rows=10_000, span=10**9, keys=10_000, length=40)


def _calls(apart: int) -> pa.Table:
    rng = np.random.default_rng(apart)
    start = rng.integers(0, 50, 60) * apart
    return pa.table(
        {
            "l": start,
            "u": start + rng.integers(0, 60, 60),
            "k": [("a", "b", None)[each] for each in rng.integers(0, 3, 60)],
            "x": pa.array(rng.integers(-9, 9, 60), mask=rng.random(60) < 0.2),
            "y": rng.integers(-9, 9, 60) / 4,
        }
    )


def _plan(statistics: pw.Statistics | None, aggregates: list[pw.Aggregate]) -> pw.Plan:
    return pw.plan(
        time=("l", "u"),
        by=["k"],
        windows=[pw.sliding(12, 5), pw.tumbling(20)],
        aggregates=aggregates,
        statistics=statistics,
    )


def _rows(table: pa.Table) -> list[str]:
    return sorted(map(str, table.to_pylist()))


# 2**40 apart there would be more slots than memory: those are sorted into cells
@pytest.mark.parametrize("apart", [1, 2**40])
def test_events_that_travel(spark: SparkSession, apart: int) -> None:
    aggregates = [pw.count(), pw.sum("x"), pw.mean("x"), pw.max("x"), pw.min("y")]
    calls = _calls(apart)
    travels = _plan(SPARSE, aggregates)
    assert {tree.placement for tree in travels.trees} == {Placement.ROWS}
    found = travels.run(spark.createDataFrame(calls)).toArrow()
    assert _rows(found) == _rows(_plan(None, aggregates).run(calls))


@pytest.mark.parametrize("apart", [1, 2**40])
def test_events_that_come_in_several_batches(spark: SparkSession, apart: int) -> None:
    """Of which some have nulls, and some have not."""
    aggregates = [pw.count(), pw.sum("x"), pw.max("x"), pw.min("y")]
    calls = _calls(apart)
    size = "spark.sql.execution.arrow.maxRecordsPerBatch"
    before = spark.conf.get(size)
    spark.conf.set(size, "4")
    try:
        found = _plan(SPARSE, aggregates).run(spark.createDataFrame(calls)).toArrow()
    finally:
        spark.conf.set(size, before)
    assert _rows(found) == _rows(_plan(None, aggregates).run(calls))


def test_partials_that_stay(spark: SparkSession) -> None:
    """A product is put into cells, next to what travels: the windows are put together."""
    aggregates = [pw.count(), pw.product("y"), pw.sum("y").alias("total")]
    calls = _calls(1)
    plan = _plan(SPARSE, aggregates)
    found = plan.run(spark.createDataFrame(calls)).toArrow()
    assert _rows(found) == _rows(_plan(None, aggregates).run(calls))


def test_what_travels_follows_from_costs() -> None:
    few = pw.Statistics.given(rows=10**9, span=10**6, keys=10, length=40)
    assert {t.placement for t in _plan(few, [pw.count()]).trees} == {Placement.CELLS}
    assert {t.placement for t in _plan(SPARSE, [pw.count()]).trees} == {Placement.ROWS}
