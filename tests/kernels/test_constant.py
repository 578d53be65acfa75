"""One number for many rows."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from panewise.kernels.constant import Constant


@given(st.integers(-(2**63), 2**63 - 1), st.lists(st.integers(0, 50), max_size=5))
def test_as_often_as_somebody_asks(number: int, counts: list[int]) -> None:
    constant = Constant(number)
    handed_out = [constant.times(count) for count in counts]
    for count, column in zip(counts, handed_out, strict=True):
        assert column.dtype == np.int64
        assert column.tolist() == [number] * count


def test_what_is_there_is_handed_out_again() -> None:
    constant = Constant(3)
    assert np.shares_memory(constant.times(9), constant.times(4))
