"""Lazy, eager and automatic stores return the same rows, push by push."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from panewise import aggregates as agg
from panewise.operator import Operator
from panewise.query import Query
from panewise.testing import assert_same_rows, events
from panewise.windows import Window
from tests.conformance.streams import batches, cuts, plain, plan_of, table
from tests.conformance.test_operator import STORED

SCHEMA = {"t": "bigint", "k": "string", "x": "bigint", "y": "bigint", "seq": "bigint"}
AGGREGATES = (agg.count(), agg.sum("x"), agg.max("y"), agg.mean("x"), agg.last("x"))
quick = settings(suppress_health_check=list(HealthCheck), deadline=None)


@pytest.mark.parametrize("lateness", [0, 25])
@pytest.mark.parametrize("window", STORED, ids=lambda w: w.window_id)
def test_stores(window: Window, lateness: int) -> None:
    @quick
    @given(data=st.data(), rows=events(max_rows=24), delay=st.sampled_from([0, 5, 10**6]))
    def check(data: Any, rows: list[dict[str, Any]], delay: int) -> None:
        counted = data.draw(st.sampled_from([(), (agg.median("x"),)]))
        plan = plan_of(Query("t", ("k",), (window,), AGGREGATES + counted, "seq"))
        lazy, eager, auto = (
            Operator(plan, delay=delay, lateness=lateness, store=store)
            for store in ("lazy", "eager", "auto")
        )
        for batch in batches(rows, data.draw(cuts(len(rows)))):
            expected = plain([lazy.push(table(batch, SCHEMA))])
            for other in (eager, auto):
                got = plain([other.push(table(batch, SCHEMA))])
                assert_same_rows(got, expected, by=("k",), magnitude=1e3)
        expected = plain([lazy.flush()])
        for other in (eager, auto):
            assert_same_rows(plain([other.flush()]), expected, by=("k",), magnitude=1e3)

    check()
