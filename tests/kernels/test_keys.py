"""Numbers of keys: equal keys share one, known keys keep theirs."""

import math
from datetime import UTC, date, datetime, time, timedelta
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


KINDS: list[tuple[pa.DataType, list[Any]]] = [
    (pa.null(), [None]),
    (pa.bool_(), [True, None, False]),
    (pa.int8(), [-128, None, 127, 0]),
    (pa.int16(), [-(2**15), None, 2**15 - 1]),
    (pa.int32(), [-(2**31), None, 2**31 - 1]),
    (pa.int64(), [-(2**63), None, 2**63 - 1, 0]),
    (pa.uint8(), [255, None, 0]),
    (pa.uint64(), [2**64 - 1, None, 2**63, 0]),
    (pa.float32(), [0.5, None, -math.inf, 0.0]),
    (pa.float64(), [1e300, None, 5e-324, 0.0]),
    (pa.date32(), [date(1969, 12, 31), None, date(2024, 2, 29)]),
    (pa.date64(), [date(1969, 12, 31), None, date(2024, 2, 29)]),
    (pa.time32("s"), [time(23, 59, 59), None, time(0)]),
    (pa.time64("us"), [time(23, 59, 59, 999_999), None, time(0)]),
    (pa.timestamp("us"), [datetime(1, 1, 1), None, datetime(2024, 1, 1, 0, 0, 0, 1)]),
    (pa.timestamp("ms", "UTC"), [datetime(1970, 1, 1, tzinfo=UTC), None]),
    (pa.duration("us"), [timedelta(days=-9), None, timedelta(0), timedelta(microseconds=1)]),
    (pa.decimal128(10, 2), [Decimal("1.10"), None, Decimal("-1.10"), Decimal("0.00")]),
    (pa.decimal128(38, 0), [Decimal(10**37), None, Decimal(-(10**37))]),
    (pa.string(), ["", None, "None", "ä", "a" * 1000]),
    (pa.large_string(), ["", None, "b"]),
    (pa.binary(), [b"", None, b"\x00", b"\x00\x00"]),
    (pa.binary(2), [b"ab", None, b"\x00b"]),
    (pa.list_(pa.int32()), [[1, 2], None, [], [1], [None]]),
    (pa.struct([("a", pa.int64()), ("b", pa.string())]), [{"a": 1, "b": None}, None]),
    (pa.list_(pa.struct([("d", pa.date32())])), [[{"d": date(2024, 1, 1)}], None, [None]]),
]


@pytest.mark.parametrize(("kind", "values"), KINDS, ids=[str(kind) for kind, _ in KINDS])
def test_numbers_lead_back_to_the_keys(kind: pa.DataType, values: list) -> None:
    known = KeyTable(pa.schema([("k", kind)]))
    first = known.encode(pa.table({"k": pa.array(values, kind)}))
    assert first.tolist() == list(range(len(values)))
    again = known.encode(pa.table({"k": pa.array(values[::-1] * 2, kind)}))
    (back,) = known.take(again)
    assert back.type == kind
    assert back.to_pylist() == values[::-1] * 2
    assert known.keys["k"].to_pylist() == values


@pytest.mark.parametrize(("kind", "values"), KINDS, ids=[str(kind) for kind, _ in KINDS])
def test_kept_keys_are_numbered_anew(kind: pa.DataType, values: list) -> None:
    known = KeyTable(pa.schema([("k", kind)]))
    known.encode(pa.table({"k": pa.array(values, kind)}))
    last = len(values) - 1
    renamed = known.keep(np.array([last]))
    assert renamed.tolist() == [-1] * last + [0]
    assert known.keys["k"].to_pylist() == values[last:]
    assert known.encode(pa.table({"k": pa.array(values[last:], kind)})).tolist() == [0]


@pytest.mark.parametrize("kind", [pa.float32(), pa.float64()], ids=str)
def test_negative_zero_and_not_a_number_come_back_as_one_value(kind: pa.DataType) -> None:
    known = KeyTable(pa.schema([("k", kind)]))
    negative_nan = np.array([0xFFF8000000000001], np.uint64).view(np.float64)[0]
    values = pa.array([-0.0, math.nan, 0.0, float(negative_nan)], pa.float64()).cast(kind)
    codes = known.encode(pa.table({"k": values}))
    assert codes.tolist() == [0, 1, 0, 1]
    zero, nan = known.take(np.array([0, 1]))[0].to_pylist()
    assert math.copysign(1, zero) == 1 and math.isnan(nan)


@pytest.mark.parametrize("kind", [pa.int64(), pa.string(), pa.date32(), pa.list_(pa.int8())])
def test_a_key_that_is_always_null(kind: pa.DataType) -> None:
    known = KeyTable(pa.schema([("k", kind)]))
    assert known.encode(pa.table({"k": pa.nulls(2, kind)})).tolist() == [0, 0]
    assert known.take(np.array([0]))[0].equals(pa.nulls(1, kind))


words = st.one_of(st.none(), st.sampled_from(["", "a", "b", "None"]))
digits = st.one_of(st.none(), st.integers(-2, 2))
batches = st.lists(st.lists(st.tuples(words, digits, words), max_size=12), min_size=1, max_size=4)


@given(batches)
def test_keys_are_numbered_as_they_appear(several: list[list[tuple]]) -> None:
    schema = pa.schema([("a", pa.string()), ("b", pa.int64()), ("c", pa.string())])
    known, expected = KeyTable(schema), dict[tuple, int]()
    for rows in several:
        columns = [pa.array([row[at] for row in rows], f.type) for at, f in enumerate(schema)]
        wanted = [expected.setdefault(row, len(expected)) for row in rows]
        assert known.encode(pa.table(columns, schema)).tolist() == wanted
    assert list(zip(*(c.to_pylist() for c in known.keys.columns), strict=True)) == list(expected)


integers = st.one_of(
    st.none(), st.integers(-3, 9), st.integers(-(10**4), 10**4), st.integers(-(2**63), 2**63 - 1)
)


@given(st.lists(st.lists(integers, max_size=8), min_size=1, max_size=5), st.data())
def test_integer_keys_near_each_other_or_far(
    several: list[list[int | None]], data: st.DataObject
) -> None:
    known, expected = KeyTable(pa.schema([("k", pa.int64())])), list[int | None]()
    for keys in several:
        expected += [key for key in dict.fromkeys(keys) if key not in expected]
        rows = pa.table({"k": pa.array(keys, pa.int64())})
        for _ in range(2):  # then they are known
            assert known.encode(rows).tolist() == [expected.index(key) for key in keys]
        if expected and data.draw(st.booleans()):
            known.keep(np.arange(0, len(expected), 2))
            expected = expected[::2]
    assert known.keys["k"].to_pylist() == expected


def test_key_columns_are_found_by_name() -> None:
    rows = table(x=[7, 7, 7], k=[5, 6, 5])
    known = KeyTable(pa.schema([("k", pa.int64())]))
    assert known.encode(rows).tolist() == [0, 1, 0]
    assert known.encode(table(x=[5, 5], k=[6, 5])).tolist() == [1, 0]


def test_batches_of_several_chunks() -> None:
    chunks = pa.chunked_array([["b", "a"], [], ["b", None]], pa.string())
    assert numbers(pa.table({"k": chunks})) == [[0, 1, 0, 2]]


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
