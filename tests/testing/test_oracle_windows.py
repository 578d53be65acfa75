"""The oracle's windows of rows, by hand; and which windows are final at a watermark."""

import math
from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import panewise as pw
from panewise.errors import BadRowsError
from panewise.model import Measure
from panewise.query import Query
from panewise.testing import assert_same_rows, events, oracle
from panewise.testing.generators import window_examples
from panewise.windows import Window
from tests.windows.orders import Order
from tests.windows.test_user import Shift

rows = pw.rows


def ask(
    window: Window, times: Sequence[Any], until: int | None = None, **columns: Sequence[Any]
) -> list[tuple[Any, ...]]:
    """`(number, start, end, places of its rows)` of each window; places count from 0."""
    query = Query("t", (), (window,), (pw.collect("x").alias("r"),))
    listed = [
        {"t": t, "x": i, **{name: values[i] for name, values in columns.items()}}
        for i, t in enumerate(times)
    ]
    found = oracle(query, listed, until=until)
    return [(row.get("window_no"), *row["window"], row["r"]) for row in found]


TIMES = [10, 10, 12, 15, 20]


def test_tumbling_rows() -> None:
    assert ask(pw.tumbling(rows(2)), TIMES) == [
        (0, 10, 11, [0, 1]),
        (1, 12, 16, [2, 3]),
        (2, 20, 21, [4]),
    ]


def test_tumbling_rows_with_an_origin() -> None:
    # ..., [-1, 2), [2, 5) of the indices
    assert ask(pw.tumbling(rows(3), origin=rows(2)), TIMES) == [
        (-1, 10, 11, [0, 1]),
        (0, 12, 21, [2, 3, 4]),
    ]


def test_sliding_rows_start_before_the_first() -> None:
    assert ask(pw.sliding(rows(4), rows(2)), TIMES) == [
        (-1, 10, 11, [0, 1]),
        (0, 10, 16, [0, 1, 2, 3]),
        (1, 12, 21, [2, 3, 4]),
        (2, 20, 21, [4]),
    ]


def test_cumulating_rows_count_every_instance() -> None:
    assert ask(pw.cumulating(rows(2), rows(4)), TIMES) == [
        (0, 10, 11, [0, 1]),
        (1, 10, 16, [0, 1, 2, 3]),
        (2, 20, 21, [4]),
        (3, 20, 21, [4]),
    ]


def test_rows_are_counted_in_time_order_within_the_key() -> None:
    query = Query("t", ("k",), (pw.tumbling(rows(2)),), (pw.collect("x"),), order_by="s")
    listed = [
        {"t": t, "k": k, "s": s, "x": x}
        for t, k, s, x in [(5, "a", 2, 1), (5, "a", 1, 2), (1, "a", 3, 3), (9, "b", 4, 4)]
    ]
    found = {(r["k"], r["window_no"]): r["collect(x)"] for r in oracle(query, listed)}
    assert found == {("a", 0): [3, 2], ("a", 1): [1], ("b", 0): [4]}


def test_every_reports_when_something_is_new() -> None:
    #  3 4 | 5 | - | 16
    assert ask(pw.every(5, last=rows(2)), [3, 4, 5, 16]) == [
        (1, 3, 5, [0, 1]),
        (2, 4, 6, [1, 2]),
        (4, 5, 17, [2, 3]),
    ]
    assert ask(pw.every(5, last=rows(9), origin=4), [3, 4]) == [(0, 3, 4, [0]), (1, 3, 5, [0, 1])]


def test_by_tuple_from_its_start() -> None:
    assert ask(pw.by_tuple(rows(2), 5), TIMES) == [
        (0, 10, 15, [0, 1, 2]),
        (1, 12, 17, [2, 3]),
        (2, 20, 25, [4]),
    ]


def test_by_tuple_to_its_end() -> None:
    assert ask(pw.by_tuple(rows(2), 3, anchor="end"), TIMES) == [
        (0, 8, 11, [0, 1]),
        (1, 13, 16, [3]),
    ]


def test_ties_belong_by_time() -> None:
    assert ask(pw.by_tuple(rows(1), 1), [7, 7]) == [(0, 7, 8, [0, 1]), (1, 7, 8, [0, 1])]


def test_punctuation_opens_the_next_window() -> None:
    y = [0, 1, None, 0, 5]
    assert ask(pw.punctuation("y > 0"), TIMES, y=y) == [
        (None, 10, 10, [0]),
        (None, 10, 20, [1, 2, 3]),
        (None, 20, 21, [4]),
    ]
    assert ask(pw.punctuation("y > 9"), TIMES, y=y) == [(None, 10, 21, [0, 1, 2, 3, 4])]
    assert ask(pw.punctuation("y > 9"), TIMES, y=[None] * 5) == [(None, 10, 21, [0, 1, 2, 3, 4])]
    assert [r[3] for r in ask(pw.punctuation("true"), TIMES)] == [[i] for i in range(5)]


def test_types_are_those_given() -> None:
    query = Query("t", (), (pw.punctuation("y + 1 > 0"),), (pw.count(),))
    listed = [{"t": 1, "y": 2**31 - 1}]
    assert oracle(query, listed, {"y": "bigint"})
    with pytest.raises(BadRowsError, match="overflow"):
        oracle(query, listed, {"y": "int"})


