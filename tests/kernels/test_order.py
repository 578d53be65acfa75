"""The order of rows: by time, then by sequence."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.kernels.order import radix_order, time_order


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 3)), max_size=12))
def test_the_order_is_by_time_and_sequence(rows: list[tuple[int, int]]) -> None:
    ticks, sequence = np.array(rows, np.int64).reshape(-1, 2).T
    order = time_order(ticks.copy(), sequence.copy())
    assert [rows[i] for i in order] == sorted(rows)
    assert sorted(order.tolist()) == list(range(len(rows)))


@pytest.mark.parametrize("sequence", [[0, 1, 2], [2, 1, 0], [1, 1, 1]])
def test_rows_of_one_time(sequence: list[int]) -> None:
    order = time_order(np.zeros(3, np.int64), np.array(sequence))
    assert order.tolist() == sorted(range(3), key=lambda i: sequence[i])


@given(st.lists(st.integers(0, 9), max_size=20), st.sampled_from([1, 2**11, 2**40, 2**58]))
def test_equal_times_keep_their_places(digits: list[int], unit: int) -> None:
    values = [digit * unit - 3 * unit for digit in digits]
    order = radix_order(np.array(values, np.int64))
    assert order.tolist() == sorted(range(len(values)), key=lambda i: values[i])
