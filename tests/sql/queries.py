"""Queries with every window and every aggregate, for Hypothesis."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

import panewise as pw
from panewise.aggregates import registered as aggregates
from panewise.aggregates.spanning import WeightedSum
from panewise.errors import QueryError
from panewise.query import Query, RingQuery, asked
from panewise.windows import registered as windows
from tests.sql.users import Every, RootMeanSquare

names = st.one_of(
    st.sampled_from(["x", "y", "temp", "a b", "select", "window_start", "end", "minute", "group"]),
    st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=8),
)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
numbers = st.one_of(
    st.integers(-(10**12), 10**12),
    st.floats(allow_nan=False, allow_infinity=False),
    st.decimals(-1000, 1000, places=3),
)
positive = st.integers(1, 10**9)
expressions = st.sampled_from(
    ["y > 0", "status = 'it\\'s'", "`a b` IS NULL OR y <> 1", "y * 2 + 1", "y", "`select`",
     "CASE WHEN x > 1 THEN y END", "abs(y) > 1.5", "NOT (x IN (1, 2))", "x LIKE 'a%'", "-y < 1e3"]
)  # fmt: skip


@st.composite
def units(draw: Any, number: int = 0) -> Any:
    """What turns numbers into sizes: durations, integers of a measure, or rows."""
    return draw(st.sampled_from([pw.rows, int, lambda n: f"{n} us"]))


@st.composite
def sized(draw: Any, make: Any) -> Any:
    """A window of time (`make` turns numbers into sizes), or of rows."""
    size, slide, origin = draw(positive), draw(positive), draw(positive)
    low, high = sorted([size, slide])
    kind = draw(st.integers(0, 4))
    if kind == 0:
        return pw.tumbling(make(size), origin=make(origin))
    if kind == 1:
        return pw.sliding(make(size), make(slide), origin=make(origin), allow_gaps=True)
    if kind == 2:
        return pw.sliding(make(high), make(low))
    if kind == 3:
        return pw.cumulating(make(low), make(low * draw(st.integers(1, 9))), origin=make(origin))
    fine = draw(st.integers(1, 9))
    levels = [(make(low * fine), make(low)), (make(low * fine * 2), make(low * 2))]
    return pw.granules(*levels, origin=make(origin))


@st.composite
def frames(draw: Any, make: Any) -> Any:
    conditions = {
        "min_rows": draw(st.integers(1, 3)),
        "max_rows": draw(st.none() | st.integers(3, 9)),
        "min_duration": draw(st.none() | st.just(make(3))),
        "max_duration": draw(st.none() | st.just(make(9))),
        "basis": draw(st.sampled_from(["observed", "interval"])),
    }
    over = draw(expressions)
    kind = draw(st.integers(0, 5))
    if kind == 0:
        return pw.threshold_frame(over, **conditions)
    if kind == 1:
        edges = sorted(set(draw(st.lists(numbers, min_size=1, max_size=4))))
        return pw.boundary_frame(over, edges=edges, **conditions)
    if kind == 2:
        width, origin = abs(draw(numbers.filter(bool))), draw(numbers)
        return pw.boundary_frame(over, width=width, origin=origin, **conditions)
    if kind == 3:
        delta = abs(draw(numbers.filter(bool)))
        mode = draw(st.sampled_from(["anchor", "range"]))
        return pw.delta_frame(over, delta, mode=mode, **conditions)
    known = [a for kind in aggregates().values() for a in kind.examples() if a.running()]
    aggregate = draw(st.sampled_from(known))
    crossing = draw(st.sampled_from(["include", "exclude"]))
    return pw.aggregate_frame(aggregate, draw(numbers), crossing=crossing, **conditions)


@st.composite
def timed(draw: Any, make: Any) -> Any:
    """Windows that time, or rows and time, decide."""
    size, origin, count = draw(positive), draw(positive), pw.rows(draw(positive))
    kind = draw(st.integers(0, 6))
    if kind == 0:
        return pw.session(make(size))
    if kind == 1:
        start = origin if make is int else draw(st.datetimes())
        return pw.band(start, make(size))
    if kind == 2:
        return pw.every(make(size), last=count, origin=make(origin))
    if kind == 3:
        return pw.by_tuple(count, make(size), anchor=draw(st.sampled_from(["start", "end"])))
    if kind == 4:
        return pw.punctuation(draw(expressions))
    if kind == 5:
        return Every(n=draw(positive), column=draw(names))
    return draw(sized(pw.rows))


@st.composite
def any_aggregate(draw: Any, spanning: bool) -> pw.Aggregate:
    if spanning:
        made = draw(
            st.sampled_from([pw.concurrent(), WeightedSum("x"), pw.sum("x"), pw.median("y")])
        )
    else:
        column, other = draw(names), draw(names)
        known = [a for kind in aggregates().values() for a in kind.examples()]
        made = draw(
            st.one_of(
                st.sampled_from([*known, RootMeanSquare(column)]),
                st.builds(pw.concat, st.just(column), texts),
                st.builds(pw.quantile, st.just(column), st.floats(0, 1)),
                st.builds(
                    pw.quantiles, st.just(column), st.lists(st.floats(0, 1), min_size=1, max_size=3)
                ),
                st.builds(pw.top_k, st.just(column), st.integers(1, 99)),
                st.builds(pw.argmin, st.just(column), st.just(other)),
                st.builds(pw.last, st.just(column), ignore_nulls=st.booleans()),
                st.builds(pw.approx_quantile, st.just(column), st.floats(0, 1)),
            )
        )
    return made.alias(draw(names)) if draw(st.booleans()) else made


@st.composite
def queries(draw: Any) -> Query:
    """A query of the library; what it refuses is drawn again."""
    make = draw(st.sampled_from([int, lambda n: f"{n} us"]))
    spanning = draw(st.booleans())
    of_time = sized(make) if spanning else st.one_of(sized(make), timed(make), frames(make))
    chosen = draw(st.lists(of_time, min_size=1, max_size=4))
    named = [w.named(draw(texts.filter(bool))) if draw(st.booleans()) else w for w in chosen]
    found = draw(st.lists(any_aggregate(spanning), min_size=1, max_size=4))
    parts = {
        "time": draw(names),
        "by": tuple(draw(st.lists(names, max_size=2))),
        "windows": tuple(named),
        "aggregates": tuple(found),
        "order_by": draw(st.none() | names),
        "until": draw(names) if spanning else None,
        "revise": draw(st.none() | names) if spanning else None,
        "on_bad_rows": draw(st.sampled_from(["drop", "fail"])) if spanning else "drop",
    }
    try:
        return Query(**parts)
    except QueryError:
        return draw(queries())


@st.composite
def ring_queries(draw: Any) -> RingQuery:
    """Aging sums and counts, or recurring items."""
    scheme = pw.granules(("1m", "1s"), ("10m", "1m"))
    found: list[Any]
    if draw(st.booleans()):
        weights = draw(st.lists(st.floats(-9, 9), min_size=2, max_size=2))
        scheme = pw.granules(("1m", "1s"), ("10m", "1m"), weights=weights)
        found = [pw.sum("x"), pw.count().alias("n")]
    else:
        most, counts = draw(st.integers(1, 20_000)), draw(st.booleans())
        found = [pw.recurring("x", most=most, counts=counts)]
    return asked({"time": "ts", "by": ("a b",), "windows": (scheme,), "aggregates": tuple(found)})  # type: ignore[return-value]


__all__ = ["queries", "ring_queries", "windows"]
