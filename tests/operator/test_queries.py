"""Queries that are added while the stream runs answer exactly, from the moment that is returned."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import panewise as pw
from panewise import aggregates as agg
from panewise.operator import Operator
from panewise.query import Query
from panewise.testing import events
from panewise.testing.generators import window_examples
from panewise.windows import Window
from tests.conformance.streams import batches, cuts, plan_of
from tests.operator.feed import Followed

MAIN = (agg.count(), agg.sum("x"), agg.last("x"), agg.min("y"))
ADDED = (agg.sum("x"), agg.max("y"), agg.median("x"))
quick = settings(suppress_health_check=list(HealthCheck), deadline=None)


def each_type() -> list[Window]:
    """One window of each type, and one of row counts."""
    chosen = {type(window): window for window in reversed(window_examples())}
    return [*chosen.values(), pw.sliding(pw.rows(4), pw.rows(2))]


@st.composite
def runs(draw: Any) -> Any:
    rows = draw(events(max_rows=24, min_rows=4))
    at = draw(cuts(len(rows)))
    return rows, at, draw(st.integers(0, len(at))), draw(st.integers(0, len(at)))


@pytest.mark.parametrize("lateness", [0, 25])
@pytest.mark.parametrize("delay", [0, 5, 10**18])
@pytest.mark.parametrize("window", each_type(), ids=lambda w: w.window_id)
def test_added_and_removed(window: Window, delay: int, lateness: int) -> None:
    query = Query("t", ("k",), (window,), ADDED, "seq")

    @quick
    @given(run=runs(), first=st.sampled_from(each_type()))
    def check(run: Any, first: Window) -> None:
        rows, at, add_at, more = run
        main = Query("t", ("k",), (first,), MAIN, "seq")
        op = Operator(plan_of(main), delay=delay, lateness=lateness)
        followed = Followed(op, main, delay, lateness)
        for number, batch in enumerate(batches(rows, at)):
            if number == add_at:
                followed.add(query, "added")
            if number == add_at + 1 + more:
                followed.remove("added")
            followed.push(batch)
        followed.flush()

    check()
