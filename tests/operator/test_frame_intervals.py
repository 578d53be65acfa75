"""Thresholds that loops compare numbers with, against the same predicate evaluated."""

import math
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

import panewise as pw
from panewise.operator import Operator
from tests.operator.framing import BUFFERS, framed, rows

NAN, INF = math.nan, math.inf
PREDICATES = ["x > 0", "x >= 0", "x < 2", "x <= 2.5", "x = 0", "x BETWEEN 0 AND 3", "3 > x"]
VALUES: dict[str, tuple[pa.DataType, list[Any]]] = {
    "int64": (pa.int64(), [1, None, 3, 0, 0, -1, 2, None, None, 2**63 - 1, -(2**63), 2, 2]),
    "float64": (pa.float64(), [1.0, NAN, None, -0.0, 0.0, NAN, -1.5, INF, 2.5, -INF, 2.0, 5e-324]),
    "int32": (pa.int32(), [1, None, 3, 0, -1, 2, 2]),
    "float32": (pa.float32(), [1.0, NAN, None, -0.0, 0.0, 2.5, -INF]),
    "decimal": (pa.decimal128(9, 2), [None, *map(Decimal, ("1", "0.00", "2.50", "2.51", "-1"))]),
}


def evaluated(predicate: str) -> str:
    """The same, said in a way that no interval is seen in."""
    return f"({predicate}) OR ({predicate})"


@pytest.mark.parametrize("options", BUFFERS, ids=str)
@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("predicate", PREDICATES)
def test_as_evaluated(predicate: str, kind: str, options: dict[str, Any]) -> None:
    arrow, values = VALUES[kind]
    table = rows(range(1, 2 * len(values) + 1), values + values[::-1], arrow)
    found, expected = (
        framed(pw.threshold_frame(each, max_rows=4), table, **options)
        for each in (predicate, evaluated(predicate))
    )
    assert repr(found) == repr(expected)


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("options", BUFFERS, ids=str)
def test_snapshots_between_pushes(kind: str, options: dict[str, Any]) -> None:
    arrow, values = VALUES[kind]
    whole = framed(pw.threshold_frame("x >= 0"), rows(range(len(values)), values, arrow), **options)
    plan = pw.plan(time="t", windows=[pw.threshold_frame("x >= 0")], aggregates=[pw.collect("x")])
    op, told = Operator(plan, **options), []
    for at, value in enumerate(values):
        told += op.push({"t": [at], "x": pa.array([value], arrow)}).to_pylist()
        op = Operator.restore(plan, op.snapshot())
    told += op.flush().to_pylist()
    assert repr(last_of(told)) == repr(whole)


def last_of(told: list[dict[str, Any]]) -> list[Any]:
    """What is left of all that was told, by start."""
    left: dict[tuple[Any, Any], Any] = {}
    for row in sorted(told, key=lambda row: row.get("revision", 0)):
        bounds = row["window"]["start"], row["window"]["end"]
        left[bounds] = None if row.get("retracted") else row["collect(x)"]
    return [(*bounds, left[bounds]) for bounds in sorted(left) if left[bounds] is not None]


def test_a_predicate_over_dates_is_refused_as_before() -> None:
    plan = pw.plan(time="t", windows=[pw.threshold_frame("x > 0")], aggregates=[pw.count()])
    with pytest.raises(pw.PanewiseError, match="like types"):
        Operator(plan).push({"t": [1], "x": pa.array([1], pa.int32()).cast(pa.date32())})
