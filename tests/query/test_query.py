"""What a query refuses, in the words the user reads."""

from typing import Any

import numpy as np
import pytest

import panewise as pw
from panewise.aggregates import Properties
from panewise.errors import QueryError
from panewise.model import Measure
from panewise.query import Query, merge

FIVE = pw.tumbling("5 minutes")
TOTAL = pw.sum("x")


def plan(**changes: Any) -> pw.Plan:
    return pw.plan(**{"time": "ts", "windows": [FIVE], "aggregates": [TOTAL], **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"windows": []}, "a query needs at least one of windows: got none. Hint: add windows="),
        ({"aggregates": []}, "a query needs at least one of aggregates: got none. Hint: add aggre"),
        ({"windows": FIVE}, "windows takes a list: got Tumbling("),
        ({"aggregates": TOTAL}, "aggregates takes a list: got Sum("),
        ({"windows": "5 minutes"}, "windows takes a list: got '5 minutes'. Hint: write windows=["),
        ({"windows": ["5 minutes"]}, "windows takes windows: got '5 minutes'. Hint: write windows"),
        ({"windows": [TOTAL]}, "windows takes windows: got Sum("),
        ({"aggregates": ["x"]}, "aggregates takes aggregates: got 'x'. Hint: write aggregates=["),
        ({"aggregates": [FIVE]}, "aggregates takes aggregates: got Tumbling("),
        ({"by": "device"}, "by takes a list: got 'device'. Hint: write by=[\"device\"]."),
        ({"by": None}, "by takes a list: got None."),
        ({"by": [1]}, "by lists column names: got 1. Hint: write by="),
        ({"time": ""}, "time names one column, or two: got ''."),
        ({"time": ("a", "b", "c")}, "time names one column, or two: got ('a', 'b', 'c')."),
        ({"order_by": ["seq"]}, "order_by names one column: got ['seq']. Hint: write order_by="),
    ],
)
def test_wrong_shapes_are_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(QueryError) as refused:
        plan(**changes)
    assert str(refused.value).startswith(message)


@pytest.mark.parametrize(
    ("windows", "name"),
    [
        ([pw.tumbling("20m"), pw.tumbling("1200 seconds")], "tumbling(20m)"),
        ([FIVE.named("a"), pw.session("1m").named("a")], "a"),
        ([FIVE, pw.session("1m").named("tumbling(5m)")], "tumbling(5m)"),
    ],
)
def test_two_windows_of_one_name(windows: list, name: str) -> None:
    with pytest.raises(QueryError) as refused:
        plan(windows=windows)
    assert str(refused.value) == (
        f'two windows have one name: got "{name}" twice. Hint: rename one with .named("...").'
    )


@pytest.mark.parametrize(
    ("changes", "name", "how"),
    [
        ({"aggregates": [TOTAL, pw.sum("x")]}, "sum(x)", '.alias("...")'),
        ({"aggregates": [TOTAL.alias("a"), pw.max("x").alias("a")]}, "a", '.alias("...")'),
        ({"by": ["k"], "aggregates": [TOTAL.alias("k")]}, "k", '.alias("...")'),
        ({"aggregates": [TOTAL.alias("window")]}, "window", '.alias("...")'),
        ({"aggregates": [TOTAL.alias("window_id")]}, "window_id", '.alias("...")'),
        ({"by": ["window"]}, "window", 'withColumnRenamed("...")'),
        ({"by": ["k", "k"]}, "k", 'withColumnRenamed("...")'),
    ],
)
def test_two_result_columns_of_one_name(changes: dict[str, Any], name: str, how: str) -> None:
    with pytest.raises(QueryError) as refused:
        plan(**changes)
    assert str(refused.value) == (
        f'two result columns have one name: got "{name}" twice. Hint: rename one with {how}.'
    )


def test_one_column_may_be_key_input_and_time() -> None:
    query = Query("ts", ("ts",), (FIVE,), (pw.max("ts"), pw.count("window")), "ts")
    assert query.columns() == ("ts", "window")


def test_durations_and_integers_do_not_mix() -> None:
    with pytest.raises(QueryError) as refused:
        plan(windows=[FIVE, pw.session(10)])
    assert str(refused.value) == (
        "all windows of a query count the same thing: got tumbling(5m) and session(10). "
        "Hint: use durations everywhere, or plain integers everywhere."
    )


