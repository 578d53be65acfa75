"""Every registered aggregate has the properties it claims, and equals its definition."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from panewise.aggregates import Aggregate, registered
from panewise.model.sql_types import arrow_type
from panewise.testing import check_aggregate, values
from panewise.testing.applicable import takes
from panewise.testing.generators import VALUE_TYPES

Rows = tuple[str, list[tuple[Any, Any]]]
NAN, INF = float("nan"), float("inf")
EDGES: dict[str, list[Any]] = {
    "int": [2**31 - 1, 0, None, -(2**31) + 1, 0],
    "bigint": [2**62, 1, None, -(2**61), 1],
    "float": [0.0, -0.0, NAN, INF, None],
    "double": [-0.0, 0.0, NAN, NAN, -INF],
    "decimal(10,2)": [Decimal("99999999.99"), Decimal("0.00"), None, Decimal("-0.01"), None],
    "decimal(38,10)": [Decimal("1e18"), Decimal("1e-10"), None, Decimal("-1e18"), Decimal(0)],
    "boolean": [False, True, None, True, False],
    "string": ["", "a", None, "\U0001f600", "\uffff"],
    "date": [date(1969, 12, 31), date(1, 1, 1), None, date(9999, 12, 31), date(1969, 12, 31)],
    "timestamp": [datetime(1969, 12, 31, 23, 59, 59, 999999, UTC), None, None, None, None],
    "timestamp_ntz": [datetime(1583, 1, 1), None, None, datetime(2500, 1, 1), None],
}
CASES = [
    pytest.param(example, id=example.canonical)
    for kind in registered().values()
    for example in kind.examples()
]


def rows_of(aggregate: Aggregate) -> st.SearchStrategy[Rows]:
    def typed(sql_type: str) -> st.SearchStrategy[Rows]:
        pairs = st.lists(st.tuples(values(sql_type), values("bigint")), max_size=6)
        return st.tuples(st.just(sql_type), pairs)

    return st.sampled_from([t for t in VALUE_TYPES if takes(aggregate, t)]).flatmap(typed)


@settings(max_examples=min(settings().max_examples, 150))
@pytest.mark.parametrize("aggregate", CASES)
@given(data=st.data())
def test_laws(aggregate: Aggregate, data: st.DataObject) -> None:
    sql_type, rows = data.draw(rows_of(aggregate))
    columns = {
        "x": pa.array([x for x, _ in rows], arrow_type(sql_type)),
        "y": pa.array([y for _, y in rows], pa.int64()),
    }
    check_aggregate(aggregate, **columns)


@pytest.mark.parametrize("sql_type", VALUE_TYPES)
@pytest.mark.parametrize("aggregate", CASES)
def test_edges_of_each_type(aggregate: Aggregate, sql_type: str) -> None:
    if takes(aggregate, sql_type):
        x = pa.array(EDGES[sql_type], arrow_type(sql_type))
        check_aggregate(aggregate, x=x, y=[1, 2, 2, None, 0])


@pytest.mark.parametrize("kind", registered())
def test_the_default_sample_is_accepted(kind: str) -> None:
    for example in registered()[kind].examples():
        check_aggregate(example)
