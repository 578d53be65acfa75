"""Frames over floating and decimal values: engines return what the oracle returns."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import panewise as pw
from panewise import aggregates as agg
from panewise.operator import Operator
from panewise.query import Query
from panewise.testing import assert_same_rows, events, oracle
from panewise.windows import Window
from tests.conformance.engines import ENGINES
from tests.conformance.streams import Reader, Rows, batches, cuts, plain, plan_of, table
from tests.conformance.test_conformance import DATASETS, check, few_jobs
from tests.conformance.test_operator import quick, schema

FRAMES = [
    pw.threshold_frame("x > 0.5"),
    pw.threshold_frame("x BETWEEN -1 AND 2", min_rows=2),
    pw.boundary_frame("x", edges=[-1, 0.25, 3]),
    pw.boundary_frame("x", width=2, origin=1),
    pw.delta_frame("x", 2.25),
    pw.delta_frame("x", Decimal("1.5"), mode="range", max_rows=4),
    pw.aggregate_frame(agg.sum("x"), 3.3),
    pw.aggregate_frame(agg.sum("x + 1"), Decimal("4.5"), crossing="exclude"),
    pw.aggregate_frame(agg.range("x"), 2),
    pw.aggregate_frame(agg.max("x"), 2),
    pw.aggregate_frame(agg.max_count("x"), 2),
    pw.aggregate_frame(agg.count("x"), 3),
]
TYPES = ("double", "decimal(10,2)", "decimal(38,18)")
AGGREGATES = (agg.count(), agg.sum("x"), agg.min("x"), agg.last("x"), agg.collect("x"))
ordinary = st.sampled_from(["0", "1", "2.5", "-0.75", "0.25", "-3", "0.5", "100", "-12.5"])


@st.composite
def valued(draw: Any, sql_type: str, max_rows: int = 24) -> Rows:
    """Rows whose decimals are such as people have; few digits are enough for all of them."""
    rows: Rows = draw(events(sql_type, max_rows=max_rows))
    if not sql_type.startswith("decimal"):
        return rows
    return [{**row, "x": None if row["x"] is None else Decimal(draw(ordinary))} for row in rows]


@pytest.mark.parametrize("report", ["close", "update"])
@pytest.mark.parametrize("sql_type", TYPES)
@pytest.mark.parametrize("frame", FRAMES, ids=lambda w: w.window_id)
def test_operator(frame: Window, sql_type: str, report: str) -> None:
    """In every order and buffer, after every push."""
    query = Query("t", ("k",), (frame,), AGGREGATES, "seq")

    @settings(quick, max_examples=25)
    @given(
        rows=valued(sql_type),
        buffer=st.sampled_from(["auto", "multi", "lazy"]),
        at=cuts(24),
        restarts=st.lists(st.booleans(), min_size=6, max_size=6),
    )
    def run(rows: Rows, buffer: str, at: list[int], restarts: list[bool]) -> None:
        op = Operator(plan_of(query), lateness=10**18, report=report, buffer=buffer)
        reader = Reader(("k",))
        accepted: Rows = []
        for batch, restart in zip(batches(rows, at), restarts, strict=False):
            accepted += [row for row in batch if row["t"] is not None]
            reader.apply(plain([op.push(table(batch, schema(sql_type)))]))
            if restart:
                op = Operator.restore(plan_of(query), op.snapshot())
            newest = max((row["t"] for row in accepted), default=0)
            until = None if report == "update" else newest
            equal(reader, oracle(query, accepted, {"x": sql_type}, until=until))
        reader.apply(plain([op.flush()]))
        equal(reader, oracle(query, accepted, {"x": sql_type}))

    run()


def equal(reader: Reader, expected: Rows) -> None:
    assert_same_rows(reader.all(), expected, by=("k",), magnitude=1e3)


@pytest.mark.parametrize("sql_type", TYPES)
def test_spark_batch(spark: SparkSession, sql_type: str) -> None:
    """All of them in one query, and many data sets in one job."""

    @few_jobs
    @given(several=st.lists(valued(sql_type, 14), min_size=DATASETS, max_size=DATASETS))
    def run(several: list[Rows]) -> None:
        rows = [{"case": n, **row} for n, each in enumerate(several) for row in each]
        check(ENGINES["spark batch"], FRAMES, AGGREGATES, rows, sql_type=sql_type)

    run()
