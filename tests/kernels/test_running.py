"""Differences of running sums against the plain sum."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.aggregates.sum import SumPartial
from panewise.errors import ResultOverflow
from panewise.kernels.fold import fold
from panewise.kernels.running import running_sums
from panewise.kernels.tree import tree_is_cheaper
from tests.kernels.building import numbers_of

values = st.one_of(st.integers(-9, 9), st.integers(-(2**50), 2**50), st.none())


def running(
    column: list[int | None], lo: np.ndarray, hi: np.ndarray
) -> tuple[list[int | None], bool]:
    numbers = numbers_of(column)
    out, present = np.empty(len(lo), np.int64), np.empty(len(lo), np.bool_)
    left = running_sums(numbers.values, numbers.valid, lo, hi, out, present)
    return [v if p else None for v, p in zip(out.tolist(), present, strict=True)], left


def every_range(size: int) -> tuple[np.ndarray, np.ndarray]:
    pairs = [(lo, hi) for lo in range(size + 1) for hi in range(lo, size + 1)]
    lo, hi = np.array(pairs, np.int64).T
    return lo, hi


@given(st.lists(values, min_size=1, max_size=12))
def test_a_difference_is_the_plain_sum(column: list[int | None]) -> None:
    lo, hi = every_range(len(column))
    parts = [[v for v in column[a:b] if v is not None] for a, b in zip(lo, hi, strict=True)]
    assert running(column, lo, hi) == ([sum(part) if part else None for part in parts], False)


def test_a_sum_beyond_64_bits_is_told() -> None:
    lo, hi = np.array([0]), np.array([1])
    assert running([2**62, 2**62], lo, hi)[1]
    assert running([-(2**63), -1], lo, hi)[1]
    assert not running([2**62, 2**62 - 1], lo, hi)[1]


def begun_over(size: int) -> tuple[np.ndarray, np.ndarray]:
    """Ranges of every length at every place, in an order in which two stacks start over each time,
    so that a fold takes running sums."""
    pairs = [(lo, lo + n) for n in range(size, 0, -1) for lo in range(size - n, -1, -1)]
    lo, hi = np.array(pairs, np.int64).T.copy()
    assert tree_is_cheaper(size, lo, hi)
    return lo, hi


@given(st.lists(st.one_of(st.just(2**60), st.integers(0, 9)), min_size=20, max_size=24))
def test_only_a_range_that_is_read_can_overflow(column: list[int]) -> None:
    # values are not negative, so that no part leaves 64 bits where the whole does not
    lo, hi = begun_over(len(column))
    sums = [sum(column[a:b]) for a, b in zip(lo, hi, strict=True)]
    numbers = numbers_of(column)
    wrapped = [(total + 2**63) % 2**64 - 2**63 for total in sums]
    assert fold(SumPartial("x"), numbers, lo, hi).arrow().to_pylist() == wrapped
    if wrapped == sums:
        got = fold(SumPartial("x"), numbers, lo, hi, checked=True)
        assert got.arrow().to_pylist() == sums
    else:
        with pytest.raises(ResultOverflow):
            fold(SumPartial("x"), numbers, lo, hi, checked=True)


def test_floating_sums_are_not_taken_apart() -> None:
    # 1e300 would swallow the ones if sums were subtracted
    column = [1e300, *[1.0] * 23]
    lo, hi = begun_over(len(column))
    got = fold(SumPartial("x"), numbers_of(column), lo, hi).arrow().to_pylist()
    assert got == [sum(column[a:b]) for a, b in zip(lo, hi, strict=True)]
