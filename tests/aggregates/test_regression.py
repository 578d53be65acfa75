"""Lines through values: as `numpy.polyfit` finds them over shifted times, however far times are."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import panewise as pw
from panewise.errors import QueryError
from panewise.operator import Operator

FAR = (0, -1_000_000_007, 10**12, 1_700_000_000_000_000)
ALL = [pw.slope("y"), pw.intercept("y"), pw.r2("y"), pw.forecast("y"), pw.regression("y")]


def readings(far: int) -> tuple[np.ndarray, np.ndarray]:
    """Times with gaps and several values at one instant; values with an offset of their own."""
    rng = np.random.default_rng(7)
    ticks = np.sort(rng.integers(0, 5_000, 900))
    ticks = ticks[(ticks < 1_200) | (ticks > 2_900)]  # nothing between
    return far + ticks, 1e4 + 0.25 * ticks + rng.normal(0, 40, len(ticks))


def expected(ticks: np.ndarray, y: np.ndarray, start: int, size: int) -> dict[str, float]:
    inside = (ticks >= start) & (ticks < start + size)
    t, y = (ticks[inside] - start).astype(float), y[inside]
    slope, intercept = np.polyfit(t, y, 1)
    left = y - (slope * t + intercept)
    return {
        "slope": slope,
        "intercept": intercept,
        "r2": 1 - (left**2).sum() / ((y - y.mean()) ** 2).sum(),
        "forecast": slope * size + intercept,
    }


def check(rows: list[dict[str, Any]], ticks: np.ndarray, y: np.ndarray) -> None:
    assert len(rows) > 10
    for row in rows:
        start, end = row["window"]["start"], row["window"]["end"]
        inside = (ticks >= start) & (ticks < end)
        if len(np.unique(ticks[inside])) < 5:
            continue  # of so few points polyfit itself is not sure
        want = expected(ticks, y, start, end - start)
        for name, value in want.items():
            assert row[f"{name}(y)"] == pytest.approx(value, rel=1e-9), name
            assert row["regression(y)"][name] == row[f"{name}(y)"]


@pytest.mark.parametrize("far", FAR)
def test_in_process_and_pushed(far: int) -> None:
    ticks, y = readings(far)
    plan = pw.plan(time="t", windows=[pw.granules((400, 100), (4_000, 200))], aggregates=ALL)
    check(plan.run(pa.table({"t": ticks, "y": y})).to_pylist(), ticks, y)
    shuffled = np.random.default_rng(1).permutation(len(ticks))
    op = Operator(plan, delay=10_000)
    told = [
        op.push(pa.table({"t": ticks[part], "y": y[part]})) for part in np.array_split(shuffled, 9)
    ]
    check(pa.concat_tables([*told, op.flush()]).to_pylist(), ticks, y)


@pytest.mark.parametrize("strategy", ["edges", "slices"])
@pytest.mark.parametrize("far", FAR)
def test_on_spark(spark: SparkSession, far: int, strategy: str) -> None:
    ticks, y = readings(far)
    events = spark.createDataFrame(pa.table({"t": ticks, "y": y}))
    plan = pw.plan(
        time="t",
        windows=[pw.granules((400, 100), (4_000, 200))],
        aggregates=ALL,
        strategy=strategy,
    )
    check(plan.run(events).toArrow().to_pylist(), ticks, y)


def test_units() -> None:
    """Slopes are per second of timestamps, per day of dates, per one of an integer measure."""
    instants = [datetime(2024, 5, 1, 8, tzinfo=UTC) + timedelta(seconds=2 * n) for n in range(4)]
    days = [date(2024, 5, 1) + timedelta(days=2 * n) for n in range(4)]
    for times, size in ((instants, "1 hour"), (days, "100 days"), ([0, 2, 4, 6], 100)):
        plan = pw.plan(time="t", windows=[pw.tumbling(size)], aggregates=[pw.slope("y")])
        (row,) = plan.run(pa.table({"t": times, "y": [1.0, 4.0, 7.0, 10.0]})).to_pylist()
        assert row["slope(y)"] == pytest.approx(1.5, rel=1e-12)


def test_no_line_and_a_flat_one() -> None:
    plan = pw.plan(time="t", by=["k"], windows=[pw.tumbling(10)], aggregates=ALL)
    rows = plan.run(
        pa.table(
            {
                "t": [1, 1, 2, 3, 4, 5],
                "k": ["one instant"] * 2 + ["null"] + ["flat"] * 3,
                "y": [1.0, 2.0, None, 0.1, 0.1, 0.1],
            }
        )
    )
    told = {row["k"]: row for row in rows.to_pylist()}
    for key in ("one instant", "null"):
        assert [told[key][a.name] for a in ALL] == [None] * 5
    assert [told["flat"][a.name] for a in ALL[:4]] == [0.0, 0.1, 1.0, 0.1]


def test_one_partial_for_all() -> None:
    plan = pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=ALL)
    scope = pw.aggregates.Scope({"y": "y"}, {"y": "double"}, "t", "s")
    assert len({p for a in plan.query.aggregates for p in a.partials(scope)}) == 1


def test_events_with_a_duration_have_no_one_time() -> None:
    with pytest.raises(QueryError, match=r"at no one time: slope\(y\) needs one"):
        pw.plan(time=("a", "b"), windows=[pw.tumbling(5)], aggregates=[pw.slope("y")])
