"""Frames: what they are called, and what they refuse, before any data is there."""

import math
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import panewise as pw
from panewise.aggregates import Aggregate, registered
from panewise.errors import QueryError
from panewise.expressions import Expression
from panewise.kernels.frames.forms import FORMS
from panewise.query import Query
from panewise.windows import Context, Frame, Scan
from tests.spark.user_defined import spread

threshold, boundary = pw.threshold_frame, pw.boundary_frame
delta, aggregate = pw.delta_frame, pw.aggregate_frame


@pytest.mark.parametrize(
    ("window", "window_id"),
    [
        (threshold("speed>120"), "threshold_frame(speed > 120)"),
        (threshold("a and  b", min_rows=3), "threshold_frame(a AND b, min_rows=3)"),
        (threshold("a", min_rows=1), "threshold_frame(a)"),
        (
            threshold("a", min_duration="90 s", max_duration=timedelta(hours=1), max_rows=9),
            "threshold_frame(a, min_duration=1m30s, max_duration=1h, max_rows=9)",
        ),
        (
            threshold("a", min_duration=4, basis="interval"),
            "threshold_frame(a, min_duration=4, basis=interval)",
        ),
        (boundary("temp", [3, 6]), "boundary_frame(temp, edges=[3, 6])"),
        (boundary("temp", edges=(-1.5,)), "boundary_frame(temp, edges=[-1.5])"),
        (boundary("temp", width=10), "boundary_frame(temp, width=10)"),
        (boundary("temp", width=10, origin=5), "boundary_frame(temp, width=10, origin=5)"),
        (boundary("temp", width=Decimal("0.5")), "boundary_frame(temp, width=0.5)"),
        (delta("price", 4), "delta_frame(price, 4)"),
        (delta("price", 0.5, mode="range"), "delta_frame(price, 0.5, mode=range)"),
        (aggregate(pw.sum("amount"), 1000), "aggregate_frame(sum(amount), 1000)"),
        (
            aggregate(pw.sum("a").alias("total"), -1, crossing="exclude"),
            "aggregate_frame(sum(a), -1, crossing=exclude)",
        ),
        (aggregate(pw.count(), 3), "aggregate_frame(count(), 3)"),
        (aggregate(pw.count().alias("n"), 3), "aggregate_frame(count(), 3)"),
        (aggregate(pw.sum("x+1"), 3), "aggregate_frame(sum(x + 1), 3)"),
    ],
)
def test_canonical_spellings(window: Frame, window_id: str) -> None:
    assert window.window_id == window_id


