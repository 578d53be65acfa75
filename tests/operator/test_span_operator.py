"""The operator over events with a duration: when windows are told, what is late or refused."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import panewise as pw
from panewise.errors import BadRowsError, OperatorError, QueryError, SnapshotError

CALLS = pw.plan(time=("l", "u"), windows=[pw.tumbling(10)], aggregates=[pw.count()])


def calls(*rows: tuple[int | None, int | None]) -> pa.Table:
    bounds = {name: [row[at] for row in rows] for at, name in enumerate("lu")}
    return pa.table({name: pa.array(found, pa.int64()) for name, found in bounds.items()})


def told(table: pa.Table) -> dict[int, Any]:
    return {row["window"]["start"]: row["count()"] for row in table.to_pylist()}


def test_a_window_waits_for_events_that_last_as_long_as_postpone() -> None:
    op = pw.Operator(CALLS, postpone=5)
    assert told(op.push(calls((1, 3), (2, 14)))) == {}
    assert told(op.push(calls((8, 15)))) == {0: 3}
    assert told(op.flush()) == {10: 2}


def test_an_event_that_lasts_longer_is_late_for_what_was_told() -> None:
    op = pw.Operator(CALLS, postpone=5)
    assert told(op.push(calls((1, 15)))) == {0: 1}
    assert told(op.push(calls((2, 18)))) == {}
    assert op.stats().late_rows == 1
    assert told(op.flush()) == {10: 2}, "it is in the windows that were not told"


def test_late_events_revise_with_their_share() -> None:
    op = pw.Operator(CALLS, postpone=5, lateness=100)
    assert op.push(calls((1, 15)))["revision"].to_pylist() == [0]
    (row,) = op.push(calls((2, 18), (3, 18), (4, 18))).to_pylist()
    assert (row["count()"], row["revision"], row["retracted"]) == (4, 1, False)
    assert row["late_share"] == 0.75
    assert op.stats().late_rows == 0


def test_first_results_say_what_is_expected_to_be_late() -> None:
    """Events of 30 ticks are in four windows; for two of them they come after a wait of 10."""
    op = pw.Operator(CALLS, postpone=10)
    (row, *_) = op.push(calls(*((at, at + 30) for at in range(100)))).to_pylist()
    assert row["late_share"] == pytest.approx((30 - 10) / (30 + 10))


def test_a_wait_that_is_learnt_is_as_complete_as_asked() -> None:
    """One event in a thousand is long: it is not waited for, unless all is wanted."""
    starts = np.arange(0, 20_000, 2)
    ends = starts + np.where(np.arange(len(starts)) % 1000 == 999, 3_000, 20)
    events = pa.table({"l": starts, "u": ends}).sort_by("u")
    waits = {}
    for share in (0.8, 1.0):
        op = pw.Operator(CALLS, postpone="auto", completeness=share, lateness=10**6)
        told_so_far = [op.push(events[at : at + 500]) for at in range(0, 10_000, 500)]
        rows = pa.concat_tables(told_so_far).to_pylist()
        waits[share] = op.watermark - max(row["window"]["end"] for row in rows)
    assert waits[0.8] < 100 and 2_900 < waits[1.0] < 3_200


@pytest.mark.parametrize("revise", [None, "by k"])
def test_numbers_of_keys_and_values_are_used_again(revise: str | None) -> None:
    plan = pw.plan(
        time=("l", "u"),
        by=["k"],
        windows=[pw.tumbling(10)],
        aggregates=[pw.max("x"), pw.median("x")],
        revise=revise,
    )
    op = pw.Operator(plan, postpone=10)
    rows = 0
    for at in range(0, 10_000, 100):
        keys = np.arange(at, at + 100)
        batch = {"l": keys, "u": keys + 5, "k": keys, "x": keys}
        found = op.push(batch).to_pylist()
        assert all(row["max(x)"] == row["median(x)"] == row["k"] for row in found)
        rows += len(found)
    assert op.stats().keys < 3_000 and op.stats().slices < 3_000
    rows += op.flush().num_rows
    assert rows == 10_000 + sum(1 for k in range(10_000) if k % 10 > 5), "some are in two windows"


def test_what_is_held_stays_flat_under_running_events() -> None:
    """Differences of years do not pile up: what began and has not ended is one cell."""
    plan = pw.plan(time=("l", "u"), windows=[pw.tumbling(10)], aggregates=[pw.sum("x")])
    op = pw.Operator(plan, postpone=500)
    held = []
    for at in range(0, 20_000, 50):
        ends = np.arange(at, at + 50)
        op.push({"l": ends - 400, "u": ends, "x": np.full(50, 2**50)})
        held.append(op.stats().slices)
    assert max(held[200:]) <= max(held[100:200])


def test_snapshots_go_on_with_events_that_were_sent_again() -> None:
    plan = pw.plan(
        time=("l", "u"), windows=[pw.tumbling(10)], aggregates=[pw.count()], revise="by id"
    )
    op = pw.Operator(plan, postpone=0, lateness=100)
    op.push({"l": [1, 2], "u": [3, 25], "id": ["a", "b"]})
    op = pw.Operator.restore(plan, op.snapshot())
    found = op.push({"l": [1], "u": [25], "id": ["a"]})
    assert told(found) == {0: 2, 10: 2}, "its version is in both"
    assert told(op.flush()) == {20: 2}


def test_a_version_never_seen_before_is_an_event() -> None:
    plan = pw.plan(
        time=("l", "u"), windows=[pw.tumbling(10)], aggregates=[pw.count()], revise="by id",
        order_by="version",
    )  # fmt: skip
    rows = pa.table({"l": [1], "u": [3], "id": [7], "version": [2]})
    assert told(plan.run(rows)) == {0: 1}


@pytest.mark.parametrize("order", [None, "version"])
def test_a_version_that_shrinks_needs_a_column_that_says_it_is_newer(order: str | None) -> None:
    plan = pw.plan(
        time=("l", "u"), windows=[pw.tumbling(10)], aggregates=[pw.count()], revise="by id",
        order_by=order,
    )  # fmt: skip
    rows = {"l": [1, 1], "u": [25, 5], "id": [7, 7], "version": [1, 2]}
    assert told(plan.run(pa.table(rows))) == ({0: 1} if order else {0: 1, 10: 1, 20: 1})
    op = pw.Operator(plan, postpone=0, lateness=100)
    op.push({name: column[:1] for name, column in rows.items()})
    found = op.push({name: column[1:] for name, column in rows.items()}).to_pylist()
    taken_back = [row["window"]["start"] for row in found if row["retracted"]]
    assert taken_back == ([10] if order else [])
    assert told(op.flush()) == ({} if order else {20: 1})


def test_null_bounds_are_counted() -> None:
    op = pw.Operator(CALLS, postpone=0)
    op.push(calls((None, 3), (3, None), (1, 2)))
    assert op.stats().null_times == 2
    assert op.stats().keys == 0


def test_ends_before_starts_are_counted_and_close_nothing() -> None:
    op = pw.Operator(CALLS, postpone=0)
    op.push(calls((1, 2), (500, 400)))
    assert op.watermark == 2, "the time of a row that is left out does not count"
    op = pw.Operator.restore(CALLS, op.snapshot())
    op.push(calls((9, 3), (8, 12)))
    assert (op.stats().bad_rows, op.stats().null_times, op.stats().rows) == (2, 0, 4)
    assert op.flush().schema.metadata == {b"late_rows": b"0", b"bad_rows": b"2"}


def test_ends_before_starts_are_an_error_where_that_is_asked_for() -> None:
    plan = pw.plan(
        time=("l", "u"), windows=[pw.tumbling(10)], aggregates=[pw.count()], on_bad_rows="fail"
    )
    op = pw.Operator(plan, postpone=0)
    op.push(calls((1, 2)))
    with pytest.raises(BadRowsError, match="an event ends before it begins"):
        op.push(calls((3, 4), (9, 3)))
    op.push(calls((3, 4)))
    assert told(op.flush()) == {0: 2}, "nothing of that batch was taken in"
    again = pw.Operator.restore(CALLS, pw.Operator(plan, postpone=0).snapshot())
    again.push(calls((9, 3)))
    assert again.stats().bad_rows == 1, "whoever goes on with a snapshot may say otherwise"


def test_queries_planned_together_treat_bad_rows_alike() -> None:
    strict = pw.plan(
        time=("l", "u"), windows=[pw.tumbling(20)], aggregates=[pw.count()], on_bad_rows="fail"
    )
    with pytest.raises(QueryError, match="share on_bad_rows: got 'drop' in"):
        pw.plan_all({"calls": CALLS, "strict": strict})


def test_explain_says_what_is_kept_and_how_long_windows_wait() -> None:
    text = pw.Operator(CALLS, postpone=5).explain()
    assert "count(): difference" in text and "keep events: no" in text
    assert "postpone: 5 ticks" in text
    assert "learnt, for 99.9000%" in pw.Operator(CALLS, postpone="auto").explain()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "a stream needs postpone"),
        ({"postpone": -1}, "postpone must not be negative"),
        ({"postpone": "2 hours"}, "postpone counts what the windows count"),
        ({"postpone": 3, "completeness": 0.9}, "and so does postpone"),
        ({"postpone": "auto", "completeness": 0}, "completeness is a share"),
        ({"postpone": "auto", "completeness": True}, "completeness is a share"),
    ],
)
def test_waits_that_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(QueryError, match=message):
        pw.Operator(CALLS, **given)


def test_events_without_a_duration_do_not_wait() -> None:
    plan = pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=[pw.count()])
    with pytest.raises(QueryError, match="postpone is for events with a duration"):
        pw.Operator(plan, postpone=3)
    with pytest.raises(QueryError, match="only events with a duration can be sent again"):
        pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=[pw.count()], revise="by id")


@pytest.mark.parametrize("given", ["id", "by ", 3, "BY id"])
def test_revise_names_a_column(given: Any) -> None:
    with pytest.raises(QueryError, match="by which column an event is known again"):
        pw.plan(time=("l", "u"), windows=[pw.tumbling(5)], aggregates=[pw.count()], revise=given)


def test_queries_stay_as_they_are() -> None:
    op = pw.Operator(CALLS, postpone=0)
    with pytest.raises(OperatorError, match="their slices cannot be cut anew"):
        op.add(CALLS)
    with pytest.raises(OperatorError, match="their slices cannot be cut anew"):
        op.remove("main")


def test_several_queries_share_an_operator() -> None:
    peak = pw.plan(time=("l", "u"), windows=[pw.sliding(20, 10)], aggregates=[pw.max("x")])
    op = pw.Operator(pw.plan_all({"calls": CALLS, "peak": peak}), postpone=0)
    rows = op.push({"l": [1, 4], "u": [9, 31], "x": [3, 8]}).to_pylist()
    assert {row["query"] for row in rows} == {"calls", "peak"}
    first = next(row for row in rows if row["query"] == "calls")
    assert first["count()"] == 2 and first["max(x)"] is None


def test_a_damaged_snapshot_is_refused() -> None:
    op = pw.Operator(CALLS, postpone=3)
    op.push(calls((1, 15), (2, 4)))
    blob = op.snapshot()
    with pytest.raises(SnapshotError):
        pw.Operator.restore(CALLS, blob[:-3] + b"abc")
    other = pw.plan(time=("l", "v"), windows=[pw.tumbling(10)], aggregates=[pw.count()])
    with pytest.raises(SnapshotError, match="another query"):
        pw.Operator.restore(other, blob)


def test_a_snapshot_goes_on_with_its_own_strategy() -> None:
    """Cells of one technique mean something else in another."""
    asked: dict[str, Any] = {"time": ("l", "u"), "windows": [pw.tumbling(10)]}
    plans = [
        pw.plan(**asked, aggregates=[pw.max("l")], strategy=way)
        for way in ("dyadic", "se_slicing", "se_ml_slicing(3)")
    ]
    op = pw.Operator(plans[0], postpone=3)
    op.push(calls((1, 15), (2, 4)))
    for other in plans[1:]:
        with pytest.raises(SnapshotError, match="the strategy and statistics that it had"):
            pw.Operator.restore(other, op.snapshot())
    assert pw.Operator.restore(plans[0], op.snapshot()).flush().num_rows == 1
