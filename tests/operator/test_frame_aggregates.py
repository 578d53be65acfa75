"""Aggregate frames of every aggregate that has a running form, against the oracle.

Values and limits are such that no running value comes near its limit by rounding: halves, and
limits that no sum, mean, product or variance of a few halves is equal to.  Some are negative, or no
numbers, or decimals.
"""

import math
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import panewise as pw
from panewise.aggregates import Aggregate
from panewise.operator import Operator
from panewise.query import Query
from panewise.testing import assert_same_rows, oracle
from tests.conformance.streams import Reader, plain, plan_of, table

LIMITS = (0.7071, 1.7321, 3.1416, -0.7071, Decimal("1.7321"))
RUNNING: list[Aggregate] = [
    pw.count(),
    pw.count("x"),
    pw.sum("x"),
    pw.mean("x"),
    pw.geometric_mean("x"),
    pw.product("x"),
    pw.variance("x"),
    pw.variance("x", ddof=0),
    pw.stddev("x"),
    pw.stddev("x", ddof=0),
    pw.min("x"),
    pw.max("x"),
    pw.range("x"),
    pw.min_count("x"),
    pw.max_count("x"),
    pw.first("x"),
    pw.last("x"),
]
halves = st.integers(1, 6).map(lambda n: n / 2)
signed = st.integers(-6, 6).map(lambda n: n / 2)
odd = st.sampled_from([math.nan, math.inf, -math.inf, 0.0, -0.0])
VALUES = {
    "halves": ("double", halves),
    "negatives": ("double", signed),
    "no numbers": ("double", st.one_of(signed, halves, odd)),
    "integers": ("bigint", st.integers(-3, 3)),
    "decimals": ("decimal(10,2)", signed.map(Decimal)),
    "wide decimals": ("decimal(38,18)", st.one_of(signed, halves).map(Decimal)),
}


def test_every_one_is_here() -> None:
    """Another aggregate with a running form is to be added above."""
    from panewise.aggregates import registered

    forms = {each.running() for each in RUNNING}
    known = {e.running() for kind in registered().values() for e in kind.examples()}
    assert known - {None} <= forms


@pytest.mark.parametrize("crossing", ["include", "exclude"])
@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("aggregate", RUNNING, ids=lambda each: each.canonical)
def test_against_the_oracle(aggregate: Aggregate, kind: str, crossing: str) -> None:
    sql_type, present = VALUES[kind]
    schema = {"t": "bigint", "k": "string", "x": sql_type, "seq": "bigint"}
    values = st.one_of(st.none(), present, present, present)
    events = st.lists(st.tuples(st.integers(0, 30), values), min_size=1, max_size=25)

    @settings(max_examples=25, deadline=None)
    @given(events=events, limit=st.sampled_from(LIMITS), updating=st.booleans())
    def check(events: list[Any], limit: Any, updating: bool) -> None:
        frame = pw.aggregate_frame(aggregate, limit, crossing=crossing)
        query = Query("t", ("k",), (frame,), (pw.count(), pw.sum("x"), pw.last("x")), "seq")
        rows = [{"t": t, "k": "a", "x": x, "seq": n} for n, (t, x) in enumerate(events)]
        report = "update" if updating else "close"
        op = Operator(plan_of(query), lateness=100, report=report)
        reader = Reader(("k",))
        for low in range(0, len(rows), 4):
            reader.apply(plain([op.push(table(rows[low : low + 4], schema))]))
        reader.apply(plain([op.flush()]))
        expected = oracle(query, rows, {"x": sql_type})
        assert_same_rows(reader.all(), expected, by=("k",), magnitude=1e3)

    check()
