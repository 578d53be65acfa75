"""The oracle against answers worked out by hand: the judge is judged too."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from panewise.aggregates import Aggregate, collect, count, first, last, registered, sum
from panewise.errors import QueryError
from panewise.query import Query
from panewise.testing import oracle
from panewise.windows import Window, band, cumulating, session, sliding, tumbling
from panewise.windows import registered as registered_windows


def ask(
    window: Window,
    times: Sequence[Any],
    aggregate: Aggregate | None = None,
    xs: Sequence[Any] | None = None,
) -> list[tuple[Any, Any, Any]]:
    """`(start, end, result)` of one window over rows without keys."""
    query = Query("t", (), (window,), ((aggregate or collect("x")).alias("r"),))
    rows = [{"t": t, "x": x} for t, x in zip(times, xs or range(len(times)), strict=True)]
    return [(*row["window"], row["r"]) for row in oracle(query, rows)]


def test_tumbling_takes_the_edge_into_the_new_window() -> None:
    #  -5 ... -1 | 0 ... 4 | 5 ... 9
    assert ask(tumbling(5), [-1, 0, 4, 5]) == [(-5, 0, [0]), (0, 5, [1, 2]), (5, 10, [3])]


def test_tumbling_with_an_origin() -> None:
    assert ask(tumbling(5, origin=3), [2, 3]) == [(-2, 3, [0]), (3, 8, [1])]


def test_sliding_windows_start_before_the_first_event() -> None:
    #  [-5,5) and [0,10) hold 0; [0,10) and [5,15) hold 7
    assert ask(sliding(10, 5), [0, 7]) == [(-5, 5, [0]), (0, 10, [0, 1]), (5, 15, [1])]


def test_a_slide_that_does_not_divide_the_size() -> None:
    assert [r[:2] for r in ask(sliding(10, 3), [9])] == [(0, 10), (3, 13), (6, 16), (9, 19)]


def test_gaps_lose_events() -> None:
    assert ask(sliding(3, 7, allow_gaps=True), [2, 3, 6, 7]) == [(0, 3, [0]), (7, 10, [3])]


def test_cumulating_windows_grow_until_the_size() -> None:
    expected = [(0, 6, [0]), (0, 9, [0, 1]), (0, 12, [0, 1])]
    assert ask(cumulating(3, 12), [4, 7]) == expected


def test_band_is_one_window_or_none() -> None:
    assert ask(band(10, 5), [9, 10, 14, 15]) == [(10, 15, [1, 2])]
    assert ask(band(10, 5), [9, 15]) == []


def test_a_distance_equal_to_the_gap_joins_a_session() -> None:
    assert ask(session(3), [10, 0, 3, 4]) == [(0, 7, [1, 2, 3]), (10, 13, [0])]


def test_sessions_of_equal_times() -> None:
    assert ask(session(1), [5, 5, 7]) == [(5, 6, [0, 1]), (7, 8, [2])]


def test_ties_follow_arrival_or_the_column_named() -> None:
    rows = [{"t": 1, "x": "a", "seq": 2}, {"t": 1, "x": "b", "seq": 1}]
    by_arrival = Query("t", (), (tumbling(5),), (first("x"), last("x")))
    by_column = Query("t", (), (tumbling(5),), (first("x"), last("x")), order_by="seq")
    assert [list(row.values())[2:] for row in oracle(by_arrival, rows)] == [["a", "b"]]
    assert [list(row.values())[2:] for row in oracle(by_column, rows)] == [["b", "a"]]


def test_null_time_joins_no_window_and_a_null_key_is_a_group() -> None:
    rows = [{"t": 1, "k": None}, {"t": None, "k": "a"}, {"t": 2, "k": "b"}, {"t": 3, "k": None}]
    got = oracle(Query("t", ("k",), (tumbling(5),), (count(),)), rows)
    assert [(row["k"], row["count()"]) for row in got] == [(None, 2), ("b", 1)]


def test_an_all_null_window_keeps_its_row() -> None:
    query = Query("t", (), (tumbling(5),), (count("x"), sum("x"), collect("x")))
    (row,) = oracle(query, [{"t": 1, "x": None}])
    assert (row["count(x)"], row["sum(x)"], row["collect(x)"]) == (0, None, [])


def test_no_rows_no_windows() -> None:
    assert oracle(Query("t", (), (tumbling(5), session(2)), (count(),)), []) == []


@pytest.mark.parametrize(
    ("time", "start", "end"),
    [
        (datetime(1969, 12, 31, 23, 50), datetime(1969, 12, 31, 23), datetime(1970, 1, 1)),
        (
            datetime(2024, 3, 10, 10, 30, tzinfo=UTC),
            datetime(2024, 3, 10, 10, tzinfo=UTC),
            datetime(2024, 3, 10, 11, tzinfo=UTC),
        ),
    ],
)
def test_windows_have_the_type_of_the_time(time: Any, start: Any, end: Any) -> None:
    assert ask(tumbling("1 hour"), [time]) == [(start, end, [0])]


def test_dates_count_days() -> None:
    expected = [(date(1969, 12, 25), date(1970, 1, 1), [0])]
    assert ask(tumbling("1 week"), [date(1969, 12, 31)]) == expected


def test_decimal_results_have_the_digits_of_spark() -> None:
    from panewise.aggregates import mean

    cents = [Decimal("0.01"), Decimal("0.01"), Decimal("0.03")]
    assert ask(tumbling(9), [0, 1, 2], mean("x"), cents)[0][2] == Decimal("0.016667")
    query = Query("t", (), (tumbling(9),), (sum("x"),))
    (row,) = oracle(query, [{"t": 1, "x": Decimal(9)}] * 2, {"x": "decimal(38,0)"})
    assert row["sum(x)"] == Decimal(18)
    (row,) = oracle(query, [{"t": 1, "x": Decimal(10**38 - 1)}] * 2, {"x": "decimal(38,0)"})
    assert row["sum(x)"] is None


def test_integer_sums_wrap() -> None:
    assert ask(tumbling(9), [0, 1], sum("x"), [2**63 - 1, 1])[0][2] == -(2**63)


def test_every_registered_type_has_a_definition() -> None:
    row = {"t": 1, "x": 1, "y": 2}
    for aggregate in registered().values():
        for example in aggregate.examples():
            assert oracle(Query("t", (), (tumbling(5),), (example,)), [row])
    for window in registered_windows().values():
        for each in window.examples():
            oracle(Query("t", (), (each,), (count(),)), [row])


def test_an_unknown_aggregate_is_refused() -> None:
    class Strange(type(count())):  # type: ignore[misc]
        kind_name = "strange"

    with pytest.raises(QueryError, match="no definition of strange"):
        oracle(Query("t", (), (tumbling(5),), (Strange(),)), [{"t": 1}])
