"""Aggregates of the oracle, worked out by hand."""

import math
from datetime import date
from typing import Any

import pytest

from panewise import aggregates as agg
from panewise.testing.compare import same
from panewise.testing.oracle import value_of
from panewise.testing.oracle.table import Event

NAN, INF = math.nan, math.inf


def over(aggregate: agg.Aggregate, xs: list[Any], ys: list[Any] | None = None) -> Any:
    rows = zip(xs, ys or [None] * len(xs), strict=True)
    events = [Event(i, (i,), {"x": x, "y": y}) for i, (x, y) in enumerate(rows)]
    return value_of(aggregate, events, {})


@pytest.mark.parametrize(
    ("aggregate", "xs", "expected"),
    [
        (agg.count(), [1, None], 2),
        (agg.count("x"), [1, None], 1),
        (agg.sum("x"), [1, 2, None], 3),
        (agg.sum("x"), [INF, -INF], NAN),
        (agg.mean("x"), [1, 2, 6], 3.0),
        (agg.mean("x"), [None], None),
        (agg.product("x"), [2, 3, None], 6.0),
        (agg.geometric_mean("x"), [1, 8, 27], 6.0),
        (agg.geometric_mean("x"), [0, 5], 0.0),
        (agg.geometric_mean("x"), [-1, 5], NAN),
        (agg.variance("x"), [1, 2, 6], 7.0),
        (agg.variance("x"), [5], None),
        (agg.variance("x", ddof=0), [5], 0.0),
        (agg.stddev("x", ddof=0), [1, 3], 1.0),
        (agg.min("x"), [NAN, 2.0, None], 2.0),
        (agg.max("x"), [NAN, 2.0], NAN),
        (agg.min("x"), [date(2024, 1, 2), date(2024, 1, 1)], date(2024, 1, 1)),
        (agg.range("x"), [3, 10, 4], 7),
        (agg.min_count("x"), [0.0, -0.0, 1.0], 2),
        (agg.max_count("x"), [NAN, 1.0, NAN], 2),
        (agg.max_count("x"), [None], 0),
        (agg.first("x"), [None, 1], None),
        (agg.first("x", ignore_nulls=True), [None, 1], 1),
        (agg.last("x"), [1, 2], 2),
        (agg.m4("x"), [2, 9, None, 1, 5], {"min": 1, "max": 9, "first": 2, "last": 5}),
        (agg.collect("x"), [3, None, 1], [3, 1]),
        (agg.concat("x", "-"), [True, None, False], "true-false"),
        (agg.concat("x"), [None], None),
        (agg.median("x"), [5, 1, 2, None], 2.0),
        (agg.quantile("x", 0.9), [1, 2, 3, 4], 3.7),
        (agg.quantiles("x", [0, 0.5, 1]), [1, 2, 4], [1.0, 2.0, 4.0]),
        (agg.quantiles("x", [0.5]), [None], None),
        (agg.approx_quantile("x", 0.5), [1, 2, 3, 4], 2.0),
        (agg.count_distinct("x"), [0.0, -0.0, NAN, NAN, None], 2),
        (agg.mode("x"), [3, 1, 3, 1, 2], 1),
        (agg.mode("x"), [None], None),
        (agg.top_k("x", 1), ["c", "b", "b", "a"], [{"item": "b", "count": 2}]),
        (agg.top_k("x", 1), ["c", "b", "a"], [{"item": "a", "count": 1}]),
        (agg.top_k("x", 2), [None], []),
    ],
)
def test_values(aggregate: agg.Aggregate, xs: list[Any], expected: Any) -> None:
    assert same(over(aggregate, xs), expected)


def test_arg_extremes_take_the_earliest_of_ties() -> None:
    assert over(agg.argmin("x", "y"), ["a", "b", "c"], [3, 1, 1]) == "b"
    assert over(agg.argmax("x", "y"), ["a", "b", "c"], [3.0, NAN, NAN]) == "b"
    assert over(agg.argmax("x", "y"), ["a"], [None]) is None
