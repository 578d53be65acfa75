"""A plan over data at hand returns what the oracle returns, however the data is cut into chunks."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from panewise import aggregates as agg
from panewise.operator import sources
from panewise.query import Query
from panewise.testing import assert_same_rows, events, oracle
from panewise.testing.applicable import examples_for
from panewise.testing.generators import VALUE_TYPES, window_examples
from panewise.windows import Window
from tests.conformance.streams import plain, plan_of, table

FEW = (agg.count(), agg.sum("x"), agg.mean("x"), agg.max("x"), agg.last("x"), agg.argmin("x", "y"))
quick = settings(suppress_health_check=list(HealthCheck), deadline=None)


def schema(sql_type: str = "bigint") -> dict[str, str]:
    return {"t": "bigint", "k": "string", "x": sql_type, "y": "bigint", "seq": "bigint"}


@pytest.mark.parametrize("window", window_examples(), ids=lambda w: w.window_id)
def test_each_window(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    query = Query("t", ("k",), (window,), FEW)

    @quick
    @given(rows=events(max_rows=24), chunk=st.integers(1, 30))
    def check(rows: list[dict[str, Any]], chunk: int) -> None:
        monkeypatch.setattr(sources, "ROWS", chunk)
        got = plain([plan_of(query).run(table(rows, schema()))])
        assert_same_rows(got, oracle(query, rows), by=("k",), magnitude=1e3)

    check()


@pytest.mark.parametrize("sql_type", VALUE_TYPES)
def test_value_types(sql_type: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every aggregate at once, over a set of windows that holds each type."""
    chosen = {type(w): w for w in reversed(window_examples())}
    query = Query("t", ("k",), tuple(chosen.values()), tuple(examples_for(sql_type)), "seq")

    @quick
    @given(rows=events(sql_type, max_rows=24), chunk=st.integers(1, 30))
    def check(rows: list[dict[str, Any]], chunk: int) -> None:
        monkeypatch.setattr(sources, "ROWS", chunk)
        got = plain([plan_of(query).run(table(rows, schema(sql_type)))])
        expected = oracle(query, rows, {"x": sql_type, "y": "bigint"})
        assert_same_rows(got, expected, by=("k",), magnitude=1e3)

    check()
