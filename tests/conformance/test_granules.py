"""Whole schemes of granules: all levels together, on every engine, are what the oracle says."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import panewise as pw
from panewise import aggregates as agg
from panewise.model import Measure
from panewise.operator import Operator
from panewise.query import Query
from panewise.spark.streaming import processor
from panewise.testing import assert_same_rows, events, oracle
from panewise.windows import Granules
from tests.conformance.buckets import Played, job_of
from tests.conformance.engines import ENGINES
from tests.conformance.streams import Reader, batches, cuts, plain, plan_of, table
from tests.conformance.test_conformance import KEYS, check, datasets, few_jobs

FEW = (agg.count(), agg.sum("x"), agg.mean("x"), agg.max("x"), agg.last("x"), agg.median("x"))
SCHEMES = (
    pw.granules((4, 1), (8, 2), (16, 4), origin=1),
    pw.granules((3, 3), (36, 6), (63, 9), (66, 11)),  # slides do not divide each other
    pw.granules((4, 1), (9, 3)),  # a slide does not divide the difference of ranges
    pw.granules((2, 2), (30, 2), (40, 20)).named("load"),
    pw.granules((pw.rows(2), pw.rows(1)), (pw.rows(4), pw.rows(2)), (pw.rows(9), pw.rows(3))),
)
SCHEMA = {"t": "bigint", "k": "string", "x": "bigint", "y": "bigint", "seq": "bigint"}
quick = settings(suppress_health_check=list(HealthCheck), deadline=None)


def query_of(*windows: Any) -> Query:
    listed = [w for each in windows for w in (each.windows() if _is_scheme(each) else (each,))]
    return Query("t", ("k",), tuple(listed), FEW, "seq")


def _is_scheme(window: Any) -> bool:
    return isinstance(window, Granules)


@st.composite
def streams(draw: Any) -> Any:
    rows = draw(events("bigint", Measure.INTEGER, max_rows=24))
    return rows, draw(cuts(len(rows)))


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda s: s.window_id)
def test_in_process(scheme: Granules) -> None:
    query = query_of(scheme, pw.tumbling(5))

    @quick
    @given(rows=events(max_rows=24))
    def run(rows: list[dict[str, Any]]) -> None:
        got = plain([plan_of(query).run(table(rows, SCHEMA))])
        assert_same_rows(got, oracle(query, rows), by=("k",), magnitude=1e3)

    run()


@pytest.mark.parametrize("lateness", [0, 9])
@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda s: s.window_id)
def test_operator(scheme: Granules, lateness: int) -> None:
    """After each push, and with a snapshot between any two."""
    query = query_of(scheme)

    @quick
    @given(stream=streams())
    def run(stream: Any) -> None:
        rows, at = stream
        plan, reader = plan_of(query), Reader(("k",))
        op = Operator(plan, delay=5, lateness=lateness)
        accepted: list[dict[str, Any]] = []
        watermark: int | None = None
        for batch in batches(rows, at):
            timed = [row for row in batch if row["t"] is not None]
            accepted += [r for r in timed if watermark is None or r["t"] >= watermark - lateness]
            reader.apply(plain([op.push(table(batch, SCHEMA))]))
            op = Operator.restore(plan, op.snapshot())
            if accepted:
                watermark = max(row["t"] for row in accepted) - 5
                expected = oracle(query, accepted, until=watermark)
                assert_same_rows(reader.all(), expected, by=("k",), magnitude=1e3)
        reader.apply(plain([op.flush()]))
        assert_same_rows(reader.all(), oracle(query, accepted), by=("k",), magnitude=1e3)

    run()


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda s: s.window_id)
def test_buckets(scheme: Granules) -> None:
    query = query_of(scheme, pw.session(3))

    @quick
    @given(rows=events(min_rows=1))
    def run(rows: list[dict[str, Any]]) -> None:
        processor._memory.clear()
        played = Played(job_of(query, SCHEMA, delay=10**4), SCHEMA)
        half = len(rows) // 2
        told = played.push([rows[:half], rows[half:]])
        known = [row["t"] for row in rows if row["t"] is not None]
        if not known:
            return
        far = {**rows[0], "t": max(known) + 10**5, "k": "far", "seq": 10**6}
        told += played.push([[far]], forget=True)
        until = min(played.watermarks().values())
        expected = oracle(query, [*rows, far], until=until)
        assert_same_rows(plain(told), expected, by=("k",), magnitude=1e3)

    run()


@pytest.mark.parametrize("engine", ENGINES)
def test_spark(spark: SparkSession, engine: str) -> None:
    """All schemes in one query, without the median, which only the kernel takes."""
    native = FEW[:4]
    windows = [w for scheme in SCHEMES for w in scheme.windows()]
    fits = [w for w in windows if ENGINES[engine].fits(Query("t", KEYS, (w,), native, "seq"))]
    assert len(fits) >= 12

    @few_jobs
    @given(rows=datasets("bigint"))
    def run(rows: list[dict[str, Any]]) -> None:
        check(ENGINES[engine], [*fits, pw.tumbling(7)], native, rows)

    run()


def test_queries_planned_together(spark: SparkSession) -> None:
    """The same scheme under two names, beside another: each query has its own rows."""
    rows = [{"t": t, "k": "ab"[t % 2], "x": t % 7, "y": 0, "seq": t} for t in range(-9, 40)]
    events_ = spark.createDataFrame(rows, "t bigint, k string, x bigint, y bigint, seq bigint")
    first, second = (
        pw.plan(time="t", by=["k"], windows=windows, aggregates=[pw.sum("x"), pw.count()])
        for windows in ([SCHEMES[0], pw.tumbling(5)], [SCHEMES[0].named("load"), SCHEMES[1]])
    )
    together = pw.plan_all({"first": first, "second": second})
    for data in (events_, table(rows, SCHEMA)):
        told = together.run(data)
        for name, plan in (("first", first), ("second", second)):
            part = together.part(told, name)
            listed = part.toArrow() if hasattr(part, "toArrow") else part
            expected = oracle(plan.query, rows)
            assert_same_rows(plain([listed]), expected, by=("k",))
