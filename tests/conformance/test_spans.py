"""Events with a duration: every technique, every kind of window, and the oracle's rows."""

import datetime as dt
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import panewise as pw
from panewise.testing import assert_same_rows, oracle
from panewise.windows import Window
from tests.conformance.engines import data_frame

WINDOWS: list[Window] = [
    pw.tumbling(5),
    pw.tumbling(7, origin=3),
    pw.sliding(15, 5),
    pw.sliding(12, 5),
    pw.sliding(3, 5, allow_gaps=True),
    pw.cumulating(2, 10),
    pw.band(-4, 11),
]
INVERTIBLE: list[pw.Aggregate] = [pw.count(), pw.count("x"), pw.sum("x"), pw.mean("y")]
OTHERS: list[pw.Aggregate] = [
    pw.max("x"),
    pw.min("y"),
    pw.range("x"),
    pw.sum("y").alias("total"),
    pw.variance("y"),
    pw.product("x"),
]
TECHNIQUES = ["auto", "se_slicing", "se_ml_slicing(2)", "se_ml_slicing(5)", "dyadic"]
SCHEMA = pa.schema([("l", pa.int64()), ("u", pa.int64()), ("k", pa.string())])
VALUES = pa.schema([("x", pa.int64()), ("y", pa.float64())])

TYPES = {"l": "bigint", "u": "bigint", "k": "string", "x": "bigint", "y": "double"}

Rows = list[dict[str, Any]]


@st.composite
def events(draw: st.DrawFn) -> Rows:
    """Short and long ones, ties, gaps, events on edges, of no length, without an end, and some that
    end before they begin."""
    moments = st.integers(-30, 60)
    lengths = st.one_of(
        st.integers(0, 3), st.integers(0, 80), st.sampled_from([5, 10, 15]), st.integers(-80, -1)
    )
    row = st.fixed_dictionaries(
        {
            "l": st.one_of(moments, st.sampled_from([0, 5, 1000]), st.none()),
            "lasts": st.one_of(lengths, st.none()),
            "k": st.sampled_from(["a", "b", None]),
            "x": st.one_of(st.integers(-9, 9), st.none()),
            "y": st.one_of(st.integers(-9, 9).map(float), st.none()),
        }
    )
    found = draw(st.lists(row, max_size=12))
    for each in found:
        lasts, start = each.pop("lasts"), each["l"]
        each["u"] = None if lasts is None else (start or 0) + lasts
    return found


def table(rows: Rows) -> pa.Table:
    schema = pa.schema([*SCHEMA, *VALUES])
    return pa.table({f.name: pa.array([r[f.name] for r in rows], f.type) for f in schema})


def listed(found: pa.Table) -> Rows:
    return [
        {**row, "window": (row["window"]["start"], row["window"]["end"])}
        for row in found.to_pylist()
    ]


def plan_of(windows: Sequence[Window], aggregates: Sequence[pw.Aggregate], way: str) -> pw.Plan:
    return pw.plan(time=("l", "u"), by=["k"], windows=windows, aggregates=aggregates, strategy=way)


@pytest.mark.parametrize("way", TECHNIQUES)
@given(rows=events(), windows=st.lists(st.sampled_from(WINDOWS), min_size=1, unique=True))
def test_every_technique_in_process(way: str, rows: Rows, windows: list[Window]) -> None:
    plan = plan_of(windows, [*INVERTIBLE, *OTHERS], way)
    assert_same_rows(listed(plan.run(table(rows))), oracle(plan.query, rows), by=["k"])


@given(rows=events(), windows=st.lists(st.sampled_from(WINDOWS), min_size=1, unique=True))
def test_differences(rows: Rows, windows: list[Window]) -> None:
    plan = plan_of(windows, INVERTIBLE, "difference")
    assert_same_rows(listed(plan.run(table(rows))), oracle(plan.query, rows), by=["k"])


@pytest.mark.parametrize("way", [*TECHNIQUES, "difference"])
def test_every_technique_on_spark(spark: SparkSession, way: str) -> None:
    @settings(max_examples=max(4, settings().max_examples // 6))
    @given(rows=events(), windows=st.lists(st.sampled_from(WINDOWS), min_size=1, unique=True))
    def run(rows: Rows, windows: list[Window]) -> None:
        aggregates = INVERTIBLE if way == "difference" else [*INVERTIBLE, *OTHERS]
        plan = plan_of(windows, aggregates, way)
        found = plan.run(data_frame(rows, TYPES)).toArrow()
        assert_same_rows(listed(found), oracle(plan.query, rows, TYPES), by=["k"])

    run()


def test_moments_and_durations() -> None:
    """An end, or how long it takes: the same events, the same rows."""
    began = dt.datetime(2024, 5, 1, 9, 55)
    calls = [(0, 20), (5, 5), (62, 200)]
    rows = [
        {
            "began": began + dt.timedelta(minutes=start),
            "ended": began + dt.timedelta(minutes=start + lasts),
            "lasted": dt.timedelta(minutes=lasts),
        }
        for start, lasts in calls
    ]
    found = []
    for until in ("ended", "lasted"):
        plan = pw.plan(
            time=("began", until),
            windows=[pw.sliding("1 hour", "15 minutes")],
            aggregates=[pw.count()],
        )
        told = listed(plan.run(pa.Table.from_pylist(rows)))
        assert_same_rows(told, oracle(plan.query, rows), by=[])
        found.append(told)
    assert found[0] == found[1]
