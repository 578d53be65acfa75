"""Sums weighed by overlap: edges, long events, types, and what is refused."""

from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

import panewise as pw
from panewise.errors import QueryError

CENTURY = 36_525 * 86_400_000_000


def sums(rows: list[tuple[Any, ...]], *windows: pw.Window, of: pa.DataType) -> dict[Any, Any]:
    plan = pw.plan(
        time=("l", "u"),
        windows=windows or [pw.tumbling(10)],
        aggregates=[pw.sum("x")],
        overlap="weighted",
    )
    kinds = {"l": pa.int64(), "u": pa.int64(), "x": of}
    columns = {n: pa.array([row[at] for row in rows], kinds[n]) for at, n in enumerate("lux")}
    return {
        (row["window"]["start"], row["window"]["end"]): row["sum(x)"]
        for row in plan.run(pa.table(columns)).to_pylist()
    }


WHOLE, FLOAT = pa.int64(), pa.float64()


def test_shares_of_an_event() -> None:
    #    0         10        20        30
    #            [-----------------)       [8, 28)
    found = sums([(8, 28, 20)], of=WHOLE)
    assert found == {(0, 10): 2.0, (10, 20): 10.0, (20, 30): 8.0}
    assert isinstance(found[(0, 10)], float)


def test_an_event_inside_is_whole() -> None:
    assert sums([(11, 14, 7)], of=WHOLE) == {(10, 20): 7.0}


def test_an_event_exactly_on_edges() -> None:
    assert sums([(10, 30, 5)], of=WHOLE) == {(10, 20): 2.5, (20, 30): 2.5}


@pytest.mark.parametrize("end", [9, 10])
def test_an_event_of_one_tick_or_none_is_whole(end: int) -> None:
    assert sums([(9, end, 3)], of=WHOLE) == {(0, 10): 3.0}


def test_windows_shorter_than_their_slide() -> None:
    """What is between two windows is in none."""
    window = pw.sliding(3, 5, allow_gaps=True)
    assert sums([(1, 11, 10), (3, 5, 9)], window, of=WHOLE) == {
        (0, 3): 2.0,
        (5, 8): 3.0,
        (10, 13): 1.0,
    }


def test_without_a_value_a_start_or_an_end() -> None:
    rows = [(0, 5, None), (12, 14, None), (13, 15, 2), (None, 4, 9), (4, None, 9)]
    assert sums(rows, of=WHOLE) == {(0, 10): None, (10, 20): 2.0}


def test_large_values_elsewhere_do_not_cancel() -> None:
    rows = [(0, 40, 1e300), (42, 46, 1.0), (45, 65, 1.0)]
    found = sums(rows, of=FLOAT)
    assert found[(40, 50)] == pytest.approx(1.25) and found[(60, 70)] == pytest.approx(0.25)


def test_a_century() -> None:
    found = sums([(-CENTURY // 2, CENTURY // 2, 100)], pw.tumbling(CENTURY // 4), of=WHOLE)
    assert sorted(found.values()) == [25.0] * 4
    late = sums([(0, CENTURY, CENTURY)], pw.band(7, 10), of=WHOLE)
    assert late == {(7, 17): pytest.approx(10.0)}


def test_decimals_become_floating() -> None:
    found = sums([(5, 15, Decimal("1.50"))], of=pa.decimal128(10, 2))
    assert found == {(0, 10): 0.75, (10, 20): 0.75}


def test_infinite_values() -> None:
    rows = [(5, 15, float("inf")), (12, 14, float("-inf")), (30, 35, float("nan"))]
    assert str(sums(rows, of=FLOAT)) == "{(0, 10): inf, (10, 20): nan, (30, 40): nan}"


def test_only_sums_are_weighed() -> None:
    rows = pa.table({"l": [8], "u": [18], "x": [5]})
    plan = pw.plan(
        time=("l", "u"),
        windows=[pw.tumbling(10)],
        aggregates=[pw.mean("x"), pw.count(), pw.max("x"), pw.sum("x").alias("share")],
        overlap="weighted",
    )
    told = plan.run(rows).to_pylist()
    assert [list(row.values())[2:] for row in told] == [[5.0, 1, 5, 1.0], [5.0, 1, 5, 4.0]]
    assert "for share: weighted: shares of an event" in plan.explain()


def test_queries_together() -> None:
    """Weighed as a whole, or each query by itself; two sums of one name are two aggregates."""
    rows = pa.table({"l": [8], "u": [18], "x": [5]})
    asked = {"time": ("l", "u"), "windows": [pw.tumbling(10)]}
    whole = pw.plan(**asked, aggregates=[pw.sum("x")])
    shared = pw.plan_all({"all": whole}, overlap="weighted")
    assert shared.part(shared.run(rows), "all")["sum(x)"].to_pylist() == [1.0, 4.0]
    weighted = pw.plan(**asked, aggregates=[pw.sum("x")], overlap="weighted")
    with pytest.raises(QueryError, match="one name for two aggregates"):
        pw.plan_all({"whole": whole, "weighted": weighted})
    renamed = pw.plan(**asked, aggregates=[pw.sum("x").alias("share")], overlap="weighted")
    both = pw.plan_all({"whole": whole, "weighted": renamed})
    assert both.part(both.run(rows), "whole")["sum(x)"].to_pylist() == [5, 5]
    assert both.part(both.run(rows), "weighted")["share"].to_pylist() == [1.0, 4.0]


def test_what_is_refused() -> None:
    asked = {"windows": [pw.tumbling(5)], "aggregates": [pw.count()]}
    with pytest.raises(QueryError, match='overlap is "whole" or "weighted": got \'half\''):
        pw.plan(time=("l", "u"), overlap="half", **asked)
    with pytest.raises(QueryError, match="events without a duration are in it or not"):
        pw.plan(time="l", overlap="weighted", **asked)
    points = pw.plan(time="l", **asked)
    with pytest.raises(QueryError, match="events without a duration are in it or not"):
        pw.plan_all({"points": points}, overlap="weighted")
