"""Cases that the Java reference of general stream slicing answers wrongly, or not at all.

Each is a run beside the oracle: after every push, what a reader has is the oracle over the rows
so far, up to the watermark.
"""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import panewise as pw
from panewise import aggregates as agg
from panewise.operator import Operator
from panewise.query import Query
from panewise.windows import Window
from tests.conformance.streams import plan_of
from tests.operator.feed import Followed, feed, planned, shown

AGGREGATES = (agg.count(), agg.sum("x"), agg.min("x"), agg.last("x"), agg.median("x"))
quick = settings(suppress_health_check=list(HealthCheck), deadline=None)


def rows_of(times: list[int], key: str = "a", first: int = 0) -> list[dict[str, Any]]:
    return [
        {"t": t, "k": key, "x": 3 * n % 7, "y": n, "seq": first + n} for n, t in enumerate(times)
    ]


def followed(windows: tuple[Window, ...], delay: int, lateness: int) -> Followed:
    query = Query("t", ("k",), windows, AGGREGATES)
    return Followed(
        Operator(plan_of(query), delay=delay, lateness=lateness), query, delay, lateness
    )


@st.composite
def disorder(draw: Any) -> list[list[int]]:
    """Batches of times that advance, with some rows far behind the others."""
    steps = draw(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 30)), max_size=25))
    now, times = 0, []
    for step, behind in steps:
        now += step
        times.append(now - (behind if behind > 20 else 0))
    cut = draw(st.integers(1, 6))
    return [times[i : i + cut] for i in range(0, len(times), cut)]


@pytest.mark.parametrize("lateness", [0, 5, 40])
def test_late_rows_with_a_session_and_tumbling_windows(lateness: int) -> None:
    windows = (pw.session(3), pw.tumbling(5), pw.tumbling(7), pw.session(8))

    @quick
    @given(batches=disorder())
    def check(batches: list[list[int]]) -> None:
        run = followed(windows, 2, lateness)
        for number, times in enumerate(batches):
            run.push(rows_of(times, first=100 * number))
        run.flush()

    check()


def test_a_late_row_on_an_edge_of_both() -> None:
    """At distance gap of one session, on the edge of a tumbling window, between two sessions."""
    run = followed((pw.session(3), pw.tumbling(5)), 0, 50)
    for number, times in enumerate([[0, 7, 14], [30], [10], [3], [4], [25], [5]]):
        run.push(rows_of(times, first=10 * number))
    run.flush()


def test_an_idle_session_key() -> None:
    """A key that falls silent closes when the watermark passes, is forgotten, and comes back."""
    op = Operator(planned(pw.session(3), pw.tumbling(10)))
    op.push(feed([1, 2], k="idle"))
    told = [op.push(feed([t], k="busy")) for t in range(3, 60)]
    found = [
        (row["window_id"], row["window"]["start"], row["window"]["end"], row["sum(x)"])
        for table in told
        for row in table.to_pylist()
        if row["k"] == "idle"
    ]
    assert sorted(found) == [("session(3)", 1, 5, 2), ("tumbling(10)", 0, 10, 2)]
    op.push(feed([60], k="idle"))
    assert (60, 63, 1) in shown(op.flush())


@pytest.mark.parametrize("lateness", [0, 10])
def test_many_idle_session_keys(lateness: int) -> None:
    run = followed((pw.session(3),), 0, lateness)
    for number in range(12):
        run.push(rows_of([5 * number], key=f"key {number}", first=number))
    run.push(rows_of([54, 70], key="key 9", first=100))
    run.push(rows_of([71], key="key 0", first=200))
    run.flush()


@pytest.mark.parametrize("lateness", [0, 1, 5])
def test_windows_longer_than_the_lateness(lateness: int) -> None:
    """State lives as long as the windows that need it, and not as long as the lateness."""
    windows = (pw.tumbling(100), pw.sliding(60, 20), pw.session(40), pw.cumulating(10, 100))

    @quick
    @given(batches=disorder())
    def check(batches: list[list[int]]) -> None:
        run = followed(windows, 1, lateness)
        for number, times in enumerate(batches):
            run.push(rows_of([9 * t for t in times], first=100 * number))
        run.flush()

    check()


def test_a_window_a_thousand_times_the_lateness() -> None:
    op = Operator(planned(pw.tumbling(1_000)), lateness=1)
    for t in range(1, 1_000):
        assert op.push(feed([t])).num_rows == 0
    assert shown(op.push(feed([1_000]))) == [(0, 1_000, 999, 0, False)]
    assert shown(op.push(feed([999]))) == [(0, 1_000, 1_000, 1, False)]


@pytest.mark.parametrize("lateness", [0, 5, 40])
def test_count_windows_under_disorder(lateness: int) -> None:
    windows = (
        pw.tumbling(pw.rows(3)),
        pw.sliding(pw.rows(4), pw.rows(2)),
        pw.sliding(pw.rows(1), pw.rows(3), allow_gaps=True),
        pw.tumbling(5),  # an edge of time does not move rows over an edge of counts
    )

    @quick
    @given(batches=disorder())
    def check(batches: list[list[int]]) -> None:
        run = followed(windows, 2, lateness)
        for number, times in enumerate(batches):
            run.push(rows_of(times, first=100 * number))
        run.flush()

    check()


def test_count_windows_with_a_late_row_at_each_place() -> None:
    """Before, between and behind the edges, in the newest window and in an older one."""
    for late in range(9):
        run = followed((pw.tumbling(pw.rows(2)),), 0, 50)
        run.push(rows_of([0, 2, 4, 6, 8]))
        run.push(rows_of([late], first=10))
        run.push(rows_of([late, 20], first=20))
        run.flush()
