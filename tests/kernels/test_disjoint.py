"""Ranges that do not overlap, behind what was known of them."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.aggregates import Partial
from panewise.aggregates.bits import BitOrPartial
from panewise.aggregates.collect import ListPartial
from panewise.aggregates.extremes import MinPartial
from panewise.aggregates.sum import ProductPartial, SumPartial
from panewise.errors import ResultOverflow
from panewise.kernels.columns import Column, column_of
from panewise.kernels.fold import fold, fold_behind, fold_groups

small = st.one_of(st.none(), st.integers(-4, 4))


@pytest.mark.parametrize("kind", [SumPartial, MinPartial, ProductPartial, BitOrPartial])
@given(
    values=st.lists(small, max_size=12),
    before=st.lists(small, min_size=1, max_size=3),
    data=st.data(),
)
def test_as_one_range_over_both(
    kind: Callable[[str], Partial],
    values: list[int | None],
    before: list[int | None],
    data: st.DataObject,
) -> None:
    partial = kind("x")
    bounds = sorted(data.draw(st.lists(st.integers(0, len(values)), max_size=6)))
    lo, hi = np.array(bounds[:-1], np.int64), np.array(bounds[1:], np.int64)
    at = np.array([data.draw(st.integers(-1, len(before) - 1)) for _ in lo], np.int64)
    number = pa.float64() if partial.monoid == "product" else pa.int64()
    column, held = (column_of(pa.array(each, number), partial.monoid) for each in (values, before))
    found = fold_behind(partial, column, lo, hi, held, at).arrow().to_pylist()
    for low, high, place, result in zip(lo, hi, at, found, strict=True):
        both = ([before[place]] if place >= 0 else []) + values[low:high]
        whole = column_of(pa.array(both, number), partial.monoid)
        expected = fold(partial, whole, np.array([0]), np.array([len(both)])).arrow()
        assert expected.to_pylist() == [result]


def test_arrow_arrays_too() -> None:
    partial = ListPartial("x")

    def lists(*values: list[int]) -> Column:
        rows = [[{"t": v, "s": v, "v": v} for v in each] for each in values]
        kind = pa.list_(pa.struct([("t", pa.int64()), ("s", pa.int64()), ("v", pa.int64())]))
        return column_of(pa.array(rows, kind), None)

    found = fold_behind(
        partial, lists([1], [2], [3]), np.array([0, 2, 3]), np.array([2, 3, 3]), lists([8], [9]),
        np.array([1, -1, 0]),
    )  # fmt: skip
    shown = [[row["v"] for row in each] for each in found.arrow().to_pylist()]
    assert shown == [[9, 1, 2], [3], [8]]


@pytest.mark.parametrize(
    "values",
    [[2**63 - 1, 1], [2**62, 2**62], [-(2**63), -1], [2**63 - 5, 9, -9], [-(2**63), -9, 9]],
    ids=str,
)
def test_a_sum_that_goes_around_is_an_error_wherever_it_is_cut(values: list[int]) -> None:
    partial, one = SumPartial("x"), np.array([0])
    for known in range(len(values)):
        before, column = values[:known], column_of(pa.array(values[known:], pa.int64()), "sum")
        if -(2**63) <= sum(before) < 2**63:
            held = column_of(pa.array([sum(before)], pa.int64()), "sum")
            at = one if before else one - 1
            with pytest.raises(ResultOverflow):
                fold_behind(partial, column, one, one + len(column), held, at, checked=True)


def test_numbers_that_are_large_and_do_not_go_around() -> None:
    column = column_of(pa.array([2**62, -(2**62), 2**41, 2**63 - 1], pa.int64()), "sum")
    found = fold_behind(
        SumPartial("x"), column, np.array([0, 2, 3]), np.array([2, 3, 4]), None,
        np.array([-1, -1, -1]), checked=True,
    )  # fmt: skip
    assert found.arrow().to_pylist() == [0, 2**41, 2**63 - 1]


@pytest.mark.parametrize("kind", [SumPartial, MinPartial, ProductPartial, BitOrPartial])
@given(data=st.data())
def test_groups_are_ranges_of_cells_in_their_order(
    kind: Callable[[str], Partial], data: st.DataObject
) -> None:
    partial = kind("x")
    whole = st.lists(st.integers(-4, 4), min_size=1, max_size=12)
    values = data.draw(st.one_of(whole, st.lists(small, min_size=1, max_size=12)))
    number = pa.float64() if partial.monoid == "product" else pa.int64()
    column = column_of(pa.array(values, number), partial.monoid)
    cuts = data.draw(st.sets(st.integers(1, len(values) - 1))) if len(values) > 1 else set()
    heads = np.array([0, *sorted(cuts)], np.int64)
    order = np.array(data.draw(st.permutations(range(len(values)))), np.int64)
    hi = np.append(heads[1:], len(values))
    listed = fold(partial, column.take(order), heads, hi).arrow()
    assert fold_groups(partial, column, heads, order).arrow().equals(listed)
    side_by_side = fold(partial, column, heads, hi).arrow()
    assert fold_groups(partial, column, heads).arrow().equals(side_by_side)


@pytest.mark.parametrize("kind", ["int64", "float64"])
def test_groups_of_many_cells_are_summed_in_their_order(kind: str) -> None:
    rng = np.random.default_rng(1)
    values = rng.integers(-99, 99, 5000).astype(kind) / (7 if kind == "float64" else 1)
    column = column_of(pa.array(values.astype(kind)), "sum")
    order, heads = rng.permutation(5000), np.flatnonzero(rng.random(5000) < 0.6)
    heads = np.union1d(heads, 0)
    expected = [
        np.cumsum(column.take(order[lo:hi]).values)[-1]  # one by one
        for lo, hi in zip(heads, [*heads[1:], 5000], strict=True)
    ]
    assert fold_groups(SumPartial("x"), column, heads, order).arrow().to_pylist() == expected


def test_a_sum_of_a_group_that_goes_around_is_an_error_when_checked() -> None:
    column = column_of(pa.array([2**62, 5, 2**62, -(2**63)]), "sum")
    order, heads = np.array([0, 2, 3, 1]), np.array([0, 2])
    with pytest.raises(ResultOverflow):
        fold_groups(SumPartial("x"), column, heads, order, checked=True)
    apart = fold_groups(SumPartial("x"), column, np.array([0, 1, 2]), order, checked=True)
    assert apart.arrow().to_pylist() == [2**62, 2**62, 5 - 2**63]
