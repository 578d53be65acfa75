"""Records folded by loops against the aggregates' own combine, one cell after the other."""

import math
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import panewise as pw
from panewise.aggregates import Aggregate, Partial, Rows, Scope
from panewise.aggregates.records import backwards, in_order
from panewise.aggregates.time_moments import RegressionPartial
from panewise.kernels import records
from panewise.kernels.records import fold_records
from tests.kernels.test_fold import monotone

NAN = math.nan
VALUES: dict[str, tuple[pa.DataType, list[Any]]] = {
    "int64": (pa.int64(), [-(2**63), -1, 0, 1, 2**63 - 1]),
    "int8": (pa.int8(), [-128, 0, 1, 127]),
    "float64": (pa.float64(), [-math.inf, -1.5, -0.0, 0.0, 0.25, math.inf, NAN]),
    "float32": (pa.float32(), [-1.5, 0.0, NAN]),
    "decimal(10, 2)": (pa.decimal128(10, 2), [Decimal("-1.50"), Decimal("0.00"), Decimal("9.99")]),
    "decimal(38, 0)": (pa.decimal128(38, 0), [Decimal(-(2**100)), Decimal(-1), Decimal(2**70)]),
    "text": (pa.string(), ["", "a", "B", "ä", "aa"]),
    "date": (pa.date32(), [-3, 0, 20_000]),
    "timestamp": (pa.timestamp("us", "UTC"), [-(2**50), 0, 1]),
}
BY_TIME = [pw.first("x"), pw.last("x"), pw.last("x", ignore_nulls=True)]
BY_VALUE = [
    pw.argmin("t", "x"), pw.argmax("t", "x"), pw.min_count("x"), pw.max_count("x"),
    pw.min("x"), pw.max("x"),
]  # fmt: skip
PICKING = [*BY_TIME, *BY_VALUE]
MERGING = [pw.variance("x"), pw.stddev("x", ddof=0), pw.slope("x"), pw.r2("x"), pw.collect("x")]


def lifted(aggregate: Aggregate, x: pa.Array) -> tuple[Partial, pa.Array]:
    """Single rows: times with ties, and a sequence that goes up and down."""
    n = len(x)
    times, sequence = pa.array(np.arange(n) * 7 % 5 + 10**15), pa.array(np.arange(n) * 3 % 307)
    scope = Scope({"x": "x", "t": "t"}, {"x": "double", "t": "bigint"}, "ts", "seq")
    (partial,) = aggregate.partials(scope)
    return partial, partial.lift(Rows({"x": x, "t": times}, times, sequence))


def one_by_one(partial: Partial, column: pa.Array, lo: np.ndarray, hi: np.ndarray) -> pa.Array:
    found = []
    for low, high in zip(lo, hi, strict=True):
        total = pa.nulls(1, column.type)
        for at in range(low, high):
            total = partial.combine(total, column.slice(at, 1)).cast(column.type)
        found.append(total)
    return pa.concat_arrays(found) if found else column.slice(0, 0)


def told(aggregate: Aggregate, column: pa.Array) -> list[Any]:
    return aggregate.lower([column]).to_pylist()


def near(a: Any, b: Any) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
    return str(a) == str(b)  # NaN is like NaN


def compare(aggregate: Aggregate, x: pa.Array, lo: np.ndarray, hi: np.ndarray) -> None:
    partial, column = lifted(aggregate, x)
    found = fold_records(partial, column, lo, hi)
    if not len(lo):
        assert found is None
        return
    if found is None:
        assert isinstance(partial, RegressionPartial) and column.null_count == len(column)
        return
    assert found.type == column.type
    expected = one_by_one(partial, column, lo, hi)
    pairs = zip(told(aggregate, found), told(aggregate, expected), strict=True)
    assert all(near(a, b) for a, b in pairs), (told(aggregate, found), told(aggregate, expected))


@st.composite
def columns(draw: st.DrawFn, kind: pa.DataType, values: list[Any]) -> pa.Array:
    some = st.one_of(st.sampled_from(values), st.sampled_from(values), st.none())
    return pa.array(draw(st.lists(some, min_size=1, max_size=14)), kind)


@pytest.mark.parametrize(
    ("aggregate", "name"),
    [*((a, name) for a in BY_VALUE for name in VALUES), *((a, "text") for a in BY_TIME)],
    ids=str,
)
def test_rows_are_picked_as_combine_picks_them(aggregate: Aggregate, name: str) -> None:
    @settings(max_examples=40)
    @given(st.data())
    def check(data: st.DataObject) -> None:
        x = data.draw(columns(*VALUES[name]))
        compare(aggregate, x, *data.draw(monotone(len(x))))

    check()


@pytest.mark.parametrize("values", [[-2.0, 0.25, 1.0, 3.5], [1.0, math.inf, NAN]], ids=str)
@pytest.mark.parametrize("aggregate", MERGING, ids=str)
def test_numbers_are_merged_as_combine_merges_them(
    aggregate: Aggregate, values: list[float]
) -> None:
    @given(st.data())
    def check(data: st.DataObject) -> None:
        x = data.draw(columns(pa.float64(), values))
        compare(aggregate, x, *data.draw(monotone(len(x))))

    check()


@pytest.mark.parametrize("aggregate", [*PICKING, *MERGING], ids=str)
def test_a_tree_and_long_stretches_give_the_same(aggregate: Aggregate) -> None:
    chance = np.random.default_rng(5)
    x = pa.array(chance.integers(0, 50, 300) / 4, mask=chance.random(300) < 0.2)
    bounds = np.sort(chance.integers(0, 301, (2, 8)), axis=0)  # in no order: another range each
    compare(aggregate, x, *bounds)
    compare(aggregate, x, np.array([0, 150, 299]), np.array([150, 290, 300]))
    compare(aggregate, x, np.arange(0, 200, 25), np.arange(100, 300, 25))


