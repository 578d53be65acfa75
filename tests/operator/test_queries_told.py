"""What users see when queries come and go: the moment, the columns, and what is held."""

from datetime import date, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest

import panewise as pw
from panewise.errors import SchemaError
from panewise.operator import Operator
from panewise.testing import assert_same_rows, oracle
from tests.conformance.streams import plain
from tests.operator.feed import feed, planned, shown


def of(told: pa.Table, query: str) -> list[dict[str, Any]]:
    return [row for row in told.to_pylist() if row["query"] == query]


def test_the_moment_is_the_tick_after_the_newest_row() -> None:
    op = Operator(planned(pw.tumbling(10)), delay=50)
    op.push(feed([3, 41, 7]))
    assert op.add(planned(pw.tumbling(5))) == 42


def test_before_the_first_row_there_is_no_moment() -> None:
    op = Operator(planned(pw.tumbling(10)))
    assert op.add(planned(pw.tumbling(5))) is None
    op.push(feed([1]))
    assert [(row["query"], row["window"]["end"]) for row in op.flush().to_pylist()] == [
        ("main", 10),
        ("query 2", 5),
    ]


def test_after_an_empty_batch_there_is_none_either() -> None:
    op = Operator(planned(pw.tumbling(10)))
    op.push(feed([]))
    assert op.add(planned(pw.tumbling(5)), name="five") is None
    assert {row["query"] for row in op.push(feed([1, 12])).to_pylist()} == {"main", "five"}


@pytest.mark.parametrize(
    ("times", "after"),
    [
        (pa.array([date(2024, 2, 28)]), date(2024, 2, 29)),
        (
            pa.array([datetime(2024, 1, 1)], pa.timestamp("us")),
            datetime(2024, 1, 1) + timedelta(microseconds=1),
        ),
        (
            pa.array([datetime(2024, 1, 1)], pa.timestamp("ms")),
            datetime(2024, 1, 1) + timedelta(milliseconds=1),
        ),
    ],
    ids=["date", "us", "ms"],
)
def test_the_moment_is_in_the_type_of_the_time_column(times: pa.Array, after: Any) -> None:
    plan = pw.plan(time="t", windows=[pw.tumbling("1 day")], aggregates=[pw.count()])
    op = Operator(plan)
    op.push({"t": times})
    assert op.add(plan) == after


def test_windows_from_the_moment_on_are_told() -> None:
    #      since = 13
    # 10 ----|---- 15 ---- 20        tumbling(5): the first one told is [15, 20)
    op = Operator(planned(pw.tumbling(5)))
    op.push(feed([12]))
    assert op.add(planned(pw.tumbling(5)), name="more") == 13
    told = pa.concat_tables([op.push(feed([14, 16])), op.push(feed([21])), op.flush()])
    starts = {name: [row["window"]["start"] for row in of(told, name)] for name in op.queries}
    assert starts == {"main": [10, 15, 20], "more": [15, 20]}


def test_sessions_that_nothing_before_could_have_joined_are_told() -> None:
    op = Operator(planned(pw.tumbling(100)))
    op.push(feed([10]))
    since = op.add(planned(pw.session(5)), name="more")
    told = pa.concat_tables([op.push(feed([15])), op.push(feed([40, 60])), op.flush()])
    assert since == 11
    assert [row["window"]["start"] for row in of(told, "more")] == [40, 60]


def test_rows_are_counted_from_the_moment_on() -> None:
    op = Operator(planned(pw.tumbling(pw.rows(2))), delay=2)
    op.push(feed([1, 2, 3]))
    assert op.add(planned(pw.tumbling(pw.rows(2))), name="more") == 4
    told = pa.concat_tables([op.push(feed([3, 4, 5, 6, 20])), op.flush()])
    found = [
        (row["window_no"], row["window"]["start"], row["window"]["end"]) for row in of(told, "more")
    ]
    assert found == [(0, 4, 6), (1, 6, 21)]
    assert [row["window_no"] for row in of(told, "main")] == [0, 1, 2, 3]


def test_columns_of_other_queries_are_null() -> None:
    op = Operator(planned(pw.tumbling(10)))
    op.push(feed([1]))
    op.add(planned(pw.tumbling(pw.rows(1)), aggregates=[pw.median("x")]), name="more")
    told = pa.concat_tables([op.push(feed([2])), op.flush()])
    assert told.column_names == [
        "query",
        "window_id",
        "window",
        "window_no",
        "k",
        "sum(x)",
        "median(x)",
    ]
    found = [
        (row["query"], row["window_no"], row["sum(x)"], row["median(x)"])
        for row in told.to_pylist()
    ]
    assert sorted(found) == [("main", None, 2, None), ("more", 0, None, 1.0)]


