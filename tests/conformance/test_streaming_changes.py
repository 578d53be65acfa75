"""A stream goes on from its checkpoint with another query, where that can be right."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import panewise as pw
from panewise import aggregates as agg
from panewise.errors import StateError
from panewise.operator.registry import told_from
from panewise.query import Query
from panewise.spark.streaming import processor
from panewise.testing import assert_same_rows, oracle
from panewise.windows import RowFamily, Scan, Window
from tests.conformance.buckets import Played, job_of
from tests.conformance.streams import Rows, plain
from tests.conformance.test_streaming import schema

WINDOWS: tuple[Window, ...] = (
    pw.tumbling(10),
    pw.sliding(30, 7),
    pw.session(4),
    pw.tumbling(pw.rows(3)),
    pw.punctuation("x = 0"),
)
AGGREGATES = (agg.sum("x"), agg.count(), agg.max("x"), agg.median("x"))
DELAY = 8
quick = settings(suppress_health_check=list(HealthCheck), deadline=None, max_examples=50)
some_windows = st.lists(st.sampled_from(WINDOWS), min_size=1, max_size=3, unique=True)
some_aggregates = st.lists(st.sampled_from(AGGREGATES), min_size=1, max_size=3, unique=True)


@st.composite
def two_halves(draw: Any) -> tuple[Rows, Rows]:
    """Rows that are late by less than the delay; the second half begins where the first ended."""
    steps = draw(st.lists(st.tuples(st.integers(0, 6), st.integers(0, DELAY)), min_size=4))
    rows, now = [], 0
    for seq, (ahead, behind) in enumerate(steps):
        now += ahead
        key, x = draw(st.sampled_from("ab")), draw(st.integers(0, 3))
        rows.append({"t": now - behind, "k": key, "x": x, "y": 0, "seq": seq})
    return rows[: len(rows) // 2], rows[len(rows) // 2 :]


def query_of(windows: Any, aggregates: Any) -> Query:
    return Query("t", ("k",), tuple(windows), tuple(aggregates), "seq")


def far(rows: Rows) -> dict[str, Any]:
    """A row so late in time that all windows before it are final."""
    newest = max(row["t"] for row in rows)
    return {"t": newest + 1000, "k": "far", "x": 1, "y": 0, "seq": 10**6}


@quick
@given(some_windows, some_windows, some_aggregates, some_aggregates, two_halves())
def test_what_both_queries_have_goes_on(
    before: Any, after: Any, first: Any, then: Any, halves: tuple[Rows, Rows]
) -> None:
    """What is new is answered for what begins after the newest row of then."""
    processor._memory.clear()
    early, late = halves
    old, new = query_of(before, first), query_of(after, then)
    played = Played(job_of(old, schema(), delay=DELAY), schema())
    told = plain(played.push([early]))
    job = job_of(new, schema(), delay=DELAY)
    told += plain(played.push([late], forget=True, job=job))
    rows = [*early, *late, far([*early, *late])]
    told += plain(played.push([rows[-1:]], forget=True, job=job))
    until = min(played.watermarks().values())
    newest = max(row["t"] for row in early)
    for window in after:
        asked = [row for row in told if row["window_id"] == window.window_id]
        expected = oracle(replace(new, windows=(window,)), rows, until=until)
        if window not in before or not set(first) & set(then):
            if isinstance(window.demand(), RowFamily | Scan):
                continue  # rows are counted from the change on: another test
            moment = told_from(window, newest + 1)
            expected = [row for row in expected if row["window"][0] >= moment]
        for aggregate in then:
            fresh = aggregate not in first
            pick = [*(["window_no"] if old.numbered and new.numbered else []), aggregate.name]
            assert_same_rows(
                [_picked(row, pick) for row in asked if _knows(row, fresh, newest, aggregate)],
                [_picked(row, pick) for row in expected if not fresh or row["window"][0] > newest],
                by=("k",),
                magnitude=1e3,
            )


def _picked(row: dict[str, Any], names: list[str]) -> dict[str, Any]:
    return {name: row.get(name) for name in ("window_id", "window", "k", *names)}


def _knows(row: dict[str, Any], fresh: bool, newest: int, aggregate: Any) -> bool:
    """Rows from before a new aggregate was asked for have a null there."""
    if not fresh or row["window"][0] > newest:
        return True
    assert row.get(aggregate.name) is None
    return False


def test_windows_of_rows_count_from_the_change_on() -> None:
    processor._memory.clear()
    rows = [{"t": t, "k": "a", "x": t, "y": 0, "seq": t} for t in range(20)]
    old = query_of([pw.tumbling(5)], [agg.sum("x")])
    new = query_of([pw.tumbling(5), pw.tumbling(pw.rows(4))], [agg.sum("x")])
    played = Played(job_of(old, schema(), delay=0), schema())
    played.push([rows[:7]])
    job = job_of(new, schema(), delay=0)
    told = plain(played.push([rows[7:]], forget=True, job=job))
    counted = [row["sum(x)"] for row in told if row["window_no"] is not None]
    assert counted == [7 + 8 + 9 + 10, 11 + 12 + 13 + 14, 15 + 16 + 17 + 18]


def test_counted_columns_in_another_order() -> None:
    processor._memory.clear()
    rows = [{"t": t, "k": "a", "x": t % 3, "y": -t, "seq": t} for t in range(30)]
    medians = [agg.median("x"), agg.median("y")]
    old, new = (query_of([pw.tumbling(10)], each) for each in (medians, medians[::-1]))
    played = Played(job_of(old, schema(), delay=0), schema())
    told = plain(played.push([rows[:15]]))
    told += plain(played.push([rows[15:]], forget=True, job=job_of(new, schema(), delay=0)))
    assert_same_rows(told, oracle(new, rows, until=29), by=("k",))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"time": "y"}, "its time is t, and now y"),
        ({"by": ()}, 'its by is ["k"], and now []'),
        ({"order_by": None}, "its order_by is seq, and now null"),
    ],
)
def test_another_query_is_refused(changed: dict[str, Any], said: str) -> None:
    processor._memory.clear()
    query = query_of([pw.tumbling(10)], [agg.sum("x")])
    played = Played(job_of(query, schema(), delay=0, buckets=1), schema())
    played.push([[{"t": 1, "k": "a", "x": 1, "y": 1, "seq": 1}]])
    job = job_of(replace(query, **changed), schema(), delay=0, buckets=1)
    with pytest.raises(StateError, match="the checkpoint is of another query") as problem:
        played.push([[{"t": 1, "k": "a", "x": 1, "y": 1, "seq": 1}]], forget=True, job=job)
    assert said in str(problem.value)


def test_other_types_and_buckets_are_refused() -> None:
    processor._memory.clear()
    row = {"t": 1, "k": "a", "x": 1, "y": 1, "seq": 1}
    query = query_of([pw.tumbling(10)], [agg.sum("x")])
    played = Played(job_of(query, schema(), delay=0, buckets=1), schema())
    played.push([[row]])
    retyped = job_of(query, schema("double"), delay=0, buckets=1)
    played.schema = schema("double")
    with pytest.raises(StateError, match='column "x" was int64 and is double now'):
        played.push([[row]], forget=True, job=retyped)
    played.schema = schema()
    with pytest.raises(StateError, match=r"buckets is 1, and now 2.* Hint: give buckets=1, or"):
        played.push([[row]], forget=True, job=job_of(query, schema(), delay=0, buckets=2))
