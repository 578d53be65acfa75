"""What a query refuses, in the words the user reads."""

from typing import Any

import numpy as np
import pytest

import panewise as pw
from panewise.aggregates import Properties
from panewise.errors import QueryError
from panewise.model import Measure
from panewise.query import Query

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
        ({"time": ""}, "time names one column: got ''. Hint: write time=\"ts\"."),
        ({"time": ("a", "b")}, "time names one column: got ('a', 'b')."),
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


def test_a_user_aggregate_must_not_depend_on_order() -> None:
    class Latest(pw.UserAggregate):
        kind_name = "latest"
        partial_types = ("double",)
        returns = "double"
        claims = Properties(commutative=False)

        def lift(self, values: np.ndarray) -> tuple[np.ndarray, ...]:
            return (values,)

    with pytest.raises(QueryError) as refused:
        plan(aggregates=[Latest("x")])
    assert str(refused.value) == (
        "a user-defined aggregate must not depend on the order of rows: got latest(x). "
        "Hint: collect() the values and reduce them afterwards."
    )


def test_a_refusal_is_a_value_error() -> None:
    assert issubclass(QueryError, ValueError) and issubclass(QueryError, pw.PanewiseError)