REFUSALS: list[tuple[Any, tuple[Any, ...], dict[str, Any], str]] = [
    (
        threshold,
        (5,),
        {},
        "predicate is SQL text over columns, or a Column of Spark's: got 5. Hint: wri",
    ),
    (
        threshold,
        (None,),
        {},
        "threshold_frame: predicate is SQL text over columns, or a Column of Spark's: got None.",
    ),
    (threshold, ("foo(y) > 1",), {}, "no function foo is known here:"),
    (threshold, ("y >",), {}, "y >"),
    (threshold, ("a",), {"min_rows": 0}, "min_rows is a number of rows, at least 1: got 0. Hint:"),
    (threshold, ("a",), {"min_rows": -2}, "min_rows is a number of rows, at least 1: got -2."),
    (threshold, ("a",), {"min_rows": 1.5}, "min_rows is a number of rows, at least 1: got 1.5."),
    (threshold, ("a",), {"min_rows": True}, "min_rows is a number of rows, at least 1: got True."),
    (threshold, ("a",), {"max_rows": 0}, "max_rows is a number of rows, at least 1: got 0."),
    (
        threshold,
        ("a",),
        {"min_rows": 5, "max_rows": 4},
        "threshold_frame: no frame can have min_rows=5 and max_rows=4. Hint: give a maximum that",
    ),
    (
        threshold,
        ("a",),
        {"min_duration": "2m", "max_duration": "90s"},
        "threshold_frame: no frame can have min_duration=2m and max_duration=1m30s. Hint: give",
    ),
    (threshold, ("a",), {"min_duration": 0}, "min_duration must be positive: got min_duration=0."),
    (threshold, ("a",), {"max_duration": "-5m"}, "max_duration must be positive: got max_durati"),
    (threshold, ("a",), {"max_duration": 1.5}, "a duration is text or a timedelta: got 1.5"),
    (threshold, ("a",), {"max_duration": pw.rows(3)}, "sizes count time or an integer measure:"),
    (threshold, ("a",), {"basis": "both"}, 'basis is "observed" or "interval": got \'both\'. Hint'),
    (
        boundary,
        (5, [3]),
        {},
        "boundary_frame: value is SQL text over columns, or a Column of Spark's: got 5.",
    ),
    (boundary, ("a",), {}, "boundary_frame takes edges or a width: got edges=None, width=None. H"),
    (boundary, ("a", [3]), {"width": 5}, "boundary_frame takes edges or a width: got edges=[3], w"),
    (boundary, ("a", []), {}, "boundary_frame: edges lists at least one number: got []. Hint: wri"),
    (boundary, ("a", "3"), {}, "boundary_frame: edges lists at least one number: got '3'."),
    (boundary, ("a", 3), {}, "boundary_frame: edges lists at least one number: got 3."),
    (boundary, ("a", ["3"]), {}, "an edge is a number: got '3'. Hint: write edges=[3, 6]."),
    (boundary, ("a", [True]), {}, "boundary_frame: an edge is a number: got True."),
    (boundary, ("a", np.array(3)), {}, "edges lists at least one number: got array(3)."),
    (boundary, ("a", np.array([[3]])), {}, "an edge is a number: got array([3])."),
    (boundary, ("a", {6, 3}), {}, "edges are listed in order: got {3, 6}, which has none. Hint:"),
    (boundary, ("a", {3: 6}.keys()), {}, "edges are listed in order: got dict_keys([3]), which h"),
    (boundary, ("a", {3: 6}), {}, "boundary_frame: edges are listed in order: got {3: 6}, which"),
    (delta, ("a", np.timedelta64(5, "s")), {}, "delta_frame: delta is a number: got np.timedelta"),
    (delta, ("a", Fraction(1, 3)), {}, "delta_frame: delta is a number: got Fraction(1, 3)."),
    (delta, ("a", np.bool_(True)), {}, "delta_frame: delta is a number: got np.True_."),
    (threshold, ("a",), {"min_rows": np.float64(2)}, "min_rows is a number of rows, at least 1: g"),
    (boundary, ("a", [math.nan]), {}, "boundary_frame: an edge is finite: got nan."),
    (boundary, ("a", [6, 3]), {}, "edges ascend: got 6 before 3. Hint: write edges=[3, 6]."),
    (boundary, ("a", [1, 3, 3]), {}, "edges ascend: got 3 before 3. Hint: write edges=[1, 3]."),
    (boundary, ("a",), {"width": 0}, "boundary_frame: width must be positive: got width=0. Hint:"),
    (boundary, ("a",), {"width": -2.5}, "boundary_frame: width must be positive: got width=-2.5."),
    (boundary, ("a",), {"width": "5"}, "boundary_frame: width is a number: got '5'."),
    (boundary, ("a",), {"width": 5, "origin": None}, "boundary_frame: origin is a number: got No"),
    (boundary, ("a",), {"width": 5, "origin": math.inf}, "boundary_frame: origin is finite: got i"),
    (
        delta,
        (None, 4),
        {},
        "delta_frame: value is SQL text over columns, or a Column of Spark's: got None.",
    ),
    (delta, ("a", 0), {}, "delta_frame: delta must be positive: got 0. Hint: write delta=4."),
    (delta, ("a", -0.5), {}, "delta_frame: delta must be positive: got -0.5."),
    (delta, ("a", "4"), {}, "delta_frame: delta is a number: got '4'."),
    (delta, ("a", True), {}, "delta_frame: delta is a number: got True."),
    (delta, ("a", math.nan), {}, "delta_frame: delta is finite: got nan."),
    (delta, ("a", Decimal("inf")), {}, "delta_frame: delta is finite: got Decimal('Infinity')."),
    (delta, ("a", Decimal("sNaN")), {}, "delta_frame: delta is finite: got Decimal('sNaN')."),
    (delta, ("a", 10**400), {}, "delta_frame: delta is a number that a DOUBLE can hold: got 1000"),
    (delta, ("a", 10**5000), {}, "a DOUBLE can hold: got int of very many digits. Hint: write de"),
    (delta, ("a", Decimal("1e-400")), {}, "a DOUBLE can hold: got Decimal('1E-400'). Hint: write"),
    (boundary, ("a", [3, 10**400]), {}, "boundary_frame: an edge is a number that a DOUBLE can h"),
    (boundary, ("a", [Decimal("NaN")]), {}, "boundary_frame: an edge is finite: got Decimal('Na"),
    (boundary, ("a",), {"width": 10**400}, "boundary_frame: width is a number that a DOUBLE can"),
    (boundary, ("a", [2e308, 3]), {}, "boundary_frame: an edge is finite: got inf."),
    (threshold, ("a",), {"min_rows": 2**62}, "min_rows is a number of rows, below 2**62: got 46"),
    (threshold, ("a",), {"max_rows": 10**400}, "max_rows is a number of rows, below 2**62: got "),
    (threshold, ("a",), {"basis": ["interval"]}, 'basis is "observed" or "interval": got [\'in'),
    (delta, ("a", 4), {"mode": ["range"]}, 'mode is "anchor" or "range": got [\'range\']. Hint'),
    (delta, ("a", 4), {"mode": {}}, 'delta_frame: mode is "anchor" or "range": got {}. Hint:'),
    (aggregate, (pw.sum("a"), 10**400), {}, "limit is a number that a DOUBLE can hold: got 1000"),
    (
        delta,
        ("a", 4),
        {"mode": "max"},
        'delta_frame: mode is "anchor" or "range": got \'max\'. Hint',
    ),
    (aggregate, ("sum(a)", 4), {}, "aggregate_frame takes an aggregate: got 'sum(a)'. Hint: write"),
    (
        aggregate,
        (pw.sum(5), 4),
        {},
        "aggregate_frame: the column of sum is SQL text over columns, or",
    ),  # type: ignore[arg-type]
    (aggregate, (pw.sum("a +"), 4), {}, "cannot read this as SQL"),
    (aggregate, (pw.median("a"), 4), {}, "median(a) has no running form. Hint: use one of count,"),
    (aggregate, (pw.collect("a"), 4), {}, "collect(a) has no running form."),
    (aggregate, (pw.quantile("a", 0.9), 4), {}, "quantile(a, 0.9) has no running form."),
    (aggregate, (pw.count_distinct("a"), 4), {}, "count_distinct(a) has no running form."),
    (aggregate, (pw.argmax("a", "b"), 4), {}, "argmax(a, b) has no running form."),
    (aggregate, (spread()("a"), 4), {}, "has no running form."),
    (aggregate, (pw.sum("a"), math.nan), {}, "aggregate_frame: limit is finite: got nan. Hint: wr"),
    (aggregate, (pw.sum("a"), -math.inf), {}, "aggregate_frame: limit is finite: got -inf."),
    (aggregate, (pw.sum("a"), "9"), {}, "aggregate_frame: limit is a number: got '9'."),
    (
        aggregate,
        (pw.sum("a"), 9),
        {"crossing": "both"},
        'aggregate_frame: crossing is "include" or "exclude": got \'both\'. Hint:',
    ),
]


