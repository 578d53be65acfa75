"""Frames on Spark over floats, decimals, NaN and null: as defined, and as in process."""

import math
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import panewise as pw

NAN, INF = math.nan, math.inf
FLOATS = [1.0, 1.5, NAN, NAN, INF, INF, None, -INF, 0.47, 0.46, -0.0, 0.0, 7.25, None, 8.0]
DECIMALS = ["0.10", "0.20", None, "0.30", "0.05", "0.25", "-0.10", "0.40", "12345678.99", "0.01"]
FRAMES: list[tuple[pw.Window, list[list[Any]]]] = [
    (
        pw.threshold_frame("x >= 0.47"),
        [[1.0, 1.5, NAN, NAN, INF, INF], [0.47], [7.25, 8.0]],
    ),
    (pw.threshold_frame("isnan(x) OR sqrt(x) > 2"), [[NAN, NAN, INF, INF, -INF], [7.25, 8.0]]),
    (
        pw.boundary_frame("x", edges=[0.47, 7]),
        [[1.0, 1.5], [NAN, NAN, INF, INF], [-INF], [0.47], [0.46, -0.0, 0.0], [7.25, 8.0]],
    ),
    (
        pw.boundary_frame("x", width=0.5),
        [[1.0], [1.5], [NAN, NAN], [INF, INF], [-INF], [0.47, 0.46, -0.0, 0.0], [7.25], [8.0]],
    ),
    (
        pw.delta_frame("x", 1),
        [[1.0, 1.5], [NAN, NAN], [INF, INF], [-INF], [0.47, 0.46, -0.0, 0.0], [7.25, 8.0]],
    ),
    (
        pw.delta_frame("x", 0.5, mode="range"),
        [[1.0, 1.5], [NAN, NAN], [INF, INF], [-INF], [0.47, 0.46, -0.0, 0.0], [7.25], [8.0]],
    ),
    (
        pw.aggregate_frame(pw.sum("x"), 2.5),
        [[1.0, 1.5], [NAN], [NAN], [INF], [INF], [-INF, 0.47, 0.46, -0.0, 0.0, 7.25, 8.0]],
    ),
]


def on_both(spark: SparkSession, frames: list[pw.Window], rows: pa.Table) -> dict[str, list[Any]]:
    """The values of each window's frames, in order; Spark's are those found in process."""
    plan = pw.plan(time="t", windows=frames, aggregates=[pw.collect("x"), pw.count()])
    found: list[dict[str, list[Any]]] = []
    for events in (rows, spark.createDataFrame(rows)):
        told = plan.run(events)
        table = told if isinstance(told, pa.Table) else told.toArrow()
        listed = sorted(table.to_pylist(), key=lambda row: row["window"]["start"])
        by_window: dict[str, list[Any]] = {}
        for row in listed:
            assert len(row["collect(x)"]) == row["count()"], "a null is in no frame"
            by_window.setdefault(row["window_id"], []).append(row["collect(x)"])
        found.append(dict(sorted(by_window.items())))
    assert str(found[0]) == str(found[1])  # as text NaN is equal to itself
    return found[1]


def test_floats(spark: SparkSession) -> None:
    rows = pa.table({"t": range(len(FLOATS)), "x": pa.array(FLOATS, pa.float64())})
    told = on_both(spark, [frame for frame, _ in FRAMES], rows)
    for frame, expected in FRAMES:
        assert str(told[frame.window_id]) == str(expected), frame.window_id


@pytest.mark.parametrize("kind", [pa.decimal128(10, 2), pa.decimal128(18, 4)], ids=str)
def test_decimals(spark: SparkSession, kind: pa.DataType) -> None:
    """Followed exactly: as doubles, 0.1 and 0.2 are more than 0.3."""
    values = [None if text is None else Decimal(text) for text in DECIMALS]
    rows = pa.table({"t": range(len(values)), "x": pa.array(values, kind)})
    frames = {
        pw.aggregate_frame(pw.sum("x"), Decimal("0.3")): [2, 1, 2, 2, 1, 1],
        pw.aggregate_frame(pw.sum("x"), Decimal("0.3"), crossing="exclude"): [
            1,
            1,
            1,
            1,
            2,
            1,
            1,
            1,
        ],
        pw.delta_frame("x", Decimal("0.2")): [2, 1, 1, 1, 1, 1, 1, 1],
        pw.delta_frame("x", Decimal("0.20"), mode="range"): [3, 2, 1, 1, 1, 1],
        pw.boundary_frame("x", edges=[Decimal("0.1"), Decimal("0.3")]): [2, 1, 1, 1, 1, 2, 1],
        pw.boundary_frame("x", width=Decimal("0.1")): [1, 1, 1, 1, 1, 1, 1, 1, 1],
        pw.threshold_frame("x >= 0.2 AND round(x, 1) < 1"): [2, 1, 1],
        pw.aggregate_frame(pw.max("cast(x AS DECIMAL(12, 1))"), Decimal("0.3")): [3, 2, 2, 1, 1],
    }
    told = on_both(spark, list(frames), rows)
    for frame, sizes in frames.items():
        assert [len(each) for each in told[frame.window_id]] == sizes, frame.window_id