def test_a_query_may_read_a_column_that_no_other_did() -> None:
    """It was there all the time."""
    op = Operator(planned(pw.tumbling(10)))
    op.push(feed([1]).append_column("y", pa.array([5])))
    op.add(planned(pw.tumbling(10), aggregates=[pw.sum("y")]), name="more")
    op.push(feed([12]).append_column("y", pa.array([7])))
    assert [row["sum(y)"] for row in of(op.flush(), "more")] == [7]


def test_a_column_that_never_was_is_refused() -> None:
    op = Operator(planned(pw.tumbling(10)))
    op.push(feed([1]))
    with pytest.raises(SchemaError, match=r'no column "z".*Hint: '):
        op.add(planned(pw.tumbling(10), aggregates=[pw.sum("z")]))
        op.push(feed([2]))


def test_an_aggregate_that_cannot_be_computed_changes_nothing() -> None:
    op = Operator(planned(pw.tumbling(10)))
    op.push(feed([1]))
    with pytest.raises(SchemaError, match=r'median\(k\) cannot be computed: "k" is string'):
        op.add(planned(pw.tumbling(10), aggregates=[pw.median("k")]))
    assert op.queries == ("main",)
    assert shown(op.push(feed([12]))) == [(0, 10, 1)]


def test_the_first_query_goes_on_as_if_alone() -> None:
    """Push by push, its rows are the same."""
    main = planned(pw.tumbling(10), pw.session(3), pw.tumbling(pw.rows(2)))
    alone, shared = Operator(main, delay=2, lateness=9), Operator(main, delay=2, lateness=9)
    for number, times in enumerate([[1, 5], [4, 12], [9], [30, 31], [25], [60], [52, 70]]):
        if number == 2:
            shared.add(planned(pw.sliding(20, 3), aggregates=[pw.median("x")]), name="more")
        if number == 5:
            shared.remove("more")
        expected = alone.push(feed(times))
        got = shared.push(feed(times))
        if "query" in got.column_names:
            got = got.filter(pa.compute.equal(got["query"], "main"))
        assert_same_rows(plain([got.select(expected.column_names)]), plain([expected]), by=("k",))


def test_what_only_a_removed_query_needed_is_dropped() -> None:
    op = Operator(planned(pw.tumbling(100)), delay=5)
    op.push(feed([1]))
    before = op.stats()
    op.add(planned(pw.sliding(1_000, 10), pw.session(7), pw.tumbling(pw.rows(100))), name="more")
    for t in range(2, 90, 4):
        op.push(feed([t]))
    during = op.stats()
    op.remove("more")
    after = op.stats()
    assert during.slices > before.slices
    assert during.tuples > 0
    assert after.slices < during.slices
    assert after.bytes < during.bytes
    op.push(feed([300]))
    assert op.stats().tuples == 0
    assert op.stats().slices <= 2


def test_a_removed_name_is_free_again() -> None:
    op = Operator(planned(pw.tumbling(10)))
    op.push(feed([1]))
    op.add(planned(pw.tumbling(5)), name="more")
    op.remove("more")
    assert op.add(planned(pw.tumbling(7)), name="more") == 2
    assert op.queries == ("main", "more")


def test_the_first_query_may_be_removed() -> None:
    op = Operator(planned(pw.tumbling(10)))
    op.push(feed([1]))
    op.add(planned(pw.tumbling(5)), name="more")
    op.remove("main")
    told = pa.concat_tables([op.push(feed([6, 30])), op.flush()])
    assert [(row["query"], row["window"]["start"]) for row in told.to_pylist()] == [
        ("more", 5),
        ("more", 30),
    ]


def test_a_shared_plan_answers_all_its_queries() -> None:
    queries = {
        "one": planned(pw.tumbling(10), pw.session(3)),
        "two": planned(pw.tumbling(10).named("ten"), aggregates=[pw.median("x"), pw.count()]),
        "three": planned(pw.every(20, last=pw.rows(2)), aggregates=[pw.last("x")]),
    }
    op = Operator(pw.plan_all(queries), delay=100)
    rows = [{"t": 7 * n % 40, "k": "ab"[n % 2], "x": n} for n in range(20)]
    told = pa.concat_tables([op.push(pa.Table.from_pylist(rows)), op.flush()])
    for name, plan in queries.items():
        query = plan.query
        names = [*query.result_columns, *query.by, *(a.name for a in query.aggregates)]
        got = [{each: row[each] for each in names} for row in plain([told]) if row["query"] == name]
        assert_same_rows(got, oracle(query, rows), by=("k",))


def test_a_query_may_join_a_shared_plan() -> None:
    op = Operator(pw.plan_all({"one": planned(pw.tumbling(10)), "two": planned(pw.session(3))}))
    op.push(feed([1]))
    op.add(planned(pw.tumbling(4)), name="three")
    op.remove("one")
    told = pa.concat_tables([op.push(feed([9])), op.flush()])
    found = [(row["query"], row["window"]["start"]) for row in told.to_pylist()]
    assert sorted(found) == [("three", 8), ("two", 1), ("two", 9)]
