"""Aggregates that ask where in a window events are, that count values, and users' own."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import panewise as pw
from panewise.testing import assert_same_rows, oracle
from panewise.windows import Window
from tests.conformance.engines import data_frame
from tests.conformance.test_spans import (
    TECHNIQUES,
    TYPES,
    WINDOWS,
    Rows,
    events,
    listed,
    plan_of,
    table,
)
from tests.spark.user_defined import spread

COUNTING: list[pw.Aggregate] = [
    pw.median("x"),
    pw.quantile("y", 0.9),
    pw.quantiles("x", [0.0, 0.3, 1.0]),
    pw.mode("y"),
    pw.top_k("x", 2),
    pw.count_distinct("x"),
]
WEIGHED: list[pw.Aggregate] = [pw.sum("x"), pw.sum("y").alias("total"), pw.mean("x")]
SOME_WINDOWS = st.lists(st.sampled_from(WINDOWS), min_size=1, unique=True)


def weighted_plan(windows: Sequence[Window], aggregates: Sequence[Any], way: str) -> pw.Plan:
    return pw.plan(
        time=("l", "u"),
        by=["k"],
        windows=windows,
        aggregates=aggregates,
        overlap="weighted",
        strategy=way,
    )


def in_process(rows: Rows, plan: pw.Plan) -> None:
    assert_same_rows(listed(plan.run(table(rows))), oracle(plan.query, rows), by=["k"])


def on_spark(rows: Rows, plan: pw.Plan) -> None:
    found = plan.run(data_frame(rows, TYPES)).toArrow()
    assert_same_rows(listed(found), oracle(plan.query, rows, TYPES), by=["k"])


@pytest.mark.parametrize("way", ["auto", "se_slicing", "difference"])
@given(rows=events(), windows=SOME_WINDOWS, beside=st.sampled_from([[], [pw.count()]]))
def test_at_once(way: str, rows: Rows, windows: list[Window], beside: list[pw.Aggregate]) -> None:
    in_process(rows, plan_of(windows, [pw.concurrent(), *beside], way))


@pytest.mark.parametrize("way", TECHNIQUES)
@given(rows=events(), windows=SOME_WINDOWS)
def test_weighted_sums(way: str, rows: Rows, windows: list[Window]) -> None:
    in_process(rows, weighted_plan(windows, WEIGHED, way))


@pytest.mark.parametrize("way", TECHNIQUES)
@given(rows=events(), windows=SOME_WINDOWS, beside=st.sampled_from([[], [pw.max("x")]]))
def test_counted_values(
    way: str, rows: Rows, windows: list[Window], beside: list[pw.Aggregate]
) -> None:
    in_process(rows, plan_of(windows, [*COUNTING, *beside], way))


@given(rows=events(), windows=SOME_WINDOWS)
def test_everything_at_once(rows: Rows, windows: list[Window]) -> None:
    every = [pw.concurrent(), *WEIGHED, *COUNTING, pw.max("x"), pw.count(), spread()("x")]
    in_process(rows, weighted_plan(windows, every, "auto"))


CASES: dict[str, tuple[list[pw.Aggregate], str]] = {
    "alone at once": ([pw.concurrent()], "auto"),
    "weighted": (WEIGHED, "auto"),
    "values": (COUNTING, "auto"),
    "values in levels": ([*COUNTING, pw.count()], "se_ml_slicing(3)"),
    "a user's": ([spread()("x")], "dyadic"),
    "a user's beside others": ([spread()("x"), pw.sum("x"), pw.max("y")], "se_slicing"),
    "everything": ([pw.concurrent(), *WEIGHED, *COUNTING, pw.max("x"), spread()("y")], "auto"),
}


@pytest.mark.parametrize("case", CASES)
def test_on_spark(spark: SparkSession, case: str) -> None:
    aggregates, way = CASES[case]

    @settings(max_examples=max(4, settings().max_examples // 6))
    @given(rows=events(), windows=SOME_WINDOWS)
    def run(rows: Rows, windows: list[Window]) -> None:
        on_spark(rows, weighted_plan(windows, aggregates, way))

    run()
