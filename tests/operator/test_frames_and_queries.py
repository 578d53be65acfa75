"""Frames that are open while a query that counts values comes and goes."""

import pyarrow as pa

import panewise as pw
from panewise.operator import Operator


def rows(*ticks: int, y: int = 0) -> pa.Table:
    return pa.table({"t": ticks, "k": ["a"] * len(ticks), "y": [y] * len(ticks), "x": ticks})


def plan(window: pw.Window, aggregate: pw.Aggregate) -> pw.Plan:
    return pw.plan(time="t", by=["k"], windows=[window], aggregates=[aggregate])


def test_rows_of_an_open_frame_are_counted_once() -> None:
    """While values are counted rows are held one by one, and those from before were looked at."""
    op = Operator(plan(pw.delta_frame("y", 1.5, min_rows=2), pw.sum("x")))
    op.push(rows(1))
    op.advance(2)
    op.add(plan(pw.tumbling(3), pw.median("x")), name="more")
    told = op.push(rows(2, 9, y=5)).to_pylist()
    assert [row["query"] for row in told] == [], "the frame had one row"


def test_an_open_frame_goes_on_when_values_are_not_counted_any_more() -> None:
    op = Operator(plan(pw.delta_frame("y", 1.5), pw.sum("x")))
    op.push(rows(1, 2, 3))
    op.add(plan(pw.tumbling(3), pw.median("x")), name="more")
    op.push(rows(4, 5, 6))
    op.remove("more")
    op.push(rows(7, 8, 9))
    (row,) = op.flush().to_pylist()
    assert (row["window"], row["sum(x)"]) == ({"start": 1, "end": 10}, 45)
