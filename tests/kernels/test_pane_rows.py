"""Rows of slots are combined as each key alone would be."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.errors import ResultOverflow
from panewise.kernels import pane_rows
from panewise.kernels.monoids import MAX, MIN, OR, PRODUCT, SUM, combine
from panewise.kernels.pane_rows import PaneRows, RowColumn


@st.composite
def rows_and_ranges(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, list[tuple[int, int]]]:
    panes, keys = draw(st.integers(1, 9)), draw(st.integers(1, 5))
    number = st.sampled_from([-2.0, -1.0, 0.0, 1.0, 3.0, float("nan")])
    values = [[draw(number) for _ in range(keys)] for _ in range(panes)]
    present = [[draw(st.booleans()) for _ in range(keys)] for _ in range(panes)]
    some = st.lists(st.sampled_from(range(panes)), min_size=2, max_size=2)
    ranges = draw(st.lists(some.map(lambda r: (min(r), max(r) + 1)), min_size=1, max_size=8))
    if draw(st.booleans()):
        ranges = [(lo, panes) for lo, _ in ranges]  # they end together
    if draw(st.booleans()):
        ranges.sort()
    return np.array(values), np.array(present), ranges


@given(rows_and_ranges(), st.sampled_from([SUM, MIN, MAX, PRODUCT]))
def test_each_key_is_folded_by_itself(
    given_rows: tuple[np.ndarray, np.ndarray, list[tuple[int, int]]], operation: int
) -> None:
    values, present, ranges = given_rows
    lo, hi = (np.array(each) for each in zip(*ranges, strict=True))
    column = RowColumn(operation, values, present, pa.float64(), careful=False)
    folded = column.fold(lo, hi, checked=True)
    assert folded.some is not None
    for w, (low, high) in enumerate(ranges):
        for key in range(values.shape[1]):
            there = [values[p, key] for p in range(low, high) if present[p, key]]
            assert folded.some[w, key] == bool(there)
            if there:
                total = there[0]
                for value in there[1:]:
                    total = combine(total, value, operation)
                np.testing.assert_equal(folded.values[w, key], total)


@given(rows_and_ranges())
def test_bits_of_each_key_are_united(
    given_rows: tuple[np.ndarray, np.ndarray, list[tuple[int, int]]],
) -> None:
    values, present, ranges = given_rows
    whole = np.where(np.isnan(values), 8, values).astype(np.int64)
    lo, hi = (np.array(each) for each in zip(*ranges, strict=True))
    folded = RowColumn(OR, whole, present, pa.int64(), careful=False).fold(lo, hi, checked=True)
    assert folded.some is not None
    held = np.where(present, whole, 0)
    expected = [np.bitwise_or.reduce(held[low:high], axis=0) for low, high in ranges]
    np.testing.assert_array_equal(np.where(folded.some, folded.values, 0), expected)


@given(rows_and_ranges())
def test_seen_keys_and_sums_of_all_slots(
    given_rows: tuple[np.ndarray, np.ndarray, list[tuple[int, int]]],
) -> None:
    values, seen, ranges = given_rows
    whole = np.where(np.isnan(values) | ~seen, 0, values).astype(np.int64)
    lo, hi = (np.array(each) for each in zip(*ranges, strict=True))
    column = RowColumn(SUM, whole, None, pa.int64(), careful=False)
    rows = PaneRows(np.arange(len(whole)), seen, [column])
    expected = [seen[low:high].any(axis=0) for low, high in ranges]
    np.testing.assert_array_equal(rows.seen_in(lo, hi), expected)
    sums = [whole[low:high].sum(axis=0) for low, high in ranges]
    np.testing.assert_array_equal(column.fold(lo, hi, checked=True).values, sums)


def test_more_keys_than_a_block() -> None:
    values = np.arange(3 * (2 * pane_rows.BLOCK + 7)).reshape(3, -1)
    column = RowColumn(SUM, values, None, pa.int64(), careful=True)
    lo, hi = np.array([0, 1, 0]), np.array([2, 3, 3])
    found = column.fold(lo, hi, checked=True).values
    np.testing.assert_array_equal(
        found, [values[a:b].sum(axis=0) for a, b in zip(lo, hi, strict=True)]
    )


@pytest.mark.parametrize("careful", [False, True])
def test_ranges_that_end_together_go_on_from_the_shortest(careful: bool) -> None:
    values = np.random.default_rng(0).integers(-99, 99, (6, 2 * pane_rows.BLOCK + 7))
    lo, hi = np.array([5, 1, 3, 1, 0]), np.full(5, 6)
    found = RowColumn(SUM, values, None, pa.int64(), careful).fold(lo, hi, checked=True)
    np.testing.assert_array_equal(found.values, [values[low:].sum(axis=0) for low in lo])


def test_sums_of_floating_numbers_are_taken_in_order() -> None:
    values = np.random.default_rng(0).random((6, 3))
    lo, hi = np.array([4, 0]), np.full(2, 6)
    found = RowColumn(SUM, values, None, pa.float64(), careful=False).fold(lo, hi, checked=True)
    np.testing.assert_array_equal(found.values, [np.cumsum(values[low:], 0)[-1] for low in lo])


@pytest.mark.parametrize("present", [None, np.ones((2, 2), np.bool_)])
def test_a_sum_that_leaves_64_bits_is_refused(present: np.ndarray | None) -> None:
    values = np.array([[2**62, 1], [2**62, 1]])
    column = RowColumn(SUM, values, present, pa.int64(), careful=True)
    with pytest.raises(ResultOverflow, match="BIGINT"):
        column.fold(np.array([0]), np.array([2]), checked=True)
    assert column.fold(np.array([0]), np.array([2]), checked=False).values[0, 1] == 2