def test_a_users_windows() -> None:
    status = ["new", "paid", "new", None, "paid"]
    assert ask(Order(), TIMES, status=status) == [(None, 10, 11, [0, 1]), (None, 12, 21, [2, 3, 4])]
    assert ask(Order(), TIMES[:3], status=status) == [(None, 10, 11, [0, 1]), (None, 12, 13, [2])]


def test_a_users_family() -> None:
    assert ask(Shift(), [5, 6, 13, 14]) == [
        (None, -2, 6, [0]),
        (None, 6, 14, [1, 2]),
        (None, 14, 22, [3]),
    ]


def test_dates_end_a_day_later() -> None:
    days = [date(2024, 1, 1), date(2024, 1, 5)]
    assert ask(pw.tumbling(rows(5)), days) == [(0, days[0], date(2024, 1, 6), [0, 1])]
    ends = ask(pw.by_tuple(rows(2), "2 days", anchor="end"), days)
    assert ends == [(0, date(2024, 1, 4), date(2024, 1, 6), [1])]
    assert ask(Order(), days, status=["paid", "paid"])[0][2] == date(2024, 1, 2)


def test_times_end_a_microsecond_later() -> None:
    at = datetime(2024, 1, 1, tzinfo=UTC)
    assert ask(pw.tumbling(rows(5)), [at]) == [(0, at, at.replace(microsecond=1), [0])]


def test_numbers_stand_beside_windows_without() -> None:
    query = Query("t", (), (pw.tumbling(5), pw.tumbling(rows(5))), (pw.count(),))
    assert [row["window_no"] for row in oracle(query, [{"t": 1}])] == [None, 0]
    assert (
        "window_no" not in oracle(Query("t", (), (pw.tumbling(5),), (pw.count(),)), [{"t": 1}])[0]
    )


@pytest.mark.parametrize("limit", [Decimal("2.5"), 2.5], ids=str)
def test_limits_of_any_type_beside_nan(limit: Any) -> None:
    """A Decimal does not compare with NaN by itself."""
    values = [1.0, math.nan, math.nan, 2.0, math.inf, 3.0]
    for frame, sizes in (
        (pw.delta_frame("y", limit), [1, 2, 1, 1, 1]),
        (pw.delta_frame("y", limit, mode="range"), [1, 2, 1, 1, 1]),
        (pw.aggregate_frame(pw.sum("y"), limit), [2, 1, 2, 1]),
        (pw.aggregate_frame(pw.max("y"), limit), [2, 1, 2, 1]),
    ):
        assert [len(found) for *_, found in ask(frame, range(6), y=values)] == sizes


# --- final at a watermark ---


@pytest.mark.parametrize(
    ("window", "first"),
    [
        (pw.tumbling(4), 12),  # [8, 12)
        (pw.band(10, 3), 13),
        (pw.session(1), 12),  # a row at 11 would still join [10, 11)
        (pw.tumbling(rows(2)), 11),  # its second row is at 10, and settled at 11
        (pw.tumbling(rows(1)), 11),
        (pw.every(3, last=rows(9)), 12),
        (pw.by_tuple(rows(2), 4), 14),
        (pw.by_tuple(rows(2), 4, anchor="end"), 11),
        (pw.punctuation("y > 0"), 13),  # the mark at 12
        (Order(), 11),
    ],
    ids=lambda value: str(value),
)
def test_the_first_watermark_that_makes_a_window_final(window: Window, first: int) -> None:
    def found(until: int) -> list[Any]:
        return ask(window, TIMES, until, y=[0, 0, 1, 0, 0], status=["new", "paid", "", "", ""])

    assert not found(first - 1) and found(first)


def test_an_open_end_is_never_final() -> None:
    assert ask(pw.tumbling(rows(9)), TIMES, 10**9) == []
    assert ask(pw.punctuation("y > 0"), TIMES, 10**9, y=[0] * 5) == []
    assert ask(Order(), TIMES, 10**9, status=["new"] * 5) == []


@pytest.mark.parametrize("measure", Measure)
def test_every_example_in_every_measure(measure: Measure) -> None:
    windows = window_examples(measure)
    assert len({type(w) for w in windows}) >= 8

    @given(events(measure=measure, max_rows=6))
    def run(listed: list[dict[str, Any]]) -> None:
        query = Query("t", ("k",), tuple(windows), (pw.count(),), "seq")
        query.check_measure(measure)
        oracle(query, listed)

    run()


@given(events(), st.integers(-60, 80), st.integers(0, 100))
def test_final_windows_stay(listed: list[dict[str, Any]], watermark: int, more: int) -> None:
    """What is final at a watermark is final later, and at last, unchanged."""
    windows = (*window_examples(), Order())
    listed = [{**row, "status": "paid" if row["y"] == 1 else "new"} for row in listed]
    query = Query("t", ("k",), windows, (pw.count(), pw.collect("y")), "seq")
    early = oracle(query, listed, until=watermark)
    unsettled = {"k": "a", "x": 1, "y": 1, "seq": 99, "status": "paid", "t": watermark + more}
    for later in (
        oracle(query, listed, until=watermark + more),
        oracle(query, listed),
        oracle(query, [*listed, unsettled]),
    ):
        kept = [row for row in later if row in early]
        assert_same_rows(kept, early, by=["k"])
