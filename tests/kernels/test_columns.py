"""Columns: numbers for loops, Arrow for everything else, and back as they came."""

from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.kernels.columns import Numbers, Objects, column_of, joined, nulls, taken

KINDS: list[tuple[pa.DataType, list[Any]]] = [
    (pa.int8(), [-128, 127, None]),
    (pa.int32(), [-(2**31), None, 5]),
    (pa.int64(), [2**63 - 1, -(2**63), None]),
    (pa.float32(), [0.5, None, -1.25]),
    (pa.float64(), [float("inf"), 1e300, None]),
    (pa.bool_(), [True, None, False]),
    (pa.date32(), [date(1969, 12, 31), None, date(2024, 2, 29)]),
    (pa.timestamp("us"), [datetime(1969, 1, 1), None, datetime(2024, 1, 1, 1, 2, 3, 4)]),
    (pa.timestamp("ms", "UTC"), [None, None, None]),
    (pa.duration("us"), [timedelta(days=-3), None, timedelta(microseconds=1)]),
]
OTHERS: list[tuple[pa.DataType, list[Any]]] = [
    (pa.string(), ["b", None, ""]),
    (pa.decimal128(38, 2), [Decimal("1.10"), None, Decimal("-9.99")]),
    (pa.list_(pa.int64()), [[1, 2], None, []]),
]
integers = st.one_of(st.integers(-9, 9), st.none())


@pytest.mark.parametrize(("kind", "values"), KINDS, ids=str)
def test_numbers_come_back_in_their_type(kind: pa.DataType, values: list) -> None:
    array = pa.array(values, kind)
    column = column_of(array, "max")
    assert isinstance(column, Numbers)
    assert column.arrow().equals(array)


@pytest.mark.parametrize(("kind", "values"), OTHERS, ids=str)
def test_what_loops_cannot_hold_stays_arrow(kind: pa.DataType, values: list) -> None:
    column = column_of(pa.array(values, kind), "max")
    assert isinstance(column, Objects)
    assert column.arrow().to_pylist() == values


def test_a_partial_without_a_monoid_stays_arrow() -> None:
    assert isinstance(column_of(pa.array([1, 2]), None), Objects)


@given(st.lists(st.lists(integers, max_size=4), min_size=1, max_size=4))
def test_joined_columns_follow_each_other(parts: list[list[int | None]]) -> None:
    arrays = [pa.array(part, pa.int64()) for part in parts]
    expected = [value for part in parts for value in part]
    for monoid in ("sum", None):
        columns = [column_of(array, monoid) for array in arrays]
        assert joined(columns).arrow().to_pylist() == expected
    assert joined(arrays).to_pylist() == expected
    assert joined([np.array(len(part)).reshape(1) for part in parts]).tolist() == [*map(len, parts)]


@given(st.lists(integers, min_size=1, max_size=6), st.data())
def test_rows_are_taken_from_any_column(values: list[int | None], data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.integers(0, len(values) - 1), max_size=8))
    at, array = np.array(rows, np.int64), pa.array(values, pa.int64())
    expected = [values[row] for row in rows]
    assert taken(array, at).to_pylist() == expected
    for monoid in ("sum", None):
        assert taken(column_of(array, monoid), at).arrow().to_pylist() == expected


STRUCT = pa.struct(
    [("x", pa.int64()), ("y", pa.struct([pa.field("z", pa.float64(), nullable=False)]))]
)
structs = st.none() | st.fixed_dictionaries(
    {"x": integers, "y": st.none() | st.fixed_dictionaries({"z": st.floats(allow_nan=False)})}
)


@given(st.lists(structs, min_size=1, max_size=6), st.integers(0, 3), st.data())
def test_structs_are_taken_field_by_field(values: list, cut: int, data: st.DataObject) -> None:
    array, values = pa.array(values, STRUCT)[cut:], values[cut:]
    rows = data.draw(st.lists(st.integers(0, len(values) - 1), max_size=8)) if values else []
    found = taken(array, np.array(rows, np.int64))
    found.validate(full=True)
    assert found.type == STRUCT
    assert found.to_pylist() == [values[row] for row in rows]


def test_a_column_that_is_not_there_stays_away() -> None:
    assert joined([None, None]) is None
    assert taken(None, np.array([0])) is None


@pytest.mark.parametrize("kind", [pa.int64(), pa.string(), pa.date32()], ids=str)
def test_identities_are_null(kind: pa.DataType) -> None:
    assert nulls(3, kind, "min").arrow().equals(pa.nulls(3, kind))
