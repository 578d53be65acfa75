"""Folds of ranges against the plain loop: combine the cells one after the other."""

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.aggregates import Partial, Scope, first, max, min, product, sum
from panewise.aggregates.bits import BitOrPartial
from panewise.aggregates.collect import ListPartial
from panewise.aggregates.extremes import MaxPartial, MinPartial
from panewise.aggregates.sum import ProductPartial, SumPartial
from panewise.kernels import fold as module
from panewise.kernels.columns import column_of

NAN = math.nan
quarters = st.integers(-20, 20).map(lambda n: n / 4)
floats = st.one_of(quarters, quarters, st.sampled_from([NAN, math.inf, -math.inf, -0.0]))
small = st.integers(-4, 4)


@st.composite
def monotone(draw: st.DrawFn, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Ranges as windows make them: both bounds ascend, then another key starts over."""
    lo: list[int] = []
    hi: list[int] = []
    for _ in range(draw(st.integers(1, 3))):
        count = draw(st.integers(0, 6))
        starts = sorted(draw(st.integers(0, size)) for _ in range(count))
        ends = sorted(draw(st.integers(0, size)) for _ in range(count))
        lo += starts
        hi += np.maximum(starts, ends).tolist() if count else []
    return np.array(lo, np.int64), np.array(hi, np.int64)


@st.composite
def cases(draw: st.DrawFn, values: st.SearchStrategy) -> tuple[list, np.ndarray, np.ndarray]:
    column = draw(st.lists(st.one_of(values, values, st.none()), min_size=1, max_size=12))
    return column, *draw(monotone(len(column)))


def fold(
    partial: Partial, column: pa.Array, lo: np.ndarray, hi: np.ndarray, *, checked: bool = False
) -> pa.Array:
    """Arrow in, Arrow out."""
    return module.fold(partial, column_of(column, partial.monoid), lo, hi, checked=checked).arrow()


def plain(column: list, lo: np.ndarray, hi: np.ndarray, combine: Callable) -> list[Any]:
    results = []
    for low, high in zip(lo, hi, strict=True):
        total = None
        for value in column[low:high]:
            if value is not None:
                total = value if total is None else combine(total, value)
        results.append(total)
    return results


def same(got: list, expected: list) -> bool:
    """Equal, with NaN equal to itself."""
    return [str(v + 0.0) if v is not None else v for v in got] == [
        str(v + 0.0) if v is not None else v for v in expected
    ]


def lesser(a: float, b: float) -> float:
    return b if math.isnan(a) or b < a else a


def greater(a: float, b: float) -> float:
    return b if math.isnan(b) or b > a else a


MONOIDS: list[tuple[Partial, Callable]] = [
    (SumPartial("x"), lambda a, b: a + b),
    (ProductPartial("x"), lambda a, b: a * b),
    (MinPartial("x"), lesser),
    (MaxPartial("x"), greater),
]
NAMES = ["sum", "product", "min", "max"]


@pytest.mark.parametrize(("partial", "combine"), MONOIDS, ids=NAMES)
@pytest.mark.parametrize(("kind", "values"), [(pa.int64(), small), (pa.float64(), floats)], ids=str)
def test_two_stacks_give_the_plain_fold(
    partial: Partial, combine: Callable, kind: pa.DataType, values: st.SearchStrategy
) -> None:
    @given(cases(values))
    def check(case: tuple[list, np.ndarray, np.ndarray]) -> None:
        column, lo, hi = case
        got = fold(partial, pa.array(column, kind), lo, hi)
        assert got.type == kind
        assert same(got.to_pylist(), plain(column, lo, hi, combine))

    check()


@given(cases(small))
def test_two_stacks_unite_bits(case: tuple[list, np.ndarray, np.ndarray]) -> None:
    column, lo, hi = case
    got = fold(BitOrPartial("x"), pa.array(column, pa.int64()), lo, hi)
    assert got.to_pylist() == plain(column, lo, hi, operator.or_)


@given(cases(st.text("abc", max_size=2)))
def test_doubling_gives_the_plain_fold(case: tuple[list, np.ndarray, np.ndarray]) -> None:
    class Plain(MinPartial):
        def record(self, column: pa.Array) -> None:
            return None

    class Lists(ListPartial):
        def record(self, column: pa.Array) -> None:
            return None

    column, lo, hi = case
    texts = pa.array(column, pa.string())
    lists = pa.array([None if v is None else [{"t": 0, "s": 0, "v": v}] for v in column], _LIST)
    assert fold(Plain("x"), texts, lo, hi).to_pylist() == plain(column, lo, hi, _first)
    joined = fold(Lists("x"), lists, lo, hi).to_pylist()
    expected = [[v for v in column[a:b] if v is not None] for a, b in zip(lo, hi, strict=True)]
    assert [[e["v"] for e in row or ()] for row in joined] == expected


_LIST = pa.list_(pa.struct([("t", pa.int64()), ("s", pa.int64()), ("v", pa.string())]))


def _first(a: str, b: str) -> str:
    return a if a <= b else b


def test_doubling_makes_only_the_blocks_that_are_read() -> None:
    # one window over 4096 cells: each value is copied once per doubling, not 4096 times
    class Counted(ListPartial):
        copied = 0

        def combine(self, left: pa.Array, right: pa.Array) -> pa.Array:
            result = super().combine(left, right)
            Counted.copied += len(result.flatten())
            return result

        def record(self, column: pa.Array) -> None:
            return None

    n = 4096
    column = pa.array([[{"t": i, "s": i, "v": str(i)}] for i in range(n)], _LIST)
    (row,) = fold(Counted("x"), column, np.array([0]), np.array([n])).to_pylist()
    assert [entry["t"] for entry in row] == list(range(n))
    assert n <= Counted.copied <= 14 * n


@pytest.mark.parametrize(
    "kind",
    [pa.int8(), pa.int32(), pa.float32(), pa.bool_(), pa.date32(), pa.timestamp("us", "UTC")],
    ids=str,
)
def test_extremes_keep_the_type(kind: pa.DataType) -> None:
    column = pa.array([1, 0, None, 1], pa.int32()).cast(pa.int64())
    typed = column.cast(pa.int32()).cast(kind) if pa.types.is_date32(kind) else column.cast(kind)
    lo, hi = np.array([0, 2, 2]), np.array([4, 4, 3])
    low, high = fold(MinPartial("x"), typed, lo, hi), fold(MaxPartial("x"), typed, lo, hi)
    assert low.equals(typed.take(pa.array([1, 3, None])))
    assert high.equals(typed.take(pa.array([0, 3, None])))


@pytest.mark.parametrize("values", [[2**63 - 1, 1], [-(2**63), -1], [2**62, 2**62, 0]])
def test_an_integer_sum_that_overflows_is_an_error_when_checked(values: list[int]) -> None:
    column, lo, hi = pa.array(values), np.array([0]), np.array([len(values)])
    with pytest.raises(OverflowError, match="BIGINT"):
        fold(SumPartial("x"), column, lo, hi, checked=True)
    wrapped = (np.sum(np.array(values, object)) + 2**63) % 2**64 - 2**63
    assert fold(SumPartial("x"), column, lo, hi).to_pylist() == [wrapped]


def test_the_older_part_overflows_too() -> None:
    # cells     0    2^62    2^62-1    1
    # window 0  [---------------)           2^63 - 1: fits
    # window 1       [-----------------)    2^63: does not
    column = pa.array([0, 2**62, 2**62 - 1, 1])
    lo, hi = np.array([0, 1]), np.array([3, 4])
    with pytest.raises(OverflowError):
        fold(SumPartial("x"), column, lo, hi, checked=True)


@pytest.mark.parametrize("values", [[math.inf, 1.0], [1e308, 1e308], [-1.0, NAN]])
def test_floating_sums_never_overflow(values: list[float]) -> None:
    got = fold(SumPartial("x"), pa.array(values), np.array([0]), np.array([2]), checked=True)
    assert same(got.to_pylist(), [values[0] + values[1]])


@pytest.mark.parametrize("aggregate", [sum("x"), min("x"), max("x"), product("x"), first("x")])
def test_no_range_gives_nothing(aggregate: Any) -> None:
    none = np.empty(0, np.int64)
    (partial,) = aggregate.partials(Scope({"x": "x"}, {"x": "double"}, "t", "s"))
    assert len(fold(partial, pa.array([1.0, 2.0]), none, none)) == 0


@given(st.lists(st.one_of(st.none(), small), min_size=1, max_size=12), st.data())
def test_ranges_of_one_cell_are_that_cell(values: list[int | None], data: st.DataObject) -> None:
    picked = data.draw(st.lists(st.integers(0, len(values) - 1), max_size=20))
    lo = np.array(picked, np.int64)
    found = fold(SumPartial("x"), pa.array(values, pa.int64()), lo, lo + 1)
    assert found.to_pylist() == [values[at] for at in picked]
