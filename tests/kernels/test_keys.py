"""Numbers of keys: equal keys share one, known keys keep theirs."""

import math
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.kernels.keys import KeyTable, counting_sort


def table(**columns: Any) -> pa.Table:
    return pa.table({name: pa.array(values) for name, values in columns.items()})


def numbers(*tables: pa.Table) -> list[list[int]]:
    known = KeyTable(tables[0].schema)
    return [known.encode(one).tolist() for one in tables]


def test_a_key_keeps_its_number() -> None:
    assert numbers(table(k=["b", "a", "b"]), table(k=["c", "a"]), table(k=["c", "b"])) == [
        [0, 1, 0],
        [2, 1],
        [2, 0],
    ]


def test_null_is_a_key_of_its_own() -> None:
    assert numbers(table(k=[None, "", "None", None])) == [[0, 1, 2, 0]]


def test_several_columns_make_one_key() -> None:
    rows = table(a=[1, 1, 2, None, None, 1], b=["x", "y", "x", "x", None, "x"])
    assert numbers(rows) == [[0, 1, 2, 3, 4, 0]]


def test_floating_keys_group_as_spark_groups() -> None:
    assert numbers(table(k=[0.0, -0.0, math.nan, None, math.nan])) == [[0, 0, 1, 2, 1]]


@pytest.mark.parametrize(
    "values",
    [
        [{"a": 1, "b": "x"}, {"a": 1, "b": None}, None, {"a": 1, "b": "x"}],
        [[1, 2], [1], [], [1, 2]],
        [{"a": [0.0]}, {"a": None}, {"a": [math.nan]}, {"a": [-0.0]}],
        [[math.nan], [None], None, [math.nan]],
    ],
)
def test_nested_keys(values: list) -> None:
    assert numbers(table(k=values)) == [[0, 1, 2, 0]]


@pytest.mark.parametrize(
    "values",
    [
        [True, None, False],
        [date(1969, 12, 31), None, date(2024, 2, 29)],
        [Decimal("1.10"), None, Decimal("-1.10")],
        [b"", None, b"\x00"],
    ],
)
def test_numbers_lead_back_to_the_keys(values: list) -> None:
    known = KeyTable(table(k=values).schema)
    codes = known.encode(table(k=values * 2))
    (back,) = known.take(codes)
    assert back.to_pylist() == values * 2


def test_no_key_column_is_one_key() -> None:
    known = KeyTable(pa.schema([]))
    rows = table(x=[1, 2, 3]).select([])
    assert known.encode(rows).tolist() == [0, 0, 0]
    assert len(known) == 1 and known.take(np.array([0])) == []


def test_forgotten_keys_make_room() -> None:
    known = KeyTable(table(k=["a"]).schema)
    known.encode(table(k=["a", "b", "c", "d"]))
    renamed = known.keep(np.array([3, 1, 1]))
    assert renamed.tolist() == [-1, 0, -1, 1]
    assert len(known) == 2
    assert known.encode(table(k=["a", "d", "b"])).tolist() == [2, 1, 0]


@given(st.lists(st.integers(0, 4)))
def test_the_sort_by_key_is_stable(codes: list[int]) -> None:
    order, runs = counting_sort(np.array(codes, np.int64), 5)
    assert order.tolist() == sorted(range(len(codes)), key=lambda i: codes[i])
    assert [codes[i] for i in order] == sorted(codes)
    assert np.diff(runs).tolist() == [codes.count(k) for k in range(5)]