@pytest.mark.parametrize(
    ("window", "measure", "message"),
    [
        (FIVE, Measure.INTEGER, 'sizes must be plain integers, because the time column "ts" is IN'),
        (pw.tumbling(5), Measure.DATE, 'sizes must be durations, because the time column "ts" is '),
        (
            pw.sliding("3 days", "36 hours"),
            Measure.DATE,
            "sliding(3d, 1d12h): slide must be whole days, because the time column",
        ),
        (pw.tumbling("2d", origin="6h"), Measure.DATE, "tumbling(2d, origin=6h): origin must be w"),
        (pw.band("2024-01-01 06:00", "1d"), Measure.DATE, "band(2024-01-01T06:00:00, 1d): start m"),
    ],
)
def test_sizes_fit_the_time_column(window: pw.Window, measure: Measure, message: str) -> None:
    with pytest.raises(QueryError) as refused:
        plan(windows=[window]).query.check_measure(measure)
    assert str(refused.value).startswith(message)
    assert "Hint: " in str(refused.value)


def test_a_user_aggregate_may_depend_on_order() -> None:
    class Latest(pw.UserAggregate):
        kind_name = "latest"
        partial_types = ("double",)
        returns = "double"
        claims = Properties(commutative=False)

        def lift(self, values: np.ndarray) -> tuple[np.ndarray, ...]:
            return (values,)

    query = Query("ts", (), (FIVE,), (Latest("x"),))
    assert query.ordered and not query.commutative
    plain = Query("ts", (), (FIVE,), (TOTAL,))
    assert plain.commutative and not plain.ordered


ROW_WINDOWS = (
    pw.tumbling(pw.rows(3)),
    pw.sliding(pw.rows(4), pw.rows(2)),
    pw.every("5m", last=pw.rows(3)),
    pw.by_tuple(pw.rows(2), "1h"),
)


@pytest.mark.parametrize("window", [*ROW_WINDOWS, pw.punctuation("y > 0")], ids=str)
def test_windows_of_rows_need_rows_in_order(window: pw.Window) -> None:
    assert Query("ts", (), (FIVE, window), (TOTAL,)).ordered


@pytest.mark.parametrize("window", ROW_WINDOWS, ids=str)
def test_windows_of_rows_are_numbered(window: pw.Window) -> None:
    query = Query("ts", (), (FIVE, window), (TOTAL,))
    assert query.numbered and query.result_columns == ("window_id", "window", "window_no")
    with pytest.raises(QueryError, match='two result columns have one name: got "window_no" twice'):
        Query("ts", ("window_no",), (window,), (TOTAL,))


def test_other_windows_are_not_numbered() -> None:
    query = Query("ts", ("window_no",), (FIVE, pw.punctuation("y > 0")), (TOTAL,))
    assert not query.numbered and query.result_columns == ("window_id", "window")


def test_shared_results_keep_the_name_of_the_number() -> None:
    query = Query("ts", ("window_no",), (FIVE,), (TOTAL,))
    with pytest.raises(QueryError, match='"window_no" is taken in shared results'):
        merge({"a": query})


def test_columns_of_windows_are_columns_of_the_query() -> None:
    marks = pw.punctuation("status = 'new' OR x > 3")
    query = Query("ts", ("k",), (FIVE, marks), (TOTAL, pw.max("y")), "seq")
    assert query.columns() == ("ts", "k", "status", "x", "y", "seq")


@pytest.mark.parametrize("measure", Measure)
def test_row_counts_fit_any_measure(measure: Measure) -> None:
    windows = (pw.tumbling(pw.rows(3), origin=pw.rows(1)), pw.punctuation("y"))
    Query("ts", (), windows, (TOTAL,)).check_measure(measure)


@pytest.mark.parametrize("other", [FIVE, pw.session(10)], ids=str)
def test_row_counts_stand_beside_any_size(other: pw.Window) -> None:
    windows = (pw.tumbling(pw.rows(3)), other, pw.punctuation("y"))
    query = Query("ts", (), windows, (TOTAL,))
    assert query.counts_time == (other is FIVE)


@pytest.mark.parametrize(
    "mixed", [pw.every(5, last=pw.rows(3)), pw.by_tuple(pw.rows(3), 5)], ids=str
)
def test_sizes_beside_row_counts_are_checked(mixed: pw.Window) -> None:
    with pytest.raises(QueryError, match="all windows of a query count the same thing"):
        Query("ts", (), (FIVE, mixed), (TOTAL,))
    with pytest.raises(QueryError, match="sizes must be durations"):
        Query("ts", (), (mixed,), (TOTAL,)).check_measure(Measure.TIMESTAMP)


def test_dates_take_whole_days_beside_row_counts() -> None:
    query = Query("ts", (), (pw.by_tuple(pw.rows(3), "36 hours"),), (TOTAL,))
    with pytest.raises(QueryError, match="size must be whole days"):
        query.check_measure(Measure.DATE)


def test_a_refusal_is_a_value_error() -> None:
    assert issubclass(QueryError, ValueError) and issubclass(QueryError, pw.PanewiseError)
