"""Nulls: in times they are counted, in keys a group, in values skipped."""

import numpy as np
import pyarrow as pa
import pytest

import panewise as pw
from panewise.operator import Operator
from tests.operator.feed import feed, planned, shown


def test_rows_without_a_time_are_in_no_window() -> None:
    op = Operator(planned(pw.tumbling(10), pw.session(3), pw.tumbling(pw.rows(1))))
    op.push(feed([None, 1, None]))
    op.push(feed([None, None]))
    assert op.stats().null_times == 4
    assert op.stats().rows == 5
    assert op.stats().late_rows == 0
    assert shown(op.flush()) == [(0, 10, 1), (1, 4, 1), (1, 2, 1)]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns", "m", "D"])
def test_moments_that_numpy_misses(unit: str) -> None:
    """NaT is null, as a time and as a value."""
    aggregates = [pw.count(), pw.count("t2")]
    op = Operator(pw.plan(time="t", windows=[pw.tumbling("1 day")], aggregates=aggregates))
    days = np.array(["2024-01-01", "NaT", "2024-01-02"], f"datetime64[{unit}]")
    told = pa.concat_tables([op.push({"t": days, "t2": days[[1, 0, 2]]}), op.flush()])
    assert [(row["count()"], row["count(t2)"]) for row in told.to_pylist()] == [(1, 0), (1, 1)]
    assert op.stats().null_times == 1


def test_null_times_do_not_move_the_watermark() -> None:
    op = Operator(planned(pw.tumbling(10)))
    op.push(feed([None]))
    assert op.watermark is None
    assert op.flush().num_rows == 0


def test_null_times_among_late_rows() -> None:
    """Each row keeps its own values when others are left out."""
    op = Operator(planned(pw.tumbling(10)))
    op.push(feed([50]))
    told = op.push(feed([None, 3, 55, None, 51, 4], x=[1, 2, 4, 8, 16, 32]))
    assert (op.stats().null_times, op.stats().late_rows) == (2, 2)
    assert told.num_rows == 0
    assert shown(op.flush()) == [(50, 60, 1 + 4 + 16)]


def test_a_null_key_is_a_group() -> None:
    op = Operator(planned(pw.tumbling(10), pw.tumbling(pw.rows(2))))
    batch = {"t": [1, 2, 3, 4], "k": [None, "a", None, ""], "x": [1, 2, 4, 8]}
    told = pa.concat_tables([op.push(batch), op.flush()])
    found = {(row["k"], row["window_no"], row["sum(x)"]) for row in told.to_pylist()}
    periodic = {(None, None, 5), ("a", None, 2), ("", None, 8)}
    assert found == periodic | {(None, 0, 5), ("a", 0, 2), ("", 0, 8)}


def test_a_window_of_nulls_keeps_its_row() -> None:
    aggregates = [pw.sum("x"), pw.count("x"), pw.count(), pw.median("x"), pw.last("x")]
    op = Operator(planned(pw.tumbling(10), aggregates=aggregates))
    op.push(feed([1, 2], x=[None, None]))
    (row,) = op.flush().to_pylist()
    assert {name: row[name] for name in ("sum(x)", "count(x)", "count()", "median(x)")} == {
        "sum(x)": None,
        "count(x)": 0,
        "count()": 2,
        "median(x)": None,
    }


def test_a_batch_of_nulls_has_the_type_from_before() -> None:
    """A list of None has no type of its own, and is no reason to refuse it."""
    op = Operator(planned(pw.tumbling(10)))
    op.push(feed([1]))
    op.push({"t": [2], "k": [None], "x": [None]})
    op.push({"t": pa.nulls(1), "k": ["a"], "x": [3]})
    found = {(row["k"], row["sum(x)"]) for row in op.flush().to_pylist()}
    assert found == {("a", 1), (None, None)}
    assert op.stats().null_times == 1


def test_late_rows_are_told_with_every_result() -> None:
    op = Operator(planned(pw.tumbling(10)))
    assert op.push(feed([50])).schema.metadata == {b"late_rows": b"0"}
    assert op.push(feed([1, 60, 2])).schema.metadata == {b"late_rows": b"2"}
    assert op.push(feed([])).schema.metadata == {b"late_rows": b"2"}
    assert op.advance(70).schema.metadata == {b"late_rows": b"2"}
    assert op.flush().schema.metadata == {b"late_rows": b"2"}