def test_a_block_that_wins_is_not_overwritten_by_the_next() -> None:
    # block     0 ... 63    64 ... 127    128 ... 191
    # values    2, 2        1, 1, 1       3, 3         the least of the second has three rows
    x = np.full(192, 9)
    x[[3, 5]], x[[70, 80, 90]], x[[130, 140]] = 2, 1, 3
    for aggregate in (pw.min_count("x"), pw.argmin("t", "x"), pw.variance("x")):
        compare(aggregate, pa.array(x), np.array([0]), np.array([192]))
        compare(aggregate, pa.array(-x), np.array([0, 100]), np.array([192, 192]))


@pytest.mark.parametrize("aggregate", [*BY_TIME, pw.argmin("x", "y"), pw.argmax("x", "y")], ids=str)
def test_rows_of_one_time_and_sequence_are_in_the_order_of_their_places(
    aggregate: Aggregate,
) -> None:
    n = 60
    scope = Scope({"x": "x", "y": "y"}, {"x": "bigint", "y": "bigint"}, "ts", "seq")
    (partial,) = aggregate.partials(scope)
    same = pa.array(np.zeros(n, np.int64))
    column = partial.lift(Rows({"x": pa.array(np.arange(n)), "y": same}, same, same))
    lo, hi = np.arange(30) % 7, n - np.arange(30) % 5  # by a tree
    for ranges in ((lo, hi), (lo[:3], hi[:3])):
        found = fold_records(partial, column, *ranges)
        assert told(aggregate, found) == told(aggregate, one_by_one(partial, column, *ranges))


def test_fields_of_a_null_struct_are_not_null() -> None:
    partial, column = lifted(pw.last("x", ignore_nulls=True), pa.array([None, 4, None]))
    for hi in ([1, 3], [1, 1]):
        found = fold_records(partial, column, np.array([0, 0]), np.array(hi))
        assert found is not None
        assert found.is_null().to_pylist() == [True, hi[1] == 1]
        assert found.field("t").null_count == found.field("s").null_count == 0


def test_loops_climb_a_tree_where_ranges_are_many_and_wide() -> None:
    lo, hi = np.arange(40) % 7, 90 - np.arange(40) % 5
    assert records.tree_is_cheaper(90, lo, hi)
    x = pa.array(np.arange(90.0) % 11)
    for aggregate in (*PICKING, *MERGING):
        compare(aggregate, x, lo, hi)


@given(st.data())
def test_decimals_are_added_with_all_digits(data: st.DataObject) -> None:
    units = st.one_of(st.integers(-3, 3), st.integers(-(10**38) + 1, 10**38 - 1), st.none())
    values = data.draw(st.lists(units, min_size=1, max_size=14))
    numbers = [None if v is None else Decimal(v) for v in values]
    compare(pw.sum("x"), pa.array(numbers, pa.decimal128(38, 0)), *data.draw(monotone(len(values))))


def test_moments_of_close_large_values_keep_their_digits() -> None:
    x = 1e9 + np.random.default_rng(1).normal(0, 1e-3, 200_000)
    partial, column = lifted(pw.variance("x", ddof=0), pa.array(x))
    found = fold_records(partial, column, np.array([0]), np.array([len(x)]))
    assert found is not None
    exact = float(np.var((x - 1e9).astype(np.longdouble)))
    assert pw.variance("x", ddof=0).lower([found])[0].as_py() == pytest.approx(exact, rel=1e-9)


def test_groups_of_other_sizes_keep_their_digits_too() -> None:
    large, small = [1e12, 1e12 + 1], [1e-6, 2e-6, 6e-6]
    partial, column = lifted(pw.variance("x"), pa.array([*large, *small]))
    found = fold_records(partial, column, np.array([0, 2]), np.array([2, 5]))
    assert found is not None
    assert pw.variance("x").lower([found]).to_pylist() == pytest.approx([0.5, 7e-12], rel=1e-9)


def test_times_too_far_apart_for_floats_are_left_to_combine() -> None:
    partial, _ = lifted(pw.slope("x"), pa.array([1.0]))
    times = pa.array([0, 2**55 + 1])
    rows = Rows({"x": pa.array([1.0, 2.0])}, times, times)
    assert partial.record(partial.lift(rows)) is None


def test_a_type_without_an_order_in_numbers_is_left_to_combine() -> None:
    assert in_order(pa.array([[1], [2]])) is None
    partial, _ = lifted(pw.min("x"), pa.array([1]))
    assert partial.record(pa.array([2**64 - 1], pa.uint64())) is None


@pytest.mark.parametrize("name", VALUES)
def test_numbers_are_in_the_order_of_values(name: str) -> None:
    kind, values = VALUES[name]
    keys = in_order(pa.array([None, *values], kind).slice(1))
    assert keys is not None
    ranked = [tuple(int(key[i]) for key in keys) for i in range(len(values))]
    expected = sorted(values, key=lambda v: v.encode() if isinstance(v, str) else (v != v, v))
    assert sorted(values, key=lambda v: ranked[values.index(v)]) == expected or name == "float64"
    if name == "float64":
        assert ranked[2] == ranked[3], "there is one zero"
        assert sorted(ranked) == ranked, "NaN is above all"
    back = backwards(keys)
    turned = [tuple(int(key[i]) for key in back) for i in range(len(values))]
    assert sorted(turned) == [turned[ranked.index(each)] for each in sorted(ranked, reverse=True)]