@pytest.mark.parametrize(("make", "args", "options", "message"), REFUSALS)
def test_refusals(make: Any, args: Any, options: Any, message: str) -> None:
    with pytest.raises(QueryError) as refused:
        make(*args, **options)
    assert message in str(refused.value)
    assert refused.value.hint, "an error has a hint"


@pytest.mark.parametrize(
    ("given", "window"),
    [
        (boundary("a", np.arange(0, 30, 10)), boundary("a", [0, 10, 20])),
        (boundary("a", np.array([0.5, 1.5], np.float32)), boundary("a", [0.5, 1.5])),
        (boundary("a", width=np.uint8(5), origin=np.int16(-2)), boundary("a", width=5, origin=-2)),
        (delta("a", np.int64(4)), delta("a", 4)),
        (delta("a", np.float64(0.5)), delta("a", 0.5)),
        (aggregate(pw.sum("a"), np.int32(9)), aggregate(pw.sum("a"), 9)),
        (
            threshold("a", min_rows=np.int64(2), max_rows=np.int8(3), min_duration=np.int64(4)),
            threshold("a", min_rows=2, max_rows=3, min_duration=4),
        ),
    ],
    ids=str,
)
def test_numbers_of_numpy(given: Frame, window: Frame) -> None:
    """They are the same window, whose name is written in the same way."""
    assert given == window and given.window_id == window.window_id and repr(given) == repr(window)


@pytest.mark.parametrize("window", [threshold("a"), aggregate(pw.count(), 3)], ids=str)
def test_events_with_a_duration_have_no_frames(window: Frame) -> None:
    with pytest.raises(QueryError) as refused:
        pw.plan(time=("t", "u"), windows=[window], aggregates=[pw.count()])
    assert window.kind in str(refused.value) and refused.value.hint


def test_an_expression_may_be_given_parsed() -> None:
    assert delta(Expression.parse("a  + 1"), 4) == delta("a+1", 4)


def test_two_frames_of_one_spelling_need_names() -> None:
    twice = (delta("a", 4), delta("a", 4, mode="anchor"))
    with pytest.raises(QueryError, match="two windows"):
        Query("t", (), twice, (pw.count(),))
    Query("t", (), (twice[0], twice[1].named("again")), (pw.count(),))


def test_columns_are_those_of_the_expression() -> None:
    assert threshold("a > 0 and `b c` < a").columns() == ("a", "b c")
    assert aggregate(pw.sum("a + b"), 3).columns() == ("a", "b")
    assert aggregate(pw.count(), 3).columns() == ()


def test_what_a_frame_asks_of_engines() -> None:
    window = delta("a", 4, max_duration="1h", min_duration="5m")
    assert window.demand() == Scan(window) and window.context is Context.FORWARD_FREE
    assert not window.numbered and list(window.sizes()) == ["min_duration", "max_duration"]


def examples() -> list[Aggregate]:
    return [example for kind in registered().values() for example in kind.examples()]


def test_every_running_form_has_a_loop() -> None:
    """And every loop but those of the other schemes belongs to an aggregate."""
    forms = {form for example in examples() if (form := example.running()) is not None}
    forms |= {pw.variance("y", ddof=0).running(), pw.stddev("y", ddof=0).running()}
    assert forms == set(FORMS) - {"all", "anchor", "range"}
